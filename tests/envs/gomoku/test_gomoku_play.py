"""Gomoku's keys, frames, symmetries and random playouts."""

import numpy as np
import pytest
from gomoku_oracle import Gomoku
from gomoku_positions import every_set, histories, played
from histories import count, keys, replayed, seen

from boyi.envs import Game
from boyi.envs.engine.protocol import OVER
from boyi.envs.gomoku import rules

pytestmark = pytest.mark.kernels


def test_keys_tell_movers_and_rules_apart() -> None:
    """The same stones with seat 0 or seat 1 to move, after a forfeit, or under the other rule (§4) are other games."""
    one, other = (played("c3 a1", board_size=5, rule=rule) for rule in ("freestyle", "standard"))
    states = np.repeat(one.states, 3)
    states["to_move"] = (0, 1, OVER)
    assert len({*keys(one.game, states), *keys(other.game, other.states)}) == 4


@every_set
def test_keys_tell_points_apart(game: Game) -> None:
    """A single stone of either seat on any point."""
    single = np.repeat(game.blank, 2 * game.actions)
    single["board"] = np.concatenate([np.eye(game.actions), 2 * np.eye(game.actions)])
    assert len(set(keys(game, single))) == 2 * game.actions


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
            for encoder, parts in (("planes", 4), ("ruled", 4), ("flat", 2)):
                x, y = (
                    seen(game, batch.states, encoder, seat).reshape(-1, parts, game.actions) for batch in (here, there)
                )
                assert np.array_equal(x, y[:, :, table])
