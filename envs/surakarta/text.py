"""Surakarta in text: ``b2-b3`` is a step, ``b2xb5`` a capture (``a1`` is the lower left corner); diagrams read back."""

import re

import numpy as np

from ..engine.bind import bind
from ..engine.errors import BoyiError, shown
from ..engine.protocol import OVER
from ..engine.spec import Game
from ..engine.syntax import expect, expect_same, lines_of
from ..engine.syntax import parse as parse_options
from ..engine.validity import check_read
from ..grid.cells import Cells
from ..grid.diagram import NOTHING, SEATS, STATUS, begin, read_rows, status, write_line, write_rows
from ..grid.quiet_turns import read_quiet, write_quiet
from ..grid.repetition import occurrences
from . import SPEC, rules
from .constants import POINTS, SIDE

CELLS = Cells(SIDE, SIDE, upward=True)
HEAD = rf"surakarta(?: (\S+))?  ply (\d{{1,5}})  last (\S+)  ({STATUS}|draw|ended)"
EXAMPLE = "surakarta  ply 0  last -  X to move"
WHAT = "a diagram of surakarta"


def name(s: np.void, a: int) -> str:
    """Name action `a` (§12): ``b2-b3`` to an empty point, ``b2xb5`` to another."""
    p, q = divmod(a, POINTS)
    return _name(p, q, s["board"][q] != 0)


def _name(p: int, q: int, takes: bool) -> str:
    return f"{CELLS.name(p)}{'x' if takes else '-'}{CELLS.name(q)}"


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes, in either case; `BoyiError` says what is allowed."""
    found = re.fullmatch("([a-f][1-6])[-x]([a-f][1-6])", text.strip().lower())
    if found:
        a = POINTS * CELLS.read(found[1]) + CELLS.read(found[2])
        if name(s, a) == found[0]:
            return a
    raise BoyiError(
        f"no action {shown(text)}: two points, a1 to f6, with - between them where the second is empty, else x"
    )


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1, row 1 at the bottom; then the turns since the last capture."""
    options = ",".join(f"{key}={s[key]}" for key, param in SPEC.params.items() if s[key] != param.default)
    p, q = s["latest"].tolist()
    last = NOTHING if p < 0 else _name(p, q, s["quiet"] == 0)
    now = status(s, "draw" if s["drawn"] else "ended")
    return "\n".join(
        [
            f"surakarta{' ' * bool(options)}{options}  ply {s['ply']}  last {last}  {now}",
            *write_rows(s["board"].reshape(SIDE, SIDE), [f" {number} " for number in CELLS.numbers]),
            write_line("   ", CELLS.letters),
            write_quiet(s, int(s["ply"]) % 2, lambda cell, seat: CELLS.name(cell)),
        ]
    )


def read(text: str) -> np.ndarray:
    """Read what `diagram` writes, also of a position that was set up, into a record, shape (1,); else `BoyiError`."""
    lines = lines_of(text, WHAT)
    head = expect(HEAD, lines[0], WHAT, EXAMPLE)
    _, _, given = parse_options(f"surakarta:{head[1]}" if head[1] else "surakarta")
    game = Game.bind(SPEC, given)
    state = begin(game, rules.reset)
    s = state.view(np.recarray)[0]
    if len(lines) != SIDE + 3:
        raise BoyiError(f"not {WHAT}: it has a line of facts, {SIDE} rows, the columns and the quiet turns")
    s.board[:] = read_rows(lines[1:-2], SIDE, CELLS.numbers, WHAT).ravel()
    s.men[:] = [np.count_nonzero(s.board == seat + 1) for seat in (0, 1)]
    s.ply, s.latest[:] = int(head[2]), [-1, -1] if head[3] == NOTHING else _read_last(head[3])
    read_quiet(s, lines[-1], WHAT, "quiet 2 b2-b3 e5-e4", _read_point)
    s.to_move = s.ply % 2
    s.seen = bind(occurrences, game)(s)
    if not head[4].endswith("to move"):
        s.winner = SEATS.index(head[4][0]) if head[4].endswith("has won") else -1
        s.drawn, s.to_move = head[4] == "draw", OVER
    expect_same(lines, diagram(state[0]).split("\n"), WHAT)
    check_read(game, state, WHAT)
    return state


def _read_point(word: str) -> int:
    cell = CELLS.find(word)
    if cell is None:
        raise BoyiError(f"no point {shown(word)} in {WHAT}: a1 to f6")
    return cell


def _read_last(word: str) -> list[int]:
    return [_read_point(point) for point in expect(r"(\w+)[-x](\w+)", word, WHAT, "b2-b3").groups()]
