"""Turn-based games as a PettingZoo ParallelEnv, for libraries that step all agents at once.

PettingZoo's own `turn_based_aec_to_parallel` gives the waiting agents masks of zeros, over which a masked policy has no
distribution, shares infos between steps, and returns too few values after the end; this one does none of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

from ..engine.errors import BoyiError
from .aec import AEC, Observation


class TurnBasedParallel(ParallelEnv[str, Observation, int]):
    """An AEC environment of boyi in which all agents observe and act at each step, and only the mover's action counts.

    A waiting agent is shown a mask that allows only action 0: its policy is then certain, with probability 1 and no
    entropy, so its ignored action teaches it nothing. ``infos[agent]["to_move"]`` says whose action counts.
    """

    observation_spaces: dict[str, spaces.Space[Any]]
    action_spaces: dict[str, spaces.Space[Any]]

    def __init__(self, aec_env: AEC) -> None:
        base = getattr(aec_env, "unwrapped", aec_env)
        if not isinstance(base, AEC):
            raise BoyiError(f"TurnBasedParallel wraps an AEC environment of boyi, not {type(base).__name__}")
        self.aec_env = base
        self.metadata: dict[str, Any] = {**base.metadata, "is_parallelizable": True}
        self.render_mode: str | None = base.render_mode
        self.possible_agents: list[str] = list(base.possible_agents)
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = base.observation_spaces, base.action_spaces

    @property
    def unwrapped(self) -> AEC:
        return self.aec_env

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.aec_env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Start a game: the first of `seed`, or the next one of the seed in use."""
        self.aec_env.reset(seed=seed, options=options)
        agents = list(self.possible_agents)
        first = self._observations(agents), self._infos(agents)
        self.agents = agents
        return first

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Play the mover's action; those of the others are ignored."""
        env = self.aec_env
        if not self.agents:
            raise BoyiError(f"{env.game}: no game is running; call reset() before step()")
        if not isinstance(actions, Mapping) or env.agent_selection not in actions:
            raise BoyiError(f"{env.game}: {env.agent_selection} is to move, but no action is given for it")
        agents, self.agents = self.agents, []  # a step that is broken off leaves no game to go on with
        try:
            env.step(actions[env.agent_selection])
        except BoyiError:  # refused before anything was touched
            self.agents = agents
            raise
        ends = dict(env.terminations), dict(env.truncations)
        results = self._observations(agents), dict(env.rewards), *ends, self._infos(agents)
        self.agents = agents if self._running() else []
        return results

    def _running(self) -> bool:
        return not any(self.aec_env.terminations.values()) and not any(self.aec_env.truncations.values())

    def _observations(self, agents: list[str]) -> dict[str, Observation]:
        return {agent: self._observe(agent) for agent in agents}

    def _observe(self, agent: str) -> Observation:
        seen = self.aec_env.observe(agent)
        if isinstance(seen, dict):
            mask = self.aec_env.frame.keys[1]
            seen[mask] = self._waited(seen[mask])
        return seen

    def _infos(self, agents: list[str]) -> dict[str, dict[str, Any]]:
        mover = self.aec_env.agent_selection if self._running() else None
        infos = {agent: {**self.aec_env.infos[agent], "to_move": agent == mover} for agent in agents}
        for info in infos.values():
            if "action_mask" in info:
                info["action_mask"] = self._waited(info["action_mask"])
        return infos

    @staticmethod
    def _waited(mask: np.ndarray) -> np.ndarray:
        """Allow action 0 where nothing is allowed."""
        mask = mask.copy()
        mask[0] |= not mask.any()
        return mask

    def render(self) -> Any:
        return self.aec_env.render()

    def close(self) -> None:
        self.aec_env.close()

    def __repr__(self) -> str:
        return f"TurnBasedParallel({self.aec_env!r})"
