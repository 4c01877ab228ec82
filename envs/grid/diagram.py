"""Diagrams of a board, and their readers: rows of marks between their names, below a line on how the game stands.

    hex 3x3  ply 2  last b2  X to move
       a b c
     1  . X .
      2  . O .
       3  . . .

`read` of a game takes what its `diagram` writes and nothing else: it reads the head, then the rows, sets what these
say, and finally draws the record again.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from ..engine.bind import bind
from ..engine.errors import BoyiError
from ..engine.spec import Game
from ..engine.syntax import lines_of
from ..engine.validity import find_flaws
from ..engine.view import copied

MARKS = ".XO"  # an empty cell and the stones of seats 0 and 1
SEATS = MARKS[1:]
NOTHING = "-"  # for what has not happened yet
STATUS = "[XO] to move|[XO] has won"
"""Form of what `status` writes of a game that goes on or has a winner."""


def status(s: np.void, otherwise: str = "ended") -> str:
    """Say who is to move or has won; `otherwise` if nobody is or has."""
    if s["winner"] >= 0:
        return f"{SEATS[s['winner']]} has won"
    return f"{SEATS[s['to_move']]} to move" if s["to_move"] >= 0 else otherwise


def write_last(s: np.void, name: Callable[[np.void, int], str]) -> str:
    """Name the latest action."""
    return NOTHING if s["last"] < 0 else name(s, int(s["last"]))


def read_last(s: np.void, word: str, parse: Callable[[np.void, str], int]) -> int:
    """Read what `write_last` writes."""
    return -1 if word == NOTHING else parse(s, word)


def write_line(margin: str, marks: Iterable[str], wide: int = 2) -> str:
    """Write marks after a margin, each right-aligned in `wide` characters."""
    return margin + "".join(mark.rjust(wide) for mark in marks)


def write_rows(board: np.ndarray, margins: Iterable[str], marks: Sequence[str] = MARKS, wide: int = 2) -> list[str]:
    """Write the rows of a board (rows, columns), ``marks[v]`` for a cell that holds v, each row after its margin."""
    rows = zip(margins, board.tolist(), strict=True)
    return [write_line(margin, (marks[v] for v in row), wide) for margin, row in rows]


def read_rows(
    lines: Sequence[str], columns: int, names: Iterable[str], what: str, marks: Sequence[str] = MARKS, known: str = ""
) -> np.ndarray:
    """Read the rows of a board (rows, columns); `BoyiError` calls a row by its name and lists the marks as `known`.

    The first word of a line is its margin, which is skipped.
    """
    marks, known = list(marks), known or f"the marks {' '.join(marks)}"
    board = np.empty((len(lines), columns), np.int64)
    for r, (line, name) in enumerate(zip(lines, names, strict=True)):
        found = line.split()[1:]
        if len(found) != columns or any(mark not in marks for mark in found):
            raise BoyiError(f"not {what}: row {name} must hold {columns} of {known}")
        board[r] = [marks.index(mark) for mark in found]
    return board


def read_head(form: str, text: str, what: str, example: str) -> tuple[list[str], re.Match[str]]:
    """Split a diagram into lines and match the first, whose first group counts the rows, two fewer than the lines.

    `BoyiError` with an `example` if it is not a diagram.
    """
    lines = lines_of(text, what)
    head = re.fullmatch(form, lines[0])
    if head is None or len(lines) != int(head[1]) + 2:
        raise BoyiError(f"not {what}: it starts with {example}")
    return lines, head


def check_ply(ply: int, most: int, what: str) -> int:
    """Return the number of plies; `BoyiError` if no game has that many."""
    if ply > most:
        raise BoyiError(f"not {what}: no game of this size has {ply} plies")
    return ply


def begin(game: Game, reset: Callable[[np.record, None], None]) -> np.ndarray:
    """Return the record of a game at its start, shape (1,); `reset` is that of its rules."""
    state = copied(game.blank)
    bind(reset, game)(state.view(np.recarray)[0], None)
    return state


def check_drawn(game: Game, state: np.ndarray, lines: list[str], what: str, facts: str) -> None:
    """Raise `BoyiError` for a record (1,) that is no position or is not drawn as it was read; it blames the `facts`."""
    drawn = game.module("text").diagram(state[0]).split("\n")
    if find_flaws(game, state)[0] >= 0 or drawn != lines:
        raise BoyiError(f"not {what}: {facts} do not agree with the stones")
