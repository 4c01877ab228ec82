"""Positions of Jiu for the tests."""

import re

import numpy as np
import pytest
import sizes
from numpy.typing import NDArray

from boyi.envs import Batch, BoyiError, find
from boyi.envs.grid.cells import LETTERS
from boyi.envs.grid.dihedral import moved
from boyi.envs.jiu import SPEC, text
from boyi.envs.jiu.points import DIGITS

TESTED = [find(SPEC, **params) for params in SPEC.tested]


SMALL = [game for game in TESTED if game.params["board_size"] < 9]


every_set = sizes.every_set([SPEC], large=False)


every_small_set = sizes.every_game(SMALL, large=False)


Record = NDArray[np.void]


def whole(*rows: str, n: int = 14, fill: bool = True) -> list[str]:
    """Complete rows from the top left; with `fill` others of 14 × 14 hold 21 stones of either seat in nobody's way."""
    board = [row.ljust(n, ".") for row in rows]
    return board + ["XO" * 7 if fill and n == 14 and r in (9, 11, 13) else "." * n for r in range(len(rows), n)]


def drawn(*rows: str, n: int = 14, turns: int = 0, quiet: str = "0", fill: bool = True, **params: object) -> str:
    """Draw a battle at the beginning of a turn, of seat 1 unless `turns` is odd: X is seat 0, O seat 1.

    The rows are completed by `whole`.
    """
    values = {"board_size": n, **params}
    changed = [k for k, param in SPEC.params.items() if values.get(k, param.default) != param.default]
    options = ",".join(f"{k}={values[k]}".lower() for k in changed)
    return "\n".join(
        [
            f"jiu{' ' * bool(options)}{options}  ply {n * n + turns}  turns {turns}  {'OX'[turns % 2]} to move",
            "phase turn  latest -,-  from -  runner -  jumps 0  taken 0  due 0  been -",
            "    " + " ".join(DIGITS[:n]),
            *(f" {LETTERS[r]}  {' '.join(row)}" for r, row in enumerate(whole(*rows, n=n, fill=fill))),
            f"quiet {quiet}",
        ]
    )


def reads(drawing: str) -> Record:
    """Read a diagram; the test fails if it is refused."""
    try:
        return text.read(drawing)
    except BoyiError as error:
        pytest.fail(f"{error}\n{drawing}")


def position(*rows: str, **facts: object) -> Record:
    """Set up what `drawn` draws."""
    return reads(drawn(*rows, **facts))


def played(state: Record, line: str = "") -> Batch:
    """Play named actions from a position; all must be allowed, under these very names."""
    head = text.diagram(state[0]).splitlines()[0].split("  ")[0]  # names the record's parameters
    batch = Batch(head.replace(" ", ":"), 1, seed=0, encoder=None)
    batch.states = state
    for word in line.split(", ") if line else ():
        assert word in named(batch), (word, text.diagram(batch.states[0]))
        batch.step(np.array([text.parse(batch.states[0], word)]))
    return batch


def named(batch: Batch) -> list[str]:
    """Name what the seat to move may do."""
    return [text.name(batch.states[0], a) for a in np.flatnonzero(batch.mask[0])]


def stands(batch: Batch) -> str:
    """Say who is to move in which phase, with the stones due, ``O take 2``; or how the game has ended."""
    s = batch.states[0]
    if s["to_move"] < 0:
        return text.diagram(s).splitlines()[0].split("  ")[-1]
    due = f" {s['due']}" if s["due"] else ""
    return f"{'XO'[s['to_move']]} {text.PHASES[s['phase']]}{due}"


def stones(batch: Batch) -> list[int]:
    """Count the stones of both seats on the board."""
    return [int((batch.states["board"][0] == seat + 1).sum()) for seat in (0, 1)]


def exchanged(rows: list[str]) -> list[str]:
    """Give every stone to the other seat."""
    return [row.translate(str.maketrans("XO", "OX")) for row in rows]


