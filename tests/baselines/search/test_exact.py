"""The exact solver: published and worked values of EinStein, Hex by brute force, symmetry, and its limits."""

import json
import os
import random
import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest
import toy
from einstein_oracle import EinStein as Oracle
from einstein_positions import CASES, arranged, changes, described, image, record
from gomoku_oracle import Gomoku
from hex_oracle import Hex
from histories import random_histories, replayed

from boyi.baselines import evaluate
from boyi.baselines.search.exact import Exact, ProofSolver, Solver
from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.einstein import SPEC

pytestmark = pytest.mark.kernels

SMALL = "einstein:board_size=3,stones=2"

Stones = dict[int, tuple[int, int]]


@cache
def solver(game: Game) -> Solver:
    return Solver(game)


def chance_to_win(game: Game, oracle: Oracle) -> float:
    """Ask the solver how likely the seat whose turn it is wins."""
    value = solver(game).value(record(game, oracle))
    return (1 + (value if oracle.turn == 0 else -value)) / 2


def set_up(game: Game, first: Stones, second: Stones, turn: int) -> Oracle:
    """Set a position up before the roll."""
    oracle = Oracle(**game.params)
    oracle.set_up({(seat, i): cell for seat, own in enumerate((first, second)) for i, cell in own.items()}, turn, None)
    return oracle


# Both seats' stones, whose turn it is, and how likely that seat wins.
VALUES: list[tuple[str, Stones, Stones, int, float]] = [
    ("einstein", {3: (0, 0)}, {3: (4, 4)}, 0, 1.0),
    ("einstein", {1: (0, 0), 6: (0, 1)}, {1: (4, 4), 6: (4, 3)}, 0, 0.429997871233),
    ("einstein", {1: (0, 0), 6: (1, 1)}, {1: (4, 4), 6: (3, 3)}, 0, 0.364613295288),
    ("einstein", {1: (0, 0), 6: (1, 1)}, {3: (4, 4)}, 0, 0.999014060357),
    ("einstein", {1: (0, 0), 6: (1, 1)}, {3: (4, 4)}, 1, 0.166666666667),
    (
        "einstein:board_size=3",
        {1: (0, 0), 3: (0, 1), 5: (1, 0)},
        {1: (2, 2), 3: (2, 1), 5: (1, 2)},
        0,
        0.816100823045,
    ),
    (
        "einstein:board_size=3,stones=3",
        {1: (0, 0), 2: (0, 1), 3: (1, 0)},
        {1: (2, 2), 2: (2, 1), 3: (1, 2)},
        0,
        0.699588477366,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "first", "second", "turn", "expected"), VALUES)
def test_values_before_the_roll(name: str, first: Stones, second: Stones, turn: int, expected: float) -> None:
    game = find(name)
    assert chance_to_win(game, set_up(game, first, second, turn)) == pytest.approx(expected, abs=1e-12)


def test_values_agree_with_brute_force_over_the_dice() -> None:
    game, rng, met = find(SMALL), random.Random(1), set()
    for _ in range(100):
        oracle = arranged(game, rng)
        oracle.die = None
        chance = chance_to_win(game, oracle)
        assert chance == pytest.approx(by_brute_force(oracle), abs=1e-12)
        met.add((oracle.turn, round(chance, 6)))
    assert {turn for turn, _ in met} == {0, 1} and len(met) > 10


