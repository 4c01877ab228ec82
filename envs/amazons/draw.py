"""Draw a position of Amazons: crowned stones on a chequered board, closed cells walled up.

3 . . .
2 . . .    cell (r, c) is r cells below the top and c cells right of the left edge; row r has the number n - r.
1 . . .    Pixels are counted from the board's middle.
  a b c
"""

import numpy as np

from ..faces.drawing import BLACK, CELL, GOLD, GRID, INK, WHITE, Point, circle, polygon, rect, stone
from ..grid.cells import side_of, square
from ..grid.picture import Cell, column_names, framed, lattice, row_names, spots, standing, stones_of, text_height
from .constants import ARROW, CHOOSE, QUEEN

STEP = 34.0  # of a cell, in pixels
WALL = 0.42 * STEP  # half of a closed cell's side
STONE = 0.4 * STEP  # radius
TEXT = 10.0  # height of the coordinates

NAMES = ("WHITE", "BLACK")
PAINT = (WHITE, BLACK)
DUTIES = ("TO MOVE", "TO GO", "TO SHOOT")
DARK = "#e0d6c1"  # every other cell

CROWN = ((-5, 4), (-6, -3), (-3, 0), (0, -5), (3, 0), (6, -3), (5, 4))  # for a stone of radius 10


def svg(state: np.void) -> str:
    """Return the picture of one record: coordinates, cells, amazons, the one in hand and what it reaches, caption."""
    n, names = side_of(state), square(state, upward=True)
    standing_on, centre = stones_of(state), lattice(n, n, STEP)
    half, last = n / 2 * STEP, divmod(int(state["last"]), n)
    parts = [rect(-half, -half, 2 * half, 2 * half, CELL, GRID, 1.5)]
    parts += [_cell(centre(r, c), 0.5 * STEP, DARK) for r in range(n) for c in range(n) if (r + c + n) % 2]
    parts += column_names(centre, names.letters.upper(), TEXT, n - 1, 0.5 * STEP + 14)
    parts += row_names(centre, names.numbers, TEXT, 0.5 * STEP + 8)
    for cell, owner in standing_on.items():
        if owner == ARROW - 1:
            parts.append(_cell(centre(*cell), WALL, INK))
        else:
            in_hand = cell == last
            parts += [circle(*centre(*cell), 1.2 * STONE, GOLD)] if in_hand else []
            parts += _amazon(centre(*cell), owner)
    if standing_on.get(last) == ARROW - 1:
        parts.append(circle(*centre(*last), 0.3 * STONE, GOLD))
    parts += [circle(*centre(*cell), 0.3 * STONE, GOLD) for cell in _reach(state, standing_on, n)]
    size = text_height(n)
    below = half + 26 + 1.3 * size
    parts += standing(state, NAMES, PAINT, below, size, DUTIES[state["ply"] % 3])
    parts += spots(centre, names.names, n, 0.5 * STEP)
    return framed(parts, half + 34, half + 20, below + 0.5 * size + 16)


def _cell(centre: Point, half: float, fill: str) -> str:
    """Return a square around a point."""
    return rect(centre[0] - half, centre[1] - half, 2 * half, 2 * half, fill)


def _amazon(centre: Point, seat: int) -> list[str]:
    """Return a stone with a crown on it."""
    x, y = centre
    crown = [(x + STONE / 10 * dx, y + STONE / 10 * dy) for dx, dy in CROWN]
    return [*stone(x, y, STONE, PAINT[seat]), polygon(crown, PAINT[seat].mark)]


def _reach(state: np.void, standing_on: dict[Cell, int], n: int) -> list[Cell]:
    """List the cells that the amazon in hand may go or shoot to (§5, §6); none once the game has ended."""
    if state["to_move"] < 0 or state["ply"] % 3 == CHOOSE:
        return []
    row, column = divmod(int(state["last"]), n)
    found = []
    for down, right in QUEEN:
        r, c = row + down, column + right
        while 0 <= r < n and 0 <= c < n and (r, c) not in standing_on:
            found.append((r, c))
            r, c = r + down, c + right
    return found
