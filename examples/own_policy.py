"""Measure a policy of your own, any callable ``(observation, mask) -> action``, against a reference agent."""

import numpy as np

from boyi.baselines import evaluate


def central(observation: np.ndarray, mask: np.ndarray) -> int:
    """Choose the empty cell nearest to the middle of the board."""
    side = observation.shape[-1]
    r, c = np.divmod(np.arange(side * side), side)
    distance = np.hypot(r - (side - 1) / 2, c - (side - 1) / 2)
    return int(np.where(mask[: side * side], distance, np.inf).argmin())


def score(games: int = 100) -> float:
    """Return the share of games it scores against random on 7x7."""
    return evaluate(central, "hex:board_size=7", opponents=["random"], games=games, seed=0).pairings[0].score.value


if __name__ == "__main__":
    print(evaluate(central, "hex:board_size=7", opponents=["random", "mcts:sims=50"], games=20, seed=0))
