"""What a seat sees: spaces, the layout of observations, and the frame that observation and action share.

Action i is cell i of the planes. An encoder that turns the board for a seat supplies ``permutation_<encoder>``, (seats,
actions): the game's action for each action of the frame; the faces apply it to mask and action alike.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces

from ..engine.errors import BoyiError, chosen, shown
from ..engine.spec import Game

LAYOUTS = ("chw", "hwc", "flat")
MASKS = ("obs", "info")


class Frame:
    """How one encoder and layout of a game appear to its seats."""

    def __init__(self, game: Game, encoder: str | None = None, layout: str = "chw") -> None:
        chosen("layout", layout, LAYOUTS)
        self.game, self.layout = game, layout
        self.encoder = game.encoder if encoder is None else encoder
        self.shape = game.shape(self.encoder)
        permute = getattr(game.module("encode"), f"permutation_{self.encoder}", None)
        self.permutation: np.ndarray | None = None if permute is None else permute(**game.params)
        self.plain = self.permutation is None and layout == "chw"
        """Whether observations and actions pass through as they are."""

    def observation_space(self, *, mask: bool = True) -> spaces.Space[Any]:
        """Build ``Dict(observation, action_mask)``, or the observation's Box alone when the mask goes elsewhere."""
        shape = self.shape
        if self.layout == "flat":
            shape = (int(np.prod(shape)),)
        elif self.layout == "hwc" and len(shape) == 3:
            shape = (shape[1], shape[2], shape[0])
        box = spaces.Box(0.0, 1.0, shape, np.float32)
        if not mask:
            return box
        return spaces.Dict(observation=box, action_mask=spaces.Box(0, 1, (self.game.actions,), np.int8))

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.game.actions)

    def arrange(self, x: np.ndarray) -> np.ndarray:
        """Lay out an observation, or observations (m, …), of the encoder's shape."""
        lead = x.shape[: x.ndim - len(self.shape)]
        if self.layout == "flat":
            return x.reshape(*lead, -1)
        if self.layout == "hwc" and len(self.shape) == 3:
            return np.ascontiguousarray(np.moveaxis(x, -3, -1))
        return x

    def mask(self, mask: np.ndarray, seat: int) -> np.ndarray:
        """Turn the game's mask (actions,) into that of a seat's frame."""
        return mask if self.permutation is None or seat < 0 else mask[self.permutation[seat]]

    def action(self, action: int, seat: int) -> int:
        """Turn an action of a seat's frame into the game's; one that is out of range stays so."""
        if self.permutation is None or not 0 <= action < self.game.actions:
            return action
        return int(self.permutation[seat, action])

    def masks(self, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Turn masks (m, actions) into those of the frames of seats (m,), below 0 where a game has ended."""
        if self.permutation is None:
            return masks
        return np.take_along_axis(masks, self.permutation[seats.clip(0)], axis=1)

    def actions(self, actions: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Turn actions (m,) of the seats' frames into the game's; what is out of range stays so."""
        if self.permutation is None:
            return actions
        inside = (actions >= 0) & (actions < self.game.actions)
        return np.where(inside, self.permutation[seats.clip(0), np.where(inside, actions, 0)], actions)

    def seen(self, action: int, seat: int) -> int:
        """Turn an action of the game into the one that `seat` sees in its frame."""
        if self.permutation is None:
            return action
        return int(np.flatnonzero(self.permutation[seat] == action)[0])


def check_mask_place(mask_in: str) -> str:
    """Return where the AEC mask goes, "obs" or "info"; `BoyiError` otherwise."""
    return chosen("place for the mask", mask_in, MASKS)


def whole(action: object, game: Game) -> int:
    """Read one action as a whole number; `BoyiError` for anything that is none, out of range is left to the rules."""
    try:
        return index(action)  # type: ignore[arg-type]
    except TypeError:
        pass
    if isinstance(action, np.ndarray) and action.size == 1 and action.dtype.kind in "iu":
        return int(action.item())
    raise BoyiError(f"{game}: an action is a whole number from 0 to {game.actions - 1}, not {shown(action)}")
