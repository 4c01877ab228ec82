"""A shaped reward for many games of Gomoku."""

from __future__ import annotations

import numpy as np

from ..lines import BLOCKED, MADE, Payer
from ..shell import Info, Observation
from .shell import VectorEnv, VectorShell


class LineReward(VectorShell):
    """Adds to the rewards what the learner's stones do for the lines on the boards; see `boyi.wrappers.LineReward`."""

    def __init__(self, env: VectorEnv, made: float = MADE, blocked: float = BLOCKED) -> None:
        super().__init__(env, made=made, blocked=blocked)
        self.payer: Payer = Payer(self.seating, made, blocked)

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        self.payer.begin()
        observation, rewards, over, cut, info = self.env.step(actions)
        return observation, rewards + self.payer.paid, over, cut, info
