"""Which actions of Jiu deserve a search, the best first: what takes stones, makes shapes or prevents the other's.

Places are those of the padded boards of `weigh`; a direction d has its opposite d ^ 1. Actions ranked `URGENT` or
higher take stones: a list is only cut short after them.
"""

import numpy as np

from ..engine.protocol import URGENT
from ..engine.ranking import bring_best
from ..engine.rng import kernel
from ..grid.board import side
from .constants import DROP, JUMP, LAYOUT, MOVE, PICK, PUT, STOP, TAKE, TAKE_OFF
from .prey import weigh_prey
from .ranks import CAPTURE, COMES, LEAVES, away, layout_gain, rank_drop, rank_landing, rank_lifted, rank_step
from .rules import can_begin_jump, ends, flies, landing
from .weigh import change, mark_ways, padded, weigh_places

MOST_PUT, MOST_TURNS, MOST_LIFTED, MOST_DROPPED, MOST_TAKEN = 14, 24, 6, 6, 6


@kernel
def candidates(s, e, moves, ranks):
    """Write the actions worth a search in any phase."""
    if s.phase == LAYOUT:
        return list_points(s, e, moves, ranks)
    if s.phase == TAKE:
        return list_prey(s, e, moves, ranks, MOST_TAKEN if s.due == 1 else MOST_TAKEN - 2)
    if s.phase == JUMP:
        return list_jumps(s, e, moves, ranks)
    if s.phase == DROP:
        return list_drops(s, e, moves, ranks)
    return list_turns(s, e, moves, ranks)


@kernel
def tactics(s, e, moves, ranks):
    """Write what takes stones in the battle, the best two stones to take, and all that a jumping stone can do."""
    if s.phase == LAYOUT:
        return 0
    if s.phase == TAKE:
        return list_prey(s, e, moves, ranks, 2)
    if s.phase == JUMP:
        return list_jumps(s, e, moves, ranks)
    n = candidates(s, e, moves, ranks)
    count = 0
    while count < n and ranks[count] >= URGENT:
        count += 1
    return count


@kernel
def keep_best(moves, ranks, n, most):
    """Bring the candidates that rank highest to the front, `most` of them and all that take; return how many."""
    for i in range(n):
        bring_best(moves, ranks, i, n)
        if i >= most and ranks[i] < URGENT:
            return i
    return n


@kernel
def list_points(s, e, moves, ranks):
    """§2: points in the layout, by the shapes that either side would make there."""
    n, count, seat = side(s), 0, np.int64(s.to_move)
    width = n + 1
    upper, lower = ends(n)
    for p in range(s.board.size):
        if s.board[p] == 0 and (s.ply > 1 or p in (upper, lower)):
            i = padded(n, p)
            moves[count] = p
            ranks[count] = rank_point(e.cells[seat], e.own[seat], e.cells[1 - seat], i, width, s.layout_only)
            ranks[count] += rank_point(e.cells[1 - seat], e.own[1 - seat], e.cells[seat], i, width, s.layout_only)
            count += 1
    return keep_best(moves, ranks, count, MOST_PUT)


@kernel
def rank_point(cells, own, theirs, i, width, squares_only):
    """Rank a side's stone at place i by its shapes: those of the table or, if only squares count, the way to them."""
    stones, rank = np.int64(0), np.int64(0)
    for j in (i - width - 1, i - width, i - 1, i):
        stones = max(stones, np.int64(cells[j]))
        if theirs[j] == 0:
            rank += (1, 4, 20, 100, 0)[cells[j]]
    if squares_only or stones < 2:
        return rank
    return layout_gain(cells, own, i, width)


@kernel
def list_turns(s, e, moves, ranks):
    """§4: the beginnings of a turn."""
    points, seat, n = s.board.size, np.int64(s.to_move), side(s)
    flying, count = flies(s, seat), 0
    if flying:
        for p in range(points):
            if s.board[p] == seat + 1:
                moves[count], ranks[count] = PICK * points + p, rank_lifted(e, n, p, seat)
                count += 1
        count = keep_best(moves, ranks, count, MOST_LIFTED)
    weigh_places(e, seat, n, LEAVES, COMES)
    mark_ways(e, seat, n, not flying)
    for p in range(points):
        i = padded(n, p)
        if e.ways[i]:
            for d in range(4):
                if e.ways[i] >> d & 1:
                    moves[count] = (MOVE + d) * points + p
                    if e.empty[i + away(n + 1, d)]:
                        ranks[count] = rank_step(s, e, n, p, p + away(n, d), d, seat)
                        count += 1
                    elif can_begin_jump(s, p, d):
                        ranks[count] = URGENT + rank_landing(s, e, n, landing(s, p, d), seat)
                        count += 1
    e.worth[:] = 0
    e.ways[:] = 0
    return keep_best(moves, ranks, count, MOST_TURNS)


@kernel
def list_jumps(s, e, moves, ranks):
    """§7: go on jumping, or stop."""
    points, seat, n, count = s.board.size, np.int64(s.to_move), side(s), 0
    for d in range(4):
        to = landing(s, s.runner, d)
        if to >= 0:
            moves[count] = (MOVE + d) * points + s.runner
            ranks[count] = URGENT + rank_landing(s, e, n, to, seat)
            count += 1
    if s.jumps >= s.least:
        moves[count] = STOP * points
        ranks[count] = URGENT + rank_landing(s, e, n, np.int64(s.runner), seat) - 1000
        count += 1
    return keep_best(moves, ranks, count, count)


@kernel
def list_drops(s, e, moves, ranks):
    """§11: where to put down the stone that is lifted."""
    points, seat, n, count = s.board.size, np.int64(s.to_move), side(s), 0
    change(e, n, np.int64(s.runner), seat, -1)
    for q in range(points):
        if s.board[q] == 0:
            moves[count], ranks[count] = PUT * points + q, rank_drop(s, e, n, q, seat)
            count += 1
    change(e, n, np.int64(s.runner), seat, 1)
    return keep_best(moves, ranks, count, MOST_DROPPED)


@kernel
def list_prey(s, e, moves, ranks, most):
    """§10: stones to take, and stopping where that is allowed."""
    points, other, n, count = s.board.size, 1 - np.int64(s.to_move), side(s), 0
    weigh_prey(e, other, n)
    for p in range(points):
        if s.board[p] == other + 1:
            moves[count], ranks[count] = TAKE_OFF * points + p, e.worth[padded(n, p)]
            count += 1
    e.worth[:] = 0
    count = keep_best(moves, ranks, count, most)
    if s.must_take == 0:
        moves[count], ranks[count] = STOP * points, -CAPTURE
        count += 1
    return count
