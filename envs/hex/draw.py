"""Draw a Hex position: a rhombus of pointy-top hexagons; red joins top and bottom, blue left and right.

 A   B   C
1 .   .   .        row r is shifted right by r / 2 cells; cell (r, c) touches (r-1, c), (r-1, c+1),
  2 .   .   .      (r, c-1), (r, c+1), (r+1, c-1) and (r+1, c). Pixels are counted from the board's
    3 .   .   .    middle, so a half turn of the board is a change of sign.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from math import cos, hypot, pi, sin, sqrt

import numpy as np

from ..faces.drawing import BLUE, CELL, GOLD, GRID, PAPER, RED, Point, circle, polygon, polyline, stone
from ..grid.cells import side_of, square
from ..grid.picture import Cell, column_names, framed, row_names, spots, standing, stones_of

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
    n, cells = side_of(state), square(state)
    stones, centre = stones_of(state), partial(_centre, n)
    right, bottom = (1.5 * n - 0.5) * WIDTH / 2, (1.5 * n + 0.5) * RADIUS / 2
    parts = list(_bands(n))
    parts += column_names(centre, cells.letters.upper(), TEXT, 0, -RADIUS - BAND - 10)
    parts += row_names(centre, cells.numbers, TEXT, WIDTH / 2 + BAND + 6)
    parts += [_hexagon(centre(r, c)) for r in range(n) for c in range(n)]
    parts += _halo([centre(r, c) for r, c in _chain(stones, int(state["winner"]), n)])
    for (r, c), seat in stones.items():
        parts += stone(*centre(r, c), 0.66 * RADIUS, PAINT[seat])
    parts += [circle(*centre(r, c), 0.24 * RADIUS, PAPER) for r, c in _last(stones, int(state["last"]), n)]
    parts += standing(state, NAMES, PAINT, bottom + 38, TEXT)
    parts += spots(centre, cells.names, n, WIDTH / 2)
    return framed(parts, right + 50, bottom + 48, bottom + 62)


def _centre(n: int, r: int, c: int) -> Point:
    middle = (n - 1) / 2
    return WIDTH * (c - middle + (r - middle) / 2), 1.5 * RADIUS * (r - middle)


def _hexagon(centre: Point) -> str:
    return polygon([(centre[0] + x, centre[1] + y) for x, y in CORNERS], CELL, GRID, 1.2)


def _halo(centres: list[Point]) -> list[str]:
    """Return the glow under the winning chain."""
    glow = [circle(x, y, 0.88 * RADIUS, GOLD) for x, y in centres]
    return [polyline(centres, GOLD, 0.6 * RADIUS), *glow] if centres else []


def _bands(n: int) -> Iterator[str]:
    """Yield the coloured sides, which meet at the sharp corners and halfway along an edge at the blunt ones."""

    def corner(r: int, c: int, k: int) -> Point:
        x, y = _centre(n, r, c)
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
