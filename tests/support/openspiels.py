"""OpenSpiel to compare with: for Python 3.10 the newest is 1.6.11, without Gomoku and searches limited by time.

On Windows there is none for that Python.
"""

import sys
from importlib.util import find_spec
from typing import Any

import pytest

from boyi.baselines.players.openspiel import load
from boyi.envs import find

OLD = sys.version_info < (3, 11)
NONE = OLD and find_spec("pyspiel") is None


def spiel(name: Any) -> Any:
    """Load OpenSpiel's version of a game; the test is skipped where only an old one, or none, can be had."""
    game = find(name)
    if NONE:
        pytest.skip("there is no OpenSpiel for Python 3.10 on Windows")
    if OLD and game.spec.name == "gomoku":
        pytest.skip("OpenSpiel for Python 3.10 has no Gomoku")
    return load(game)
