"""Records from outside: whether bytes are positions of a game and, if not, which rule they break.

Kernels index by what a record holds and check nothing, so a record from a file, a pipe or a caller is checked before
any other kernel sees it. A game's ``valid.py`` says what a position is (`protocol.flaw`); the constants that
parameters set are compared with the blank record here, because a record alone cannot know them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import kernels
from .bind import bind
from .errors import NoPosition
from .spec import Game
from .view import copied


def find_flaws(game: Game, states: np.ndarray) -> np.ndarray:
    """Find the first rule that each record (n,) of the game's dtype breaks: an index (n,) into `rules`, -1 for none."""
    module, flaws = game.module("valid"), np.empty(len(states), np.int64)
    # A file's dtype says nothing of alignment: Numba would make another type of it, with a warning.
    bind(kernels.flaw_rows, game)(copied(states).view(game.dtype), flaws)
    for k, name in enumerate(module.CONSTANTS, len(module.FLAWS)):
        differs = states[name] != game.blank[name]
        flaws[differs.any(axis=tuple(range(1, differs.ndim))) & (flaws < 0)] = k
    return flaws


def rules(game: Game) -> list[str]:
    """List what makes a record of a game a position, in the words of its ``valid.py``; its constants come last."""
    module = game.module("valid")
    return [*module.FLAWS, *(f"{name} is what the game's parameters make it" for name in module.CONSTANTS)]


def check_read(game: Game, state: np.ndarray, what: str) -> None:
    """Raise `NoPosition` with the rule when a record (1,), read from text, is no position and so not `what`."""
    flaw = int(find_flaws(game, state)[0])
    if flaw >= 0:
        raise NoPosition(f"not {what}: {rules(game)[flaw]}")


def check_states(game: Game, states: np.ndarray, rows: Sequence[int] | np.ndarray) -> None:
    """Raise `NoPosition` with row and rule for the first record (n,) of the game's dtype that is no position."""
    flaws = find_flaws(game, states)
    broken = np.flatnonzero(flaws >= 0)
    if broken.size:
        k = int(broken[0])
        raise NoPosition(f"{game}: row {rows[k]} is no position: {rules(game)[flaws[k]]}")
