"""The tests of a game must notice a bug in it: every one-line bug of its ``<game>_mutants.py`` is caught by a check.

Each bug goes into a copy of the package, on which `battery` runs the game's own tests without JIT, first the one that
has caught the bug before, by the game's ``killers.json``; ``pytest --write`` finds out which.
"""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from battery import Job
from places import ROOT, SHARED, of_game

from boyi.envs import games

UNCHANGED = ("unchanged", "rules.py", "", "")

Mutant = tuple[str, str, str, str]
BATTERY = [sys.executable, "-m", "battery"]


def judged(game: str, mutants: list[Mutant], folder: Path, *battery: str) -> dict[str, dict[str, str]]:
    """Judge the game's tests by each mutant: what became of it, by which test, and the end of what was said."""
    killers = killers_of(game)
    jobs = [
        Job(game=game, file=file, old=old, new=new, first=killers.get(name, ""), verdict=str(folder / f"{k}.json"))
        for k, (name, file, old, new) in enumerate(mutants)
    ]
    (folder / "jobs.json").write_text(json.dumps(jobs))
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(map(str, SHARED)),
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
    }
    command = [*(battery or BATTERY), str(folder / "jobs.json")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str]] = {}
    for job, (name, *_) in zip(jobs, mutants, strict=True):
        file = Path(job["verdict"])
        verdict = json.loads(file.read_text()) if file.exists() else {"verdict": "no verdict", "by": ""}
        found[name] = {**verdict, "said": file.with_suffix(".txt").read_text()[-3000:]}
    return found


def killers_of(game: str) -> dict[str, str]:
    """Read by its name which test has caught a bug; one that is not there takes longer, that is all."""
    file = of_game(game) / "killers.json"
    killers: dict[str, str] = json.loads(file.read_text()) if file.exists() else {}
    return killers


def mutants_of(game: str) -> list[Mutant]:
    mutants: list[Mutant] = import_module(f"{game}_mutants").MUTANTS
    assert len({mutant[0] for mutant in mutants}) == len(mutants) >= 15  # enough to mean something
    return mutants


def told(name: str, found: dict[str, str]) -> str:
    """Write what became of a mutant, with what was said unless the checks did what they are for."""
    return f"{name}: {found['verdict']}" + ("" if found["verdict"] == "survived" else f"\n{found['said']}")


@pytest.mark.parametrize("game", games())
def test_every_mutant_is_killed(game: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """An unchanged copy passes the game's tests, and in every broken one a check fails."""
    found = judged(game, [UNCHANGED, *mutants_of(game)], tmp_path)
    unchanged = found.pop("unchanged")
    assert unchanged["verdict"] == "survived", told("unchanged", unchanged)
    others = [told(name, each) for name, each in found.items() if each["verdict"] != "killed"]
    assert not others, "\n".join(others)
    if request.config.getoption("write"):
        killers = {name: each["by"] for name, each in found.items()}
        (of_game(game) / "killers.json").write_text(json.dumps(killers, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("import numpy as np\n", "import numpi as np\n"),
        ("def legal(s, mask):", "def legal(s):"),
        ("    seat = s.to_move", "    seat = s.mover"),
    ],
)
def test_a_crash_is_no_kill(old: str, new: str, tmp_path: Path) -> None:
    """A copy that cannot be imported, called or run has not been caught by a check."""
    found = judged("hex", [("crash", "rules.py", old, new)], tmp_path)
    assert found["crash"]["verdict"] == "crashed"


def test_another_package_is_no_verdict(tmp_path: Path) -> None:
    """The battery judges only the copies that it has made, and not being able to start is no kill either."""
    early = "import sys, boyi; from battery import main; main(sys.argv[1])"
    found = judged("hex", [UNCHANGED], tmp_path, sys.executable, "-c", early)
    assert found["unchanged"]["verdict"] == "no verdict" and "another package" in found["unchanged"]["said"]


def test_a_place_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"occurs 0 times in rules\.py"):
        judged("hex", [("stale", "rules.py", "no such line", "")], tmp_path)
