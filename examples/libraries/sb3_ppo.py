"""Train stable-baselines3's PPO on Hex 5x5 against random, 64 games in one step, then play 200 games against it.

Stable-baselines3's PPO knows no masks: it must learn what is legal, as an illegal action loses the game.
"""

from stable_baselines3 import PPO

from boyi.baselines import evaluate
from boyi.wrappers import SB3VecEnv


def train(steps: int = 400_000, seed: int = 0) -> PPO:
    """Train for `steps` decisions, on both seats in turn."""
    env = SB3VecEnv("boyi/Hex-v0", 64, board_size=5, opponent="random", seat="random", layout="flat")
    model = PPO(
        "MultiInputPolicy", env, n_steps=32, batch_size=512, learning_rate=1e-3, n_epochs=4, gamma=1.0, seed=seed
    )
    return model.learn(steps)


if __name__ == "__main__":
    result = evaluate(train(), "hex:board_size=5", ["random"])
    print(result)
    assert result.pairings[0].wins > 160
