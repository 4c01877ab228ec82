"""Gomoku in text: points named as in Renju (``a1`` is the lower left corner), and diagrams that read back."""

import numpy as np

from ..engine.bind import bind
from ..engine.protocol import OVER
from ..engine.spec import Game
from ..grid.cells import side_of, square
from ..grid.diagram import (
    STATUS,
    begin,
    check_drawn,
    check_ply,
    read_head,
    read_last,
    read_rows,
    status,
    write_last,
    write_line,
    write_rows,
)
from . import SPEC, rules

RULES = SPEC.params["rule"].choices
HEAD = rf"gomoku (\d{{1,2}})x\1 ({'|'.join(RULES)})  ply (\d{{1,3}})  last (\S+)  (?:{STATUS}|draw|ended)"
WHAT = "a gomoku diagram"


def name(s: np.void, a: int) -> str:
    """Name action `a`: column letter, row number from the bottom."""
    return square(s, upward=True).name(a)


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    return square(s, upward=True).read(text, "points")


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1, row 1 at the bottom; ``-`` is nothing played yet."""
    n, points = side_of(s), square(s, upward=True)
    now = status(s, "draw" if s["ply"] == s["board"].size else "ended")
    head = f"gomoku {n}x{n} {RULES[s['exact']]}  ply {s['ply']}  last {write_last(s, name)}  {now}"
    rows = write_rows(s["board"].reshape(n, n), [f"{number:>2} " for number in points.numbers])
    return "\n".join([head, *rows, write_line("   ", points.letters)])


def read(text: str) -> np.ndarray:
    """Read a diagram into a record, shape (1,); `BoyiError` for anything `diagram` does not write."""
    lines, head = read_head(HEAD, text, WHAT, "'gomoku 15x15 freestyle  ply 0  last -  X to move', then rows")
    n, ply = int(head[1]), int(head[3])
    game = Game.bind(SPEC, {"board_size": n, "rule": head[2]})
    check_ply(ply, n * n, WHAT)
    state = begin(game, rules.reset)
    s = state.view(np.recarray)[0]
    s.board[:] = read_rows(lines[1:-1], n, square(state[0], upward=True).numbers, WHAT).ravel()
    s.ply, s.last = ply, read_last(state[0], head[4], parse)
    mover = (ply - 1) % 2
    if s.last >= 0 and s.board[s.last] == mover + 1 and bind(rules.wins, game)(s, int(s.last)):
        s.winner = mover
    over = s.winner >= 0 or ply == n * n or lines[0].endswith("ended")
    s.to_move = OVER if over else ply % 2
    check_drawn(game, state, lines, WHAT, "ply, last action and who is to move")
    return state
