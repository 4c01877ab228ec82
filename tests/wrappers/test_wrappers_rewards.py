"""`ScaleReward` and `LineReward`: what they pay, move by move."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy
from playing import lot

from boyi.baselines.agents import make_env, make_vector_env
from boyi.envs import BoyiError
from boyi.wrappers import LineReward, ScaleReward, vector

pytestmark = pytest.mark.kernels

# ScaleReward


@pytest.mark.parametrize(("scale", "factor"), [(None, 0.5), (3, 3.0)])
def test_rewards_are_multiplied(scale: float | None, factor: float) -> None:
    """The toy's returns lie between -1 and 2."""
    rows, plain = vector.ScaleReward(make_vector_env(toy.SPEC, 8), scale), make_vector_env(toy.SPEC, 8)
    one, bare = ScaleReward(make_env(toy.SPEC), scale), make_env(toy.SPEC)
    rows.reset(seed=3)
    plain.reset(seed=3)
    paid = []
    for _ in range(30):
        actions = plain.action_masks().argmax(axis=1)
        rewards = rows.step(actions)[1]
        assert (rewards == plain.step(actions)[1] * factor).all()
        paid += rewards.tolist()
    assert {2 * factor, -1 * factor} <= set(paid)
    for seed in range(6):
        one.reset(seed=seed)
        bare.reset(seed=seed)
        over = False
        while not over:
            action = int(bare.action_masks().argmax())
            _, reward, over, _, info = one.step(action)
            expected = bare.step(action)
            assert reward == expected[1] * factor and type(reward) is float
        assert (info["returns"] == expected[4]["returns"]).all()


# LineReward

SIZE = 5


def runs(stones: dict[tuple[int, int], int], r: int, c: int, seat: int) -> int:
    """Count, the plain way, the stones of a seat that are joined to a point on its best line, four at most."""
    best = 0
    for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
        count = 0
        for sign in (1, -1):
            k = 1
            while stones.get((r + sign * k * dr, c + sign * k * dc)) == seat:
                count, k = count + 1, k + 1
        best = max(best, min(count, 4))
    return best


def earned(env: Any, action: int) -> float:
    """Work out what a move earns in the position that it is played in."""
    state = env.unwrapped.batch.states[0]
    stones = {divmod(i, SIZE): int(stone) - 1 for i, stone in enumerate(state["board"]) if stone}
    seat, cell = int(state["to_move"]), divmod(action, SIZE)
    return 0.01 * runs(stones, *cell, seat) + 0.03 * runs(stones, *cell, 1 - seat)


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("rule", ["freestyle", "standard"])
def test_every_move_is_paid_for_its_lines(opponent: str, rule: str) -> None:
    env = LineReward(gym.make("boyi/Gomoku-v0", board_size=SIZE, rule=rule, opponent=opponent), 0.01, 0.03)
    met = set()
    for seed in range(12):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action = lot(observation["action_mask"], seed)
            expected = earned(env, action)
            observation, reward, over, _, info = env.step(action)
            result = float(info["returns"][info["seat"]]) if over else 0.0
            assert reward == pytest.approx(result + expected)
            met.add(round(expected, 4))
    assert len(met) > 6


def test_a_game_move_by_move() -> None:
    env = LineReward(gym.make("boyi/Gomoku-v0", board_size=SIZE, opponent="self"))
    env.reset(seed=0)
    # A row of black's in the middle, white above it at first; then white blocks the three and black goes down a column.
    moves = [12, 7, 13, 8, 11, 14, 6, 24, 16, 4, 21, 23, 1]
    paid = [round(env.step(move)[1], 6) for move in moves]
    assert paid == [0.0, 0.01, 0.02, 0.02, 0.03, 0.04, 0.03, 0.0, 0.02, 0.01, 0.03, 0.01, 1.05]


def test_an_illegal_action_earns_nothing() -> None:
    env = LineReward(gym.make("boyi/Gomoku-v0", board_size=SIZE, opponent="self"))
    rows = vector.LineReward(gym.make_vec("boyi/Gomoku-v0", 4, board_size=SIZE, opponent="self"))
    # A stone on the taken 12 would stand beside 13.
    for wrong in (12, 25, -1, 2**70):
        env.reset(seed=0)
        for move in (12, 0, 13, 1):
            env.step(move)
        assert env.step(wrong)[1] == -1.0
    rows.reset(seed=0)
    for move in (12, 0, 13, 1):
        rows.step(np.full(4, move))
    assert rows.step(np.array([12, 25, -1, 14]))[1].tolist() == [-1.0, -1.0, -1.0, 0.02]


def test_nothing_is_left_over_where_a_step_was_refused() -> None:
    env = LineReward(gym.make("boyi/Gomoku-v0", board_size=SIZE, opponent="self", illegal="raise"))
    env.reset(seed=0)
    env.step(12)
    with pytest.raises(BoyiError, match="is not legal"):
        env.step(12)
    assert env.step(0)[1] == 0.0


def test_other_games_have_no_lines() -> None:
    with pytest.raises(BoyiError, match="LineReward knows the lines of gomoku, not those of hex"):
        LineReward(gym.make("boyi/Hex-v0"))
    with pytest.raises(BoyiError, match="LineReward knows the lines of gomoku, not those of einstein"):
        vector.LineReward(gym.make_vec("boyi/EinStein-v0", 2))
