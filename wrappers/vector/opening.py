"""Many games that begin in the middle."""

from __future__ import annotations

from collections.abc import Sequence

from ..shell import whole_number
from .shell import VectorEnv, VectorShell


class RandomOpening(VectorShell):
    """Plays the learner's first `moves` actions of every game at random; see `boyi.wrappers.RandomOpening`."""

    def __init__(self, env: VectorEnv, moves: int) -> None:
        super().__init__(env, moves=moves)
        self.seating.opening = whole_number("RandomOpening", "moves", moves, 0)


class StartPositions(VectorShell):
    """Begins every game in a position of other games; see `boyi.wrappers.StartPositions`."""

    def __init__(self, env: VectorEnv, lines: Sequence[Sequence[int]]) -> None:
        super().__init__(env, lines=lines)
        self.seating.begin_in(lines)
