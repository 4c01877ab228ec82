"""How a tree search finishes its simulations: at random, or as a game's own ``rollout.py`` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.engine.bind import Kernel
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game
from .rollouts_kernels import blind_rollout, random_rollout


def find_rollout(game: Game, informed: bool, marked: bool) -> Kernel:
    """Find the kernel that plays to the end, at random or `informed`; where `marked`, it also marks what was played.

    `BoyiError` where the game has no ``rollout.py`` and `informed` rollouts are wanted.
    """
    if informed:
        if not game.has("rollout"):
            raise BoyiError(f"{game} has no informed rollouts: use rollouts=random")
        kernel: Kernel = game.module("rollout").rollout
        return kernel
    if not marked:
        return blind_rollout
    own: Kernel | None = getattr(game.module("rollout"), "random_rollout", None) if game.has("rollout") else None
    return own or random_rollout


def rollout_notes(game: Game, kernel: Kernel) -> Any:
    """Make the notes that a rollout works with."""
    return np.zeros(1, np.int8) if kernel in (blind_rollout, random_rollout) else game.module("rollout").notes(game)
