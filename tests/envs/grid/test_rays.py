"""Neighbours and runs agree with counting rows and columns, on every cell of small boards."""

import numpy as np
import pytest

from boyi.envs.grid.directions import LINES, NEXT
from boyi.envs.grid.rays import neighbour, run_of

pytestmark = pytest.mark.kernels

WAYS = [*LINES, *((-down, -right) for down, right in LINES)]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_neighbours(n: int) -> None:
    for p in range(n * n):
        for d, (down, right) in enumerate(NEXT):
            r, c = p // n + down, p % n + right
            q = r * n + c if 0 <= r < n and 0 <= c < n else -1
            assert neighbour(n, p, d) == q
            assert q < 0 or neighbour(n, q, d ^ 1) == p


def test_a_queen_goes_in_eight_directions() -> None:
    assert set(WAYS) == {(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)} - {(0, 0)}


def test_runs() -> None:
    n, board = 5, np.random.default_rng(2).integers(3, size=25).astype(np.int8)
    lengths = set()
    for r, c in np.ndindex(n, n):
        for down, right in WAYS:
            ray = [(r + k * down, c + k * right) for k in range(1, n)]
            held = [board[y * n + x] if 0 <= y < n and 0 <= x < n else -1 for y, x in ray]
            for value in range(3):
                wanted = next((k for k, other in enumerate(held) if other != value), n - 1)
                assert run_of(board, n, r, c, down, right, value) == wanted
                lengths.add(wanted)
    assert lengths >= {0, 1, 2}
    assert run_of(np.zeros(25, np.int8), n, 4, 0, -1, 1, 0) == 4