def laid_out(*rows: str, **params: object) -> Batch:
    """Play a layout that ends with these stones: each seat puts its own in order, first on the marked diagonal."""
    n = len(rows)
    batch = Batch("jiu", 1, seed=0, encoder=None, board_size=n, **params)
    first = [(n // 2 - 1) * (n + 1), (n // 2) * (n + 1)]
    marks = "".join(rows)
    points = [sorted((p for p in range(n * n) if marks[p] == mark), key=lambda p: p not in first) for mark in "XO"]
    for pair in zip(*points, strict=True):
        for p in pair:
            assert batch.mask[0, p]
            batch.step(np.array([p]))
    return batch


def image(states: Record, points: NDArray[np.int64]) -> Record:
    """Return the records of an image of the board, every point p of which is the point points[p]."""
    n = int(len(points) ** 0.5)
    mapped = moved(states, points, ("board", "been"), ("latest", "start", "runner"))
    for field in ("source", "target"):
        used = np.arange(states[field].shape[1]) < states["quiet"][:, None]
        mapped[field] = np.where(used, points[states[field]], 0)
    for seat in (0, 1):
        own = mapped["board"].reshape(-1, n, n) == seat + 1
        mapped["rows"][:, seat], mapped["columns"][:, seat] = own.sum(axis=2), own.sum(axis=1)
    return mapped


def unit_cells(n: int) -> list[set[int]]:
    return [{p, p + 1, p + n, p + n + 1} for r in range(n - 1) for p in range(r * n, r * n + n - 1)]


def beside(n: int, p: int) -> list[list[int]]:
    """Return the two points that lie next and behind that in each direction, as far as they are on the board."""
    r, c = divmod(p, n)
    lines = [[(r + i * y, c + i * x) for i in (1, 2)] for y, x in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    return [[a * n + b for a, b in line if 0 <= a < n and 0 <= b < n] for line in lines]


def dalians(board: list[int], n: int, mine: int) -> list[tuple[int, int, set[int]]]:
    """List the dalians of stones like `mine`, word for word as the page says: p, q and the points they cover."""
    own, cells, found = {p for p, v in enumerate(board) if v == mine}, unit_cells(n), []
    for p in own:
        for q in [line[0] for line in beside(n, p) if line and board[line[0]] == 0]:
            squares = [a for a in cells if p in a and q not in a and a <= own]
            found += [(p, q, a | b) for a in squares for b in cells if q in b and p not in b and b - {q} <= own]
    return found


def in_phase(phase: str, *rows: str, changes: dict[str, str], **facts: object) -> str:
    """Draw a position in the middle of a turn."""
    drawing = drawn(*rows, **facts).replace("phase turn", f"phase {phase}")
    for fact, value in changes.items():
        drawing = re.sub(rf"{fact} \S+", f"{fact} {value}", drawing)
    return drawing


FLYING = "OX.X", "O...O", "XXO"


DIAGRAMS = {  # one of every phase; texts, so that a bug in the game does not keep pytest from collecting the tests
    "layout": drawn(n=6).replace("turn  ", "layout  ").replace("ply 36", "ply 0").replace("O to", "X to"),
    "turn": drawn("OX...", "..X..", "...X."),
    "jump": in_phase(
        "jump", "..OX", ".OX", "", "XXXXX", "O", "OOOOO", n=6, revisit=False,
        changes={"from": "A0", "runner": "A2", "jumps": "1", "taken": "1", "been": "A0,A2"},
    ),
    "drop": in_phase("drop", *FLYING, turns=3, fill=False, changes={"runner": "a1"}),
    "take": in_phase(
        "take", "OOO.XX", "OOOX", "......X", fill=False, flying="below",
        changes={"latest": "a4,B1", "from": "C1", "due": "2"},
    ),
}  # fmt: skip


LARGEST = in_phase("drop", *FLYING, n=26, turns=3, changes={"runner": "a1"})


every_phase = pytest.mark.parametrize(
    "drawing", [*DIAGRAMS.values(), pytest.param(LARGEST, marks=sizes.COMPILES)], ids=[*DIAGRAMS, "drop on 26 lines"]
)
