"""What a record of Amazons must be to be a position; § numbers refer to RULES.md."""

from ..engine.protocol import OVER
from ..engine.rng import kernel
from .constants import AMAZONS, ARROW, CHOOSE
from .rules import can_move, is_free, phase

CONSTANTS = ()
"""Fields that `blank` sets for good."""

FLAWS = (
    "a board holds only 0, 1, 2 and 3",
    "each seat has four amazons",
    "ply is three actions for every closed cell and those of the turn in progress",
    "last is the amazon in hand, which can act, or else the cell that was closed last, or -1 at ply 0",
    "winner is the seat that has just moved where the other cannot, or else -1",
    "to_move is the seat whose turn it is, or -2 once the game has ended",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(BOARD, PIECES, PLY, LAST, WINNER, MOVER) = range(len(FLAWS))


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    b, first, second, closed = s.board, 0, 0, 0
    for cell in range(b.size):
        if b[cell] < 0 or b[cell] > ARROW:
            return BOARD
        first += b[cell] == 1
        second += b[cell] == 2
        closed += b[cell] == ARROW
    if first != AMAZONS or second != AMAZONS:
        return PIECES
    if s.ply < 0 or s.ply // 3 != closed:
        return PLY
    mover = closed % 2
    if not fits_last(s, mover):
        return LAST
    lost = phase(s) == CHOOSE and not can_move(s, mover)
    if s.winner != (1 - mover if lost else -1):
        return WINNER
    if s.to_move != OVER and (lost or s.to_move != mover):
        return MOVER
    return -1


@kernel
def fits_last(s, mover):
    """§4 to §6: whether the latest action is on a cell that holds what it left there."""
    if s.ply == 0:
        return s.last == -1
    if s.last < 0 or s.last >= s.board.size:
        return False
    if phase(s) == CHOOSE:
        return s.board[s.last] == ARROW
    return s.board[s.last] == mover + 1 and is_free(s, s.last)
