"""A process for every file of tests, which takes with it, when it ends, what its kernels have left in memory.

Compiling leaves several megabytes a kernel behind; what is compiled stands in Numba's cache for the next file. A worker
of xdist forks a process when it comes to a file, hands it one test after the other, and passes on what it reports. One
that takes longer than ``--limit`` allows is made to say where it stands, and has failed. In the end the session says
how much memory the largest took.
"""

import os
import signal
import warnings
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

import pytest
from _pytest.runner import runtestprotocol


class Processes:
    """The plugin of a worker, and of the processes it forks."""

    def __init__(self) -> None:
        self.process: Any = None
        self.pipe: Any = None
        self.reports: list[Any] | None = None
        self.file, self.largest = "", (0, "")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Have a test run in the process of its file, and report what that says of it; there, run it."""
        if self.reports is not None:
            self.reports = runtestprotocol(item, log=False, nextitem=nextitem)
            return True
        last = nextitem is None or nextitem.path != item.path
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._run(item, None if last else nextitem):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        if last and (code := self._end(item.config)):
            said = f"the process of {item.path.name} ended after its last test, with {code}"
            item.ihook.pytest_runtest_logreport(report=failed(item, said, "teardown"))
        return True

    def _run(self, item: pytest.Item, following: pytest.Item | None) -> list[Any]:
        if self.process is None:
            self.file = item.path.name
            context = get_context("fork")
            self.pipe, other = context.Pipe()
            self.process = context.Process(target=self._serve, args=(other, item.session))
            with warnings.catch_warnings():
                # Of threads of xdist, which the child neither has nor needs. It keeps this filter, no wider one.
                warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
                self.process.start()
            other.close()
        numbers = [None if each is None else item.session.items.index(each) for each in (item, following)]
        try:
            self.pipe.send(numbers)
            if not self.pipe.poll(item.config.getoption("limit")):
                self._abort()
            reports = self.pipe.recv()
        except (EOFError, OSError):
            said = f"the process of {item.path.name} ended in this test, with {self._end(item.config)}"
            return [failed(item, said, "call")]
        return [item.config.hook.pytest_report_from_serializable(config=item.config, data=data) for data in reports]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._end(session.config)
        if self.reports is None:
            session.config.workeroutput["largest"] = self.largest  # type: ignore[attr-defined]

    def _end(self, config: pytest.Config) -> int:
        """Tell the process, if there is one, that no more tests come; return its exit code."""
        if self.process is None:
            return 0
        self.pipe.close()
        self.process.join(config.getoption("limit"))
        if self.process.exitcode is None:
            self._abort()
            self.process.join()
        ended, self.process = self.process, None
        import resource  # which exists where processes can be forked

        # Of all that have ended, and of what they had started.
        taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if taken > self.largest[0]:
            self.largest = taken, self.file
        return int(ended.exitcode)

    def _abort(self) -> None:
        """Let the process, which hangs, say where, as pytest has it do where it crashes."""
        os.kill(self.process.pid, signal.SIGABRT)

    def _serve(self, pipe: Connection, session: pytest.Session) -> None:
        """Run tests, each by its number and that of the next, until nobody asks for more; tell what they report."""
        self.pipe.close()  # the worker's end: as long as that is open here, too, the worker seems to be there
        hook, self.reports = session.config.hook, []
        while True:
            try:
                numbers = pipe.recv()
            except EOFError:
                return
            item, following = (None if number is None else session.items[number] for number in numbers)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=following)
            reports = [hook.pytest_report_to_serializable(config=session.config, report=each) for each in self.reports]
            pipe.send(reports)


def failed(item: pytest.Item, said: str, when: str) -> pytest.TestReport:
    """Report that a test failed, as its process cannot."""
    return pytest.TestReport(item.nodeid, item.location, {}, "failed", said, when)  # type: ignore[arg-type]


class Largest:
    """The plugin of the session: how much memory a test's process took at most, in KiB, and in which file."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.found += filter(None, [getattr(node, "workeroutput", {}).get("largest")])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.found:
            kib, file = max(self.found)
            terminalreporter.write_line(f"the largest process took {kib / 2**20:.1f} GiB, in {file}")
