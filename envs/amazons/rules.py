"""The rules of Amazons over one record; § numbers refer to RULES.md.

Cells are numbered row by row from the top left, and a cell's number is the action that names it. ``board`` holds 0
for an empty cell, seat + 1 for an amazon and ARROW for a closed cell. A turn is three actions, so ``ply`` tells what
the next one does, see `phase`; until the turn is over the amazon in hand stands on the cell of the latest action.
"""

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import GOLDEN, hash64, kernel
from ..grid.board import hash_all, pay_winner, side
from ..grid.cells import side_of
from ..grid.dihedral import images, moved
from .constants import ARROW, CHOOSE, GO, QUEEN, SHOOT


def state_dtype(board_size: int) -> np.dtype:
    """Return the record's dtype; ``last`` is the latest action (-1: none), ``winner`` a seat (-1: none)."""
    fields = [
        ("ply", "i4"),
        ("last", "i2"),
        ("to_move", "i1"),
        ("winner", "i1"),
        ("board", "i1", (board_size * board_size,)),
    ]
    return np.dtype(fields, align=True)


def blank(board_size: int) -> np.ndarray:
    """Return one record, shape (1,)."""
    return np.zeros(1, state_dtype(board_size))


@kernel
def reset(s, rng):
    """§2: four amazons of seat 1 near the top, those of seat 0 opposite; seat 0 moves first."""
    n = side(s)
    k = (n - 1) // 3
    for cell in (k * n, k, n - 1 - k, k * n + n - 1):
        s.board[cell] = 2
        s.board[mirrored(n, cell)] = 1
    s.last = s.winner = -1


@kernel
def mirrored(n, cell):
    """Find the cell that is as far from the bottom as this one is from the top."""
    return (n - 1 - cell // n) * n + cell % n


@kernel
def phase(s):
    """§3: what the next action does: CHOOSE, GO or SHOOT."""
    return s.ply % 3


@kernel
def legal(s, mask):
    """§4: an amazon that can move; §5, §6: whatever the amazon in hand reaches."""
    mask[:] = 0
    if s.to_move < 0:
        return 0
    if phase(s) != CHOOSE:
        return reach(s, np.int64(s.last), mask)
    b, count = s.board, 0
    for cell in range(b.size):
        if b[cell] == s.to_move + 1 and is_free(s, cell):
            mask[cell] = 1
            count += 1
    return count


@kernel
def reach(s, cell, mask):
    """§5: mark the empty cells on the eight rays from a cell, each up to the first that is not empty; count them."""
    b, n, count = s.board, side(s), 0
    row, column = cell // n, cell % n
    for dr, dc in QUEEN:
        r, c = row + dr, column + dc
        while 0 <= r < n and 0 <= c < n and b[r * n + c] == 0:
            mask[r * n + c] = 1
            count += 1
            r, c = r + dr, c + dc
    return count


@kernel
def is_free(s, cell):
    """§4: whether what stands on a cell can move: a neighbour is empty."""
    b, n = s.board, side(s)
    row, column = cell // n, cell % n
    for r in range(max(row - 1, 0), min(row + 2, n)):
        for c in range(max(column - 1, 0), min(column + 2, n)):
            if b[r * n + c] == 0:
                return True
    return False


@kernel
def can_move(s, seat):
    """§7: whether any amazon of a seat can move."""
    for cell in range(s.board.size):
        if s.board[cell] == seat + 1 and is_free(s, cell):
            return True
    return False


@kernel
def step(s, a):
    """§3: choose an amazon, move it, or shoot; §7: whoever cannot begin a turn has lost."""
    seat = s.to_move
    if phase(s) == GO:
        s.board[s.last] = 0
        s.board[a] = seat + 1
    elif phase(s) == SHOOT:
        s.board[a] = ARROW
        s.to_move = 1 - seat
        if not can_move(s, 1 - seat):
            s.winner = seat
            s.to_move = OVER
    s.last = a
    s.ply += 1


@kernel
def returns(s, r):
    """§8: +1 to the winner, -1 to the other."""
    pay_winner(s, r)


@kernel
def key(s):
    """Hash the board, the seat to move, what comes next and the amazon in hand; what was shot last does not matter."""
    hand = s.last + 1 if phase(s) != CHOOSE else 0
    h = np.uint64(s.to_move + 4 + 8 * (phase(s) + 3 * hand)) * GOLDEN
    return hash64(hash_all(h, s.board, 0))


def symmetries(board_size: int) -> np.ndarray:
    """Return the action permutations of the board's images, (8, actions): four turns, and four of its transpose."""
    return images(board_size)


def image(states: np.ndarray, k: int) -> np.ndarray:
    """Return the k-th image of records (n,); for most images, that of the start is another position (§11)."""
    return moved(states, images(side_of(states[0]))[k], ["board"], ["last"])
