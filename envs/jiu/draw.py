"""Draw a position of Jiu: white and black stones on the crossings of a board whose middle cell has a diagonal.

  0 1 2
a . . .    point (r, c) is r lines below the top and c lines right of the left edge; p is its number, row by row.
b . . .    Pixels are counted from the board's middle.
c . . .
"""

from collections.abc import Iterable
from math import hypot

import numpy as np

from ..engine.to_move import CUT
from ..faces.drawing import BLACK, GOLD, RED, WHITE, Paint, Point, circle, moved, polygon, polyline, rect, stone
from ..grid.cells import LETTERS, side_of
from ..grid.directions import NEXT
from ..grid.picture import (
    Cell,
    column_names,
    framed,
    lattice,
    lines_across,
    row_names,
    said_of,
    spots,
    standing,
    stones_of,
    text_height,
)
from .constants import DROP, JUMP, LAYOUT, TAKE, TURN
from .points import DIGITS, write_point

# A cell (r, c) is a point, or the unit cell whose upper left corner it is.
Stones = dict[Cell, int]  # the seat whose stone a point holds, row by row
Dalian = tuple[Cell, Cell, Cell, Cell]  # its square, its runner's point p, the empty point q, its other cell

STEP = 30.0  # from line to line, in pixels
EDGE = 0.75 * STEP  # of wood around the outermost lines
BORDER = 7.0  # of the band around the wood
STONE = 0.42 * STEP  # radius
TEXT = 10.0  # height of the coordinates

NAMES = ("WHITE", "BLACK")
PAINT = (WHITE, BLACK)
WOOD, LINE, BAND = "#e9c690", "#8f6238", "#7c2f28"
HOLLOW, SHADOW = "#d3a868", "#b5843f"  # where the moved stone stood; under a lifted one
SQUARE = "#8fc8b5", "#2f9486"  # turquoise, around the stones of a square and between them
GATE = "#f3b796", "#e0764f"  # coral, of the cell that a dalian's runner would complete


def svg(state: np.void, shapes: bool = False) -> str:
    """Return the picture of one record of Jiu: coordinates, stones, the turn in progress, caption.

    With `shapes` the squares, dalians and full lines of both sides are lit.
    """
    n, stones = side_of(state), stones_of(state)
    centre, half = lattice(n, n, STEP), (n - 1) / 2 * STEP + EDGE
    parts = _wood(half)
    parts += column_names(centre, DIGITS[:n], TEXT, 0, -EDGE - BORDER - 12)
    parts += row_names(centre, LETTERS[:n], TEXT, EDGE + BORDER + 12, "middle")
    parts += _lit(state, stones, n) if shapes else ()
    parts += [*_lines(n), *_trail(state, n), *_stones(state, stones, n), *_prey(state, stones, n)]
    parts += _arrows(stones, n) if shapes else ()
    size = text_height(n)
    below = half + BORDER + 12 + size
    parts += [*_caption(state, below, size), *_counts(state, below + 1.8 * size, size)]
    parts += spots(centre, [write_point(n, p, 0) for p in range(n * n)], n, 0.5 * STEP)
    return framed(parts, half + BORDER + 30, half + BORDER + 28, below + 2.4 * size + 14)


def _point(cell: Cell, n: int) -> Point:
    return lattice(n, n, STEP)(*cell)


# The board


def _wood(half: float) -> list[str]:
    """Return the wood and the band around it."""
    outer, thread = half + BORDER, half + BORDER / 2
    return [
        rect(-outer, -outer, 2 * outer, 2 * outer, BAND),
        rect(-thread, -thread, 2 * thread, 2 * thread, BAND, GOLD, 1.2),
        rect(-half, -half, 2 * half, 2 * half, WOOD),
    ]


