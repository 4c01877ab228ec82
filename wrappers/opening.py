"""Games that begin in the middle: random openings for exploration and fair evaluation, and positions of other games."""

from __future__ import annotations

from collections.abc import Sequence

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


class StartPositions(Shell):
    """Begins every game in a position of other games: `lines`, each a list of actions, as ``GameRecord.actions`` is.

    All positions of the lines that leave something to decide, the start among them, are equally likely; the draw
    comes from the game's own seed. The game must be one of decisions alone, without dice or hidden tiles.
    """

    def __init__(self, env: gymnasium.Env[Observation, int], lines: Sequence[Sequence[int]]) -> None:
        super().__init__(env, lines=lines)
        self.seating.begin_in(lines)
