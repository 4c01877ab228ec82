"""Draw a Gomoku position: black and white stones on the points of a wooden board.

3 . . .
2 . . .    point (r, c) is r lines below the top and c lines right of the left edge; row r has the number n - r.
1 . . .    Pixels are counted from the board's middle.
  A B C
"""

from math import isqrt

import numpy as np

from ..faces.drawing import (
    BLACK,
    GOLD,
    INK,
    PAPER,
    WHITE,
    Point,
    caption,
    circle,
    document,
    label,
    moved,
    polyline,
    rect,
    stone,
)

Cell = tuple[int, int]

STEP = 30.0  # from line to line, in pixels
EDGE = 0.75 * STEP  # of wood around the outermost lines
STONE = 0.44 * STEP  # radius
TEXT = 10.0  # height of the coordinates

NAMES = ("BLACK", "WHITE")
PAINT = (BLACK, WHITE)
WOOD, FRAME, LINE = "#ead8b6", "#c6ad7e", "#97815a"

ROW = 5  # stones in a winning row
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


def svg(state: np.void) -> str:
    """Return the picture of one Gomoku record: coordinates, stones, last stone, winning rows, caption."""
    n = isqrt(state["board"].size)
    stones = {divmod(int(a), n): int(state["board"][a]) - 1 for a in np.flatnonzero(state["board"])}
    half = (n - 1) / 2 * STEP + EDGE
    line = 8 + 0.45 * n  # height of the caption: it stays readable when the picture of a large board is made small
    parts = [rect(-half, -half, 2 * half, 2 * half, WOOD, FRAME, 1.5), *_lines(n), *_coordinates(n)]
    parts += _halo(_rows(state, stones, n), n)
    for cell, seat in stones.items():
        parts += stone(*_point(cell, n), STONE, PAINT[seat])
    if state["last"] >= 0:
        last = divmod(int(state["last"]), n)
        parts.append(circle(*_point(last, n), 0.34 * STONE, PAINT[stones[last]].mark))
    below = half + 26 + 1.3 * line
    parts += _caption(state, below, line)
    above, across = half + 20, half + 34
    return document(2 * across, above + below + 0.5 * line + 16, [moved(parts, across, above)], PAPER)


def _point(cell: Cell, n: int) -> Point:
    return STEP * (cell[1] - (n - 1) / 2), STEP * (cell[0] - (n - 1) / 2)


def _lines(n: int) -> list[str]:
    """Return the lines and the star points."""
    ends = [((i, 0), (i, n - 1)) for i in range(n)] + [((0, i), (n - 1, i)) for i in range(n)]
    lines = [polyline([_point(a, n), _point(b, n)], LINE, 1.2) for a, b in ends]
    return lines + [circle(*_point(cell, n), 0.11 * STEP, LINE) for cell in _stars(n)]


def _stars(n: int) -> list[Cell]:
    """List the star points of Go boards of this size; there are none without a middle."""
    if n < 9 or n % 2 == 0:
        return []
    first, middle = 2 if n < 13 else 3, n // 2
    places = (first, middle, n - 1 - first)
    # Boards smaller than 19 x 19 have no star points halfway along the sides.
    return [(r, c) for r in places for c in places if n >= 19 or (r == middle) == (c == middle)]


def _coordinates(n: int) -> list[str]:
    """Return the column letters below the board and the row numbers, 1 at the bottom, left of it."""
    outside = EDGE + 13
    letters, numbers = [], []
    for i in range(n):
        x, y = _point((n - 1, i), n)
        letters.append(label(chr(ord("A") + i), x, y + outside, TEXT, INK))
        x, y = _point((i, 0), n)
        numbers.append(label(str(n - i), x - outside + 5, y, TEXT, INK, "end"))
    return letters + numbers


def _rows(state: np.void, stones: dict[Cell, int], n: int) -> list[list[Cell]]:
    """List the winning rows through the last stone, each from end to end."""
    if state["winner"] < 0 or state["last"] < 0:
        return []
    mine = {cell for cell, seat in stones.items() if seat == state["winner"]}
    r, c = divmod(int(state["last"]), n)
    rows = []
    for dr, dc in DIRECTIONS:
        first = last = 0
        while (r + (first - 1) * dr, c + (first - 1) * dc) in mine:
            first -= 1
        while (r + (last + 1) * dr, c + (last + 1) * dc) in mine:
            last += 1
        row = [(r + i * dr, c + i * dc) for i in range(first, last + 1)]
        if len(row) == ROW or (len(row) > ROW and not state["exact"]):
            rows.append(row)
    return rows


def _halo(rows: list[list[Cell]], n: int) -> list[str]:
    """Return the glow under the winning rows."""
    lines = [polyline([_point(row[0], n), _point(row[-1], n)], GOLD, 0.4 * STEP) for row in rows]
    return lines + [circle(*_point(cell, n), 0.58 * STEP, GOLD) for cell in sorted(set().union(*rows))]


def _caption(state: np.void, y: float, size: float) -> list[str]:
    """Return the line below the board, centred, with a stone of the colour it names."""
    winner, seat = int(state["winner"]), int(state["to_move"])
    if winner >= 0:
        seat, text = winner, f"{NAMES[winner]} WINS"
    elif seat >= 0:
        text = f"{NAMES[seat]} TO MOVE"
    else:
        return [label("DRAW" if state["board"].all() else "GAME OVER", 0, y, size, INK)]
    mark, line = caption(text, y, size, size)
    return [circle(*mark, 0.55 * size, PAINT[seat].fill, PAINT[seat].rim), line]
