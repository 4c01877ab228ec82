"""Rewards of many games on the scale a learner wants."""

from __future__ import annotations

import numpy as np

from ..scale import factor
from ..shell import Info, Observation
from .shell import VectorEnv, VectorShell


class ScaleReward(VectorShell):
    """Multiplies rewards by `scale`; see `boyi.wrappers.ScaleReward`."""

    def __init__(self, env: VectorEnv, scale: float | None = None) -> None:
        super().__init__(env, scale=scale)
        self.factor: float = factor(self.seating.game, scale)

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        observation, rewards, over, cut, info = self.env.step(actions)
        return observation, rewards * self.factor, over, cut, info
