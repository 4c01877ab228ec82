"""Jiu's dalians and gates, in positions set up by hand and as the page defines them word for word on random boards."""

from collections import Counter

import numpy as np
import pytest
from histories import count, scores
from jiu_positions import beside, dalians, exchanged, played, position, stands, stones, unit_cells
from sizes import COMPILES

from boyi.envs import find
from boyi.envs.engine.bind import bind
from boyi.envs.jiu import rules, shapes
from boyi.envs.jiu import state as record

pytestmark = pytest.mark.kernels

DALIAN = ["OOOO", "OO.O"]
TWO = [*DALIAN, "", "", "OOOO", "O..O", ".O"]
QUIET = "J1-I1"


@pytest.mark.parametrize(
    ("rows", "line", "apart", "any_two"),
    [
        (TWO, "G1-F1, take j0", True, True),  # P11
        (["OOOO.XX", "OO.O.XX", *TWO[2:]], "G1-F1, take j0", False, False),
        (["OOOO.XX", "OO.O.XX", *TWO[2:]], "G1-F1, take a5", True, True),
        ([*DALIAN, "", "", *DALIAN], QUIET, True, True),
        ([*DALIAN, *DALIAN], QUIET, True, True),
        (DALIAN, QUIET, False, False),
        (["OOOOO", "OO.OO"], QUIET, False, True),  # two runners, one hole
        (["OOOO", "OO.O", "OO.O", "OOOO"], QUIET, True, True),
        (["OOOO", "OO.O", "O", "OO"], QUIET, False, True),  # one runner, two holes
        (["OOOO", "OO.O", "..OO"], QUIET, False, False),  # two squares from one hole
        ([*DALIAN, "", "", "OOOO", "OOXO"], QUIET, False, False),
        ([*DALIAN, "", "", "OOOO", "OOOO"], QUIET, False, False),
        ([*DALIAN, "", "", "OOOO", "O..O"], QUIET, False, False),
        ([*DALIAN, "", "", "OOO", "OO", "...O", "..OO"], QUIET, False, False),
        ([*DALIAN, "", "", "OO", "OO", "..O", ".OO"], QUIET, True, True),
    ],
)
def test_two_dalians(rows: list[str], line: str, apart: bool, any_two: bool) -> None:
    """§14: apart from each other, or any two, at the end of a turn, while the other has no square."""
    for value, wins in (("apart", apart), ("any", any_two), ("off", False)):
        batch = played(position(*rows, dalian_win=value), line)
        assert stands(batch) == ("O has won" if wins else "X turn")
        assert scores(batch.game, batch.states) == ([-1, 1] if wins else [0, 0])


def test_breaking_the_last_square() -> None:
    """§14: the side that has moved may lose."""
    rows = ["OOOO..XX", "OO.O..XX", "", "", *DALIAN]
    assert stands(played(position(*rows, turns=1), "j2-i2")) == "O turn"
    assert stands(played(position(*rows, turns=1), "a6-a5")) == "O has won"
    assert stands(played(position(*exchanged(rows)), "A6-A5")) == "X has won"


def gate(board: list[int], n: int, mine: int, flying: bool) -> bool:
    """Look for a gate, word for word as the page says."""
    for cell in unit_cells(n):
        free = [p for p in cell if board[p] == 0]
        if len(free) == 1 and sum(board[p] == mine for p in cell) == 3:
            for line in beside(n, free[0]):
                if line and line[0] not in cell and board[line[0]] == mine:
                    return True
                if len(line) == 2 and [board[p] for p in line] == [3 - mine, mine] and line[1] not in cell:
                    return True
            if flying and board.count(mine) > 3:
                return True
    return False


@pytest.mark.parametrize("n", [6, pytest.param(8, marks=COMPILES)])
def test_shapes_on_random_boards(n: int) -> None:
    """§8, §14: dalians and gates as the page defines them, one by one."""
    rng, tally, game = np.random.default_rng(n), Counter[tuple[str, bool]](), find("jiu", board_size=n)
    put, two_dalians, has_gate = (bind(rule, game) for rule in (record.put_stone, shapes.two_dalians, shapes.has_gate))
    for k in range(count(300, 60)):
        board = rng.choice(3, n * n, p=[(0.2, 0.05, 0.75), (0.2, 0.75, 0.05), (0.5, 0.25, 0.25)][k % 3])
        state = rules.blank(**game.params)
        s, seat = state.view(np.recarray)[0], 1 - k % 3 % 2
        for p in np.flatnonzero(board):
            put(s, int(p), int(board[p]) - 1)
        mine = seat + 1
        found = dalians(board.tolist(), n, mine)
        two = any(not a & b for _, _, a in found for _, _, b in found)
        differing = len({(p, q) for p, q, _ in found}) > 1
        gates = [gate(board.tolist(), n, mine, flying) for flying in (False, True)]
        assert [two_dalians(s, seat, False), two_dalians(s, seat, True)] == [two, differing]
        assert [has_gate(s, seat, False), has_gate(s, seat, True)] == gates
        tally.update([("apart", two), ("any", differing), ("gate", gates[0]), ("flying gate", gates[1])])
    assert min(tally.values()) > count(20, 2) and len(tally) == 8


TRIANGLE = ["OOOO......XX", "OO.O......X.", "", "", *DALIAN]


@pytest.mark.parametrize(
    ("second", "gated"),
    [
        ("OO.O......X.", False),
        ("OO.O......X.X", True),  # a step
        ("OO.O......X.OX", True),  # a jump
        ("OO.O......X..X", False),
        ("OO.O......X.OO", False),
        ("OO.O......XOX", False),  # the point is not empty
    ],
)
def test_gates(second: str, gated: bool) -> None:
    """§14: with `dalian_gates=false` the other side must not have one either."""
    rows = [TRIANGLE[0], second, *TRIANGLE[2:]]
    assert stands(played(position(*rows), QUIET)) == "O has won"
    assert stands(played(position(*rows, dalian_gates=False), QUIET)) == ("X turn" if gated else "O has won")


def test_flying_into_a_gate() -> None:
    """§11, §14: a side that will fly at its next turn has a gate wherever one point of a square is empty."""
    rows = ["OOOO......XX", "OO.O......X.", *TWO[2:], "", "", "X." * 7, "", "X." * 5, "", "...........O.O"]
    for flying, ends in (("size", "X turn"), ("below", "O has won")):
        batch = played(position(*rows, flying=flying, dalian_gates=False), "G1-F1")
        assert stones(batch) == [15, 16]
        assert stands(played(batch.states, "take j0")) == ends
        assert stands(played(batch.states, "take bA")) == "O has won"
