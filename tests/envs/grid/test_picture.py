"""What pictures of boards share: middles of cells, and who is said to win or to move; games test the rest."""

import numpy as np
import pytest

from boyi.envs.faces.drawing import BLACK, WHITE
from boyi.envs.grid import picture

SIDES = ("BLACK", "WHITE"), (BLACK, WHITE)
FIELDS = [("winner", "i1"), ("to_move", "i1"), ("board", "i1", (9,))]


def test_cells_lie_around_the_middle() -> None:
    centre = picture.lattice(2, 3, 10)
    assert [[centre(r, c) for c in range(3)] for r in range(2)] == [
        [(-10, -5), (0, -5), (10, -5)],
        [(-10, 5), (0, 5), (10, 5)],
    ]


def test_stones_are_found_row_by_row() -> None:
    state = np.zeros((), FIELDS)[()]
    state["board"][[1, 5, 8]] = 2, 1, 1
    assert list(picture.stones_of(state).items()) == [((0, 1), 1), ((1, 2), 0), ((2, 2), 0)]


@pytest.mark.parametrize(
    ("winner", "to_move", "said", "paint"),
    [
        (-1, 0, "BLACK MOVES", BLACK),
        (-1, 1, "WHITE MOVES", WHITE),
        (0, -2, "BLACK WINS", BLACK),
        (1, -2, "WHITE WINS", WHITE),
        (-1, -2, "DRAW", None),
        (-1, -3, "DRAW", None),
    ],
)
def test_the_line_below(winner: int, to_move: int, said: str, paint: object, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    monkeypatch.setattr(picture, "label", lambda text, *rest: texts.append(text) or "")
    monkeypatch.setattr(picture, "said_of", lambda paint, text, *rest: texts.append(text) or [paint.fill])
    state = np.zeros((), FIELDS)[()]
    state["winner"], state["to_move"] = winner, to_move
    line = picture.standing(state, *SIDES, 20, 10, duty="MOVES", over="DRAW")
    assert texts == [said] and line == ["" if paint is None else paint.fill]  # type: ignore[attr-defined]
