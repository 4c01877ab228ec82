"""Games of a size at which every agent plays in seconds, and sets of parameters whose kernels are compiled anyway."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from numba import config

from boyi.envs import Game, Spec, find
from boyi.envs.engine.facts import facts

COMPILES = [] if config.DISABLE_JIT else [pytest.mark.slow]
"""The marks of what needs kernels that nothing else in the quick set does; as plain Python they take no time."""


def marked(several: Iterable[pytest.MarkDecorator]) -> Callable[[Any], Any]:
    """Apply several marks to a test, or none."""

    def apply(test: Any) -> Any:
        for mark in several:
            test = mark(test)
        return test

    return apply


def small_game(game: str | Spec) -> Game:
    """Find a game as small as agents play it in all tests."""
    return find(game, **facts(find(game)).small)


def sized(name: str, agent: str) -> Game | None:
    """Choose the size of a game at which an agent is tried; None where it cannot solve any."""
    known = facts(find(name))
    if agent == "exact" and known.solvable is None and find(name).seats == 2:
        return None
    if agent == "openspiel" and not all(f"{{{param}}}" in known.openspiel for param in known.small):
        return find(name)
    return find(name, **known.solvable) if agent == "exact" and known.solvable else small_game(name)


def every_set(specs: Iterable[Spec], *, large: bool = True) -> Any:
    """Ask a test of every tested set of these games, with its `marks`."""
    return every_game((Game.bind(spec, params) for spec in specs for params in spec.tested), large=large)


def every_game(games: Iterable[Game], *, large: bool = True) -> Any:
    """Ask a test of these games, each with its `marks`."""
    rows = [pytest.param(game, marks=marks(game, large=large), id=str(game)) for game in games]
    return pytest.mark.parametrize("game", rows)


def marks(game: Game, *, large: bool = True) -> list[pytest.MarkDecorator]:
    """Return the marks of what needs kernels for the records of a game: slow where those are compiled for it alone.

    Others have the records of the small game or, if `large`, of the game by default.
    """
    common = [small_game(game.spec), *([find(game.spec)] if large else [])]
    return [] if game.dtype in [each.dtype for each in common] else COMPILES
