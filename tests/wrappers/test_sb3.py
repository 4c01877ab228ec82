"""`SB3VecEnv`: the native vector environment as stable-baselines3 and sb3-contrib see it."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from boyi.envs import BoyiError
from boyi.wrappers import SB3VecEnv, vector

pytestmark = pytest.mark.usefixtures("one_thread")


def make(n=4, **options):
    return SB3VecEnv("boyi/Hex-v0", n, **{"board_size": 3, "opponent": "self", **options})


def first_legal(seen):
    return seen["action_mask"].argmax(axis=1)


def test_it_shows_what_the_vector_environment_shows():
    """Same seeds, same games: observations, masks, rewards and ends are those of `gym.make_vec`."""
    ours, theirs = make(opponent="random"), gym.make_vec("boyi/Hex-v0", num_envs=4, board_size=3, opponent="random")
    ours.seed(5)
    seen, (expected, _) = ours.reset(), theirs.reset(seed=5)
    rng = np.random.default_rng(0)
    for _ in range(60):
        assert all((seen[key] == expected[key]).all() for key in expected)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in seen["action_mask"]])
        seen, rewards, dones, infos = ours.step(actions)
        expected, paid, over, cut, more = theirs.step(actions)
        assert (rewards == paid).all() and (dones == (over | cut)).all()
        for i in np.flatnonzero(dones):
            last = infos[i]["terminal_observation"]
            assert all((last[key] == more["final_obs"][i][key]).all() for key in last)
            assert (infos[i]["returns"] == more["final_info"]["returns"][i]).all()


def test_spaces_and_dtypes_are_those_of_one_game():
    env = make()
    assert isinstance(env.observation_space, spaces.Dict) and env.action_space == spaces.Discrete(9)
    env.seed(0)
    seen = env.reset()
    assert env.observation_space.contains({key: values[0] for key, values in seen.items()})
    _, rewards, dones, infos = env.step(first_legal(seen))
    assert (rewards.dtype, dones.dtype, len(infos)) == (np.float32, np.bool_, 4)


def test_infos_say_who_acted_who_is_next_and_how_it_ended():
    env = make(1)
    env.seed(0)
    env.reset()
    assert env.reset_infos == [{"seat": 0, "to_move": 0}]
    for ply, action in enumerate((0, 1, 3, 4)):
        _, reward, done, infos = env.step(np.array([action]))
        assert (infos, reward[0], done[0]) == ([{"seat": ply % 2, "to_move": (ply + 1) % 2}], 0.0, False)
    seen, reward, done, (info,) = env.step(np.array([6]))
    assert (reward[0], done[0], info["seat"], info["to_move"]) == (1.0, True, 0, -1)
    assert info["returns"].tolist() == [1.0, -1.0] and not info["TimeLimit.truncated"]
    assert (info["episode"]["r"], info["episode"]["l"]) == (1.0, 5)
    assert info["terminal_observation"]["observation"][0].sum() == 3 and seen["observation"][:, :2].sum() == 0
    assert env.reset_infos == [{"seat": 0, "to_move": 0}]


def test_episodes_count_the_learners_moves_and_returns():
    env = make(8, opponent="random", seat="random")
    env.seed(1)
    seen, lengths, episodes = env.reset(), np.zeros(8, int), []
    for _ in range(40):
        seen, rewards, dones, infos = env.step(first_legal(seen))
        lengths += 1
        for i in np.flatnonzero(dones):
            assert infos[i]["episode"]["l"] == lengths[i]
            assert infos[i]["episode"]["r"] == rewards[i] == infos[i]["returns"][infos[i]["seat"]]
            episodes.append(rewards[i])
            lengths[i] = 0
    assert len(episodes) > 30 and {-1.0, 1.0} == set(episodes)


def test_a_reset_forgets_the_games_that_ran():
    env = make(2)
    env.seed(0)
    first = env.reset()
    env.step(np.array([4, 4]))
    again = env.reset()  # without a seed: the next games
    assert (first["observation"] == again["observation"]).all()
    for action in (0, 1, 3, 4):
        env.step(np.array([action, action]))
    assert env.step(np.array([6, 6]))[3][0]["episode"]["l"] == 5


def test_sb3_reaches_what_it_asks_for():
    env = make(3)
    env.reset()
    assert env.get_attr("render_mode") == [None] * 3
    assert [game.name for game in env.get_attr("game", indices=[0, 2])] == ["hex", "hex"]
    assert [mask.tolist() for mask in env.env_method("action_masks", indices=1)] == [[True] * 9]
    assert env.env_is_wrapped(gym.Wrapper) == [False] * 3
    versus = make(3, opponent="random")
    versus.env_method("set_opponent", "mcts:sims=2")
    with pytest.raises(AttributeError):
        env.get_attr("nothing_of_the_kind")
    with pytest.raises(BoyiError, match="cannot be set in single rows"):
        env.set_attr("game", None)
    with pytest.raises(BoyiError, match="draws nothing"):
        env.get_images()


def test_wrappers_stay_where_they_are():
    env = SB3VecEnv(vector.SymmetryAugment(gym.make_vec("boyi/Hex-v0", num_envs=2, board_size=3, opponent="self")))
    env.seed(0)
    seen = env.reset()
    env.step(np.array([0, 0]))
    shown = env.observe_as(np.array([0, 0]))
    assert (shown["observation"][:, 0].sum((1, 2)) == 1).all()
    assert shown["observation"].shape == seen["observation"].shape
    assert (env.env_method("action_masks")[0] == shown["action_mask"][0]).all()


def test_a_snapshot_goes_on_as_the_original():
    env, again = make(6, opponent="random", seat="random"), make(6, opponent="random", seat="random")
    env.seed(2)
    seen = env.reset()
    for _ in range(7):
        seen = env.step(first_legal(seen))[0]
    kept = {key: values.copy() for key, values in env.snapshot().items()}
    again.reset()
    again.restore(kept)
    for _ in range(20):
        one, other = env.step(first_legal(seen)), again.step(first_legal(seen))
        assert all((one[0][key] == other[0][key]).all() for key in one[0])
        assert (one[1] == other[1]).all() and (one[2] == other[2]).all()
        assert [info.get("episode", {}).get("l") for info in one[3]] == [
            info.get("episode", {}).get("l") for info in other[3]
        ]
        seen = one[0]


@pytest.mark.parametrize("monitored", [False, True])
def test_maskable_ppo_trains_on_it(monitored):
    env = make(16, opponent="random")
    env = VecMonitor(env) if monitored else env
    assert is_masking_supported(env)
    env.reset()
    assert get_action_masks(env).shape == (16, 9)
    model = MaskablePPO("MultiInputPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0)
    model.learn(512)
    # Illegal actions forfeit: were masks not found, most games would end at the first.
    assert np.mean([episode["l"] for episode in model.ep_info_buffer]) > 2.5


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (lambda: SB3VecEnv(gym.make_vec("boyi/Hex-v0", num_envs=2), 4), "num_envs and options go with an id"),
        (lambda: SB3VecEnv(gym.make("boyi/Hex-v0")), "wants a vector environment of boyi or its id, not"),
        (lambda: SB3VecEnv(gym.make_vec("CartPole-v1", num_envs=2)), "wants a vector environment of boyi"),
        (lambda: make(autoreset_mode="NextStep"), 'needs autoreset_mode="same_step"'),
        (lambda: make(opponent="nobody"), "unknown agent 'nobody'"),
    ],
)
def test_what_it_does_not_take_is_one_sentence(build, sentence):
    with pytest.raises(BoyiError, match=sentence) as raised:
        build()
    assert "\n" not in str(raised.value)
