"""Gomoku's keys, frames, symmetries and random playouts."""

import math
import random
from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from gomoku_oracle import Gomoku
from gomoku_positions import PICTURES, every_rule, every_set, exact_chances, histories, laid, played
from histories import SIGMAS, count, keys, random_histories, replayed, seen
from numba import config
from numpy.typing import NDArray

from boyi.envs import Batch, Game, find
from boyi.envs.engine import kernels
from boyi.envs.engine.bind import bind
from boyi.envs.engine.protocol import OVER, playout
from boyi.envs.faces.frame import Frame
from boyi.envs.gomoku import SPEC, rules

pytestmark = pytest.mark.kernels

# Keys


def test_equal_positions_have_equal_keys() -> None:
    """Stones and seat to move make the key, whatever the order of play and whichever stone was last."""
    game = find(SPEC, board_size=5)
    sequences = [list(moves) for k in range(count(5, 4)) for moves in permutations((0, 1, 5, 6, 12), k)]
    states = replayed(game, sequences).states
    described = [(s["board"].tobytes(), int(s["to_move"])) for s in states]
    found = dict(zip(described, keys(game, states), strict=True))
    assert [found[position] for position in described] == keys(game, states)
    assert len(set(found.values())) == len(found)
    assert len(found) < len(sequences)  # otherwise no position came twice and the test says little


@every_set
def test_other_positions_have_other_keys(game: Game) -> None:
    """Among random positions, and a single stone of either seat on any point."""
    many = count(2000 if game.params["board_size"] < 7 else 100, 8)
    states = replayed(game, random_histories(game, many)).states
    described = {(s["board"].tobytes(), int(s["to_move"])) for s in states}
    assert len(set(keys(game, states))) == len(described)
    single = np.repeat(game.blank, 2 * game.actions)
    single["board"] = np.concatenate([np.eye(game.actions), 2 * np.eye(game.actions)])
    assert len(set(keys(game, single))) == 2 * game.actions


def test_keys_tell_movers_and_rules_apart() -> None:
    """The same stones with seat 0 or seat 1 to move, after a forfeit, or under the other rule (§4) are other games."""
    one, other = (played("c3 a1", board_size=5, rule=rule) for rule in ("freestyle", "standard"))
    states = np.repeat(one.states, 3)
    states["to_move"] = (0, 1, OVER)
    assert len({*keys(one.game, states), *keys(other.game, other.states)}) == 4


# Frames and symmetry


@every_set
def test_actions_share_the_frame_of_the_observations(game: Game) -> None:
    """§7: action i is cell i of the planes and entry i of either half of `flat`, for both seats."""
    for a in random.Random(3).sample(range(game.actions), count(25, 5)):
        batch = Batch(game, 1, seed=0, encoder=None)
        batch.step(np.array([a]))
        for seat in (0, 1):
            planes, flat = (seen(game, batch.states, encoder, seat)[0] for encoder in ("planes", "flat"))
            assert np.flatnonzero(planes[seat]).tolist() == np.flatnonzero(planes[2]).tolist() == [a]
            assert np.flatnonzero(flat).tolist() == [seat * game.actions + a]
            assert [Frame(game, encoder).seen(a, seat) for encoder in SPEC.encoders] == [a, a]


def test_flat_has_the_published_size() -> None:
    assert find(SPEC, board_size=19).shape("flat") == (722,)


@every_set
def test_symmetries_keep_the_game(game: Game) -> None:
    """§9: turned and reflected games have masks and observations turned alike, and the same mover and winner."""
    tables, oracle = rules.symmetries(**game.params), Gomoku(**game.params)
    expected = {
        tuple(oracle.turned(a, turns, mirrored=mirrored) for a in range(game.actions))
        for turns in range(4)
        for mirrored in (False, True)
    }
    assert len(expected) == len(tables) == 8
    assert {tuple(table) for table in tables.tolist()} == expected
    drawn = histories(game, count(40 if game.params["board_size"] < 7 else 15, 4))
    here = replayed(game, drawn)
    for table in tables:
        there = replayed(game, [[int(table[a]) for a in history] for history in drawn])
        assert np.array_equal(here.mask, there.mask[:, table])
        for field in ("to_move", "winner", "ply"):
            assert np.array_equal(here.states[field], there.states[field])
        for seat in (0, 1):
            for encoder, parts in (("planes", 4), ("flat", 2)):
                x, y = (
                    seen(game, batch.states, encoder, seat).reshape(-1, parts, game.actions) for batch in (here, there)
                )
                assert np.array_equal(x, y[:, :, table])


