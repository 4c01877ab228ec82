"""What a record of Gomoku must be to be a position; § numbers refer to RULES.md."""

from ..engine.protocol import OVER
from ..engine.rng import kernel
from ..grid.board import count_stones
from .rules import wins

CONSTANTS = ("exact",)
"""Fields that `blank` sets for good."""

FLAWS = (
    "a board holds only 0, 1 and 2",
    "ply counts the stones",
    "seats take turns",
    "last is a stone of the seat that has just moved, or -1 at ply 0",
    "a winning row holds the stone that was placed last",
    "winner is the seat that has completed a winning row, or -1",
    "to_move is the seat whose turn it is, or -2 once the game has ended",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(BOARD, PLY, TURNS, LAST, ROWS, WINNER, MOVER) = range(len(FLAWS))


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    b = s.board
    stones, second = count_stones(b)
    if stones < 0:
        return BOARD
    if s.ply != stones:
        return PLY
    if second != stones // 2:
        return TURNS
    mover = (stones + 1) % 2
    if stones == 0:
        if s.last != -1:
            return LAST
    elif s.last < 0 or s.last >= b.size or b[s.last] != mover + 1:
        return LAST
    if won_before(s):
        return ROWS
    won = stones > 0 and wins(s, s.last)
    if s.winner != (mover if won else -1):
        return WINNER
    if s.to_move != OVER and (won or stones == b.size or s.to_move != stones % 2):
        return MOVER
    return -1


@kernel
def won_before(s):
    """§4: whether there was a winning row without the last stone, which is off the board meanwhile."""
    b, last = s.board, int(s.last)
    if last < 0:
        return False
    stone, won = b[last], False
    b[last] = 0
    for i in range(b.size):
        won = won or (b[i] != 0 and wins(s, i))
    b[last] = stone
    return won
