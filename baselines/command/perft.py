"""Perft: the number of ways to play the first moves of a game, the oldest check of move generators."""

import time
from collections.abc import Iterator

import numpy as np

from ...envs.engine import kernels
from ...envs.engine.bind import bind
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game

DEEPEST = 1000  # actions: the room that they take is set aside before the first count


def perft(game: Game, depth: int) -> Iterator[tuple[int, int, float]]:
    """Return an iterator of (depth, sequences, seconds) for 0 to `depth` actions; chance events count by outcomes.

    What a game deals at random without a chance event is the same deal every time. `BoyiError` for a depth that
    nobody would live to see.
    """
    if not 0 <= depth <= DEEPEST:
        raise BoyiError(f"depth must be a whole number from 0 to {DEEPEST:,}, not {depth}")
    return _count(game, depth)


def _count(game: Game, depth: int) -> Iterator[tuple[int, int, float]]:
    # Each chance event takes a record as well: before the first action and after every one, several may come in a row.
    stack = np.repeat(game.blank, (depth + 1) * (4 if game.chance_outcomes else 1))
    masks = np.zeros((len(stack), max(game.actions, game.chance_outcomes)), np.int8)
    p = np.zeros(max(1, game.chance_outcomes))
    bind(kernels.reset_one, game)(stack[:1], np.zeros(2, np.uint64))
    count = bind(kernels.perft, game)
    count(stack, 0, masks, p)
    for actions in range(depth + 1):
        started = time.perf_counter()
        yield actions, int(count(stack, actions, masks, p)), time.perf_counter() - started
