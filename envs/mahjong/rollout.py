"""Finish a hand with every seat playing `greedy`: how tree searches finish their simulations of mahjong."""

import numpy as np

from ..engine.protocol import CHANCE, OVER
from ..engine.rng import kernel
from .greedy import Notes, notes, policy
from .rules import resolve, step
from .state import draw_from

__all__ = ["Notes", "notes", "rollout"]


@kernel
def rollout(s, notes, rng, mask, p, used):
    """Play to the end by the rule of `greedy`, drawing from the wall of this world."""
    while s.to_move != OVER:
        if s.to_move == CHANCE:
            resolve(s, draw_from(s.wall, np.int64(s.left), rng))
        else:
            a = policy(s, notes, rng)
            used[s.to_move, a] = 1
            step(s, a)
