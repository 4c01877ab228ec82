"""`SymmetryAugment` and `HistoryStack`: what is shown is what they say, beside the games as they are."""

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from playing import lot, same

from boyi.baselines import make_agent
from boyi.envs import BoyiError
from boyi.envs.hex import encode, rules
from boyi.wrappers import HistoryStack, SymmetryAugment, vector

# SymmetryAugment


def turns(x: np.ndarray) -> list[np.ndarray]:
    """List the eight turns and reflections of planes (C, n, n)."""
    return [np.rot90(each, k, axes=(1, 2)) for each in (x, x.transpose(0, 2, 1)) for k in range(4)]


def test_gomoku_is_shown_in_all_its_images_and_played_in_them() -> None:
    env = SymmetryAugment(gym.make("boyi/Gomoku-v0", board_size=5, illegal="raise"))
    base: Any = env.unwrapped
    met = set()
    for seed in range(40):
        observation, info = env.reset(seed=seed)
        over, possible = False, set(range(8))
        while not over:
            action = lot(observation["action_mask"], seed)
            assert not observation["observation"][:2].reshape(2, 25)[:, action].any()
            observation, _, over, _, info = env.step(action)
            x, mask = base.batch.observe(0)[0], base.batch.mask
            assert observation["observation"][0].ravel()[action] == 1
            assert same(info["action_mask"], observation["action_mask"])
            images, masks = turns(x), turns(mask.reshape(1, 5, 5))
            possible &= {
                k
                for k in range(8)
                if np.array_equal(images[k], observation["observation"])
                and np.array_equal(masks[k].ravel(), observation["action_mask"])
            }
        assert len(possible) == 1
        met |= possible
    assert met == set(range(8))


@pytest.mark.parametrize("encoder", ["planes", "neurohex"])
def test_hex_is_turned_in_the_frame_of_either_seat(encoder: str) -> None:
    options = {"board_size": 3, "encoder": encoder, "opponent": "self"}
    env, plain = SymmetryAugment(gym.make("boyi/Hex-v0", **options)), gym.make("boyi/Hex-v0", **options)
    turned = 0
    for seed in range(12):
        (shown, _), (x, _) = env.reset(seed=seed), plain.reset(seed=seed)
        over, half = False, not np.array_equal(shown["observation"], x["observation"])
        while not over:
            action = lot(x["action_mask"], seed)
            turn = half or bool(env.images.drawn()[0])
            image = 8 - action if turn else action
            shown, _, over, _, _ = env.step(image)
            x, *_ = plain.step(action)
            assert env.unwrapped.batch.states.tobytes() == plain.unwrapped.batch.states.tobytes()
            planes = x["observation"]
            if turn:
                ends = [0, 1, 3, 2, 5, 4] if encoder == "neurohex" else slice(None)
                planes = planes[ends][:, ::-1, ::-1]
            assert np.array_equal(shown["observation"], planes)
        turned += turn
    assert 2 < turned < 10


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3])
@pytest.mark.parametrize("layout", ["hwc", "flat"])
def test_layouts_are_arrangements_of_one_image(layout: str, length: int) -> None:
    """On a board that is not square, and whether single observations or stacks of them are shown."""
    options: dict[str, Any] = {"board_size": 4, "columns": 3, "stones": 3}
    plain, other = (
        vector.SymmetryAugment(vector.HistoryStack(gym.make_vec("boyi/EinStein-v0", 8, layout=each, **options), length))
        for each in ("chw", layout)
    )
    observation, arranged = plain.reset(seed=0)[0], other.reset(seed=0)[0]
    assert len(set(plain.images.drawn())) > 2
    for _ in range(6):
        x = observation["observation"]
        expected = x.transpose(0, 2, 3, 1) if layout == "hwc" else x.reshape(8, -1)
        assert np.array_equal(arranged["observation"], expected)
        actions = observation["action_mask"].argmax(axis=1)
        observation, arranged = plain.step(actions)[0], other.step(actions)[0]


def test_an_image_of_a_stack_is_a_stack_of_images() -> None:
    env = gym.make_vec("boyi/Gomoku-v0", 8, board_size=5, layout="hwc", opponent="self")
    outside = vector.SymmetryAugment(vector.HistoryStack(env, 2))
    inside = vector.HistoryStack(vector.SymmetryAugment(copy.deepcopy(env)), 2)
    for each in (outside, inside):
        each.reset(seed=0)
    for _ in range(12):
        actions = outside.action_masks().argmax(axis=1)
        assert same(outside.step(actions)[0], inside.step(actions)[0])


