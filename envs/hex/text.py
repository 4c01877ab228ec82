"""Hex in text: cell names as in HTP and GTP (``a1``: column letter, row number), and diagrams that read back."""

import re
from math import isqrt

import numpy as np

from ..engine.errors import BoyiError, shown
from ..engine.protocol import OVER
from ..engine.spec import Game
from ..engine.syntax import lines_of
from ..engine.validity import find_flaws
from ..engine.view import copied
from . import SPEC, rules

MARKS = ".XO"
SWAP = "swap-pieces"


def name(s: np.void, a: int) -> str:
    """Name action `a`: ``a1`` … or ``swap-pieces``."""
    n = _side(s)
    return SWAP if a == n * n else f"{chr(ord('a') + a % n)}{a // n + 1}"


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    n = _side(s)
    word = text.strip().lower()
    if word == SWAP and s["swap"]:
        return n * n
    cell = re.fullmatch(r"([a-z])([1-9][0-9]?)", word)
    if cell is not None:
        r, c = int(cell[2]) - 1, ord(cell[1]) - ord("a")
        if r < n and c < n:
            return r * n + c
    last = name(s, n * n - 1)
    raise BoyiError(f"no action {shown(text)}: cells are a1 to {last}" + (f", or {SWAP}" if s["swap"] else ""))


def diagram(s: np.void) -> str:
    """Draw the position: X (seat 0) joins top and bottom, O (seat 1) left and right, ``-`` is nothing played yet."""
    n = _side(s)
    board = s["board"].reshape(n, n)
    head = f"hex {n}x{n}{' swap' if s['swap'] else ''}  ply {s['ply']}  last {_last(s)}  {_status(s)}"
    letters = " ".join(chr(ord("a") + c) for c in range(n))
    rows = [f"{' ' * r}{r + 1:>2}  {' '.join(MARKS[v] for v in board[r])}" for r in range(n)]
    return "\n".join([head, f"   {letters}", *rows])


def read(text: str) -> np.ndarray:
    """Read a diagram into a record, shape (1,); `BoyiError` for anything `diagram` does not write."""
    lines = lines_of(text, "a hex diagram")
    head = re.fullmatch(
        r"hex (\d{1,2})x\1( swap)?  ply (\d{1,3})  last (\S+)  (?:[XO] to move|[XO] has won|ended)", lines[0]
    )
    if head is None or len(lines) != int(head[1]) + 2:
        raise BoyiError("not a hex diagram: it starts with 'hex 11x11  ply 0  last -  X to move', letters, then rows")
    n, ply = int(head[1]), int(head[3])
    n = SPEC.params["board_size"].check("hex diagram", "board_size", n)
    if ply > n * n + 1:
        raise BoyiError(f"not a hex diagram: no game of this size has {ply} plies")
    game = Game.bind(SPEC, {"board_size": n, "swap": head[2] is not None})
    state = copied(game.blank)
    s = state.view(np.recarray)[0]
    rules.reset(s, None)
    for r, line in enumerate(lines[2:]):
        marks = line.split()[1:]
        if len(marks) != n or any(mark not in MARKS for mark in marks):
            raise BoyiError(f"not a hex diagram: row {r + 1} must hold {n} of the marks . X O")
        for c, mark in enumerate(marks):
            if mark != ".":
                rules.place(s, MARKS.index(mark) - 1, r * n + c)
    s.ply = ply
    s.last = -1 if head[4] == "-" else parse(state[0], head[4])
    s.to_move = OVER if s.winner >= 0 or lines[0].endswith("ended") else ply % 2
    if find_flaws(game, state)[0] >= 0 or diagram(state[0]).split("\n") != lines:
        raise BoyiError("not a hex diagram: ply, last action and who is to move do not agree with the stones")
    return state


def _side(s: np.void) -> int:
    return isqrt(s["board"].size)


def _last(s: np.void) -> str:
    return "-" if s["last"] < 0 else name(s, int(s["last"]))


def _status(s: np.void) -> str:
    if s["winner"] >= 0:
        return f"{MARKS[s['winner'] + 1]} has won"
    return f"{MARKS[s['to_move'] + 1]} to move" if s["to_move"] >= 0 else "ended"
