"""Kernels that find repeated positions of a game in which two seats take turns moving a stone.

The record keeps the turns since something last happened that cannot be undone, such as a capture: `quiet` counts them,
`source` and `target` hold the cells between which each has moved a stone. They look back on as many turns as they have
places, the i-th turn in place i, wrapping around; an empty place is 0. Earlier positions are found by undoing turns.
"""

import numpy as np

from ..engine.rng import hash64, kernel

CELLS = 26 * 26  # of the largest board
MARKS = np.random.default_rng(1).integers(2**64, size=(2, CELLS), dtype=np.uint64)
"""64 random bits for a seat's stone on a cell: the sum of these tells positions apart."""


def quiet_fields(most: int) -> list[tuple[str, str, tuple[int]]]:
    """List the fields of a dtype that hold the last `most` turns; `quiet` is one of the game's own."""
    return [("source", "i2", (most,)), ("target", "i2", (most,))]


@kernel
def note_turn(s, source, target):
    """Note a turn that has moved a stone."""
    i = s.quiet % s.source.size
    s.source[i], s.target[i] = source, target
    s.quiet += 1


@kernel
def forget_turns(s):
    """Begin anew after a turn that cannot be undone."""
    for i in range(min(s.quiet, s.source.size)):
        s.source[i] = s.target[i] = 0
    s.quiet = 0


@kernel
def occurrences(s):
    """Count how often the position has occurred, now included, with this seat to move, by undoing turns one by one.

    Moving a stone changes the sum of the stones' marks by those of two cells.
    """
    difference, count, seat = np.uint64(0), np.int64(1), np.int64(s.to_move)
    at = s.quiet % s.source.size
    for i in range(1, min(s.quiet, s.source.size) + 1):
        at = at - 1 if at > 0 else s.source.size - 1
        seat = 1 - seat
        difference ^= MARKS[seat, s.source[at]] ^ MARKS[seat, s.target[at]]
        count += i % 2 == 0 and difference == 0
    return count


@kernel
def hash_turns(h, s):
    """Mix the turns that are looked back on into a hash."""
    for i in range(min(s.quiet, s.source.size)):
        h = hash64(h) ^ np.uint64(np.int64(s.source[i]) + 1024 * np.int64(s.target[i]))
    return h


@kernel
def holds_turns(s, cells):
    """Whether the turns that are looked back on, and no others, hold cells of the board; `quiet` is at least 0."""
    listed = min(s.quiet, s.source.size)
    for i in range(s.source.size):
        most = cells - 1 if i < listed else 0
        if s.source[i] < 0 or s.source[i] > most or s.target[i] < 0 or s.target[i] > most:
            return False
    return True
