"""Draw a Hex position: a rhombus of pointy-top hexagons, red joins top and bottom, blue left and right.

 A   B   C
1 .   .   .        row r is shifted right by r / 2 cells; cell (r, c) touches (r-1, c), (r-1, c+1),
  2 .   .   .      (r, c-1), (r, c+1), (r+1, c-1) and (r+1, c). Pixels are counted from the board's
    3 .   .   .    middle, so a half turn of the board is a change of sign.
"""

from collections import deque
from collections.abc import Iterator
from math import cos, hypot, isqrt, pi, sin, sqrt

import numpy as np

from ..faces.drawing import (
    BLUE,
    CELL,
    GOLD,
    GRID,
    INK,
    PAPER,
    RED,
    Point,
    caption,
    circle,
    document,
    label,
    moved,
    polygon,
    polyline,
    stone,
)

Cell = tuple[int, int]

RADIUS = 20.0  # of a hexagon, centre to corner, in pixels
WIDTH = sqrt(3) * RADIUS  # of a hexagon, side to side
BAND = 8.0  # thickness of the coloured sides
TEXT = 9.0  # height of the coordinates and the caption

NAMES = ("RED", "BLUE")
PAINT = (RED, BLUE)

# Of a hexagon around (0, 0), clockwise from the top.
CORNERS = [(RADIUS * sin(k * pi / 3), -RADIUS * cos(k * pi / 3)) for k in range(6)]
NEIGHBOURS = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))


def svg(state: np.void) -> str:
    """Return the picture of one Hex record: coordinates, stones, last stone, winning chain, caption."""
    n = isqrt(state["board"].size)
    stones = {divmod(int(a), n): int(state["board"][a]) - 1 for a in np.flatnonzero(state["board"])}
    right, bottom = (1.5 * n - 0.5) * WIDTH / 2, (1.5 * n + 0.5) * RADIUS / 2
    parts = [*_bands(n), *_coordinates(n)]
    parts += [_hexagon(_centre(r, c, n)) for r in range(n) for c in range(n)]
    parts += _halo([_centre(r, c, n) for r, c in _chain(stones, int(state["winner"]), n)])
    for (r, c), seat in stones.items():
        parts += stone(*_centre(r, c, n), 0.66 * RADIUS, PAINT[seat])
    parts += [circle(*_centre(r, c, n), 0.24 * RADIUS, PAPER) for r, c in _last(stones, int(state["last"]), n)]
    parts += _caption(state, bottom + 38)
    across, above, below = right + 50, bottom + 48, bottom + 62
    return document(2 * across, above + below, [moved(parts, across, above)], PAPER)


def _centre(r: int, c: int, n: int) -> Point:
    middle = (n - 1) / 2
    return WIDTH * (c - middle + (r - middle) / 2), 1.5 * RADIUS * (r - middle)


def _hexagon(centre: Point) -> str:
    return polygon([(centre[0] + x, centre[1] + y) for x, y in CORNERS], CELL, GRID, 1.2)


def _halo(centres: list[Point]) -> list[str]:
    """Return the glow under the winning chain."""
    glow = [circle(x, y, 0.88 * RADIUS, GOLD) for x, y in centres]
    return [polyline(centres, GOLD, 0.6 * RADIUS), *glow] if centres else []


def _coordinates(n: int) -> list[str]:
    """Return the column letters, each above its column's first cell, and the row numbers."""
    letters, numbers = [], []
    for i in range(n):
        x, y = _centre(0, i, n)
        letters.append(label(chr(ord("A") + i), x, y - RADIUS - BAND - 10, TEXT, INK))
        x, y = _centre(i, 0, n)
        numbers.append(label(str(i + 1), x - WIDTH / 2 - BAND - 6, y, TEXT, INK, "end"))
    return letters + numbers


def _bands(n: int) -> Iterator[str]:
    """Yield the coloured sides, which meet at the sharp corners and halfway along an edge at the blunt."""

    def corner(r: int, c: int, k: int) -> Point:
        x, y = _centre(r, c, n)
        return x + CORNERS[k][0], y + CORNERS[k][1]

    (ax, ay), (bx, by) = corner(0, n - 1, 0), corner(0, n - 1, 1)
    top = [corner(0, 0, 5), *(corner(0, c, k) for c in range(n) for k in (0, 1))][:-1]
    right = [((ax + bx) / 2, (ay + by) / 2), *(corner(r, n - 1, k) for r in range(n) for k in (1, 2))][:-1]
    half = top + right
    ring = half + [(-x, -y) for x, y in half]
    rim = [_pushed(*three) for three in zip(ring[-1:] + ring, ring, ring[1:] + ring[:1], strict=False)]
    inner, outer = ring + ring[:1], rim + rim[:1]
    for side in range(4):
        span = slice(2 * n * side, 2 * n * (side + 1) + 1)
        yield polygon(inner[span] + outer[span][::-1], PAINT[side % 2].fill)


def _pushed(before: Point, point: Point, after: Point) -> Point:
    """Return a corner of a clockwise outline moved outwards, so that both its edges move by BAND."""
    normals = []
    for (x0, y0), (x1, y1) in ((before, point), (point, after)):
        length = hypot(x1 - x0, y1 - y0)
        normals.append(((y1 - y0) / length, (x0 - x1) / length))
    (ax, ay), (bx, by) = normals
    reach = BAND / (1 + ax * bx + ay * by)
    return point[0] + reach * (ax + bx), point[1] + reach * (ay + by)


def _last(stones: dict[Cell, int], last: int, n: int) -> list[Cell]:
    """Return the cell to mark; after a swap, action n * n, it is that of the only stone."""
    if last < 0:
        return []
    return list(stones) if last == n * n else [divmod(last, n)]


def _chain(stones: dict[Cell, int], winner: int, n: int) -> list[Cell]:
    """Return a shortest chain of the winner's stones between its sides, empty where there is none."""
    unseen = {cell for cell, seat in stones.items() if seat == winner}
    # Seat 0 goes from row 0 to row n - 1, seat 1 by columns: the seat is the index into a cell.
    paths = deque([cell] for cell in stones if cell in unseen and cell[winner] == 0)
    while paths:
        path = paths.popleft()
        r, c = path[-1]
        if path[-1][winner] == n - 1:
            return path
        for beside in sorted(unseen & {(r + dr, c + dc) for dr, dc in NEIGHBOURS}):
            unseen.remove(beside)
            paths.append([*path, beside])
    return []


def _caption(state: np.void, y: float) -> list[str]:
    """Return the line below the board, centred, with a stone of the colour it names."""
    winner, seat = int(state["winner"]), int(state["to_move"])
    if winner >= 0:
        seat, text = winner, f"{NAMES[winner]} WINS"
    elif seat >= 0:
        text = f"{NAMES[seat]} TO MOVE"
    else:
        return [label("GAME OVER", 0, y, TEXT, INK)]
    mark, line = caption(text, y, TEXT, TEXT)
    return [circle(*mark, 0.55 * TEXT, PAINT[seat].fill, PAINT[seat].rim), line]
