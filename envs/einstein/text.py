"""EinStein würfelt nicht! in text: actions named as in OpenSpiel (``3-down``), and diagrams that read back."""

import re

import numpy as np

from ..engine.errors import BoyiError, shown
from ..engine.protocol import CHANCE, OVER
from ..engine.spec import Game
from ..engine.syntax import lines_of
from ..engine.validity import find_flaws
from ..engine.view import copied
from . import SPEC
from .valid import MOST

MARKS = "XO"
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
        f"no action {shown(text)}: write a stone from 1 to {stones} and {', '.join(words[:2])} or diag, as 1-diag"
    )


def outcome(s: np.void, o: int) -> str:
    """Name the face that the die shows."""
    return str(o + 1)


def diagram(s: np.void) -> str:
    """Draw the position: X is seat 0, O seat 1, each with the stone's number; ``-`` is nothing played or rolled yet."""
    columns, stones = int(s["columns"]), s["square"].size // 2
    rows = s["board"].size // columns
    rule = f"{PLACEMENTS[s['fixed']]} {SUBSTITUTIONS[s['nearest']]}"
    die = str(s["die"]) if s["die"] else "-"
    head = f"einstein {rows}x{columns} stones {stones} {rule}  ply {s['ply']}  last {_last(s)}  die {die}  {_status(s)}"
    letters = "".join(f"{chr(ord('a') + c):>4}" for c in range(columns))
    board = s["board"].reshape(rows, columns)
    lines = [f"{r + 1:>3}" + "".join(f"{_mark(int(v), stones):>4}" for v in board[r]) for r in range(rows)]
    return "\n".join([head, f"   {letters}", *lines])


def read(text: str) -> np.ndarray:
    """Read what `diagram` writes, and with ``last -`` set-up positions, into a record, shape (1,); else `BoyiError`."""
    lines = lines_of(text, "an einstein diagram")
    head = re.fullmatch(HEAD, lines[0])
    if head is None or len(lines) != int(head[1]) + 2:
        raise BoyiError(
            "not an einstein diagram: it starts with "
            "'einstein 5x5 stones 6 random adjacent  ply 0  last -  die -  X to roll', letters, then rows"
        )
    sizes = {"board_size": int(head[1]), "columns": int(head[2]), "stones": int(head[3])}
    game = Game.bind(SPEC, {**sizes, "placement": head[4], "substitution": head[5]})
    state = copied(game.blank)
    s = state[0]
    s["square"] = -1
    for r, line in enumerate(lines[2:]):
        _read_row(s, r, line.split()[1:])
    s["left"] = [(stones >= 0).sum() for stones in s["square"].reshape(2, -1)]
    _read_progress(s, head)
    if find_flaws(game, state)[0] >= 0 or diagram(s).split("\n") != lines:
        raise BoyiError(
            "not an einstein diagram: ply, last action, die and who is to move do not agree with the stones"
        )
    return state


def _read_row(s: np.void, r: int, marks: list[str]) -> None:
    """Put the stones of row r on the board."""
    columns, stones = int(s["columns"]), s["square"].size // 2
    known = {_mark(i, stones): i for i in range(2 * stones + 1)}
    if len(marks) != columns or any(mark not in known for mark in marks):
        raise BoyiError(
            f"not an einstein diagram: row {r + 1} must hold {columns} of ., X1 to X{stones}, O1 to O{stones}"
        )
    for c, mark in enumerate(marks):
        i = known[mark] - 1
        if i >= 0:
            if s["square"][i] >= 0:
                raise BoyiError(f"not an einstein diagram: there are two stones {mark}")
            s["square"][i] = r * columns + c
            s["board"][r * columns + c] = i + 1


def _read_progress(s: np.void, head: re.Match[str]) -> None:
    """Set what the head line tells about the course of the game."""
    ply, last, die, seat, status = int(head[6]), head[7], head[8], head[9], head[10]
    if ply > MOST:
        raise BoyiError(f"not an einstein diagram: no game has {ply} plies")
    s["ply"], s["die"], s["winner"] = ply, 0 if die == "-" else int(die), -1
    s["last"] = -1 if last == "-" else _parse(s, (ply - 1) % 2, last)
    s["turn"] = ply % 2
    s["to_move"] = {"to move": s["turn"], "to roll": CHANCE}.get(status, OVER)
    if status == "has won":
        s["turn"] = s["winner"] = MARKS.index(seat)


def _mark(value: int, stones: int) -> str:
    """Write what stands on a square of the board."""
    return "." if value == 0 else f"{MARKS[(value - 1) // stones]}{(value - 1) % stones + 1}"


def _last(s: np.void) -> str:
    return "-" if s["last"] < 0 else _name((int(s["ply"]) - 1) % 2, int(s["last"]))


def _status(s: np.void) -> str:
    if s["winner"] >= 0:
        return f"{MARKS[s['winner']]} has won"
    if s["to_move"] == CHANCE:
        return f"{MARKS[s['turn']]} to roll"
    return f"{MARKS[s['to_move']]} to move" if s["to_move"] >= 0 else "ended"
