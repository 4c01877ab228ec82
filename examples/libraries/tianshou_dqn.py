"""Train Tianshou's DQN on Hex 5x5 against random, then play 200 games against it: it wants masks under "mask"."""

import gymnasium as gym
import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import boyi  # noqa: F401 - registers the environments
from boyi.baselines import evaluate

GAME = {"board_size": 5, "layout": "flat", "keys": ("obs", "mask")}


def train(epochs: int = 10, seed: int = 0) -> DiscreteQLearningPolicy:
    """Train for `epochs` epochs of 5,000 decisions, on both seats in turn."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    envs = DummyVectorEnv([lambda: gym.make("boyi/Hex-v0", opponent="random", seat="random", **GAME)] * 10)
    envs.seed(seed)
    net = Net(state_shape=(75,), action_shape=25, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=net, action_space=envs.action_space[0], eps_training=0.1)
    options = {"gamma": 1.0, "n_step_return_horizon": 3, "target_update_freq": 500}
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=3e-4), **options)
    games = Collector(algorithm, envs, VectorReplayBuffer(50_000, 10), exploration_noise=True)
    games.collect(n_step=2000, reset_before_collect=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=games, max_epochs=epochs, epoch_num_steps=5000, collection_step_num_env_steps=50,
            update_step_num_gradient_steps_per_sample=0.2, batch_size=128, verbose=False, show_progress=False,
        )
    )  # fmt: skip
    return policy


if __name__ == "__main__":
    learned = train()

    def play(observation: dict[str, np.ndarray]) -> int:
        seen = Batch(obs=Batch({key: value[None] for key, value in observation.items()}), info={})
        return int(learned(seen).act[0])

    result = evaluate(play, "hex:board_size=5", ["random"], layout="flat", keys=("obs", "mask"))
    print(result)
    assert result.pairings[0].wins > 160
