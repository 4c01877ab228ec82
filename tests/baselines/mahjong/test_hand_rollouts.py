"""What actions of mahjong bring by rollouts: what hands bring that `greedy` plays on from there, seat by seat; and the
search that takes a second look by them.
"""

import numpy as np
import pytest
from mahjong_positions import count, redealt
from numba import config

from boyi.baselines.agents import make_agent
from boyi.baselines.mahjong.rollout_search import ACTIONS, CLOSE, TRUST, RolloutSearch
from boyi.baselines.mahjong.rollouts import Rollouts
from boyi.baselines.mahjong.rollouts_kernels import ripen
from boyi.baselines.mahjong.search import HandSearch
from boyi.baselines.mahjong.values import PublishedEvaluator
from boyi.baselines.players.greedy import Greedy
from boyi.envs import Batch, BoyiError, find
from boyi.envs.engine.bind import bind
from boyi.envs.engine.view import copied
from boyi.envs.mahjong.complete import complete
from boyi.envs.mahjong.constants import KINDS, MOST_MELDS, TURN
from boyi.envs.mahjong.distance import distance
from boyi.envs.mahjong.greedy import notes
from boyi.envs.mahjong.state import WIN

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
    found = Rollouts(GAME, times).points(states, actions, rng)
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
    found = Rollouts(GAME, 1).points(states, actions, np.random.default_rng(1))
    assert (found == found[:, :1]).all() and np.unique(found).size > 2
    again = Rollouts(GAME, 1).points(states, actions, np.random.default_rng(1))
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


def ripen_rows(states, seats, notes, streams):
    """Ripen records, each seen by its seat."""
    for i in range(states.shape[0]):
        ripen(states[i], seats[i], notes, streams[i])


def lack_rows(states, tables, lacking):
    """Count the tiles that the hands of records (m, 4) lack."""
    for i in range(states.shape[0]):
        s = states[i]
        for q in range(4):
            lacking[i, q] = distance(s.hand[q], MOST_MELDS - np.int64(s.melds[q]), tables)


def ripe(states: np.ndarray, seed: int) -> np.ndarray:
    """Ripen records, each seen by the seat to move."""
    after, streams = copied(states), np.random.default_rng(seed).integers(2**64, size=(states.size, 2), dtype=np.uint64)
    bind(ripen_rows, GAME)(after, states["to_move"].astype(np.int64), notes(GAME), streams)
    return after


def lacking(states: np.ndarray) -> np.ndarray:
    """Count the tiles that others' hands lack, (m, 3)."""
    found = np.zeros((states.size, 4), np.int64)
    bind(lack_rows, GAME)(states, notes(GAME).tables, found)
    return found[np.arange(4) != states["to_move"][:, None]].reshape(-1, 3)


def dealt_anew(states: np.ndarray) -> np.ndarray:
    return np.concatenate([redealt(states[k : k + 1], int(states["to_move"][k]), k) for k in range(states.size)])


def test_hands_dealt_anew_ripen_to_what_hands_are() -> None:
    """Late in hands of `greedy` they lack as many tiles on average as the true ones, and no tile comes or goes."""
    states = late(count(400, 20), seed=10)
    dealt = dealt_anew(states)
    after = ripe(dealt, seed=1)
    seats = np.arange(states.size), states["to_move"]
    np.testing.assert_array_equal(after["hand"][seats], states["hand"][seats])
    np.testing.assert_array_equal(after["hand"].sum(axis=2), states["hand"].sum(axis=2))
    np.testing.assert_array_equal(
        after["hand"].sum(axis=1, dtype=int) + after["wall"], states["hand"].sum(axis=1, dtype=int) + states["wall"]
    )
    untouched = [name for name in GAME.dtype.names if name not in ("hand", "wall", "answer", "last", "missed")]
    assert all((after[name] == states[name]).all() for name in untouched)
    true, raw, grown = (lacking(each).mean() for each in (states, dealt, after))
    assert raw - true > 1.5
    if not config.DISABLE_JIT:
        assert abs(grown - true) < 0.2