def test_the_image_hangs_on_seed_and_episode() -> None:
    rows = vector.SymmetryAugment(gym.make_vec("boyi/Gomoku-v0", 64, board_size=5))
    rows.reset(seed=0)
    first = rows.images.drawn()
    assert set(first) == set(range(8))
    rows.reset()
    assert (rows.images.drawn() != first).any()
    rows.reset(seed=0)
    assert (rows.images.drawn() == first).all()


def test_an_agent_answers_in_the_image() -> None:
    options = {"board_size": 5, "illegal": "raise", "opponent": "self"}
    plain = gym.make("boyi/Gomoku-v0", **options)
    wrapped = SymmetryAugment(gym.make("boyi/Gomoku-v0", **options))
    twice = gym.wrappers.TransformReward(SymmetryAugment(SymmetryAugment(gym.make("boyi/Gomoku-v0", **options))), float)
    for seed in range(6):
        games = []
        for env in (plain, wrapped, twice):
            env.reset(seed=seed)
            agent, over = make_agent("random"), False
            while not over:
                over = env.step(agent.action(env))[2]
            games.append(env.unwrapped.batch.states.tobytes())
        assert games[0] == games[1] == games[2]


def test_out_of_range_forfeits_in_an_image_too() -> None:
    rows = vector.SymmetryAugment(gym.make_vec("boyi/Gomoku-v0", 3, board_size=5))
    rows.reset(seed=0)
    assert rows.step(np.array([25, -1, 0]))[1].tolist() == [-1.0, -1.0, 0.0]
    env = SymmetryAugment(gym.make("boyi/Gomoku-v0", board_size=5))
    env.reset(seed=0)
    assert env.step(25)[1] == -1.0
    with pytest.raises(BoyiError, match="actions must be 3 whole numbers"):
        rows.step(np.array([1, 2]))


def test_a_game_without_symmetries_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(encode, "symmetries")
    monkeypatch.delattr(rules, "symmetries")
    with pytest.raises(BoyiError, match="hex declares no symmetries"):
        SymmetryAugment(gym.make("boyi/Hex-v0"))
    with pytest.raises(BoyiError, match="hex declares no symmetries"):
        vector.SymmetryAugment(gym.make_vec("boyi/Hex-v0", 2))


def test_other_seats_see_the_same_image() -> None:
    rows = vector.SymmetryAugment(gym.make_vec("boyi/Gomoku-v0", 6, board_size=5, opponent="self"))
    rows.reset(seed=0)
    observation = rows.step(rows.action_masks().argmax(axis=1))[0]
    other = rows.observe_as(np.zeros(6, int))
    assert np.array_equal(other["observation"][:, [1, 0, 2]], observation["observation"][:, :3])
    assert same(other["action_mask"], observation["action_mask"])


# HistoryStack


@pytest.mark.parametrize(
    ("layout", "encoder", "axis"),
    [("chw", "planes", 0), ("hwc", "planes", -1), ("flat", "planes", 0), ("chw", "flat", 0), ("hwc", "flat", 0)],
)
def test_the_newest_comes_first_and_zeros_before_the_start(layout: str, encoder: str, axis: int) -> None:
    options = {"board_size": 5, "layout": layout, "encoder": encoder, "opponent": "self"}
    env, plain = HistoryStack(gym.make("boyi/Gomoku-v0", **options), 3), gym.make("boyi/Gomoku-v0", **options)
    for seed in (1, None):
        (stacked, _), (x, _) = env.reset(seed=seed), plain.reset(seed=seed)
        past, over = [np.zeros_like(x["observation"])] * 2, False
        while not over:
            expected = np.concatenate([x["observation"], *past], axis=axis)
            assert same(stacked, {**x, "observation": expected})
            past = [x["observation"], past[0]]
            action = lot(x["action_mask"], 5)
            stacked, _, over, _, _ = env.step(action)
            x = plain.step(action)[0]
        assert same(stacked["observation"], np.concatenate([x["observation"], *past], axis=axis))


def test_a_row_does_not_remember_the_game_before() -> None:
    rows = vector.HistoryStack(gym.make_vec("boyi/Hex-v0", 4, board_size=3), 2)
    rows.reset(seed=0)
    ended = 0
    for _ in range(20):
        observation, _, over, _, info = rows.step(rows.action_masks().argmax(axis=1))
        assert not observation["observation"][over, 3:].any()
        for i in np.flatnonzero(over):
            # The last observation stands on the one before it, which has fewer stones.
            newest, before = info["final_obs"][i]["observation"][:2], info["final_obs"][i]["observation"][3:5]
            assert before.sum() < newest.sum() and (before <= newest).all()
        ended += over.sum()
    assert ended > 10


def test_a_stack_of_stacks_is_refused() -> None:
    env = HistoryStack(gym.make("boyi/Hex-v0", board_size=3), 2)
    with pytest.raises(BoyiError, match="these observations are stacked already; give one stack the whole length"):
        HistoryStack(env, 2)
