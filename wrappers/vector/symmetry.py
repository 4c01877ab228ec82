"""Many games, each shown in a symmetric image of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.engine.batch import as_array
from ..shell import Info, Observation
from ..symmetry import Images
from .shell import VectorEnv, VectorShell


class SymmetryAugment(VectorShell):
    """Shows every game in a symmetric image drawn from its seed; see `boyi.wrappers.SymmetryAugment`."""

    def __init__(self, env: VectorEnv) -> None:
        super().__init__(env)
        self.images: Images = Images(self.seating, env.single_observation_space)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, Info]:
        observation, info = self.env.reset(seed=seed, options=options)
        drawn = self.images.drawn()
        return self.images.show(observation, drawn), self._masked(info, drawn)

    def step(self, actions: np.ndarray) -> tuple[Observation, np.ndarray, np.ndarray, np.ndarray, Info]:
        ending, actions = self.images.drawn(), as_array(actions)
        if actions.shape == ending.shape:  # another one is refused below
            actions = self.images.actions(actions, ending)
        observation, rewards, over, cut, info = self.env.step(actions)
        drawn = self.images.drawn()
        info = self._masked(info, drawn)
        if "final_obs" in info:
            info["final_obs"] = info["final_obs"].copy()
            for i in np.flatnonzero(info["_final_obs"]):
                last = {key: value[None] for key, value in info["final_obs"][i].items()}
                shown = self.images.show(last, ending[i : i + 1])
                info["final_obs"][i] = {key: value[0] for key, value in shown.items()}
            info["final_info"] = self._masked(info["final_info"], ending)
        return self.images.show(observation, drawn), rewards, over, cut, info

    def _masked(self, info: Info, drawn: np.ndarray) -> Info:
        return {**info, "action_mask": self.images.mask(info["action_mask"], drawn)}

    def action_masks(self) -> np.ndarray:
        return self.images.mask(super().action_masks(), self.images.drawn())

    def observe_as(self, seats: np.ndarray) -> Observation:
        return self.images.show(super().observe_as(seats), self.images.drawn())
