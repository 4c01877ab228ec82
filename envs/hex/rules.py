"""The rules of Hex over one record; § numbers refer to RULES.md.

Cells are numbered row by row, and a cell's number is the action that plays it::

    0 1 2          cell a touches a-n, a-n+1,     as far as they are on the board: on this
     3 4 5                  a-1,      a+1,        ring, each also touches the next
      6 7 8                   a+n-1, a+n

``board`` holds 0 for an empty cell and seat + 1 for a stone. ``link`` is a union-find forest of groups: the parent of a
cell or, at a root, ~sides, where sides has LOW and HIGH set when the group touches the first and the second of its
owner's sides (top and bottom for seat 0, left and right for seat 1).
"""

import numpy as np

from ..engine.protocol import OVER
from ..engine.rng import GOLDEN, below, hash64, kernel
from ..grid.board import hash_all, mark_empty, pay_winner, side
from ..grid.dihedral import TURNED, images, with_kept

LOW, HIGH = 1, 2


def state_dtype(board_size: int, swap: bool) -> np.dtype:
    """Return the record's dtype; ``last`` is the latest action (-1: none), ``winner`` a seat (-1: none)."""
    cells = board_size * board_size
    fields = [
        ("ply", "i4"),
        ("stones", "i2"),
        ("last", "i2"),
        ("to_move", "i1"),
        ("winner", "i1"),
        ("swap", "i1"),
        ("board", "i1", (cells,)),
        ("link", "i2", (cells,)),
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
    s.last = s.winner = -1
    for i in range(s.link.size):
        s.link[i] = ~0


@kernel
def legal(s, mask):
    """§3, §5: any empty cell; besides, seat 1's first move may be the swap."""
    if s.to_move < 0:
        mask[:] = 0
        return 0
    mark_empty(s, mask)
    if s.swap:
        mask[s.board.size] = can_swap(s)
    return s.board.size - s.stones + can_swap(s)


@kernel
def can_swap(s):
    """§5: only the very second move of the game may be a swap."""
    return s.swap == 1 and s.ply == 1 and s.to_move == 1


@kernel
def sides(s, i):
    """Find which of its owner's sides the group of stone i touches, LOW, HIGH, both or none, writing nothing."""
    while s.link[i] >= 0:
        i = s.link[i]
    return ~s.link[i]


@kernel
def find(link, i):
    """Find the root of a stone's group, halving the path on the way."""
    while link[i] >= 0:
        if link[link[i]] >= 0:
            link[i] = link[link[i]]
        i = link[i]
    return i


@kernel
def join(link, root, i):
    """Unite the group of `root` with that of stone i; return the root of both."""
    other = find(link, i)
    if other != root:
        link[other] &= link[root]  # ~x & ~y is ~(x | y)
        link[root] = other
    return other


@kernel
def put_stone(s, seat, a):
    """§3, §4: put a stone on cell a and join the groups it touches; winning is touching both sides.

    Own neighbours that follow each other on the ring are joined already, so only the first of a run is.
    """
    b, n, stone = s.board, side(s), seat + 1
    r, c = a // n, a % n
    b[a] = stone
    s.stones += 1
    at = r if seat == 0 else c
    s.link[a] = ~((at == 0) * LOW + (at == n - 1) * HIGH)
    north_west = r > 0 and b[a - n] == stone
    north_east = r > 0 and c < n - 1 and b[a - n + 1] == stone
    east = c < n - 1 and b[a + 1] == stone
    south_east = r < n - 1 and b[a + n] == stone
    south_west = r < n - 1 and c > 0 and b[a + n - 1] == stone
    west = c > 0 and b[a - 1] == stone
    root = a
    if north_west:
        root = join(s.link, root, a - n)
    if north_east and not north_west:
        root = join(s.link, root, a - n + 1)
    if east and not north_east:
        root = join(s.link, root, a + 1)
    if south_east and not east:
        root = join(s.link, root, a + n)
    if south_west and not south_east:
        root = join(s.link, root, a + n - 1)
    if west and not south_west:
        root = join(s.link, root, a - 1)
    if s.link[root] == ~(LOW + HIGH):
        s.winner = seat


@kernel
def step(s, a):
    """§3: place a stone, or §5: take the first stone over; §4: whoever joins its two sides has won."""
    seat = np.int64(s.to_move)
    if a == s.board.size:
        swap_stone(s)
    else:
        put_stone(s, seat, a)
    s.last = a
    s.ply += 1
    s.to_move = OVER if s.winner >= 0 else 1 - seat


@kernel
def swap_stone(s):
    """§5: the only stone, on (r, c), becomes seat 1's on (c, r)."""
    n, first = side(s), s.last
    s.board[first] = s.stones = 0
    s.link[first] = ~0
    put_stone(s, np.int64(1), first % n * n + first // n)


@kernel
def returns(s, r):
    """§6: +1 to the winner, -1 to the other."""
    pay_winner(s, r)


@kernel
def key(s):
    """Hash the stones, the seat to move, and whether it may swap."""
    h = np.uint64(2 * (int(s.to_move) + 4 * s.board.size) + can_swap(s)) * GOLDEN
    return hash64(hash_all(h, s.board, 0))


@kernel
def playout(s, rng, mask, p):
    """Finish the game at random; only `returns` is defined afterwards, the winner being known before the board is full.

    A full board has one winner whenever it was decided, so the empty cells are shared out at random. Walking along the
    border between the colours from the top left corner, with seat 0's stones at ``a`` and seat 1's at ``b``, leads to
    the bottom (seat 0 is joined) or to the right (seat 1 is). Only the cells the walk meets need a colour.
    """
    if s.to_move < 0:
        return
    b, n = s.board, side(s)
    if can_swap(s) and below(rng, b.size) == 0:
        step(s, b.size)
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
            stone = b[r * n + c]
            if stone == 0:
                stone = 1 if below(rng, empty) < first else 2
                b[r * n + c] = stone
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
    return with_kept(images(board_size)[[0, TURNED]], swap)
