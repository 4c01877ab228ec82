"""What an evaluator of mahjong's hands is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from ...envs.engine.spec import Game


class Hands(NamedTuple):
    """Hands from which the same seat is to discard, for an evaluator to value.

    `tiles` (m, 34) int8 are the concealed tiles, `unseen` (m, 34) int8 the copies that the seat has not seen. `states`
    (1,) is the record from which the search began, or that record after a claim or a kong: it holds the melds and what
    lies on the table. `need` melds are still to be made, and `draws` draws follow the discard if nobody claims.
    """

    states: np.ndarray
    seat: int
    need: int
    draws: int
    tiles: np.ndarray
    unseen: np.ndarray


Risk = Callable[[Hands], tuple[np.ndarray, float]]
"""Says how likely each discard (34,) of the one hand given is to be won on, and how many points that costs."""


class HandEvaluator(Protocol):
    """Says what discards are worth, in points."""

    def q(self, hands: Hands) -> np.ndarray:
        """Value every discard (m, 34) float32; the values of kinds that a hand does not hold are ignored."""


@runtime_checkable
class ManyEvaluator(HandEvaluator, Protocol):
    """Values hands of many games faster in one call."""

    def q_all(self, hands: Sequence[Hands]) -> list[np.ndarray]:
        """Value every discard of all hands, as `q` does for those of one game."""
        ...


@runtime_checkable
class HandJudge(Protocol):
    """An agent that has learned what discards are worth, and can give a `HandEvaluator` for a game."""

    def hand_evaluator(self, game: Game) -> HandEvaluator:
        """Return the evaluator of a game's hands; `BoyiError` for a game that it has not learned."""
        ...
