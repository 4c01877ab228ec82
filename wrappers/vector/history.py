"""The last observations of many games, stacked."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from ...envs.engine.errors import BoyiError
from ...envs.faces.gym import reset_rows
from ..history import Stack
from ..shell import Info, Observation, box_of, whole_number
from .shell import VectorEnv, VectorShell


class HistoryStack(VectorShell):
    """Stacks the last `length` observations of every row's game; see `boyi.wrappers.HistoryStack`."""

    def __init__(self, env: VectorEnv, length: int) -> None:
        super().__init__(env, length=length)
        length = whole_number("HistoryStack", "length", length, 1)
        single, frame = env.single_observation_space, self.seating.frame
        self.stack: Stack = Stack(frame, box_of(single, frame, "HistoryStack"), env.num_envs, length)
        self.single_observation_space = self.stack.space(single)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self._starts = np.zeros(env.num_envs, np.bool_)  # rows whose next observation begins a game

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        observation, info = self.env.reset(seed=seed, options=options)
        rows = reset_rows(options, self.num_envs)
        self._starts = self._starts & ~rows
        return self.stack.begin(observation, rows), info

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        observation, rewards, over, cut, info = self.env.step(actions)
        starts, ended = self._starts, over | cut
        if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            if "final_obs" in info:
                finals = info["final_obs"].copy()
                for i in np.flatnonzero(ended):
                    finals[i] = self.stack.last(finals[i], int(i))
                info = {**info, "final_obs": finals}
            starts = ended
        else:
            self._starts = ended
        return self.stack.push(observation, starts), rewards, over, cut, info

    def observe_as(self, seats: np.ndarray) -> Observation:
        raise BoyiError("HistoryStack: what other seats would have seen before is not kept")
