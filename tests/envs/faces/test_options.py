"""Every option of every face, and every argument of a batch, given a value of any type: right, or one sentence."""

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from places import ROOT
from typer.testing import CliRunner

import boyi  # noqa: F401 - registers the ids
from boyi import wrappers
from boyi.baselines import make_agent
from boyi.baselines.agents import make_env, make_vector_env
from boyi.baselines.arena.decisions import Answers, Decision, Inquiry
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.arena.rating import student
from boyi.baselines.command import main as cli
from boyi.baselines.search.mcts import MCTS
from boyi.baselines.search.tree import make_tree
from boyi.envs import Batch, BoyiError, find, hex_v0
from boyi.envs.engine.errors import shown
from boyi.envs.records.game_record import read_game
from boyi.wrappers import TurnBasedParallel, vector

HEX = "hex:board_size=3"
ANY = (
    [], [1], [None], [[1], [1, 2]], None, {}, {"a": 1}, set(), (), float("nan"), float("inf"), 1e400, -1, 1.5, -0.0,
    2**63, 2**64, 10**5000, b"x", "", "nonsense", "\0", "a" * 100_000, object(), int, np.array([1, 2]),
    np.array([]), np.array(3), np.int64(-5), np.nan, AutoresetMode.NEXT_STEP,
)  # fmt: skip
"""Values that no option takes, or few."""


def right_or_a_sentence(call: Callable[[Any], object]) -> None:
    for value in ANY:
        said = "nothing"
        try:
            call(value)
        except BoyiError as error:
            said = str(error)
        except Exception as error:
            pytest.fail(f"{shown(value)}: {type(error).__name__}: {error}")
        assert len(said) < 1500, shown(value)


FACES: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
    "batch": (
        partial(Batch, HEX, 2),
        ("seed", "encoder", "autoreset", "illegal", "chance", "threads", "history", "swap", "zzz"),
    ),
    "sizes": (Batch, ("game", "n")),
    "aec": (
        hex_v0.env,
        (
            "render_mode",
            "encoder",
            "layout",
            "keys",
            "mask_dtype",
            "max_cycles",
            "mask_in",
            "illegal",
            "board_size",
            "swap",
            "zzz",
        ),
    ),
    "single": (
        partial(make_env, HEX),
        (
            "opponent",
            "seat",
            "render_mode",
            "encoder",
            "layout",
            "keys",
            "mask_dtype",
            "illegal",
            "threads",
            "swap",
            "zzz",
        ),
    ),
    "vector": (
        partial(make_vector_env, HEX),
        (
            "num_envs",
            "opponent",
            "seat",
            "render_mode",
            "encoder",
            "layout",
            "keys",
            "mask_dtype",
            "illegal",
            "autoreset_mode",
            "threads",
            "swap",
        ),
    ),
}


@pytest.mark.parametrize(
    ("face", "option"), [(face, option) for face, (_, options) in FACES.items() for option in options]
)
def test_an_option_takes_its_values_and_refuses_others(face: str, option: str) -> None:
    make = FACES[face][0]
    base = {"game": HEX} if option == "n" else {}
    right_or_a_sentence(lambda value: make(**{**base, option: value}))


@cache
def batch() -> Batch:
    return Batch(HEX, 3, 0, history=True)


@cache
def dice() -> Batch:
    return Batch("einstein:board_size=3,stones=2", 2, 0, chance="by_hand", encoder=None)


