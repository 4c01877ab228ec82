"""Draw a Surakarta position: red and blue men on the crossings of a board whose loops run round its corners.

6 . . .
5 . . .    point (r, c) is r lines below the top and c lines right of the left edge; row r has the number 6 - r.
4 . . .    Pixels are counted from the board's middle.
  A B C
"""

from math import cos, pi, sin

import numpy as np

from ..faces.drawing import BLUE, RED, Point, circle, moved, polyline, rect, stone
from ..grid.cells import Cells
from ..grid.picture import (
    Centre,
    column_names,
    framed,
    lattice,
    lines_across,
    row_names,
    said_of,
    spots,
    standing,
    stones_of,
)
from .constants import LOOPS, SIDE

STEP = 40.0  # from line to line, in pixels
EDGE = 2.5 * STEP  # of the middle of the outermost points
ROOM = EDGE + (max(LOOPS) + 0.4) * STEP  # for the arcs, and a little more
STONE = 0.38 * STEP  # radius
SMOOTH = 48  # strokes of an arc
TEXT = 10.0  # height of the coordinates
SIZE = 13.0  # height of what is said below

NAMES = ("RED", "BLUE")
PAINT = (RED, BLUE)
BOARD, FRAME, LINE = "#ead8b6", "#c6ad7e", "#97815a"
LOOP = {1: "#2f9486", 2: "#b0721f"}  # the colours of the loops


def svg(state: np.void) -> str:
    """Return the picture of one Surakarta record: loops, coordinates, men, the last move, caption, men left."""
    centre, cells = lattice(SIDE, SIDE, STEP), Cells(SIDE, SIDE, upward=True)
    parts = [rect(-ROOM, -ROOM, 2 * ROOM, 2 * ROOM, BOARD, FRAME, 1.5), *lines_across(SIDE, centre, LINE)]
    parts += [polyline(_loop(k), LOOP[k], 2.6) for k in LOOPS]
    parts += column_names(centre, cells.letters.upper(), TEXT, SIDE - 1, ROOM - EDGE + 14)
    parts += row_names(centre, cells.numbers, TEXT, ROOM - EDGE + 9)
    for cell, seat in stones_of(state).items():
        parts += stone(*centre(*cell), STONE, PAINT[seat])
    parts += _latest(state, centre)
    below = ROOM + 28 + 1.3 * SIZE
    parts += standing(state, NAMES, PAINT, below, SIZE, over="DRAW" if state["drawn"] else "GAME OVER")
    parts += _counts(state, below + 1.8 * SIZE)
    parts += spots(centre, cells.names, SIDE, 0.5 * STEP)
    return framed(parts, ROOM + 34, ROOM + 20, below + 2.4 * SIZE + 14)


def _loop(k: int) -> list[Point]:
    """Return the outline of loop `k`: four times a line and three quarters of a circle round a corner of the board."""
    radius = k * STEP
    line: list[Point] = [(-EDGE, radius - EDGE)]
    angles = (pi / 2 - 1.5 * pi * i / SMOOTH for i in range(SMOOTH + 1))
    line += [(EDGE + radius * cos(angle), radius * sin(angle) - EDGE) for angle in angles]
    outline = []
    for _ in range(4):
        outline += line
        line = [(-y, x) for x, y in line]
    return outline


def _latest(state: np.void, centre: Centre) -> list[str]:
    """Return the hollow left by the man that moved last, and the dot on that man."""
    if state["latest"][0] < 0:
        return []
    start, end = (divmod(int(p), SIDE) for p in state["latest"])
    paint = PAINT[int(state["board"][state["latest"][1]]) - 1]
    hollow = circle(*centre(*start), 0.5 * STONE, BOARD, paint.fill, 1.6)
    return [hollow, circle(*centre(*end), 0.34 * STONE, paint.mark)]


def _counts(state: np.void, y: float) -> list[str]:
    """Return how many men each seat has."""
    lines = [said_of(PAINT[seat], str(state["men"][seat]), y, 0.8 * SIZE) for seat in (0, 1)]
    return [moved(line, x, 0) for line, x in zip(lines, (-3.0 * SIZE, 3.0 * SIZE), strict=True)]