def by_brute_force(oracle: Oracle) -> float:
    """Work out how likely the seat whose turn it is wins, before the roll."""
    best = []
    for die in range(1, oracle.k + 1):
        rolled, chances = oracle.copy(), []
        rolled.die = die
        for a in rolled.legal():
            after = rolled.copy()
            after.play(a)
            chances.append(float(after.winner() == oracle.turn) if after.over() else 1 - by_brute_force(after))
        best.append(max(chances))
    return sum(best) / len(best)


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in CASES if "v_before_roll" in case], ids=lambda case: case["id"])
def test_worked_positions(case: dict[str, Any]) -> None:
    """The value before the roll, and what every action is worth after it."""
    game, oracle = find("einstein"), described(case)
    batch = Batch(game, 1, seed=0)
    batch.states = record(game, oracle)
    worth = (1 + Exact(positions=600_000).worth(batch.view())) / 2
    assert np.flatnonzero(~np.isnan(worth)).tolist() == case["legal"]
    for after in case["after"]:
        assert worth[after["action"]] == pytest.approx(after["q"], abs=1e-11)
    oracle.die = None
    assert chance_to_win(game, oracle) == pytest.approx(case["v_before_roll"], abs=1e-11)


# Winners with one stone each, rows 2 to 10 by columns 2 to 10 (Bonnet and Viennot 2017): 1 is who begins.
ONE_STONE = """
1 2 1 2 1 2 1 2 1
2 1 1 2 1 2 1 2 1
1 1 1 1 1 2 1 2 1
2 2 1 1 1 1 1 2 1
1 1 1 1 1 1 1 1 1
2 2 2 1 1 1 1 1 1
1 1 1 1 1 1 1 1 1
2 2 2 2 1 1 1 1 1
1 1 1 1 1 1 1 1 1
"""


@pytest.mark.slow
def test_one_stone_each_on_every_board() -> None:
    """Without JIT, because each of the 81 boards would compile apart."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [[int(winner) for winner in line.split()] for line in ONE_STONE.split("\n")[1:-1]]


def winners() -> list[list[int]]:
    def winner(rows: int, columns: int) -> int:
        game = find(SPEC, board_size=rows, columns=columns, stones=1)
        return {1.0: 1, -1.0: 2}[Solver(game).value(Batch(game, 1, encoder=None).states)]

    return [[winner(rows, columns) for columns in range(2, 11)] for rows in range(2, 11)]


@pytest.mark.parametrize(
    "name",
    [
        SMALL,
        f"{SMALL},substitution=nearest",
        pytest.param("einstein", marks=pytest.mark.slow),
        pytest.param("einstein:substitution=nearest", marks=pytest.mark.slow),
    ],
)
def test_images_have_equal_values(name: str) -> None:
    """§12, before the roll, where only a few stones are left."""
    game, rng = find(name), random.Random(2)
    for _ in range(40):
        oracle = arranged(game, rng, most=4, reach=3)
        oracle.die = None
        chance = chance_to_win(game, oracle)
        for change in changes(game):
            assert chance_to_win(game, image(oracle, change)) == pytest.approx(chance, abs=1e-14)


# Games without dice


def minimax(oracle: Any) -> float:
    """Find seat 0's return under best play by brute force over an oracle."""
    if oracle.mover() is None:
        return float(oracle.returns()[0])
    values = []
    for a in oracle.legal():
        after = oracle.copy()
        after.play(a)
        values.append(minimax(after))
    return max(values) if oracle.mover() == 0 else min(values)


@pytest.mark.parametrize(
    ("name", "oracle", "worths"),
    [("hex:board_size=3", Hex(3), (-1.0, 1.0)), ("gomoku:board_size=5", Gomoku(5), (-1.0, 0.0, 1.0))],
    ids=["hex", "gomoku"],
)
def test_late_positions_agree_with_brute_force(name: str, oracle: Any, worths: tuple[float, ...]) -> None:
    """The values of positions with few empty cells, and that the chosen action keeps them."""
    game, met = find(name), set()
    for history in random_histories(game, 400, seed=1):
        batch, here = replayed(game, [history]), oracle.copy()
        for a in history:
            here.play(a)
        if not 0 < len(here.legal()) <= 6:
            continue
        value = solver(game).value(batch.states)
        here.play(int(Exact(positions=10_000).act(batch.view())[0]))
        assert value == minimax(here)
        met.add((len(history) % 2, value))
        here = oracle.copy()
        for a in history:
            here.play(a)
        assert value == minimax(here)
    assert ({seat for seat, _ in met}, {value for _, value in met}) == ({0, 1}, set(worths))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("hex:board_size=3", 1.0),
        ("hex:board_size=3,swap=true", -1.0),
        pytest.param("hex:board_size=4", 1.0, marks=pytest.mark.slow),
    ],
)
def test_hex_from_the_start(name: str, value: float) -> None:
    """Who begins wins, and with the swap the other does."""
    game = find(name)
    assert solver(game).value(Batch(game, 1, seed=0).states) == value