CALLS: dict[str, Callable[[Any], object]] = {
    "reset seed": lambda value: batch().reset(value),
    "reset rows": lambda value: batch().reset(None, value),
    "reset episode": lambda value: batch().reset(1, episode=value),
    "step": lambda value: batch().step(value),
    "step rows": lambda value: batch().step([0], value),
    "view": lambda value: batch().view(value),
    "observe": lambda value: batch().observe(value),
    "observe rows": lambda value: batch().observe(0, value),
    "history": lambda value: batch().history(value),
    "keys": lambda value: batch().game_keys(value),
    "purpose": lambda value: batch().game_keys(purpose=value),
    "seats": lambda value: batch().draw_seats(value),
    "play": lambda value: Batch(HEX, 1, 0).play(value),
    "outcomes": lambda value: dice().resolve(value),
    "outcome rows": lambda value: dice().resolve([0], value),
    "draw": lambda value: dice().draw_outcomes(value),
    "agent": make_agent,
    "agent's game": lambda value: make_agent("random", value),
    "history stack": lambda value: wrappers.HistoryStack(make_env(HEX), value),
    "opening": lambda value: wrappers.RandomOpening(make_env(HEX), value),
    "scale": lambda value: wrappers.ScaleReward(make_env(HEX), value),
    "scales": lambda value: vector.ScaleReward(make_vector_env(HEX, 2), value),
    "no environment": lambda value: wrappers.RandomOpening(value, 1),
    "games": lambda value: Match(HEX, ["random", "mcts"], games=value),
    "match seed": lambda value: Match(HEX, ["random", "mcts"], seed=value),
    "clock": lambda value: Match(HEX, ["random", "mcts"], clock=value),
    "match opening": lambda value: Match(HEX, ["random", "mcts"], opening=value),
    "positions": lambda value: Inquiry(find(HEX), ["random"], positions=value),
    "inquiry seed": lambda value: Inquiry(find(HEX), ["random"], seed=value),
    "file": read_game,
}


@pytest.mark.parametrize("call", CALLS)
def test_an_argument_takes_its_values_and_refuses_others(call: str) -> None:
    right_or_a_sentence(CALLS[call])


@pytest.mark.parametrize("make", [make_env, partial(make_vector_env, num_envs=2)])
def test_an_environment_takes_its_arguments_and_refuses_others(make: Callable[..., Any]) -> None:
    env = make(HEX, illegal="raise")
    right_or_a_sentence(lambda value: env.reset(seed=value))
    env.reset(seed=0)
    for call in (env.step, env.set_opponent):
        right_or_a_sentence(call)


def test_random_play_takes_whole_steps() -> None:
    for steps in (1.5, -1, None, [3], float("nan"), True):
        with pytest.raises(BoyiError, match="steps must be a whole number, at least 0, not"):
            batch().play_random(steps)
    assert Batch(HEX, 2, 0).play_random(np.int64(40))[1].tolist() == [1, 1]


@pytest.mark.parametrize("episode", [-1, 1.5, 2**63, None])
def test_an_episode_is_a_number(episode: Any) -> None:
    batch = Batch(HEX, 2, 7)
    before = batch.seeds.tolist(), batch.episodes.tolist()
    with pytest.raises(BoyiError, match="an episode is a whole number of 63 bits, at least 0, not"):
        batch.reset(1, episode=episode)
    assert (batch.seeds.tolist(), batch.episodes.tolist()) == before


# Autoreset, options, the order of calls


