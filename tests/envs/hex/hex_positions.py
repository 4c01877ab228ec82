"""Positions of Hex for the tests."""

import pytest
from histories import play

from boyi.envs import Batch, find
from boyi.envs.hex import SPEC

TESTED = [find(SPEC, **params) for params in SPEC.tested]


every_set = pytest.mark.parametrize("game", TESTED, ids=str)


def played(moves: str, **params: object) -> Batch:
    """Play named moves from the start, in a game of one."""
    return play(Batch("hex", 1, seed=0, **params), moves)
