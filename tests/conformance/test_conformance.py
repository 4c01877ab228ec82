"""Every game, and the toy, keeps the contract of `check_game` and passes the checkers of the libraries it is for.

Warnings are errors here, but for three of PettingZoo's: two that it draws for every dict observation but its own
games', and one about observations of zeros, which an encoder of nothing but stones makes of an empty board.
"""

import copy
import multiprocessing
import pickle
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib import import_module
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import toy
from engines import SOON
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.utils import turn_based_aec_to_parallel
from playing import SHIPPED, SPECS, every_encoder, follow, lot, same
from sizes import COMPILES, every_set, marked, small_game

from boyi.baselines.agent import Agent, RandomAgent
from boyi.baselines.agents import make_agent, make_env, make_vector_env
from boyi.baselines.web.local import DISPLAYS
from boyi.envs import Batch, BoyiError, Game, IllegalAction, Spec, View, find
from boyi.envs.conformance import check
from boyi.envs.engine import batch
from boyi.envs.faces.aec import AEC
from boyi.envs.faces.frame import LAYOUTS

with warnings.catch_warnings():
    # It imports one of PettingZoo's own games, in a way that PettingZoo has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test

every_spec = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
shipped = pytest.mark.parametrize("spec", SHIPPED, ids=lambda spec: spec.name)
dict_observations = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be gymnasium:UserWarning"),
]


