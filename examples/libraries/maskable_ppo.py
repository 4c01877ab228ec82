"""Train sb3-contrib's MaskablePPO on Hex 5x5 against random, then play 200 games against it.

No adapter is needed: the environment has the `action_masks` method that sb3-contrib asks for.
"""

import gymnasium as gym
from sb3_contrib import MaskablePPO

import boyi  # noqa: F401 - registers the environments
from boyi.baselines import evaluate


def train(steps: int = 20_000, seed: int = 0) -> MaskablePPO:
    """Train for `steps` decisions, on both seats in turn."""
    env = gym.make("boyi/Hex-v0", board_size=5, opponent="random", seat="random")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=512, batch_size=128, seed=seed)
    return model.learn(steps)


if __name__ == "__main__":
    result = evaluate(train(), "hex:board_size=5", ["random"])
    print(result)
    assert result.pairings[0].wins > 160
