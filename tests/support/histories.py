"""Random histories of games, and what tests ask of positions met on the way."""

import numpy as np
from numba import config
from numpy.typing import NDArray

from boyi.envs import Batch, Game
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import legal, playout

SIGMAS = 6  # seeds are fixed, so a bound that a fair sample misses once in 10**9 never fails by bad luck


def count(compiled: int, interpreted: int) -> int:
    """Choose how often to repeat something."""
    return interpreted if config.DISABLE_JIT else compiled


def play(batch: Batch, moves: str) -> Batch:
    """Play named actions in a game of one."""
    text = batch.game.module("text")
    for word in moves.split():
        batch.step([text.parse(batch.states[0], word)])
    return batch


def lawful(batch: Batch) -> set[str]:
    """Name the actions of a game of one."""
    text = batch.game.module("text")
    return {text.name(batch.states[0], int(a)) for a in np.flatnonzero(batch.mask[0])}


def replayed(game: Game, histories: list[list[int]]) -> Batch:
    """Play one game per list of actions."""
    batch = Batch(game, len(histories), seed=0, encoder=None)
    for ply in range(max(map(len, histories))):
        rows = [i for i, history in enumerate(histories) if len(history) > ply]
        batch.step(np.array([histories[i][ply] for i in rows]), rows)
    return batch


def random_histories(game: Game, many: int, seed: int = 0) -> list[list[int]]:
    """Draw the actions of `many` random games, each up to a random ply or its end."""
    batch = Batch(game, many, seed, encoder=None)
    longest = min(game.longest, count(game.longest, 125))
    stops = np.random.default_rng(seed).integers(0, longest, many, endpoint=True)
    histories: list[list[int]] = [[] for _ in range(many)]
    for ply in range(longest):
        rows = np.flatnonzero((batch.to_move >= 0) & (stops > ply))
        actions = batch.sample()[rows]
        batch.step(actions, rows)
        for i, a in zip(rows, actions, strict=True):
            histories[i].append(int(a))
    return histories


def seen(game: Game, states: NDArray[np.void], encoder: str, seat: int) -> NDArray[np.float32]:
    """Observe records from a seat, into arrays that hold NaN where an encoder writes nothing."""
    m = len(states)
    x = np.full((m, *game.shape(encoder)), np.nan, np.float32)
    bind(kernels.observe_rows, game, encoder)(0, m, states, np.arange(m), np.full(m, seat), x)
    return x


def scores(game: Game, state: NDArray[np.void]) -> list[float]:
    """Ask the rules for the returns of a record, shape (1,)."""
    r = np.full(2, np.nan, np.float32)
    bind(kernels.score, game)(state, r)
    return list(r)


def keys(game: Game, states: NDArray[np.void]) -> list[int]:
    out = np.zeros(len(states), np.uint64)
    bind(kernels.hash_rows, game)(states, out)
    return [int(key) for key in out]


def number_of_actions(states, mask):  # type: ignore[no-untyped-def]
    """Generic kernel: what `legal` says it has written."""
    return legal(states[0], mask)


def first_seat_wins(states, tries, rng, mask, p):  # type: ignore[no-untyped-def]
    """Generic kernel: finish ``states[0]`` at random `tries` times in ``states[1]``; count the wins of seat 0."""
    wins = 0
    for _ in range(tries):
        states[1] = states[0]
        playout(states[1], rng, mask, p)
        wins += states[1].winner == 0
    return wins
