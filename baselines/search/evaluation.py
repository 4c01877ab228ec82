"""A game's own evaluation of positions, from its ``evaluate.py``, as the searches that need one bind it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...envs.engine.bind import Kernel, brought
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game

WIN = 1_000_000
"""What a won game is worth; evaluations stay below it either way."""


class Evaluation(NamedTuple):
    """What a game offers: one record (1,) of its notes on a position, its kernels by the protocol's names, the value
    that promises a return of tanh(1) = 0.76 in a game with returns from -1 to 1, and the least value at which a game
    is certainly won.
    """

    notes: np.ndarray
    kernels: dict[str, Kernel]
    scale: float
    sure: int = WIN


def evaluation(game: Game, algorithm: str, *, learned: bool = False) -> Evaluation:
    """Find a game's evaluation, made by hand or `learned`; where there is none, `BoyiError` names the algorithm that
    needs one.
    """
    if not game.has("evaluate"):
        raise BoyiError(f"{algorithm} has no evaluation of the positions of {game}")
    module = game.module("evaluate")
    kernels = brought(game, "evaluate")
    sure = getattr(module, "SURE", WIN)
    if not learned:
        return Evaluation(module.notes(game), kernels, float(module.SCALE), sure)
    if not hasattr(module, "evaluate_learned"):
        raise BoyiError(f"{algorithm} has no learned evaluation of the positions of {game}, only one made by hand")
    kernels["evaluate"] = module.evaluate_learned
    return Evaluation(module.notes(game), kernels, float(module.LEARNED_SCALE), sure)
