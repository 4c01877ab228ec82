"""Which points deserve a search in Gomoku: wins, what must be stopped, otherwise the most promising points."""

import numpy as np

from ..engine.protocol import FORCED, URGENT
from ..engine.rng import kernel
from ..grid.board import side
from .shapes import COMPLETE, FOUR, FOUR_THREE, KIND, LIVE_THREE, PLAIN_FOUR, WINNING_FOUR, line, pace, shape, stones_on

WIDTH = 16  # most candidates where no threat narrows the choice
FAINT = 8  # a point whose rank is less than one part in this many of the best one's is no candidate

_LINE_RANKS = np.array([0, 2, 15, 90, 100, 500, 450, 500, 500] + [0] * 7)
_KIND_RANKS = np.array([0, 0, 0, 0, 60, 0, 100, 2000, 0, 150, 8000, 20_000, 60_000])
RANK = (_LINE_RANKS[np.arange(2**16)[:, None] >> np.arange(0, 16, 4) & 15].sum(axis=1) + _KIND_RANKS[KIND]).astype("u2")
"""How promising a stone is by the four shapes it makes (2**16,)."""


@kernel
def find_kind(e, seat, kind):
    """Find the first point of a kind for a seat; -1 when there is none."""
    for point in range(e.kinds.shape[1]):
        if e.kinds[seat, point] == kind:
            return point
    return -1


@kernel
def candidates(s, e, moves, ranks):
    """List the point that wins or must be taken; else what meets an open four; else the most promising points."""
    mover = np.int64(s.to_move)
    mine, theirs = e.counts[mover], e.counts[1 - mover]
    ranks[0] = URGENT
    if mine[COMPLETE] > 0:
        moves[0] = find_kind(e, mover, COMPLETE)
        return 1
    if theirs[COMPLETE] > 0:
        moves[0] = find_kind(e, 1 - mover, COMPLETE)
        return 1
    if mine[WINNING_FOUR] > 0:
        moves[0] = find_kind(e, mover, WINNING_FOUR)
        return 1
    if theirs[WINNING_FOUR] > 0:
        return list_meeting(s, e, mover, moves, ranks)
    return list_promising(s, e, mover, moves, ranks)


@kernel
def tactics(s, e, moves, ranks):
    """List what continues a series of fours: the mover's own, or the point that stops five; wins in sight are known."""
    mover = np.int64(s.to_move)
    mine, theirs = e.counts[mover], e.counts[1 - mover]
    if mine[COMPLETE] > 0 or theirs[COMPLETE] > 1:
        return 0
    if theirs[COMPLETE] == 1:
        moves[0], ranks[0] = find_kind(e, 1 - mover, COMPLETE), FORCED
        return 1
    if mine[WINNING_FOUR] > 0:
        return 0
    return list_fours(e, mover, moves, ranks)


@kernel
def threats(s, e, moves, ranks):
    """List what continues a series of fours and open threes: the mover's own, or all that meets the other's."""
    mover = np.int64(s.to_move)
    mine, theirs = e.counts[mover], e.counts[1 - mover]
    if mine[COMPLETE] > 0 or theirs[COMPLETE] > 0 or mine[WINNING_FOUR] > 0:
        return tactics(s, e, moves, ranks)
    if theirs[WINNING_FOUR] > 0:
        n = list_meeting(s, e, mover, moves, ranks)
        ranks[0] = FORCED
        return n
    return list_from(e, mover, LIVE_THREE, moves, ranks)


@kernel
def list_meeting(s, e, mover, moves, ranks):
    """Write what meets the other seat's winning fours: own fours and what stops them, at least one point; count."""
    n = list_stops(s, e, mover, moves, ranks, list_fours(e, mover, moves, ranks))
    if n == 0:
        moves[0], ranks[0], n = find_kind(e, 1 - mover, WINNING_FOUR), URGENT, 1
    return n


@kernel
def list_fours(e, seat, moves, ranks):
    """Write the points on which a seat makes a four; count them."""
    return list_from(e, seat, PLAIN_FOUR, moves, ranks)


