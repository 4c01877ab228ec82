"""How fast transitions get into the replay memory, beside stable-baselines3's own DQN: ``boyi speed --train``."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator

import gymnasium as gym
import torch
from stable_baselines3 import DQN as PlainDQN  # noqa: N811 - ours bears the algorithm's name

from ...envs.engine.spec import Game
from ...wrappers.sb3 import SB3VecEnv
from ..learning.dqn import DQN
from ..learning.hand_dqn import HandDQN
from ..learning.policies import MlpPolicy
from .peers import DRAWS, HIDDEN, Meter, timed

GAMES = 256  # at once on our side; the peer has one
MINIBATCH = 256  # of our learner of hands; the peer's is as large as the number of times a decision is learned from
CHUNK = 256  # transitions between two looks at the clock, sixteen times as many where they are quick
NET = {"choices": {"hidden": HIDDEN}}  # SB3's default network


def meters(game: Game) -> Iterator[tuple[str, str, Meter, Meter]]:
    """Yield key, name, ours and the peer's: transitions a second against a random opponent, with the same network.

    First acting and remembering alone, at 10 % random actions; then with a gradient step for every 4 transitions, SB3's
    default.
    """
    yield "replay", "transitions into replay", *_both(game, learning=False)
    yield "learning", "the same, learning", *_both(game, learning=True)


def _both(game: Game, *, learning: bool) -> tuple[Meter, Meter]:
    chunk = CHUNK if learning else 16 * CHUNK
    return _rate(ours(game, learning=learning), chunk), _rate(theirs(game, learning=learning), CHUNK)


def hands(game: Game) -> Meter:
    """Learn mahjong in all seats at many tables without search: decisions a second, each learned from `DRAWS` times."""
    learner = HandDQN(
        game,
        network="mlp",
        choices={"hidden": HIDDEN},
        learned="all",
        envs=GAMES,
        moves=1,
        shaping=0.0,
        symmetry=False,
        learning_starts=0,
        batch_size=MINIBATCH,
        draws=DRAWS,
        threads=1,
    )

    def play() -> int:
        before = learner.decisions
        learner.round()
        return learner.decisions - before

    return lambda seconds: timed(seconds, play)


def ours(game: Game, *, learning: bool) -> DQN:
    """Build our learner on many games."""
    name = f"boyi/{game.spec.title}-v{game.spec.version}"
    # One thread: the network is small, and the games have the other core.
    torch.set_num_threads(1)
    return DQN(
        MlpPolicy,
        SB3VecEnv(name, GAMES, **game.params),
        learning_starts=0,
        gradient_steps=GAMES // 4 if learning else 0,
        batch_size=32,
        target_update_interval=10_240,
        exploration_initial_eps=0.1,
        policy_kwargs=NET,
        seed=0,
    )


def theirs(game: Game, *, learning: bool) -> PlainDQN:
    """Build SB3's learner on a single environment, with our policy's network so that both have the same."""
    name = f"boyi/{game.spec.title}-v{game.spec.version}"
    return PlainDQN(
        MlpPolicy,
        gym.make(name, **game.params),
        buffer_size=100_000,
        learning_starts=0,
        train_freq=4,
        gradient_steps=1 if learning else 0,
        batch_size=32,
        exploration_initial_eps=0.1,
        exploration_final_eps=0.1,
        policy_kwargs=NET,
        seed=0,
    )


def _rate(model: PlainDQN, chunk: int) -> Meter:
    def measure(seconds: float) -> float:
        before, started = model.num_timesteps, time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            while (spent := time.perf_counter() - started) < seconds:
                model.learn(chunk, reset_num_timesteps=False)
        return (model.num_timesteps - before) / spent

    return measure
