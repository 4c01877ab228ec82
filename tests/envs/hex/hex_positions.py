"""Positions of Hex for the tests."""

import sizes
from histories import play

from boyi.envs import Batch
from boyi.envs.hex import SPEC

every_set = sizes.every_set([SPEC])


def played(moves: str, **params: object) -> Batch:
    """Play named moves from the start, in a game of one."""
    return play(Batch("hex", 1, seed=0, **params), moves)
