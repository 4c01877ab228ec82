"""What all wrappers owe: checkers pass, rows are single games, copies go on, masks are true, errors are sentences."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from playing import follow, lot, same

import boyi
from boyi import wrappers
from boyi.baselines.agents import make_env, make_vector_env
from boyi.envs import BoyiError
from boyi.envs.faces.aec import AEC
from boyi.wrappers import vector

# Every wrapper with arguments and a game that it is for.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "HistoryStack": ("boyi/Hex-v0", {"board_size": 3, "layout": "hwc"}, {"length": 3}),
    "LineReward": ("boyi/Gomoku-v0", {"board_size": 5}, {"made": 0.02, "blocked": 0.01}),
    "RandomOpening": ("boyi/EinStein-v0", {"board_size": 3, "stones": 2}, {"moves": 1}),
    "RecordGames": ("boyi/EinStein-v0", {"board_size": 3, "stones": 2}, {"path": "games.jsonl"}),
    "ScaleReward": ("boyi/Hex-v0", {"board_size": 3}, {"scale": 5.0}),
    "StartPositions": ("boyi/Hex-v0", {"board_size": 3}, {"lines": [[0, 4, 1, 8], [4, 3]]}),
    "SymmetryAugment": ("boyi/Hex-v0", {"board_size": 3, "encoder": "neurohex"}, {}),
}
MODES = list(AutoresetMode)
every_wrapper = pytest.mark.parametrize("name", CASES)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def single(name: str, **more: Any) -> Any:
    env_id, options, arguments = CASES[name]
    return getattr(wrappers, name)(gym.make(env_id, **{**options, **more}), **arguments)


def many(name: str, n: int = 4, **more: Any) -> Any:
    env_id, options, arguments = CASES[name]
    return getattr(vector, name)(gym.make_vec(env_id, n, **{**options, **more}), **arguments)


def stacked(make: Callable[..., Any], home: Any, **more: Any) -> Any:
    """Put wrappers of every kind on each other."""
    env = make(opponent="random", board_size=5, **more)
    env = home.SymmetryAugment(home.HistoryStack(home.RecordGames(env, "games.jsonl"), 2))
    return home.ScaleReward(home.LineReward(home.RandomOpening(env, 2)), 2.0)


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version:UserWarning")
@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes:UserWarning")
@every_wrapper
def test_gymnasium_accepts_the_wrapped_environment(name: str) -> None:
    check_env(single(name), skip_render_check=True)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("options", [{}, {"opponent": "self"}, {"seat": "random"}], ids=str)
@every_wrapper
def test_rows_are_wrapped_single_environments(name: str, mode: AutoresetMode, options: dict[str, Any]) -> None:
    follow(many(name, autoreset_mode=mode, **options), [single(name, **options) for _ in range(4)], seed=31)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("layout", ["chw", "hwc", "flat"])
def test_wrappers_combine(mode: AutoresetMode, layout: str) -> None:
    rows = stacked(partial(gym.make_vec, "boyi/Gomoku-v0", 3), vector, layout=layout, autoreset_mode=mode)
    one = partial(stacked, partial(gym.make, "boyi/Gomoku-v0"), wrappers, layout=layout)
    follow(rows, [one() for _ in range(3)], seed=7, episodes=2)


@every_wrapper
def test_observations_are_in_their_spaces(name: str) -> None:
    env, rows = single(name), many(name)
    assert rows.single_observation_space == env.observation_space
    assert env.reset(seed=0)[0] in env.observation_space and rows.reset(seed=0)[0] in rows.observation_space
    for _ in range(12):
        observation, _, over, _, info = rows.step(rows.action_masks().argmax(axis=1))
        assert observation in rows.observation_space
        for i in np.flatnonzero(over):
            assert info["final_obs"][i] in rows.single_observation_space


@every_wrapper
def test_copies_go_on_alike_and_apart(name: str) -> None:
    for env in (single(name), many(name)):
        masks = env.reset(seed=9)[1]["action_mask"]
        env.step(masks.argmax(axis=-1))
        twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
        ends = []
        for played in (*twins, env):
            seen = []
            for _ in range(6):
                observation, reward, over, *_ = played.step(played.action_masks().argmax(axis=-1))
                seen.append((observation, np.asarray(reward).tolist(), np.asarray(over).tolist()))
                if over is True:
                    break
            ends.append(seen)
        for end in ends[:2]:
            assert [answer[1:] for answer in end] == [answer[1:] for answer in ends[2]]
            assert all(same(a[0], b[0]) for a, b in zip(end, ends[2], strict=True))


@every_wrapper
def test_arguments_are_kept_in_the_spec(name: str) -> None:
    env = single(name)
    twin = gym.make(env.spec)
    assert env.spec.additional_wrappers[-1].kwargs == CASES[name][2]
    assert same(twin.reset(seed=4)[0], env.reset(seed=4)[0])


@every_wrapper
def test_masks_are_those_of_the_observation(name: str) -> None:
    for env in (single(name, seat="random"), many(name, seat="random")):
        observation, info = env.reset(seed=9)
        assert same(observation["action_mask"], info["action_mask"])
        assert same(env.action_masks(), info["action_mask"].astype(bool))


@every_wrapper
def test_the_other_kind_of_environment_is_refused(name: str) -> None:
    env_id, options, arguments = CASES[name]
    with pytest.raises(
        BoyiError, match=f"{name} wraps a single Gymnasium environment of boyi, not GameVectorEnv; boyi"
    ):
        getattr(wrappers, name)(gym.make_vec(env_id, 2, **options), **arguments)
    with pytest.raises(BoyiError, match=f"{name} wraps a vector Gymnasium environment of boyi, not GameEnv; boyi"):
        getattr(vector, name)(gym.make(env_id, **options), **arguments)
    with pytest.raises(BoyiError, match=f"{name} wraps a single Gymnasium environment of boyi, not CartPoleEnv$"):
        getattr(wrappers, name)(gym.make("CartPole-v1"), **arguments)
    with pytest.raises(BoyiError, match=f"{name} wraps a single Gymnasium environment of boyi, not AEC$"):
        getattr(wrappers, name)(AEC("hex"), **arguments)


@pytest.mark.parametrize("name", ["HistoryStack", "SymmetryAugment"])
def test_observations_that_were_taken_apart_are_refused(name: str) -> None:
    env_id, options, arguments = CASES[name]
    flat = gym.wrappers.FlattenObservation(gym.make(env_id, **options))
    with pytest.raises(BoyiError, match=f"{name} must stand below wrappers that change"):
        getattr(wrappers, name)(flat, **arguments)


@every_wrapper
def test_what_is_boyis_own_passes_through(name: str) -> None:
    rows = many(name)
    rows.set_opponent("mcts:sims=2")
    assert str(rows.unwrapped.seating.opponents[0]) == "mcts:sims=2"
    env = single(name)
    env.get_wrapper_attr("set_opponent")("mcts:sims=3")
    assert str(env.unwrapped.seating.opponents[0]) == "mcts:sims=3"
    if name != "HistoryStack":
        observation, _ = rows.reset(seed=1)
        assert same(rows.observe_as(np.zeros(4, int)), observation)
    else:
        with pytest.raises(BoyiError, match="HistoryStack: what other seats would have seen before is not kept"):
            rows.observe_as(np.zeros(4, int))


def test_attributes_are_found_through_gymnasiums_own_wrappers() -> None:
    rows = gym.wrappers.vector.TransformReward(many("SymmetryAugment"), lambda reward: reward)
    outer = vector.ScaleReward(rows)
    _, info = outer.reset(seed=0)
    assert same(outer.action_masks(), info["action_mask"].astype(bool))


def test_the_packages_list_their_wrappers() -> None:
    assert set(CASES) == set(vector.__all__)
    assert set(wrappers.__all__) >= {*CASES, "TurnBasedParallel"}
    assert {getattr(wrappers, name).__name__ for name in CASES} == set(CASES)
    with pytest.raises(AttributeError, match=r"module 'boyi.wrappers' has no attribute 'Nothing'"):
        _ = wrappers.Nothing
    assert boyi.wrappers is wrappers


def test_stable_baselines3_finds_the_masks_through_wrappers() -> None:
    from sb3_contrib.common.maskable.utils import get_action_masks
    from stable_baselines3.common.env_checker import check_env as sb3_check_env
    from stable_baselines3.common.vec_env import DummyVecEnv

    make = partial(stacked, partial(gym.make, "boyi/Gomoku-v0"), wrappers, layout="flat")
    sb3_check_env(make())
    workers = DummyVecEnv([make] * 2)
    workers.seed(3)
    seen = workers.reset()
    for k in range(10):
        masks = get_action_masks(workers)
        assert np.array_equal(masks, seen["action_mask"])
        seen, *_ = workers.step(np.array([lot(mask, k) for mask in masks]))


# RandomOpening


def opened(moves: int, seed: int) -> str:
    env = wrappers.RandomOpening(gym.make("boyi/Hex-v0", board_size=5, render_mode="ansi"), moves)
    _, info = env.reset(seed=seed)
    assert info["to_move"] == info["seat"] == 0
    drawn: str = env.render()
    return drawn


def test_an_opening_is_played_from_the_seed() -> None:
    assert "ply 6 " in opened(3, seed=0) and "ply 0 " in opened(0, seed=0)
    assert opened(3, seed=0) == opened(3, seed=0)
    # The opponent's answers depend on the seed too: what differs on a fixed answer is the opening.
    assert len({opened(3, seed) for seed in range(10)}) == 10


def test_an_opening_is_what_a_random_player_would_play() -> None:
    env = gym.make("boyi/Hex-v0", board_size=5, opponent="self")
    wrappers.RandomOpening(env, 4)
    _, info = env.reset(seed=5)
    assert info["seat"] == info["to_move"] == 0
    batch = boyi.envs.Batch("hex:board_size=5", 1, seed=5)
    for _ in range(4):
        batch.step(batch.sample())
    assert env.unwrapped.batch.states.tobytes() == batch.states.tobytes()


def test_every_game_of_a_row_begins_with_an_opening() -> None:
    rows = vector.RandomOpening(gym.make_vec("boyi/Hex-v0", 8, board_size=3, opponent="self"), 2)
    rows.reset(seed=0)
    ended = 0
    for _ in range(30):
        _, _, over, _, info = rows.step(rows.action_masks().argmax(axis=1))
        assert (rows.unwrapped.batch.states["ply"][over] == 2).all()
        assert (info["seat"][over] == info["to_move"][over]).all()
        ended += over.sum()
    assert ended > 30


def test_a_game_that_ends_in_its_opening_is_replaced() -> None:
    for moves in (2, 3):
        env = wrappers.RandomOpening(gym.make("boyi/Hex-v0", board_size=3), moves)
        for seed in range(60):
            _, info = env.reset(seed=seed)
            assert info["to_move"] == 0 and info["action_mask"].any()
            assert env.unwrapped.batch.states["ply"][0] == 2 * moves
    endless = wrappers.RandomOpening(gym.make("boyi/Hex-v0", board_size=3), 5)
    with pytest.raises(BoyiError, match=r"100 games ended before .* or an opening shorter than 5"):
        endless.reset(seed=0)


# StartPositions


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_games_begin_in_every_position_of_the_lines_alike(opponent: str) -> None:
    """Also where opponents play: they answer only where they are to move."""
    lines = [[0, 4, 1, 8], [4, 3]]
    env = wrappers.StartPositions(gym.make("boyi/Hex-v0", board_size=3, opponent=opponent), lines)
    seating = env.unwrapped.seating
    seating.batch.keep_history()
    met = Counter[tuple[int, ...]]()
    for seed in range(600):
        _, info = env.reset(seed=seed)
        played = seating.batch.history(0)
        assert info["to_move"] == info["seat"] == (len(played) % 2 if opponent == "self" else 0)
        met[tuple(played)] += 1
        env.reset(seed=seed)
        assert seating.batch.history(0) == played
    if opponent == "self":
        assert met.keys() == {(), (0,), (0, 4), (0, 4, 1), (4,)}
        assert abs(met[()] - 200) < 50 and all(abs(met[start] - 100) < 50 for start in met if start)
    else:
        # Seat 0 learns: after one stone or three the opponent has answered.
        assert {len(played) for played in met} == {0, 2, 4}
        assert {played[:-1] for played in met if len(played) == 4} == {(0, 4, 1)}
        assert {played[0] for played in met if len(played) == 2} == {0, 4}


def test_every_game_of_a_row_begins_in_a_position_of_the_lines() -> None:
    rows = vector.StartPositions(gym.make_vec("boyi/Hex-v0", 8, board_size=3, opponent="self"), [[0, 4, 1, 8, 2]])
    rows.reset(seed=0)
    plies = Counter[int]()
    for _ in range(60):
        _, _, over, _, _ = rows.step(rows.action_masks().argmax(axis=1))
        plies.update(rows.unwrapped.batch.states["ply"][over].tolist())
    assert plies.keys() == set(range(5))


@pytest.mark.parametrize(
    ("env", "lines", "says"),
    [
        ("Hex", [], r"lines are a list of games, each a list of actions, not \[\]"),
        ("Hex", "games.jsonl", "lines are a list of games, each a list of actions, not 'games.jsonl'"),
        ("Hex", [[]], r"line 0 must be a list of actions, 0 to 120, not \[\]"),
        ("Hex", [[0], [0, 121]], r"line 1 must be a list of actions, 0 to 120, not \[0, 121\]"),
        ("Hex", [[0, 1], [7, 7]], "line 1: action 7 is illegal at ply 1"),
        ("EinStein", [[0]], "what is thrown or dealt is not among the actions, which alone lead to no position"),
        ("Mahjong", [[0]], "what is thrown or dealt is not among the actions, which alone lead to no position"),
    ],
)
def test_what_is_no_list_of_games_is_refused(env: str, lines: Any, says: str) -> None:
    for home, made in (
        (wrappers, gym.make(f"boyi/{env}-v0")),
        (vector, gym.make_vec(f"boyi/{env}-v0", num_envs=2)),
    ):
        with pytest.raises(BoyiError, match=says):
            home.StartPositions(made, lines)


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("RandomOpening", {"moves": -1}, "RandomOpening: moves must be a whole number, at least 0, not -1"),
        ("RandomOpening", {"moves": True}, "RandomOpening: moves must be a whole number, at least 0, not True"),
        ("HistoryStack", {"length": 0}, "HistoryStack: length must be a whole number, at least 1, not 0"),
        ("ScaleReward", {"scale": 0}, "ScaleReward: scale must be a number above 0, not 0"),
        ("ScaleReward", {"scale": "2"}, "ScaleReward: scale must be a number above 0, not '2'"),
        ("LineReward", {"made": float("nan")}, "LineReward: made must be a number, not nan"),
        ("LineReward", {"blocked": None}, "LineReward: blocked must be a number, not None"),
        ("RecordGames", {"path": "nowhere/games.jsonl"}, "cannot write nowhere/games.jsonl: No such file or directory"),
    ],
)
def test_bad_arguments_are_one_sentence(name: str, arguments: dict[str, Any], says: str) -> None:
    for home, env in (
        (wrappers, gym.make("boyi/Gomoku-v0", board_size=5)),
        (vector, gym.make_vec("boyi/Gomoku-v0", 2, board_size=5)),
    ):
        with pytest.raises(BoyiError) as raised:
            getattr(home, name)(env, **arguments)
        assert str(raised.value) == says


@pytest.mark.parametrize("name", ["HistoryStack", "RandomOpening", "RecordGames", "ScaleReward", "SymmetryAugment"])
def test_hidden_games_of_three_seats_are_wrapped_too(name: str) -> None:
    arguments = CASES[name][2]
    rows = getattr(vector, name)(make_vector_env(toy.SPEC, 3, encoder="turned", seat=1), **arguments)
    ones = [getattr(wrappers, name)(make_env(toy.SPEC, encoder="turned", seat=1), **arguments) for _ in range(3)]
    if name == "RecordGames":  # the toy is not found by its name, but its games are written
        follow(rows, ones, seed=3, episodes=1)
        assert Path("games.jsonl").read_text().count("\n") >= 3
    else:
        follow(rows, ones, seed=3)
