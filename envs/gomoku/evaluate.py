"""Gomoku's evaluation for searches: what a stone on each empty point would make, kept up to date line by line.

A stone changes only the shapes of the points near it on the four lines through it. The points of each kind are counted
for each seat, and the counts give the value, except where fours decide: the outcome is known there.
"""

import numpy as np

from ..engine.rng import GOLDEN, hash64, kernel
from ..engine.spec import Game
from ..grid.board import side
from .shapes import COMPLETE, DEAD, KIND, KINDS, WINNING_FOUR, line, pace, shape, stones_on
from .threats import candidates, tactics, threats

__all__ = [
    "SCALE", "SURE", "candidates", "evaluate", "follow", "notes", "survey", "tactics", "threats", "transposition",
]  # fmt: skip

SCALE = 200.0
SURE = 899_998  # least worth of a win by stones that nothing averts

MOVER = np.array([0, 0, 1, 1, 6, 13, 26, 19, 26, 55, 400, 0, 0], np.int64)
WAITING = np.array([0, 0, 1, 1, 4, 9, 20, 8, 17, 42, 114, 100, 0], np.int64)
"""What a point of each kind is worth to the seat to move and to the other, in hundredths of log odds.

Fitted by logistic regression to who won 341 games of `alphabeta` against itself at 1,500 to 4,000 positions a move.
"""
TEMPO = 36  # what being to move is worth


def notes(game: Game) -> np.ndarray:
    """Return a blank record (1,) of what is kept of a position.

    `lines` has the stones of each seat as bits of every line, `shapes` what a stone would make on each point
    (see `shapes.KIND`) and `kinds` its kind, both 0 where a stone stands; `counts` the empty points of each kind.
    """
    n = game.params["board_size"]
    fields = [
        ("zobrist", "u8"),
        ("lines", "u4", (2, 6 * n - 2)),
        ("shapes", "u2", (2, n * n)),
        ("counts", "i2", (2, KINDS)),
        ("kinds", "u1", (2, n * n)),
    ]
    return np.zeros(1, np.dtype(fields, align=True))


@kernel
def redraw(e, seat, point, d, now):
    """Record what a stone of the seat now makes on an empty point along direction d."""
    before = np.int64(e.shapes[seat, point])
    after = before & ~(15 << 4 * d) | np.int64(now) << 4 * d
    if after != before:
        e.shapes[seat, point] = after
        e.counts[seat, e.kinds[seat, point]] -= 1
        e.kinds[seat, point] = KIND[after]
        e.counts[seat, e.kinds[seat, point]] += 1


@kernel
def point_hash(point, seat):
    """Return the bits that a stone of the seat on a point mixes into the hash."""
    return hash64(np.uint64(2 * point + seat + 1) * GOLDEN)


@kernel
def survey(s, e):
    """Fill the notes from the stones alone."""
    b, n, exact = s.board, side(s), s.exact != 0
    e.zobrist = hash64(np.uint64(s.exact) + GOLDEN)
    e.lines[:] = 0
    e.shapes[:] = 0
    e.counts[:] = 0
    e.kinds[:] = DEAD
    for point in range(b.size):
        if b[point] == 0:
            e.counts[0, DEAD] += 1
            e.counts[1, DEAD] += 1
        else:
            put_stone(e, n, point, np.int64(b[point]) - 1)
    for point in range(b.size):
        if b[point] == 0:
            r, c = point // n, point % n
            for d in range(4):
                index, place, length = line(n, r, c, d)
                first, second, edge = stones_on(e, index, length)
                redraw(e, 0, point, d, shape(first, second | edge, place, exact))
                redraw(e, 1, point, d, shape(second, first | edge, place, exact))


@kernel
def put_stone(e, n, point, seat):
    """Mix a stone into the hash and mark it on its four lines."""
    e.zobrist ^= point_hash(point, seat)
    for d in range(4):
        index, place, _ = line(n, point // n, point % n, d)
        e.lines[seat, index] |= np.uint32(1 << (place + 5))


@kernel
def follow(before, s, e, a):
    """Add the stone just placed, and look again at the points it can affect."""
    b, n, exact = s.board, side(s), s.exact != 0
    reach = 5 if exact else 4
    for seat in range(2):
        e.counts[seat, e.kinds[seat, a]] -= 1
        e.kinds[seat, a] = DEAD
        e.shapes[seat, a] = 0
    put_stone(e, n, a, np.int64(b[a]) - 1)
    for d in range(4):
        index, place, length = line(n, a // n, a % n, d)
        first, second, edge = stones_on(e, index, length)
        for k in range(max(-reach, -place), min(reach, length - 1 - place) + 1):
            point = a + k * pace(n, d)
            if b[point] == 0:
                redraw(e, 0, point, d, shape(first, second | edge, place + k, exact))
                redraw(e, 1, point, d, shape(second, first | edge, place + k, exact))


@kernel
def evaluate(s, e, seat):
    """Add up the points by kind, unless five or an open four comes next for one seat and cannot be stopped."""
    mover = np.int64(s.to_move)
    value = worth(e.counts[mover], e.counts[1 - mover])
    return value if seat == mover else -value


@kernel
def worth(mine, theirs):
    """Value a position for the seat to move by the counts of both seats' kinds of points."""
    if mine[COMPLETE] > 0:
        return SURE + 2
    if theirs[COMPLETE] > 1:
        return -1 - SURE
    if theirs[COMPLETE] == 0 and mine[WINNING_FOUR] > 0:
        return SURE
    value = TEMPO
    for kind in range(COMPLETE):
        value += MOVER[kind] * mine[kind] - WAITING[kind] * theirs[kind]
    return value


@kernel
def transposition(s, e):
    """Hash the stones, the seat to move and the rule."""
    return e.zobrist ^ np.uint64(s.to_move + 2)
