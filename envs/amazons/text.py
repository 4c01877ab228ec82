"""Amazons in text: cells named from the bottom (``a1`` is the lower left corner), and diagrams that read back."""

import numpy as np

from ..engine.bind import bind
from ..engine.protocol import OVER
from ..engine.spec import Game
from ..grid.cells import side_of, square
from ..grid.diagram import (
    MARKS,
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

PHASES = ("choose", "go", "shoot")
HEAD = rf"amazons (\d{{1,2}})x\1  ply (\d{{1,4}})  phase ({'|'.join(PHASES)})  last (\S+)  (?:{STATUS}|ended)"
WHAT = "an amazons diagram"
CELLS = f"{MARKS}#"  # what may stand on a cell: nothing, an amazon, an arrow


def name(s: np.void, a: int) -> str:
    """Name action `a`: column letter, row number from the bottom."""
    return square(s, upward=True).name(a)


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    return square(s, upward=True).read(text)


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1, # a closed cell, row 1 at the bottom; ``-`` is nothing played yet."""
    n, cells = side_of(s), square(s, upward=True)
    head = f"amazons {n}x{n}  ply {s['ply']}  phase {PHASES[s['ply'] % 3]}  last {write_last(s, name)}  {status(s)}"
    rows = write_rows(s["board"].reshape(n, n), [f"{number:>2} " for number in cells.numbers], CELLS)
    return "\n".join([head, *rows, write_line("   ", cells.letters)])


def read(text: str) -> np.ndarray:
    """Read a diagram into a record, shape (1,); `BoyiError` for anything `diagram` does not write."""
    lines, head = read_head(HEAD, text, WHAT, "'amazons 10x10  ply 0  phase choose  last -  X to move', then rows")
    n = int(head[1])
    game = Game.bind(SPEC, {"board_size": n})
    state = begin(game, rules.reset)
    s = state.view(np.recarray)[0]
    s.board[:] = read_rows(lines[1:-1], n, square(state[0], upward=True).numbers, WHAT, CELLS).ravel()
    s.ply, s.last = check_ply(int(head[2]), game.longest, WHAT), read_last(state[0], head[4], parse)
    mover = s.ply // 3 % 2
    lost = s.ply % 3 == 0 and not bind(rules.can_move, game)(s, mover)
    s.winner = 1 - mover if lost else -1
    s.to_move = OVER if lost or lines[0].endswith("ended") else mover
    check_drawn(game, state, lines, WHAT, "ply, phase, last action and who is to move")
    return state
