"""Every wrapper does what its line in the documentation says."""

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import boyi  # noqa: F401 - registers the environments
from boyi.envs import BoyiError
from boyi.wrappers import RandomOpening


def opened(moves: int, seed: int) -> str:
    env = RandomOpening(gym.make("boyi/Hex-v0", board_size=5, render_mode="ansi"), moves)
    _, info = env.reset(seed=seed)
    assert info["to_move"] == 0
    drawn: str = env.render()
    return drawn


def test_an_opening_is_played_from_the_seed() -> None:
    assert "ply 6 " in opened(3, seed=0) and "ply 0 " in opened(0, seed=0)
    assert opened(3, seed=0) == opened(3, seed=0)
    # The opponent's answers hang on the seed too: what differs on a fixed answer is the opening.
    assert len({opened(3, seed) for seed in range(10)}) == 10


def test_a_game_that_ends_in_its_opening_is_replaced() -> None:
    env = RandomOpening(gym.make("boyi/Hex-v0", board_size=2), 1)
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert info["to_move"] == 0 and info["action_mask"].any()
    ended = RandomOpening(gym.make("boyi/Hex-v0", board_size=3), 2)
    plies = set()
    for seed in range(60):
        ended.reset(seed=seed)
        plies.add(int(ended.unwrapped.batch.states["ply"][0]))
    assert plies == {4}


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version:UserWarning")
@pytest.mark.filterwarnings("ignore:.*Not able to test alternative render modes:UserWarning")
def test_gymnasium_accepts_the_wrapped_environment() -> None:
    check_env(RandomOpening(gym.make("boyi/Hex-v0", board_size=5), 2), skip_render_check=True)


def test_bad_moves_are_refused() -> None:
    with pytest.raises(BoyiError, match="moves must be a whole number, at least 0, not -1"):
        RandomOpening(gym.make("boyi/Hex-v0", board_size=5), -1)
