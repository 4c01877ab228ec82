"""Actions on a picture: which of its spots a person points at, one after the other, to play one."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from ..engine.spec import Game

BETWEEN = re.compile(r"[- ]|(?<=\d)x(?=[a-z])")
"""What stands between the cells of a name: a column may be called x, too."""


def paths(game: Game, state: np.void, actions: Iterable[int], picture: str) -> dict[int, list[str]]:
    """Find, for each of some legal actions, the spots of a picture that mean it, in order; none where it has none.

    A game's drawing may name them in ``path(state, action)``. Otherwise they are those in the action's name, as in
    ``g5-g6``, ignoring case; if actions have the same spots, as ``4m`` and ``kong 4m``, the shortest name gets them.
    """
    spots = {name.lower(): name for name in re.findall(r'data-at="([^"]*)"', picture)}
    name, path = game.module("text").name, getattr(game.module("draw"), "path", None)
    found: dict[int, list[str]] = {}
    taken = set[tuple[str, ...]]()
    for action in sorted(actions, key=lambda action: len(name(state, action))):
        words = BETWEEN.split(name(state, action)) if path is None else path(state, action)
        there = [spots[word.lower()] for word in words if word.lower() in spots]
        found[action] = [] if tuple(there) in taken else there
        taken.add(tuple(there))
    return found
