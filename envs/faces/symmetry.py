"""Symmetric images of a game, as permutations of what an encoder shows and of the actions, in one form for all."""

from __future__ import annotations

import numpy as np

from ..engine.errors import BoyiError
from ..engine.modules import Symmetries
from ..engine.spec import Game
from .frame import Frame


def symmetries(game: Game, encoder: str | None = None, which: str = "game") -> tuple[np.ndarray, np.ndarray]:
    """Return (k, size) and (k, actions): where each of k images puts the numbers and the actions of a seat's frame.

    Number j of the flattened channels-first observation is number ``numbers[i, j]`` of the i-th image's, from the same
    seat; action a is its action ``actions[i, a]``. The identity comes first, and where ``rules.py`` has symmetries the
    order is theirs. A game gives them in ``symmetries(encoder, **params)`` of its ``encode.py``; otherwise, for
    encoders of planes of cells, they follow from those of the rules. `which` names another set of images, from
    ``IMAGES`` of ``rules.py``: these are for learning and are not the same game in every respect. `BoyiError` where
    there are none.
    """
    encoder = game.encoder if encoder is None else encoder
    size = int(np.prod(game.shape(encoder)))
    own: Symmetries | None = getattr(game.module("encode"), "symmetries", None)
    if own is not None and which == "game":
        return own(encoder, **game.params)
    tables, cells = _tables(game, which), int(np.prod(game.shape("planes")[1:]))
    if size % cells or (tables[:, :cells] >= cells).any():
        raise BoyiError(f"{game}: its symmetries do not say how they change the observations of {encoder!r}")
    actions = _framed(game, encoder, tables)
    planes = np.arange(size // cells)[:, None] * cells
    return (planes + actions[:, None, :cells]).reshape(len(actions), size), actions


def _tables(game: Game, which: str) -> np.ndarray:
    """Ask the rules for a set of images, as permutations of the game's actions."""
    rules = game.module("rules")
    if which == "game":
        if not hasattr(rules, "symmetries"):
            raise BoyiError(f"{game} declares no symmetries: no image of it is the same game")
        tables: np.ndarray = rules.symmetries(**game.params)
        return tables
    places = getattr(rules, "IMAGES", {}).get(which)
    if places is None:
        raise BoyiError(f"{game} has no images by the name {which!r}, only its symmetries, 'game'")
    tables = rules.images(**game.params)[places]
    return tables


def _framed(game: Game, encoder: str, tables: np.ndarray) -> np.ndarray:
    """Turn permutations of the game's actions into those of the frame, which must be the same for every seat."""
    turned = Frame(game, encoder).permutation
    if turned is None:
        return tables
    each = np.stack([np.argsort(seat)[tables[:, seat]] for seat in turned])
    if (each != each[0]).any():
        raise BoyiError(f"{game}: the symmetries of {encoder!r} differ between the seats")
    return each[0]
