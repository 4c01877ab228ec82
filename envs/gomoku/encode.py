"""Observation encoders of Gomoku; RULES.md lists every plane."""

from ..engine.rng import kernel
from ..grid.board import write_stones


@kernel
def observe_planes(s, seat, x):
    """Write (4, n, n): my stones, their stones, the last stone, and whether I moved first."""
    size = s.board.size
    flat = x.reshape(x.size)
    write_stones(s.board, seat, flat)
    flat[2 * size : 3 * size] = 0.0
    if s.last >= 0:
        flat[2 * size + s.last] = 1.0
    flat[3 * size :] = 1.0 - seat


@kernel
def observe_ruled(s, seat, x):
    """Write (4, n, n): my stones, their stones, the board itself, and whether only exactly five in a row win."""
    write_stones(s.board, seat, x.reshape(x.size))
    x[2] = 1.0
    x[3] = s.exact


@kernel
def observe_flat(s, seat, x):
    """Write (2 n²,): their stones, then mine."""
    write_stones(s.board, 1 - seat, x)
