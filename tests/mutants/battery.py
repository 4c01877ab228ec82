"""Run a game's own tests on a copy of the package, without JIT: ``python -m mutants.battery hex /folder/of/boyi text``.

The last argument is the module with the bug: tests named after it run first. PYTHONPATH names the folder that holds the
copy, and this one's parent. The exit code tells a bug that a check found from one that merely broke the program.
"""

import sys
from pathlib import Path

import pytest

import boyi
from boyi.envs.errors import NoPosition

SURVIVED, KILLED, CRASHED, ASTRAY = 20, 21, 22, 23  # none of which Python or pytest would exit with by itself
TESTS = Path(__file__).parents[1]


class FirstFailure:
    """A pytest plugin that remembers what stopped the run."""

    def __init__(self) -> None:
        self.exception: BaseException | None = None

    def pytest_exception_interact(self, call: pytest.CallInfo[object]) -> None:
        """Keep the exception of the first failure; collecting and importing fail here too."""
        if self.exception is None and call.excinfo is not None:
            self.exception = call.excinfo.value


def main(game: str, package: str, part: str) -> int:
    """Return what became of the copy: SURVIVED all checks, KILLED by one, CRASHED, or ASTRAY: it was never run."""
    if Path(boyi.__file__).parent.resolve() != Path(package).resolve():
        return ASTRAY
    first = FirstFailure()
    files = sorted(TESTS.glob(f"test_{game}*.py"), key=lambda path: (f"_{part}" not in path.name, path.name))
    options = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", f"--rootdir={TESTS.parent}"]
    code = pytest.main([*map(str, files), *options], plugins=[first])
    if code == pytest.ExitCode.OK:
        return SURVIVED
    # Rules that lead to what the game's own valid.py refuses have been found out by it.
    checked = isinstance(first.exception, AssertionError | pytest.fail.Exception | NoPosition)
    return KILLED if code == pytest.ExitCode.TESTS_FAILED and checked else CRASHED


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
