"""Positions of Hex for the tests."""

import numpy as np
import pytest

from boyi.envs import Batch, find
from boyi.envs.hex import SPEC, text

TESTED = [find(SPEC, **params) for params in SPEC.tested]


every_set = pytest.mark.parametrize("game", TESTED, ids=str)


def played(moves: str, **params: object) -> Batch:
    """Play named moves from the start, in a game of one."""
    batch = Batch("hex", 1, seed=0, **params)
    for word in moves.split():
        batch.step(np.array([text.parse(batch.states[0], word)]))
    return batch
