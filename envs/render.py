"""Rendering behind all faces: text, images and the human window from a game's own text and drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import draw
from .batch import Batch
from .errors import BoyiError
from .spec import Game

if TYPE_CHECKING:
    from .draw import Window

MODES = ("human", "ansi", "rgb_array")


class Renderer:
    """Renders game 0 of a batch in one mode; the window belongs to the process and is not copied or pickled."""

    def __init__(self, game: Game, mode: str | None) -> None:
        self.game, self.mode = game, mode
        self._window: Window | None = None

    def render(self, batch: Batch) -> Any:
        """Return text or an image, or show the position in a window; `BoyiError` without a render mode."""
        if self.mode is None:
            raise BoyiError(f"render() needs a mode: make the environment with render_mode= one of {', '.join(MODES)}")
        state = batch.states[0]
        if self.mode == "ansi":
            return self.game.module("text").diagram(state)
        image: np.ndarray = draw.rgb(self.game.module("draw").svg(state))
        if self.mode == "rgb_array":
            return image
        if self._window is None:
            self._window = draw.Window(f"boyi: {self.game}")
        self._window.show(image)
        return None

    def close(self) -> None:
        """Close the window if there is one; twice does no harm."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "mode": self.mode, "_window": None}
