"""Many games under Gymnasium's own wrappers and modes, resets of some rows, pictures, and the names of observations."""

from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as theirs
from playing import follow, lot, same

from boyi import wrappers
from boyi.baselines.agents import make_env, make_vector_env
from boyi.envs import BoyiError, hex_v0
from boyi.envs.faces.gym import GameVectorEnv
from boyi.wrappers import TurnBasedParallel, vector

HEX = {"board_size": 3, "opponent": "random"}
every_mode = pytest.mark.parametrize("mode", list(AutoresetMode), ids=lambda mode: mode.value)
FIRST_RIGHT = (1, 4)
"""The first Gymnasium whose own wrappers count, and refuse, as they should in the mode SameStep."""


def check_gymnasium() -> None:
    """Skip what an older Gymnasium does wrong by itself."""
    if tuple(map(int, gym.__version__.split(".")[:2])) < FIRST_RIGHT:
        pytest.skip("a fault of this Gymnasium's wrappers")


def ours(mode: AutoresetMode = AutoresetMode.SAME_STEP, n: int = 4, **options: Any) -> Any:
    return gym.make_vec("boyi/Hex-v0", n, autoreset_mode=mode, **{**HEX, **options})


def singles(mode: AutoresetMode) -> Any:
    return SyncVectorEnv([partial(gym.make, "boyi/Hex-v0", **HEX)] * 4, autoreset_mode=mode)


WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "RecordEpisodeStatistics": theirs.RecordEpisodeStatistics,
    "ClipReward": partial(theirs.ClipReward, min_reward=-0.5, max_reward=0.5),
    "NormalizeReward": theirs.NormalizeReward,
    "FilterObservation": lambda env: theirs.FilterObservation(env, ["observation"]),
    "FlattenObservation": theirs.FlattenObservation,
    "TransformReward": partial(theirs.TransformReward, func=lambda reward: 3 * reward),
    "TransformAction": partial(
        theirs.TransformAction, func=lambda actions: 8 - actions, action_space=spaces.MultiDiscrete([9] * 4)
    ),
}


@every_mode
@pytest.mark.parametrize("name", WRAPPERS)
def test_gymnasiums_wrappers_see_what_they_see_of_single_environments(name: str, mode: AutoresetMode) -> None:
    if "Observation" in name and mode is AutoresetMode.SAME_STEP:
        check_gymnasium()
        with pytest.raises(ValueError, match="Expected autoreset_mode to be NEXT_STEP or DISABLED"):
            WRAPPERS[name](ours(mode))
        return
    envs = [WRAPPERS[name](make(mode)) for make in (ours, singles)]
    seen = [env.reset(seed=5)[0] for env in envs]
    for t in range(40):
        assert same(*seen)
        masks = envs[0].unwrapped.action_masks()
        if name == "TransformAction":
            masks = masks[:, ::-1]
        actions = np.array([lot(mask, i, t) if mask.any() else 0 for i, mask in enumerate(masks)])
        steps = [env.step(actions) for env in envs]
        (seen, *told), (other, *found) = steps
        seen = [seen, other]
        assert all(map(np.array_equal, told[:3], found[:3]))
        if "_episode" in told[3]:
            for key in ("r", "l"):
                assert np.array_equal(told[3]["episode"][key], found[3]["episode"][key])
        ended = told[1] | told[2]
        if mode is AutoresetMode.DISABLED and ended.any():
            # They take the mask out of the options, and their wrapper then takes it for a reset of all rows.
            seen = [env.reset(options={"reset_mask": ended.copy()})[0] for env in envs]
            if name == "RecordEpisodeStatistics":
                envs[1].episode_lengths = envs[0].episode_lengths.copy()


@every_mode
def test_lengths_and_returns_of_episodes_are_right(mode: AutoresetMode) -> None:
    if mode is AutoresetMode.SAME_STEP:
        check_gymnasium()
    env: Any = theirs.RecordEpisodeStatistics(ours(mode))
    _, infos = env.reset(seed=1)
    length, ended, told = np.zeros(4, int), np.zeros(4, bool), 0
    for t in range(60):
        masks = env.unwrapped.action_masks()
        actions = np.array([lot(mask, i, t) if mask.any() else 0 for i, mask in enumerate(masks)])
        length += ~ended
        _, rewards, over, _, infos = env.step(actions)
        for i in np.flatnonzero(over):
            assert infos["episode"]["l"][i] == length[i] and infos["episode"]["r"][i] == rewards[i] != 0
            told += 1
        length[over] = 0
        ended = over & (mode is AutoresetMode.NEXT_STEP)
        if mode is AutoresetMode.DISABLED and over.any():
            env.reset(options={"reset_mask": over})
    assert told == env.episode_count > 20


