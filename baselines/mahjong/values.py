"""The plain evaluator of mahjong's hands: what a seat can expect to get after a discard, from numbers of its hand.

The chance to finish, by a draw or by a claim, follows from the shanten, how many unseen tiles lower it, how many of
these make a pong and so may come from anybody, whether the hand is still concealed, and how many draws are left. It is
logistic, with terms that are linear between the knots below; a finished hand brings a mean score, an unfinished one
costs what others' wins do. All numbers come from hands that `greedy` plays against itself: ``python -m
boyi.baselines.mahjong.values`` plays such hands and prints them anew.

A hand does not get better with every further tile that it accepts. One that lacks a whole meld or the pair accepts very
many and is slower all the same, which is why the term falls between two knots.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.mahjong.constants import KINDS, MOST_MELDS
from ...envs.mahjong.distance import distance_tables
from .evaluator import Hands
from .greedy_hands import sample_hands
from .values_kernels import (
    EveryTerms,
    Scratch,
    Terms,
    label_hand,
    mark_valued_one,
    sample_discard,
    value_hands,
    value_records,
)

ACCEPTANCE = (
    (0, 1, 2, 3, 4, 6, 8, 11, 16),
    (2, 5, 8, 12, 16, 20, 24, 32),
    (6, 10, 15, 20, 25, 29, 33, 40, 50, 60),
    (10, 15, 20, 25, 30, 36, 42, 50, 60, 75),
    (16, 22, 28, 34, 42, 50, 60, 70, 85),
    (24, 36, 48, 60, 72, 84),
    (60, 72, 84, 96),
)
"""Knots of the number of accepted tiles, by shanten; the last are for all hands that lack more."""
DRAWS = (0, 1, 2, 4, 7, 10, 13)
"""Knots of the number of own draws left."""
MOST = 136  # tiles that a hand may accept


class Finishing(NamedTuple):
    """The numbers of one shanten: logits by the knots of `acceptance`, of each tile that makes a `pong`, of an `open`
    hand, and by the knots of `draws`; then `points` of a finished concealed and a finished open hand.
    """

    acceptance: tuple[float, ...]
    pong: float
    open: float
    draws: tuple[float, ...]
    points: tuple[float, float]


class Numbers(NamedTuple):
    """What was fitted: the numbers by shanten; the extra points that a valued triplet and a valued pair bring; the cost
    of others' wins to a seat that does not finish.
    """

    finishing: tuple[Finishing, ...]
    triplet: float
    pair: float
    cost: float


NUMBERS = Numbers(
    finishing=(
        Finishing(
            (-1.15, -0.05, 0.52, 0.69, 0.83, 1.44, 1.68, 2.41, 2.9),
            0.06,
            -0.12,
            (-3.46, -2.41, -2.02, -1.69, -1.27, -0.71, 0.0),
            (3706, 2499),
        ),
        Finishing(
            (-1.13, -0.58, -0.19, 0.15, 0.45, 0.51, 0.42, 0.61),
            0.08,
            -0.24,
            (-5.12, -3.7, -2.9, -2.28, -1.58, -0.8, 0.0),
            (3119, 2478),
        ),
        Finishing(
            (-1.3, -1.09, -0.78, -0.55, -0.23, -0.24, -0.49, -0.42, -0.47, -0.1),
            0.08,
            -0.24,
            (-4.82, -4.69, -4.24, -2.62, -1.8, -0.9, 0.0),
            (2838, 2568),
        ),
        Finishing(
            (-2.04, -1.63, -1.41, -1.27, -1.09, -0.92, -1.12, -1.12, -1.13, -0.84),
            0.08,
            -0.24,
            (-3.39, -3.39, -3.38, -3.27, -1.79, -0.9, 0.0),
            (2789, 2596),
        ),
        Finishing(
            (-2.38, -2.01, -1.88, -1.68, -1.62, -1.7, -1.65, -1.56, -1.33),
            0.07,
            -0.21,
            (-2.51, -2.51, -2.51, -2.51, -2.38, -1.0, 0.0),
            (2759, 2570),
        ),
        Finishing(
            (-3.97, -3.18, -2.37, -2.27, -2.13, -1.9),
            0.06,
            -0.06,
            (-6.06, -6.06, -6.06, -6.06, -6.06, -1.03, 0.0),
            (2678, 2704),
        ),
        Finishing(
            (-2.95, -3.09, -2.86, -2.64), 0.16, 0.23, (-3.23, -3.23, -3.23, -3.23, -3.23, -1.36, 0.0), (2960, 2904)
        ),
    ),
    triplet=727,
    pair=241,
    cost=949,
)


class PublishedEvaluator:
    """Values discards by the numbers of this module, or others of their kind: by hands alone, as published."""

    def __init__(self, game: Game, numbers: Numbers | None = None) -> None:
        self.game, self.numbers = game, numbers or NUMBERS
        self.tables = distance_tables()
        self.pongs = np.array([row.pong for row in self.numbers.finishing])
        self.valued, self.values = np.zeros((2, KINDS), np.int64)
        self._logits = lru_cache(maxsize=None)(self._tabulate)

    def _tabulate(self, opened: bool, draws: int) -> np.ndarray:
        """Return the logits (shanten, accepted) of concealed or open hands with `draws` draws left."""
        rows = [
            np.interp(np.arange(MOST + 1), knots, row.acceptance)
            + row.open * opened
            + np.interp(draws, DRAWS, row.draws)
            for knots, row in zip(ACCEPTANCE, self.numbers.finishing, strict=True)
        ]
        return np.array(rows)

    def q(self, hands: Hands) -> np.ndarray:
        """Value every discard (m, 34) float32, in points; -inf for kinds that a hand does not hold."""
        numbers, opened = self.numbers, hands.need < MOST_MELDS
        laid = int(bind(mark_valued_one, self.game)(hands.states, hands.seat, self.valued))
        points = np.array([row.points[opened] for row in numbers.finishing]) + numbers.triplet * laid
        honors = np.array([numbers.triplet, numbers.pair])
        terms = Terms(self._logits(opened, hands.draws), self.pongs, points, honors, numbers.cost)
        q = np.empty(hands.tiles.shape, np.float32)
        bind(value_hands, self.game)(
            hands.tiles, hands.unseen, hands.need, self.valued, terms, self.tables, self.values, q
        )
        return q

    @cached_property
    def _every(self) -> EveryTerms:
        """The terms of hands with and without melds, at any number of draws."""
        numbers, most = self.numbers, DRAWS[-1] + 1
        logits = np.array([[self._logits(opened, draws) for draws in range(most)] for opened in (False, True)])
        points = np.array([row.points for row in numbers.finishing]).T.astype(float)
        return EveryTerms(logits, self.pongs, points, np.array([numbers.triplet, numbers.pair]), numbers.cost)

    def q_records(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Value every discard (m, 34) float32 of `seats` in records (m,), in points; 0 where it is not their turn."""
        rows, q = np.zeros((3, KINDS), np.int64), np.empty((len(states), KINDS), np.float32)
        scratch = Scratch(np.empty(len(self.pongs)), np.empty((1, KINDS), np.int8), *rows)
        bind(value_records, self.game)(states, seats, self._every, self.tables, scratch, q)
        return q


