"""Cells of a Hex board whose colour is settled: dead and captured ones, filled in until nothing changes.

A cell is dead if its colour does not matter, however the others are coloured: here, if no colouring of its six
neighbours has two runs of each colour around it. A seat captures a pair of cells if it can answer a stone on either by
one on the other, so that the enemy's stone is dead (Björnsson, Hayward, Johanson and van Rijswijck 2006). Filling a
dead cell for either seat, or a captured pair for its owner, does not change the winner, whichever seat is to move.
Fillings stay sound one after the other if each is judged on the board so far.

The board stands in a frame of the sides' stones, seat 0's in the corners; `ring` gives the six cells around one. The
colours around a cell are its code, two bits a neighbour.
"""

import numpy as np

from ..engine.rng import kernel
from .distance import ring

EMPTY, FIRST, SECOND = 0, 1, 2  # what a cell holds: nothing or seat + 1


def _dead() -> np.ndarray:
    """For each code, whether a cell with such neighbours is dead."""
    around = np.arange(4**6)[:, None] >> np.arange(0, 12, 2) & 3
    coloured = (around == FIRST) | (around == SECOND)
    runs = ((around == FIRST) & (np.roll(around, -1, 1) == SECOND)).sum(1)
    dead = coloured.all(1) & (runs < 2)
    # A cell with an empty neighbour is dead if it is dead with either colour there; those codes are higher.
    for code in range(4**6 - 1, -1, -1):
        if (around[code] != 3).all() and (around[code] == EMPTY).any():
            way = 2 * int((around[code] == EMPTY).argmax())
            dead[code] = dead[code + (FIRST << way)] and dead[code + (SECOND << way)]
    return dead


DEAD = _dead()


def _killers() -> np.ndarray:
    """For each colour and code, the neighbours on which a stone of that colour makes the cell dead, a bit each."""
    code = np.arange(4**6)
    found = np.zeros((3, 4**6), np.uint8)
    for colour in (FIRST, SECOND):
        for way in range(6):
            empty = (code >> 2 * way & 3) == EMPTY
            kills = DEAD[np.where(empty, code + (colour << 2 * way), 0)] & empty & ~DEAD
            found[colour] |= (kills << way).astype(np.uint8)
    return found


KILLERS = _killers()


@kernel
def place(n, i):
    """Find where cell i stands in the frame."""
    return i + i // n * 2 + n + 3


@kernel
def frame_sides(b, n, framed):
    """Write the board, in a frame of the sides' stones, into `framed` ((n + 2)²,)."""
    framed[:] = SECOND
    for c in range(n + 2):
        framed[c] = framed[(n + 1) * (n + 2) + c] = FIRST
    for r in range(n):
        for c in range(n):
            framed[(r + 1) * (n + 2) + c + 1] = b[r * n + c]


@kernel
def fill(b, n, framed, code, pile, waits):
    """Write the board into `framed` with all settled cells filled in, and every empty cell's `code`.

    `pile` int16 and `waits` int8, of the frame's size, are scratch.
    """
    frame_sides(b, n, framed)
    height = np.int64(0)
    for i in range(n * n):
        p = place(n, i)
        waits[p] = 0
        if framed[p] == EMPTY:
            seen = np.int64(0)
            for j in range(6):
                seen |= np.int64(framed[ring(n, p, j)]) << (2 * j)
            code[p] = seen
            pile[height], waits[p] = p, 1
            height += 1
    settle_all(n, framed, code, pile, waits, height)


@kernel
def fill_on(n, framed, code, pile, waits, i, colour):
    """Put a stone on cell i, which is empty even on the filled-in board, and fill in what that settles."""
    settle_all(n, framed, code, pile, waits, put(n, framed, code, pile, waits, place(n, i), colour, np.int64(0)))


@kernel
def settle_all(n, framed, code, pile, waits, height):
    """Look at the cells on the pile, and at those that change as a result, until none is left."""
    while height > 0:
        height -= 1
        p = np.int64(pile[height])
        waits[p] = 0
        if framed[p] == EMPTY:
            height = settle(n, framed, code, pile, waits, p, height)


@kernel
def settle(n, framed, code, pile, waits, p, height):
    """Fill an empty cell if it is dead, or a captured pair that it is in; return how high the pile is."""
    if DEAD[code[p]]:
        return put(n, framed, code, pile, waits, p, np.int64(FIRST), height)
    for colour in range(FIRST, SECOND + 1):
        killers = np.int64(KILLERS[colour, code[p]])
        for j in range(6):
            if killers >> j & 1:
                q = ring(n, p, j)
                if np.int64(KILLERS[colour, code[q]]) >> ((j + 3) % 6) & 1:
                    height = put(n, framed, code, pile, waits, p, colour, height)
                    return put(n, framed, code, pile, waits, q, colour, height)
    return height


@kernel
def put(n, framed, code, pile, waits, p, colour, height):
    """Fill a cell and pile up its empty neighbours, whose codes change; return how high the pile is."""
    framed[p] = colour
    for j in range(6):
        q = ring(n, p, j)
        if framed[q] == EMPTY:
            code[q] |= colour << (2 * ((j + 3) % 6))
            if not waits[q]:
                pile[height], waits[q] = q, 1
                height += 1
    return height
