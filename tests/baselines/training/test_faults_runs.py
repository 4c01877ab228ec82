"""Whatever fails in a run of games, its file holds games that were played, and a sentence names whose fault it was."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engines import command
from faulty import GAMES, Fault, Faulty, fail, life, raising
from msgspec.structs import asdict

from boyi.baselines import make_agent
from boyi.baselines.agents import make_env
from boyi.baselines.arena.decisions import Inquiry, inquire
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.command import play
from boyi.baselines.engines.program import Program
from boyi.envs import BoyiError, View, find
from boyi.envs.records.game_record import read_line, replay

every_game = pytest.mark.parametrize("game", GAMES)


def outside(view: View) -> Any:
    return np.full(view.row.size, 10**6)


def fractions(view: View) -> Any:
    return view.mask.argmax(1) + 0.5


class Guest(Faulty):
    """Fails when it is told of the end of game number `at`, or at the end of all."""

    def __init__(self, *, at: int = 0, leaving: bool = False) -> None:
        super().__init__()
        self.last, self.leaving, self.concluded, self.closed = at, leaving, 0, False

    def conclude(self, row: int, episode: int) -> None:
        self.concluded += 1
        if self.concluded == self.last:
            fail(None)  # type: ignore[arg-type]

    def close(self) -> None:
        self.closed = True
        if self.leaving:
            fail(None)  # type: ignore[arg-type]


def untimed(path: Path) -> list[dict[str, Any]]:
    """Read a run's file; every line must be a game to its end, with the actions that were played."""
    records = [read_line(line, str(path)) for line in path.read_bytes().splitlines(keepends=True)]
    for record in records:
        *_, last = replay(find(record.game), record.seed, record.actions)
        assert last["to_move"] < 0
        assert record.ended == "over"
    return sorted(({**asdict(record), "seconds": None} for record in records), key=lambda record: record["index"])


@every_game
@pytest.mark.parametrize("fault", [fail, raising(KeyboardInterrupt), outside, fractions])
def test_a_match_that_fails_at_any_round_goes_on_to_what_it_would_have_been(
    game: str, fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boyi.baselines.arena.matches.ROWS", 3)
    twin = Faulty()
    compete(Match(game, [twin, Faulty()], games=4), tmp_path / "whole")
    expected = untimed(tmp_path / "whole")
    for k, at in enumerate(range(1, twin.asked + 1, 1 + twin.asked // 6)):
        path = tmp_path / str(k)
        error = KeyboardInterrupt if fault not in (fail, outside, fractions) else BoyiError
        with pytest.raises(error, match=r"^random: |^in the middle"):
            compete(Match(game, [Faulty(fault, at), Faulty()], games=4), path)
        assert all(record in expected for record in untimed(path))
        compete(Match(game, [Faulty(), Faulty()], games=4), path, resume=True)
        assert untimed(path) == expected


def test_an_agent_that_fails_at_the_end_of_a_game_is_named_and_the_game_is_not_written(tmp_path: Path) -> None:
    path, guest = tmp_path / "games", Guest(at=2)
    with pytest.raises(BoyiError, match=r"^random #2: ZeroDivisionError: in the middle$"):
        compete(Match(GAMES[0], ["random", guest], games=6), path)
    assert len(untimed(path)) == 1
    assert guest.closed


def test_an_agent_that_fails_at_leaving_is_named_and_the_others_leave_all_the_same(tmp_path: Path) -> None:
    guests = [Guest(leaving=True), Guest(leaving=True)]
    with pytest.raises(BoyiError, match=r"^random: ZeroDivisionError: in the middle$"):
        compete(Match(GAMES[0], guests, games=2), tmp_path / "games")
    assert [guest.closed for guest in guests] == [True, True]
    assert len(untimed(tmp_path / "games")) == 2


# A person's game


@every_game
@pytest.mark.parametrize("fault", [fail, outside, fractions])
def test_a_game_at_the_terminal_is_saved_as_far_as_it_was_played(game: str, fault: Fault, tmp_path: Path) -> None:
    path, chosen = tmp_path / "games", find(game)
    with pytest.raises(BoyiError, match=r"^random( #\d)?: "):
        play.sit_down(chosen, "none", [Faulty(fault, 3)], 1, path)
    record = read_line(path.read_bytes(), "it")
    assert (record.ended, record.returns) == ("unfinished", None)
    assert 2 <= record.plies == len(record.actions) < 3 * chosen.seats
    assert list(replay(chosen, 1, record.actions))[-1]["ply"] == record.plies


def test_ctrl_c_while_an_agent_thinks_saves_what_was_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play.sit_down(find(GAMES[0]), "none", [Faulty(raising(KeyboardInterrupt), 2), "random"], 1, tmp_path / "games")
    assert read_line((tmp_path / "games").read_bytes(), "it").plies == 2


# Decisions


@pytest.mark.parametrize("fault", [fail, outside, fractions])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_decision_that_fails_is_not_written_and_named(
    fault: Fault, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    faulty = Faulty(fault, at)
    inquiry = Inquiry(find(GAMES[0]), ["random", "mcts:sims=2"], positions=4)
    monkeypatch.setattr(inquiry, "agents", [faulty, make_agent("mcts:sims=2")])
    with pytest.raises(BoyiError, match=r"^random( #\d)?: "):
        inquire(inquiry, tmp_path / "decisions")
    assert len((tmp_path / "decisions").read_text().splitlines()) == 2 * max(0, at - 2)


def test_the_player_whose_games_are_asked_about_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for fault in (fail, outside, fractions):
        inquiry = Inquiry(find(GAMES[0]), ["mcts:sims=2"], positions=2)
        monkeypatch.setattr(inquiry, "host", Faulty(fault, 2))
        with pytest.raises(BoyiError, match=r"^random( #\d)?: "):
            inquire(inquiry)


# Programs behind pipes


@pytest.mark.posix
@pytest.mark.parametrize("protocol", ["gtp", "jsonl"])
def test_ctrl_c_while_a_program_thinks_leaves_no_answer_for_the_next_question(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = f"{protocol}:cmd='{command(protocol)}'"
    twin = make_env(GAMES[0], agent)
    expected, receive, at = life(twin), Program.receive, 0
    twin.close()

    def counting(self: Program, until: float) -> str:
        nonlocal at
        at -= 1
        if at == 0:
            raise KeyboardInterrupt
        return receive(self, until)

    monkeypatch.setattr(Program, "receive", counting)
    for answer in range(1, 5):
        env, at = make_env(GAMES[0], agent), answer
        with pytest.raises(KeyboardInterrupt):
            life(env)
        assert life(env) == expected
        env.close()
