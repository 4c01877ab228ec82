"""Looking ahead to a depth with an `Evaluator` at the ends: all positions of a level together, all ends in one call.

A network is quick at thousands of positions and slow at one, and pruning would ask about one at a time; so nothing is
pruned. Where dice fall, the average over all outcomes counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.protocol import CHANCE
from ...envs.engine.spec import Game
from ...envs.engine.view import View
from ..agent import check_duel
from .evaluators import Evaluator
from .lookahead_kernels import count_rows, follow_rows, result_rows


class Level(NamedTuple):
    """Positions (n,), the place in the level before of the position that each follows, the action or outcome that leads
    to it, and the probability of that (1 for an action).
    """

    states: np.ndarray
    before: np.ndarray
    label: np.ndarray
    weight: np.ndarray


class Lookahead:
    """Decides by the best of all positions `depth` decisions ahead, as an evaluator values them.

    The latest decision leaves what it found in `value`, for the seat that decides, and in `worth` (actions,), NaN where
    illegal; `met` counts positions.
    """

    def __init__(self, game: Game, depth: int, evaluator: Evaluator) -> None:
        check_duel(game, "expectimax cannot look ahead in")
        self.game, self.depth, self.evaluator = game, depth, evaluator
        self.scratch = np.zeros(game.actions, np.int8), np.zeros(max(1, game.chance_outcomes))
        self.value, self.met = 0.0, 0
        self.worth = np.full(game.actions, np.nan)

    def decide(self, view: View, k: int = 0) -> int:
        """Choose an action for game k of a view."""
        root = view.states[k : k + 1]
        levels = [Level(root.copy(), np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones(1))]
        ahead = np.zeros(1, np.int64)
        while True:
            states = levels[-1].states
            going = (states["to_move"] == CHANCE) | ((states["to_move"] >= 0) & (ahead < self.depth))
            if not going.any():
                break
            levels.append(self._following(states, going))
            ahead = (ahead + (states["to_move"] >= 0))[levels[-1].before]
        self.met = sum(level.states.size for level in levels)
        values = self._ends(levels[-1].states)
        for level, above in zip(levels[:0:-1], levels[-2::-1], strict=True):
            if above is levels[0]:
                self.worth[:] = np.nan
                self.worth[level.label] = values if view.seat[k] == 0 else -values
            values = self._backed_up(level, above.states, values)
        self.value = float(np.nanmax(self.worth))
        return int(np.nanargmax(self.worth))

    def _following(self, states: np.ndarray, going: np.ndarray) -> Level:
        """Find what follows the positions that are `going`; others stay as they are."""
        counts = np.zeros(states.size, np.int64)
        bind(count_rows, self.game)(states, going, *self.scratch, counts)
        n = int(counts.sum())
        level = Level(np.zeros(n, states.dtype), np.zeros(n, np.int64), np.zeros(n, np.int64), np.ones(n))
        bind(follow_rows, self.game)(states, going, *self.scratch, *level)
        return level

    def _ends(self, states: np.ndarray) -> np.ndarray:
        """Value positions (n,) for seat 0, by their result where they have ended."""
        values, ended = np.zeros(states.size), states["to_move"] < CHANCE
        bind(result_rows, self.game)(states, np.zeros(self.game.seats, np.float32), values)
        values = 2.0 * (values - self.game.low) / (self.game.high - self.game.low) - 1.0
        open_ones = np.flatnonzero(~ended)
        if open_ones.size:
            seats = states["to_move"][open_ones].astype(np.int64)
            judged = self.evaluator.evaluate(states[open_ones], seats)[1]
            values[open_ones] = np.where(seats == 0, judged, -judged)
        return values

    def _backed_up(self, level: Level, above: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Give each position of the level above the best, or the average, of what follows it."""
        mean, best, worst = np.zeros(above.size), np.full(above.size, -np.inf), np.full(above.size, np.inf)
        np.add.at(mean, level.before, level.weight * values)
        np.maximum.at(best, level.before, values)
        np.minimum.at(worst, level.before, values)
        # What has ended, or lies at the depth, is followed by itself alone: then all three are the same.
        return np.choose(above["to_move"].clip(-1, 1) + 1, (mean, best, worst))
