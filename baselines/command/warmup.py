"""Compile a game's kernels ahead of time, so that every later process finds them in the cache."""

import time
from contextlib import suppress

import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError
from ...envs.engine.spec import Game, find
from ..agents import make_agent, make_env, make_vector_env
from .perft import perft


def warm_up(game: Game) -> float:
    """Play a little through every face and encoder and with the search; return the seconds it took."""
    started = time.perf_counter()
    for encoder in game.spec.encoders:
        _play_single(game, encoder)
        _play_many(game, encoder)
    _search(game)
    for _ in perft(game, 1):
        pass
    return time.perf_counter() - started


def sizes_of(game: Game) -> list[Game]:
    """List a game in every board size that its other parameters allow, or the game alone where it has only one."""
    size = game.spec.params.get("board_size")
    if size is None or size.low is None or size.high is None:
        return [game]
    sizes = list[Game]()
    for cells in range(int(size.low), int(size.high) + 1, 2 if size.even else 1):
        with suppress(BoyiError):  # what else is set may need a larger board
            sizes.append(find(game, board_size=cells))
    return sizes


def _play_single(game: Game, encoder: str) -> None:
    env = make_env(game, "random", encoder=encoder)
    _, info = env.reset(seed=0)
    ended = False
    while not ended:
        _, _, over, cut, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        ended = over or cut
    batch = Batch(game, 1, 0, encoder=encoder)
    while batch.to_move[0] >= 0:
        batch.play(int(batch.sample()[0]))
    batch.observe(0)


def _play_many(game: Game, encoder: str) -> None:
    env = make_vector_env(game, 2, "random", encoder=encoder)
    _, info = env.reset(seed=0)
    env.step(info["action_mask"].argmax(1))


def _search(game: Game) -> None:
    """Let the search decide a whole game, so that it also keeps and finds subtrees."""
    agent, batch = make_agent("mcts:sims=2", game), Batch(game, 1, 0, encoder=None)
    while batch.to_move[0] >= 0:
        batch.step(agent.act(batch.view()))
