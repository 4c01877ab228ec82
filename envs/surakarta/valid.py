"""What a record of Surakarta must be to be a position; § numbers refer to RULES.md.

Positions that somebody has set up are among them: the men may stand anywhere.
"""

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import kernel
from ..grid.board import count_stones
from ..grid.repetition import holds_turns, occurrences
from . import SPEC
from .constants import LOOKED_BACK, MEN, POINTS, SIDE
from .rules import can_act, draws

CONSTANTS = ("no_capture_limit", "repetition")
"""Fields that `blank` sets for good."""

FLAWS = (
    "no_capture_limit and repetition are what some parameters make them",
    "a board holds only 0, 1 and 2",
    "men counts each seat's men on the board, at most 12",
    "quiet does not exceed the limit; source and target hold the points of the quiet turns, and 0 elsewhere",
    "ply counts the quiet turns, the captures, and no more turns before each of these than the limit allows",
    "the quiet turns are steps of the seats by turns that have led to the board",
    "latest is the last quiet turn or a capture by the seat that has just moved, or -1 and -1 at ply 0",
    "seen counts how often the position has stood since the last capture",
    "winner is the seat that has just moved if the other cannot act, else -1; drawn is 1 if it can and it is a draw",
    "to_move is the seat whose turn it is, or -2 once the game has ended",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(PARAMETERS, BOARD, COUNTS, QUIET, PLY, TURNS, LATEST, SEEN, RESULT, MOVER) = range(len(FLAWS))

MOST_REPETITIONS = int(SPEC.params["repetition"].high or 0)


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    if not 1 <= s.no_capture_limit <= LOOKED_BACK or not 0 <= s.repetition <= MOST_REPETITIONS:
        return PARAMETERS
    men, second = count_stones(s.board)
    if men < 0:
        return BOARD
    if s.men[0] != men - second or s.men[1] != second or max(s.men[0], s.men[1]) > MEN:
        return COUNTS
    if not 0 <= s.quiet <= s.no_capture_limit or not holds_turns(s, POINTS):
        return QUIET
    taken, before = 2 * MEN - men, np.int64(s.ply) - s.quiet
    if not taken <= before <= taken * np.int64(s.no_capture_limit):
        return PLY
    mover, was = np.int64(s.ply % 2), np.int64(s.to_move)
    if not has_stepped(s, mover):
        return TURNS
    if not has_moved(s, 1 - mover):
        return LATEST
    # A forfeit ends a game and leaves the rest as it was; to judge it, the seat to move must be known.
    s.to_move = mover
    found = flaw_of_end(s, was)
    s.to_move = was
    return found


@kernel
def has_stepped(s, mover):
    """§5: whether the quiet turns can be undone one by one; the board is put back as it was."""
    b, turns = s.board, np.int64(s.quiet)
    undone = 0
    while undone < turns:
        p, q = s.source[turns - 1 - undone], s.target[turns - 1 - undone]
        seat = mover if undone % 2 else 1 - mover
        if b[p] != 0 or b[q] != seat + 1 or max(abs(p // SIDE - q // SIDE), abs(p % SIDE - q % SIDE)) != 1:
            break
        b[p], b[q] = b[q], 0
        undone += 1
    for i in range(turns - undone, turns):
        p, q = s.source[i], s.target[i]
        b[p], b[q] = 0, b[p]
    return undone == turns


@kernel
def has_moved(s, seat):
    """Whether `latest` is the turn that `seat` has made last."""
    p, q = np.int64(s.latest[0]), np.int64(s.latest[1])
    if s.ply == 0:
        return p == q == -1
    if s.quiet > 0:
        return p == s.source[s.quiet - 1] and q == s.target[s.quiet - 1]
    return 0 <= min(p, q) <= max(p, q) < POINTS and s.board[p] == 0 and s.board[q] == seat + 1


@kernel
def flaw_of_end(s, to_move):
    """§7 to §9: find what is wrong with how the game stands; the record says who would be to move."""
    if s.seen != occurrences(s):
        return SEEN
    able = can_act(s)
    if s.winner != (-1 if able else 1 - s.to_move) or s.drawn != (able and draws(s)):
        return RESULT
    return -1 if to_move == OVER or (to_move == s.to_move and s.winner < 0 and s.drawn == 0) else MOVER
