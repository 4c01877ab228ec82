"""Elo ratings from games, of all who played them or of one among players of known ratings: Bradley and Terry (1952).

Player i beats j with probability 1 / (1 + 10 ** ((elo_j - elo_i) / 400)); a draw counts as half a win for each. The
estimate has the highest likelihood. It is finite only when everybody is joined to everybody by chains of wins (Ford
1957); otherwise virtual draws are added, for the estimate alone: one to every pairing or, among known ratings, one
with the nearest opponent. Intervals hold the values that a likelihood ratio test at 5 % does not reject, from the real
games, so one end is infinite for a player who won, or lost, all of them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq, minimize
from scipy.special import chdtri, expit, ndtri, stdtrit

from ...envs.engine.errors import BoyiError

ELO = 400 / math.log(10)  # Elo points in one natural unit of the logistic model
FAR = 20.0  # natural units (3474 Elo) by which neighbours may differ: the likelihood is flat to nine digits beyond
QUANTILE = float(chdtri(1, 0.05))  # a likelihood ratio statistic above it is rejected at 5 %


class Estimate(NamedTuple):
    """A value and its 95 % interval, whose ends may be infinite."""

    value: float
    low: float
    high: float


REFERENCE = Estimate(0.0, 0.0, 0.0)  # the first player's rating


def rate(wins: ArrayLike) -> list[Estimate]:
    """Rate k players from `wins` (k, k), games i won against j, draws half each: Elo above the first player."""
    wins = np.asarray(wins, np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or wins.shape[0] < 2 or (wins < 0).any() or wins.trace():
        raise BoyiError("wins must be a square table, at least 2 by 2, not negative, of zeros on the diagonal")
    chains = np.linalg.matrix_power((wins > 0) + np.eye(len(wins)), len(wins)) > 0
    regular = wins if chains.all() else wins + 0.5 * ((wins + wins.T) > 0)
    start = np.zeros(len(wins))
    values = _fit(regular, start, [0])[0] * ELO
    best = _fit(wins, start, [0])
    others = [
        Estimate(
            float(values[i]),
            _end(wins, i, best, -1.0, [0]) * ELO if chains[i, 0] else -math.inf,
            _end(wins, i, best, 1.0, [0]) * ELO if chains[0, i] else math.inf,
        )
        for i in range(1, len(wins))
    ]
    return [REFERENCE, *others]


def rate_against(ratings: ArrayLike, wins: ArrayLike, losses: ArrayLike) -> Estimate:
    """Rate one player, in Elo, by wins and losses (k,), draws half each, against players of known `ratings` (k,)."""
    known, wins, losses = (np.asarray(values, np.float64) for values in (ratings, wins, losses))
    if known.ndim != 1 or not known.shape == wins.shape == losses.shape or min(wins.min(), losses.min()) < 0:
        raise BoyiError("ratings, wins and losses must be rows of equal length, wins and losses not negative")
    if not (wins + losses).any():
        raise BoyiError("nobody can be rated without a game")
    table = np.zeros((known.size + 1, known.size + 1))
    table[0, 1:], table[1:, 0] = wins, losses
    start, others = np.array([known.mean(), *known]) / ELO, list(range(1, known.size + 1))
    regular = table.copy()
    if not (wins.any() and losses.any()):
        met = np.flatnonzero(wins + losses)
        nearest = 1 + met[known[met].argmax() if wins.any() else known[met].argmin()]
        regular[0, nearest] += 0.5
        regular[nearest, 0] += 0.5
    best = _fit(table, start, others)
    return Estimate(
        float(_fit(regular, start, others)[0][0]) * ELO,
        _end(table, 0, best, -1.0, others) * ELO if wins.any() else -math.inf,
        _end(table, 0, best, 1.0, others) * ELO if losses.any() else math.inf,
    )


def difference(one: Estimate, other: Estimate) -> Estimate:
    """Subtract independent estimates; the interval takes each one's own arms, squared and added (Newcombe 1998)."""
    return Estimate(
        one.value - other.value,
        one.value - other.value - math.hypot(one.value - one.low, other.high - other.value),
        one.value - other.value + math.hypot(one.high - one.value, other.value - other.low),
    )


def _fit(wins: np.ndarray, start: np.ndarray, fixed: list[int]) -> tuple[np.ndarray, float]:
    """Find the likeliest ratings (k,), `fixed` players staying as at the start, and their negative log likelihood."""
    ratings = start.copy()
    free = [i for i in range(len(wins)) if i not in fixed]

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        ratings[free] = x
        gaps = ratings[:, None] - ratings
        pull = wins * expit(-gaps)
        return float((wins * np.logaddexp(0.0, -gaps)).sum()), (pull.sum(0) - pull.sum(1))[free]

    if free:
        reach = FAR * len(wins) + np.abs(start).max()
        options = {"ftol": 1e-13, "gtol": 1e-8}
        found = minimize(loss, start[free], jac=True, bounds=[(-reach, reach)] * len(free), options=options)
        ratings[free] = found.x
    return ratings, loss(ratings[free])[0]


def _end(wins: np.ndarray, i: int, best: tuple[np.ndarray, float], direction: float, fixed: list[int]) -> float:
    """Find where the likelihood ratio is rejected, going in a direction from the best rating of player `i`."""
    start, least = float(best[0][i]), best[1]

    def excess(rating: float) -> float:
        ratings = best[0].copy()
        ratings[i] = rating
        return 2.0 * (_fit(wins, ratings, [*fixed, i])[1] - least) - QUANTILE

    stride = 1.0
    while excess(start + direction * stride) < 0.0:
        stride *= 2.0
    return float(brentq(excess, start, start + direction * stride, xtol=1e-5))


def wilson(share: float, n: int) -> Estimate:
    """Return a mean of n results in [0, 1] with its 95 % interval by Wilson (1927).

    It assumes the variance of wins and losses, the largest there is: with draws or graded results it is too wide.
    """
    z = float(ndtri(0.975))
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Estimate(share, max(0.0, middle - reach), min(1.0, middle + reach))


def student(values: ArrayLike) -> Estimate:
    """Return the mean of values (n,) with its 95 % interval by Student (1908), unknown for fewer than two."""
    values = np.asarray(values, np.float64)
    mean, n = float(values.mean()), values.size
    reach = float(stdtrit(n - 1, 0.975)) * float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else math.inf
    return Estimate(mean, mean - reach, mean + reach)
