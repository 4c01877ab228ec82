"""`exact`: perfect play by solving everything that can follow, for small games and the last moves of others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.kernels import step_one
from ...envs.engine.spec import Game, Param
from ...envs.engine.view import View
from ..agent import Agent, Weights, check_duel
from .exact_kernels import make_solutions, solve
from .lookahead_kernels import result_rows
from .proof import Prover, decides


class Solver:
    """Solves positions of one game and remembers those it has met, up to `positions` of them.

    `BoyiError` for a game that has more than two seats, is not zero-sum, or hides something.
    """

    def __init__(self, game: Game, positions: int = 1_000_000) -> None:
        check_duel(game, "exact cannot solve")
        self.game, self.positions = game, positions
        self.table = make_solutions(positions)
        # A record, a mask and odds for every action and chance event of the longest game.
        levels = (game.longest + 1) * (4 if game.chance_outcomes else 1)
        self.stack = np.repeat(game.blank, levels)
        self.scratch = (
            np.zeros((levels, max(game.actions, game.chance_outcomes)), np.int8),
            np.zeros((levels, max(1, game.chance_outcomes))),
            np.zeros(levels),
        )

    def value(self, states: np.ndarray) -> float:
        """Compute seat 0's expected return under best play from the record ``states[0]``.

        `BoyiError` when more positions follow from it than the solver may remember.
        """
        game = self.game
        r, dice = np.zeros(game.seats, np.float32), game.chance_outcomes > 0
        while True:
            remembered = int(self.table.size[0])
            self.stack[:1] = states[:1]
            table = self.table, self.positions, dice, game.low, game.high
            value = float(bind(solve, game)(self.stack, *self.scratch, *table, r))
            if not np.isnan(value):
                return value
            # There may be room once the positions of earlier games are gone.
            self.table.size[0] = self.table.keys[:] = 0
            if not remembered:
                where = game.module("text").diagram(states[0])
                raise BoyiError(f"more than {self.positions} positions follow; allow more with positions=\n{where}")


class ProofSolver:
    """Solves positions of a game by proofs of who wins, examining at most `positions` positions for each."""

    def __init__(self, game: Game, positions: int = 1_000_000) -> None:
        self.game, self.positions = game, positions
        self.prover = Prover(game)

    def value(self, states: np.ndarray) -> float:
        """Compute seat 0's return under best play from the record ``states[0]``.

        `BoyiError` when more would be needed.
        """
        if states["to_move"][0] < 0:
            ended = np.zeros(1)
            bind(result_rows, self.game)(states[:1], np.zeros(2, np.float32), ended)
            return float(ended[0])
        winner = self.prover.winner(states, self.positions)
        if winner is None:
            where = self.game.module("text").diagram(states[0])
            raise BoyiError(f"{self.positions} positions do not decide who wins; allow more with positions=\n{where}")
        return self.game.high if winner == 0 else self.game.low


class Exact(Agent):
    """Plays an action of the highest expected return, the first of equals; says so when a game is too large."""

    name = "exact"
    params = {
        "positions": Param(
            1_000_000, "positions it may remember, some 32 bytes each, or examine for a proof", low=1, high=2**31 - 1
        )
    }

    def __init__(self, **values: object) -> None:
        super().__init__(**values)
        self.solver: Solver | ProofSolver | None = None

    def fit(self, game: Game) -> None:
        if self.solver is None or self.solver.game != game:
            self.solver = (ProofSolver if decides(game) else Solver)(game, self.values["positions"])

    def act(self, view: View) -> np.ndarray:
        view.check()
        return np.array([self._best(view, k) for k in range(view.row.size)], np.int64)

    def _best(self, view: View, k: int) -> int:
        """Find the best action in game k of a view, looking no further once an action wins for certain."""
        best, most = -1, -np.inf
        for a, worth in self._each(view, k):
            if worth > most:
                best, most = a, worth
            if worth == (view.game.high if view.seat[k] == 0 else -view.game.low):
                break
        return best

    def weigh(self, view: View, k: int = 0) -> Weights:
        return Weights(self.worth(view, k), False)

    def value(self, view: View, k: int = 0) -> float:
        self.fit(view.game)
        assert self.solver is not None
        middle, reach = (view.game.high + view.game.low) / 2, (view.game.high - view.game.low) / 2
        value = (self.solver.value(view.states[k : k + 1]) - middle) / reach
        return value if view.seat[k] == 0 else -value

    def worth(self, view: View, k: int = 0) -> np.ndarray:
        """Compute what each action (actions,) is worth to the mover in game k of a view, NaN where it is illegal."""
        worth = np.full(view.game.actions, np.nan)
        for a, value in self._each(view, k):
            worth[a] = value
        return worth

    def _each(self, view: View, k: int) -> Iterator[tuple[int, float]]:
        """Yield each legal action, with its worth to the mover."""
        self.fit(view.game)
        assert self.solver is not None
        step, sign = bind(step_one, view.game), 1.0 if view.seat[k] == 0 else -1.0
        for a in np.flatnonzero(view.mask[k]):
            after = view.states[k : k + 1].copy()
            step(after, a)
            yield int(a), sign * self.solver.value(after)
