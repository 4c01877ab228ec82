"""Train stable-baselines3's PPO through PettingZoo's parallel environments, 32 of them joined by SuperSuit, on Hex 5x5.

Both seats learn. PPO sees the mask as part of the observation, but keeps to it only as far as it has learned that an
illegal action loses the game.
"""

import supersuit
from stable_baselines3 import PPO
from stable_baselines3.common.utils import set_random_seed

from boyi.baselines import evaluate
from boyi.envs import hex_v0


def train(steps: int = 1_000_000, seed: int = 0) -> PPO:
    """Train for `steps` steps of all seats; each seat waits in every other step."""
    set_random_seed(seed)  # PPO's own `seed` asks the environments for a method that SuperSuit's do not have
    env = supersuit.pettingzoo_env_to_vec_env_v1(hex_v0.parallel_env(board_size=5, layout="flat"))
    model = PPO(
        "MultiInputPolicy", supersuit.concat_vec_envs_v1(env, 32, base_class="stable_baselines3"), n_steps=64,
        batch_size=1024, n_epochs=4, learning_rate=lambda left: 1e-3 * left, gamma=1.0, ent_coef=0.01,
    )  # fmt: skip
    return model.learn(steps)


if __name__ == "__main__":
    result = evaluate(train(), "hex:board_size=5", ["random"], layout="flat")
    print(result)
    assert result.pairings[0].wins > 140
