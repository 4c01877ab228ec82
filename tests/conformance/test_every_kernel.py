"""The record of kernels that ran: what nobody enters is named, on how many workers the tests may be."""

from pathlib import Path

import pytest
from sessions import session

ENTERS = """
import numpy as np
from boyi.envs.engine.rng import below, combine, kernel, uniform


@kernel
def either(rng, n):
    if n > 0:
        return below(rng, n)
    return uniform(rng)
"""

ONE = """
def test_one():
    assert either(np.zeros(2, np.uint64), 3) < 3
"""

OTHER = """
def test_other():
    assert combine(np.uint64(1), np.uint64(2)) != combine(np.uint64(2), np.uint64(1))
"""

UNLISTED = """
def annotated(n: int) -> int:
    return n + 1

def test_unlisted():
    annotated.__module__ = "boyi.somewhere"
    assert kernel(annotated)(3) == 4
"""


def run(folder: Path, *tests: str, workers: int = 0, **environment: str) -> tuple[int, list[str]]:
    """Run tests under the record; return the exit status and the lines that were written."""
    for number, test in enumerate(tests):
        (folder / f"test_{number}.py").write_text(ENTERS + test)
    checked = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(folder / "kernels")} | environment
    done = session(folder, "--every-kernel", "-n", str(workers), **checked)
    return done.returncode, [*done.stdout.splitlines(), *done.stderr.splitlines()]


@pytest.mark.slow
def test_what_was_compiled_and_never_entered_is_named(tmp_path: Path) -> None:
    status, said = run(tmp_path, ONE)
    assert status == 1 and any(" 1 passed" in line for line in said)
    assert {"never ran: boyi.envs.engine.rng.uniform", "never ran: boyi.envs.engine.rng.combine"} <= set(said)
    assert "never ran: boyi.baselines.search.mcts_kernels.run_simulations" in said
    assert not [line for line in said if line.endswith(("rng.below", "rng.hash64", "protocol.step", ".either"))]


@pytest.mark.slow
def test_the_record_is_that_of_all_workers(tmp_path: Path) -> None:
    status, said = run(tmp_path, ONE, OTHER, workers=2)
    assert status == 1 and any(" 2 passed" in line for line in said)
    assert [line for line in said if "boyi.envs.engine.rng" in line] == [
        f"never ran: boyi.envs.engine.rng.{name}" for name in ("_sip_round", "choose", "siphash", "uniform")
    ]


@pytest.mark.slow
def test_a_kernel_that_the_listing_overlooks_is_not_compiled(tmp_path: Path) -> None:
    status, said = run(tmp_path, UNLISTED)
    assert status == 1 and any("boyi.somewhere.annotated is no kernel that the record lists" in line for line in said)


def test_without_bounds_checks_nothing_is_recorded(tmp_path: Path) -> None:
    status, said = run(tmp_path, ONE, NUMBA_BOUNDSCHECK="0")
    assert status != 0 and any("wants NUMBA_BOUNDSCHECK=1 and a NUMBA_CACHE_DIR of its own" in line for line in said)
