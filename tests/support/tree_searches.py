"""Positions and evaluators by which tree searches are told right from wrong."""

from functools import cache

import numpy as np
from hex_oracle import Hex

from boyi.baselines.search.evaluation import Evaluation
from boyi.envs import Batch, Game
from boyi.envs.engine.bind import bind
from boyi.envs.engine.kernels import hash_rows
from boyi.envs.engine.protocol import key
from boyi.envs.engine.rng import hash64


@cache
def wins(size: int, moves: tuple[int, ...]) -> bool:
    """Whether the side to move wins after `moves`, by brute force over the oracle."""
    game = replayed(size, moves)
    return any(after.winner() == len(moves) % 2 or not wins(size, (*moves, a)) for a, after in answers(game))


def replayed(size: int, moves: tuple[int, ...]) -> Hex:
    game = Hex(size, False)
    for a in moves:
        game.play(a)
    return game


def answers(game: Hex):
    for a in game.legal():
        after = game.copy()
        after.play(a)
        if after.winner() is not None:
            yield a, after
            return
    for a in game.legal():
        after = game.copy()
        after.play(a)
        yield a, after


def position(size: int, moves: list[int]) -> Batch:
    batch = Batch("hex", 1, seed=0, board_size=size, history=True)
    for a in moves:
        batch.step([a])
    return batch


TACTICS = [
    # Seat 0 has column c down to row 4 of 5: e5 is no use, c5 or b5 joins the bottom.
    (["c1", "a1", "c2", "a2", "c3", "e1", "c4", "e2"], {"c5", "b5"}),
    # Seat 1 threatens to join at e3 and only there: d4 would come too late.
    (["a1", "a3", "b1", "b3", "e2", "c3", "a5", "d3"], {"e3"}),
    # A bridge from b3 to the left side: when the enemy takes a3's partner a4, a3 saves it.
    (["c1", "e3", "c2", "d3", "e5", "c3", "a5", "b3", "a4"], {"a3"}),
]
"""Moves on 5x5, and what then is to be played."""


def linked(tree, node: int) -> list[int]:
    found, i = [], int(tree.child[node])
    while i:
        found.append(i)
        i = int(tree.sibling[i])
    return found


def nothing(s, e):
    """Keep no notes."""


def by_hash(s, e, seat):
    """Value a position by its hash."""
    value = np.int64(hash64(key(s)) >> np.uint64(44)) - 524_288
    return value if seat == 0 else -value


@cache
def hashed_evaluation() -> Evaluation:
    return Evaluation(np.zeros(1, np.dtype([("none", "i1")])), {"survey": nothing, "evaluate": by_hash}, 300_000.0)


MODES = [{"backup": backup, "chance": chance} for backup in ("leaf", "children") for chance in ("sample", "expected")]


def mode_name(mode: dict[str, str]) -> str:
    return " ".join(mode.values())


class Hashed:
    """Meaningless priors and values, but each position's own, from the hash of the position."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def _noise(self, states: np.ndarray, purpose: int) -> np.ndarray:
        keys = np.empty(states.size, np.uint64)
        bind(hash_rows, self.game)(states, keys)
        return np.array([hash64(np.uint64(int(k) ^ purpose)) / 2.0**64 for k in keys])

    def evaluate(self, states: np.ndarray, seats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        priors = np.array([self._noise(states, 1000 + a) for a in range(self.game.actions)]).T
        return priors.astype(np.float32), self.values(states, seats)

    def values(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        values = 1.8 * self._noise(states, 1) - 0.9
        return np.where(np.asarray(seats) == 0, values, -values).astype(np.float32)
