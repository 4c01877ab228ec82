"""Surakarta's evaluation for searches: men, where they stand, and who is seen first from the arcs of the loops."""

import numpy as np

from ..engine.rng import GOLDEN, hash64, kernel
from ..engine.spec import Game
from ..grid.repetition import MARKS
from .constants import LOOPS, POINTS
from .loops import SIGHTS, loop
from .rules import CAPTURES, DIRECTIONS, first_seen, new_capture, stepped_to

__all__ = ["SCALE", "candidates", "evaluate", "follow", "notes", "survey", "tactics", "transposition"]

SCALE = 400.0

MAN = 100
SHARE = 1000.0  # of the men: one more is worth more the fewer there are
SIGHT = 12  # being the first man in sight from an arc: ready to take what comes into sight beyond it
FIRST = 60  # being to move where a man can be taken
LINES = np.array([8 * sum(loop(k).count(p) for k in LOOPS) for p in range(POINTS)], np.int64)
"""What a man is worth on each point (points,): by the lines of loops that cross there."""
TAKES = 1000  # rank of captures, before steps
LAST_QUIET = 10  # the last turns before a draw, whose number tells positions apart


def notes(game: Game) -> np.ndarray:
    """Return what evaluation keeps, one record (1,): the hash of the men, and what they are worth where they stand."""
    return np.zeros(1, np.dtype([("hash", "u8"), ("stand", "i8", (2,))], align=True))


@kernel
def survey(s, e):
    """Note all men."""
    e.hash = np.uint64(0)
    e.stand[:] = 0
    for p in range(POINTS):
        if s.board[p] > 0:
            note(e, p, np.int64(s.board[p]) - 1, 1)


@kernel
def note(e, p, seat, by):
    """Note a man that has come (`by` 1) or gone (-1)."""
    e.hash ^= MARKS[seat, p]
    e.stand[seat] += by * LINES[p]


@kernel
def follow(before, s, e, a):
    """Note the man that an action has moved, and the one it has taken."""
    p, q, seat = a // POINTS, a % POINTS, np.int64(before.to_move)
    note(e, p, seat, -1)
    if before.board[q] != 0:
        note(e, q, 1 - seat, -1)
    note(e, q, seat, 1)


@kernel
def evaluate(s, e, seat):
    """Value a position for a seat."""
    mine, theirs = np.int64(s.men[seat]), np.int64(s.men[1 - seat])
    value = MAN * (mine - theirs) + np.int64(SHARE * (mine - theirs) / (mine + theirs))
    value += e.stand[seat] - e.stand[1 - seat]
    b, contested = s.board, False
    for arc in range(SIGHTS.shape[0]):
        p, q = first_seen(b, arc, 0, -1), first_seen(b, arc, 1, -1)
        if p >= 0:
            value += SIGHT * (np.int64(b[p] == seat + 1) + np.int64(b[q] == seat + 1) - 1)
            contested = contested or b[p] != b[q]
    if contested:
        value += FIRST if s.to_move == seat else -FIRST
    return value


@kernel
def tactics(s, e, moves, ranks):
    """List the captures, good and bad: exchanges are to be played out."""
    n = 0
    for i in range(CAPTURES):
        a = new_capture(s, i)
        if a >= 0:
            moves[n], ranks[n] = a, TAKES
            n += 1
    return n


@kernel
def candidates(s, e, moves, ranks):
    """List all actions, captures first, then steps to points that are worth more."""
    n = tactics(s, e, moves, ranks)
    for p in range(POINTS):
        for d in range(DIRECTIONS):
            q = stepped_to(s, p, d)
            if q >= 0:
                moves[n], ranks[n] = POINTS * p + q, LINES[q] - LINES[p]
                n += 1
    return n


@kernel
def transposition(s, e):
    """Hash the men, the seat to move, how often the position has occurred, and how near a draw is.

    The turns that led to it are left out, or no position would be met twice: a value may come from another order of
    turns, with other repetitions ahead. The turns without a capture count only when they will soon end the game.
    """
    quiet = max(0, np.int64(s.quiet) + LAST_QUIET - np.int64(s.no_capture_limit))
    return hash64(e.hash ^ np.uint64(np.int64(s.to_move) + 4 + 8 * (np.int64(s.seen) + 1024 * quiet)) * GOLDEN)
