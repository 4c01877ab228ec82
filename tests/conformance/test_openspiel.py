"""OpenSpiel's tree search as an agent: the same position, the same actions, and a sensible move."""

import builtins
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from openspiels import OLD, spiel
from places import TESTS

from boyi.baselines import evaluate, make_agent
from boyi.baselines.agents import agents_for
from boyi.baselines.players.openspiel import FOREVER, OpenSpiel, their_action
from boyi.envs import Batch, BoyiError, find
from boyi.envs.records import transcript

pyspiel = pytest.importorskip("pyspiel")
GAMES = ("hex:board_size=5", "hex:board_size=3,swap=true", "gomoku:board_size=6", "einstein")


def their_board(state: Any) -> list[str]:
    """Read the board of OpenSpiel's EinStein, turned by half: ours, with its names of the stones."""
    return [cell for line in str(state).splitlines() for cell in line.strip("|").split("||") if cell][::-1]


@pytest.mark.parametrize("name", GAMES)
def test_it_follows_every_game(name: str) -> None:
    """Mover and legal actions agree in all positions of random games; in EinStein the board and the die as well."""
    spiel(name)
    batch, agent = Batch(name, 20, seed=3, history=True), OpenSpiel()
    while (batch.to_move >= 0).any():
        rows = np.flatnonzero(batch.to_move >= 0)
        view = batch.view(rows)
        for k in range(rows.size):
            state, seat = agent.state(view, k), int(view.seat[k])
            assert state.current_player() == (1 - seat if name == "einstein" else seat)
            ours = [their_action(batch.game, view.states[k], a) for a in np.flatnonzero(view.mask[k]).tolist()]
            assert sorted(ours) == state.legal_actions()
            if name == "einstein":
                board = view.states[k]["board"].tolist()
                assert their_board(state) == [f"{'wb'[(n - 1) // 6]}{(n - 1) % 6 + 1}" if n else "__" for n in board]
        batch.step(batch.sample()[rows], rows)


def test_no_start_is_assumed_from_which_a_stone_would_leave_the_board() -> None:
    """In this game stones that are gone have steps which, from each other's places, go beyond an edge."""
    *_, last = transcript.read((TESTS / "envs" / "einstein" / "start.txt").read_text())
    batch = Batch("einstein", 1, encoder=None)
    batch.states = last
    played = [6, 5, 8, 13, 8, 11, 12, 11, 14, 10, 11, 1, 16, 15, 9, 2, 17, 8, 15, 2]
    state = OpenSpiel().state(batch.view()._replace(history=[played]), 0)
    assert their_board(state)[7:9] == ["w4", "w5"]


def test_it_finds_the_winning_move() -> None:
    batch = Batch("hex:board_size=5", 1, seed=0, history=True)
    text = batch.game.module("text")
    for move in ["c1", "a1", "c2", "a2", "c3", "e1", "c4", "e2"]:
        batch.step([text.parse(batch.states[0], move)])
    chosen = int(OpenSpiel(sims=500).act(batch.view())[0])
    assert text.name(batch.states[0], chosen) in {"c5", "b5"}


def test_the_same_seed_plays_the_same_game() -> None:
    results = [evaluate("openspiel:mcts,sims=30", "einstein", opponents=["random"], games=10, seed=1) for _ in range(2)]
    assert results[0].pairings[0].score == results[1].pairings[0].score
    assert results[0].pairings[0].score.value > 0.5


@pytest.mark.skipif(OLD, reason="OpenSpiel for Python 3.10 does not know the time")
def test_seconds_bound_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time ends a search that might go on for ever, and nothing else does."""
    bot, limits = pyspiel.MCTSBot, []

    def limited(*args: Any, **limit: float) -> Any:
        limits.append((args[3], limit))
        return bot(*args, **limit)

    monkeypatch.setattr(pyspiel, "MCTSBot", limited)
    view = Batch("hex", 1, seed=0, history=True).view()
    assert view.mask[0, OpenSpiel(seconds=0.2).act(view)[0]]
    assert limits == [(FOREVER, {"max_wall_clock_time": 0.2})]
    OpenSpiel(sims=3).act(view)
    assert limits[1:] == [(3, {})]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gomoku:rule=standard", "OpenSpiel does not have gomoku:rule=standard"),
        ("einstein:stones=3", "OpenSpiel does not have einstein:stones=3"),
        ("jiu", "OpenSpiel does not have jiu"),
        ("mahjong", "OpenSpiel does not have mahjong"),
    ],
)
def test_games_that_it_lacks_are_refused(name: str, says: str) -> None:
    with pytest.raises(BoyiError, match=says):
        make_agent("openspiel", name)


def test_it_needs_the_actions_so_far() -> None:
    with pytest.raises(BoyiError, match="openspiel follows a game by its actions: make the batch with history=True"):
        OpenSpiel().act(Batch("hex", 1, seed=0).view())


def test_a_game_whose_beginning_was_not_kept_is_refused() -> None:
    """Its latest actions alone lead to another position, in which the same might be legal."""
    batch = Batch("hex:board_size=5", 1, seed=0)
    batch.step(batch.sample())
    batch.keep_history()
    batch.step(batch.sample())
    with pytest.raises(BoyiError, match="openspiel follows a game by its actions: make the batch with history=True"):
        OpenSpiel().act(batch.view())


def test_a_history_of_another_game_is_refused() -> None:
    batch = Batch("einstein", 1, seed=0, history=True)
    for _ in range(6):
        batch.step(batch.sample())
    view = batch.view()
    assert view.history is not None
    view.history[0][:] = [17] * 6
    with pytest.raises(BoyiError, match="the history of this game of EinStein does not lead to its position"):
        OpenSpiel().state(view, 0)


@pytest.mark.parametrize("lacks", ["the game", "a parameter"])
def test_what_an_older_one_lacks_is_refused_quietly(
    lacks: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Loading it would write OpenSpiel's own list of games or parameters beside our sentence."""
    older = [SimpleNamespace(short_name="hex", parameter_specification={"board_size": 11})]
    monkeypatch.setattr(pyspiel, "registered_games", lambda: older if lacks == "a parameter" else [])
    with pytest.raises(BoyiError, match="OpenSpiel does not have hex"):
        make_agent("openspiel", "hex")
    assert "openspiel" not in agents_for("hex")
    assert capfd.readouterr().err == ""


def test_missing_it_is_said_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pyspiel":
            raise ImportError(name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(BoyiError, match=r'openspiel needs OpenSpiel: pip install "boyi\[peers\]"'):
        make_agent("openspiel:sims=10", find("hex"))
