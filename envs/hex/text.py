"""Hex in text: cell names as in HTP and GTP (``a1``: column letter, row number), and diagrams that read back."""

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

SWAP = "swap-pieces"
HEAD = rf"hex (\d{{1,2}})x\1( swap)?  ply (\d{{1,3}})  last (\S+)  (?:{STATUS}|ended)"
WHAT = "a hex diagram"


def name(s: np.void, a: int) -> str:
    """Name action `a`: ``a1`` … or ``swap-pieces``."""
    return SWAP if a == s["board"].size else square(s).name(a)


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    if text.strip().lower() == SWAP and s["swap"]:
        return int(s["board"].size)
    return square(s).read(text, besides=f", or {SWAP}" if s["swap"] else "")


def diagram(s: np.void) -> str:
    """Draw the position: X (seat 0) joins top and bottom, O (seat 1) left and right, ``-`` is nothing played yet."""
    n = side_of(s)
    last = write_last(s, name)
    head = f"hex {n}x{n}{' swap' if s['swap'] else ''}  ply {s['ply']}  last {last}  {status(s)}"
    rows = write_rows(s["board"].reshape(n, n), [f"{' ' * r}{r + 1:>2} " for r in range(n)])
    return "\n".join([head, write_line("  ", square(s).letters), *rows])


def read(text: str) -> np.ndarray:
    """Read a diagram into a record, shape (1,); `BoyiError` for anything `diagram` does not write."""
    lines, head = read_head(HEAD, text, WHAT, "'hex 11x11  ply 0  last -  X to move', letters, then rows")
    n, ply = int(head[1]), int(head[3])
    game = Game.bind(SPEC, {"board_size": n, "swap": head[2] is not None})
    check_ply(ply, n * n + 1, WHAT)
    state = begin(game, rules.reset)
    s = state.view(np.recarray)[0]
    board = read_rows(lines[2:], n, square(state[0]).numbers, WHAT).ravel()
    put_stone = bind(rules.put_stone, game)
    for a in np.flatnonzero(board):
        put_stone(s, board[a] - 1, a)
    s.ply, s.last = ply, read_last(state[0], head[4], parse)
    s.to_move = OVER if s.winner >= 0 or lines[0].endswith("ended") else ply % 2
    check_drawn(game, state, lines, WHAT, "ply, last action and who is to move")
    return state
