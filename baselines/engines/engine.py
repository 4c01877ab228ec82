"""`Engine`: an agent and the one game it plays for somebody else, as the protocols of engines see it."""

from __future__ import annotations

import copy
import time
from typing import Any

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, find
from ...envs.engine.view import View
from ..agent import Agent, blame

INSTANT = 1e-3  # seconds: the limit of the decision that only compiles


def ask(agent: Agent, view: View) -> int:
    """Let an agent decide in the one game of a view; where it fails, `BoyiError` begins with its name."""
    with blame(agent):
        return int(view.answered(agent.act(view))[0])


class Engine:
    """Plays `game` with an agent that has `clock` seconds left for the game and `limit` for a decision; None: any.

    The time of each decision is taken off the clock. `stream` is what the next decision draws from instead of the
    seed's own.
    """

    def __init__(self, game: Game, agent: Agent, seed: int = 0) -> None:
        self.agent, self.seed = agent, seed
        self.clock: float | None = None
        self.limit: float | None = None
        self.stream: list[int] | None = None
        self.episode = -1
        self.warm: set[Game] = set()
        self.game = game
        self.begin()

    def begin(self, /, **params: object) -> None:
        """Start a new game, with other parameters where some are given; `BoyiError` for those that do not fit."""
        game = find(self.game, **params)
        self.agent.fit(game)
        self.game, self.actions, self.returns = game, list[int](), [0.0] * game.seats
        self.episode += 1
        self.batch = self.deal()
        self._warm_up()

    def deal(self) -> Batch:
        """Start the game with the engine's seed and the number of its episode."""
        batch = Batch(self.game, 1, self.seed, encoder=None, history=True)
        batch.reset([self.seed], episode=self.episode)
        return batch

    def _warm_up(self) -> None:
        """Let a copy of the agent decide twice in a row, so that kernels are not compiled while a clock runs."""
        if self.game in self.warm:
            return
        self.warm.add(self.game)
        twin, batch = copy.deepcopy(self.agent), self.deal()
        for _ in range(2):
            action = ask(twin, batch.view()._replace(limit=np.array([INSTANT])))
            if twin.faults or batch.step(np.array([action]))[1][0]:
                break
        twin.close()

    @property
    def to_move(self) -> int:
        """The seat to move; below 0 when the game has ended."""
        return int(self.batch.to_move[0])

    def parse(self, text: str) -> int:
        """Read the name of an action; `BoyiError` when it is not one."""
        return int(self.game.module("text").parse(self.batch.states[0], text))

    def play(self, action: int) -> None:
        """Play an action for the seat to move; `BoyiError` when it is not legal."""
        if self.to_move < 0:
            raise BoyiError("the game is over")
        if not (0 <= action < self.game.actions and self.batch.mask[0, action]):
            raise BoyiError(f"illegal move {self.game.module('text').name(self.batch.states[0], action)}")
        self.returns = self.batch.step(np.array([action]))[0][0].tolist()
        self.actions.append(action)

    def move(self) -> str:
        """Let the agent decide, and play its action; return the action's name."""
        state, action = self.batch.states[0], self.decide(self.batch.view())
        self.play(action)
        return self.game.module("text").name(state, action)

    def decide(self, view: View) -> int:
        """Let the agent decide in the one game of a view, in the time it has."""
        clock, limit = (None if left is None else np.array([left], np.float64) for left in (self.clock, self.limit))
        view = view._replace(episode=np.array([self.episode]), clock=clock, limit=limit)
        if self.stream is not None:
            key, counter, game = self.stream
            view = view._replace(rng=np.array([[key, counter]], np.uint64), game_key=np.array([game], np.uint64))
            self.stream = None
        started = time.monotonic()
        action = ask(self.agent, view)
        if self.clock is not None:
            self.clock = max(0.0, self.clock - (time.monotonic() - started))
        if self.agent.faults:
            raise BoyiError(self.agent.faults[0])
        return action

    def draw_from(self, numbers: Any) -> None:
        """Let the next decision draw from a stream, as `external.stream` lists it; `BoyiError` for anything else."""
        good = isinstance(numbers, list) and len(numbers) == 3
        if not good or not all(type(number) is int and 0 <= number < 2**64 for number in numbers):
            raise BoyiError("a stream is three whole numbers of 64 bits")
        self.stream = numbers

    def undo(self) -> bool:
        """Take back the latest action; False when there is none."""
        if not self.actions:
            return False
        kept = self.actions[:-1]
        self.batch, self.actions = self.deal(), []
        for action in kept:
            self.play(action)
        return True

    def diagram(self) -> str:
        return self.game.module("text").diagram(self.batch.states[0])
