"""The rules of Gomoku over one record; § numbers refer to RULES.md.

Points are numbered row by row from the top left, and a point's number is the action that plays it. ``board`` holds 0
for an empty point and seat + 1 for a stone.
"""

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import GOLDEN, below, hash64, kernel
from ..grid.board import hash_all, mark_empty, pay_winner, side
from ..grid.dihedral import images
from ..grid.directions import LINES
from ..grid.rays import run_of
from .constants import ROW


def state_dtype(board_size: int, rule: str) -> np.dtype:
    """Return the record's dtype; ``last`` is the latest action (-1: none), ``winner`` a seat (-1: none)."""
    fields = [
        ("ply", "i4"),
        ("last", "i2"),
        ("to_move", "i1"),
        ("winner", "i1"),
        ("exact", "i1"),
        ("board", "i1", (board_size * board_size,)),
    ]
    return np.dtype(fields, align=True)


def blank(board_size: int, rule: str) -> np.ndarray:
    """Return one record, shape (1,), with its constants set: ``exact`` is 1 where longer rows do not win."""
    record = np.zeros(1, state_dtype(board_size, rule))
    record["exact"] = rule == "standard"
    return record


@kernel
def reset(s, rng):
    """§2: seat 0 moves first on an empty board."""
    s.last = s.winner = -1


@kernel
def legal(s, mask):
    """§3: any empty point."""
    if s.to_move < 0:
        mask[:] = 0
        return 0
    mark_empty(s, mask)
    return s.board.size - s.ply


@kernel
def wins(s, a):
    """§4: whether the stone on point a completes a winning row; only the four lines through it can hold one."""
    b, n = s.board, side(s)
    r, c = a // n, a % n
    for dr, dc in LINES:
        row = 1 + run_of(b, n, r, c, dr, dc, b[a]) + run_of(b, n, r, c, -dr, -dc, b[a])
        if row == ROW or (row > ROW and s.exact == 0):
            return True
    return False


@kernel
def step(s, a):
    """§3: place a stone; §4: whoever completes a winning row has won; §5: a full board ends the game."""
    seat = s.to_move
    s.board[a] = seat + 1
    s.last = a
    s.ply += 1
    s.to_move = 1 - seat
    if wins(s, a):
        s.winner = seat
        s.to_move = OVER
    elif s.ply == s.board.size:
        s.to_move = OVER


@kernel
def returns(s, r):
    """§6: +1 to the winner, -1 to the other; 0 for both in a draw."""
    pay_winner(s, r)


@kernel
def key(s):
    """Hash the stones, the seat to move and the rule."""
    h = np.uint64(int(s.to_move) + 4 * (2 * s.board.size + int(s.exact))) * GOLDEN
    return hash64(hash_all(h, s.board, 0))


@kernel
def playout(s, rng, mask, p):
    """Play at random to the end; throwing until a point is empty is cheaper than keeping a mask."""
    b = s.board
    while s.to_move >= 0:
        a = below(rng, b.size)
        while b[a] != 0:
            a = below(rng, b.size)
        step(s, a)


def symmetries(board_size: int, rule: str) -> np.ndarray:
    """Return the action permutations that keep the game as it is, (8, actions): four turns, also mirrored."""
    return images(board_size)
