"""What an evaluator of mahjong's hands is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from ...envs.engine.spec import Game


class Hands(NamedTuple):
    """Hands from which the same seat is to discard, for an evaluator to value.

    `tiles` (m, 34) int8 are concealed, `unseen` (m, 34) int8 the copies that the seat has not seen. `states` (1,) is
    the record from which the search began, after a claim or a kong as that would leave it: melds and what lies on the
    table stand there. `need` melds are to be made, and `draws` draws come after the discard if nobody claims.
    """

    states: np.ndarray
    seat: int
    need: int
    draws: int
    tiles: np.ndarray
    unseen: np.ndarray


Risk = Callable[[Hands], tuple[np.ndarray, float]]
"""Says how likely each discard (34,) of the one hand given is won on, and how many points that costs."""


class HandEvaluator(Protocol):
    """Says what discards are worth, in points."""

    def q(self, hands: Hands) -> np.ndarray:
        """Value every discard (m, 34) float32; what stands for kinds that a hand does not hold is not looked at."""


@runtime_checkable
class ManyEvaluator(HandEvaluator, Protocol):
    """Is quicker at hands of many games together."""

    def q_all(self, hands: Sequence[Hands]) -> list[np.ndarray]:
        """Value every discard of all hands, as `q` does for those of one game."""
        ...


@runtime_checkable
class HandJudge(Protocol):
    """What can be asked for a `HandEvaluator` of a game: an agent that has learned what discards are worth."""

    def hand_evaluator(self, game: Game) -> HandEvaluator:
        """Return what values hands of a game; `BoyiError` for a game that it has not learned."""
        ...
