"""Draw a Gomoku position: black and white stones on the points of a wooden board.

3 . . .
2 . . .    point (r, c) is r lines below the top and c lines right of the left edge; row r has the number n - r.
1 . . .    Pixels are counted from the board's middle.
  A B C
"""

import numpy as np

from ..faces.drawing import BLACK, GOLD, WHITE, circle, polyline, rect, stone
from ..grid.cells import side_of, square
from ..grid.directions import LINES
from ..grid.picture import (
    Cell,
    Centre,
    column_names,
    framed,
    lattice,
    lines_across,
    row_names,
    spots,
    standing,
    stones_of,
    text_height,
)
from .constants import ROW

STEP = 30.0  # from line to line, in pixels
EDGE = 0.75 * STEP  # of wood around the outermost lines
STONE = 0.44 * STEP  # radius
TEXT = 10.0  # height of the coordinates

NAMES = ("BLACK", "WHITE")
PAINT = (BLACK, WHITE)
WOOD, FRAME, LINE = "#ead8b6", "#c6ad7e", "#97815a"


def svg(state: np.void) -> str:
    """Return the picture of one Gomoku record: coordinates, stones, last stone, winning rows, caption."""
    n, cells = side_of(state), square(state, upward=True)
    stones, centre = stones_of(state), lattice(n, n, STEP)
    half = (n - 1) / 2 * STEP + EDGE
    parts = [rect(-half, -half, 2 * half, 2 * half, WOOD, FRAME, 1.5), *lines_across(n, centre, LINE)]
    parts += [circle(*centre(*cell), 0.11 * STEP, LINE) for cell in _stars(n)]
    parts += column_names(centre, cells.letters.upper(), TEXT, n - 1, EDGE + 13)
    parts += row_names(centre, cells.numbers, TEXT, EDGE + 8)
    parts += _halo(_rows(state, stones, n), centre)
    for cell, seat in stones.items():
        parts += stone(*centre(*cell), STONE, PAINT[seat])
    if state["last"] >= 0:
        last = divmod(int(state["last"]), n)
        parts.append(circle(*centre(*last), 0.34 * STONE, PAINT[stones[last]].mark))
    size = text_height(n)
    below = half + 26 + 1.3 * size
    parts += standing(state, NAMES, PAINT, below, size, over="DRAW" if state["board"].all() else "GAME OVER")
    parts += spots(centre, cells.names, n, 0.5 * STEP)
    return framed(parts, half + 34, half + 20, below + 0.5 * size + 16)


def _stars(n: int) -> list[Cell]:
    """List the star points of Go boards of this size; a board without a middle has none."""
    if n < 9 or n % 2 == 0:
        return []
    first, middle = 2 if n < 13 else 3, n // 2
    places = (first, middle, n - 1 - first)
    # Boards smaller than 19 x 19 have no star points halfway along the sides.
    return [(r, c) for r in places for c in places if n >= 19 or (r == middle) == (c == middle)]


def _rows(state: np.void, stones: dict[Cell, int], n: int) -> list[list[Cell]]:
    """List the winning rows through the last stone, each from end to end."""
    if state["winner"] < 0 or state["last"] < 0:
        return []
    mine = {cell for cell, seat in stones.items() if seat == state["winner"]}
    r, c = divmod(int(state["last"]), n)
    rows = []
    for dr, dc in LINES:
        first = last = 0
        while (r + (first - 1) * dr, c + (first - 1) * dc) in mine:
            first -= 1
        while (r + (last + 1) * dr, c + (last + 1) * dc) in mine:
            last += 1
        row = [(r + i * dr, c + i * dc) for i in range(first, last + 1)]
        if len(row) == ROW or (len(row) > ROW and not state["exact"]):
            rows.append(row)
    return rows


def _halo(rows: list[list[Cell]], centre: Centre) -> list[str]:
    """Return the glow under the winning rows."""
    lines = [polyline([centre(*row[0]), centre(*row[-1])], GOLD, 0.4 * STEP) for row in rows]
    return lines + [circle(*centre(*cell), 0.58 * STEP, GOLD) for cell in sorted(set().union(*rows))]
