"""Games that begin in the middle: random openings for exploration and for fair evaluation."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from ..envs.errors import BoyiError

Observation = dict[str, np.ndarray]


class RandomOpening(gymnasium.Wrapper[Observation, int, Observation, int], RecordConstructorArgs):
    """Plays the learner's first `moves` actions at random, so that games do not all begin alike.

    The draws come from the seed of `reset`. A game that ends in its opening is replaced by the next one.
    """

    def __init__(self, env: gymnasium.Env[Observation, int], moves: int) -> None:
        RecordConstructorArgs.__init__(self, moves=moves)
        gymnasium.Wrapper.__init__(self, env)
        if not hasattr(moves, "__index__") or moves < 0:
            raise BoyiError(f"moves must be a whole number, at least 0, not {moves!r}")
        self.moves = moves

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a game and play its opening."""
        observation, info = self.env.reset(seed=seed, options=options)
        played = 0
        while played < self.moves:
            action = int(self.np_random.choice(np.flatnonzero(info["action_mask"])))
            observation, _, terminated, truncated, info = self.env.step(action)
            played += 1
            if terminated or truncated:
                observation, info = self.env.reset()
                played = 0
        return observation, info
