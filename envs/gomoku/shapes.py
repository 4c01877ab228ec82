"""What a stone would make: the shapes of Gomoku along one line and on a point, as tables.

A shape is what a seat gets along one line by a stone on an empty point, from the cells around it:

    outer  -4  -3  -2  -1  point  +1  +2  +3  +4  outer

Every row of five through the point lies within four cells of it; the outer two matter only where a longer row does not
win, and only if they are the seat's own. The words are the field's: a four is one stone short of five, a three one
short of a four, and so on; an open shape is one that a single stone cannot stop from growing, an open four because it
has two points to grow on, an open three because it can become an open four.
"""

import numpy as np

from ..engine.rng import kernel

NOTHING, ONE, TWO, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(9)
"""Shapes along a line, the stone included: one that cannot become a row of five, one stone with room, and so on."""

NEAR = 8  # cells within four of the point, one digit each in a pattern: 0 empty, 1 own, 2 the other's or off the board
PATTERNS = 3**NEAR
FREESTYLE = 4  # index of the patterns where longer rows win; below it, own outer cells: +1 the lower, +2 the upper

DEAD, ROOM, CLOSED_THREE, PAIR, STRONG_PAIR, LIVE_THREE, RICH_THREE, DOUBLE_THREE, PLAIN_FOUR, RICH_FOUR = range(10)
FOUR_THREE, WINNING_FOUR, COMPLETE = range(10, 13)
KINDS = 13
"""Kinds of points, by what a stone there makes along all four lines together.

Nothing; some room; a closed three; an open two; two or more of these; an open three, alone or with those; two open
threes; a four, alone or with those; a four and an open three; an open four or two fours; five.
"""


def _line_shapes() -> np.ndarray:
    """Return the shape (5, PATTERNS) uint8 of every pattern: exact rows by own outer cells, then freestyle."""
    power = 3 ** np.arange(NEAR)
    pattern = np.arange(PATTERNS)
    cells = pattern[:, None] // power % 3
    shapes = np.zeros((5, PATTERNS), np.uint8)
    for variant in range(5):
        own = np.zeros((PATTERNS, NEAR + 3), bool)
        own[:, 1:5], own[:, 5], own[:, 6:10] = cells[:, :4] == 1, True, cells[:, 4:] == 1
        own[:, 0], own[:, 10] = bool(variant & 1), bool(variant & 2)
        rows = np.stack([own[:, first : first + 5].all(axis=1) for first in range(1, 6)], axis=1)
        if variant != FREESTYLE:
            rows &= ~own[:, 0:5] & ~own[:, 6:11]
        shape = np.where(rows.any(axis=1), FIVE, NOTHING)

        def grows(into: int, shape: np.ndarray = shape) -> np.ndarray:
            """Count the empty cells on which one more stone makes a shape at least as good."""
            more = np.minimum(pattern[:, None] + power, PATTERNS - 1)
            return ((cells == 0) & (shape[more] >= into)).sum(axis=1)

        fives = grows(FIVE)
        shape[(shape == NOTHING) & (fives > 1)] = OPEN_FOUR
        shape[(shape == NOTHING) & (fives > 0)] = FOUR
        for more, fewer in ((OPEN_FOUR, OPEN_THREE), (FOUR, THREE), (OPEN_THREE, OPEN_TWO), (THREE, TWO), (TWO, ONE)):
            shape[(shape == NOTHING) & (grows(more) > 0)] = fewer
        shapes[variant] = shape
    return shapes


def _point_kinds() -> np.ndarray:
    """Return the kind (2**16,) uint8 of every four shapes, the shape along direction d in bits 4d to 4d + 3."""
    four_shapes = np.arange(2**16)[:, None] >> np.arange(0, 16, 4) & 15

    def lines(*shapes: int) -> np.ndarray:
        return np.isin(four_shapes, shapes).sum(axis=1)

    fours, threes = lines(FOUR), lines(OPEN_THREE)
    helpers = lines(THREE, OPEN_TWO)
    kinds = np.select(
        [
            lines(FIVE) > 0,
            (lines(OPEN_FOUR) > 0) | (fours > 1),
            (fours > 0) & (threes > 0),
            (fours > 0) & (helpers > 0),
            fours > 0,
            threes > 1,
            (threes > 0) & (helpers > 0),
            threes > 0,
            helpers > 1,
            lines(OPEN_TWO) > 0,
            lines(THREE) > 0,
            lines(ONE, TWO) > 0,
        ],
        range(COMPLETE, DEAD, -1),
        DEAD,
    )
    return kinds.astype(np.uint8)


SHAPES = _line_shapes()
KIND = _point_kinds()
OWN = (np.arange(2**NEAR)[:, None] >> np.arange(NEAR) & 1).dot(3 ** np.arange(NEAR)).astype(np.int64)
"""The pattern of own stones on a set of near cells, one bit each; for the other seat's cells it counts twice."""


@kernel
def line(n, r, c, d):
    """Find the line through a point along direction d: its index, the point's place on it, and its length."""
    if d == 0:
        return r, c, n
    if d == 1:
        return n + c, r, n
    if d == 2:
        return 3 * n - 1 + r - c, min(r, c), n - abs(r - c)
    return 4 * n - 1 + r + c, min(r, n - 1 - c), n - abs(r + c - (n - 1))


@kernel
def pace(n, d):
    """Return by how much the point's number grows from one place of a line along direction d to the next."""
    return (1, n, n + 1, n - 1)[d]


@kernel
def shape(own, others, place, exact):
    """Find what a stone makes on an empty place of a line, whose place 0 is bit 5 of the stones on it.

    `others` counts what is off the board as the other seat's.
    """
    mine, theirs = own >> place, others >> place
    pattern = OWN[mine >> 1 & 15 | mine >> 2 & 240] + 2 * OWN[theirs >> 1 & 15 | theirs >> 2 & 240]
    return SHAPES[mine & 1 | mine >> 9 & 2 if exact else FREESTYLE, pattern]


@kernel
def stones_on(e, index, length):
    """Return the bits of either seat's stones on a line, and those of what is off the board."""
    return np.int64(e.lines[0, index]), np.int64(e.lines[1, index]), ~(((1 << length) - 1) << 5)
