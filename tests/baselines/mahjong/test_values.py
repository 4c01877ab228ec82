"""The plain evaluator of mahjong's hands: its values by their definition, its numbers against hands that are played."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hand_roots import root_hands
from mahjong_positions import GAME, count, table
from numba import config

from boyi.baselines.mahjong import values as finishing
from boyi.baselines.mahjong.search import Hands
from boyi.baselines.mahjong.values import (
    ACCEPTANCE,
    DRAWS,
    NUMBERS,
    SEEN,
    Finishing,
    Numbers,
    PublishedEvaluator,
    fit,
    greedy_hands,
    main,
)
from boyi.envs import Batch
from boyi.envs.mahjong import shanten, tiles
from boyi.envs.mahjong.constants import TURN

pytestmark = pytest.mark.kernels

SHANTEN, ACCEPTED, PONGS, OPEN, LEFT, TRIPLETS, PAIRS, WON, POINTS = range(9)
ONE = np.eye(34, dtype=np.int8)
VALUED = {27: 2, 31: 1, 32: 1, 33: 1}  # tai of seat 0's pongs
compiled_only = pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many hands")


@cache
def seen(hands: int = 2000, seed: int = 9) -> np.ndarray:
    """Play hands that the numbers were not fitted to."""
    return greedy_hands(hands, seed)


def chance(row: Sequence[int], numbers: Numbers = NUMBERS) -> float:
    """Say how likely it is to finish, from the numbers and their definition."""
    lacks, accepted, pongs, opened, draws = row[:5]
    found = numbers_of(lacks, numbers)
    logit = np.interp(accepted, ACCEPTANCE[min(lacks, 6)], found.acceptance) + np.interp(draws, DRAWS, found.draws)
    return float(1 / (1 + np.exp(-(logit + found.pong * pongs + found.open * opened))))


def numbers_of(lacks: int, numbers: Numbers = NUMBERS) -> Finishing:
    """Return the numbers of a shanten."""
    return numbers.finishing[min(lacks, 6)]


@pytest.mark.parametrize(
    ("hand", "laid", "tai"),
    [
        ("2344m3556p34678s1122z", "", 0),
        ("147m147p147s11234567z", "", 0),
        ("34m2256p789s55777z22m", "", 0),
        ("334456m77z789s22p7s", "555z<2", 1),
        ("34m22p9s", "123m<3:1m 456p<3:4p 777z<2 1111z!", 3),
    ],
)
def test_values_follow_the_definition(hand: str, laid: str, tai: int) -> None:
    """Of seat 0, the dealer in the East's round, whose melds have so many `tai`."""
    state, melds = table(hand, melds={0: laid} if laid else {}, live=30), len(laid.split())
    counts = state["hand"][0, 0]
    unseen = np.minimum(np.random.default_rng(1).integers(0, 5, 34), 4 - counts).astype(np.int8)
    q = PublishedEvaluator(GAME).q(Hands(state, 0, 5 - melds, 7, counts[None], unseen[None]))[0]
    for k in range(34):
        assert (q[k] == -np.inf) == (counts[k] == 0)
        if counts[k] > 0:
            left = counts - ONE[k]
            lacks = shanten(tiles.write(left), melds)
            accepted = [j for j in range(34) if left[j] < 4 and shanten(tiles.write(left + ONE[j]), melds) < lacks]
            pongs = sum(unseen[j] for j in accepted if left[j] >= 2)
            p = chance([lacks, unseen[accepted].sum(), pongs, melds > 0, 7])
            triplets = tai + sum(worth for kind, worth in VALUED.items() if left[kind] >= 3)
            pairs = sum(worth for kind, worth in VALUED.items() if left[kind] == 2)
            gain = numbers_of(lacks).points[melds > 0] + NUMBERS.triplet * triplets + NUMBERS.pair * pairs
            assert q[k] == pytest.approx(p * gain - (1 - p) * NUMBERS.cost, rel=1e-5, abs=0.01)


