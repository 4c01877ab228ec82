"""How a tree search finishes its simulations: at random, or as a game's own ``rollout.py`` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.engine.bind import Kernel
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import settle
from ...envs.engine.protocol import legal, playout, step
from ...envs.engine.rng import choose
from ...envs.engine.spec import Game


def blind_rollout(s, notes, rng, mask, p, used):  # type: ignore[no-untyped-def]
    """Play at random to the end, and mark nothing."""
    playout(s, rng, mask, p)  # type: ignore[no-untyped-call]


def random_rollout(s, notes, rng, mask, p, used):  # type: ignore[no-untyped-def]
    """Play uniformly random actions to the end, and mark what each seat played."""
    settle(s, rng, p)  # type: ignore[no-untyped-call]
    while s.to_move >= 0:
        legal(s, mask)  # type: ignore[no-untyped-call]
        a = choose(mask, rng)
        used[s.to_move, a] = 1
        step(s, a)  # type: ignore[no-untyped-call]
        settle(s, rng, p)  # type: ignore[no-untyped-call]


def find_rollout(game: Game, informed: bool, marked: bool) -> Kernel:
    """Find the kernel that plays to the end, at random or not, and if need be marks what was played.

    `BoyiError` where the game has no ``rollout.py`` and `informed` rollouts are wanted.
    """
    if informed:
        if not game.has("rollout"):
            raise BoyiError(f"{game} has no informed rollouts: it plays with rollouts=random")
        kernel: Kernel = game.module("rollout").rollout
        return kernel
    if not marked:
        return blind_rollout
    own: Kernel | None = getattr(game.module("rollout"), "random_rollout", None) if game.has("rollout") else None
    return own or random_rollout


def rollout_notes(game: Game, kernel: Kernel) -> Any:
    """Make what a rollout works with."""
    return np.zeros(1, np.int8) if kernel in (blind_rollout, random_rollout) else game.module("rollout").notes(game)
