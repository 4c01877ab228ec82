"""What mahjong actions bring a seat that then plays as `greedy`: hands are played to the end with all tiles known."""

from __future__ import annotations

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.spec import Game
from ...envs.mahjong.constants import SEATS
from ...envs.mahjong.rollout import notes
from .rollouts_kernels import play_out


class Rollouts:
    """Plays hands out from actions in records as they are, hidden tiles included: for learners, not for players.

    Each action is played out `times` times. With `passed`, discards that somebody could win on are left out.
    """

    def __init__(self, game: Game, times: int, *, passed: bool) -> None:
        self.game, self.times, self.passed = game, times, passed
        self.notes, self.scene, self.rng = notes(game), game.blank.copy(), np.zeros(2, np.uint64)
        self.mask, self.p = np.zeros(game.actions, np.int8), np.zeros(1)
        self.used = np.zeros((SEATS, game.actions), np.int8)

    def points(self, states: np.ndarray, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Say what `actions` (m, c) of the seats to move in records (m,) bring on average, in points (m, c).

        NaN stands for -1 (no action), and for what is left out.
        """
        streams = rng.integers(2**64, size=(len(states), self.times, 2), dtype=np.uint64)
        points, seats = np.empty(actions.shape), states["to_move"].astype(np.int64)
        kernel = bind(play_out, self.game)
        scratch = self.scene, self.rng, self.notes, self.mask, self.p, self.used
        kernel(states, seats, actions, streams, self.passed, *scratch, points)
        return points
