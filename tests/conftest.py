"""Fixtures that tests of several subjects share."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from clock import Clock
from places import SHARED, Kept
from processes import Largest, Processes

sys.path[1:1] = [str(folder) for folder in SHARED if str(folder) not in sys.path]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Put a clock in the place of the machine's, so that what is measured does not depend on how busy that is.

    A search that is limited by time, and looks at the clock after every stretch of work, is limited by its looks then.
    """
    clock = Clock()
    monkeypatch.setattr(time, "monotonic", clock.look)
    monkeypatch.setattr(time, "perf_counter", clock.look)
    monkeypatch.setattr(time, "sleep", clock.sleep)
    # Compiling, which Numba measures by a name of its own, takes no time, however often it looks.
    monkeypatch.setattr("numba.core.event.timer", lambda: clock.now)
    return clock


@pytest.fixture
def no_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing say that kernels are compiled: whether they still have to be depends on the tests that ran before."""
    monkeypatch.setattr("boyi.envs.engine.bind._say_once", lambda sentence: None)


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Small networks gain nothing from a second thread, and lose much where the machine has other work."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def kept(request: pytest.FixtureRequest) -> Kept:
    """Return what compares text with that of a file, or under ``--write`` writes the file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("write"):
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"there is no {path}: pytest --write makes it"
        assert path.read_text(encoding="utf-8") == text

    return compare


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-kernel", action="store_true", help="fail where a kernel is never entered")
    parser.addoption("--limit", type=float, default=1200, help="seconds that a test may take under xdist (%(default)s)")
    parser.addoption("--write", action="store_true", help="write what tests keep in files anew, where it has changed")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Root())
    # Processes that tests start, and agents in them, find what tests share as well.
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*map(str, SHARED), *filter(None, known)]))
    if hasattr(config.option, "loadscopereorder"):
        # In the order of the files. The largest first, as xdist would have them, compile the same kernels side by side,
        # and the slow batteries of mutants, which are few, would come last and alone.
        config.option.loadscopereorder = False
    if config.getoption("every_kernel"):
        from every_kernel import Record

        config.pluginmanager.register(Record())
    if hasattr(config, "workerinput"):
        # There is a worker for each core: threads of torch would only wait for each other.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        if hasattr(os, "fork"):
            config.pluginmanager.register(Processes())
    else:
        config.pluginmanager.register(Largest())


class Root:
    """Takes the root for a plain folder: as a package pytest would import it again, by the name of the folder."""

    def pytest_collect_directory(self, path: Path, parent: pytest.Collector) -> pytest.Dir | None:
        return pytest.Dir.from_parent(parent, path=path) if path == parent.config.rootpath else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("posix") is not None and not hasattr(os, "fork"):
        pytest.skip("needs Linux or macOS")