# Random playouts


def tally(states, tries, rng, mask, p, counts):  # type: ignore[no-untyped-def]
    """Generic kernel: finish ``states[0]`` at random `tries` times in ``states[1]``; count both seats' wins and draws.

    The rest of `counts` sums the plies that this took, and their squares.
    """
    for _ in range(tries):
        states[1] = states[0]
        playout(states[1], rng, mask, p)
        counts[2 if states[1].winner < 0 else states[1].winner] += 1
        plies = states[1].ply - states[0].ply
        counts[3] += plies
        counts[4] += plies * plies


def finished(game: Game, state: NDArray[np.void], tries: int, **choices: object) -> NDArray[np.int64]:
    """Tally random playouts from a record, shape (1,)."""
    rng, mask, counts = np.array([2026, 0], np.uint64), np.zeros(game.actions, np.int8), np.zeros(5, np.int64)
    bind(tally, game, **choices)(np.repeat(state, 2), tries, rng, mask, np.zeros(1), counts)
    return counts


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


@every_rule
@pytest.mark.parametrize("picture", ["5x5", "6x6", "7x7"])
@pytest.mark.parametrize("choices", [{}, {"playout": kernels.random_playout}], ids=["gomoku", "generic"])
def test_playouts_from_late_positions(picture: str, rule: str, choices: dict[str, object]) -> None:
    """Both ways to finish a game at random come to each end as often as enumerating all continuations says."""
    # Without JIT it is Gomoku's own playout that may be broken (`test_mutants.py`).
    tries = count(20_000, 20 if choices else 500)
    for oracle, state in nearly_finished(picture, rule):
        game = find(SPEC, board_size=oracle.n, rule=rule)
        chances = exact_chances(oracle)
        bounds = SIGMAS * np.sqrt(tries * chances * (1 - chances)) + 1e-6
        assert (abs(finished(game, state, tries, **choices)[:3] - tries * chances) <= bounds).all()


@pytest.mark.skipif(config.DISABLE_JIT, reason="says something only with many games")
@every_rule
@pytest.mark.parametrize(("board_size", "tries"), [(6, 40_000), (15, 10_000)])
def test_playouts_from_the_start(board_size: int, tries: int, rule: str) -> None:
    """The game's own playout and the generic one win and draw equally often, and take as many plies."""
    game = find(SPEC, board_size=board_size, rule=rule)
    for history in ([], [7, 8], [7, 0, 8]):
        state = replayed(game, [history, [0]]).states[:1]
        fast, slow = (finished(game, state, tries, **choices) for choices in ({}, {"playout": kernels.random_playout}))
        assert (abs(fast[:3] - slow[:3]) <= SIGMAS * math.sqrt(2 * tries * 0.25)).all()
        variance = slow[4] - slow[3] ** 2 / tries
        assert abs(fast[3] - slow[3]) <= SIGMAS * math.sqrt(2 * variance)


@pytest.mark.parametrize("choices", [{}, {"playout": kernels.random_playout}], ids=["gomoku", "generic"])
def test_random_games_score_every_game(choices: dict[str, object]) -> None:
    """§6: over many games the returns add up to zero, and seat 0, who begins, wins somewhat more."""
    game, tries = find(SPEC, board_size=6), count(40_000, 10)
    total, rng = np.zeros(2, np.float32), np.array([7, 0], np.uint64)
    scratch = (np.zeros(game.actions, np.int8), np.zeros(1), total)
    bind(kernels.random_games, game, **choices)(game.blank.copy(), game.blank, tries, rng, *scratch)
    assert total.sum() == 0
    assert abs(total[0]) <= tries
    if not config.DISABLE_JIT:
        assert 0 < total[0] < 0.1 * tries