@every_mode
def test_the_mode_is_an_attribute(mode: AutoresetMode) -> None:
    env = ours(mode).unwrapped
    assert env.autoreset_mode is env.metadata["autoreset_mode"] is mode


# Resets of some rows


def test_rows_that_are_not_reset_stand_as_they_are() -> None:
    env = ours(AutoresetMode.DISABLED, opponent="self")
    env.reset(seed=0)
    for a in range(3):
        env.step(np.full(4, a))
    before = env.unwrapped.batch.states
    seen, _ = env.reset(seed=[10, 11, 12, 13], options={"reset_mask": np.array([False, True, False, True])})
    assert env.unwrapped.batch.seeds.tolist() == [0, 11, 2, 13]
    assert env.unwrapped.batch.states["ply"].tolist() == [3, 0, 3, 0]
    assert before[[0, 2]].tobytes() == env.unwrapped.batch.states[[0, 2]].tobytes()
    assert seen["action_mask"].sum(axis=1).tolist() == [6, 9, 6, 9]
    env.reset(seed=70, options={"reset_mask": np.array([True, False, False, True])})
    assert env.unwrapped.batch.seeds.tolist() == [70, 11, 2, 73]


def test_a_row_whose_game_has_ended_is_not_stepped_without_a_reset() -> None:
    env = ours(AutoresetMode.DISABLED, n=2, opponent="self", illegal="forfeit")
    env.reset(seed=0)
    env.step(np.array([0, 0]))
    _, _, over, _, infos = env.step(np.array([0, 1]))
    assert over.tolist() == [True, False] and infos["returns"][0].tolist() == [0.0, -1.0]
    before = env.unwrapped.batch.states.tobytes()
    with pytest.raises(BoyiError, match="the game in row 0 has ended; start its next one with reset"):
        env.step(np.array([3, 3]))
    assert before == env.unwrapped.batch.states.tobytes()
    env.reset(options={"reset_mask": over})
    assert env.step(np.array([3, 3]))[2].tolist() == [False, False]
    assert env.unwrapped.batch.states["ply"].tolist() == [1, 3]


@every_mode
def test_some_rows_are_reset_in_the_middle_in_every_mode(mode: AutoresetMode) -> None:
    env, twin = ours(mode), ours(mode)
    env.reset(seed=3)
    env.step(np.full(4, 4))
    env.reset(options={"reset_mask": np.ones(4, bool)})
    twin.reset(seed=3)
    twin.reset()
    assert env.unwrapped.batch.states.tobytes() == twin.unwrapped.batch.states.tobytes()


@pytest.mark.parametrize(
    "mask", [[True] * 4, np.ones(3, bool), np.ones((4, 1), bool), np.ones(4, np.int8), np.zeros(4, bool), "all", 3]
)
def test_a_mask_of_rows_is_so_many_truths(mask: Any) -> None:
    env = ours()
    env.reset(seed=0)
    with pytest.raises(BoyiError, match="reset_mask is an array of 4 booleans, at least one of them true, not"):
        env.reset(options={"reset_mask": mask})
    env.step(np.full(4, 0))


