"""Step a thousand games at once and estimate how much the first move of Hex is worth in random play."""

import numpy as np

from boyi.envs import Batch


def first_player_wins(games: int = 20_000, seed: int = 0) -> float:
    """Return the share of random 5x5 games that seat 0 wins."""
    batch = Batch("hex", 1000, seed=seed, board_size=5, autoreset="same_step")
    won = played = 0
    while played < games:
        rewards, over, _ = batch.step(batch.sample())
        won += np.count_nonzero(rewards[over, 0] > 0)
        played += np.count_nonzero(over)
    return won / played


if __name__ == "__main__":
    print(f"seat 0 wins {first_player_wins():.1%} of random games")
