"""Train sb3-contrib's MaskablePPO on Hex 5x5 against a random opponent, then play 100 games against it.

No adapter is needed: the environment has the `action_masks` method that sb3-contrib asks for.
"""

import gymnasium as gym
import numpy as np
from sb3_contrib import MaskablePPO

import boyi  # noqa: F401 - registers the environments


def train(steps: int = 20_000, seed: int = 0) -> MaskablePPO:
    """Train for so many steps on both seats in turn."""
    env = gym.make("boyi/Hex-v0", board_size=5, opponent="random", seat="random")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=512, batch_size=128, seed=seed, verbose=0)
    return model.learn(steps)


def wins(model: MaskablePPO, games: int = 100) -> int:
    """Count the games won against random, the learner's seat alternating."""
    won = 0
    for game in range(games):
        env = gym.make("boyi/Hex-v0", board_size=5, opponent="random", seat=game % 2)
        observation, _ = env.reset(seed=1_000_000 + game)
        terminated = False
        while not terminated:
            mask = observation["action_mask"].astype(np.bool_)
            action, _ = model.predict(observation, action_masks=mask, deterministic=True)
            observation, reward, terminated, _, _ = env.step(int(action))
        won += float(reward) > 0
    return won


if __name__ == "__main__":
    print(f"MaskablePPO won {wins(train())} of 100 games against random")
