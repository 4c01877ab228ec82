"""What actions of mahjong bring by rollouts: what hands bring that `greedy` plays on from there, seat by seat."""

import numpy as np
import pytest

from boyi.baselines.mahjong.rollouts import Rollouts
from boyi.baselines.players.greedy import Greedy
from boyi.envs import Batch, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.view import copied
from boyi.envs.mahjong.complete import complete
from boyi.envs.mahjong.constants import KINDS, TURN

pytestmark = pytest.mark.kernels

GAME = find("mahjong")


def late(count: int, seed: int) -> np.ndarray:
    """Find turns late in hands of `greedy`, a discard being due: records (count,)."""
    batch = Batch(GAME, 64, seed=seed, encoder=None, autoreset="same_step")
    agent, found = Greedy(), [GAME.blank[:0]]
    while sum(map(len, found)) < count:
        view = batch.view()
        due = (batch.states["left"] < 30) & view.mask[:, :KINDS].any(axis=1) & ~view.mask[:, KINDS:].any(axis=1)
        found.append(copied(batch.states, due))
        batch.step(agent.act(view))
    return np.concatenate(found)[:count]


def held(states: np.ndarray, count: int) -> np.ndarray:
    """List the first `count` kinds that each seat to move holds (m, count)."""
    hands = states["hand"][np.arange(states.size), states["to_move"]]
    return np.argsort(hands == 0, axis=1, kind="stable")[:, :count]


def test_they_bring_what_greedy_makes_of_them() -> None:
    """On average over many hands: the tables that play on draw by streams of their own."""
    times, rng = 4000, np.random.default_rng(3)
    states = late(3, seed=5)
    actions = held(states, 2)
    found = Rollouts(GAME, times, passed=False).points(states, actions, rng)
    apart = set()
    for state, tried, points in zip(states, actions, found, strict=True):
        seat = int(state["to_move"])
        for action, point in zip(tried, points, strict=True):
            batch, agent = Batch(GAME, times, seed=int(action), encoder=None), Greedy()
            batch.states = np.repeat(np.array([state]), times)
            batch.step(np.full(times, action))
            brought = np.zeros(times)
            while (rows := np.flatnonzero(batch.to_move >= 0)).size:
                returns, over, _ = batch.step(agent.act(batch.view(rows)), rows)
                brought[rows[over]] = returns[over, seat]
            brought[batch.to_move < 0] = batch.states["points"][batch.to_move < 0, seat]
            assert point == pytest.approx(brought.mean(), abs=5 * brought.std() * (2 / times) ** 0.5 + 1e-9)
            apart.add(round(float(point)))
    assert len(apart) > 3


def test_all_actions_meet_the_same_draws() -> None:
    states = late(8, seed=6)
    actions = np.repeat(held(states, 1), 3, axis=1)
    found = Rollouts(GAME, 1, passed=False).points(states, actions, np.random.default_rng(1))
    assert (found == found[:, :1]).all() and np.unique(found).size > 2
    again = Rollouts(GAME, 1, passed=False).points(states, actions, np.random.default_rng(1))
    np.testing.assert_array_equal(found, again)


def test_what_is_won_on_at_once_is_left_out() -> None:
    states = late(60, seed=7)
    actions = held(states, 6)
    actions[:, 5] = -1
    rng = np.random.default_rng(2)
    passed, every = (Rollouts(GAME, 1, passed=passed).points(states, actions, rng) for passed in (True, False))
    assert np.isnan(every[:, 5]).all() and np.isfinite(every[:, :5]).all()
    ready, won = bind(complete, GAME), 0
    for i, state in enumerate(states):
        assert state["phase"] == TURN
        for c, action in enumerate(actions[i, :5]):
            others = [q for q in range(4) if q != state["to_move"] and not state["missed"][q]]
            wins = any(ready(state["hand"][q], action, -1) for q in others)
            assert np.isnan(passed[i, c]) == wins
            won += wins
    assert won > 5


def test_records_are_left_as_they_are() -> None:
    states = late(4, seed=8)
    before = states.tobytes()
    Rollouts(GAME, 2, passed=True).points(states, held(states, 3), np.random.default_rng(0))
    assert states.tobytes() == before
