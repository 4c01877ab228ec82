"""Positions of Gomoku for the tests."""

import random
from collections.abc import Callable, Iterator
from itertools import zip_longest

import numpy as np
import pytest
import sizes
from gomoku_oracle import Cell, Gomoku
from histories import count, play
from numpy.typing import NDArray

from boyi.envs import Batch, Game
from boyi.envs.gomoku import SPEC, text

Player = Callable[[Gomoku], int]


every_set = sizes.every_set([SPEC])


every_rule = pytest.mark.parametrize("rule", ["freestyle", "standard"])


WAYS = [(0, 1), (1, 0), (1, 1), (1, -1)]  # §1: along a row, a column and the diagonals


def played(moves: str, **params: object) -> Batch:
    """Play named moves from the start, in a game of one."""
    return play(Batch("gomoku", 1, seed=0, **params), moves)


def taking_turns(first: list[str], second: list[str]) -> str:
    """Deal the moves of both seats out in the order of play."""
    return " ".join(word for pair in zip_longest(first, second) for word in pair if word)


def laid(picture: str, rule: str, last: str = "") -> tuple[Batch, Gomoku]:
    """Play the stones of a picture by turns in reading order, the point `last` after all others."""
    lines = [line.split() for line in picture.split("\n")]
    n = len(lines)
    oracle = Gomoku(n, rule)
    order = sorted(range(n * n), key=lambda a: (oracle.name(a) == last, a))
    stones = [[oracle.name(a) for a in order if lines[a // n][a % n] == mark] for mark in "XO"]
    batch = played("", board_size=n, rule=rule)
    for word in taking_turns(*stones).split():
        a = text.parse(batch.states[0], word)
        batch.step(np.array([a]))
        oracle.play(a)
    return batch, oracle


def anywhere(rng: random.Random) -> Player:
    """Play any empty point."""
    return lambda oracle: rng.choice(sorted(oracle.legal()))


def seeker(rng: random.Random) -> Player:
    """Lengthen a row of the mover's own, most of the time."""

    def player(oracle: Gomoku) -> int:
        mover, legal = oracle.mover(), oracle.legal()
        own = sorted(oracle.stones_of(mover or 0))
        if own and rng.random() < 0.9:
            (r, c), (dr, dc), sign = rng.choice(own), rng.choice(WAYS), rng.choice((1, -1))
            while oracle.stones.get((r, c)) == mover:
                r, c = r + sign * dr, c + sign * dc
            if (r, c) in oracle.cells() and r * oracle.n + c in legal:
                return r * oracle.n + c
        return rng.choice(sorted(legal))

    return player


def crossing_rows(n: int, rng: random.Random, ways: list[Cell]) -> list[int]:
    """Draw a point, often at the edge, and up to four points on either side of it along `ways`; the point comes last.

    Whoever takes them in this order completes all those rows at once, whatever their lengths.
    """
    r, c = (rng.choice((0, n - 1, rng.randrange(n))) for _ in "rc")
    points: set[int] = set()
    for dr, dc in ways:
        sides = [[(r + k * dr, c + k * dc) for k in reach] for reach in (range(-1, -5, -1), range(1, 5))]
        before, after = ([y * n + x for y, x in side if 0 <= y < n and 0 <= x < n] for side in sides)
        spans = [(i, j) for i in range(len(before) + 1) for j in range(len(after) + 1)]
        length = rng.choice((4, 5, 5, 5, 6, 6, 7, 8, 9))
        i, j = rng.choice([span for span in spans if sum(span) + 1 == length] or [max(spans, key=sum)])
        points.update(before[:i] + after[:j])
    return [*rng.sample(sorted(points), len(points)), r * n + c]


def planner(n: int, rng: random.Random, k: int) -> Player:
    """Let seat k take the points of crossing rows, which the other keeps away from; afterwards both seek rows."""
    ways = [WAYS[k // 2 % 4], *rng.sample(WAYS, k % 3)]
    plan, go_on = crossing_rows(n, rng, ways), seeker(rng)

    def player(oracle: Gomoku) -> int:
        left = [a for a in plan if a in oracle.legal()]
        elsewhere = sorted(oracle.legal() - set(left))
        if not left or not elsewhere:
            return go_on(oracle)
        return left[0] if oracle.mover() == k % 2 else rng.choice(elsewhere)

    return player


def players(game: Game, random_games: int, others: int) -> Iterator[Player]:
    """Yield players of complete games: so many random ones, and so many that seek or plan rows."""
    rng = random.Random(str(game))
    for _ in range(random_games):
        yield anywhere(rng)
    for k in range(others):
        yield seeker(rng) if k % 6 == 5 else planner(game.params["board_size"], rng, k)


def histories(game: Game, many: int) -> list[list[int]]:
    """Return the actions of random games and of games with rows, half of them cut at a random ply."""
    rng, found = random.Random(1), []
    for k, player in enumerate(players(game, many // 4 if game.params["board_size"] < 7 else 0, many)):
        oracle = Gomoku(**game.params)
        while oracle.mover() is not None:
            oracle.play(player(oracle))
        found.append(oracle.actions[: rng.randrange(len(oracle.actions))] if k % 2 else oracle.actions)
    return found


PICTURES = {
    "5x5": """\
O O . O O
. X X X X
. X X . .
. X . . X
O O O X O""",
    "6x6": """\
O O O . O O
O X O X O X
X . . X . X
X X O X O .
X X O . O .
O . X X O X""",
    "7x7": """\
X O O O . O O
X X X O X . O
O O O O . O O
. X X . X X X
X X X O O X O
X X X O O O O
X . O X X X .""",
    "start": "\n".join([". . . . ."] * 5),
}


def merged(oracle: Gomoku) -> frozenset[tuple[Cell, int]]:
    """Name the position: which stones stand where."""
    return frozenset(oracle.stones.items())


def exact_chances(oracle: Gomoku) -> NDArray[np.float64]:
    """Return the probabilities that seat 0 wins, that seat 1 wins and of a draw when both play at random."""
    known: dict[frozenset[tuple[Cell, int]], NDArray[np.float64]] = {}

    def chances(game: Gomoku) -> NDArray[np.float64]:
        if game.mover() is None:
            winner = game.winner()
            return np.eye(3)[2 if winner is None else winner]
        if merged(game) not in known:
            after = [game.copy() for _ in game.legal()]
            for twin, a in zip(after, sorted(game.legal()), strict=True):
                twin.play(a)
            known[merged(game)] = np.mean([chances(twin) for twin in after], axis=0)
        return known[merged(game)]

    return chances(oracle)


FIVE_ON_ODD = """\
X X X X X
O O X O O
X O O X X
O X O O X
O X O X O"""


NONE_ON_ODD = """\
X X O X X
O X X O O
X O O X X
O X O O X
O X O X O"""


FIVE_ON_EVEN = """\
X O O O O O
O X X X O X
X O X O X O
O X X O O X
X O X X X X
X O O O O X"""


SIX_ON_EVEN = """\
O O O O O O
O X X X O X
X O X O X O
X X X O O X
X O X X X X
X O O O O X"""


NONE_ON_EVEN = """\
X O O X X X
X X O O X X
O O O O X O
X O X X O O
O X X X O X
X O X O O O"""


# A full board, its last point, and the winner under freestyle and standard rules.
FULL = [
    pytest.param(FIVE_ON_ODD, "c5", 0, 0, id="five for seat 0"),  # §4: the last point of an odd board is its own
    pytest.param(FIVE_ON_EVEN, "d6", 1, 1, id="five for seat 1"),  # §4: and of an even one the other's
    pytest.param(SIX_ON_EVEN, "c6", 1, None, id="six"),  # §4: on the last point it wins or it makes a draw
    pytest.param(NONE_ON_ODD, "a5", None, None, id="none 5x5"),  # §5
    pytest.param(NONE_ON_EVEN, "c6", None, None, id="none 6x6"),  # §5
]


def nearly_finished(picture: str, rule: str) -> Iterator[tuple[Gomoku, NDArray[np.void]]]:
    """Yield positions a few random plies on from a picture, finished ones included."""
    rng = random.Random(picture + rule)
    for plies in count(list(range(9)), [3, 4, 5, 8]):
        batch, oracle = laid(PICTURES[picture], rule)
        while plies and oracle.mover() is not None:
            a = rng.choice(sorted(oracle.legal()))
            batch.step(np.array([a]))
            oracle.play(a)
            plies -= 1
        yield oracle, batch.states
