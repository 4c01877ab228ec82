"""DQN and Double DQN in a run: the learner and its games from a config, and stable-baselines3's loop by rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from gymnasium.vector import VectorEnv
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from ...envs.engine.schema import ArrayForm, fit, fit_arrays
from ...envs.records.game_record import GameRecord
from ...wrappers import vector as wrappers
from ...wrappers.sb3 import SB3VecEnv
from ..agent import Agent, Named
from ..agents import AgentLike, OpponentPool, make_agent, make_vector_env
from ..arena.matches import Match, compete
from ..engines.lines import whole
from ..learning.alphazero_params import MANY
from ..learning.dqn import DQN
from ..learning.network_evaluator import torch_threads
from .config import Config
from .state import State, pack, unpack
from .trainer import Arrays, Figures, Trainer


def make_training_env(config: Config) -> SB3VecEnv:
    """Build the games of a config, wrapped as it says."""
    opponent: AgentLike = config.opponent[0]
    if opponent != "self":
        opponent = Named(make_agent(opponent)) if len(config.opponent) == 1 else OpponentPool(config.opponent)
    env: VectorEnv[Any, Any, Any] = make_vector_env(
        config.game,
        config["envs"],
        opponent,
        seat=config["seat"] if whole(config["seat"]) < 0 else whole(config["seat"]),
        encoder=config["encoder"] or None,
        illegal="raise",
    )
    if config["line_reward"]:
        env = wrappers.LineReward(env)
    if config["scale_reward"]:
        env = wrappers.ScaleReward(env)
    if config["starts"]:
        env = wrappers.StartPositions(env, played_lines(config))
    elif config["opening"]:
        env = wrappers.RandomOpening(env, config["opening"])
    if config["symmetry"]:
        env = wrappers.SymmetryAugment(env)
    return SB3VecEnv(env)


def played_lines(config: Config) -> list[list[int]]:
    """Let the agent whose games a config `starts` in play itself; return the games' actions, the same every time."""
    agents = [config["starts"], config["starts"]]
    opening = max(1, config["opening"])
    match = Match(
        config.game, agents, games=config["start_games"], seed=config["seed"], opening=opening, fresh_chance=True
    )
    records: list[GameRecord] = []
    compete(match, report=records.append)
    return [record.actions for record in sorted(records, key=lambda record: record.index)]


def make_learner(config: Config, device: str = "auto") -> DQN:
    """Build the learner of a config, untrained."""
    same = (
        "learning_rate", "buffer_size", "learning_starts", "batch_size", "gamma", "train_freq", "gradient_steps",
        "target_update_interval", "exploration_initial_eps", "double", "optimizer", "loss", "n_steps", "average",
        "prioritized", "seed",
    )  # fmt: skip
    first, last = config["exploration_initial_eps"], config["exploration_final_eps"]
    reached = min(1.0, config["steps"] / config["exploration_steps"])
    return DQN(
        config["policy"],
        make_training_env(config),
        target=config["target"] or None,
        exploration_fraction=min(1.0, config["exploration_steps"] / config["steps"]),
        exploration_final_eps=first + reached * (last - first),
        policy_kwargs={"choices": dict(config.choices)},
        device=device,
        **{name: config[name] for name in same},
    )


class DQNTrainer(Trainer):
    """DQN, whose steps are transitions."""

    unit = "transitions"
    watched = ("time/fps", "train/loss")

    def __init__(self, config: Config, device: str) -> None:
        self.config, self.learner = config, make_learner(config, device)
        self.moves = np.zeros(config.game.actions, np.int64)
        self.logged: Figures = {}
        self.learner.set_logger(Logger(None, [_Writer(self.logged)]))

    @property
    def steps(self) -> int:
        return self.learner.num_timesteps

    def train(self, between: Callable[[], None]) -> None:
        with torch_threads(self.config["threads"]):
            self.learner.learn(
                self.config["steps"] - self.steps, _Rounds(self, between), log_interval=MANY, reset_num_timesteps=False
            )

    def figures(self) -> Figures:
        learner, buffer = self.learner, self.learner.ep_info_buffer
        if buffer:
            learner.logger.record("rollout/ep_rew_mean", float(np.mean([episode["r"] for episode in buffer])))
            learner.logger.record("rollout/ep_len_mean", float(np.mean([episode["l"] for episode in buffer])))
        self.logged.clear()
        learner.logger.dump(self.steps)
        return dict(self.logged)

    def agent(self) -> Agent:
        return self.learner.agent()

    def export(self, path: Path) -> None:
        self.learner.export(path)

    def pack(self) -> tuple[Arrays, dict[str, Any]]:
        arrays, state = pack(self.learner)
        return {**arrays, "moves": self.moves}, msgspec.to_builtins(state)

    def unpack(self, arrays: Arrays, facts: dict[str, Any], where: str) -> None:
        own = {"moves": arrays.pop("moves")} if "moves" in arrays else {}
        fit_arrays(own, {"moves": ArrayForm(self.moves.shape, (self.moves.dtype,), 0)}, where)
        unpack(self.learner, arrays, fit(facts, State, where), where)
        self.moves += own["moves"]


class _Rounds(BaseCallback):
    """Counts the moves, and calls back when SB3's loop is between two rounds."""

    def __init__(self, trainer: DQNTrainer, between: Callable[[], None]) -> None:
        super().__init__()
        self.trainer, self.between = trainer, between

    def _on_step(self) -> bool:
        self.trainer.moves += np.bincount(self.locals["actions"], minlength=self.trainer.moves.size)
        return True

    def _on_rollout_start(self) -> None:
        self.between()


class _Writer(KVWriter):
    """Takes the figures of SB3's logger."""

    def __init__(self, logged: Figures) -> None:
        self.logged = logged

    def write(self, key_values: Mapping[str, Any], key_excluded: Mapping[str, tuple[str, ...]], step: int = 0) -> None:
        self.logged.update({key: float(value) for key, value in sorted(key_values.items())})

    def close(self) -> None:
        """Do nothing: nothing is open."""
