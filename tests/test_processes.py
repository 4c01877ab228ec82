"""How tests run: under xdist each file in its own process, and what is told is what happened, also where it dies."""

import re
from pathlib import Path

import pytest
from sessions import session

ONE = """
import os
import pytest

@pytest.fixture(scope="module")
def number():
    yield os.getpid()
    assert False, "torn down"

def test_one(number):
    print("process", number, "of", os.getppid())

def test_dies():
    os._exit(7)

def test_goes_on():
    assert os.environ["PYTEST_XDIST_WORKER"] == "gw0"

def test_fails(number):
    assert number == -1
"""

OTHER = """
import os

def test_other():
    print("process", os.getpid(), "of", os.getppid())
"""

HANGS = """
import threading
import time

def test_waits():
    time.sleep(600)

def test_passes():
    threading.Thread(target=time.sleep, args=[600]).start()
"""

pytestmark = pytest.mark.posix


def test_a_file_runs_in_a_process_of_its_own(tmp_path: Path) -> None:
    for name, tests in (("one", ONE), ("other", OTHER)):
        (tmp_path / f"test_{name}.py").write_text(tests)
    told = session(tmp_path, "-n", "1", "--dist", "loadfile", "-rP").stdout
    assert "2 failed, 3 passed, 1 error" in told
    assert "the process of test_one.py ended in this test, with 7" in told
    assert "AssertionError: torn down" in told
    (one, worker), (other, same) = sorted(re.findall(r"process (\d+) of (\d+)", told))
    assert one != other and worker == same
    assert re.search(r"^the largest process took 0\.\d GiB, in test_(one|other)\.py$", told, re.M)


def test_what_hangs_says_where_and_has_failed(tmp_path: Path) -> None:
    """In a test, and after the last, where a thread is waited for."""
    (tmp_path / "test_hangs.py").write_text(HANGS)
    done = session(tmp_path, "-n", "1", "--dist", "loadfile", "--limit", "5")
    assert "1 failed, 1 passed, 1 error" in done.stdout
    assert "the process of test_hangs.py ended in this test, with -6" in done.stdout
    assert "the process of test_hangs.py ended after its last test, with -6" in done.stdout
    assert "in test_waits" in done.stderr and "_shutdown" in done.stderr


def test_the_root_may_have_any_name(tmp_path: Path) -> None:
    """Such as boyi-0.1.0, which is no name of a package."""
    root = tmp_path / "boyi-0.1.0"
    root.mkdir()
    (root / "__init__.py").write_text("from . import envs")
    (root / "test_one.py").write_text("def test_passes():\n    pass\n")
    assert "1 passed" in session(root).stdout
