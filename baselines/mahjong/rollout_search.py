"""A second look at what a search over hands of mahjong likes best, by hands played out: rollouts, as Tesauro and
Galperin (1996, "On-line policy improvement using Monte-Carlo search") took them for backgammon.

The search leaves out what others do and everything that comes later than a layer or two. Hands that `greedy` plays out
leave nothing out, but vary by some 1,400 points, where actions differ by some hundred.
"""

from __future__ import annotations

import numpy as np

from ...envs.engine.spec import Game
from ...envs.engine.view import View, copied
from .evaluator import HandEvaluator, Risk
from .rollouts import Rollouts
from .search import HandSearch

ACTIONS = 4
"""So many of the best are played out, if they are close."""
CLOSE = 200.0
"""Points by which the search may like an action less than its best one."""
TRUST = 300
"""Rollouts of each action that count as much as the search does. Measured on 1,600 decisions: with 300 rollouts what is
chosen brings 4 points more a discard and 15 a claim, in rollouts that the choice has not seen.
"""


class RolloutSearch(HandSearch):
    """Decides by the search and, between actions that it holds for close, by rollouts too: so many `times` for each, on
    hidden tiles dealt anew.
    """

    def __init__(
        self, game: Game, alpha: float, depth: int, evaluator: HandEvaluator, danger: Risk | None, times: int
    ) -> None:
        super().__init__(game, alpha, depth, evaluator, danger)
        self.times, self.rollouts = times, Rollouts(game, times, redealt=True)

    def worth(self, view: View, k: int = 0) -> np.ndarray:
        """Compute what `HandSearch` does, and for actions that are close between that and what rollouts bring."""
        return self._second(view, k, super().worth(view, k))

    def worth_all(self, view: View) -> np.ndarray:
        """Compute what `worth` does (m, 75) in every game of a view."""
        return np.array([self._second(view, k, worth) for k, worth in enumerate(super().worth_all(view))])

    def _second(self, view: View, k: int, worth: np.ndarray) -> np.ndarray:
        best = np.argsort(-worth, kind="stable")[:ACTIONS]  # NaN is last
        actions = best[worth[best] >= np.nanmax(worth) - CLOSE]
        if actions.size < 2:
            return worth
        rng = np.random.default_rng(view.rng[k])
        states = copied(view.states, slice(k, k + 1))
        brought, liked = self.rollouts.points(states, actions[None], rng)[0], worth[actions]
        # Only differences count: how good a hand is changes nothing about what is best.
        share, gap = self.times / (self.times + TRUST), liked.mean() - brought.mean()
        worth[actions] += share * (brought + gap - liked)
        return worth
