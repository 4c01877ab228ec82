"""What a record of Jiu must be to be a position; § numbers refer to RULES.md.

Positions that somebody has set up are among them: stones may be missing that nobody took, more actions may have been
played than the stones show, and the turns without a capture need not fit the board.
"""

import numpy as np

from ..engine.protocol import CUT, OVER
from ..engine.rng import kernel
from ..grid.board import side
from ..grid.repetition import holds_turns, occurrences
from . import SPEC
from .constants import DROP, FEWEST, JUMP, LAYOUT, LOOKED_BACK, NO_BAN, OFF, TAKE, TURN
from .rules import bans_single_jumps, can_act, can_jump, earned, ends, flies, wins_by_dalians
from .state import CHOICES, OPTIONS, squares_at

CONSTANTS = ("max_turns", "no_capture_limit", *OPTIONS, *CHOICES)
"""Fields that `blank` sets for good."""

FLAWS = (
    "every constant is one that some parameters make",
    "board holds only 0, 1 and 2",
    "stones, rows, columns and squares count what stands on the board",
    "latest, start and runner are points of the board, or -1",
    "phase is the layout until the board is full, and one of the battle after it, unless the layout is all there is",
    "turns and quiet are counted from 0 in the battle and exceed no limit, and quiet does not exceed turns",
    "source and target hold the points of the quiet turns that are looked back on, and 0 elsewhere",
    "ply counts the stones of the layout and, after it, no more actions of the battle than turns and stones allow",
    "in the layout the stones are put by turns, the first two on the marked diagonal",
    "winner, drawn and to_move say how the game has ended, and its position shows it",
    "to_move is the seat whose turn it is, or -2 after a forfeit",
    "in the battle each side has at least 4 stones, and a point is empty",
    "a game that its number of turns or a repetition has ended does not go on",
    "least and seen are what was found when the turn began",
    "start, runner, jumps, taken, due and been tell of a turn in progress alone",
    "the seat whose turn begins can act",
    "a stone that is lifted is one of the seat to move, which flies",
    "a stone that has jumped stands where its jumps may have brought it, and can jump on",
    "a seat that takes has moved to where it earns what it has taken and what is due",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(
    PARAMETERS, BOARD, COUNTS, POINTS, PHASE, TURNS, QUIET, PLY, LAID, ENDED, MOVER, BATTLE, GOING_ON, BEGUN, IDLE,
    ABLE, LIFTED, JUMPED, TAKING,
) = range(len(FLAWS))  # fmt: skip

MOST_REPETITIONS, MOST_TURNS = (int(SPEC.params[name].high or 0) for name in ("repetition", "max_turns"))


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    found = flaw_of_fields(s)
    if found >= 0:
        return found
    # A forfeit ends a game and leaves the rest as it was; to judge it, the seat to move must be known.
    was, mover = np.int64(s.to_move), s.ply % 2 if s.phase == LAYOUT else 1 - s.turns % 2
    decided = s.winner >= 0 or s.drawn == 1 or was == CUT
    if not decided and was != mover and was != OVER:
        return MOVER
    s.to_move = mover
    if decided:
        found = -1 if has_ended(s, was) else ENDED
    else:
        found = flaw_of_layout(s) if s.phase == LAYOUT else flaw_of_battle(s, was == OVER)
    s.to_move = was
    return found


# What holds at any time


@kernel
def flaw_of_fields(s):
    """Find the first flaw that shows without knowing whether the game goes on."""
    if not fits_parameters(s):
        return PARAMETERS
    for p in range(s.board.size):
        if s.board[p] < 0 or s.board[p] > 2:
            return BOARD
    if not counts_stones(s):
        return COUNTS
    for p in (s.latest[0], s.latest[1], s.start, s.runner):
        if p < -1 or p >= s.board.size:
            return POINTS
    if s.phase < LAYOUT or s.phase > TAKE or (s.layout_only if s.phase != LAYOUT else is_full(s) > s.layout_only):
        return PHASE
    most = s.max_turns if s.phase != LAYOUT else 0
    if s.turns < 0 or s.turns > most or s.quiet < 0 or s.quiet > s.turns or 0 < s.no_capture_limit < s.quiet:
        return TURNS
    if not holds_turns(s, s.board.size):
        return QUIET
    if not fits_ply(s):
        return PLY
    if s.phase == LAYOUT and not is_laid(s):
        return LAID
    return ENDED if s.winner < -1 or s.winner > 1 or s.drawn < 0 or s.drawn > 1 else -1


@kernel
def fits_parameters(s):
    """Whether every constant is one that some parameters make."""
    options = s.layout_only | s.gun | s.must_take | s.revisit | s.dalian_gates | s.flying
    return (
        0 <= options <= 1
        and 0 <= s.repetition <= MOST_REPETITIONS
        and 0 <= s.single_jump_ban <= NO_BAN
        and 0 <= s.dalian_win <= OFF
        and 0 <= s.no_capture_limit <= LOOKED_BACK
        and 1 <= s.max_turns <= MOST_TURNS
    )


@kernel
def counts_stones(s):
    """Whether both seats' stones are counted right, on the whole board, in every line and in squares."""
    b, n = s.board, side(s)
    for seat in range(2):
        stones = corners = np.int64(0)
        for i in range(n):
            row = column = np.int64(0)
            for j in range(n):
                row += b[i * n + j] == seat + 1
                column += b[j * n + i] == seat + 1
            if s.rows[seat, i] != row or s.columns[seat, i] != column:
                return False
            stones += row
        for p in range(b.size):
            corners += squares_at(s, p, seat + 1) if b[p] == seat + 1 else 0
        if s.stones[seat] != stones or 4 * np.int64(s.squares[seat]) != corners:
            return False
    return True


@kernel
def is_full(s):
    """Whether no point is empty."""
    return np.int64(s.stones[0]) + np.int64(s.stones[1]) == s.board.size


@kernel
def fits_ply(s):
    """§17: whether this many actions can have been played: three a turn and one for every stone that has gone.

    In the turn in progress, only those that remove no stone count: to lift a stone, to put it down or to stop.
    """
    stones, points = np.int64(s.stones[0]) + np.int64(s.stones[1]), s.board.size
    if s.phase == LAYOUT:
        return s.ply == stones
    begun = 2 if s.phase == TAKE or min(s.stones[0], s.stones[1]) < FEWEST else np.int64(s.phase == DROP)
    return points <= s.ply <= 2 * points - stones + 3 * np.int64(s.turns) + begun


@kernel
def is_laid(s):
    """§2: whether the stones have been put in turn, the first two on the ends of the diagonal, `latest` among them."""
    upper, lower = ends(side(s))
    first = s.board[upper] + s.board[lower]
    if s.stones[0] - s.stones[1] != s.ply % 2 or first != (0, 1, 3)[min(s.ply, 2)]:
        return False
    for seat in range(2):
        if s.latest[seat] >= 0 and s.board[s.latest[seat]] != seat + 1:
            return False
    return True


# The end


@kernel
def has_ended(s, to_move):
    """§13 to §18: whether a decided game shows why it has ended; the record says who would be to move."""
    if not is_idle(s) or s.least != 0 or s.seen != 0:
        return False
    if (s.drawn == 1 and s.winner >= 0) or to_move != (OVER if s.drawn == 1 or s.winner >= 0 else CUT):
        return False
    if s.phase == LAYOUT:
        return to_move == OVER and is_full(s) and s.winner == most_squares(s)
    if s.phase != TURN or is_full(s):
        return False
    mover = np.int64(s.to_move)
    if s.stones[1 - mover] == FEWEST - 1:
        return s.winner == mover and s.stones[mover] >= FEWEST
    if min(s.stones[0], s.stones[1]) < FEWEST:
        return False
    if to_move == CUT:
        return s.turns == s.max_turns
    if s.drawn == 1:
        return s.quiet == s.no_capture_limit > 0 or occurrences(s) == s.repetition > 1
    return wins_by_dalians(s, np.int64(s.winner)) or (s.winner != mover and not can_begin(s))


@kernel
def most_squares(s):
    """§18: find the seat that has more squares; -1 if they have equally many."""
    return -1 if s.squares[0] == s.squares[1] else np.int64(s.squares[1] > s.squares[0])


@kernel
def can_begin(s):
    """§15: whether the seat to move can act when its turn begins, whatever is noted about single jumps."""
    least = s.least
    s.least = fewest_jumps(s)
    able = can_act(s)
    s.least = least
    return able


@kernel
def fewest_jumps(s):
    """§12: find the fewest jumps of the turn in progress."""
    return 2 if bans_single_jumps(s, np.int64(s.to_move)) else 1


# While the game goes on


@kernel
def flaw_of_layout(s):
    """Find the first flaw of a layout that goes on."""
    if is_full(s):
        return ENDED
    return -1 if is_idle(s) and s.least == 0 and s.seen == 0 else IDLE


@kernel
def flaw_of_battle(s, forfeited):
    """Find the first flaw of a battle that goes on; a forfeited game that was read from text has forgotten more."""
    if min(s.stones[0], s.stones[1]) < FEWEST or is_full(s):
        return BATTLE
    seen = occurrences(s)
    if s.turns == s.max_turns or s.quiet == s.no_capture_limit > 0 or seen == s.repetition > 1:
        return GOING_ON
    if (s.least != fewest_jumps(s) or s.seen != seen) and not (forfeited and s.least == s.seen == 0):
        return BEGUN
    if s.phase == TURN:
        if not is_idle(s):
            return IDLE
        return -1 if can_begin(s) else ABLE
    if s.phase == DROP:
        return -1 if has_lifted(s) else LIFTED
    if s.phase == JUMP:
        return -1 if has_jumped(s) else JUMPED
    return -1 if is_taking(s) else TAKING


@kernel
def is_idle(s):
    """Whether nothing shows a turn in progress."""
    return s.start == s.runner == -1 and s.jumps == s.taken == s.due == 0 and marks_way(s, -1)


@kernel
def has_lifted(s):
    """§11: whether a side that flies has lifted the runner."""
    if s.runner < 0 or s.board[s.runner] != s.to_move + 1 or not flies(s, s.to_move):
        return False
    return s.start == -1 and s.jumps == s.taken == s.due == 0 and marks_way(s, -1)


@kernel
def has_jumped(s):
    """§7: whether the runner may have come there by its jumps, which have taken a stone each, and can go on."""
    if s.runner < 0 or s.jumps < 1 or s.taken != s.jumps or s.due != 0:
        return False
    return is_on_way(s, np.int64(s.runner)) and can_jump(s, s.runner)


@kernel
def is_taking(s):
    """§8 to §10: whether the move has earned what has been taken since and what is due."""
    mover = np.int64(s.to_move)
    at = np.int64(s.latest[mover])
    if s.runner != -1 or at < 0 or s.due < 1 or s.jumps < 0 or s.taken < s.jumps or s.taken > s.board.size:
        return False
    if not is_on_way(s, at) or (s.jumps > 0 and s.jumps < fewest_jumps(s)):
        return False
    since = np.int64(s.taken) - np.int64(s.jumps)
    return s.due + since == min(earned(s, at, mover), s.stones[1 - mover] + since)


@kernel
def is_on_way(s, at):
    """§5 to §7, §11: whether a stone of the seat to move stands on `at` and may have come there from `start`."""
    n, start, jumps = side(s), np.int64(s.start), np.int64(s.jumps)
    if start < 0 or s.board[at] != s.to_move + 1 or (start != at and s.board[start] != 0):
        return False
    if jumps > s.board.size or not marks_way(s, at if jumps > 0 else -1):
        return False
    down, right = abs(at // n - start // n), abs(at % n - start % n)
    if jumps > 0:
        # A jump goes two points in one direction.
        return down % 2 == 0 and right % 2 == 0 and down + right <= 2 * jumps and (down + right - 2 * jumps) % 4 == 0
    return start != at and (down + right == 1 or flies(s, s.to_move))


@kernel
def marks_way(s, at):
    """§7: whether `been` marks the points on the way to `at`, each empty since, and none where that does not matter.

    -1 for `at`: nothing has jumped.
    """
    marked = np.int64(0)
    for p in range(s.been.size):
        if s.been[p] < 0 or s.been[p] > 1 or (s.been[p] == 1 and p != at and s.board[p] != 0):
            return False
        marked += s.been[p]
    if s.revisit or at < 0:
        return marked == 0
    return marked == s.jumps + 1 and s.been[s.start] == 1 and s.been[at] == 1
