"""Types of the modules that each game brings for its positions as text and as pictures; docs/games.md says more."""

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
