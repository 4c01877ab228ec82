"""Searches that somebody does not want to wait for, and what they expect to follow."""

import threading

import numpy as np
import pytest

from boyi.baselines.agents import make_agent
from boyi.envs import Batch, View, find

pytestmark = pytest.mark.kernels

ENDLESS = [
    ("hex:board_size=5", "mcts:sims=1000000000,prove=false,nodes=20000"),
    ("hex:board_size=5", "mcts:sims=1000000000,threads=2,prove=false,nodes=20000"),
    ("hex:board_size=5", "mcts:seconds=80000,prove=false,nodes=20000"),
    ("hex:board_size=5", "puct:sims=1000000000,nodes=20000"),
    ("hex:board_size=5", "alphabeta:depth=100,proofs=0,examine=0"),
    ("hex:board_size=5", "alphabeta:seconds=80000,proofs=0,examine=0"),
    ("einstein", "expectimax:depth=40"),
]
LOOKING = [
    "mcts:sims=2000",
    "puct:sims=400",
    "alphabeta:depth=3,examine=0",
    "mcts:sims=2000,threads=2",
]


def shown(game: str, moves: int = 0) -> View:
    batch = Batch(game, 1, seed=3, history=True)
    for _ in range(moves):
        batch.step(batch.sample())
    return batch.view()


@pytest.mark.parametrize(("game", "agent"), ENDLESS)
def test_whoever_is_hurried_answers(game: str, agent: str) -> None:
    view, hurry = shown(game), threading.Event()
    threading.Timer(0.3, hurry.set).start()
    action = int(make_agent(agent, find(game)).act(view._replace(hurry=hurry))[0])
    assert hurry.is_set() and view.mask[0, action]


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        *(("hex:board_size=4", agent) for agent in [*LOOKING, "alphabeta:depth=3", "alphabeta:nodes=5000,proofs=50"]),
        ("einstein", "expectimax:depth=3"),
    ],
)
def test_looking_up_now_and_then_changes_nothing(game: str, agent: str) -> None:
    view, found = shown(game), []
    for hurry in (None, threading.Event()):
        one = make_agent(agent, find(game))
        action = int(one.act(view._replace(hurry=hurry))[0])
        found.append((action, one.expects(view, 0, action)))
    assert found[0] == found[1]


def test_the_view_of_some_games_is_hurried_with_the_others() -> None:
    view = shown("hex:board_size=3")._replace(hurry=threading.Event())
    part = view.take(np.array([0]))
    assert not part.hurried
    assert view.hurry is not None
    view.hurry.set()
    assert part.hurried and view.hurried


@pytest.mark.parametrize("agent", LOOKING)
def test_what_is_expected_can_be_played(agent: str) -> None:
    game = "hex:board_size=4"
    view = shown(game, 2)
    one = make_agent(agent, find(game))
    action = int(one.act(view)[0])
    line = one.expects(view, 0, action)
    assert line
    batch = Batch(game, 1)
    batch.set_states(view.states)
    for each in (action, *line):
        assert batch.mask[0, each]
        batch.step(np.array([each]))


def test_of_a_won_game_the_win_is_expected() -> None:
    game = "hex:board_size=2"
    one = make_agent("alphabeta:depth=10,examine=0", find(game))
    view = shown(game)
    action = int(one.act(view)[0])
    batch = Batch(game, 1)
    for each in (action, *one.expects(view, 0, action)):
        rewards, over, _ = batch.step(np.array([each]))
    assert over[0] and rewards[0, 0] == 1.0


def test_nothing_is_expected_behind_dice_and_hidden_tiles() -> None:
    for game in ("einstein", "mahjong"):
        one = make_agent("mcts:sims=300", find(game))
        view = shown(game)
        assert one.expects(view, 0, int(one.act(view)[0])) == []
    assert make_agent("random").expects(shown("hex:board_size=3"), 0, 0) == []


def test_a_team_says_what_the_one_expects_that_has_decided() -> None:
    game = "jiu:board_size=6"
    one = make_agent("two_phase:layout=greedy,battle='alphabeta:depth=2'", find(game))
    batch = Batch(game, 1, seed=1)
    assert one.expects(batch.view(), 0, int(one.act(batch.view())[0])) == []
    while batch.states["phase"][0] == 0:
        batch.step(one.act(batch.view()))
    view = batch.view()
    action = int(one.act(view)[0])
    assert one.expects(view, 0, action) == one.members[1].expects(view, 0, action)  # type: ignore[attr-defined]
