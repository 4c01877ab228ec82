"""Games of a size at which every agent plays in seconds, and sets of parameters whose kernels are compiled anyway."""

from collections.abc import Iterable
from typing import Any

import pytest
from numba import config

from boyi.envs import Game, Spec, find, games
from boyi.envs.engine.facts import facts


def sized(name: str, agent: str) -> Game | None:
    """Choose the size of a game at which an agent is tried; None where it cannot solve any."""
    known = facts(find(name))
    if agent == "exact" and known.solvable is None and find(name).seats == 2:
        return None
    if agent == "openspiel" and not all(f"{{{param}}}" in known.openspiel for param in known.small):
        return find(name)
    return find(name, **((known.solvable or known.small) if agent == "exact" else known.small))


def every_set(specs: Iterable[Spec], *, large: bool = True) -> Any:
    """Ask a test of every tested set of these games, each `marked`."""
    sets = [Game.bind(spec, params) for spec in specs for params in spec.tested]
    return pytest.mark.parametrize("game", [marked(game, large) for game in sets], ids=str)


def marked(game: Game, large: bool = True) -> Any:
    """Mark a tested set as slow where the kernels for its records would be compiled for it alone.

    Others have the records of games as small as agents play them in all tests or, if `large`, of the game by default.
    """
    common = [find(game.spec, **params).dtype for params in (facts(game).small, *([{}] if large else []))]
    alone = game.name in games() and game.dtype not in common and not config.DISABLE_JIT
    return pytest.param(game, marks=pytest.mark.slow) if alone else game
