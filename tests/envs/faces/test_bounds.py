"""Bounds checks are there when they are asked for.

`.ci/run` runs what is marked `kernels` under NUMBA_BOUNDSCHECK=1 with a cache of its own, and `--every-kernel` names
those of the package that none of it has entered.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.kernels

PLANTED = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
from boyi.envs import find
from boyi.envs.engine.bind import bind
from planted import past_the_end
bind(past_the_end, find("hex:board_size=2"))(np.zeros(4, np.int8), 1 << 20)
"""

KERNEL = """
def past_the_end(mask, i):
    return mask[i]
"""


def test_a_planted_kernel_raises_under_bounds_checks(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(KERNEL)
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    command = [sys.executable, "-c", PLANTED.format(here=str(tmp_path))]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "IndexError: index is out of bounds" in done.stderr
