"""The evaluation of Hex: two-distances by hand and by definition, symmetry, and what the candidates leave out."""

from typing import Any

import numpy as np
import pytest
from sizes import COMPILES

from boyi.baselines.search.alphabeta import AlphaBeta
from boyi.baselines.search.evaluation import WIN, evaluation
from boyi.baselines.search.exact import Solver
from boyi.envs import Batch, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import candidates, evaluate, follow, survey
from boyi.envs.hex.distance import FAR, frame, measure

pytestmark = pytest.mark.kernels


def survey_one(states, notes):
    survey(states[0], notes[0])


def follow_one(before, states, notes, a):
    follow(before[0], states[0], notes[0], a)


def evaluate_one(states, notes, seat):
    survey(states[0], notes[0])
    return evaluate(states[0], notes[0], seat)


def candidates_one(states, notes, moves, ranks):
    survey(states[0], notes[0])
    return candidates(states[0], notes[0], moves, ranks)


class Valuer:
    """Asks the game's evaluation about positions given by their cells."""

    def __init__(self, size: int, *, swap: bool = False) -> None:
        self.game = find("hex", board_size=size, swap=swap)
        self.found = evaluation(self.game, "test")

    def play(self, moves: str, seed: int = 0) -> Batch:
        batch = Batch(self.game, 1, seed=seed)
        text = self.game.module("text")
        for move in moves.split():
            batch.step([text.parse(batch.states[0], move)])
        return batch

    def value(self, states: np.ndarray, seat: int) -> int:
        return int(self.run(evaluate_one, states, seat))

    def candidates(self, states: np.ndarray) -> dict[int, int]:
        moves, ranks = np.zeros((2, self.game.actions), np.int32)
        n = self.run(candidates_one, states, moves, ranks)
        assert len(set(moves[:n].tolist())) == n
        return dict(zip(moves[:n].tolist(), ranks[:n].tolist(), strict=True))

    def run(self, kernel: Any, states: np.ndarray, *args: Any) -> Any:
        return bind(kernel, self.game, **self.found.kernels)(states, self.found.notes, *args)


def distances(batch: Batch, seat: int, *, last: bool) -> np.ndarray:
    """Return the two-distances (n, n) in the frame of a seat."""
    n = batch.game.params["board_size"]
    framed, far = np.zeros((n + 2) ** 2, np.int8), np.zeros((n + 2) ** 2, np.int16)
    frame(batch.states[0]["board"], n, seat, framed)
    measure(n, framed, last, far, np.zeros((4, (n + 2) ** 2), np.int16))
    return far.reshape(n + 2, n + 2)[1:-1, 1:-1]


def by_definition(batch: Batch, seat: int) -> np.ndarray:
    """Compute the distances from the first side over the sets of neighbours, again and again until nothing changes."""
    n = batch.game.params["board_size"]
    board = batch.states[0]["board"].reshape(n, n)
    board = board if seat == 0 else board.T
    cells = {(r, c): int(board[r, c]) for r in range(n) for c in range(n)}

    def touching(cell: Any) -> set[Any]:
        if cell == "side":
            return {(0, c) for c in range(n)}
        r, c = cell
        found = {(r, c + 1), (r + 1, c - 1), (r + 1, c), (r, c - 1), (r - 1, c + 1), (r - 1, c)} & cells.keys()
        return found | ({"side"} if r == 0 else set())

    def neighbours(cell: Any) -> set[Any]:
        found, waiting = set(), [cell]
        while waiting:
            for other in touching(waiting.pop()) - found:
                if other == "side" or cells[other] in (0, seat + 1):
                    found.add(other)
                    waiting += [other] if other != "side" and cells[other] == seat + 1 else []
        return {other for other in found if other == "side" or cells[other] == 0} - {cell}

    empty = [cell for cell, stone in cells.items() if stone == 0]
    around = {cell: neighbours(cell) for cell in empty}
    far = {cell: 1 if "side" in around[cell] else FAR for cell in empty}
    changed = True
    while changed:
        changed = False
        for cell in empty:
            near = sorted(far[other] for other in around[cell] if other != "side")
            if far[cell] > 1 and len(near) > 1 and near[1] + 1 < far[cell]:
                far[cell], changed = near[1] + 1, True
    return np.array([[far.get((r, c), FAR) for c in range(n)] for r in range(n)])


