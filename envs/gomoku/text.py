"""Gomoku in text: points named as in Renju (``a1`` is the lower left corner), and diagrams that read back."""

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
RULES = SPEC.params["rule"].choices


def name(s: np.void, a: int) -> str:
    """Name action `a`: column letter, row number from the bottom."""
    n = _side(s)
    return f"{chr(ord('a') + a % n)}{n - a // n}"


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    n = _side(s)
    point = re.fullmatch(r"([a-z])([1-9][0-9]?)", text.strip().lower())
    if point is not None:
        r, c = n - int(point[2]), ord(point[1]) - ord("a")
        if r >= 0 and c < n:
            return r * n + c
    raise BoyiError(f"no action {shown(text)}: points are a1 to {name(s, n - 1)}")


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1, row 1 at the bottom; ``-`` is nothing played yet."""
    n = _side(s)
    board = s["board"].reshape(n, n)
    last = "-" if s["last"] < 0 else name(s, int(s["last"]))
    head = f"gomoku {n}x{n} {RULES[s['exact']]}  ply {s['ply']}  last {last}  {_status(s)}"
    rows = [f"{n - r:>2}  {' '.join(MARKS[v] for v in board[r])}" for r in range(n)]
    letters = " ".join(chr(ord("a") + c) for c in range(n))
    return "\n".join([head, *rows, f"    {letters}"])


def read(text: str) -> np.ndarray:
    """Read a diagram into a record, shape (1,); `BoyiError` for anything `diagram` does not write."""
    lines = lines_of(text, "a gomoku diagram")
    head = re.fullmatch(
        rf"gomoku (\d{{1,2}})x\1 ({'|'.join(RULES)})  ply (\d{{1,3}})  last (\S+)"
        r"  (?:[XO] to move|[XO] has won|draw|ended)",
        lines[0],
    )
    if head is None or len(lines) != int(head[1]) + 2:
        raise BoyiError(
            "not a gomoku diagram: it starts with 'gomoku 15x15 freestyle  ply 0  last -  X to move', then rows"
        )
    n, ply = int(head[1]), int(head[3])
    n = SPEC.params["board_size"].check("gomoku diagram", "board_size", n)
    if ply > n * n:
        raise BoyiError(f"not a gomoku diagram: no game of this size has {ply} plies")
    game = Game.bind(SPEC, {"board_size": n, "rule": head[2]})
    state = copied(game.blank)
    s = state.view(np.recarray)[0]
    rules.reset(s, None)
    for r, line in enumerate(lines[1:-1]):
        marks = line.split()[1:]
        if len(marks) != n or any(mark not in MARKS for mark in marks):
            raise BoyiError(f"not a gomoku diagram: row {n - r} must hold {n} of the marks . X O")
        s.board[r * n : (r + 1) * n] = [MARKS.index(mark) for mark in marks]
    s.ply = ply
    s.last = -1 if head[4] == "-" else parse(state[0], head[4])
    mover = (ply - 1) % 2
    if s.last >= 0 and s.board[s.last] == mover + 1 and rules.wins(s, int(s.last)):
        s.winner = mover
    over = s.winner >= 0 or ply == n * n or lines[0].endswith("ended")
    s.to_move = OVER if over else ply % 2
    if find_flaws(game, state)[0] >= 0 or diagram(state[0]).split("\n") != lines:
        raise BoyiError("not a gomoku diagram: ply, last action and who is to move do not agree with the stones")
    return state


def _side(s: np.void) -> int:
    return isqrt(s["board"].size)


def _status(s: np.void) -> str:
    if s["winner"] >= 0:
        return f"{MARKS[s['winner'] + 1]} has won"
    if s["to_move"] >= 0:
        return f"{MARKS[s['to_move'] + 1]} to move"
    return "draw" if s["ply"] == s["board"].size else "ended"
