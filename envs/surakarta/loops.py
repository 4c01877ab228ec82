"""Where men go, as tables: to neighbouring points, and over the arcs of the loops (§4 of RULES.md).

Points are numbered row by row from the top left. A loop is a circle of 24 places, four lines of six; an arc lies
between the last place of each line and the first of the next.

     0  1  2  3  4  5    loop 1: 6 7 8 9 10 11 ) 4 10 16 22 28 34 ) 29 28 27 26 25 24 ) 31 25 19 13 7 1 )
     6  7  8  9 10 11
    12 13 14 15 16 17    The arc at the upper right of loop 1 joins 11 and 4. From it, one sees 11, 10, 9, … one
    18 19 20 21 22 23    way and 4, 10, 16, … the other. The first men in sight either way see each other over
    24 25 26 27 28 29    the arc, and of all men on the loop only they do.
    30 31 32 33 34 35
"""

import numpy as np

from .constants import LOOPS, POINTS, SIDE


def loop(k: int) -> list[int]:
    """List the points of loop `k` in the order of its places."""
    last = SIDE - 1
    lines = [[(k, i), (i, last - k), (last - k, last - i), (last - i, k)] for i in range(SIDE)]
    return [r * SIDE + c for line in zip(*lines, strict=True) for r, c in line]


def _sights() -> np.ndarray:
    """Return what is seen from each arc, one way and the other, once round its loop."""
    onward = [np.roll(loop(k), -line) for k in LOOPS for line in range(0, 4 * SIDE, SIDE)]
    return np.array([[places[::-1], places] for places in onward], np.int16)


def _near() -> np.ndarray:
    """Return 1 for each pair of neighbours."""
    r, c = np.divmod(np.arange(POINTS), SIDE)
    far = np.maximum(abs(r[:, None] - r), abs(c[:, None] - c))
    return (far == 1).astype(np.int8)


SIGHTS = _sights()
"""(arcs, 2, 24): points in the order in which they are seen from an arc, either way."""
NEAR = _near()
"""(points, points): whether two points are neighbours."""
