"""Run tests without JIT on copies of a package with one bug each: ``python battery.py JOBS``, in a process of its own.

JOBS is a JSON file, see `Job`; each verdict goes to the JSON file that its job names, and the output to a .txt file
beside it. Every copy is tested in a process forked from this one, which has imported what takes long, and nothing of
the package. A verdict tells a bug that a check found from one that merely broke the program.
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

AT_ONCE = 2  # processes, each of which keeps a core busy
PATIENCE = 900  # seconds, however busy the machine; a bug that makes the rules run for ever is one no check has caught
HEAVY = ("gymnasium", "hypothesis", "msgspec", "numba", "numpy", "scipy.optimize")
"""What the package and its tests import from elsewhere."""
LEFT_OUT = ("__pycache__", "weights", "tests", "docs", "examples", "runs", "build", "dist", "*.egg-info", ".*")
"""What no test imports from a package's folder, which may be a repository's root."""


class Job(TypedDict):
    """A bug: `new` replaces `old` in a `file` of the `package` in the folder `source`; nothing changes if `old` is "".

    `first` is the test that has found it before, or empty; `tests` are the files of tests to run, in or below the
    folder `root`, and `verdict` is where to write what becomes of it.
    """

    package: str
    source: str
    file: str
    old: str
    new: str
    first: str
    tests: list[str]
    root: str
    verdict: str


class FirstFailure:
    """A pytest plugin that remembers what stopped the run, and where."""

    def __init__(self) -> None:
        self.exception: BaseException | None = None
        self.test = ""

    def pytest_exception_interact(self, node: pytest.Collector | pytest.Item, call: pytest.CallInfo[object]) -> None:
        """Keep the exception of the first failure; failures to collect or import come here too."""
        if self.exception is None and call.excinfo is not None:
            self.exception, self.test = call.excinfo.value, node.nodeid


def copy_package(source: Path, folder: Path, name: str) -> Path:
    """Copy what can be imported of a package from its folder `source` into `folder`; return the copy."""
    copy: Path = shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return copy


def run(tests: list[str], root: str) -> tuple[str, str]:
    """Run tests up to the first failure; return the verdict on the copy, and the test."""
    from boyi.envs.engine.errors import NoPosition

    first = FirstFailure()
    code = pytest.main([*tests, "-x", "-q", "-m", "not slow", "-p", "no:cacheprovider", f"--rootdir={root}"], [first])
    if code == pytest.ExitCode.OK:
        return "survived", ""
    # If rules lead to what the game's own valid.py refuses, that has found the bug.
    checked = isinstance(first.exception, AssertionError | pytest.fail.Exception | NoPosition)
    return "killed" if code == pytest.ExitCode.TESTS_FAILED and checked else "crashed", first.test


def judge(job: Job) -> tuple[str, str]:
    """Run the test that has found the bug before, then all."""
    if job["first"]:
        verdict, test = run([job["first"]], job["root"])
        if verdict == "killed":
            return verdict, test
    return run(job["tests"], job["root"])


def begin(job: Job, package: Path) -> int:
    """Judge a job in a child process, on the package as it is; return the process."""
    child = os.fork()
    if child:
        return child
    try:
        signal.alarm(PATIENCE)
        with Path(job["verdict"]).with_suffix(".txt").open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.chdir(job["root"])
        sys.path.insert(0, str(package.parent))
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(package.parent), os.environ.get("PYTHONPATH")]))
        found = Path(str(import_module(job["package"]).__file__)).parent
        if found.resolve() != package.resolve():
            raise ImportError(f"found another package: {found}")
        verdict, test = judge(job)
        Path(job["verdict"]).write_text(json.dumps({"verdict": verdict, "by": test}))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(0)


def main(path: str) -> None:
    """Judge all jobs, some at once, using each copy for one after another."""
    # The modules beside this script belong to the package: tests must not find them under these names.
    sys.path[:] = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).resolve().parent]
    for name in HEAVY:
        import_module(name)
    jobs: list[Job] = json.loads(Path(path).read_text())
    waiting = list(enumerate(jobs, 1))
    slots = [Path(path).with_suffix("") / str(slot) for slot in range(min(AT_ONCE, len(jobs)))]
    free = [copy_package(Path(jobs[0]["source"]), slot, jobs[0]["package"]) for slot in slots]
    running: dict[int, tuple[Path, Path, str]] = {}
    while waiting or running:
        if waiting and free:
            number, job = waiting.pop(0)
            package = free.pop()
            file = package / job["file"]
            source = file.read_text(encoding="utf-8")
            if job["old"]:
                file.write_text(source.replace(job["old"], job["new"]), encoding="utf-8")
                # Compiled code is cached under this time: no two bugs may share one.
                os.utime(file, (number, number))
            running[begin(job, package)] = package, file, source
            continue
        child, _ = os.waitpid(-1, 0)
        package, file, source = running.pop(child)
        file.write_text(source, encoding="utf-8")
        os.utime(file, (0, 0))
        free.append(package)


if __name__ == "__main__":
    main(sys.argv[1])
