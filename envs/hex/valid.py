"""What a record of Hex must be to be a position; § numbers refer to RULES.md."""

from ..engine.protocol import OVER
from ..engine.rng import kernel
from ..grid.board import count_stones, side
from .rules import HIGH, LOW, sides

CONSTANTS = ("swap",)
"""Fields that `blank` sets for good."""

FLAWS = (
    "a board holds only 0, 1 and 2",
    "stones counts those on the board",
    "seats take turns, and only a swap leaves one stone fewer than plies",
    "last is a stone of the seat that has just moved, the swap at ply 2, or -1 at ply 0",
    "link leads from every stone to one end within its own stones, and is -1 on an empty cell",
    "link joins stones that touch, and no others",
    "the end of a group has the sides that its stones are on",
    "winner is the seat that has just moved and has joined its sides, or -1",
    "to_move is the seat whose turn it is, or -2 once the game has ended",
)
"""The rules, in the order in which `flaw` checks them: each may rely on those before it."""

(BOARD, STONES, TURNS, LAST, LINK, GROUPS, SIDES, WINNER, MOVER) = range(len(FLAWS))

MARKED = 4  # added to a stone while groups are filled in


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    b = s.board
    stones, second = count_stones(b)
    if stones < 0:
        return BOARD
    if s.stones != stones:
        return STONES
    swapped = s.swap == 1 and s.ply >= 2 and stones == s.ply - 1
    if s.ply != stones + swapped or second != s.ply // 2:
        return TURNS
    if not fits_last(s, swapped):
        return LAST
    for i in range(b.size):
        if not leads_home(s, i):
            return LINK
    if not joins_groups(s):
        return GROUPS
    if not has_sides(s):
        return SIDES
    if s.winner != joined(s) or s.winner == s.ply % 2:
        return WINNER
    if s.to_move != OVER and (s.winner >= 0 or s.to_move != s.ply % 2):
        return MOVER
    return -1


@kernel
def fits_last(s, swapped):
    """§3, §5: whether the latest action can be what `last` says."""
    if s.ply == 0:
        return s.last == -1
    if s.last == s.board.size:
        return swapped and s.ply == 2
    return 0 <= s.last < s.board.size and s.board[s.last] == (s.ply - 1) % 2 + 1


@kernel
def leads_home(s, i):
    """Whether following `link` from cell i stays on stones of one seat and ends at a set of sides."""
    b, link = s.board, s.link
    if b[i] == 0:
        return link[i] == ~0
    stone = b[i]
    for _ in range(b.size):
        if link[i] < 0:
            return link[i] >= ~(LOW + HIGH)
        if link[i] >= b.size or b[link[i]] != stone:
            return False
        i = link[i]
    return False


@kernel
def end(link, i):
    """Find where a stone's links end."""
    while link[i] >= 0:
        i = link[i]
    return i


@kernel
def neighbour(n, i, j):
    """Find the j-th of the three cells beside, below and below left of cell i; -1 off the board."""
    r, c = i // n, i % n
    if j == 0:
        return i + 1 if c < n - 1 else -1
    if r == n - 1:
        return -1
    if j == 1:
        return i + n
    return i + n - 1 if c > 0 else -1


@kernel
def joins_groups(s):
    """Whether touching stones of a seat have one end, and every stone is joined to its end by stones that touch.

    For the second, each group is filled in from its end with marks, which are off the board again on return.
    """
    b, link, n = s.board, s.link, side(s)
    for i in range(b.size):
        for j in range(3):
            k = neighbour(n, i, j)
            if b[i] != 0 and k >= 0 and b[k] == b[i] and end(link, i) != end(link, k):
                return False
    for i in range(b.size):
        if b[i] != 0 and link[i] < 0:
            b[i] += MARKED
    grown = True
    while grown:
        grown = False
        for i in range(b.size):
            grown |= spread(b, n, i)
        for i in range(b.size - 1, -1, -1):
            grown |= spread(b, n, i)
    whole = True
    for i in range(b.size):
        whole &= b[i] == 0 or b[i] > MARKED
        b[i] %= MARKED
    return whole


@kernel
def spread(b, n, i):
    """Carry a mark between cell i and the cells after it that hold the same seat's stones; return whether one was."""
    carried = False
    for j in range(3):
        k = neighbour(n, i, j)
        if k >= 0 and b[i] - b[k] == MARKED:
            b[k] += MARKED
            carried = True
        elif k >= 0 and b[k] - b[i] == MARKED:
            b[i] += MARKED
            carried = True
    return carried


@kernel
def edge(s, i, seat):
    """Find which of its sides a seat's stone on cell i stands on."""
    n = side(s)
    at = i // n if seat == 0 else i % n
    return (at == 0) * LOW + (at == n - 1) * HIGH


@kernel
def has_sides(s):
    """Whether the end of every group has each side that a stone of the group is on, and no other."""
    b, n = s.board, side(s)
    for i in range(b.size):
        if b[i] != 0 and edge(s, i, b[i] - 1) & ~sides(s, i) != 0:
            return False
        if b[i] != 0 and s.link[i] < 0:
            left = ~s.link[i]
            for k in range(n):
                for at in (k, b.size - n + k) if b[i] == 1 else (k * n, k * n + n - 1):
                    if b[at] == b[i] and end(s.link, at) == i:
                        left &= ~edge(s, at, b[i] - 1)
            if left != 0:
                return False
    return True


@kernel
def joined(s):
    """§4: find the seat that has joined both of its sides; -1 if none has."""
    for i in range(s.board.size):
        if s.board[i] != 0 and s.link[i] == ~(LOW + HIGH):
            return s.board[i] - 1
    return -1
