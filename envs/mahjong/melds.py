"""The forms of declared melds (§7, §8) and their tiles, for code that needs them without Numba and for kernels too."""

import numpy as np

from .constants import KINDS

NONE, CHOW, PONG, KONG, ADDED, CONCEALED = range(6)  # the last two are added and concealed kongs
SPAN = (0, 3, 1, 1, 1, 1)  # kinds in a meld of each form, from its lowest on
EACH = (0, 1, 3, 4, 4, 4)  # tiles of each of those kinds


def tiles_of(form: int, low: int) -> list[int]:
    """List the kinds of a meld's tiles, its lowest kind first."""
    return [kind for kind in range(low, low + SPAN[form]) for _ in range(EACH[form])]


def melded(s: np.void, q: int) -> np.ndarray:
    """Count the tiles of every kind in a seat's melds: (34,) int64."""
    melds = zip(s["form"][q].tolist(), s["kind"][q].tolist(), strict=True)
    return np.bincount([kind for form, low in melds for kind in tiles_of(form, low)], minlength=KINDS)
