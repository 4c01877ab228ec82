"""The last observations of a game, stacked."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from ..envs.engine.errors import BoyiError
from ..envs.faces.frame import Frame
from .shell import Info, Observation, Shell, box_of, join, whole_number


class Stack:
    """The last `length` observations of n games, the newest first, zeros before a game's first."""

    frame: Frame
    key: str

    def __init__(self, frame: Frame, box: spaces.Box, n: int, length: int) -> None:
        if np.prod(box.shape) != np.prod(frame.shape):
            raise BoyiError("HistoryStack: these observations are stacked already; give one stack the whole length")
        self.frame, self.key = frame, frame.keys[0]
        self.past: list[np.ndarray] = [np.zeros((n, *box.shape), np.float32) for _ in range(length)]

    def space(self, space: spaces.Space[Any]) -> spaces.Dict:
        """Build the space of stacked observations from that of single ones."""
        assert isinstance(space, spaces.Dict)
        box, length = space[self.key], len(self.past)
        assert isinstance(box, spaces.Box)
        low, high = (join(self.frame, [bound] * length) for bound in (box.low, box.high))
        return spaces.Dict({**space.spaces, self.key: spaces.Box(low, high, dtype=np.float32)})

    def begin(self, observation: Observation, starts: np.ndarray) -> Observation:
        """Put the first observations in, alone, where a game `starts` (n,), and return the stacks of all rows."""
        self.past = [past.copy() for past in self.past]
        for past in self.past:
            past[starts] = 0.0
        self.past[0][starts] = observation[self.key][starts]
        return {**observation, self.key: join(self.frame, self.past)}

    def push(self, observation: Observation, starts: np.ndarray) -> Observation:
        """Put new observations of all rows on top, alone where a game `starts` (n,), and return the stacks."""
        older = [past.copy() for past in self.past[:-1]]
        for past in older:
            past[starts] = 0.0
        self.past = [observation[self.key].copy(), *older]
        return {**observation, self.key: join(self.frame, self.past)}

    def last(self, observation: Observation, row: int) -> Observation:
        """Stack the last observation of a game that has just ended in a row, without keeping it."""
        past = [observation[self.key], *(past[row] for past in self.past[:-1])]
        return {**observation, self.key: join(self.frame, past)}


class HistoryStack(Shell):
    """Stacks the last `length` observations along the channel axis (vectors end to end), the newest first.

    Before the first of a game there are zeros. In self-play the observations are those of the seats that moved.
    """

    def __init__(self, env: gymnasium.Env[Observation, int], length: int) -> None:
        super().__init__(env, length=length)
        length = whole_number("HistoryStack", "length", length, 1)
        frame = self.seating.frame
        self.stack: Stack = Stack(frame, box_of(env.observation_space, frame, "HistoryStack"), 1, length)
        self.observation_space: spaces.Space[Any] = self.stack.space(env.observation_space)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        observation, info = self.env.reset(seed=seed, options=options)
        return self._push(observation, starts=True), info

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        observation, reward, over, cut, info = self.env.step(action)
        return self._push(observation, starts=False), float(reward), over, cut, info

    def _push(self, observation: Observation, *, starts: bool) -> Observation:
        rows = {key: value[None] for key, value in observation.items()}
        return {key: value[0] for key, value in self.stack.push(rows, np.array([starts])).items()}
