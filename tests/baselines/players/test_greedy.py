"""`greedy`: the simple player that a game brings along."""

import numpy as np
import pytest

from boyi.baselines import make_agent
from boyi.envs import Batch, BoyiError
from boyi.envs.mahjong import acceptance, shanten, text
from boyi.envs.mahjong import tiles as names

pytestmark = pytest.mark.kernels


def test_a_game_without_a_rule_is_refused():
    with pytest.raises(BoyiError, match="greedy has no rule to play hex:board_size=3 by"):
        make_agent("greedy", "hex:board_size=3")


def test_it_decides_for_many_games_as_for_one():
    many = Batch("mahjong", 30, seed=4)
    agent = make_agent("greedy", "mahjong")
    for _ in range(60):
        rows = np.flatnonzero(many.to_move >= 0)
        view = many.view(rows)
        actions = agent.act(view)
        assert view.mask[np.arange(rows.size), actions].all()
        assert [int(agent.act(view.take(np.array([k])))[0]) for k in range(0, rows.size, 7)] == actions[::7].tolist()
        many.step(actions, rows)


def test_a_discard_leaves_the_least_shanten_and_then_accepts_most():
    batch = Batch("mahjong", 40, seed=11)
    agent = make_agent("greedy", "mahjong")
    actions = agent.act(batch.view())
    for state, action in zip(batch.states, actions, strict=True):
        hand = state["hand"][0]
        rated = {}
        for k in np.flatnonzero(hand):
            rest = hand.copy()
            rest[k] -= 1
            # Nothing is seen of the others yet: the unseen copies are those that the whole hand leaves.
            accepted = acceptance(names.write(rest))
            tiles = sum(copies - (names.kind_of(tile) == k) for tile, copies in accepted.items())
            rated[int(k)] = (shanten(names.write(rest)), -tiles)
        assert rated[int(action)] == min(rated.values()), text.diagram(state)