def test_nobody_has_ripened_before_the_first_discard() -> None:
    batch = Batch(GAME, 8, seed=11, encoder=None)
    while (batch.to_move < 0).any() or batch.view().mask[:, KINDS:].any():
        batch.step(Greedy().act(batch.view(np.flatnonzero(batch.to_move >= 0))), np.flatnonzero(batch.to_move >= 0))
    states = copied(batch.states)
    fresh = states["discards"] == 0
    assert fresh.any()
    np.testing.assert_array_equal(ripe(states, seed=2)[fresh], states[fresh])


def test_players_play_out_ripe_hands_that_they_do_not_see() -> None:
    """As learners from records dealt anew and ripened one by one; what lies there in truth changes nothing."""
    times = count(3000, 20)
    state = late(1, seed=8)
    seat, actions = int(state["to_move"][0]), held(state, 2)
    found = Rollouts(GAME, times, redealt=True).points(state, actions, np.random.default_rng(4))
    other = redealt(state, seat, 11)
    assert (other != state).any()
    again = Rollouts(GAME, times, redealt=True).points(other, actions, np.random.default_rng(4))
    np.testing.assert_array_equal(found, again)
    worlds = ripe(dealt_anew(np.repeat(state, times)), seed=3)
    one = Rollouts(GAME, 1).points(worlds, np.repeat(actions, times, axis=0), np.random.default_rng(5))
    np.testing.assert_allclose(found[0], one.mean(axis=0), atol=float(5 * one.std() * (2 / times) ** 0.5))


def searches(times: int) -> tuple[HandSearch, RolloutSearch]:
    how = GAME, 1.0, 1, PublishedEvaluator(GAME), None
    return HandSearch(*how), RolloutSearch(*how, times)


def test_close_actions_are_worth_what_lies_between_search_and_rollouts() -> None:
    """By the formula, action by action: shrunk towards the search, whose mean they keep; all others stay."""
    times = 40
    plain, second = searches(times)
    batch, agent, looked, alone, claims = Batch(GAME, count(16, 8), seed=9, encoder=None), Greedy(), 0, 0, 0
    for _ in range(count(50, 6)):
        view = batch.view(np.flatnonzero(batch.to_move >= 0))
        every = second.worth_all(view)
        for k, (first, worth) in enumerate(zip(plain.worth_all(view), every, strict=True)):
            ranked = sorted(np.flatnonzero(~np.isnan(first)).tolist(), key=lambda a: (-first[a], a))
            close = [a for a in ranked[:ACTIONS] if first[a] >= first[ranked[0]] - CLOSE]
            expected = first.copy()
            if len(close) > 1:
                rollouts = Rollouts(GAME, times, redealt=True)
                rng = np.random.default_rng(view.rng[k])
                found = rollouts.points(copied(view.states, slice(k, k + 1)), np.array([close]), rng)[0]
                for action, brought in zip(close, found, strict=True):
                    mean, liked = np.mean([first[a] for a in close]), first[action]
                    expected[action] += times / (times + TRUST) * ((brought - found.mean()) - (liked - mean))
                looked, claims = looked + 1, claims + (max(close) >= KINDS)
            alone += len(close) == 1
            np.testing.assert_allclose(worth, expected)
            assert np.isnan(worth[WIN]) or len(ranked) == 1
            if k < 2:
                np.testing.assert_array_equal(second.worth(view, k), worth)
                assert second.decide(view, k) == second.decide_all(view)[k]
        batch.step(agent.act(view), np.flatnonzero(batch.to_move >= 0))
    assert min(looked, alone) > 20 and claims > 0


def test_it_is_named_in_the_string() -> None:
    agent = make_agent("expectimax:rollouts=25", GAME)
    assert str(agent) == "expectimax:rollouts=25" and isinstance(agent.search, RolloutSearch)  # type: ignore[attr-defined]
    assert agent.search.times == 25  # type: ignore[attr-defined]
    with pytest.raises(BoyiError, match="expectimax plays out no games of einstein: rollouts are for hands of tiles"):
        make_agent("expectimax:rollouts=1", "einstein")
    with pytest.raises(BoyiError, match="rollouts must be"):
        make_agent("expectimax:rollouts=-1", GAME)
