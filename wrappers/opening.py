"""Games that begin in the middle: random openings for exploration and for fair evaluation."""

from __future__ import annotations

import gymnasium

from .shell import Observation, Shell, whole_number


class RandomOpening(Shell):
    """Plays the learner's first `moves` actions at random, so that games do not all begin alike.

    The draws come from the game's own seed, and the seating plays them before anybody is shown the game; this holds for
    the environment within, too. A game that ends in its opening is replaced by the next one.
    """

    def __init__(self, env: gymnasium.Env[Observation, int], moves: int) -> None:
        super().__init__(env, moves=moves)
        self.seating.opening = whole_number("RandomOpening", "moves", moves, 0)
