"""Rewards on the scale a learner wants."""

from __future__ import annotations

import gymnasium

from ..envs.engine.errors import BoyiError, is_number, shown
from ..envs.engine.spec import Game
from .shell import Info, Observation, Shell


def factor(game: Game, scale: float | None) -> float:
    """Check the factor; by default the one that brings the game's declared range of returns into [-1, 1]."""
    if scale is None:
        return 1.0 / max(abs(game.low), abs(game.high))
    if not is_number(scale, 0) or scale == 0:
        raise BoyiError(f"ScaleReward: scale must be a number above 0, not {shown(scale)}")
    return float(scale)


class ScaleReward(Shell):
    """Multiplies rewards by `scale`; None divides them by the greatest return, in size, that the game declares."""

    def __init__(self, env: gymnasium.Env[Observation, int], scale: float | None = None) -> None:
        super().__init__(env, scale=scale)
        self.factor: float = factor(self.seating.game, scale)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        observation, reward, over, cut, info = self.env.step(action)
        return observation, float(reward) * self.factor, over, cut, info