def random_batches(size: int, count: int, seed: int) -> list[Batch]:
    rng, found = np.random.default_rng(seed), []
    while len(found) < count:
        batch = Batch("hex", 1, seed=len(found), board_size=size)
        for _ in range(rng.integers(0, size * size // 2)):
            if batch.to_move[0] >= 0:
                batch.step(batch.sample())
        found += [batch] if batch.to_move[0] >= 0 else []
    return found


def test_distances_on_an_empty_board() -> None:
    # a2 has two neighbours above, c2 only one, so that it must count on b2.
    assert distances(Batch("hex:board_size=3", 1, seed=0), 0, last=False).tolist() == [[1, 1, 1], [2, 2, 3], [3, 4, 5]]


def test_distances_through_stones() -> None:
    # b2 makes b1 and c1 neighbours of all that touches it: a2, c2, a3 and b3, but not c3.
    batch = Valuer(3).play("b2 a1")
    assert distances(batch, 0, last=False).tolist() == [[FAR, 1, 1], [2, FAR, 2], [2, 2, 3]]


@pytest.mark.parametrize(
    "size", [pytest.param(2, marks=COMPILES), 3, pytest.param(4, marks=COMPILES), 5, pytest.param(6, marks=COMPILES)]
)
def test_distances_follow_the_definition(size: int) -> None:
    for batch in random_batches(size, 12, size):
        for seat in (0, 1):
            wanted = by_definition(batch, seat)
            assert (distances(batch, seat, last=False) == wanted).all(), batch.states[0]["board"]


def test_half_a_turn_changes_nothing_and_the_mirror_the_sign() -> None:
    valuer = Valuer(5)
    for batch in random_batches(5, 20, 1):
        states, board = batch.states.copy(), batch.states["board"].reshape(5, 5)
        turned, mirrored = states.copy(), states.copy()
        turned["board"] = board[::-1, ::-1].ravel()
        mirrored["board"] = np.array([0, 2, 1], np.int8)[board.T].ravel()
        mirrored["to_move"] = 1 - states["to_move"]
        for seat in (0, 1):
            value = valuer.value(states, seat)
            assert value == -valuer.value(states, 1 - seat) == valuer.value(turned, seat)
            assert value == valuer.value(mirrored, 1 - seat)
            assert abs(value) < WIN
        ranks = valuer.candidates(states)
        assert {24 - a: rank for a, rank in valuer.candidates(turned).items()} == ranks
        assert {a % 5 * 5 + a // 5: rank for a, rank in valuer.candidates(mirrored).items()} == ranks


def test_following_is_surveying() -> None:
    valuer = Valuer(5)
    batch = Batch(valuer.game, 1, seed=3)
    surveyed, followed = valuer.found.notes.copy(), valuer.found.notes.copy()
    bind(survey_one, valuer.game, **valuer.found.kernels)(batch.states, followed)
    while True:
        before, a = batch.states.copy(), batch.sample()
        batch.step(a)
        if batch.to_move[0] < 0:
            break
        bind(follow_one, valuer.game, **valuer.found.kernels)(before, batch.states, followed, int(a[0]))
        bind(survey_one, valuer.game, **valuer.found.kernels)(batch.states, surveyed)
        assert (followed["total"] == surveyed["total"]).all()
        assert (followed["part"] == surveyed["part"]).all()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        # Stones a bridge apart lead further than stones side by side.
        ("c2 a1 b4 a2", "c2 a1 c3 a2"),
        # The middle is better than the corner.
        ("c3 a1", "a5 a1"),
        # A bridge to the side holds; with a third stone in it there is nothing left to join.
        ("c4 a1 c1 e1", "c4 c5 c1 b5"),
    ],
)
def test_the_better_position_is_worth_more(better: str, worse: str) -> None:
    valuer = Valuer(5)
    assert valuer.value(valuer.play(better).states, 0) > valuer.value(valuer.play(worse).states, 0)


def test_the_candidates_of_3x3_are_enough_to_win() -> None:
    valuer = Valuer(3)
    solver, agent = Solver(valuer.game), AlphaBeta(depth=9)
    ranks = valuer.candidates(valuer.play("").states)
    assert max(ranks.values()) == ranks[4]
    for batch in random_batches(3, 25, 2):
        found, view = agent.search(batch.view()), batch.view()
        value = solver.value(view.states) * (1 if view.seat[0] == 0 else -1)
        assert found.depth == 0 or np.sign(found.value) == value, batch.states[0]["board"]


@pytest.mark.parametrize("size", [pytest.param(1, marks=COMPILES), pytest.param(2, marks=COMPILES), 5])
def test_candidates_are_legal_and_there_is_always_one(size: int) -> None:
    valuer = Valuer(size)
    for batch in random_batches(size, 20, size) if size > 1 else [valuer.play("")]:
        found = valuer.candidates(batch.states)
        assert found
        assert batch.mask[0, list(found)].all()


def test_far_cells_are_no_candidates() -> None:
    valuer = Valuer(11)
    found = valuer.candidates(valuer.play("f6 f7").states)
    assert 4 <= len(found) < 60
    assert 0 not in found


def test_the_swap_is_tried_first_where_it_is_possible() -> None:
    valuer = Valuer(3, swap=True)
    found = valuer.candidates(valuer.play("b2").states)
    assert max(found, key=found.__getitem__) == 9
    assert 9 not in valuer.candidates(valuer.play("b2 a1").states)
    batch = valuer.play("b2")
    assert int(AlphaBeta(depth=2).act(batch.view())[0]) == 9
