"""Run a game's own tests without JIT on copies of the package, one for each bug: ``python -m battery JOBS``.

JOBS is a JSON file, see `Job`; each verdict goes to the JSON file that its job names, and what is said meanwhile to one
beside it that ends in .txt. Every copy is tested in a process of its own, forked from this one, which has imported what
takes long and nothing of the package. A verdict tells a bug that a check found from one that merely broke the program.
"""

import json
import os
import shutil
import signal
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TypedDict

import pytest
from places import ROOT, SHARED, of_game

AT_ONCE = 2  # processes, each of which keeps a core busy
PATIENCE = 900  # seconds, on however busy a machine; a bug that makes the rules run for ever no check has caught
HEAVY = ("gymnasium", "hypothesis", "msgspec", "numba", "numpy", "scipy.optimize")
"""What the package and its tests import of others."""


class Job(TypedDict):
    """A bug: `old` is `new` in a file of the game's folder, nothing changed where that is empty.

    `first` is the test that has found it before, or empty, and `verdict` where to write what becomes of it.
    """

    game: str
    file: str
    old: str
    new: str
    first: str
    verdict: str


class FirstFailure:
    """A pytest plugin that remembers what stopped the run, and where."""

    def __init__(self) -> None:
        self.exception: BaseException | None = None
        self.test = ""

    def pytest_exception_interact(self, node: pytest.Collector | pytest.Item, call: pytest.CallInfo[object]) -> None:
        """Keep the exception of the first failure; collecting and importing fail here too."""
        if self.exception is None and call.excinfo is not None:
            self.exception, self.test = call.excinfo.value, node.nodeid


def packaged(folder: Path) -> Path:
    """Copy what the tests import of the package into `folder`, as ``boyi``."""
    package = folder / "boyi"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "__init__.py", package)
    for part in ("envs", "baselines", "wrappers"):
        ignored = shutil.ignore_patterns("__pycache__", "weights")
        shutil.copytree(ROOT / part, package / part, ignore=ignored)
    return package


def mutated(source: str, job: Job) -> str:
    """Put the bug into a file; its place must be found exactly once, so that a list cannot go stale unnoticed."""
    if source.count(job["old"]) != 1:
        raise ValueError(f"{job['old']!r} occurs {source.count(job['old'])} times in {job['file']}")
    return source.replace(job["old"], job["new"])


def run(tests: list[str]) -> tuple[str, str]:
    """Run tests up to the first failure; return what that makes of the copy, and the test."""
    from boyi.envs.engine.errors import NoPosition

    first = FirstFailure()
    options = ["-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", f"--rootdir={ROOT}"]
    code = pytest.main([*tests, *options], plugins=[first])
    if code == pytest.ExitCode.OK:
        return "survived", ""
    # Rules that lead to what the game's own valid.py refuses have been found out by it.
    checked = isinstance(first.exception, AssertionError | pytest.fail.Exception | NoPosition)
    return "killed" if code == pytest.ExitCode.TESTS_FAILED and checked else "crashed", first.test


def judge(job: Job) -> tuple[str, str]:
    """Run the test that has found the bug before, then all of the game's, those named after the file first."""
    if job["first"]:
        verdict, test = run([job["first"]])
        if verdict == "killed":
            return verdict, test
    part = Path(job["file"]).stem
    own = of_game(job["game"]).glob(f"test_{job['game']}*.py")
    files = sorted(own, key=lambda path: (f"_{part}" not in path.name, path.name))
    return run([str(path) for path in files])


def begin(job: Job, package: Path, number: int) -> int:
    """Judge a job in a child process, on the package as it is; return the process."""
    child = os.fork()
    if child:
        return child
    try:
        signal.alarm(PATIENCE)
        with Path(job["verdict"]).with_suffix(".txt").open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        sys.path.insert(0, str(package.parent))
        os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (package.parent, *SHARED)))
        import boyi

        if Path(boyi.__file__).parent.resolve() != package.resolve():
            raise ImportError(f"found another package: {boyi.__file__}")
        verdict, test = judge(job)
        Path(job["verdict"]).write_text(json.dumps({"verdict": verdict, "by": test}))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(0)


def main(path: str) -> None:
    """Judge all jobs, some at once, each copy for one after another."""
    for name in HEAVY:
        import_module(name)
    jobs: list[Job] = json.loads(Path(path).read_text())
    waiting = list(enumerate(jobs, 1))
    free = [packaged(Path(path).with_suffix("") / str(slot)) for slot in range(min(AT_ONCE, len(jobs)))]
    running: dict[int, tuple[Path, Path, str]] = {}
    while waiting or running:
        if waiting and free:
            number, job = waiting.pop(0)
            package = free.pop()
            file = package / "envs" / job["game"] / job["file"]
            source = file.read_text(encoding="utf-8")
            if job["old"]:
                file.write_text(mutated(source, job), encoding="utf-8")
                # Compiled code is kept by this time: no two bugs may share one.
                os.utime(file, (number, number))
            running[begin(job, package, number)] = package, file, source
            continue
        child, _ = os.waitpid(-1, 0)
        package, file, source = running.pop(child)
        file.write_text(source, encoding="utf-8")
        os.utime(file, (0, 0))
        free.append(package)


if __name__ == "__main__":
    main(sys.argv[1])