@kernel
def list_from(e, seat, least, moves, ranks):
    """Write a seat's points of the kinds from `least` on, except those that win; count them."""
    n = 0
    many = 0
    for kind in range(least, COMPLETE):
        many += e.counts[seat, kind]
    point = 0
    while n < many:
        kind = e.kinds[seat, point]
        if least <= kind < COMPLETE:
            moves[n] = point
            ranks[n] = np.int64(RANK[e.shapes[seat, point]]) + (URGENT if kind >= FOUR_THREE else 0)
            n += 1
        point += 1
    return n


@kernel
def list_stops(s, e, mover, moves, ranks, n):
    """Add to the mover's fours the points that leave the other seat none of its winning fours; count all.

    Such a point lies on a line of every winning four, so only the lines of the first need be searched.
    """
    b, side_length = s.board, side(s)
    first = find_kind(e, 1 - mover, WINNING_FOUR)
    fours = n
    for d in range(-1, 4):
        _, place, length = line(side_length, first // side_length, first % side_length, max(d, 0))
        reach = 5 if d >= 0 else 0
        for k in range(max(-reach, -place), min(reach, length - 1 - place) + 1):
            point = first + k * pace(side_length, max(d, 0))
            if (k == 0) == (d < 0) and b[point] == 0 and stops(s, e, mover, point):
                known = False
                for i in range(fours):
                    known |= moves[i] == point
                if not known:
                    moves[n] = point
                    ranks[n] = rank_of(e, mover, point)
                    n += 1
    return n


@kernel
def stops(s, e, mover, stone):
    """Whether no winning four is left to the other seat once the mover has a stone on a point."""
    n, other = side(s), 1 - mover
    left = np.int64(e.counts[other, WINNING_FOUR])
    point = 0
    while left > 0:
        if e.kinds[other, point] == WINNING_FOUR:
            left -= 1
            if point != stone and KIND[shapes_against(s, e, n, other, point, stone)] >= WINNING_FOUR:
                return False
        point += 1
    return True


@kernel
def shapes_against(s, e, n, seat, point, stone):
    """Return what a stone of the seat would make on a point if the other seat had one on another point."""
    shapes = np.int64(e.shapes[seat, point])
    for d in range(4):
        index, place, length = line(n, point // n, point % n, d)
        same, there, _ = line(n, stone // n, stone % n, d)
        if index == same and shapes >> 4 * d & 15 >= FOUR:
            own, others, edge = stones_on(e, index, length)
            if seat == 1:
                own, others = others, own
            now = np.int64(shape(own, others | edge | 1 << (there + 5), place, s.exact != 0))
            shapes = shapes & ~(15 << 4 * d) | now << 4 * d
    return shapes


@kernel
def rank_of(e, mover, point):
    """Rank a point by what either seat would make there, the mover's own counting more."""
    return np.int64(RANK[e.shapes[mover, point]]) + np.int64(RANK[e.shapes[1 - mover, point]]) * 3 // 4


@kernel
def list_promising(s, e, mover, moves, ranks):
    """Write the points of the highest ranks, best first; the middle of an empty board; any point where none matters."""
    b, n = s.board, 0
    if s.ply == 0:
        moves[0] = (side(s) // 2) * (side(s) + 1)
        return 1
    for point in range(b.size):
        if b[point] != 0:
            continue
        rank = rank_of(e, mover, point)
        if rank > 0 and (n < WIDTH or rank > ranks[n - 1]):
            n = insert(moves, ranks, n, point, rank)
    while n > 1 and np.int64(ranks[n - 1]) * FAINT < ranks[0]:
        n -= 1
    if n == 0:
        moves[0] = 0
        while b[moves[0]] != 0:
            moves[0] += 1
        n = 1
    return n


@kernel
def insert(moves, ranks, n, point, rank):
    """Put a point in its place among n sorted by rank, WIDTH at most; count them."""
    if n == WIDTH:
        n -= 1
    i = n
    while i > 0 and ranks[i - 1] < rank:
        moves[i], ranks[i] = moves[i - 1], ranks[i - 1]
        i -= 1
    moves[i], ranks[i] = point, rank
    return n + 1
