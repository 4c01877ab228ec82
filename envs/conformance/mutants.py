"""Conformance: whether a game's tests notice a bug in it. Each of a list of one-line bugs must be caught by a check.

The list is ``MUTANTS`` in the ``<game>_mutants.py`` of the folder that holds the game's tests: rows of a name, a file
of the game, and a line's old and new text. ``killers.json`` beside it says which test has caught a bug before: that
test runs first; a bug that is not listed merely takes longer. `boyi mutants GAME` judges them all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module, util
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from ..engine.errors import BoyiError
from ..engine.spec import Spec

BATTERY = Path(__file__).with_name("battery.py")
KILLERS = "killers.json"
LEAST = 15  # the fewest bugs that mean something


class Mutant(NamedTuple):
    """A one-line bug: in a file of the game, `new` replaces `old`, which occurs there once."""

    name: str
    file: str
    old: str
    new: str


class Verdict(NamedTuple):
    """What became of a mutant: "killed" by a test's check, "survived", "crashed" or "no verdict"; and what was said."""

    mutant: str
    outcome: str
    by: str
    said: str


UNCHANGED = Mutant("unchanged", "rules.py", "", "")
"""No bug at all, which the tests must let pass."""


def mutants_of(spec: Spec, tests: Path) -> list[Mutant]:
    """Read a game's list of bugs from the folder of its tests; `BoyiError` if it is missing, short or repeats names."""
    file = tests / f"{spec.name}_mutants.py"
    if not file.is_file():
        raise BoyiError(f"there is no {file}: it holds MUTANTS, at least {LEAST} rows of name, file, old and new text")
    found = util.spec_from_file_location(file.stem, file)
    assert found is not None and found.loader is not None
    module = util.module_from_spec(found)
    found.loader.exec_module(module)
    mutants = [Mutant(*row) for row in getattr(module, "MUTANTS", ())]
    if len({mutant.name for mutant in mutants}) < max(LEAST, len(mutants)):
        raise BoyiError(f"{file}: MUTANTS are at least {LEAST} rows, each with a name of its own, not {len(mutants)}")
    return mutants


def killers_of(tests: Path) -> dict[str, str]:
    """Read which test has caught each bug, by the bug's name."""
    file = tests / KILLERS
    killers: dict[str, str] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return killers


def judge(spec: Spec, tests: Path, mutants: Iterable[Mutant], root: Path, battery: Path = BATTERY) -> Iterator[Verdict]:
    """Judge the tests of a game (``test_<game>*.py`` in `tests`) by each mutant; pytest runs in its root, `root`.

    `BoyiError` where the tests cannot be run, and for a mutant whose place is not found exactly once.
    """
    if util.find_spec("pytest") is None:
        raise BoyiError('tests are run with pytest, which is not installed: pip install "boyi[dev]"')
    if not hasattr(os, "fork"):
        raise BoyiError("mutants are judged on Linux and macOS only: each needs a forked process")
    top = spec.package.split(".")[0]
    source = Path(str(import_module(top).__file__)).parent
    home = spec.folder
    files, killers = [str(file) for file in sorted(tests.glob(f"test_{spec.name}*.py"))], killers_of(tests)
    if not files:
        raise BoyiError(f"there is no test of {spec.name} in {tests}: it needs files test_{spec.name}*.py")
    chosen = list(mutants)
    # So that a list cannot go stale unnoticed.
    for mutant in chosen:
        found = (home / mutant.file).read_text(encoding="utf-8").count(mutant.old)
        if mutant.old and found != 1:
            raise BoyiError(f"mutant {mutant.name!r}: {mutant.old!r} occurs {found} times in {mutant.file}")
    with TemporaryDirectory() as folder:
        jobs = [
            {
                "package": top,
                "source": str(source),
                "file": os.path.relpath(home / mutant.file, source),
                "old": mutant.old,
                "new": mutant.new,
                "first": killers.get(mutant.name, ""),
                "tests": _ordered(files, Path(mutant.file).stem),
                "root": str(root),
                "verdict": str(Path(folder) / f"{k}.json"),
            }
            for k, mutant in enumerate(chosen)
        ]
        written = Path(folder) / "jobs.json"
        written.write_text(json.dumps(jobs), encoding="utf-8")
        environment = os.environ | {
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled"),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_ADDOPTS": "",
        }
        command = [sys.executable, str(battery), str(written)]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise BoyiError(f"the tests of {spec.name} could not be judged:\n{done.stderr}")
        for job, mutant in zip(jobs, chosen, strict=True):
            file = Path(str(job["verdict"]))
            verdict = json.loads(file.read_text()) if file.exists() else {"verdict": "no verdict", "by": ""}
            yield Verdict(mutant.name, verdict["verdict"], verdict["by"], file.with_suffix(".txt").read_text()[-3000:])


def _ordered(files: list[str], part: str) -> list[str]:
    """Put the tests that are named after a file first."""
    return sorted(files, key=lambda name: f"_{part}" not in Path(name).name)


def told(verdict: Verdict) -> str:
    """Write what became of a mutant, with the output of the tests unless it survived."""
    return f"{verdict.mutant}: {verdict.outcome}" + ("" if verdict.outcome == "survived" else f"\n{verdict.said}")
