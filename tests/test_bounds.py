"""That bounds checks are there when they are asked for: a planted kernel that writes past its array must raise.

`.ci/run` runs the tests of the games under NUMBA_BOUNDSCHECK=1 with a cache of their own.
"""

import os
import subprocess
import sys
from pathlib import Path

PLANTED = """
import sys
sys.path.insert(0, {here!r})
import numpy as np
from boyi.envs import find
from boyi.envs.bind import bind
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
