"""OpenSpiel to compare with: for Python 3.10 the newest is 1.6.11, without Gomoku and searches limited by time."""

import sys
from typing import Any

import pytest

from boyi.baselines.players.openspiel import load
from boyi.envs import find

OLD = sys.version_info < (3, 11)


def spiel(name: Any) -> Any:
    """Load OpenSpiel's version of a game; the test is skipped where only an old one lacks it."""
    game = find(name)
    if OLD and game.spec.name == "gomoku":
        pytest.skip("OpenSpiel for Python 3.10 has no Gomoku")
    return load(game)
