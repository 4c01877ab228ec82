"""When concealed tiles are complete (§2): kernels over a row of counts ``h``, one of every kind.

``add`` and ``drop`` are kinds that count as one tile more and one less than in ``h``; -1 for none.
"""

import numpy as np

from ..engine.rng import kernel
from .constants import KINDS

SUITED = 27  # kinds before the honors
RANKS = 9
COPIES = 4


@kernel
def count(h, i, add, drop):
    """Count the tiles of kind `i`."""
    return np.int64(h[i]) + (i == add) - (i == drop)


@kernel
def in_melds(h, first, pair, add, drop):
    """Whether the suit that begins at kind `first` is made of melds, apart from two tiles of kind `pair`.

    From the lowest rank up there is no choice: three equal tiles are a pong, as good as three equal chows, and tiles
    left over begin chows.
    """
    before = last = 0  # chows that began two ranks before, and one
    for i in range(first, first + RANKS):
        left = count(h, i, add, drop) - 2 * (i == pair) - before - last
        if left < 0:
            return False
        before, last = last, left % 3
        if last > 0 and i > first + 6:
            return False
    return True


@kernel
def complete(h, add, drop):
    """Whether the tiles, three for every meld and two more, are melds and a pair.

    Most hands are not, as the number of tiles in each suit shows: it is a multiple of three but for the pair's suit.
    """
    paired = np.int64(-1)  # first kind of the suit that holds the pair
    for first in range(0, SUITED, RANKS):
        n = int(first <= add < first + RANKS) - int(first <= drop < first + RANKS)
        for i in range(first, first + RANKS):
            n += h[i]
        if n % 3 == 1 or (n % 3 == 2 and paired >= 0):
            return False
        if n % 3 == 2:
            paired = first
    pair = np.int64(-1)
    for i in range(SUITED, KINDS):
        n = count(h, i, add, drop)
        if n == 1 or n == 4 or (n == 2 and (pair >= 0 or paired >= 0)):
            return False
        if n == 2:
            pair = i
    for first in range(0, SUITED, RANKS):
        if first != paired and not in_melds(h, first, -1, add, drop):
            return False
    if paired < 0:
        return pair >= 0
    for i in range(paired, paired + RANKS):
        if count(h, i, add, drop) >= 2 and in_melds(h, paired, i, add, drop):
            return True
    return False
