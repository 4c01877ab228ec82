"""Measure a policy of your own, any callable ``(observation, mask) -> action``, against a reference agent."""

import numpy as np

from boyi.baselines import evaluate


def straight(observation: np.ndarray, mask: np.ndarray) -> int:
    """Build a straight line between my two sides: the empty cell nearest to the middle line, inner cells first."""
    n = observation.shape[-1]
    r, c = np.divmod(np.arange(n * n), n)
    downwards = observation[2, 0].all()  # plane 2 shows my sides: top and bottom, or left and right
    beside, along = (c, r) if downwards else (r, c)
    distance = np.abs(beside - n // 2) + np.abs(along - n // 2) / n
    return int(np.where(mask[: n * n], distance, np.inf).argmin())


def score(games: int = 100) -> float:
    """Return the share of games it scores against random on 5x5."""
    return evaluate(straight, "hex:board_size=5", opponents=["random"], games=games, seed=0).pairings[0].score.value


if __name__ == "__main__":
    print(evaluate(straight, "hex:board_size=5", opponents=["random", "mcts:sims=50"], games=20, seed=0))