@pytest.mark.parametrize("name", ["hex:board_size=3", "hex:board_size=3,swap=true", "hex:board_size=4"])
def test_what_proofs_say_of_hex_is_what_looking_at_everything_says(name: str) -> None:
    game = find(name)
    proofs = ProofSolver(game)
    for seed in range(60):
        batch = Batch(game, 1, seed=seed)
        for _ in range((0 if "3" in name else 4) + seed % 8):
            if batch.to_move[0] >= 0:
                batch.step(batch.sample())
        assert proofs.value(batch.states) == solver(game).value(batch.states)


def test_it_solves_hex_and_plays_the_first_action_that_wins() -> None:
    batch, exact = Batch("hex", 1, seed=0, board_size=5), Exact()
    chosen = int(exact.act(batch.view())[0])
    worth = exact.worth(batch.view())
    assert chosen == int(np.nanargmax(worth)) == 4  # the acute corner; a1 to d1 lose
    assert worth.tolist().count(1.0) == 13 and worth.tolist().count(-1.0) == 12


# Limits


def test_proofs_that_take_too_long_or_too_much_are_refused_in_a_sentence() -> None:
    batch = Batch("hex", 1, seed=0, board_size=7)
    with pytest.raises(BoyiError, match=r"^5 positions do not decide who wins; allow more with positions="):
        ProofSolver(batch.game, 5).value(batch.states)
    wide = find("hex", board_size=20)
    with pytest.raises(BoyiError, match=r"^proofs of who wins would take [\d,.]+ GiB in hex:board_size=20$"):
        ProofSolver(wide)
    with pytest.raises(BoyiError, match="more than 10 positions follow"):
        Exact(positions=10).act(Batch(wide, 1, seed=0).view())


def test_too_many_positions_are_refused_in_a_sentence() -> None:
    game = find(SMALL)
    small = Solver(game, positions=100)
    start = Batch(game, 1, seed=0, chance="by_hand").states
    with pytest.raises(BoyiError, match="more than 100 positions follow; allow more with positions="):
        small.value(start)
    # And goes on with what is small enough, whatever that left behind.
    late = set_up(game, {1: (1, 1)}, {1: (0, 2), 2: (1, 2)}, 0)
    assert small.value(record(game, late)) == pytest.approx(1.0)


def test_positions_of_earlier_games_make_room() -> None:
    game = find(SMALL)
    one, other = set_up(game, {1: (0, 0)}, {1: (1, 2)}, 0), set_up(game, {2: (0, 0)}, {2: (1, 2)}, 0)
    full = Solver(game)
    expected = full.value(record(game, one))
    tight = Solver(game, positions=int(full.table.size[0]))
    assert tight.value(record(game, one)) == expected == tight.value(record(game, other))
    assert tight.table.size[0] == full.table.size[0]
    assert full.value(record(game, one)) == expected


def test_games_that_do_not_fit_are_refused() -> None:
    with pytest.raises(BoyiError, match="exact cannot solve toy: that takes two seats, zero sum and nothing hidden"):
        Exact().fit(find(toy.SPEC))


def test_it_plays_better_than_others() -> None:
    result = evaluate("exact", SMALL, opponents=["random", "mcts:sims=20"], games=200, seed=0)
    scores = {pairing.opponent: pairing.score.value for pairing in result.pairings if pairing.agent == "exact"}
    assert scores["random"] > 0.6
    assert scores["mcts:sims=20"] > 0.5


if __name__ == "__main__":
    print(json.dumps(winners()))
