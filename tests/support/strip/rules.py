"""The rules of Strip over one record."""

import numpy as np

from boyi.envs.engine.protocol import CHANCE, OVER
from boyi.envs.engine.rng import combine, kernel

HEADS = 1.0 / 3.0
COIN, DIE = 0, 1  # what is thrown next
_SALT = np.uint64(5)


def blank(cells: int) -> np.ndarray:
    """Return one record, shape (1,): `first` and `last` are the ends of what is left, `taken` each seat's sum."""
    fields = [("ply", "i4"), ("first", "i2"), ("last", "i2"), ("taken", "i2", (2,))]
    fields += [(name, "i1") for name in ("to_move", "turn", "left", "thrown")] + [("row", "i1", (cells,))]
    record = np.zeros(1, np.dtype(fields, align=True))
    record["row"] = [(1, -2, 2, 1, -1, 2)[i % 6] for i in range(cells)]
    record["last"] = cells - 1
    return record


@kernel
def reset(s, rng):
    """The coin comes first."""
    s.to_move = CHANCE


@kernel
def legal(s, mask):
    """The left end and the right, as long as something is left."""
    mask[:] = s.to_move >= 0
    return 2 if s.to_move >= 0 else 0


@kernel
def step(s, a):
    """Take a number; the turn ends with the last of them, the game with the row."""
    at = s.first if a == 0 else s.last
    s.taken[s.turn] += s.row[at]
    if a == 0:
        s.first += 1
    else:
        s.last -= 1
    s.left -= 1
    s.ply += 1
    if s.first > s.last:
        s.to_move = OVER
    elif s.left == 0:
        s.thrown, s.to_move = COIN, CHANCE


@kernel
def chance(s, p):
    """The coin, or the die: one number three times in four, two otherwise."""
    p[0], p[1], p[2] = (HEADS, 0.0, 1.0 - HEADS) if s.thrown == COIN else (0.75, 0.25, 0.0)
    return 3 if s.thrown == COIN else 2


@kernel
def resolve(s, o):
    """Say whose turn it is, or how many numbers are to be taken."""
    if s.thrown == COIN:
        s.turn = s.turn if o == 0 else 1 - s.turn
        s.thrown = DIE
    else:
        s.left = o + 1
        s.to_move = s.turn


@kernel
def returns(s, r):
    """What was taken, less what the other took."""
    r[0] = r[1] = 0.0
    if s.to_move == OVER:
        r[0], r[1] = s.taken[0] - s.taken[1], s.taken[1] - s.taken[0]


@kernel
def key(s):
    """Hash all that the future and the returns depend on."""
    h = combine(_SALT, np.uint64(np.int64(s.first) + 16 * np.int64(s.last) + 256 * np.int64(s.to_move + 4)))
    h = combine(h, np.uint64(np.int64(s.turn) + 2 * np.int64(s.left) + 8 * np.int64(s.thrown)))
    return combine(h, np.uint64(1000 + np.int64(s.taken[0]) + 10000 * (1000 + np.int64(s.taken[1]))))
