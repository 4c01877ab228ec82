"""Types of what games bring for their positions as text, as pictures and as arrays; docs/games.md says more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np


class TextModule(Protocol):
    """A game's ``text``: actions and positions as words that a person reads, and back."""

    diagram: Callable[..., str]
    """Draws a position in characters: ``diagram(s)`` and, where something is hidden, ``diagram(s, seat)``."""

    def name(self, s: np.void, a: int, /) -> str:
        """Name an action of the seat to move."""

    def parse(self, s: np.void, text: str, /) -> int:
        """Return the action of that name; `BoyiError` where there is none."""

    def read(self, text: str, /) -> np.ndarray:
        """Return the position (1,) of a diagram; `BoyiError` says what is wrong with one."""


class DrawModule(Protocol):
    """A game's ``draw``: positions as pictures."""

    svg: Callable[..., str]
    """Draws a position as SVG: ``svg(state)`` and, where something is hidden, ``svg(state, seat)``."""


Symmetries = Callable[..., tuple[np.ndarray, np.ndarray]]
"""A game's ``encode.symmetries(encoder, **params)``, where it has one: `faces.symmetry` returns the same."""

Permutation = Callable[..., np.ndarray]
"""A game's ``encode.permutation_NAME(**params)``, for an encoder NAME that turns the board: (seats, actions),
the game's action for each action of a seat's frame."""
