"""An evaluator that knows nothing."""

import numpy as np


class Blind:
    """An evaluator that knows nothing, and counts what it is asked."""

    def __init__(self, actions: int) -> None:
        self.actions, self.asked = actions, 0

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.asked += states.size
        return np.ones((states.size, self.actions), np.float32), np.zeros(states.size, np.float32)

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        return np.zeros(states.size, np.float32)