def _lines(n: int) -> list[str]:
    """Return the lines, and the diagonal of the middle cell with its ends."""
    marked = [_point((i, i), n) for i in (n // 2 - 1, n // 2)]
    diagonal = [polyline(marked, BAND, 2.4), *(circle(*end, 0.13 * STEP, BAND) for end in marked)]
    return lines_across(n, lattice(n, n, STEP), LINE) + diagonal


# Stones and the turn in progress


def _stones(state: np.void, stones: Stones, n: int) -> list[str]:
    """Return the stones, a dot where each seat has last been, and on top the stone that jumps or is lifted."""
    runner = divmod(int(state["runner"]), n)  # no point where there is none: row -1
    parts = []
    for cell, seat in stones.items():
        parts += stone(*_point(cell, n), STONE, PAINT[seat]) if cell != runner else []
    for seat, p in enumerate(state["latest"].tolist()):
        last = divmod(p, n)
        if p >= 0 and last != runner and stones.get(last, seat) == seat:
            parts.append(_last(_point(last, n), PAINT[seat], last in stones))
    return parts + (_in_motion(state, _point(runner, n), PAINT[stones[runner]]) if runner in stones else [])


def _last(centre: Point, paint: Paint, there: bool) -> str:
    """Return the dot on a seat's latest stone, or on the wood in its colour if it is not there any more."""
    if there:
        return circle(*centre, 0.34 * STONE, paint.mark)
    return circle(*centre, 0.34 * STONE, paint.fill, paint.rim)


def _in_motion(state: np.void, centre: Point, paint: Paint) -> list[str]:
    """Return the stone that jumps, in a glow, or the lifted stone above its shadow."""
    x, y = centre
    if state["phase"] != DROP:
        return [circle(x, y, 1.28 * STONE, GOLD), *stone(x, y, STONE, paint)]
    above = x + 0.1 * STEP, y - 0.24 * STEP
    return [circle(x, y, STONE, SHADOW), circle(*above, 1.36 * STONE, GOLD), *stone(*above, 1.1 * STONE, paint)]


def _trail(state: np.void, n: int) -> list[str]:
    """Return the hollow from which a stone has moved in this turn, and a wedge that widens towards it."""
    seat = int(state["to_move"])
    if state["start"] < 0 or seat < 0:
        return []
    end = state["runner"] if state["phase"] == JUMP else state["latest"][seat]
    (ax, ay), (bx, by) = (_point(divmod(int(p), n), n) for p in (state["start"], end))
    # Half the wedge's end: a quarter turn of its direction. A stone may have jumped back to where it stood.
    half = 0.3 * STONE / (hypot(bx - ax, by - ay) or 1.0)
    dx, dy = half * (ay - by), half * (bx - ax)
    fill = PAINT[seat].fill
    wedge = polygon([(ax, ay), (bx + dx, by + dy), (bx - dx, by - dy)], fill)
    return [circle(ax, ay, 0.8 * STONE, HOLLOW, fill, 1.6), wedge]


def _prey(state: np.void, stones: Stones, n: int) -> list[str]:
    """Return rings on the stones that may be taken next, and dots where the jumping stone would land behind them."""
    seat, phase = int(state["to_move"]), state["phase"]
    if phase == TAKE and seat >= 0:
        return [_ring(_point(cell, n)) for cell, owner in stones.items() if owner != seat]
    if phase != JUMP or seat < 0:
        return []
    parts = []
    r, c = divmod(int(state["runner"]), n)
    for down, right in NEXT:
        over, to = (r + down, c + right), (r + 2 * down, c + 2 * right)
        free = 0 <= min(to) <= max(to) < n and to not in stones and not state["been"][to[0] * n + to[1]]
        if free and stones.get(over) == 1 - seat:
            parts += [_ring(_point(over, n)), circle(*_point(to, n), 0.28 * STONE, RED.fill)]
    return parts


def _ring(centre: Point) -> str:
    """Return the mark of a stone that may be taken."""
    return circle(*centre, 0.44 * STONE, "none", RED.shine, 0.18 * STONE)


# Shapes


def squares(own: Iterable[Cell]) -> list[Cell]:
    """List the squares of a side's stones (§8) by their upper left corners."""
    points = set(own)
    return [corner for corner in sorted(points) if points.issuperset(_corners(corner))]


def dalians(own: Iterable[Cell], empty: Iterable[Cell]) -> list[Dalian]:
    """List the dalians of a side's stones (§14)."""
    points, free = set(own), set(empty)
    found = []
    for square in squares(points):
        for r, c in _corners(square):
            for q in ((r + down, c + right) for down, right in NEXT):
                # Four unit cells have a corner on q; those that also have one on p drop out.
                for other in ((q[0] - i, q[1] - j) for i in (0, 1) for j in (0, 1)):
                    rest = set(_corners(other)) - {q}
                    if q in free and rest <= points and (r, c) not in rest:
                        found.append((square, (r, c), q, other))
    return found


def _corners(cell: Cell) -> tuple[Cell, Cell, Cell, Cell]:
    """List the points of a unit cell, going around it."""
    r, c = cell
    return (r, c), (r, c + 1), (r + 1, c + 1), (r + 1, c)


def _sides(stones: Stones) -> list[set[Cell]]:
    """Return the points of each seat's stones."""
    return [{cell for cell, owner in stones.items() if owner == seat} for seat in (0, 1)]


def _all_dalians(stones: Stones, n: int) -> list[Dalian]:
    """List the dalians of both sides."""
    empty = {divmod(p, n) for p in range(n * n)} - stones.keys()
    return [found for own in _sides(stones) for found in dalians(own, empty)]


def _lit(state: np.void, stones: Stones, n: int) -> list[str]:
    """Return what shines from under the stones: squares, the other cells of dalians and, if they count, full lines."""
    sides = _sides(stones)
    lines = [line for own in sides for line in _full_lines(own, n)] if state["gun"] else []
    glow = [polyline([_point(line[0], n), _point(line[-1], n)], GOLD, 2.3 * STONE) for line in lines]
    between = []
    gates = {other for _, _, _, other in _all_dalians(stones, n)}
    for corners, (around, inside) in ((sorted(gates), GATE), ([c for own in sides for c in squares(own)], SQUARE)):
        for corner in corners:
            outline = [_point(cell, n) for cell in _corners(corner)]
            glow.append(polygon(outline, around, around, 2.3 * STONE))
            between.append(polygon(outline, inside))
    return glow + between


def _full_lines(own: set[Cell], n: int) -> list[list[Cell]]:
    """List the rows and columns that a side's stones fill (§9)."""
    lines = [[(i, j) for j in range(n)] for i in range(n)] + [[(j, i) for j in range(n)] for i in range(n)]
    return [line for line in lines if own.issuperset(line)]


def _arrows(stones: Stones, n: int) -> list[str]:
    """Return an arrow from p to q for every dalian."""
    steps = sorted({(p, q) for _, p, q, _ in _all_dalians(stones, n)})
    return [part for p, q in steps for part in _arrow(_point(p, n), _point(q, n))]


def _arrow(a: Point, b: Point) -> list[str]:
    """Return an arrow from a point to the next, both on its own line."""
    dx, dy = (b[0] - a[0]) / STEP, (b[1] - a[1]) / STEP

    def at(along: float, across: float) -> Point:
        return a[0] + along * dx - across * dy, a[1] + along * dy + across * dx

    tip = STEP + 3
    head = [at(tip, 0), at(tip - 9, 5.5), at(tip - 9, -5.5)]
    return [polyline([a, at(tip - 9, 0)], RED.fill, 3.2), polygon(head, RED.fill)]


# The caption


def _caption(state: np.void, y: float, size: float) -> list[str]:
    """Return the line that says who has won or is to do what, with a stone of the colour it names."""
    over = "CUT OFF" if state["to_move"] == CUT else "DRAW" if state["drawn"] else "GAME OVER"
    return standing(state, NAMES, PAINT, y, size, duty=_duty(state), over=over)


def _duty(state: np.void) -> str:
    """Return what the seat to move does next."""
    words = {LAYOUT: "PLACES", TURN: "TO MOVE", JUMP: "JUMPS", DROP: "DROPS", TAKE: f"TAKES {state['due']}"}
    return words[int(state["phase"])]


def _counts(state: np.void, y: float, size: float) -> list[str]:
    """Return how many stones each side has."""
    lines = [said_of(PAINT[seat], str(state["stones"][seat]), y, 0.8 * size) for seat in (0, 1)]
    return [moved(line, x, 0) for line, x in zip(lines, (-3.0 * size, 3.0 * size), strict=True)]
