"""Transitions from one decision of a seat to its own next one, when one learner plays every seat of many games."""

from __future__ import annotations

from typing import Any

import numpy as np

Observation = dict[str, np.ndarray]
Parts = tuple[Observation, Observation, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Turns:
    """Keeps every seat's latest decision in n games until that seat decides again or its game ends."""

    def __init__(self, n: int, seats: int) -> None:
        self.shape = (n, seats)
        self.open = np.zeros(self.shape, np.bool_)
        self.actions = np.zeros(self.shape, np.int64)
        self.rewards = np.zeros(self.shape, np.float32)
        self.observations: Observation = {}

    def step(
        self,
        observation: Observation,
        actions: np.ndarray,
        following: Observation,
        rewards: np.ndarray,
        dones: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> Parts | None:
        """Note a decision in every game; return the transitions that it completes, as `Replay.extend` takes them.

        A seat's reward is what it was paid since its decision: shaped rewards of its own move, its return at the end.
        """
        rows, seats = np.arange(self.shape[0]), np.array([info["seat"] for info in infos])
        for key, values in observation.items():
            kept = self.observations.setdefault(key, np.zeros((*self.shape, *values.shape[1:]), values.dtype))
            kept[rows, seats] = values
        self.actions[rows, seats] = actions
        self.rewards[rows, seats] = rewards
        self.open[rows, seats] = True
        for row in np.flatnonzero(dones):
            others = np.arange(self.shape[1]) != seats[row]
            self.rewards[row, others] += infos[row]["returns"][others]
        movers = np.array([info["to_move"] for info in infos])
        ready = self.open & (dones[:, None] | (np.arange(self.shape[1]) == movers[:, None]))
        i, seat = np.nonzero(ready)
        if not i.size:
            return None
        self.open[ready] = False
        before = {key: values[i, seat] for key, values in self.observations.items()}
        after = {key: values[i] for key, values in following.items()}
        ones = np.ones(i.size, np.float32)
        return before, after, self.actions[i, seat], self.rewards[i, seat], dones[i].astype(np.float32), ones

    def snapshot(self) -> Observation:
        """Gather everything kept, by name."""
        seen = {f"observations/{key}": values for key, values in self.observations.items()}
        return {"open": self.open, "actions": self.actions, "rewards": self.rewards, **seen}

    def restore(self, arrays: Observation) -> None:
        """Put back what `snapshot` gathered."""
        self.open, self.actions, self.rewards = arrays["open"], arrays["actions"], arrays["rewards"]
        prefix = "observations/"
        self.observations = {key.removeprefix(prefix): a for key, a in arrays.items() if key.startswith(prefix)}
