"""How likely a mahjong discard is to be won on, opponent by opponent, from what lies on the table.

A tile is safe from an opponent that has let one of its kind pass, or discarded one, since its own hand last changed.
For every other tile the chance is logistic in a sum of numbers, for the terms in `risk_kernels.TERMS`. The numbers come
from hands that `greedy` plays against itself, where every tile that a seat could discard is compared with what the
others wait for: ``python -m boyi.baselines.mahjong.risk`` plays such hands and prints the numbers anew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.mahjong.constants import KINDS, SEATS
from .evaluator import Hands
from .greedy_hands import sample_hands
from .risk_kernels import (
    AGE,
    CELLS,
    DRAWS,
    GAP,
    NEAR,
    OWN,
    PAIRS,
    SIDE,
    SIZE,
    SPOT,
    WON,
    label_hand,
    sample_discard,
    weigh_dangers,
)


class Dangers(NamedTuple):
    """What was fitted: the numbers of all `TERMS`, `stage` by melds and `spot` by place; the points that a discard
    costs when it is won on.
    """

    stage: tuple[tuple[float, ...], ...]
    spot: tuple[tuple[float, ...], ...]
    age: tuple[float, ...]
    side: tuple[float, ...]
    pairs: tuple[float, ...]
    gap: tuple[float, ...]
    own: tuple[float, ...]
    near: tuple[float, ...]
    lost: float


DANGERS = Dangers(
    stage=(
        (1.27, 1.07, 0.79, 0.46, 0.16, -0.27, -0.79, -1.23, -1.91, -2.71, -3.72, -5.16, -6.7, -7.6),
        (1.55, 1.27, 0.99, 0.73, 0.55, 0.19, -0.15, -0.61, -1.09, -1.66, -2.39, -3.33, -4.49, -5.62),
        (1.75, 1.54, 1.39, 1.12, 0.94, 0.7, 0.41, 0.04, -0.33, -0.8, -1.31, -1.97, -2.83, -3.52),
        (2.01, 1.86, 1.69, 1.54, 1.34, 1.12, 0.89, 0.63, 0.43, 0.08, -0.17, -0.69, -1.66, -1.99),
        (2.11, 2.16, 1.92, 1.89, 1.82, 1.59, 1.49, 1.27, 1.12, 0.99, 0.83, 0.3, -0.24, -0.64),
        (1.63, 1.75, 1.63, 1.74, 1.75, 1.5, 1.42, 1.25, 1.1, 0.85, 0.63, 0.3, 0.02, -0.11),
    ),
    spot=((-3.6, -3.06, -0.29, 0.17), (0.1, 0.07, 0.28, 0.51), (0.33, 0.29, 0.43, 0.49), (0.41, 0.41, 0.41, 0.4)),
    age=(-1.32, -0.79, -0.44, -0.22, -0.16, 0.27),
    side=(-0.56, -0.97, -0.95, -0.87, -0.72, -0.64, -0.59),
    pairs=(-1.61, -1.37, -1.23, -1.1),
    gap=(-0.93, -0.71, -0.53, -0.49),
    own=(0.04, -2.69),
    near=(0.33, 0.24, 0.06, -0.16, -0.49, -1.17, -1.47),
    lost=1738,
)


class Danger:
    """Weighs discards by the numbers of this module, or others of their kind."""

    def __init__(self, game: Game, dangers: Dangers | None = None) -> None:
        self.game, self.dangers = game, dangers or DANGERS
        self.numbers = np.concatenate([np.ravel(term) for term in self.dangers[:-1]])
        self.unseen, self.ages = np.zeros((2, KINDS), np.int64)
        self.cells = np.zeros(CELLS, np.int64)

    def risk(self, hands: Hands) -> tuple[np.ndarray, float]:
        """Say how likely each discard (34,) in the record's own position is to be won on, and the cost in points.

        Only what the seat sees is read.
        """
        chances = np.empty(KINDS)
        kernel = bind(weigh_dangers, self.game)
        kernel(hands.states, hands.seat, self.numbers, self.unseen, self.ages, self.cells, chances)
        return chances, self.dangers.lost


# The fit

MOST_ROWS = 76 * (SEATS - 1) * 17  # of a hand: its discards, opponents, kinds in a hand


def greedy_dangers(count: int, seed: int = 0) -> tuple[np.ndarray, float]:
    """Let `greedy` play `count` hands; return rows (n, 11) int32, cells and whether they won, and what a win cost."""
    seen, lost = sample_hands(count, seed, MOST_ROWS, CELLS + 1, sample_discard, label_hand)
    return seen, float(lost[1] / max(lost[0], 1))


def fit(seen: np.ndarray, lost: float) -> Dangers:
    """Fit the numbers to what `greedy_dangers` has seen: the likeliest, slightly smoothed and pulled to zero.

    Neighbouring stages are pulled together instead, because some are hardly ever seen.
    """
    from scipy.optimize import minimize

    cells, won = [column.astype(np.intp) for column in seen[:, :WON].T], seen[:, WON].astype(float)

    def loss(c: np.ndarray) -> tuple[float, np.ndarray]:
        logit = np.zeros(won.size)
        for column in cells:
            logit += c[column]
        grid, rest = c[:SPOT].reshape(-1, DRAWS), c[SPOT:]
        melds, draws = np.diff(grid, axis=0), np.diff(grid, axis=1)
        odds = np.exp(-logit)
        value = float(
            (logit + np.log1p(odds)).sum() - won @ logit + (melds**2).sum() + (draws**2).sum() + 0.5 * rest @ rest
        )
        off, slope = 1 / (1 + odds) - won, np.zeros(SIZE)
        for column in cells:
            slope += np.bincount(column, off, SIZE)
        pull = np.zeros_like(grid)
        pull[1:] += 2 * melds
        pull[:-1] -= 2 * melds
        pull[:, 1:] += 2 * draws
        pull[:, :-1] -= 2 * draws
        slope[:SPOT] += pull.ravel()
        slope[SPOT:] += rest
        return value, slope

    best = minimize(loss, np.zeros(SIZE), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    stage, spot, *rest = np.split(best.round(2), [SPOT, AGE, SIDE, PAIRS, GAP, OWN, NEAR])
    age, side, pairs, gap, own, near = (tuple(term.tolist()) for term in rest)
    return Dangers(_rows(stage, DRAWS), _rows(spot, 4), age, side, pairs, gap, own, near, lost)


def _rows(numbers: np.ndarray, size: int) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in numbers.reshape(-1, size).tolist())


def main(hands: int = 4000) -> None:
    """Play, fit and print."""
    found = fit(*greedy_dangers(hands))
    print("DANGERS = Dangers(")
    for name, term in zip(found._fields[:-1], found, strict=False):
        print(f"    {name}={term},")
    print(f"    lost={found.lost:.0f},\n)")


if __name__ == "__main__":
    main()
