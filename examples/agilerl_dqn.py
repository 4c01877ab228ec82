"""Train AgileRL's DQN on Hex 5x5 against random, 16 games in one step, then play 200 games against it."""

import gymnasium as gym
import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from agilerl.training.train_off_policy import train_off_policy

import boyi  # noqa: F401 - registers the environments
from boyi.baselines import evaluate


def train(steps: int = 60_000, seed: int = 0) -> DQN:
    """Train for so many decisions, on both seats in turn; its loop finds the masks in the infos."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    envs = gym.make_vec("boyi/Hex-v0", 16, board_size=5, opponent="random", seat="random", layout="flat")
    learner = DQN(
        envs.single_observation_space, envs.single_action_space, batch_size=128, lr=1e-3, learn_step=4, gamma=1.0,
        tau=0.01, normalize_images=False,
    )  # fmt: skip
    train_off_policy(
        envs, "Hex", "DQN", [learner], ReplayBuffer(50_000), max_steps=steps, evo_steps=10_000, eval_steps=100,
        learning_delay=2000, eps_end=0.1, eps_decay=0.999, verbose=False,
    )  # fmt: skip
    return learner


if __name__ == "__main__":
    learned = train()

    def play(observation: dict[str, np.ndarray]) -> int:
        rows = {key: value[None] for key, value in observation.items()}
        return int(learned.get_action(rows, action_mask=rows["action_mask"])[0])

    keys = ("observation", "action_mask")
    won = evaluate(play, "hex:board_size=5", ["random"], games=200, layout="flat", keys=keys).pairings[0].wins
    print(f"AgileRL's DQN won {won} of 200 games against random")
    assert won > 160