def test_some_rows_are_reset_only_where_games_go_on() -> None:
    env = ours(opponent=lambda observation, mask: 1 // 0, seat=0)
    some = {"reset_mask": np.array([True, False, False, False])}
    with pytest.raises(BoyiError, match=r"no games are running; call reset\(\) before resetting some of the rows"):
        env.reset(options=some)
    env.reset(seed=0)
    with pytest.raises(ZeroDivisionError):
        env.step(np.zeros(4, int))
    with pytest.raises(BoyiError, match="the last step or reset did not finish"):
        env.reset(options=some)
    env.reset(options={"reset_mask": np.ones(4, bool)})
    assert some["reset_mask"].tolist() == [True, False, False, False]


# Pictures


@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_every_row_is_drawn_as_its_single_environment_is(mode: str) -> None:
    env = make_vector_env("mahjong", 3, render_mode=mode, seat=2)
    env.reset(seed=4)
    drawn = env.render()
    assert isinstance(drawn, tuple) and len(drawn) == 3
    for row, picture in enumerate(drawn):
        single = make_env("mahjong", render_mode=mode, seat=2)
        single.reset(seed=4 + row)
        assert np.array_equal(picture, single.render())
    assert {"ansi", "rgb_array"} == set(env.metadata["render_modes"]) and env.render_mode == mode


def test_many_games_have_no_window_and_need_a_mode() -> None:
    with pytest.raises(BoyiError, match=r"unknown render mode 'human': .*allowed: ansi, rgb_array"):
        make_vector_env("hex", 2, render_mode="human")
    env = make_vector_env("hex", 2)
    env.reset(seed=0)
    with pytest.raises(BoyiError, match="needs a mode"):
        env.render()


# Names and types of observations

KEYS = ("observations", "mask")


def check_look(seen: dict[str, np.ndarray], space: spaces.Space[Any]) -> None:
    assert tuple(seen) == KEYS and seen["mask"].dtype == np.bool_
    assert isinstance(space, spaces.Dict) and space.contains(seen)


@pytest.mark.parametrize("encoder", ["planes", "oriented"])
def test_every_face_names_what_is_seen_as_it_is_told(encoder: str) -> None:
    options: dict[str, Any] = {"keys": KEYS, "mask_dtype": "bool", "encoder": encoder, "board_size": 3}
    aec, plain = hex_v0.env(**options), hex_v0.env(encoder=encoder, board_size=3)
    for env in (aec, plain):
        env.reset(seed=0)
        env.step(2)
    seen, _, _, _, _ = aec.last()
    usual, _, _, _, _ = plain.last()
    check_look(seen, aec.observation_space("player_1"))
    assert np.array_equal(seen["observations"], usual["observation"])
    assert np.array_equal(seen["mask"], usual["action_mask"])
    for agent, each in TurnBasedParallel(hex_v0.env(**options)).reset(seed=0)[0].items():
        check_look(each, aec.observation_space(agent))
        assert each["mask"].any()
    single = make_env("hex", **options)
    observation, info = single.reset(seed=0)
    check_look(observation, single.observation_space)
    assert info["action_mask"].dtype == np.bool_
    many = make_vector_env("hex", 3, **options)
    observations, _ = many.reset(seed=0)
    check_look(observations, many.observation_space)
    follow(many, [make_env("hex", **options) for _ in range(3)], seed=2)


@pytest.mark.parametrize("name", ["HistoryStack", "SymmetryAugment"])
@every_mode
def test_wrappers_keep_the_names(name: str, mode: AutoresetMode) -> None:
    options: dict[str, Any] = {**HEX, "keys": KEYS, "mask_dtype": "bool"}
    arguments = {"length": 2} if name == "HistoryStack" else {}
    rows = getattr(vector, name)(gym.make_vec("boyi/Hex-v0", 3, autoreset_mode=mode, **options), **arguments)
    check_look(rows.reset(seed=0)[0], rows.observation_space)
    one = [getattr(wrappers, name)(gym.make("boyi/Hex-v0", **options), **arguments) for _ in range(3)]
    follow(rows, one, seed=6)


@pytest.mark.parametrize(
    "keys", ["ab", "observation", ("a",), ("a", "a"), ("a", "b", "c"), ("", "b"), (1, 2), None, {}]
)
@pytest.mark.parametrize("make", [hex_v0.env, partial(make_env, "hex"), partial(make_vector_env, "hex", 2)])
def test_keys_are_two_names(make: Any, keys: Any) -> None:
    with pytest.raises(BoyiError, match="keys are two different names, of the observation and of the mask, not"):
        make(keys=keys)
    with pytest.raises(BoyiError, match=r"unknown dtype of masks 'float32': .*allowed: bool, int8"):
        make(mask_dtype="float32")


def test_what_could_not_be_made_is_closed_quietly() -> None:
    """An old Gymnasium does so when such an environment is thrown away."""
    GameVectorEnv.__new__(GameVectorEnv).close()