@pytest.mark.parametrize("mode", ["same_step", "SameStep", "SAME_STEP", AutoresetMode.SAME_STEP])
def test_autoreset_is_named_in_our_words_or_gymnasiums(mode: Any) -> None:
    envs = gym.make_vec("boyi/Hex-v0", num_envs=2, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert Batch(HEX, 1, autoreset=mode).autoreset == "same_step"


def test_a_wrong_autoreset_mode_is_answered_with_the_right_ones() -> None:
    for wrong in ("never", "same step", 3, []):
        with pytest.raises(BoyiError, match=r"unknown autoreset mode .* allowed: next_step, off, same_step"):
            make_vector_env(HEX, 2, autoreset_mode=wrong)
    assert Batch(HEX, 1, autoreset=AutoresetMode.DISABLED).autoreset == "off"


def test_an_unknown_option_is_answered_with_those_of_the_face() -> None:
    says = {
        partial(
            gym.make, "boyi/Hex-v0"
        ): "board_size, encoder, illegal, keys, layout, mask_dtype, opponent, render_mode, seat, swap",
        partial(
            gym.make_vec, "boyi/Hex-v0", num_envs=1
        ): "autoreset_mode, board_size, .* opponent, .*seat, swap, threads",
        hex_v0.env: "board_size, encoder, illegal, keys, layout, mask_dtype, mask_in, max_cycles, render_mode, swap$",
        partial(Batch, HEX): "autoreset, board_size, chance, encoder, history, illegal, n, seed, swap, threads$",
    }
    for make, allowed in says.items():
        with pytest.raises(BoyiError, match=f"unexpected keyword argument 'thread_count'.*allowed: {allowed}"):
            make(thread_count=2)
    with pytest.raises(BoyiError, match=r"hex got an unexpected keyword argument 'threads'.* opponent, "):
        gym.make("boyi/Hex-v0", threads=2)


def test_nothing_is_asked_of_an_environment_before_its_first_game() -> None:
    env = hex_v0.env(board_size=3, render_mode="ansi")
    calls: dict[str, Callable[[], object]] = {
        "last": env.last, "observe": lambda: env.observe("player_0"), "render": env.render,
        "agent_iter": env.agent_iter, "step": lambda: env.step(0),
    }  # fmt: skip
    for name, call in calls.items():
        with pytest.raises(BoyiError, match=rf"hex:board_size=3: no game is running; call reset\(\) before {name}\(\)"):
            call()
    with pytest.raises(BoyiError, match="no game is running"):
        TurnBasedParallel(env).render()
    env.reset(seed=0)
    for _ in env.agent_iter():
        observation, _, over, _, _ = env.last()
        env.step(None if over else int(observation["action_mask"].argmax()))
    with pytest.raises(BoyiError, match=r"call reset\(\) before last\(\)"):
        env.last()
    assert env.observe("player_0")["observation"].any() and env.render()


def test_only_agents_of_the_game_observe() -> None:
    env = hex_v0.env(board_size=3)
    env.reset(seed=0)
    for call in (env.observe, env.observation_space, env.action_space):
        for wrong in ("player_2", None, [], 0):
            with pytest.raises(BoyiError, match=r"unknown agent .* allowed: player_0, player_1"):
                call(wrong)


# Somebody's module


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("1 / 0", "the module 'theirs' fails when it is imported: ZeroDivisionError: 'division by zero'"),
        ("import sys\nsys.exit(3)", "the module 'theirs' ends the program when it is imported: SystemExit: '3'"),
        ("import no_such_thing", "the module 'theirs' needs no_such_thing, which is not installed"),
        ("def (", "the module 'theirs' fails when it is imported: SyntaxError: "),
        ("import os\nos.nothing", "the module 'theirs' fails when it is imported: AttributeError: "),
        ("other = 1", "module 'theirs' has no attribute 'agent'"),
        ("agent = 'theirs:agent'", "agent of module 'theirs' is text, not an agent or a callable"),
        ("agent = 3", "an agent is a string, an Agent, a callable or a model, not int"),
        (
            "from boyi.baselines import Agent\nclass agent(Agent):\n    name = 'a'\n    def act(self, view): ...\n"
            "    def __init__(self, n): ...",
            "the agent theirs:agent fails when it is made without arguments: TypeError: ",
        ),
    ],
)
def test_a_module_that_fails_is_named_with_what_it_said(
    code: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "theirs.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "theirs", raising=False)
    with pytest.raises(BoyiError) as raised:
        make_agent("theirs:agent")
    assert str(raised.value).startswith(says)


@pytest.mark.parametrize("text", [".:x", "..x:y", "a..b:c", "a b:c", "-:x"])
def test_what_is_no_module_is_no_agent(text: str) -> None:
    with pytest.raises(BoyiError, match="unknown agent"):
        make_agent(text)


# Games, files and numbers


@pytest.mark.parametrize("opening", [9, 10, 100])
def test_an_opening_that_leaves_nothing_to_decide_is_one_sentence(opening: int) -> None:
    match = Match(HEX, ["random", "mcts:sims=2"], games=2, opening=opening)
    with pytest.raises(BoyiError, match=rf"an opening of {opening} actions leaves nothing to decide: the game of seed"):
        compete(match)


def test_paths_are_text_or_paths(tmp_path: Path) -> None:
    match = partial(Match, HEX, ["random", "mcts:sims=2"], games=2)
    compete(match(), str(tmp_path / "games.jsonl"))
    compete(match(), tmp_path / "more.jsonl")
    assert read_game(str(tmp_path / "games.jsonl")) is not None
    assert read_game(str(tmp_path / "games.jsonl"), 2).actions == read_game(tmp_path / "more.jsonl", 2).actions
    for number in (0, 3, 1.5, None):
        with pytest.raises(BoyiError, match="holds 2 games: there is no game number"):
            read_game(tmp_path / "games.jsonl", number)


def test_play_steps_through_a_game_of_the_kind_that_is_named(tmp_path: Path) -> None:
    file = str(tmp_path / "games.jsonl")
    compete(Match(HEX, ["random", "mcts:sims=2"], games=2), file)
    done = CliRunner().invoke(cli.app, ["play", "hex", "--record", file, "--game-number", "2"])
    assert done.exit_code == 0 and done.stdout.startswith("hex:board_size=3, seed")
    done = CliRunner().invoke(cli.app, ["play", "gomoku", "--record", file])
    assert done.exit_code == 2 and done.stderr.endswith("is a game of hex:board_size=3, not of gomoku\n")


@pytest.mark.parametrize(
    "words",
    [
        "arena hex random mcts --minutes nan", "arena hex random mcts --clock nan", "arena hex random mcts --seed -1",
        f"arena hex random mcts --board-size {'9' * 5000}", f"perft hex --depth {10**30}",
        f"decide hex random --seed {2**64}", f"play hex --seed {2**70}",
        f"engine hex random --seed {2**70}", "speed hex --seconds nan", "play --record \0",
        f"arena hex random mcts --board-size {'-' * 5000}5", "play hex --clock inf", f"play hex --seat {'9' * 5000}",
        "train hex_dqn --minutes nan", "train hex_dqn --until nan --against random", "train hex_dqn --device meta",
        "train hex_dqn --device ''",
    ],
)  # fmt: skip
def test_a_number_that_is_none_is_exit_code_2(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli.app, [word if word != "''" else "" for word in words.split(" ")])
    assert done.exit_code == 2 and "Traceback" not in done.stderr, done.output
    assert len(done.stderr) < 1500


def test_a_node_of_the_tree_has_as_many_bytes_as_is_said() -> None:
    tree, with_rave = make_tree(1000), make_tree(1000, amaf=True)
    agent = MCTS(sims=1000, nodes=1001, reuse=False)
    agent.act(Batch(HEX, 1, seed=0, encoder=None).view())
    node = round(agent.memories[0].nbytes / 1001)
    more = sum(array.itemsize for array in (with_rave.amaf_visits, with_rave.amaf_total))
    assert tree.amaf_visits.size == 0
    root = ROOT
    assert f"holds {node} bytes a node" in (root / "docs" / "speed.md").read_text()
    assert (
        f"{node} bytes a node and thread ({node + 2 * more} with `rave`)" in (root / "docs" / "agents.md").read_text()
    )


def test_the_interval_of_a_regret_is_students() -> None:
    regrets = [0.0, 0.1, 0.3]
    asked = {"game": "hex", "game_version": 0, "player": "random", "conditions": [], "judge": "exact", "run_seed": 0}
    made = {"agent": "mcts", "action": 0, "name": "a1", "seconds": 1.0}
    decisions = [Decision(**asked, **made, index=k, regret=regret) for k, regret in enumerate(regrets)]  # type: ignore[arg-type]
    table = str(Answers("hex", 0, "random", [], decisions))
    mean = student(regrets)
    assert f"{100 * mean.value:.3f} %" in table and f"0.000 to {100 * mean.high:.3f}" in table
    assert mean.low < 0 and f"{100 * min(1.0, student(regrets[:1]).high):.3f}" in str(
        Answers("hex", 0, "random", [], decisions[:1])
    )
