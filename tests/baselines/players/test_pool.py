"""`set_opponent` and `OpponentPool`: who answers changes when and as it should, alike in one game and in many."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy
from gymnasium.vector import AutoresetMode
from playing import follow, lot

from boyi.baselines import Agent, OpponentPool, evaluate, make_agent
from boyi.baselines.agents import labels, make_env, make_vector_env
from boyi.envs import Batch, BoyiError, Game, View, find
from boyi.envs.faces.gym import GameEnv, GameVectorEnv

HEX = "hex:board_size=3"


class Nth(Agent):
    """Plays the n-th legal action, and notes the sizes of the views it was asked about."""

    name = "nth"

    def __init__(self, n: int) -> None:
        super().__init__()
        self.n, self.asked = n, []

    def act(self, view: View) -> np.ndarray:
        self.asked.append(view.row.size)
        assert view.observation.shape[0] == view.row.size
        return np.array([np.flatnonzero(mask)[min(self.n, mask.sum() - 1)] for mask in view.mask])


def last_cell(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


# set_opponent

FACES = [partial(make_env, HEX), partial(make_vector_env, HEX, 2)]
both = pytest.mark.parametrize("make", FACES, ids=["single", "vector"])


@both
def test_the_new_opponent_answers_next(make: Callable[..., Any]) -> None:
    env = make(Nth(0), illegal="raise")
    vector = isinstance(env, GameVectorEnv)

    def board() -> list[int]:
        cells = env.batch.states["board"][0].tolist()
        return [i for i, stone in enumerate(cells) if stone == 2]

    env.reset(seed=0)
    for new, action, expected in [
        (None, 5, [0]),
        (last_cell, 6, [0, 8]),
        ([Nth(1)], 3, [0, 2, 8]),
        ("test_pool:last_cell", 4, [0, 2, 7, 8]),
    ]:
        if new is not None:
            env.set_opponent(new)
        env.step(np.array([action] * 2) if vector else action)
        assert board() == expected


@both
def test_changes_that_cannot_be_are_one_sentence(make: Callable[..., Any]) -> None:
    env, own = make("random"), make("self")
    with pytest.raises(BoyiError, match=r'opponents play the other seats here; make another environment to .* "self"'):
        env.set_opponent("self")
    with pytest.raises(BoyiError, match="every seat is the caller's here; make another environment"):
        own.set_opponent("random")
    own.set_opponent("self")
    with pytest.raises(BoyiError, match="unknown agent 'randm': did you mean 'random'"):
        env.set_opponent("randm")
    with pytest.raises(BoyiError, match="give one opponent, or one for each of the 1 other seats"):
        env.set_opponent(["random", "random"])
    assert str(env.seating.opponents[0]) == "random"


def test_it_is_reached_through_gymnasiums_wrappers() -> None:
    env = gym.wrappers.TimeLimit(gym.make("boyi/Hex-v0", board_size=3), 50)
    env.get_wrapper_attr("set_opponent")("mcts:sims=2")
    assert str(env.unwrapped.seating.opponents[0]) == "mcts:sims=2"


@pytest.mark.parametrize("face", [GameEnv, GameVectorEnv])
def test_without_a_resolver_players_are_taken_as_they_are(face: Any) -> None:
    env = face(HEX, opponents=[Nth(0)])
    env.set_opponent(Nth(1))
    env.set_opponent([Nth(2)])
    assert env.seating.opponents[0].n == 2
    for wrong in ("random", last_cell, Nth):
        with pytest.raises(
            BoyiError, match=r'hex:board_size=3: an opponent is "self" or an object with act\(view\), n'
        ):
            env.set_opponent(wrong)
    with pytest.raises(BoyiError, match="opponents play the other seats here"):
        env.set_opponent("self")


def test_two_opponents_change_places() -> None:
    env = make_env(toy.SPEC, [Nth(0), Nth(1)], seat=1)
    env.reset(seed=1)
    players = [Nth(2), Nth(3)]
    env.set_opponent(players)
    while not env.step(int(env.action_masks().argmax()))[2]:
        pass
    assert all(player.asked for player in players)


@both
def test_returns_of_all_seats_stand_in_the_last_info(make: Callable[..., Any]) -> None:
    env = make("self")
    vector = isinstance(env, GameVectorEnv)
    _, info = env.reset(seed=0)
    while True:
        assert "returns" not in info
        masks = env.action_masks()
        _, rewards, over, _, info = env.step(masks.argmax(axis=-1))
        if np.any(over):
            break
    final = info["final_info"] if vector else info
    seats, returns = np.atleast_1d(final["seat"]), np.atleast_2d(final["returns"])
    assert returns.dtype == np.float32 and returns.shape == (len(seats), 2)
    for i in np.flatnonzero(np.atleast_1d(over)):
        assert returns[i].tolist() == [1.0 - 2.0 * (seats[i] != seat) for seat in (0, 1)]
        assert np.atleast_1d(rewards)[i] == 1.0
    if vector:
        assert (final["_returns"] == over).all() and not returns[~over].any()


# OpponentPool


def test_every_game_draws_a_member_by_its_weight_and_keeps_it() -> None:
    pool = OpponentPool([Nth(0), Nth(1), Nth(2)], [2, 1, 1])
    env = make_vector_env(HEX, 256, pool)
    env.reset(seed=0)
    env.step(np.full(256, 5))
    first = env.batch.states["last"]
    assert set(first.tolist()) == {0, 1, 2}
    count = Counter(first.tolist())
    # Binomial: six standard deviations of 256 draws are 48 and 42.
    assert abs(count[0] - 128) < 48 and abs(count[1] - 64) < 42 and abs(count[2] - 64) < 42
    assert [member.asked for member in pool.members] == [[count[0]], [count[1]], [count[2]]]
    legal = env.batch.mask
    legal[:, 6] = 0
    expected = [np.flatnonzero(mask)[member] for mask, member in zip(legal, first, strict=True)]
    env.step(np.full(256, 6))
    assert env.batch.states["last"].tolist() == expected


@pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
def test_rows_draw_what_single_environments_draw(mode: AutoresetMode) -> None:
    pool = partial(OpponentPool, ["random", last_cell, Nth(3)])
    rows = make_vector_env(HEX, 5, pool(), seat="random", autoreset_mode=mode)
    follow(rows, [make_env(HEX, pool(), seat="random") for _ in range(5)], seed=3)
    hidden = make_vector_env(toy.SPEC, 3, [pool(), pool()], autoreset_mode=mode)
    follow(hidden, [make_env(toy.SPEC, [pool(), pool()]) for _ in range(3)], seed=3)


def test_one_pool_serves_many_environments() -> None:
    shared = OpponentPool([Nth(k) for k in range(4)])
    singles = [make_env(HEX, shared) for _ in range(4)]
    follow(make_vector_env(HEX, 4, OpponentPool([Nth(k) for k in range(4)])), singles, seed=8)


def second(env: Any) -> int:
    """Play two moves and return which legal action answered the second."""
    env.step(5)
    mask = env.batch.mask[0]
    mask[6] = 0
    env.step(6)
    return np.flatnonzero(mask).tolist().index(int(env.batch.states["last"][0]))


def test_who_is_added_plays_only_in_later_games() -> None:
    pool = OpponentPool([Nth(0)])
    env = make_env(HEX, pool)
    answers = []
    for seed in range(12):
        env.reset(seed=seed)
        env.step(4)
        pool.add(Nth(1), weight=1e9)
        answers.append(second(env))
        pool.members.pop()
        pool.weights.pop()
    assert answers == [0] * 12
    pool.add(Nth(1), weight=1e9)
    env.reset(seed=0)  # a game of the same seed is another one
    assert second(env) == 1


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boyi.baselines.players.pool.REMEMBERED", 10)
    pool = OpponentPool(["random", Nth(0)])
    batch = Batch(HEX, 4, seed=0)
    for _ in range(20):
        batch.reset()
        pool.act(batch.view())
    assert len(pool._kept) == 10


def test_draws_do_not_hang_on_the_order_of_asking() -> None:
    batch, pools = Batch(HEX, 64, seed=1), [OpponentPool([Nth(0), Nth(1)]) for _ in range(2)]
    together = pools[0].act(batch.view())
    apart = np.concatenate([pools[1].act(batch.view([row])) for row in reversed(range(64))])[::-1]
    assert (together == apart).all() and set(together) == {0, 1}
    # Nobody has to remember what was drawn, as long as nobody joins.
    batch.step(batch.sample())
    assert (pools[0].act(batch.view()) == OpponentPool([Nth(0), Nth(1)]).act(batch.view())).all()


def test_a_game_has_a_key_for_each_purpose_and_each_seat() -> None:
    batch = Batch(HEX, 64, seed=1)
    shared, own = batch.game_keys(), [batch.view().game_key]
    batch.step(batch.sample())
    own.append(batch.view().game_key)
    assert len({*shared, *batch.game_keys(purpose=1), *own[0], *own[1]}) == 256
    batch.step(batch.sample())
    assert (batch.view().game_key == own[0]).all() and (batch.game_keys() == shared).all()
    batch.reset()
    assert not {*batch.game_keys(), *batch.view().game_key} & {*shared, *own[0]}


def test_a_part_of_a_view_is_a_view() -> None:
    batch = Batch(toy.SPEC, 6, seed=3, history=True)
    plain = Batch(HEX, 6, seed=3, history=True)
    for each in (batch, plain):
        each.step(each.sample())
        view, which = each.view(), np.array([1, 4])
        part, expected = view.take(which), each.view(which)
        part.check()
        for field, value in part._asdict().items():
            if field != "game":
                assert str(value) == str(getattr(expected, field)), field


class Picky(Agent):
    name = "picky"

    def fit(self, game: Game) -> None:
        if game.name != "hex":
            raise BoyiError(f"picky cannot play {game}")

    def act(self, view: View) -> np.ndarray:
        return view.mask.argmax(axis=1)


def test_all_members_must_fit() -> None:
    with pytest.raises(BoyiError, match="picky cannot play gomoku"):
        make_agent(OpponentPool(["random", Picky()]), "gomoku")
    pool = OpponentPool(["random"])
    gym.make("boyi/Gomoku-v0", opponent=pool)
    with pytest.raises(BoyiError, match="picky cannot play gomoku"):
        pool.add(Picky())
    assert len(pool.members) == len(pool.weights) == 1
    make_agent(OpponentPool([Picky()]), find("hex"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([],), "a pool holds a list of agents, at least one, not []"),
        (("random",), "a pool holds a list of agents, at least one, not 'random'"),
        ((["random"], [1, 2]), "a pool of 1 agents needs 1 weights, not 2"),
        ((["random"], [0]), "a weight in a pool must be a number above 0, not 0"),
        ((["random"], ["1"]), "a weight in a pool must be a number above 0, not '1'"),
    ],
)
def test_bad_arguments_are_one_sentence(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(BoyiError) as raised:
        OpponentPool(*arguments)
    assert str(raised.value) == says


def test_copies_of_an_environment_keep_their_members() -> None:
    env = make_env(HEX, OpponentPool(["test_pool:last_cell", "random"]))
    observation, _ = env.reset(seed=5)
    observation = env.step(lot(observation["action_mask"], 1))[0]
    action = lot(observation["action_mask"], 2)
    ends = [
        twin.step(action)[0]["observation"].tobytes() for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)))
    ]
    assert ends == [env.step(action)[0]["observation"].tobytes()] * 2


def test_a_pool_plays_in_the_arena() -> None:
    result = evaluate(OpponentPool([Nth(0), "random"]), HEX, [OpponentPool(["random"])], games=20, seed=1)
    assert [tally.agent for tally in result.standings] == ["pool:'nth;random'", "pool:random"]
    assert labels([OpponentPool(["random"]), OpponentPool(["random"])]) == ["pool:random", "pool:random #2"]


POOLS = (
    (["random"], None),
    (["mcts:sims=20", "random", "mcts:c=0.5"], [3, 0.1, 2]),
    (["random", "greedy"], [2, 2]),
    (["gtp:cmd='a; b \"c\" d'", "two_phase:layout='mcts:sims=5'"], None),
    ([OpponentPool(["random", OpponentPool(["mcts", "greedy"], [1, 2])]), "random"], [1e-9, 1 / 3]),
)


@pytest.mark.parametrize(("agents", "weights"), POOLS)
def test_the_string_of_a_pool_makes_an_equal_one(agents: Any, weights: Any) -> None:
    pool = OpponentPool(agents, weights)
    again = make_agent(str(pool))
    assert isinstance(again, OpponentPool) and str(again) == str(pool) and again.weights == pool.weights
    assert [str(member) for member in again.members] == [str(member) for member in pool.members]
    assert [type(member) for member in again.members] == [type(member) for member in pool.members]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pool", "a pool holds a list of agents, at least one, not []"),
        ("pool:'random;'", "cannot read '': write name, name:value or name:key=value,key=value"),
        ("pool:'random;randm'", "unknown agent 'randm': did you mean 'random'"),
        ("pool:random,weights='1;2'", "a pool of 1 agents needs 1 weights, not 2"),
        ("pool:random,weights=many", "weights in a pool are numbers, as in '3;1', not 'many'"),
        ("pool:random,weights=3", "pool: weights must be text, not 3"),
        ("pool:random,weights='nan'", "a weight in a pool must be a number above 0, not nan"),
    ],
)
def test_a_bad_string_of_a_pool_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(BoyiError) as raised:
        make_agent(text)
    assert str(raised.value).startswith(says)