def test_more_draws_and_more_tiles_for_pongs_are_never_worse() -> None:
    assert len(NUMBERS.finishing) == len(ACCEPTANCE)
    for numbers, knots in zip(NUMBERS.finishing, ACCEPTANCE, strict=True):
        assert numbers.pong >= 0 and (np.diff(numbers.draws) >= 0).all() and len(numbers.draws) == len(DRAWS)
        assert len(numbers.acceptance) == len(knots)
    assert all(np.diff(NUMBERS.finishing[0].acceptance) > 0)  # nothing but tiles counts for a hand that is ready
    for few, draws in ((4, 3), (15, 6), (20, 9)):
        chances = [chance([lacks, few, 0, 1, draws]) for lacks in range(4)]
        assert chances == sorted(chances, reverse=True)


@compiled_only
def test_the_numbers_foretell_hands_they_were_not_fitted_to() -> None:
    """By shanten, and among hands of equal shanten by tenths of the chances that the numbers give."""
    rows = seen()
    for lacks in range(5):
        some = rows[rows[:, SHANTEN] == lacks]
        chances = np.array([chance(row) for row in some])
        assert chances.mean() == pytest.approx(some[:, WON].mean(), abs=0.025)
        for part in np.array_split(np.argsort(chances), 5):
            assert chances[part].mean() == pytest.approx(some[part, WON].mean(), abs=0.06)
    won = rows[rows[:, WON] > 0]
    gains = [numbers_of(row[SHANTEN]).points[row[OPEN]] + NUMBERS.triplet * row[TRIPLETS] + NUMBERS.pair * row[PAIRS]
             for row in won]  # fmt: skip
    assert np.mean(gains) == pytest.approx(won[:, POINTS].mean(), rel=0.05)
    assert -rows[rows[:, WON] == 0, POINTS].mean() == pytest.approx(NUMBERS.cost, rel=0.1)


@compiled_only
def test_the_numbers_can_be_fitted_again() -> None:
    """From fewer hands they come out near those that are kept."""
    again = fit(seen()[:40_000])
    assert again.cost == pytest.approx(NUMBERS.cost, rel=0.15)
    assert again.triplet == pytest.approx(NUMBERS.triplet, rel=0.5)
    for lacks, accepted in ((0, 4), (0, 8), (1, 12), (2, 20), (3, 25)):
        kept, fresh = (chance([lacks, accepted, 2, 1, 8], numbers) for numbers in (NUMBERS, again))
        assert fresh == pytest.approx(kept, abs=0.07)


def test_what_is_seen_of_a_discard() -> None:
    """The rows of a hand end alike for each seat, and its draws go down."""
    rows = greedy_hands(count(20, 1), 3)
    assert rows.shape[1] == len(SEEN)
    assert set(rows[:, WON]) == {0, 1}
    assert (rows[rows[:, WON] > 0, POINTS] > 0).all() and (rows[rows[:, WON] == 0, POINTS] <= 0).all()
    assert rows[0, LEFT] == 13 and rows[:, LEFT].min() >= 0
    assert (rows[:, PONGS] <= rows[:, ACCEPTED]).all()


def test_the_fit_is_printed_as_it_stands_in_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    main(count(200, 2))
    scope = dict(vars(finishing))
    exec(capsys.readouterr().out, scope)
    assert isinstance(scope["NUMBERS"], Numbers)
    assert len(scope["NUMBERS"].finishing) == len(ACCEPTANCE)


def test_records_are_valued_as_their_hands() -> None:
    """Of many hands at once, with and without melds, early and late, by every seat; elsewhere it is others' turn."""
    batch, one, valued = Batch(GAME, 16, seed=4, encoder=None, autoreset="same_step"), PublishedEvaluator(GAME), 0
    for _ in range(count(120, 8)):
        found = one.q_records(batch.states, batch.to_move)
        for k, q in enumerate(found):
            state = batch.states[k : k + 1]
            turn = state["phase"][0] == TURN
            np.testing.assert_array_equal(q, one.q(root_hands(state))[0] if turn else np.zeros(34, np.float32))
            valued += turn
        batch.step(batch.sample())
    assert valued > count(500, 30)