# The fit

SEEN = (
    "shanten",
    "accepted",
    "pongs",
    "open",
    "draws",
    "triplets",
    "pairs",
    "won",
    "points",
)
MOST_DISCARDS = 80  # of a hand


def greedy_hands(count: int, seed: int = 0) -> np.ndarray:
    """Let `greedy` play `count` hands; return what is `SEEN` (n, 9) of them, a row for every discard."""
    return sample_hands(count, seed, MOST_DISCARDS, len(SEEN), sample_discard, label_hand)[0]


def fit(seen: np.ndarray) -> Numbers:
    """Fit all numbers to hands that `greedy_hands` has played."""
    shanten = seen[:, 0].clip(0, len(ACCEPTANCE) - 1)
    opened, sets, won, points = seen[:, 3], seen[:, 5:7], seen[:, 7] > 0, seen[:, 8].astype(float)
    # The mean score of winners: one number for each shanten, concealed or open, and two for valued honors.
    cells = np.eye(2 * len(ACCEPTANCE))[2 * shanten + opened]
    means = np.linalg.lstsq(np.hstack([cells, sets])[won], points[won], rcond=None)[0]
    finishing = tuple(
        _fit_shanten(seen[shanten == i], ACCEPTANCE[i], (float(means[2 * i]), float(means[2 * i + 1])))
        for i in range(len(ACCEPTANCE))
    )
    return Numbers(finishing, float(means[-2]), float(means[-1]), float(-points[~won].mean()))


def _fit_shanten(seen: np.ndarray, knots: tuple[int, ...], points: tuple[float, float]) -> Finishing:
    """Fit the chance to finish at one shanten: the likeliest numbers, among those that grow with pongs and draws.

    The other numbers are free. Slight smoothing between knots and a pull to zero settle what was never seen.
    """
    from scipy.optimize import minimize

    # Each term of the draws is how much of the step up from a knot is missing at fewer draws: zero at the last knot.
    draws = -_between(seen[:, 4], DRAWS).cumsum(axis=1)[:, :-1]
    terms = np.hstack([_between(seen[:, 1], knots), seen[:, 2:4], draws])
    won, least = seen[:, 7], [None] * len(knots) + [0.0, None] + [0.0] * draws.shape[1]

    def loss(c: np.ndarray) -> tuple[float, np.ndarray]:
        logit, bend = terms @ c, np.diff(c[: len(knots)], 2)
        slope = terms.T @ (1 / (1 + np.exp(-logit)) - won)
        slope[: len(knots)] += 2 * np.convolve(bend, [1, -2, 1])
        return float(np.logaddexp(0, logit).sum() - won @ logit + bend @ bend + 0.01 * c @ c), slope + 0.02 * c

    start = np.zeros(terms.shape[1])
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(low, None) for low in least]).x
    steps = -best[: len(knots) + 1 : -1].cumsum()[::-1]
    numbers = _round(best)
    return Finishing(numbers[: len(knots)], numbers[len(knots)], numbers[len(knots) + 1], (*_round(steps), 0.0), points)


def _between(numbers: np.ndarray, knots: tuple[int, ...]) -> np.ndarray:
    """Return the shares (n, knots) by which values at the knots are mixed to give those in between."""
    return np.stack([np.interp(numbers, knots, row) for row in np.eye(len(knots))], axis=1)


def _round(numbers: Any) -> tuple[float, ...]:
    return tuple(round(float(number), 2) for number in numbers)


def main(hands: int = 20_000) -> None:
    """Play, fit and print."""
    numbers = fit(greedy_hands(hands))
    print("NUMBERS = Numbers(\n    finishing=(")
    for row in numbers.finishing:
        print(f"        Finishing({row.acceptance}, {row.pong}, {row.open}, {row.draws}, {_whole(row.points)}),")
    print(f"    ),\n    triplet={numbers.triplet:.0f},\n    pair={numbers.pair:.0f},\n    cost={numbers.cost:.0f},\n)")


def _whole(points: tuple[float, float]) -> tuple[int, int]:
    return round(points[0]), round(points[1])


if __name__ == "__main__":
    main()
