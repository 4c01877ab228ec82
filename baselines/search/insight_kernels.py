"""How alpha-beta sees who wins and which moves matter, in its root and in positions that it searches deeply.

The notes on a position are made from those on the one above it, as a move is played.
"""

import numpy as np

from ...envs.engine.protocol import examine, reexamine, relevant
from .alphabeta_kernels import UNKNOWN


def narrow_by_proof(s, levels, level):
    """Write as a level's candidates moves that include a winning one if there is any; count them as `relevant` does."""
    notes, seen = levels.examined, levels.seen
    if level > 0 and (level >= notes.shape[0] or levels.depth[level] < levels.least[0]):
        return np.int64(UNKNOWN)
    if level > 0 and seen[level - 1]:
        a = np.int64(levels.moves[level - 1, levels.tried[level - 1] - 1])
        reexamine(notes[level - 1], s, notes[level], a)
    elif not seen[level]:
        examine(s, notes[level])
    seen[level] = True
    return np.int64(relevant(s, notes[level], levels.moves[level], levels.ranks[level]))
