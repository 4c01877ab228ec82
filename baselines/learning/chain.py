"""Transitions over several decisions of games played side by side, when one learner decides for every seat."""

from __future__ import annotations

import numpy as np

from .turns import Observation, Parts


class Chain:
    """Keeps the latest decisions in n games until `steps` steps have followed each, or its game ends.

    A decision's reward is r + gamma f (r' + gamma f' (r'' + …)). Each f says from whose side the rest is seen, as
    `Transitions.factors` does. Its own factor is the weight of the value after the last step, divided by gamma.
    """

    def __init__(self, n: int, steps: int, gamma: float) -> None:
        self.shape, self.gamma = (steps, n), gamma
        self.open = np.zeros(self.shape, np.bool_)
        self.actions = np.zeros(self.shape, np.int64)
        self.rewards = np.zeros(self.shape, np.float32)
        self.weights = np.ones(self.shape, np.float32)
        """What the next reward counts for in the reward of each decision."""
        self.observations: Observation = {}
        self.place = np.zeros(1, np.int64)
        """Where the next decisions go: in place of the oldest."""

    def step(
        self,
        observation: Observation,
        following: Observation,
        actions: np.ndarray,
        rewards: np.ndarray,
        dones: np.ndarray,
        factors: np.ndarray,
    ) -> Parts | None:
        """Note a decision in every game; return the transitions that it completes, as `Replay.extend` takes them."""
        here = int(self.place[0])
        for key, values in observation.items():
            self.observations.setdefault(key, np.zeros((*self.shape, *values.shape[1:]), values.dtype))[here] = values
        self.actions[here], self.open[here] = actions, True
        self.rewards[here], self.weights[here] = 0.0, 1.0
        self.rewards += self.weights * rewards
        counted = self.weights * factors
        self.weights = self.gamma * counted
        self.place[0] = oldest = (here + 1) % self.shape[0]
        ready = self.open & (dones != 0)
        ready[oldest] = self.open[oldest]
        self.open &= ~ready
        i, row = np.nonzero(ready)
        if not i.size:
            return None
        before = {key: values[i, row] for key, values in self.observations.items()}
        after = {key: values[row] for key, values in following.items()}
        ended = np.asarray(dones)[row].astype(np.float32)
        return before, after, self.actions[i, row], self.rewards[i, row], ended, counted[i, row]

    def snapshot(self) -> Observation:
        """Gather everything kept, by name."""
        seen = {f"observations/{key}": values for key, values in self.observations.items()}
        names = ("open", "actions", "rewards", "weights", "place")
        return {**{name: getattr(self, name) for name in names}, **seen}

    def restore(self, arrays: Observation) -> None:
        """Put back what `snapshot` gathered."""
        prefix = "observations/"
        self.observations = {key.removeprefix(prefix): a for key, a in arrays.items() if key.startswith(prefix)}
        for name in ("open", "actions", "rewards", "weights", "place"):
            setattr(self, name, arrays[name])
