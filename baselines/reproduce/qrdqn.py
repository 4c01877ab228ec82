"""sb3-contrib's QR-DQN (Dabney et al. 2018) on a config of DQN, made to see masks: a peer to measure ours against.

Its learner is used as it comes. What it lacks is added from outside: the mask follows the observation in one array,
since its returns of several steps take no dictionaries; a network that gives illegal actions a very low value
keeps them out of play and out of the target alike; and a discount below 0 turns its maximum into that of the opponent,
who moves next: negamax.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import QRDQN
from sb3_contrib.qrdqn.policies import QRDQNPolicy, QuantileNetwork
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from ...envs.faces.frame import Frame
from ...envs.records.files import replace_file
from ...wrappers.sb3 import SB3VecEnv, reward_scale
from ..learning.alphazero_params import MANY
from ..learning.dqn import OPTIMIZERS
from ..learning.model_agent import Card, write_network
from ..learning.network_evaluator import torch_threads
from ..learning.networks import Network, build
from ..learning.policies import MASK, observation_key, random_legal
from ..learning.shipped import FILE
from ..training.config import Config
from ..training.dqn_trainer import make_training_env

NEVER = -1e9
"""The value of an illegal action: finite, as a game's end multiplies it by 0."""


class Joined(VecEnvWrapper):
    """Puts the mask after the flat observation, in one array."""

    def __init__(self, venv: VecEnv) -> None:
        space = venv.observation_space
        self.key = observation_key(space)
        assert isinstance(space, spaces.Dict)
        width = spaces.flatdim(space[self.key]) + spaces.flatdim(space[MASK])
        super().__init__(venv, observation_space=spaces.Box(-np.inf, np.inf, (width,), np.float32))

    def reset(self) -> np.ndarray:
        return self._join(self.venv.reset())

    def step_wait(self) -> VecEnvStepReturn:
        seen, rewards, dones, infos = self.venv.step_wait()
        for i in np.flatnonzero(dones):
            last = infos[i]["terminal_observation"]
            infos[i]["terminal_observation"] = self._join({name: array[None] for name, array in last.items()})[0]
        return self._join(seen), rewards, dones, infos

    def _join(self, seen: Any) -> np.ndarray:
        flat = [seen[name].reshape(len(seen[name]), -1) for name in (self.key, MASK)]
        return np.concatenate(flat, axis=1, dtype=np.float32)


class MaskedQuantiles(QuantileNetwork):
    """The quantiles (B, N, actions) that a network of ours gives, those of illegal actions replaced by `NEVER`."""

    def __init__(self, observation_space: spaces.Box, action_space: spaces.Discrete, net: Network) -> None:
        BasePolicy.__init__(self, observation_space, action_space)
        self.net = net

    def forward(self, obs: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        seen, mask = obs[:, : self.net.inputs], obs[:, self.net.inputs :]
        return self.net.quantiles(seen.reshape(-1, *self.net.shape)).masked_fill(mask[:, None] == 0, NEVER)


class MaskedQRDQNPolicy(QRDQNPolicy):
    """Online and target network for observations of a `shape`; `choices` are those of our network."""

    def __init__(self, *args: Any, shape: tuple[int, ...], choices: dict[str, Any], **options: Any) -> None:
        self.shape, self.choices = shape, choices
        super().__init__(*args, **options)

    def make_quantile_net(self) -> MaskedQuantiles:
        assert isinstance(self.observation_space, spaces.Box) and isinstance(self.action_space, spaces.Discrete)
        net = build("board", self.shape, int(self.action_space.n), **self.choices)
        return MaskedQuantiles(self.observation_space, self.action_space, net).to(self.device)


class MaskedQRDQN(QRDQN):
    """QR-DQN whose random actions are legal, with a draw for each row, where sb3-contrib's draws one for all rows."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self.rng = np.random.default_rng(options.get("seed"))
        super().__init__(*args, **options)

    def predict(
        self,
        observation: Any,
        state: tuple[np.ndarray, ...] | None = None,
        episode_start: np.ndarray | None = None,
        deterministic: bool = False,
    ) -> tuple[np.ndarray, tuple[np.ndarray, ...] | None]:
        best, state = self.policy.predict(observation, state, episode_start, deterministic)
        explored = self.rng.random(len(best)) < (0.0 if deterministic else self.exploration_rate)
        return np.where(explored, self._random(observation), best), state

    def _sample_action(
        self, learning_starts: int, action_noise: Any = None, n_envs: int = 1
    ) -> tuple[np.ndarray, np.ndarray]:
        early = self.num_timesteps < learning_starts
        actions = self._random(self._last_obs) if early else self.predict(self._last_obs)[0]
        return actions, actions

    def _random(self, observation: Any) -> np.ndarray:
        assert isinstance(self.action_space, spaces.Discrete)
        return random_legal(observation[:, -int(self.action_space.n) :], self.rng)


class _Until(BaseCallback):
    """Ends learning at a time."""

    def __init__(self, end: float) -> None:
        super().__init__()
        self.end = end

    def _on_step(self) -> bool:
        return time.monotonic() < self.end


def make_learner(config: Config) -> tuple[MaskedQRDQN, SB3VecEnv]:
    """Build QR-DQN on the games of a config whose network gives quantiles; return the games, too."""
    env = make_training_env(config)
    frame: Frame = env.get_attr("frame")[0]
    optimizer_class, optimizer_kwargs = OPTIMIZERS[config["optimizer"]]
    same = (
        "learning_rate", "buffer_size", "learning_starts", "batch_size", "train_freq", "gradient_steps", "n_steps",
        "target_update_interval", "exploration_initial_eps", "exploration_final_eps", "seed",
    )  # fmt: skip
    learner = MaskedQRDQN(
        MaskedQRDQNPolicy,
        Joined(env),
        gamma=-config["gamma"],
        exploration_fraction=config["exploration_steps"] / MANY,
        max_grad_norm=10.0,  # DQN's
        policy_kwargs={
            "shape": frame.observation_space(mask=False).shape,
            "choices": dict(config.choices),
            "n_quantiles": config.choices["quantiles"],
            "optimizer_class": optimizer_class,
            "optimizer_kwargs": optimizer_kwargs,
        },
        **{name: config[name] for name in same},
    )
    return learner, env


def train(config: Config, folder: Path, minutes: float) -> int:
    """Learn for `minutes` minutes by a config, unless that was done before; leave model and log as a run does, and
    return how many transitions there were.
    """
    if (folder / FILE).exists():
        return 0
    with torch_threads(config["threads"]):
        started = time.monotonic()
        learner, env = make_learner(config)
        learner.learn(MANY, _Until(started + 60 * minutes), log_interval=MANY)
        passed = time.monotonic() - started
    net, frame = learner.quantile_net.net, env.get_attr("frame")[0]
    assert isinstance(net, Network)
    line = {"steps": learner.num_timesteps, "time/hours": round(passed / 3600, 4)}
    folder.mkdir(parents=True, exist_ok=True)
    replace_file(folder / "log.jsonl", (json.dumps(line) + "\n").encode())
    write_network(folder / FILE, net, Card.of("dqn", frame, net, reward_scale=reward_scale(env)))
    return learner.num_timesteps
