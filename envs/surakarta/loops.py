"""The ways of men on the board, as tables: to neighbouring points, and along the loops (§4 of RULES.md).

Points are numbered row by row from the top left. A loop is a circle of 24 places, four lines of six; the arcs lie
between the last place of each line and the first of the next.

     0  1  2  3  4  5    loop 1 begins  6  7  8  9 10 11 ( 4 10 16 22 28 34 ( 29 28 27 26 25 24 (
     6  7  8  9 10 11                  31 25 19 13  7  1 ( and is at 6 again
    12 13 14 15 16 17
    18 19 20 21 22 23    A man on 9 goes along it to 10, 11, over an arc to 4, and so on; or to 8, 7, 6, over an
    24 25 26 27 28 29    arc to 1, and so on. Loop 2 crosses there too: 9 is on its column 3.
    30 31 32 33 34 35
"""

import numpy as np

from .constants import LOOPS, POINTS, SIDE

WAYS = 4  # along loops from a point where two lines cross; half as many from the edge, none from a corner
AROUND = 4 * SIDE - 1  # places of a loop besides the one where a man stands


def loop(k: int) -> list[int]:
    """List the points of loop `k` in the order of its places."""
    last = SIDE - 1
    lines = [[(k, i), (i, last - k), (last - k, last - i), (last - i, k)] for i in range(SIDE)]
    return [r * SIDE + c for line in zip(*lines, strict=True) for r, c in line]


def _rays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points met on every way from every point, how many of them lie before the first arc, and the ways."""
    rays = np.zeros((POINTS, WAYS, AROUND), np.int16)
    straight, ways = np.zeros((POINTS, WAYS), np.int16), np.zeros(POINTS, np.int16)
    for places in map(loop, LOOPS):
        for i, p in enumerate(places):
            onward = np.roll(places, -i)[1:]
            for ray, before in ((onward, SIDE - 1 - i % SIDE), (onward[::-1], i % SIDE)):
                rays[p, ways[p]], straight[p, ways[p]] = ray, before
                ways[p] += 1
    return rays, straight, ways


def _steps() -> tuple[np.ndarray, np.ndarray]:
    """Return the neighbours of every point, and how many it has."""
    near = np.zeros((POINTS, 8), np.int16)
    counts = np.zeros(POINTS, np.int16)
    for p in range(POINTS):
        for q in range(POINTS):
            if p != q and max(abs(p // SIDE - q // SIDE), abs(p % SIDE - q % SIDE)) == 1:
                near[p, counts[p]] = q
                counts[p] += 1
    return near, counts


RAYS, STRAIGHT, RAYS_OF = _rays()
"""(points, WAYS, AROUND): what is met on every way; (points, WAYS): how much before the first arc; (points,): the ways."""
NEAR, NEAR_OF = _steps()
"""(points, 8): the neighbours; (points,): how many there are."""
