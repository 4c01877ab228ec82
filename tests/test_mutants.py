"""The tests of a game must notice a bug in it: every one-line bug of ``mutants/<game>.py`` is caught by a check.

Each bug goes into a copy of the package, on which `mutants.battery` runs the game's own tests without JIT.
"""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest
from mutants import battery

from boyi.envs import games

TESTS = Path(__file__).parent
VERDICTS = {battery.SURVIVED: "survived", battery.KILLED: "killed", battery.CRASHED: "crashed"}
AT_ONCE = 2  # subprocesses, each of which keeps a core busy
SOME = 20  # mutants of a game that the quick tests judge at most; the slow ones judge the others
PATIENCE = 900  # seconds, on however busy a machine; a bug that makes the rules run for ever no check has caught

Mutant = tuple[str, str, str, str]


def copied(folder: Path) -> Path:
    """Copy what the tests import of the package into `folder`, as ``boyi``."""
    package = folder / "boyi"
    package.mkdir(parents=True)
    shutil.copy(TESTS.parent / "__init__.py", package)
    for part in ("envs", "baselines", "wrappers"):
        ignored = shutil.ignore_patterns("__pycache__", "weights")
        shutil.copytree(TESTS.parent / part, package / part, ignore=ignored)
    return package


def mutate(package: Path, game: str, mutant: Mutant) -> None:
    """Put one bug into the copy; its place must be found exactly once, so that the list cannot go stale unnoticed."""
    name, file, old, new = mutant
    path = package / "envs" / game / file
    source = path.read_text(encoding="utf-8")
    assert source.count(old) == 1, f"{name}: {old!r} occurs {source.count(old)} times in {file}"
    path.write_text(source.replace(old, new), encoding="utf-8")


def judge(package: Path, game: str, file: str = "rules.py") -> str:
    """Run the battery on a copy; return what became of it, with the end of its output where no check caught it."""
    environment = os.environ | {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(package.parent), str(TESTS)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "",
    }
    command = [sys.executable, "-m", "mutants.battery", game, str(package), Path(file).stem]
    try:
        done = subprocess.run(
            command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"not done after {PATIENCE} s"
    verdict = VERDICTS.get(done.returncode, f"no verdict ({done.returncode})")
    return verdict if verdict in ("killed", "survived") else f"{verdict}\n{done.stdout[-3000:]}{done.stderr[-1000:]}"


def verdicts(game: str, mutants: list[Mutant], folder: Path) -> dict[str, str]:
    """Judge a copy for each mutant, some at once, and an unchanged one under the name "unchanged"."""

    def one(number: int) -> str:
        package = copied(folder / str(number))
        file = "rules.py"
        if number:
            mutate(package, game, mutants[number - 1])
            file = mutants[number - 1][1]
        verdict = judge(package, game, file)
        shutil.rmtree(package)
        return verdict

    with ThreadPoolExecutor(AT_ONCE) as pool:
        names = ["unchanged", *(mutant[0] for mutant in mutants)]
        return dict(zip(names, pool.map(one, range(len(names))), strict=True))


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("part", ["some", pytest.param("others", marks=pytest.mark.slow)])
def test_every_mutant_is_killed(game: str, part: str, tmp_path: Path) -> None:
    """An unchanged copy passes the game's tests, and in every broken one a check fails; of long lists some, evenly."""
    mutants: list[Mutant] = import_module(f"mutants.{game}").MUTANTS
    assert len({mutant[0] for mutant in mutants}) == len(mutants) >= 15  # enough to mean something
    apart = -(-len(mutants) // SOME)
    chosen = [mutant for k, mutant in enumerate(mutants) if (k % apart == 0) == (part == "some")]
    found = verdicts(game, chosen, tmp_path)
    assert found.pop("unchanged") == "survived"
    others = {name: verdict for name, verdict in found.items() if verdict != "killed"}
    assert not others, "\n".join(f"{name}: {verdict}" for name, verdict in others.items())


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
    package = copied(tmp_path)
    mutate(package, "hex", ("crash", "rules.py", old, new))
    assert judge(package, "hex").startswith("crashed")


def test_another_package_is_no_verdict(tmp_path: Path) -> None:
    """The battery judges only the copy it was told to, and not being able to start is no kill either."""
    renamed = copied(tmp_path).rename(tmp_path / "elsewhere")
    assert judge(renamed, "hex").startswith("no verdict")
