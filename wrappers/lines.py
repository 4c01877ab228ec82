"""A shaped reward for Gomoku: for the lines that a stone makes and blocks."""

from __future__ import annotations

import math

import gymnasium
import numpy as np

from ..envs.engine.batch import Batch
from ..envs.engine.bind import bind
from ..envs.engine.errors import BoyiError, is_number, shown
from ..envs.faces.seating import Seating, Watcher
from .lines_kernels import line_rows
from .shell import Info, Observation, Shell

MADE = BLOCKED = 0.01  # a move earns at most 0.08, against 1 for the win


class Payer(Watcher):
    """Works out what the stones of the latest step have earned, from the positions before it."""

    made: float
    blocked: float

    def __init__(self, seating: Seating, made: float, blocked: float) -> None:
        if seating.game.name != "gomoku":
            raise BoyiError(f"LineReward knows the lines of gomoku, not those of {seating.game.name}")
        for name, value in {"made": made, "blocked": blocked}.items():
            if not is_number(value, -math.inf):
                raise BoyiError(f"LineReward: {name} must be a number, not {shown(value)}")
        self.made, self.blocked = float(made), float(blocked)
        self.paid: np.ndarray = np.zeros(seating.batch.n)
        seating.watchers.append(self)

    def playing(self, batch: Batch, rows: np.ndarray, actions: np.ndarray) -> None:
        lines = np.empty((rows.size, 2), np.int64)
        bind(line_rows, batch.game)(batch.states[rows], actions.astype(np.int64), lines)
        self.paid[rows] = self.made * lines[:, 0] + self.blocked * lines[:, 1]

    def begin(self) -> None:
        """Forget the step before."""
        self.paid[:] = 0.0


class LineReward(Shell):
    """Adds to the reward of each of the learner's moves in Gomoku what its stone does for the lines on the board.

    It is `made` for each stone already in the longest line that the stone makes, `blocked` for each in the longest
    enemy line that it blocks: those joined to its point on one line, four at most. Illegal actions earn nothing.
    """

    def __init__(self, env: gymnasium.Env[Observation, int], made: float = MADE, blocked: float = BLOCKED) -> None:
        super().__init__(env, made=made, blocked=blocked)
        self.payer: Payer = Payer(self.seating, made, blocked)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        self.payer.begin()
        observation, reward, over, cut, info = self.env.step(action)
        return observation, float(reward) + float(self.payer.paid[0]), over, cut, info
