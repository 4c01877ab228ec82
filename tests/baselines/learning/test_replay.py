"""The replay memory: what goes in comes out, the oldest makes room, and bytes hold what fits in them."""

import numpy as np
import pytest
from gymnasium import spaces

from boyi.baselines.learning.replay import Replay


def memory(size=6, seed=0, prioritized=0.0):
    seen = spaces.Dict(observation=spaces.Box(0.0, 1.0, (2,), np.float32), action_mask=spaces.Box(0, 1, (9,), np.int8))
    return Replay(size, seen, spaces.Discrete(9), "cpu", 4, seed=seed, prioritized=prioritized)


def put(replay, numbers, scale=1.0):
    """Remember one transition for each number, which all of its parts tell."""
    numbers = np.asarray(numbers)
    bits = np.stack([numbers & 1, numbers >> 1 & 1], 1).astype(np.float32) * np.float32(scale)
    masks = (np.arange(9) <= numbers[:, None] % 9).astype(np.int8)
    replay.extend(
        {"observation": bits, "action_mask": masks},
        {"observation": bits[:, ::-1], "action_mask": 1 - masks},
        numbers % 9,
        numbers / 8,
        (numbers % 2).astype(np.float32),
        np.where(numbers % 3, 1.0, -1.0),
    )


def numbers_in(replay):
    return sorted((replay.rewards[: replay.size(), 0] * 8).astype(int).tolist())


def test_the_oldest_make_room():
    replay = memory()
    put(replay, [0, 1, 2, 3])
    assert (numbers_in(replay), replay.pos, replay.full) == ([0, 1, 2, 3], 4, False)
    put(replay, [4, 5])
    assert (numbers_in(replay), replay.pos, replay.full) == ([0, 1, 2, 3, 4, 5], 0, True)
    put(replay, [6])
    assert (numbers_in(replay), replay.pos) == ([1, 2, 3, 4, 5, 6], 1)
    put(replay, range(7, 20))  # more than it holds: the last ones
    assert (numbers_in(replay), replay.full) == ([14, 15, 16, 17, 18, 19], True)
    assert 0 <= replay.pos < 6


@pytest.mark.parametrize("count", [40, 50, 90, 250])  # into room for 50
def test_every_part_of_a_transition_stays_together(count):
    replay = memory(50)
    put(replay, range(7))
    put(replay, range(count))
    drawn = replay.sample(400)
    numbers = (drawn.rewards[:, 0] * 8).numpy().astype(int)
    assert set(numbers) <= set(range(max(0, count - 50), count)) and len(set(numbers)) > 30
    assert (drawn.actions[:, 0].numpy() == numbers % 9).all()
    assert (drawn.dones[:, 0].numpy() == numbers % 2).all()
    assert (drawn.factors[:, 0].numpy() == np.where(numbers % 3, 1, -1)).all()
    bits = np.stack([numbers & 1, numbers >> 1 & 1], 1)
    assert (drawn.observations["observation"].numpy() == bits).all()
    assert (drawn.next_observations["observation"].numpy() == bits[:, ::-1]).all()
    assert (drawn.observations["action_mask"].sum(1).numpy() == numbers % 9 + 1).all()
    assert (drawn.next_observations["action_mask"].sum(1).numpy() == 8 - numbers % 9).all()


@pytest.mark.parametrize("first", [True, False])
def test_numbers_that_are_not_bits_widen_the_memory_and_lose_nothing(first):
    replay = memory()
    put(replay, [1, 2, 3])
    assert replay.observations["observation"].dtype == np.uint8
    put(replay, [3] if first else [1], scale=0.3)
    assert replay.observations["observation"].dtype == np.float32
    assert replay.observations["observation"][:4, 0, 0].tolist() == [1.0, 0.0, 1.0, np.float32(0.3)]
    assert replay.observations["action_mask"].dtype == np.int8


def test_draws_come_from_the_memorys_own_seed():
    def drawn(seed):
        replay = memory(50, seed)
        put(replay, range(40))
        np.random.seed(3)  # SB3's stream is not ours
        return replay.sample(20).rewards[:, 0].tolist()

    assert drawn(0) == drawn(0) != drawn(1)


def test_a_memory_put_back_is_the_same():
    replay, again = memory(), memory(seed=9)
    put(replay, range(9), scale=0.5)
    names = ("actions", "rewards", "dones", "factors")
    arrays = {name: getattr(replay, name) for name in names}
    for name in ("observations", "next_observations"):
        arrays |= {f"{name}/{key}": values for key, values in getattr(replay, name).items()}
    again.restore(arrays, replay.pos, full=replay.full)
    again.rng.bit_generator.state = replay.rng.bit_generator.state
    put(replay, [30, 31])
    put(again, [30, 31])
    one, other = replay.sample(30), again.sample(30)
    assert one.rewards.tolist() == other.rewards.tolist()
    assert one.observations["observation"].tolist() == other.observations["observation"].tolist()


def test_transitions_are_drawn_in_proportion_to_the_power_of_their_errors():
    """New ones as often as the one that was worst, and weights make up for it as far as they are asked to."""
    replay = memory(8, prioritized=0.5)
    put(replay, range(4))
    assert len(set(replay.priorities[:4])) == 1
    replay.judge(np.arange(4), np.array([0.0, 1.0, 4.0, 9.0]))
    put(replay, [4])
    chances = np.array([0.001, 1.001, 4.001, 9.001, 9.001]) ** 0.5
    chances /= chances.sum()
    drawn = replay.sample(20_000, exponent=0.5)
    assert np.bincount(drawn.places, minlength=5) / 20_000 == pytest.approx(chances, abs=0.02)
    weights = (5 * chances) ** -0.5
    assert drawn.weights[:, 0].numpy() == pytest.approx((weights / weights.max())[drawn.places], rel=1e-4)
    assert (drawn.rewards[:, 0].numpy() * 8 == drawn.places).all()
    plain = memory(8)
    put(plain, range(4))
    plain.judge(np.arange(4), np.arange(4.0))
    assert (plain.sample(50).weights == 1).all() and plain.priorities.size == 0
