"""The record of repetitions, kept by a small game of its own and compared with a list of all positions."""

import numpy as np
import pytest

from boyi.envs import BoyiError
from boyi.envs.grid.cells import Cells
from boyi.envs.grid.quiet_turns import read_quiet, write_quiet
from boyi.envs.grid.repetition import forget_turns, hash_turns, holds_turns, note_turn, occurrences, quiet_fields

pytestmark = pytest.mark.kernels

MOST, SIDE = 12, 3
FIELDS = [("quiet", "i4"), *quiet_fields(MOST), ("to_move", "i1"), ("board", "i1", (SIDE * SIDE,))]
CELLS = Cells(SIDE, SIDE)


def wandered(turns: int, seed: int) -> tuple[np.ndarray, list[tuple[int, bytes]]]:
    """Let the one stone of each side go to another cell of its own row, by turns; return the record and what stood."""
    rng, state = np.random.default_rng(seed), np.zeros(1, np.dtype(FIELDS, align=True))
    s = state.view(np.recarray)[0]
    s.board[[0, 8]] = 1, 2
    stood = [(0, s.board.tobytes())]
    for _ in range(turns):
        source = int(np.flatnonzero(s.board == s.to_move + 1)[0])
        target = int(rng.choice([p for p in range(source // 3 * 3, source // 3 * 3 + 3) if p != source]))
        s.board[source], s.board[target] = 0, s.to_move + 1
        note_turn(s, source, target)
        s.to_move = 1 - s.to_move
        stood.append((int(s.to_move), s.board.tobytes()))
    return state, stood


def name(cell: int, seat: int) -> str:
    return CELLS.name(cell).upper() if seat else CELLS.name(cell)


@pytest.mark.parametrize("turns", [0, 1, 2, 7, MOST, MOST + 1, 3 * MOST + 5])
def test_positions_that_stood_before_are_counted(turns: int) -> None:
    most = 0
    for seed in range(30):
        state, stood = wandered(turns, seed)
        s = state.view(np.recarray)[0]
        assert occurrences(s) == stood[-MOST - 1 :].count(stood[-1])
        assert holds_turns(s, SIDE * SIDE)
        most = max(most, int(occurrences(s)))
    assert most >= (3 if turns >= MOST else 1)


def test_a_capture_makes_the_record_anew() -> None:
    for turns in (5, MOST + 3):
        s = wandered(turns, 1)[0].view(np.recarray)[0]
        before = hash_turns(np.uint64(7), s)
        forget_turns(s)
        assert s.quiet == 0 and not s.source.any() and not s.target.any() and occurrences(s) == 1
        assert hash_turns(np.uint64(7), s) == 7 != before


@pytest.mark.parametrize("turns", [0, 3, MOST, MOST + 5])
def test_turns_are_written_and_read_back(turns: int) -> None:
    state, _ = wandered(turns, 2)
    line = write_quiet(state[0], int(state["to_move"][0]), name)
    again = state.copy()
    again["quiet"] = again["source"] = again["target"] = 0
    read_quiet(again.view(np.recarray)[0], line, "it", "quiet 0", CELLS.read)
    assert again.tobytes() == state.tobytes()


def test_a_line_of_turns() -> None:
    """The seat that is not to move has moved last; seat 1's stones are in capitals."""
    s = np.zeros(1, np.dtype(FIELDS, align=True)).view(np.recarray)[0]
    for source, target in ((0, 1), (8, 7), (1, 2)):
        note_turn(s, source, target)
    assert write_quiet(s, 1, name) == "quiet 3 a1-b1 C3-B3 b1-c1"
    assert write_quiet(s, 0, name) == "quiet 3 A1-B1 c3-b3 B1-C1"


@pytest.mark.parametrize(
    "line", ["", "quiet", "quiet 1", "quiet 1 a1-b1 a1-b1", "quiet 2 a1-b1", "quiet 1 a1", "quiet 1 a1-d1"]
)
def test_other_lines_are_refused(line: str) -> None:
    s = np.zeros(1, np.dtype(FIELDS, align=True)).view(np.recarray)[0]
    with pytest.raises(BoyiError):
        read_quiet(s, line, "it", "quiet 0", CELLS.read)


@pytest.mark.parametrize(
    ("field", "place", "value"), [("source", 0, 9), ("target", 4, -1), ("source", 5, 1), ("target", 11, 2)]
)
def test_turns_of_no_board_are_found(field: str, place: int, value: int) -> None:
    s = wandered(5, 3)[0].view(np.recarray)[0]
    assert holds_turns(s, SIDE * SIDE)
    s[field][place] = value
    assert not holds_turns(s, SIDE * SIDE)
