"""Train AgileRL's PPO on Hex 5x5 against random, 32 games in one step, then play 200 games against it."""

import gymnasium as gym
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy

import boyi  # noqa: F401 - registers the environments
from boyi.baselines import evaluate


def train(steps: int = 120_000, seed: int = 0) -> PPO:
    """Train for `steps` decisions, on both seats in turn; its loop finds the masks in the infos."""
    np.random.seed(seed)
    torch.manual_seed(seed)
    envs = gym.make_vec("boyi/Hex-v0", 32, board_size=5, opponent="random", seat="random", layout="flat")
    learner = PPO(
        envs.single_observation_space, envs.single_action_space, batch_size=256, lr=1e-3, learn_step=2048, gamma=1.0,
        normalize_images=False, num_envs=32,
    )  # fmt: skip
    train_on_policy(envs, "Hex", "PPO", [learner], max_steps=steps, evo_steps=20_480, eval_steps=50, verbose=False)
    return learner


if __name__ == "__main__":
    learned = train()

    def play(observation: dict[str, np.ndarray]) -> int:
        rows = {key: value[None] for key, value in observation.items()}
        return int(learned.get_action(rows, action_mask=rows["action_mask"])[0][0])

    result = evaluate(play, "hex:board_size=5", ["random"], layout="flat", keys=("observation", "action_mask"))
    print(result)
    assert result.pairings[0].wins > 140
