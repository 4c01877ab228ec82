"""A replay memory for games: masks, and whose turn comes next, are part of a transition."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import DictReplayBuffer

LEAST = 1e-3  # added to every error, so that a transition without one can still be drawn again
Observation = dict[str, np.ndarray]


class Transitions(NamedTuple):
    """m transitions: observations by key (m, …), actions (m, 1) int64, the others (m, 1) float32.

    `factors` is what the value of the next position is multiplied by: -1 where the opponent moves there, else 1.
    `weights` make up in the loss for some being drawn more often than others; `places` (m,) say which they are.
    """

    observations: dict[str, torch.Tensor]
    actions: torch.Tensor
    next_observations: dict[str, torch.Tensor]
    dones: torch.Tensor
    rewards: torch.Tensor
    factors: torch.Tensor
    weights: torch.Tensor
    places: np.ndarray


class Replay(DictReplayBuffer):
    """SB3's memory of `buffer_size` transitions, added in any number at a time and drawn by a stream of its own.

    Observations of zeros and ones, as most encoders give them, are kept in bytes; the first other number widens the
    memory to float32. With `prioritized` above 0, transitions are drawn in proportion to that power of their last error
    (Schaul et al. 2016, arXiv 1511.05952), new ones as often as any.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Dict,
        action_space: spaces.Space[Any],
        device: torch.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        seed: int | None = None,
        prioritized: float = 0.0,
    ) -> None:
        bytewise = {
            key: spaces.Box(0, 255, space.shape, np.uint8) if space.dtype == np.float32 else space
            for key, space in observation_space.spaces.items()
        }
        # One environment as far as SB3 is concerned: transitions come one by one from any of them.
        super().__init__(
            buffer_size, spaces.Dict(bytewise), action_space, device, 1, optimize_memory_usage, False
        )  # fmt: skip
        self.factors = np.ones((self.buffer_size, 1), np.float32)
        self.prioritized = prioritized
        self.priorities = np.zeros(self.buffer_size if prioritized else 0, np.float32)
        self.rng = np.random.default_rng(seed)

    def extend(
        self,
        observation: Observation,
        next_observation: Observation,
        actions: np.ndarray,
        rewards: np.ndarray,
        dones: np.ndarray,
        factors: np.ndarray,
    ) -> None:
        """Take in m transitions, observations by key (m, …), the others (m,); the oldest make room."""
        m = min(len(actions), self.buffer_size)
        rows = (self.pos + np.arange(m)) % self.buffer_size
        for memory, given in ((self.observations, observation), (self.next_observations, next_observation)):
            for key, values in given.items():
                if memory[key].dtype == np.uint8 and values.dtype == np.float32 and not _binary(values):
                    self._widen(key)
                memory[key][rows, 0] = values[-m:]
        self.actions[rows, 0, 0] = actions[-m:]
        self.rewards[rows, 0] = rewards[-m:]
        self.dones[rows, 0] = dones[-m:]
        self.factors[rows, 0] = factors[-m:]
        if self.prioritized:
            self.priorities[rows] = self.priorities.max(initial=0.0) or 1.0
        self.full = self.full or self.pos + m >= self.buffer_size
        self.pos = (self.pos + m) % self.buffer_size

    def _widen(self, key: str) -> None:
        self.observations[key] = self.observations[key].astype(np.float32)
        self.next_observations[key] = self.next_observations[key].astype(np.float32)

    def restore(self, arrays: dict[str, np.ndarray], pos: int, *, full: bool) -> None:
        """Fill an empty memory with the arrays of another, named as attributes or attribute/key, to go on at `pos`."""
        for name, values in arrays.items():
            attribute, _, key = name.partition("/")
            memory = getattr(self, attribute)
            if key and memory[key].dtype != values.dtype:
                self._widen(key)
            (memory[key] if key else memory)[: len(values)] = values
        self.pos, self.full = pos, full

    def sample(self, batch_size: int, env: Any = None, exponent: float = 1.0) -> Transitions:  # type: ignore[override]
        """Draw transitions with replacement; `exponent` says how far their weights make up for unequal chances."""
        size = self.size()
        if not self.prioritized:
            return self._get_samples(self.rng.integers(size, size=batch_size))
        sums = self.priorities[:size].cumsum(dtype=np.float64)
        places = np.searchsorted(sums, self.rng.random(batch_size) * sums[-1], side="right").clip(max=size - 1)
        weights = (self.priorities[places] / sums[-1] * size) ** -exponent
        return self._get_samples(places)._replace(
            weights=self.to_torch((weights / weights.max())[:, None].astype(np.float32))
        )

    def judge(self, places: np.ndarray, errors: np.ndarray) -> None:
        """Note the `errors` (m,), at least 0, of transitions (m,), which say how often they are drawn from now on."""
        if self.prioritized:
            self.priorities[places] = (errors + LEAST) ** self.prioritized

    def _get_samples(self, batch_inds: np.ndarray, env: Any = None) -> Transitions:  # type: ignore[override]
        return Transitions(
            observations={key: self.to_torch(values[batch_inds, 0]) for key, values in self.observations.items()},
            actions=self.to_torch(self.actions[batch_inds, 0]),
            next_observations={
                key: self.to_torch(values[batch_inds, 0]) for key, values in self.next_observations.items()
            },
            dones=self.to_torch(self.dones[batch_inds]),
            rewards=self.to_torch(self.rewards[batch_inds]),
            factors=self.to_torch(self.factors[batch_inds]),
            weights=self.to_torch(np.ones((len(batch_inds), 1), np.float32)),
            places=batch_inds,
        )


def _binary(values: np.ndarray) -> bool:
    return bool(((values == 0.0) | (values == 1.0)).all())
