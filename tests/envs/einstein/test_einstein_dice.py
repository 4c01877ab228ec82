"""EinStein's starts and dice: start squares, and whether stones are dealt and dice rolled fairly."""

import math
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from einstein_positions import Record, by_hand, dealt, different, every_set, record
from histories import count, seen
from numpy.typing import NDArray
from scipy.stats import chisquare

from boyi.envs import Batch, BoyiError, Game, IllegalAction, find
from boyi.envs.einstein import SPEC
from boyi.envs.engine.protocol import CHANCE

pytestmark = pytest.mark.kernels

ODD_LUCK = 1e-9  # no p-value below this comes up by chance: seeds are fixed

STARTS = [  # rows, columns, stones; the start squares of seat 0, and of seat 1
    ("5x5 6", "00 01 02 10 11 20", "44 43 42 34 33 24"),
    ("4x4 6", "00 01 02 10 11 20", "33 32 31 23 22 13"),  # t = 2 leaves the long diagonal free
    ("4x6 3", "00 01 10", "35 34 25"),
    ("4x6 4", "00 01 02 10 11 20", "35 34 33 25 24 15"),
    ("6x4 6", "00 01 02 10 11 20", "53 52 51 43 42 33"),
    ("3x3 6", "00 01 10", "22 21 12"),  # there is no room for more
    ("3x9 6", "00 01 10", "28 27 18"),
    ("2x2 6", "00", "11"),
    ("2x1 6", "00", "10"),
    ("4x1 2", "00", "30"),
    ("5x5 1", "00", "44"),
    ("5x5 2", "00 01 10", "44 43 34"),
    ("7x7 4", "00 01 02 10 11 20", "66 65 64 56 55 46"),
]


@pytest.mark.parametrize(("board", "first", "second"), STARTS)
def test_start_squares(board: str, first: str, second: str) -> None:
    """§3: worked by hand; with `fixed` stone i is on the i-th square, and without the same squares are taken."""
    n, m, k = int(board[0]), int(board[2]), int(board[4])
    squares = [[int(word[0]) * m + int(word[1]) for word in words.split()] for words in (first, second)]
    for placement in ("fixed", "random"):
        game = find(SPEC, board_size=n, columns=m, stones=k, placement=placement)
        state = started(game)[0]
        expected = [[*own[:k], *[-1] * (k - len(own))] for own in squares]
        found = state["square"].reshape(2, k).tolist()
        if placement == "random":
            found, expected = list(map(sorted, found)), list(map(sorted, expected))
        assert found == expected
        assert state["left"].tolist() == [min(k, len(own)) for own in squares]
        assert not different(np.array([state]), record(game, dealt(game, state)))


def started(game: Game) -> Record:
    """Deal one start without compiling for every board."""
    state = game.blank.copy()
    reset = game.module("rules").reset
    with np.errstate(over="ignore"):
        getattr(reset, "py_func", reset)(state.view(np.recarray)[0], np.array([3, 0], np.uint64))
    return state


@every_set
def test_start(game: Game) -> None:
    """§3, §4: seat 0 begins with a roll, nothing is hidden, and half a turn changes nothing about the squares."""
    batch = by_hand(game)
    state = batch.states[0]
    assert [state[field] for field in ("to_move", "turn", "die", "ply", "last", "winner")] == [CHANCE, 0, 0, 0, -1, -1]
    assert not batch.mask.any()
    assert (game.spec.hidden, game.chance_outcomes, game.seats) == (False, game.params["stones"], 2)
    taken = state["board"] > 0
    assert np.array_equal(taken, taken[::-1])
    assert (game.params["placement"] == "random") or np.array_equal(
        seen(game, batch.states, "value36", 0), seen(game, batch.states, "value36", 1)
    )


def orders(states: Record) -> NDArray[np.int64]:
    """Tell whose stones stand on each start square, by record, seat and square; the stones of a seat count from 1."""
    k = states["square"].shape[1] // 2
    taken = [np.flatnonzero(states["board"][0] > k * seat) for seat in (0, 1)]
    first = states["board"][:, np.setdiff1d(taken[0], taken[1])]
    return np.stack([first, states["board"][:, taken[1]] - k], axis=1).astype(np.int64)


def uniform(outcomes: list[Any], possible: int) -> bool:
    """Say whether all of so many possible outcomes come up about equally often."""
    counts = list(Counter(outcomes).values())
    assert len(counts) <= possible
    return possible == 1 or bool(chisquare([*counts, *[0] * (possible - len(counts))]).pvalue > ODD_LUCK)


@every_set
def test_random_starts_are_uniform(game: Game) -> None:
    """§3: every arrangement as often as any other, and each seat's whatever the other's is."""
    if game.params["placement"] == "fixed":
        return
    many, k = count(60_000, 900), game.params["stones"]
    starts = orders(by_hand(game, many, seed=11).states)
    squares = starts.shape[2]
    for seat in (0, 1):
        possible = math.perm(k, squares)
        if many >= 5 * possible:
            assert uniform([tuple(order) for order in starts[:, seat].tolist()], possible)
        for square in range(squares):
            assert uniform(starts[:, seat, square].tolist(), k)
    for here, there in product(range(squares), repeat=2):
        assert uniform(list(zip(starts[:, 0, here].tolist(), starts[:, 1, there].tolist(), strict=True)), k * k)


@every_set
def test_dice_are_fair(game: Game) -> None:
    """§4: the first roll is no more likely to be one face than another, whatever stones were dealt."""
    many, k = count(60_000, 600), game.params["stones"]
    batch = Batch(game, many, seed=5, encoder=None)
    dice, first = batch.states["die"].tolist(), orders(batch.states)[:, 0, 0].tolist()
    assert uniform(dice, k)
    if game.params["placement"] == "random":
        assert uniform(list(zip(dice, first, strict=True)), k * k)
    assert set(batch.to_move) == {0}


@every_set
def test_rolls(game: Game) -> None:
    """§4: outcome o is the face o + 1, each has the same chance, and there are no others."""
    k = game.params["stones"]
    batch = by_hand(game, k)
    assert batch.chances().shape == (k, k)
    assert (batch.chances() == 1 / k).all()
    with pytest.raises(IllegalAction, match="chance"):
        batch.step(np.zeros(k, np.int64))
    for outcome in (-1, k):
        with pytest.raises(BoyiError, match="not possible"):
            batch.resolve(np.full(k, outcome))
    batch.resolve(np.arange(k))
    assert batch.states["die"].tolist() == list(range(1, k + 1))
    assert set(batch.to_move) == {0}
