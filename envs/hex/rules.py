"""The rules of Hex over one record; clause numbers refer to RULES.md.

A cell's index is ``r * n + c`` and the action that plays it::

    0 1 2        (r, c) touches (r-1, c), (r-1, c+1), (r, c-1),
     3 4 5                      (r, c+1), (r+1, c-1), (r+1, c)
      6 7 8

``board`` holds 0 for an empty cell and seat + 1 for a stone. Connections are a union-find forest in ``link``: the
cells, then the four sides as the nodes n*n + TOP, BOTTOM, LEFT, RIGHT; a seat has won when its two sides are joined.
"""

import numpy as np

from ..protocol import OVER
from ..rng import GOLDEN, below, hash64, kernel

TOP, BOTTOM, LEFT, RIGHT = 0, 1, 2, 3
_PRIME = np.uint64(0x100000001B3)  # multiplier of the FNV hash


def state_dtype(board_size: int, swap: bool) -> np.dtype:
    """Return the record's dtype; ``last`` is the latest action (-1: none), ``winner`` a seat (-1: none)."""
    n = board_size
    fields = [
        ("ply", "i4"),
        ("stones", "i2"),
        ("last", "i2"),
        ("to_move", "i1"),
        ("winner", "i1"),
        ("swap", "i1"),
        ("board", "i1", (n, n)),
        ("link", "i2", (n * n + 4,)),
    ]
    return np.dtype(fields, align=True)


def blank(board_size: int, swap: bool) -> np.ndarray:
    """Return one record, shape (1,), with its constants set."""
    record = np.zeros(1, state_dtype(board_size, swap))
    record["swap"] = swap
    return record


@kernel
def reset(s, rng):
    """§2: seat 0 moves first on an empty board."""
    link = s.link
    s.last = s.winner = -1
    for i in range(link.shape[0]):
        link[i] = i


@kernel
def cells(s):
    """View the board as one row of n * n cells, which compilers turn into wide instructions."""
    return s.board.reshape(s.board.size)


@kernel
def legal(s, mask):
    """§3, §5: any empty cell; besides, seat 1's first move may be the swap."""
    if s.to_move < 0:
        mask[:] = 0
        return 0
    b = cells(s)
    size = b.size
    for i in range(size):
        mask[i] = b[i] == 0
    if s.swap:
        mask[size] = can_swap(s)
    return size - s.stones + can_swap(s)


@kernel
def can_swap(s):
    """§5: only the very second move of the game may be a swap."""
    return s.swap == 1 and s.ply == 1 and s.to_move == 1


@kernel
def find(link, i):
    """Find the representative of a cell or side, halving the path on the way."""
    while link[i] != i:
        link[i] = link[link[i]]
        i = link[i]
    return i


@kernel
def join(link, i, j):
    """Unite two groups; the larger index represents, so that sides do."""
    i, j = find(link, i), find(link, j)
    if i < j:
        link[i] = j
    else:
        link[j] = i


@kernel
def place(s, seat, r, c):
    """Put a stone on (r, c) and join it to its neighbours and to its own sides."""
    b, link = s.board, s.link
    n = b.shape[0]
    i, stone, sides = r * n + c, seat + 1, n * n
    b[r, c] = stone
    s.stones += 1
    if r > 0 and b[r - 1, c] == stone:
        join(link, i, i - n)
    if r > 0 and c < n - 1 and b[r - 1, c + 1] == stone:
        join(link, i, i - n + 1)
    if c > 0 and b[r, c - 1] == stone:
        join(link, i, i - 1)
    if c < n - 1 and b[r, c + 1] == stone:
        join(link, i, i + 1)
    if r < n - 1 and c > 0 and b[r + 1, c - 1] == stone:
        join(link, i, i + n - 1)
    if r < n - 1 and b[r + 1, c] == stone:
        join(link, i, i + n)
    at = r if seat == 0 else c
    first = sides + (TOP if seat == 0 else LEFT)
    if at == 0:
        join(link, i, first)
    if at == n - 1:
        join(link, i, first + 1)
    if find(link, first) == find(link, first + 1):
        s.winner = seat


@kernel
def step(s, a):
    """§3: place a stone, or §5: take the first stone over; §4: whoever joins its two sides has won."""
    n = s.board.shape[0]
    seat = s.to_move
    if a == n * n:
        swap_stone(s)
    else:
        place(s, seat, a // n, a % n)
    s.last = a
    s.ply += 1
    s.to_move = OVER if s.winner >= 0 else 1 - seat


@kernel
def swap_stone(s):
    """§5: the only stone, on (r, c), becomes seat 1's on (c, r)."""
    n = s.board.shape[0]
    r, c = s.last // n, s.last % n
    s.board[r, c] = s.stones = 0
    for i in range(s.link.shape[0]):
        s.link[i] = i
    place(s, 1, c, r)


@kernel
def returns(s, r):
    """§6: +1 to the winner, -1 to the other."""
    r[0] = r[1] = 0.0
    if s.winner >= 0:
        r[s.winner] = 1.0
        r[1 - s.winner] = -1.0


@kernel
def key(s):
    """Hash the stones, the seat to move, and whether it may swap."""
    b = cells(s)
    h = np.uint64(2 * (s.to_move + 4 * b.size) + can_swap(s)) * GOLDEN
    for i in range(b.size):
        h = (h ^ np.uint64(b[i])) * _PRIME
    return hash64(h)


@kernel
def playout(s, rng, mask, p):
    """Finish the game at random: only `returns` is defined afterwards, for the winner is known before the board is full.

    A full board has one winner whenever it was decided, so the empty cells are shared out at random. Walking along the
    border between the colours from the top left corner, with seat 0's stones at ``a`` and seat 1's at ``b``, leads to
    the bottom (seat 0 is joined) or to the right (seat 1 is). Only the cells the walk meets need a colour.
    """
    if s.to_move < 0:
        return
    b = s.board
    n = b.shape[0]
    if can_swap(s) and below(rng, n * n) == 0:
        step(s, n * n)
    empty = b.size - s.stones
    first = (empty + 1 - s.to_move) // 2  # cells that seat 0 still gets: the mover has the odd one
    ar, ac, br, bc = -1, 0, 0, -1
    while ar < n and bc < n:
        r, c = ar - (bc - ac), ac + (bc - ac) + (br - ar)
        if r < 0 or r >= n:
            stone = 1
        elif c < 0 or c >= n:
            stone = 2
        else:
            stone = b[r, c]
            if stone == 0:
                stone = 1 if below(rng, empty) < first else 2
                b[r, c] = stone
                first -= stone == 1
                empty -= 1
        if stone == 1:
            ar, ac = r, c
        else:
            br, bc = r, c
    s.winner = 0 if ar >= n else 1
    s.to_move = OVER


def symmetries(board_size: int, swap: bool) -> np.ndarray:
    """Return the action permutations that keep the game as it is, (2, actions): identity and half a turn."""
    actions = np.arange(board_size**2 + swap)
    turned = actions.copy()
    turned[: board_size**2] = actions[: board_size**2][::-1]
    return np.stack([actions, turned])