@pytest.fixture
def _headless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing open a browser."""
    for name in DISPLAYS:
        monkeypatch.delenv(name, raising=False)


def gym_id(spec: Spec) -> str:
    return f"boyi/{spec.title}-v{spec.version}"


def small(spec: Spec) -> Any:
    """Return the parameters of a game as small as agents play it: a face shows no less of it."""
    return small_game(spec).params


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    """Play the first legal action: an opponent as a user may write it."""
    return int(mask.argmax())


# The contract


@cache
def probe(game: Game) -> check.Probe:
    check.pieces(game)
    return check.Probe(game, games=10)


@pytest.mark.kernels
@pytest.mark.parametrize("item", check.ITEMS, ids=lambda item: item.__name__)
@every_set(SPECS, large=False)
def test_contract(game: Game, item: Callable[[check.Probe], None], monkeypatch: pytest.MonkeyPatch) -> None:
    # Threads share every batch, however little it costs to step.
    monkeypatch.setattr(batch, "THREADS_PAY", -1.0)
    item(probe(game))


def test_check_game_checks_every_tested_set(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Game] = []
    monkeypatch.setattr(check, "ITEMS", (lambda probe: seen.append(probe.game),))
    check.check_game(toy.SPEC, games=1)
    check.check_game("hex:board_size=3", games=1)
    assert seen == [*(Game.bind(toy.SPEC, params) for params in toy.SPEC.tested), find("hex", board_size=3)]


# PettingZoo's checkers


@marked(dict_observations)
@every_encoder
@pytest.mark.parametrize("layout", LAYOUTS)
def test_api(spec: Spec, encoder: str, layout: str) -> None:
    api_test(AEC(spec, encoder=encoder, layout=layout, **small(spec)), num_cycles=60)


@every_encoder
def test_api_with_masks_in_the_infos(spec: Spec, encoder: str) -> None:
    api_test(AEC(spec, encoder=encoder, mask_in="info", **small(spec)), num_cycles=60)


@every_spec
@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_seeds(spec: Spec, mask_in: str) -> None:
    seed_test(partial(AEC, spec, mask_in=mask_in, **small(spec)), num_cycles=60)


@pytest.mark.usefixtures("_headless")
@every_spec
def test_rendering(spec: Spec) -> None:
    render_test(partial(AEC, spec, **small(spec)))


@every_spec
@pytest.mark.parametrize("mask_in", ["obs", "info"])
def test_turn_based_parallel(spec: Spec, mask_in: str) -> None:
    parallel_api_test(turn_based_aec_to_parallel(AEC(spec, mask_in=mask_in, **small(spec))), num_cycles=60)


@marked(dict_observations)
@shipped
def test_pettingzoo_module_and_id(spec: Spec) -> None:
    import pettingzoo

    module = import_module(f"boyi.envs.{spec.name}_v{spec.version}")
    made = [module.env(), module.raw_env()]
    if hasattr(pettingzoo, "make"):
        made.append(pettingzoo.make("aec", f"boyi/{spec.name}-v{spec.version}"))
    for env in made:
        api_test(env, num_cycles=10)
        assert env.unwrapped.game == find(spec)


# Gymnasium's and Stable-Baselines3's


@pytest.mark.usefixtures("_headless")
@shipped
@pytest.mark.parametrize("options", [{}, {"opponent": "self"}, {"seat": "random"}], ids=str)
def test_gymnasium(spec: Spec, options: dict[str, Any]) -> None:
    check_env(gym.make(gym_id(spec), **options, **small(spec)).unwrapped)


@every_spec
@pytest.mark.parametrize("opponent", ["random", "self"])
def test_stable_baselines3(spec: Spec, opponent: str) -> None:
    from stable_baselines3.common.env_checker import check_env as sb3_check_env

    for encoder in spec.encoders:
        sb3_check_env(make_env(spec, opponent, layout="flat", encoder=encoder, **small(spec)))


# What a face shows


@every_encoder
def test_layouts_are_arrangements_of_one_observation(spec: Spec, encoder: str) -> None:
    envs = {layout: AEC(spec, encoder=encoder, layout=layout, **small(spec)) for layout in LAYOUTS}
    for env in envs.values():
        env.reset(seed=3)
    for k in range(4):
        seen = {layout: env.observe(env.agent_selection) for layout, env in envs.items()}
        x = seen["chw"]["observation"]
        assert np.array_equal(seen["hwc"]["observation"], x.transpose(1, 2, 0) if x.ndim == 3 else x)
        assert np.array_equal(seen["flat"]["observation"], x.ravel())
        for layout, env in envs.items():
            assert seen[layout] in env.observation_space(env.agent_selection)
            env.step(lot(seen["chw"]["action_mask"], k))


@every_encoder
def test_masks_stand_in_the_observation_or_in_the_infos(spec: Spec, encoder: str) -> None:
    inside, beside = (AEC(spec, encoder=encoder, mask_in=place, **small(spec)) for place in ("obs", "info"))
    inside.reset(seed=3)
    beside.reset(seed=3)
    for k in range(4):
        for agent in inside.agents:
            seen = inside.observe(agent)
            assert same(seen["observation"], beside.observe(agent))
            assert same({"action_mask": seen["action_mask"]}, beside.infos[agent])
            assert seen["action_mask"].any() == (agent == inside.agent_selection)
            x = inside.batch.observe(inside.possible_agents.index(agent))[0]
            assert same(seen["observation"], x)
        action = lot(inside.observe(inside.agent_selection)["action_mask"], k)
        inside.step(action)
        beside.step(action)


def shown(game: Game, x: np.ndarray, action: int) -> float:
    """Look up what a permuting encoder's first plane, my stones, shows in the cell of an action of the frame."""
    if game.name == "toy":
        return float(x[0, 0, action])
    n = game.params["board_size"]
    return float(x[0, 2 + action // n, 2 + action % n])


@pytest.mark.parametrize(
    ("spec", "encoder"),
    [(toy.SPEC, "turned"), (find("hex").spec, "neurohex")],
    ids=lambda part: getattr(part, "name", part),
)
def test_an_action_of_the_frame_does_what_it_shows(spec: Spec, encoder: str) -> None:
    env = AEC(spec, encoder=encoder, **small(spec))
    own = make_env(spec, "self", encoder=encoder, **small(spec))
    env.reset(seed=5)
    observation, _ = own.reset(seed=5)
    moves = 0
    while any(env.agents) and not any(env.terminations.values()):
        agent = env.agent_selection
        seen = env.observe(agent)
        assert same(seen, observation)
        cells = np.flatnonzero(seen["action_mask"][: env.game.actions - 1])
        action = int(cells[moves * 7 % cells.size])
        assert shown(env.game, seen["observation"], action) == 0
        env.step(action)
        observation = own.step(action)[0]
        assert shown(env.game, env.observe(agent)["observation"], action) == 1
        assert env.batch.states.tobytes()[:4] == own.batch.states.tobytes()[:4]
        moves += 1
    assert moves > env.game.seats


@every_spec
def test_deep_copies_and_pickles_keep_the_position_and_go_separate_ways(spec: Spec) -> None:
    env = AEC(spec, **small(spec))
    env.reset(seed=1)
    for k in range(2):
        env.step(lot(env.last()[0]["action_mask"], k))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        before = env.observe("player_0"), env.render_mode, env.agent_selection, str(env.batch.states)
        assert same(twin.last()[0], env.last()[0])
        ends = [finish(each) for each in (twin, copy.deepcopy(env))]
        assert ends[0] == ends[1]
        assert same(before[0], env.observe("player_0"))
        assert before[1:] == (env.render_mode, env.agent_selection, str(env.batch.states))
        assert not any(env.terminations.values())


def finish(env: AEC) -> tuple[dict[str, float], str]:
    """Play an AEC game to its end; return the rewards and the last position."""
    k = 0
    while not any(env.terminations.values()) and not any(env.truncations.values()):
        env.step(lot(env.last()[0]["action_mask"], k))
        k += 1
    return dict(env.rewards), str(env.batch.states)


def test_a_cut_game_is_truncated_in_every_face() -> None:
    env = AEC(toy.SPEC, side=2, limit=4)
    env.reset(seed=2)
    rewards, _ = finish(env)
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    assert set(rewards.values()) == {0.0}
    single, vector = (make(toy.SPEC, opponent="self", side=2, limit=4) for make in (make_env, make_vector_env))
    (observation, _), (several, _) = single.reset(seed=2), vector.reset(seed=2)
    for k in range(4):
        action = lot(observation["action_mask"], k)
        assert same(several["observation"][0], observation["observation"])
        observation, *answer, _ = single.step(action)
        several, rewards, over, cut, _ = vector.step(np.array([action]))
        assert [rewards[0], over[0], cut[0]] == answer == [0.0, False, k == 3]


# Illegal actions


@every_spec
def test_raise_leaves_the_faces_untouched(spec: Spec) -> None:
    options = {"illegal": "raise", **small(spec)}
    env = AEC(spec, **options)
    env.reset(seed=1)
    single, vector = make_env(spec, "self", **options), make_vector_env(spec, 2, "self", **options)
    single.reset(seed=1)
    vector.reset(seed=1)
    action = lot(env.last()[0]["action_mask"], 0)
    illegal = env.game.actions
    faces = {
        env: (env.step, illegal, action),
        single: (single.step, illegal, action),
        vector: (vector.step, np.array([action, illegal]), vector.action_masks().argmax(axis=1)),
    }
    for face, (step, wrong, right) in faces.items():
        before = str(face.batch.states), face.batch.mask.tobytes()
        with pytest.raises(IllegalAction, match=f"action {illegal} is not legal"):
            step(wrong)
        assert before == (str(face.batch.states), face.batch.mask.tobytes())
        step(right)
        assert (face.batch.states["ply"] == 1).all()
    assert env.rewards == dict.fromkeys(env.possible_agents, 0.0)


@every_spec
def test_forfeit_ends_the_game_with_the_declared_rewards(spec: Spec) -> None:
    env = AEC(spec, **small(spec))
    env.reset(seed=1)
    env.step(lot(env.last()[0]["action_mask"], 0))
    loser, illegal = env.agent_selection, env.game.actions
    loss, other = spec.forfeit(**env.game.params)
    env.step(illegal)
    assert env.rewards == {agent: loss if agent == loser else other for agent in env.possible_agents}
    assert set(env.terminations.values()) == {True}
    single, vector = make_env(spec, "random", **small(spec)), make_vector_env(spec, 3, "random", **small(spec))
    single.reset(seed=1)
    assert single.step(illegal)[1:4] == (loss, True, False)
    _, info = vector.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    actions[1] = illegal
    _, rewards, over, cut, info = vector.step(actions)
    assert rewards[1] == loss
    assert over[1]
    assert not cut[1]
    assert info["_final_obs"][1]


# Opponents


@every_spec
@pytest.mark.parametrize(
    "opponent",
    [
        first_legal,
        "test_conformance:first_legal",
        "random",
        RandomAgent(),
        pytest.param("mcts:sims=5", marks=COMPILES),
    ],
    ids=["callable", "attribute", "string", "agent", "search"],
)
def test_opponents(spec: Spec, opponent: Any) -> None:
    env = make_env(spec, opponent, seat=spec.seats - 1, **small(spec))
    observation, info = env.reset(seed=4)
    assert info["seat"] == info["to_move"] == spec.seats - 1
    assert env.batch.states["ply"][0] > 0
    ended, k = False, 0
    while not ended:
        observation, reward, over, cut, info = env.step(lot(observation["action_mask"], k))
        ended, k = over or cut, k + 1
    assert info["to_move"] == -1
    assert type(reward) is float


def test_a_callable_is_shown_its_seat_and_must_play_legally() -> None:
    seen: list[np.ndarray] = []

    def policy(observation: np.ndarray, mask: np.ndarray) -> int:
        seen.append(observation)
        return int(mask.argmax())

    env = make_env("hex", policy, seat=1, board_size=3)
    env.reset(seed=0)
    assert np.array_equal(seen[0], Batch("hex", board_size=3).observe(0)[0])
    assert env.batch.states["last"][0] == 0
    with pytest.raises(BoyiError, match="illegal action 9"):
        make_env("hex", lambda observation, mask: 9, seat=1, board_size=3).reset()


class Watcher(Agent):
    """Plays at random and remembers the seats it was asked for."""

    name = "watcher"

    def __init__(self) -> None:
        super().__init__()
        self.seats: set[int] = set()

    def act(self, view: View) -> np.ndarray:
        self.seats |= set(view.seat.tolist())
        return view.mask.argmax(axis=1)


@pytest.mark.parametrize("make", [make_env, partial(make_vector_env, num_envs=2)], ids=["single", "vector"])
def test_two_opponents_sit_in_order_after_the_learner(make: Callable[..., Any]) -> None:
    opponents = [Watcher(), Watcher()]
    env = make(toy.SPEC, opponent=opponents, seat=1)
    env.reset(seed=1)
    for _ in range(2):
        masks = env.action_masks()
        env.step(masks.argmax(axis=-1))
    assert [opponent.seats for opponent in opponents] == [{2}, {0}]
    with pytest.raises(BoyiError, match="one for each of the 2 other seats"):
        make(toy.SPEC, opponent=[Watcher()] * 3)


@every_encoder
def test_an_agent_answers_in_the_frame_of_an_environment(spec: Spec, encoder: str) -> None:
    agent = make_agent("random")
    options = {"encoder": encoder, "illegal": "raise", **small(spec)}
    for env in (AEC(spec, **options), make_env(spec, "self", **options)):
        env.reset(seed=0)
        for _ in range(4):
            env.step(agent.action(env))
        assert env.batch.states["ply"][0] == 4


# The vector environment is so many single ones

MODES = list(AutoresetMode)
OPTIONS: list[dict[str, Any]] = [
    {"opponent": "random"},
    {"opponent": "random", "seat": "random"},
    {"opponent": "self"},
    {"opponent": "random", "seat": 1, "layout": "flat"},
]


@shipped
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_rows_of_the_vector_environment_are_single_environments(
    spec: Spec, mode: AutoresetMode, options: dict[str, Any]
) -> None:
    vector = gym.make_vec(gym_id(spec), num_envs=4, autoreset_mode=mode, **options, **small(spec))
    follow(vector, [gym.make(gym_id(spec), **options, **small(spec)).unwrapped for _ in range(4)], seed=11)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@every_set([toy.SPEC])
@pytest.mark.parametrize(
    "options",
    [*OPTIONS, {"opponent": ["random", first_legal], "seat": 2, "encoder": "turned"}],
    ids=[*map(str, OPTIONS), "two opponents"],
)
def test_rows_of_the_toy_are_single_environments(mode: AutoresetMode, game: Game, options: dict[str, Any]) -> None:
    vector = make_vector_env(game.spec, 4, autoreset_mode=mode, **options, **game.params)
    follow(vector, [make_env(game.spec, **options, **game.params) for _ in range(4)], seed=11, episodes=5)


def test_random_seats_are_all_dealt() -> None:
    vector = make_vector_env(toy.SPEC, 60, seat="random")
    _, info = vector.reset(seed=0)
    assert set(info["seat"]) == {0, 1, 2}


# Threads, processes, sizes


def digest(seed: int, spec: Spec = toy.SPEC, **params: Any) -> str:
    """Play a batch of games to their ends; return all they came to."""
    played = Batch(spec, 50, seed, threads=2, **params)
    while (rows := np.flatnonzero(played.to_move >= 0)).size:
        played.step(played.sample()[rows], rows)
    return str([played.states[field].tobytes() for field in played.states.dtype.names])


def test_two_threads_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "THREADS_PAY", -1.0)
    alone = [digest(seed) for seed in range(6)]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(digest, range(6))) == alone


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", [pytest.param("fork", marks=pytest.mark.posix), "spawn"])
def test_worker_processes(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # The parent has had threads at work before it forks.
    monkeypatch.setattr(batch, "THREADS_PAY", -1.0)
    alone = [digest(seed) for seed in range(3)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(digest, range(3)) == alone


@pytest.mark.posix
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
def test_a_batch_with_threads_goes_on_in_a_forked_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "THREADS_PAY", -1.0)
    played = Batch(toy.SPEC, 8, seed=1, threads=2, autoreset="same_step")

    def go_on() -> list[int]:
        played.step(played.sample())
        return played.sample().tolist()

    go_on()
    twin, context = played.clone(), multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=lambda: queue.put(go_on()))
    child.start()
    try:
        # A child that waits for threads it does not have would wait for ever.
        answer = queue.get(timeout=SOON)
    finally:
        child.kill()
        child.join()
    twin.step(twin.sample())
    assert answer == twin.sample().tolist()


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork:DeprecationWarning")
@pytest.mark.parametrize("method", [pytest.param("fork", marks=pytest.mark.posix), "spawn"])
def test_stable_baselines3_workers(method: str) -> None:
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    # The id names the module that registers it: a spawned worker has imported nothing.
    make = partial(gym.make, "boyi:boyi/Hex-v0", board_size=3)
    played = []
    for workers in (DummyVecEnv([make] * 2), SubprocVecEnv([make] * 2, start_method=method)):
        workers.seed(3)
        seen = [[dict(workers.reset())]]
        for k in range(12):
            masks = workers.env_method("action_masks")
            observations, rewards, ended, _ = workers.step(np.array([lot(mask, k) for mask in masks]))
            seen.append([dict(observations), rewards.tolist(), ended.tolist()])
        played.append(seen)
        workers.close()
    assert all(same(a, b) for mine, theirs in zip(*played, strict=True) for a, b in zip(mine, theirs, strict=True))


def test_two_sizes_at_once() -> None:
    sizes = {size: Batch("hex", 3, 1, board_size=size) for size in (3, 5)}
    alone = {size: digest(1, find("hex").spec, board_size=size) for size in sizes}
    for _ in range(8):
        for size, played in sizes.items():
            played.step(played.sample())
            assert played.observation.shape == (3, 3, size, size)
    assert {size: digest(1, find("hex").spec, board_size=size) for size in sizes} == alone
