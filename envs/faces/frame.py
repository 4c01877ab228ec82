"""What a seat sees: spaces, the layout of observations, and the frame that observation and action share.

Where actions are cells, action i is cell i of the planes. An encoder that turns the board for a seat supplies
``permutation_<encoder>``, (seats, actions): the game's action for each action of the frame; the faces apply it to mask
and action alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces

from ..engine.errors import BoyiError, chosen, is_whole, shown
from ..engine.modules import Permutation
from ..engine.spec import Game

LAYOUTS = ("chw", "hwc", "flat")
MASKS = ("obs", "info")
KEYS = ("observation", "action_mask")
MASK_DTYPES = ("int8", "bool")


class Frame:
    """How one encoder and layout of a game appear to its seats: what is seen and the mask, under two `keys`.

    Masks are of `mask_dtype`, "int8" or "bool", as numbers or as booleans.
    """

    game: Game
    layout: str

    def __init__(
        self,
        game: Game,
        encoder: str | None = None,
        layout: str = "chw",
        keys: Sequence[str] = KEYS,
        mask_dtype: str = "int8",
    ) -> None:
        chosen("layout", layout, LAYOUTS)
        self.game, self.layout = game, layout
        self.keys: tuple[str, str] = check_keys(keys)
        self.mask_dtype: np.dtype[Any] = np.dtype(chosen("dtype of masks", mask_dtype, MASK_DTYPES))
        self._truths = mask_dtype == "bool"
        self.encoder: str = game.encoder if encoder is None else encoder
        self.shape: tuple[int, ...] = game.shape(self.encoder)
        permute: Permutation | None = getattr(game.module("encode"), f"permutation_{self.encoder}", None)
        self.permutation: np.ndarray | None = None if permute is None else permute(**game.params)
        self.plain: bool = self.permutation is None and layout == "chw" and self.keys == KEYS and not self._truths
        """Whether observations, actions and masks pass through as they are, under their usual names."""

    def observation_space(self, *, mask: bool = True) -> spaces.Space[Any]:
        """Build the Dict of what is seen and the mask, or the Box of the former alone when the mask goes elsewhere."""
        shape = self.shape
        if self.layout == "flat":
            shape = (int(np.prod(shape)),)
        elif self.layout == "hwc" and len(shape) == 3:
            shape = (shape[1], shape[2], shape[0])
        box = spaces.Box(0.0, 1.0, shape, np.float32)
        if not mask:
            return box
        seen, masked = self.keys
        return spaces.Dict({seen: box, masked: spaces.Box(0, 1, (self.game.actions,), self.mask_dtype)})

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

    def look(self, x: np.ndarray, mask: np.ndarray) -> dict[str, np.ndarray]:
        """Join what is seen, laid out, and the frame's mask, of one game or of many."""
        seen, masked = self.keys
        return {seen: x, masked: mask}

    def mask(self, mask: np.ndarray, seat: int) -> np.ndarray:
        """Turn the game's mask (actions,) into that of a seat's frame."""
        if self.permutation is not None and seat >= 0:
            mask = mask[self.permutation[seat]]
        return mask.astype(np.bool_) if self._truths else mask

    def action(self, action: int, seat: int) -> int:
        """Turn an action of a seat's frame into the game's; one that is out of range stays so."""
        if self.permutation is None or not 0 <= action < self.game.actions:
            return action
        return int(self.permutation[seat, action])

    def masks(self, masks: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Turn masks (m, actions) into those of the frames of seats (m,), which are below 0 where a game has ended."""
        if self.permutation is not None:
            masks = np.take_along_axis(masks, self.permutation[seats.clip(0)], axis=1)
        return masks.astype(np.bool_) if self._truths else masks

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


def check_keys(keys: Sequence[str]) -> tuple[str, str]:
    """Return the names of what is seen and of the mask; `BoyiError` for anything but two different names."""
    names = tuple(keys) if isinstance(keys, list | tuple) else ()
    if len(names) != 2 or not all(isinstance(name, str) and name for name in names) or names[0] == names[1]:
        raise BoyiError(f"keys are two different names, of the observation and of the mask, not {shown(keys)}")
    return names[0], names[1]


def check_cycles(max_cycles: int | None) -> int | None:
    """Return after how many cycles a game is cut, None for never; `BoyiError` for anything else."""
    if max_cycles is not None and not is_whole(max_cycles, 1):
        raise BoyiError(f"max_cycles must be a whole number, at least 1, not {shown(max_cycles)}")
    return None if max_cycles is None else int(max_cycles)


def check_mask_place(mask_in: str) -> str:
    """Return where the AEC mask goes, "obs" or "info"; `BoyiError` otherwise."""
    return chosen("place for the mask", mask_in, MASKS)


def whole(action: object, game: Game) -> int:
    """Read one action as a whole number; `BoyiError` for anything else. Its range is left to the rules."""
    try:
        return index(action)  # type: ignore[arg-type]
    except TypeError:
        pass
    if isinstance(action, np.ndarray) and action.size == 1 and action.dtype.kind in "iu":
        return int(action.item())
    raise BoyiError(f"{game}: an action is a whole number from 0 to {game.actions - 1}, not {shown(action)}")
