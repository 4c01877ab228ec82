"""Draw an EinStein position: red's stones go right and down to its goal, blue's left and up; a die lies below.

  A   B   C
1 .   .   .    square (r, c) has the number r * columns + c; red's goal is the last of them, blue's the first.
2 .   .   .    Pixels are counted from the board's middle, so a half turn of the board is a change of sign.
"""

from math import ceil

import numpy as np

from ..engine.to_move import CHANCE
from ..faces.drawing import (
    BLUE,
    CELL,
    GOLD,
    GRID,
    PAPER,
    RED,
    Paint,
    Point,
    caption,
    circle,
    label,
    label_width,
    polygon,
    polyline,
    rect,
    stone,
)
from ..grid.cells import Cells
from ..grid.picture import column_names, framed, lattice, row_names, spots, standing

SIDE = 46.0  # of a square, in pixels
STONE = 0.38 * SIDE  # radius
BAND = 7.0  # thickness of the coloured edges around a goal
TEXT = 10.0  # height of the coordinates
DIE = 2.6  # side, in heights of the caption

NAMES = ("RED", "BLUE")
PAINT = (RED, BLUE)
TINT = ("#f3d3c8", "#cbd7e4")  # of the seats' goals
TRACE = "#f7e3ae"  # of the squares of the last move
STEPS = ((0, 1), (1, 0), (1, 1))  # (rows, columns) by direction, of seat 0; seat 1 goes the other way

# Where the pips of a die lie, in quarters of its side from its middle.
PIPS: tuple[tuple[Point, ...], ...] = (
    (),
    ((0, 0),),
    ((-1, 1), (1, -1)),
    ((-1, 1), (0, 0), (1, -1)),
    ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)


def svg(state: np.void) -> str:
    """Return the picture of one EinStein record: coordinates, goals, stones, last move, die, caption."""
    columns = int(state["columns"])
    cells = Cells(state["board"].size // columns, columns)
    centre = lattice(cells.rows, columns, SIDE)
    right, bottom = columns * SIDE / 2, cells.rows * SIDE / 2
    size = 9 + 0.4 * columns  # of the caption: it stays readable when the picture of a large board is made small
    middles = [centre(r, c) for r in range(cells.rows) for c in range(columns)]
    parts = _board(middles)
    parts += column_names(centre, cells.letters.upper(), TEXT, 0, -SIDE / 2 - BAND - 11)
    parts += row_names(centre, cells.numbers, TEXT, SIDE / 2 + BAND + 7)
    parts += _last_move(state, middles)
    for seat, squares in enumerate(state["square"].reshape(2, -1)):
        for i in np.flatnonzero(squares >= 0):
            parts += _numbered(int(i) + 1, middles[squares[i]], PAINT[seat])
    parts += _caption(state, bottom + 22 + 1.4 * size, size)
    parts += spots(centre, cells.names, columns, 0.5 * SIDE)
    widest = label_width("BLUE TO MOVE", size) + (DIE + 1) * size  # on a narrow board, the die and the caption
    return framed(parts, max(right + 40, ceil(widest / 2) + 16), bottom + 44, bottom + 36 + 2.8 * size)


def path(state: np.void, action: int) -> list[str]:
    """Name the squares that a person points at to play an action: the stone's, and where it goes."""
    columns, seat = int(state["columns"]), int(state["turn"])
    cells = Cells(state["board"].size // columns, columns)
    i, direction = divmod(action, len(STEPS))
    at, (down, right) = int(state["square"].reshape(2, -1)[seat, i]), STEPS[direction]
    return [cells.name(at), cells.name(at + (1 - 2 * seat) * (down * columns + right))]


def _square(centre: Point, fill: str) -> str:
    return rect(centre[0] - SIDE / 2, centre[1] - SIDE / 2, SIDE, SIDE, fill, GRID, 1.2)


def _board(middles: list[Point]) -> list[str]:
    """Return the squares; two edges and a tint mark each goal in the colour of the seat that wants it."""
    parts = [_square(middle, CELL) for middle in middles]
    for seat, (x, y) in enumerate((middles[-1], middles[0])):
        near, far = SIDE / 2, SIDE / 2 + BAND
        edges = [(near, near), (near, -near), (far, -near), (far, far), (-near, far), (-near, near)]
        sign = 1 - 2 * seat
        parts.append(polygon([(x + sign * dx, y + sign * dy) for dx, dy in edges], PAINT[seat].fill))
        parts.append(_square((x, y), TINT[seat]))
    return parts


def _numbered(number: int, centre: Point, paint: Paint) -> list[str]:
    """Return a stone with its number."""
    return [*stone(*centre, STONE, paint), label(str(number), *centre, 1.15 * STONE, paint.mark)]


def _last_move(state: np.void, middles: list[Point]) -> list[str]:
    """Return the two squares of the last move, a trail from one to the other, and a glow where it has won."""
    if state["last"] < 0:
        return []
    winner = int(state["winner"])
    seat = winner if winner >= 0 else 1 - int(state["turn"])
    i, direction = divmod(int(state["last"]), 3)
    x, y = to = middles[state["square"].reshape(2, -1)[seat, i]]
    down, right = STEPS[direction]
    back = SIDE * (2 * seat - 1)
    left = x + back * right, y + back * down
    color = PAINT[seat].shine
    trail = [circle(*left, 0.2 * STONE, color), polyline([left, to], color, 0.16 * STONE)]
    glow = [circle(x, y, 1.26 * STONE, GOLD)] if winner >= 0 else []
    return [_square(left, TRACE), _square(to, TRACE), *trail, *glow]


def _die(centre: Point, side: float, face: int, paint: Paint) -> list[str]:
    """Return a die; face 0 is one that has not been rolled."""
    x, y = centre
    h = 0.38 * side
    outline = [(x - h, y - h), (x + h, y - h), (x + h, y + h), (x - h, y + h)]
    body = paint.fill if face else PAPER
    pips = [circle(x + a * side / 4, y + b * side / 4, 0.1 * side, paint.mark) for a, b in PIPS[face]]
    # The round joins of the outlines make the round corners.
    edges = polygon(outline, paint.rim, paint.rim, 0.24 * side), polygon(outline, body, body, 0.14 * side)
    return [f'<g class="die">{"".join([*edges, *pips])}</g>']


def _caption(state: np.void, y: float, size: float) -> list[str]:
    """Return the line below the board, centred, with the die, or a stone of the winner's colour."""
    if state["winner"] >= 0 or state["to_move"] < CHANCE:
        return standing(state, NAMES, PAINT, y, size)
    turn, side = int(state["turn"]), DIE * size
    text = f"{NAMES[turn]} TO {'ROLL' if state['to_move'] == CHANCE else 'MOVE'}"
    mark, line = caption(text, y, size, side)
    return [*_die(mark, side, int(state["die"]), PAINT[turn]), line]
