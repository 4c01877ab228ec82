"""Value a position of Strip: what has been taken, and a little for what is at the ends."""

import numpy as np

from boyi.envs.engine.rng import kernel

SCALE = 20.0


def notes(game):
    """Return the ends of the row as they are known without looking, shape (1,)."""
    return np.zeros(1, np.dtype([("ends", "i4")], align=True))


@kernel
def survey(s, e):
    """Add up the ends."""
    e.ends = np.int64(s.row[s.first]) + np.int64(s.row[s.last])


@kernel
def follow(before, s, e, a):
    """Add up the ends of what is left."""
    survey(s, e)


@kernel
def evaluate(s, e, seat):
    """What was taken counts twice, the ends once for whose turn it is."""
    lead = 2 * (np.int64(s.taken[0]) - np.int64(s.taken[1]))
    value = lead + (np.int64(e.ends) if s.turn == 0 else -np.int64(e.ends))
    return value if seat == 0 else -value
