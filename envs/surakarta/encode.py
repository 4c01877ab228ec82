"""Observation encoders of Surakarta; RULES.md lists every plane."""

import numpy as np

from ..engine.rng import kernel
from ..grid.board import write_stones
from ..grid.dihedral import images, in_blocks
from . import rules
from .constants import POINTS, SIDE

PLANES = 5


@kernel
def observe_planes(s, seat, x):
    """Write (5, 6, 6): my men, theirs, how near a draw is by quiet turns, by repetition, and whether I am to move."""
    v = x.reshape(x.size)
    write_stones(s.board, seat, v)
    v[2 * POINTS : 3 * POINTS] = np.float32(s.quiet / s.no_capture_limit)
    v[3 * POINTS : 4 * POINTS] = np.float32(min(1.0, (s.seen - 1) / 2.0))
    v[4 * POINTS :] = np.float32(s.to_move == seat)


def symmetries(encoder: str, **_: object) -> tuple[np.ndarray, np.ndarray]:
    """Return where each image puts the numbers (8, 180) and the actions (8, 1296): actions are pairs of cells."""
    return np.stack([in_blocks(np.arange(PLANES), cells) for cells in images(SIDE)]), rules.symmetries()
