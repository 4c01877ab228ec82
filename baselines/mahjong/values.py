"""The plain evaluator of mahjong's hands: what a seat can expect to get that has discarded, from numbers of its hand.

The chance to finish, by a draw or by a claim, follows from the shanten, how many unseen tiles lower it, how many of
these make a pong and so may come from anybody, whether the hand is still concealed, and how many draws are left. It is
logistic, with terms that are linear between the knots below; a finished hand brings a mean score, an unfinished one
costs what others' wins do. All numbers come from hands that `greedy` plays against itself: ``python -m
boyi.baselines.mahjong.values`` plays such hands and prints them anew.

A hand does not get better with every tile more that it accepts. One that lacks a whole meld or the pair accepts very
many and is slower all the same, which is why the term falls between two knots.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.mahjong.constants import KINDS, MOST_MELDS, SEATS
from ...envs.mahjong.distance import accepted, distance_tables
from ...envs.mahjong.greedy import count_unseen
from ...envs.mahjong.melds import CHOW
from ...envs.mahjong.state import live
from ...envs.mahjong.tai import DRAGONS, WINDS
from .evaluator import Hands
from .greedy_hands import sample_hands
from .risk import Danger

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
    """What was fitted: by shanten; the points more that a valued triplet and a valued pair bring; the cost of others'
    wins to a seat that does not finish.
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


def value_hands(tiles, unseen, need, valued, logits, pongs, points, honors, cost, tables, values, q):  # type: ignore[no-untyped-def]
    """Write what every discard of the hands `tiles` (m, 34) is worth to `q` (m, 34), -inf for what they do not hold.

    `logits` (shanten, accepted) hold all terms but that of tiles that make a pong, `pongs` (shanten,). A finished hand
    brings `points` (shanten,), and `honors` (2,) more for every valued triplet and pair. `values` (34,) is scratch.
    """
    for i in range(tiles.shape[0]):
        h = tiles[i]
        for k in range(KINDS):
            values[k] = weight(unseen[i, k], h[k])  # type: ignore[no-untyped-call]
        for k in range(KINDS):
            q[i, k] = -np.inf
            if h[k] > 0:
                values[k] = weight(unseen[i, k], h[k] - 1)  # type: ignore[no-untyped-call]
                lacks, n = accepted(h, k, need, values, tables)
                values[k] = weight(unseen[i, k], h[k])  # type: ignore[no-untyped-call]
                shanten = min(max(lacks - 1, 0), pongs.shape[0] - 1)
                chance = 1.0 / (1.0 + math.exp(-logits[shanten, n & 1023] - pongs[shanten] * (n >> 10)))
                triplets, pairs = valued_sets(h, k, valued)  # type: ignore[no-untyped-call]
                gain = points[shanten] + honors[0] * triplets + honors[1] * pairs
                q[i, k] = chance * (gain + cost) - cost


def weight(unseen, held):  # type: ignore[no-untyped-def]
    """Count the unseen copies of a kind, and above ten bits again those that a hand with so many makes a pong of."""
    return np.int64(unseen) * (1 + 1024 * (held >= 2))


def valued_sets(h, drop, valued):  # type: ignore[no-untyped-def]
    """Add up the tai of triplets and pairs of honors without a tile `drop`, `valued` (34,) saying what a kind has."""
    triplets = pairs = 0
    for k in range(WINDS, KINDS):
        n = np.int64(h[k]) - (k == drop)
        triplets += np.int64(valued[k]) * (n >= 3)
        pairs += np.int64(valued[k]) * (n == 2)
    return triplets, pairs


def mark_valued(s, seat, valued):  # type: ignore[no-untyped-def]
    """Write the tai of a pong of every kind (34,); return those of the seat's melds."""
    for k in range(KINDS):
        valued[k] = k >= DRAGONS
    valued[WINDS + np.int64(s.round_wind)] += 1
    valued[WINDS + (seat - np.int64(s.dealer)) % SEATS] += 1
    n = 0
    for j in range(s.melds[seat]):
        if s.form[seat, j] != CHOW:
            n += valued[s.kind[seat, j]]
    return n


def mark_valued_one(states, seat, valued):  # type: ignore[no-untyped-def]
    """Call `mark_valued` for record 0."""
    return mark_valued(states[0], seat, valued)  # type: ignore[no-untyped-call]


class PlainEvaluator:
    """Values discards by the numbers of this module, or others of their kind."""

    def __init__(self, game: Game, numbers: Numbers | None = None) -> None:
        self.game, self.numbers = game, numbers or NUMBERS
        self.tables, self.danger = distance_tables(), Danger(game)
        self.pongs = np.array([row.pong for row in self.numbers.finishing])
        self.valued, self.values = np.zeros((2, KINDS), np.int64)
        self._logits = lru_cache(maxsize=None)(self._tabulate)

    def _tabulate(self, opened: bool, draws: int) -> np.ndarray:
        """Return the logits (shanten, accepted) of concealed or open hands with so many draws left."""
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
        q = np.empty(hands.tiles.shape, np.float32)
        bind(value_hands, self.game)(
            hands.tiles, hands.unseen, hands.need, self.valued, self._logits(opened, hands.draws), self.pongs, points,
            np.array([numbers.triplet, numbers.pair]), numbers.cost, self.tables, self.values, q,
        )  # fmt: skip
        return q

    def risk(self, hands: Hands) -> tuple[np.ndarray, float]:
        """Say how likely each discard (34,) of the record's own position is won on, and how many points that costs."""
        return self.danger.risk(hands)


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


def sample_discard(s, a, notes, scratch, rows):  # type: ignore[no-untyped-def]
    """Write a row of all that `SEEN` names, `a` being discarded; for its end stands the seat's number."""
    q, row, (valued, values) = np.int64(s.turn), rows[0], (scratch[0], scratch[1])
    count_unseen(s, q, notes.unseen)
    for k in range(KINDS):
        values[k] = weight(notes.unseen[k], s.hand[q, k] - (k == a))  # type: ignore[no-untyped-call]
    lacks, n = accepted(s.hand[q], a, MOST_MELDS - np.int64(s.melds[q]), values, notes.tables)
    laid = mark_valued(s, q, valued)  # type: ignore[no-untyped-call]
    triplets, pairs = valued_sets(s.hand[q], a, valued)  # type: ignore[no-untyped-call]
    row[0], row[1], row[2], row[3], row[4] = lacks - 1, n & 1023, n >> 10, s.melds[q] > 0, live(s) // SEATS
    row[5], row[6], row[8] = triplets + laid, pairs, q
    return 1


def label_hand(s, rows, lost):  # type: ignore[no-untyped-def]
    """Write how the hand has ended for the seat of each row."""
    for i in range(rows.shape[0]):
        q = rows[i, 8]
        rows[i, 7], rows[i, 8] = s.won[q] > 0, s.points[q]


def greedy_hands(count: int, seed: int = 0) -> np.ndarray:
    """Let `greedy` play so many hands; return what is `SEEN` (n, 9) of them, a row for every discard."""
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

    Others than these two are free. A little smoothing between knots, and a pull to zero, settle what was never seen.
    """
    from scipy.optimize import minimize

    # Terms of the draws are what the step up from each knot is short of at fewer draws: zero at the last knot.
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
    """Return the shares (n, knots) that make of values at the knots those in between."""
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
