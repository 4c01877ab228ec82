"""The evaluations of Jiu for searches: the published table in the layout, and two of our own in the battle.

The published table of the battle is lost; ours keep to its principles: a stone has a base value, and a shape is worth
more the more stones it takes, soon and repeatedly. `evaluate` has worths set by hand, `evaluate_learned` worths fitted
to the outcomes of games. § numbers refer to RULES.md.
"""

from typing import NamedTuple

import numpy as np

from ..engine.rng import GOLDEN, hash64, kernel
from ..engine.spec import Game
from ..grid.board import side
from ..grid.rays import neighbour
from ..grid.repetition import MARKS
from .candidates import candidates, tactics
from .constants import LAYOUT, MOVE, PICK, PUT, STOP, TAKE_OFF
from .weigh import change, count_shapes, layout_worth, padded, room

__all__ = [
    "LEARNED_SCALE", "SCALE", "candidates", "evaluate", "evaluate_learned", "follow", "notes", "survey", "tactics",
    "transposition",
]  # fmt: skip

SCALE = 1500.0  # fitted to games of the search against itself
LEARNED_SCALE = 3700.0

SQUARE_LAID, HOLE_LAID = 300, 100  # where only squares count, §18
LAST_QUIET = 12  # the last turns before a draw, whose number tells positions apart


class Worths(NamedTuple):
    """What a stone, all stones (`share`: the difference as a part of them) and each of `shapes_in_battle` are worth."""

    stone: int
    share: int
    square: int
    hole: int
    gate: int
    dalian: int
    more_dalians: int
    jump: int
    step: int
    first_gate: int
    first_jump: int


HANDMADE = Worths(100, 4000, 30, 40, 15, 500, 250, 60, 1, 300, 200)
LEARNED = Worths(100, 4000, 185, 80, 174, 607, 936, 17, 15, 375, 20)
"""Fitted by logistic regression to who won 4,000 games of ``alphabeta:depth=1`` that began at random, except the share
of all stones, which is set by hand: with the fitted one, -7200, an extra stone was worth less where few are left.
"""


def notes(game: Game) -> np.ndarray:
    """Return what evaluation keeps, one record (1,).

    On padded boards (see `weigh`), the stones of either seat, the empty points and how many stones each unit cell has
    of either; the hash of the stones; and scratch, what is found about each point while actions are ranked.
    """
    places = room(int(game.params["board_size"]))
    fields = [
        ("stones_hash", "u8"),
        ("own", "i1", (2, places)),
        ("cells", "i1", (2, places)),
        ("empty", "i1", (places,)),
        ("ways", "i1", (places,)),
        ("worth", "i2", (places,)),
    ]
    return np.zeros(1, np.dtype(fields, align=True))


@kernel
def survey(s, e):
    """Note all stones."""
    n = side(s)
    e.stones_hash = np.uint64(0)
    e.own[:] = 0
    e.cells[:] = 0
    e.empty[:] = 0
    for p in range(s.board.size):
        e.empty[padded(n, p)] = 1
    for p in range(s.board.size):
        if s.board[p] > 0:
            note(e, n, p, np.int64(s.board[p]) - 1, 1)


@kernel
def note(e, n, p, seat, by):
    """Note a stone that has come (`by` 1) or gone (-1)."""
    change(e, n, p, seat, by)
    e.stones_hash ^= MARKS[seat, p]


@kernel
def follow(before, s, e, a):
    """Note the stones that an action has put, moved or taken."""
    n, points, seat = side(s), s.board.size, np.int64(before.to_move)
    plane, p = a // points, a % points
    if before.phase == LAYOUT:
        note(e, n, p, seat, 1)
        if s.phase != LAYOUT:
            survey(s, e)
    elif plane in (STOP, PICK):
        return
    elif plane == TAKE_OFF:
        note(e, n, p, 1 - seat, -1)
    elif plane == PUT:
        note(e, n, np.int64(before.runner), seat, -1)
        note(e, n, p, seat, 1)
    else:
        q = neighbour(n, p, plane - MOVE)
        note(e, n, p, seat, -1)
        if before.board[q] != 0:
            note(e, n, q, 1 - seat, -1)
            q = neighbour(n, q, plane - MOVE)
        note(e, n, q, seat, 1)


