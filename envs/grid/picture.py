"""What pictures of boards share: where cells lie, their names, lines, and the text below.

Pixels are counted from the board's middle, x to the right and y down.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np

from ..faces.drawing import INK, PAPER, Paint, Point, caption, circle, document, label, moved, polyline, spot
from .cells import side_of

Cell = tuple[int, int]
"""A row and a column, counted from the top left."""
Centre = Callable[[int, int], Point]
"""Where the middle of the cell in a row and a column lies."""


def lattice(rows: int, columns: int, step: float) -> Centre:
    """Lay cells out in a rectangle, `step` pixels apart."""
    return lambda r, c: (step * (c - (columns - 1) / 2), step * (r - (rows - 1) / 2))


def stones_of(state: np.void) -> dict[Cell, int]:
    """Find the seats whose stones the cells of a square board hold, row by row."""
    n, board = side_of(state), state["board"]
    return {divmod(int(a), n): int(board[a]) - 1 for a in np.flatnonzero(board)}


def lines_across(n: int, centre: Centre, color: str) -> list[str]:
    """Return the lines along the rows and the columns of a square board."""
    ends = [((i, 0), (i, n - 1)) for i in range(n)] + [((0, i), (n - 1, i)) for i in range(n)]
    return [polyline([centre(*a), centre(*b)], color, 1.2) for a, b in ends]


def column_names(centre: Centre, names: Iterable[str], size: float, row: int, below: float) -> list[str]:
    """Return the names of the columns, `below` the middles of a row's cells."""
    places = [(name, *centre(row, c)) for c, name in enumerate(names)]
    return [label(name, x, y + below, size, INK) for name, x, y in places]


def row_names(
    centre: Centre, names: Iterable[str], size: float, left: float, anchor: Literal["middle", "end"] = "end"
) -> list[str]:
    """Return the names of the rows, `left` of the middles of the first column's cells."""
    places = [(name, *centre(r, 0)) for r, name in enumerate(names)]
    return [label(name, x - left, y, size, INK, anchor) for name, x, y in places]


def spots(centre: Centre, names: Iterable[str], columns: int, radius: float) -> list[str]:
    """Return what a person points at to mean a cell, row by row; it goes above everything else."""
    return [spot(name, *centre(*divmod(cell, columns)), radius) for cell, name in enumerate(names)]


def text_height(n: int) -> float:
    """Return the height of the text below a board of n lines: readable in a small picture of a large board."""
    return 8 + 0.45 * n


def said_of(paint: Paint, text: str, y: float, size: float) -> list[str]:
    """Return a centred line of text after a stone of the colour that it is about."""
    mark, line = caption(text, y, size, size)
    return [circle(*mark, 0.55 * size, paint.fill, paint.rim), line]


def framed(parts: Iterable[str], across: float, above: float, below: float) -> str:
    """Return the picture, which reaches `across` to either side of the board's middle, `above` it and `below` it."""
    return document(2 * across, above + below, [moved(parts, across, above)], PAPER)


def standing(
    state: np.void,
    names: Sequence[str],
    paint: Sequence[Paint],
    y: float,
    size: float,
    duty: str = "TO MOVE",
    over: str = "GAME OVER",
) -> list[str]:
    """Return the line below the board: who has won, or is to do the `duty`; `over` if nobody has or is."""
    winner, seat = int(state["winner"]), int(state["to_move"])
    if winner >= 0:
        return said_of(paint[winner], f"{names[winner]} WINS", y, size)
    if seat >= 0:
        return said_of(paint[seat], f"{names[seat]} {duty}", y, size)
    return [label(over, 0, y, size, INK)]
