"""Train sb3-contrib's MaskablePPO on Hex 5x5 against itself, 32 games in one step, then play 200 games against random.

The model, as it is at the moment, plays the other seat, too, so that each state that it learns from is followed by its
own next one.
"""

from sb3_contrib import MaskablePPO

from boyi.baselines import evaluate
from boyi.wrappers import SB3VecEnv


def train(steps: int = 200_000, seed: int = 0) -> MaskablePPO:
    """Train for `steps` decisions of the learner's own, on both seats in turn."""
    env = SB3VecEnv("boyi/Hex-v0", 32, board_size=5, seat="random")
    model = MaskablePPO(
        "MultiInputPolicy",
        env,
        n_steps=64,
        batch_size=512,
        learning_rate=1e-3,
        n_epochs=4,
        gamma=1.0,
        ent_coef=0.01,
        seed=seed,
    )
    env.set_opponent(model)
    return model.learn(steps)


if __name__ == "__main__":
    result = evaluate(train(), "hex:board_size=5", ["random"])
    print(result)
    assert result.pairings[0].wins > 140
