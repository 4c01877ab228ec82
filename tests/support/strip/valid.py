"""What a record of Strip must be to be a position."""

from boyi.envs.engine.protocol import CHANCE, OVER
from boyi.envs.engine.rng import kernel

from .rules import COIN, DIE

CONSTANTS = ("row",)
"""Fields that `blank` sets for good."""

FLAWS = (
    "first and last are the ends of what is left of the row",
    "ply counts the numbers that are gone",
    "taken is what the seats have got of them",
    "turn is a seat",
    "thrown is 0 or 1",
    "to_move is turn, -1 before a throw, or -2 once the game has ended",
    "left is how many numbers the turn may still take, and thrown 1 while it lasts",
)
"""The rules, in the order in which `flaw` looks: each may rely on those before it."""


@kernel
def flaw(s):
    """Find the first of FLAWS in a record of any bytes; -1 when there is none."""
    cells = s.row.size
    if s.first < 0 or s.last >= cells or s.first > s.last + 1:
        return 0
    if s.ply != cells - 1 - s.last + s.first:
        return 1
    if not adds_up(s):
        return 2
    if s.turn < 0 or s.turn > 1:
        return 3
    if s.thrown != COIN and s.thrown != DIE:
        return 4
    over = s.first > s.last
    if s.to_move != OVER and (over or (s.to_move != CHANCE and s.to_move != s.turn)):
        return 5
    low, high = (0, 0) if s.to_move == CHANCE else (0, 1) if over else (1, 2)
    if s.left < low or s.left > high or (s.to_move != CHANCE and s.thrown == COIN):
        return 6
    return -1


@kernel
def adds_up(s):
    """Whether what the seats have taken is what is gone, neither of them having more or less than all of it."""
    least, most = 0, 0
    for i in range(s.row.size):
        if i < s.first or i > s.last:
            least += min(s.row[i], 0)
            most += max(s.row[i], 0)
    for seat in range(2):
        if s.taken[seat] < least or s.taken[seat] > most:
            return False
    return s.taken[0] + s.taken[1] == least + most
