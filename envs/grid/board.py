"""Kernels that games on a board share: `board` (cells,) holds 0 for an empty cell, `winner` a seat or -1."""

import math

import numpy as np

from ..engine.rng import kernel

_PRIME = np.uint64(0x100000001B3)  # multiplier of the FNV hash


@kernel
def side(s):
    """Count the cells along a side of a square board: a constant to the compiler, because the board's size is one."""
    return int(math.sqrt(s.board.size))


@kernel
def mark_empty(s, mask):
    """Write which cells are empty, one entry of the mask for each cell."""
    b = s.board
    for i in range(b.size):
        mask[i] = b[i] == 0


@kernel
def count_stones(b):
    """Count the stones on a board of any bytes, and seat 1's among them; -1 for both if a cell holds anything else."""
    stones, second = 0, 0
    for i in range(b.size):
        if b[i] < 0 or b[i] > 2:
            return -1, -1
        stones += b[i] != 0
        second += b[i] == 2
    return stones, second


@kernel
def pay_winner(s, r):
    """Write +1 for the winner of two seats and -1 for the other, zeros if there is no winner."""
    r[0] = r[1] = 0.0
    if s.winner >= 0:
        r[s.winner] = 1.0
        r[1 - s.winner] = -1.0


@kernel
def hash_all(h, values, least):
    """Mix whole numbers, counted from their smallest, `least`, into a hash, which wants few bits, so none below 0."""
    for i in range(values.size):
        h = (h ^ np.uint64(values[i] - least)) * _PRIME
    return h


@kernel
def write_stones(b, seat, x):
    """Write where the observer has stones, cell by cell, and after that where the other seat has."""
    size = b.size
    mine, theirs = np.int8(seat + 1), np.int8(2 - seat)
    for i in range(size):
        x[i] = b[i] == mine
    for i in range(size):
        x[size + i] = b[i] == theirs
