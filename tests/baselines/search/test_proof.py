"""Proof-number search, on boards of Hex that can be solved otherwise or whose openings are known."""

import numpy as np
import pytest
from hex_positions import played
from sizes import COMPILES

from boyi.baselines.search.exact import Solver
from boyi.baselines.search.proof import Prover
from boyi.envs import Batch, BoyiError, find

pytestmark = pytest.mark.kernels

# Openings that win for seat 0. 5x5: found by plain search of every position as well. 6x6: as Benzene's tests have them.
WINNING = {
    3: "..X XXX X..",
    4: "...X ..X. .X.. X...",
    5: "....X .XXXX .XXX. XXXX. X....",
    6: ".....X .XXXXX XXXXXX XXXXXX XXXXX. X.....",
}


def random_batches(size: int, count: int, *, swap: bool) -> list[Batch]:
    rng, found = np.random.default_rng(size), []
    while len(found) < count:
        batch = Batch("hex", 1, seed=len(found), board_size=size, swap=swap)
        for _ in range(rng.integers(0, size * size // 2)):
            if batch.to_move[0] >= 0:
                batch.step(batch.sample())
        found += [batch] if batch.to_move[0] >= 0 else []
    return found


def openings(prover: Prover) -> str:
    """Solve every first move, one symbol each, X where it wins."""
    n = prover.game.params["board_size"]
    won = ""
    for a in range(n * n):
        batch = Batch(prover.game, 1, seed=0)
        batch.step([a])
        won += "X" if prover.winner(batch.states) == 0 else "."
    return " ".join(won[k * n : k * n + n] for k in range(n))


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=COMPILES), 5, pytest.param(6, marks=COMPILES)])
def test_every_opening_is_valued(size: int) -> None:
    assert openings(Prover(find("hex", board_size=size))) == WINNING[size]


@pytest.mark.slow
def test_the_first_player_wins_7x7_and_not_from_everywhere() -> None:
    """As published (Hayward and others 2003)."""
    prover = Prover(find("hex", board_size=7))
    assert prover.winner(Batch(prover.game, 1, seed=0).states) == 0
    for opening, winner in (("d4", 0), ("a1", 1), ("c2", 0), ("e2", 0), ("g1", 0), ("d2", 1), ("g6", 1)):
        assert prover.winner(played(opening, board_size=7).states) == winner, opening


@pytest.mark.parametrize("few", [1, 4])
def test_proofs_agree_with_looking_at_everything(few: int) -> None:
    for swap in (False, True):
        game = find("hex", board_size=3, swap=swap)
        prover, solver = Prover(game, 64, few=few), Solver(game)
        for batch in random_batches(3, 40, swap=swap):
            value = solver.value(batch.states)
            assert prover.winner(batch.states) == (0 if value > 0 else 1), batch.states["board"]


def test_a_game_may_leave_out_what_it_knows_of_notes_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game without `reexamine` has its positions examined afresh, and its winners are the same."""
    game = find("hex", board_size=5)
    usual = Prover(game)
    monkeypatch.delattr(game.module("proof"), "reexamine")
    afresh = Prover(game)
    for batch in random_batches(5, 20, swap=False):
        assert afresh.winner(batch.states) == usual.winner(batch.states), batch.states["board"]


def test_the_move_that_is_named_wins() -> None:
    game = find("hex", board_size=5)
    prover = Prover(game)
    for batch in random_batches(5, 40, swap=False):
        mover = int(batch.to_move[0])
        if prover.winner(batch.states) == mover:
            batch.step([prover.move()])
            assert batch.to_move[0] < 0 or prover.winner(batch.states) == mover


def test_a_budget_ends_a_search_and_a_small_table_does_not_change_who_wins() -> None:
    states = played("e2", board_size=5).states
    prover = Prover(find("hex", board_size=5), 8)
    assert prover.winner(states, 2) is None
    assert prover.examined == 2
    assert prover.winner(states) == 0


def test_the_same_search_examines_the_same_positions() -> None:
    states = played("a2", board_size=5).states
    first, second = Prover(find("hex", board_size=5)), Prover(find("hex", board_size=5))
    assert first.winner(states) == second.winner(states) == 1
    assert first.examined == second.examined > 1


def test_a_game_without_proofs_is_refused() -> None:
    with pytest.raises(BoyiError, match="no proofs"):
        Prover(find("einstein"))
