"""What judges positions for `puct`: an object asked about many at once, or one of the two that need no asking.

A network is an object with the two methods of `Evaluator`. The game's own evaluation and random playouts are computed
inside the kernels, simulation after simulation without a return to Python; the former also answers when it is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import mask_rows
from ...envs.engine.spec import Game
from .evaluation import Evaluation, evaluation
from .puct_kernels import grow, judge_by_evaluation, judge_by_playout, judge_rows

LEARNED = "az:NAME"  # agents that judge positions, as their strings are written


class Evaluator(Protocol):
    """Judges positions of one game; its judgement of one must not depend on the others it is asked about with it."""

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Judge positions (m,) in which `seats` (m,) decide: priors (m, actions) and values (m,), both float32.

        Priors are not negative; the search takes those of legal actions and scales them to a sum of 1. Values are
        returns in [-1, 1] from each seat's side.
        """
        ...

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Value positions (m,) after an action or outcome, from the sides of `seats` (m,): float32 in [-1, 1].

        A seat is the one to move or, where chance is next, the one that has moved (0 if that was chance).
        """
        ...


@runtime_checkable
class Judge(Protocol):
    """An agent that has learned to judge positions, and can give an `Evaluator` for a game."""

    def evaluator(self, game: Game) -> Evaluator:
        """Return the evaluator of a game's positions; `BoyiError` for a game that it has not learned."""
        ...


def find_judge(
    who: str,
    make: Callable[[str], Any],
    named: Any,
    own: tuple[str, ...],
    *,
    judges: tuple[type, ...] = (Judge,),
    learned: str = LEARNED,
) -> Any:
    """Make the agent that an `evaluator` names, one of `judges`; None for one of its `own` words.

    `BoyiError` for an agent that judges nothing; `learned` says which agents do.
    """
    if named in own or not isinstance(named, str):
        return None
    judge = make(named)
    if not isinstance(judge, judges):
        raise BoyiError(f"{who}: {judge} judges no positions: evaluator is one of {', '.join(own)}, or {learned}")
    return judge


class Handmade:
    """Even priors and the game's own evaluation."""

    def __init__(self, game: Game, found: Evaluation | None = None) -> None:
        self.game, self.found = game, found or evaluation(game, "puct")

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mask = np.empty((states.size, self.game.actions), np.int8)
        bind(mask_rows, self.game)(0, states.size, states, np.arange(states.size), mask)
        return mask.astype(np.float32), self.values(states, seats)

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        values = np.empty(states.size, np.float32)
        kernel = bind(judge_rows, self.game, None, **self.found.kernels)
        kernel(states, seats, self.found.notes, self.found.scale, values)
        return values

    def grow(self, *search: Any) -> None:
        """Run simulations in kernels alone; arguments are those of `puct_kernels.grow` up to the priors."""
        kernel = bind(grow, self.game, None, judge=judge_by_evaluation, **self.found.kernels)
        kernel(*search, self.found.notes, self.found.scale)


class Playouts:
    """Even priors and the result of one random game from the position."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def grow(self, *search: Any) -> None:
        """Run simulations in kernels alone; arguments are those of `puct_kernels.grow` up to the priors."""
        bind(grow, self.game, judge=judge_by_playout)(*search, np.zeros(1), 1.0)
