"""`boyi speed` runs, with and without peers, and computes what it prints. No time is asserted."""

import builtins
from typing import Any

import pytest
from openspiels import spiel
from typer.testing import CliRunner

from boyi.baselines.command import peers, speed
from boyi.baselines.command.main import app
from boyi.envs import Batch, find, games
from boyi.envs.engine.facts import facts
from boyi.envs.faces.aec import AEC

pytestmark = pytest.mark.kernels


def test_the_command_prints_every_line_with_its_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "start_times", lambda game: {"import boyi": 0.25})
    monkeypatch.setattr(speed, "node_bytes", lambda game, nodes: 44.0)
    without(monkeypatch, "pgx", "jax", "pyspiel", "pettingzoo.classic", "rlcard")
    done = CliRunner().invoke(app, ["speed", "hex:board_size=3", "--repeats", "1", "--seconds", "0.01"])
    assert done.exit_code == 0, done.output
    assert done.stdout.count("not installed") == 6 + 3 and "44 bytes a node" in done.stdout
    assert "import boyi" in done.stdout and "hex:board_size=3, 1 repeats of 0.01 s" in done.stdout


@pytest.mark.slow
def test_learning_is_measured_beside_sb3() -> None:
    words = ["speed", "hex:board_size=3", "--train", "--repeats", "1", "--seconds", "0.01"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("stable-baselines3 DQN") == 2 and "stable_baselines3 2" in done.stdout
    assert "transitions into replay" in done.stdout


@pytest.mark.slow
def test_self_play_is_measured_beside_mctx(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "jax")
    words = ["speed", "einstein:board_size=3,stones=2", "--selfplay", "--repeats", "1", "--seconds", "0.01"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert done.stdout.count("positions/s") == 2 and "mctx on Pgx: not installed (jax)" in done.stdout
    assert "S5's two networks, one core" in done.stdout and "outside the network" in done.stdout
    both = CliRunner().invoke(app, [*words, "--train"])
    assert both.exit_code == 2 and both.stderr == "boyi: --train and --selfplay are two measurements: ask for one\n"


def without(monkeypatch: pytest.MonkeyPatch, *missing: str) -> None:
    """Make imports of some modules fail as they do where these are not installed."""
    real = builtins.__import__

    def guarded(name: str, *args: Any, **kwargs: Any) -> Any:
        if name in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", guarded)


def test_ratios_are_ours_over_the_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "SLICES", 1)
    rates = iter([100.0, 120.0, 90.0])
    theirs = iter([10.0, 20.0, 10.0])
    row = speed.Row("what", "steps/s", lambda seconds: next(rates), "peer", lambda seconds: next(theirs), 4.0)
    for _ in range(3):
        row.repeat(0.0)
    assert row.ratios == [10.0, 6.0, 9.0]
    assert row.cells() == ["what", "100 steps/s", "peer", "11.1", "6.0x", "9.0x", "4x"]


def test_a_line_without_a_peer_shows_our_own_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "SLICES", 1)
    rates = iter([3e6, 5e6, 4e6])
    row = speed.Row("what", "steps/s", lambda seconds: next(rates), goal=2e6)
    for _ in range(3):
        row.repeat(0.0)
    assert row.cells() == ["what", "4 M steps/s", "", "", "3 M", "4 M", "2 M"]
    row.peer_name = "Peer: not installed (peer)"
    assert row.cells()[-1] == ""


@pytest.mark.parametrize("name", ["hex:board_size=3,swap=true", "gomoku:board_size=5", "einstein"])
@pytest.mark.parametrize("peer", [peers.openspiel_loop, peers.openspiel_cheap_loop, peers.openspiel_mcts])
def test_openspiel_runs_beside_us(peer: Any, name: str) -> None:
    spiel(name)
    assert peer(find(name))(0.01) > 0


@pytest.mark.parametrize("name", ["gomoku:rule=standard", "einstein:stones=3"])
def test_openspiel_has_games_only_as_it_plays_them(name: str) -> None:
    spiel("einstein")
    assert speed._peer("OpenSpiel", peers.openspiel_loop, find(name))[0] == "OpenSpiel: does not have it"


def test_every_goal_stands_on_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "pgx", "jax", "pyspiel", "pettingzoo.classic", "rlcard")
    for name in games():
        lines = [*speed.rows(find(name)), *speed.training_rows(find(name))]
        if not find(name).spec.hidden:  # where AlphaZero learns
            lines += speed.selfplay_rows(find(name))
        assert any("one core" in line.what for line in lines)
        wanted = facts(find(name)).goals.values()
        assert sorted(line.goal for line in lines if line.goal is not None) == sorted(wanted)


def test_a_game_that_a_peer_lacks_is_said_so() -> None:
    assert speed._peer("OpenSpiel", peers.openspiel_loop, find("jiu"))[0] in (
        "OpenSpiel: does not have it",
        "OpenSpiel: not installed (pyspiel)",
    )


def test_meters_count_what_they_did() -> None:
    batch = Batch("hex:board_size=3", 10, seed=0, autoreset="same_step")
    assert speed.timed(0.001, lambda: 5) > 0
    speed.random_scan(batch)(0.01)
    assert batch.view().episode.min() > 0
    assert speed.aec(AEC("hex:board_size=3"))(0.01) > 0


def test_greedy_plays_whole_games_in_one_call() -> None:
    assert speed.greedy_play(find("jiu:board_size=6,max_turns=40"))(0.01) > 0