@kernel
def evaluate(s, e, seat):
    """Value a position for a seat, by the worths set by hand."""
    return worth(s, e, seat, HANDMADE)


@kernel
def evaluate_learned(s, e, seat):
    """Value a position for a seat, in the battle by the worths fitted to the outcomes of games."""
    return worth(s, e, seat, LEARNED)


@kernel
def worth(s, e, seat, worths):
    """Value a position for a seat."""
    if s.phase == LAYOUT:
        return laid_out(s, e, seat) - laid_out(s, e, 1 - seat)
    mine, theirs = np.int64(s.stones[seat]), np.int64(s.stones[1 - seat])
    if s.to_move == seat:
        theirs -= s.due
    else:
        mine -= s.due
    share = np.int64(np.float64(worths.share) * (mine - theirs) / (mine + theirs))
    shapes = in_battle(s, e, seat, worths) - in_battle(s, e, 1 - seat, worths)
    return worths.stone * (mine - theirs) + share + shapes


@kernel
def laid_out(s, e, seat):
    """Value the shapes of a side in the layout."""
    n = side(s)
    if not s.layout_only:
        return layout_worth(e.cells[seat], e.own[seat], n)
    holes, _, _, _, _ = count_shapes(e.cells[seat], e.own[seat], e.own[1 - seat], e.empty, n)
    return SQUARE_LAID * np.int64(s.squares[seat]) + HOLE_LAID * holes


@kernel
def in_battle(s, e, seat, worths):
    """Value the shapes of a side in the battle."""
    squares, holes, gates, dalians, more, jumps, steps, first_gate, first_jump = shapes_in_battle(s, e, seat)
    total = worths.square * squares + worths.hole * holes + worths.gate * gates + worths.jump * jumps
    total += worths.step * steps + worths.dalian * dalians + worths.more_dalians * more
    return total + worths.first_gate * first_gate + worths.first_jump * first_jump


@kernel
def shapes_in_battle(s, e, seat):
    """Count a side's squares, holes, gates, dalians (up to one, and more), stones that it can jump over, and steps, up
    to the number that still makes a difference; and, if it moves next, whether it has a gate or a jump.
    """
    n = side(s)
    squares = np.int64(s.squares[seat])
    holes, gates, dalians, jumps, steps = count_shapes(e.cells[seat], e.own[seat], e.own[1 - seat], e.empty, n)
    if s.stones[seat] < n + (s.flying == 0):
        # §11: any stone reaches a hole, and one that has left a square for it comes back.
        gates = holes if s.stones[seat] > 3 else 0
        dalians = holes if squares > 0 else 0
    first = np.int64(s.to_move == seat)
    more = min(max(dalians - 1, 0), 3)
    counts = squares, min(holes, 10), min(gates, 4), min(dalians, 1), more, min(jumps, 5), min(steps, 40)
    return *counts, first * (gates > 0), first * (jumps > 0)


@kernel
def transposition(s, e):
    """Hash the stones, the turn in progress, and how often the position has occurred.

    The turns that led to it are left out, or no position would be met twice: a value may come from another order of
    turns, with other repetitions ahead. The turns without a capture count only when they will soon end the game.
    """
    h = e.stones_hash ^ (np.uint64(np.int64(s.to_move) + 4 * np.int64(s.phase) + 32 * np.int64(s.due)) * GOLDEN)
    h = hash64(h) ^ np.uint64(np.int64(s.runner) + 1 + 1024 * (np.int64(s.taken) + 1024 * np.int64(s.least)))
    quiet = np.int64(s.quiet) + LAST_QUIET - np.int64(s.no_capture_limit)
    if s.no_capture_limit == 0 or quiet < 0:
        quiet = 0
    h = hash64(h) ^ np.uint64(np.int64(s.seen) + 16 * min(np.int64(s.jumps), np.int64(s.least)) + 64 * quiet)
    if not s.revisit and s.phase != LAYOUT:
        for p in range(s.been.size):
            if s.been[p]:
                h += hash64(np.uint64(p + 1) * GOLDEN)
    return hash64(h)
