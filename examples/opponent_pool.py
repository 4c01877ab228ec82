"""Train sb3-contrib's MaskablePPO on Gomoku 6x6 against a pool: random, tree search and, more and more, itself.

After 200,000 moves it wins more than 80 of 100 games against either: 94 to 97 here, seeds 0 to 2, a minute on one core.
"""

import io
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO

from boyi.baselines import Agent, OpponentPool, evaluate
from boyi.envs.engine.view import View
from boyi.wrappers import SB3VecEnv


class Snapshot(Agent):
    """Plays what a model has learned by now, drawing from its probabilities."""

    name = "snapshot"

    def __init__(self, model: MaskablePPO) -> None:
        super().__init__()
        file = io.BytesIO()
        policy: Any = model.policy
        policy.save(file)
        file.seek(0)
        self.policy = policy.load(file)

    def act(self, view: View) -> np.ndarray:
        seen = {"observation": view.observation, "action_mask": view.mask}
        return self.policy.predict(seen, action_masks=view.mask.astype(np.bool_))[0]


def train(moves: int = 200_000, seed: int = 0) -> MaskablePPO:
    """Learn in five rounds; a copy of the model joins the pool after each."""
    torch.set_num_threads(1)  # more threads slow down so small a network
    pool = OpponentPool(["random", "mcts:sims=10"])
    envs = gym.make_vec("boyi/Gomoku-v0", num_envs=64, board_size=6, opponent=pool, seat="random")
    model = MaskablePPO("MultiInputPolicy", SB3VecEnv(envs), 1e-3, n_steps=32, batch_size=256, n_epochs=4, seed=seed)
    for _ in range(5):
        model.learn(moves // 5, reset_num_timesteps=False)
        pool.add(Snapshot(model))
    return model


if __name__ == "__main__":
    print(evaluate(Snapshot(train()), "gomoku:board_size=6", ["random", "mcts:sims=10"], games=100))
