"""Kernels that go along the directions of a square board of n x n cells, numbered row by row; see `directions`."""

from ..engine.rng import kernel
from .directions import DOWN, LEFT, UP


@kernel
def neighbour(n, p, d):
    """Find the cell next to `p` in one of the four directions; -1 beyond the edge."""
    if d == UP:
        return p - n if p >= n else -1
    if d == DOWN:
        return p + n if p < n * n - n else -1
    if d == LEFT:
        return p - 1 if p % n > 0 else -1
    return p + 1 if p % n < n - 1 else -1


@kernel
def run_of(b, n, r, c, dr, dc, value):
    """Count the cells that hold `value` beyond (r, c) in the direction (dr, dc), up to the first that does not."""
    count = 0
    r, c = r + dr, c + dc
    while 0 <= r < n and 0 <= c < n and b[r * n + c] == value:
        count += 1
        r, c = r + dr, c + dc
    return count
