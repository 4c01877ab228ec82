"""EinStein würfelt nicht! in text: actions named as in OpenSpiel (``3-down``), and diagrams that read back."""

import re

import numpy as np

from ..engine.errors import BoyiError, shown
from ..engine.protocol import CHANCE, OVER
from ..engine.spec import Game
from ..engine.view import copied
from ..grid.cells import Cells
from ..grid.diagram import (
    NOTHING,
    SEATS,
    check_drawn,
    read_head,
    read_last,
    read_rows,
    status,
    write_last,
    write_line,
    write_rows,
)
from . import SPEC
from .valid import MOST

WHAT = "an einstein diagram"
DIRECTIONS = (("right", "down", "diag"), ("left", "up", "diag"))
PLACEMENTS, SUBSTITUTIONS = (SPEC.params[param].choices for param in ("placement", "substitution"))
HEAD = (
    rf"einstein (\d{{1,2}})x(\d{{1,2}}) stones (\d) ({'|'.join(PLACEMENTS)}) ({'|'.join(SUBSTITUTIONS)})"
    r"  ply (\d{1,10})  last (\S+)  die ([-1-6])  (?:([XO]) (to move|to roll|has won)|ended)"
)


def name(s: np.void, a: int) -> str:
    """Name action `a` of the seat whose turn it is: the stone's number and its direction."""
    return _name(int(s["turn"]), a)


def _name(seat: int, a: int) -> str:
    return f"{a // 3 + 1}-{DIRECTIONS[seat][a % 3]}"


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    return _parse(s, int(s["turn"]), text)


def _parse(s: np.void, seat: int, text: str) -> int:
    number, _, direction = text.strip().lower().partition("-")
    stones, words = s["square"].size // 2, DIRECTIONS[seat]
    if direction in words and number in map(str, range(1, stones + 1)):
        return 3 * (int(number) - 1) + words.index(direction)
    raise BoyiError(
        f"no action {shown(text)}: write a stone from 1 to {stones} and {', '.join(words[:2])} or diag, as in 1-diag"
    )


def outcome(s: np.void, o: int) -> str:
    """Name the face that the die shows."""
    return str(o + 1)


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1, each with the stone's number; ``-`` is nothing played or rolled yet."""
    stones, cells = s["square"].size // 2, _cells(s)
    size = f"{cells.rows}x{cells.columns} stones {stones}"
    rule = f"{PLACEMENTS[s['fixed']]} {SUBSTITUTIONS[s['nearest']]}"
    die = s["die"] or NOTHING
    now = status(s, f"{SEATS[s['turn']]} to roll" if s["to_move"] == CHANCE else "ended")
    head = f"einstein {size} {rule}  ply {s['ply']}  last {_last(s)}  die {die}  {now}"
    board = s["board"].reshape(cells.rows, cells.columns)
    rows = write_rows(board, [f"{number:>3}" for number in cells.numbers], _marks(stones), wide=4)
    return "\n".join([head, write_line("   ", cells.letters, wide=4), *rows])


def read(text: str) -> np.ndarray:
    """Read what `diagram` writes, also set-up positions (``last -``), into a record, shape (1,); else `BoyiError`."""
    example = "'einstein 5x5 stones 6 random adjacent  ply 0  last -  die -  X to roll', letters, then rows"
    lines, head = read_head(HEAD, text, WHAT, example)
    sizes = {"board_size": int(head[1]), "columns": int(head[2]), "stones": int(head[3])}
    game = Game.bind(SPEC, {**sizes, "placement": head[4], "substitution": head[5]})
    state = copied(game.blank)
    s = state[0]
    s["square"] = -1
    _read_board(s, lines[2:])
    s["left"] = [(stones >= 0).sum() for stones in s["square"].reshape(2, -1)]
    _read_progress(s, head)
    check_drawn(game, state, lines, WHAT, "ply, last action, die and who is to move")
    return state


def _read_board(s: np.void, rows: list[str]) -> None:
    """Put the stones on the board."""
    stones, cells = s["square"].size // 2, _cells(s)
    marks, known = _marks(stones), f"., X1 to X{stones}, O1 to O{stones}"
    s["board"] = read_rows(rows, cells.columns, cells.numbers, WHAT, marks, known).ravel()
    for at in np.flatnonzero(s["board"]):
        i = s["board"][at] - 1
        if s["square"][i] >= 0:
            raise BoyiError(f"not {WHAT}: there are two stones {marks[i + 1]}")
        s["square"][i] = at


def _read_progress(s: np.void, head: re.Match[str]) -> None:
    """Set what the head line says about the course of the game."""
    ply, last, die, seat, status = int(head[6]), head[7], head[8], head[9], head[10]
    if ply > MOST:
        raise BoyiError(f"not {WHAT}: no game has {ply} plies")
    s["ply"], s["die"], s["winner"] = ply, 0 if die == NOTHING else int(die), -1
    s["last"] = read_last(s, last, lambda s, word: _parse(s, (ply - 1) % 2, word))
    s["turn"] = ply % 2
    s["to_move"] = {"to move": s["turn"], "to roll": CHANCE}.get(status, OVER)
    if status == "has won":
        s["turn"] = s["winner"] = SEATS.index(seat)


def _cells(s: np.void) -> Cells:
    return Cells(s["board"].size // int(s["columns"]), int(s["columns"]))


def _marks(stones: int) -> list[str]:
    """Write what a square of the board can hold."""
    return [".", *(f"{seat}{i + 1}" for seat in SEATS for i in range(stones))]


def _last(s: np.void) -> str:
    return write_last(s, lambda s, a: _name((int(s["ply"]) - 1) % 2, a))
