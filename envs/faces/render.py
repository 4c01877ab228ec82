"""Rendering behind all faces: text, images and what a person watches, from a game's own text and drawing."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from ..engine.errors import BoyiError, chosen
from ..engine.spec import Game
from . import drawing
from .registration import ROOT

MODES = ("human", "ansi", "rgb_array")
MANY_MODES = ("ansi", "rgb_array")
"""The render modes of many games at once."""
WINDOW = f"{ROOT}.baselines.web.local:Window"
"""What shows positions to a person, as an entry point like those in `registration`: imported only when it is used."""


class Window(Protocol):
    """Shows one position after another, as a seat sees it or in full."""

    def show(self, state: np.void, seat: int | None) -> None: ...

    def close(self) -> None: ...


def check_mode(mode: str | None, allowed: tuple[str, ...] = MODES) -> str | None:
    """Return a render mode, None for none; `BoyiError` for one that is not `allowed`."""
    return None if mode is None else chosen("render mode", mode, allowed)


def seen(game: Game, part: str, name: str) -> Callable[[np.void, int | None], str]:
    """Return a game's diagram or drawing as a function of a position and a seat that sees it (None: it shows all)."""
    function = getattr(game.module(part), name)
    return function if sees_seats(game, part, name) else lambda state, seat: function(state)


def sees_seats(game: Game, part: str, name: str) -> bool:
    """Whether a game's diagram or drawing can leave out what a seat does not see."""
    return "seat" in inspect.signature(getattr(game.module(part), name)).parameters


class Renderer:
    """Renders positions in one mode; the window belongs to the process and is not copied or pickled."""

    def __init__(self, game: Game, mode: str | None) -> None:
        self.game: Game = game
        self.mode: str | None = mode
        self._window: Window | None = None

    def render(self, state: np.void, seat: int | None = None) -> Any:
        """Return text or an image, or show the position in the browser; `BoyiError` without a render mode.

        With a `seat`, what is hidden from it is not shown, as far as the game can draw that.
        """
        if self.mode is None:
            raise BoyiError(f"render() needs a mode: make the environment with render_mode= one of {', '.join(MODES)}")
        if self.mode == "ansi":
            return seen(self.game, "text", "diagram")(state, seat)
        if self.mode == "rgb_array":
            return drawing.rgb(seen(self.game, "draw", "svg")(state, seat))
        if self._window is None:
            module, _, name = WINDOW.partition(":")
            self._window = getattr(import_module(module), name)(self.game)
        self._window.show(state, seat)
        return None

    def close(self) -> None:
        """Close the window if there is one; twice does no harm."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "mode": self.mode, "_window": None}
