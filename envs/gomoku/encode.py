"""Observation encoders of Gomoku; RULES.md lists every plane."""

import numpy as np

from ..engine.rng import kernel


@kernel
def observe_planes(s, seat, x):
    """Write (4, n, n): my stones, their stones, the last stone, and whether I moved first."""
    size = s.board.size
    flat = x.reshape(x.size)
    write_stones(s, seat, flat)
    flat[2 * size : 3 * size] = 0.0
    if s.last >= 0:
        flat[2 * size + s.last] = 1.0
    flat[3 * size :] = 1.0 - seat


@kernel
def observe_flat(s, seat, x):
    """Write (2 n²,): my stones, then theirs."""
    write_stones(s, seat, x)


@kernel
def write_stones(s, seat, x):
    """Write the observer's stones, point by point, and the other seat's behind them."""
    b = s.board
    size = b.size
    mine, theirs = np.int8(seat + 1), np.int8(2 - seat)
    for i in range(size):
        x[i] = b[i] == mine
    for i in range(size):
        x[size + i] = b[i] == theirs
