"""Clocks: a seat that has used up its time loses, in the arena and against a person, and searches keep within it."""

import json
import math
import time

import numpy as np
import pytest
from engines import command
from typer.testing import CliRunner

from boyi.baselines.agent import Agent
from boyi.baselines.arena.matches import Match, check_clock, compete
from boyi.baselines.arena.sitting import PERSON, Sitting
from boyi.baselines.command import main as cli
from boyi.baselines.engines.external import GRACE
from boyi.baselines.engines.jsonl import JSONL
from boyi.envs import Batch, find
from boyi.envs.engine.errors import BoyiError
from boyi.envs.engine.view import SHARE
from boyi.envs.records.game_record import read_line

HEX = "hex:board_size=3"


CLOCK = 1.0
LONGER = 1.1  # seconds: what takes them comes too late, and everybody else has plenty of time


class Sleeper(Agent):
    """Plays the first legal action, from some ply on after a while, and notes what it was shown of its time."""

    name = "sleeper"

    def __init__(self, seconds=LONGER, ply=2):
        super().__init__()
        self.seconds, self.ply = seconds, ply
        self.seen = []

    def act(self, view):
        assert view.row.size == 1
        if view.states["ply"][0] >= self.ply:
            time.sleep(self.seconds)
        self.seen.append((int(view.episode[0]), float(view.clock[0]), view.seconds(0), view.limit))
        return view.mask.argmax(1)


def dawdle(observation, mask):
    time.sleep(LONGER)
    return mask.argmax()


def play(game, agents, clock, games=2, **options):
    match, records = Match(game, agents, games=games, clock=clock), []
    result = compete(match, report=records.append, **options)
    return sorted(records, key=lambda record: record.index), result


@pytest.fixture
def slow(clock):
    return play(HEX, [Sleeper(), "random"], CLOCK)


# The arena


def test_a_seat_that_uses_up_its_time_loses(slow):
    records, _ = slow
    for record in records:
        late, other = record.seats.index("sleeper"), record.seats.index("random")
        assert (record.ended, record.clock) == ("time", CLOCK)
        assert record.reason == "sleeper: used up its 1 seconds"
        assert record.returns[late] < record.returns[other]
        # The second decision comes too late and is not played.
        assert record.decisions["sleeper"] == 2
        assert record.seconds == {"sleeper": pytest.approx(LONGER), "random": 0.0}
        assert record.plies == 2 + late
        assert read_line(record.line().encode(), "here") == record


def test_the_table_shows_who_was_late(slow):
    _, result = slow
    assert [(row.agent, row.losses, row.late, row.forfeits) for row in result.standings] == [
        ("sleeper", 2, 2, 0), ("random", 0, 0, 0),
    ]  # fmt: skip
    assert (result.pairings[0].late, result.pairings[0].opponent_late) == (2, 0)
    head, *_, columns, first, second = str(result).splitlines()
    assert head.endswith(", every seed played from both sides, 1 s a seat")
    assert columns.split() == ["agent", "a", "move", "late"]
    assert (first.split()[0], first.split()[-1], second.split()[-1]) == ("sleeper", "2", "0")


def test_nothing_is_said_of_clocks_where_none_runs():
    records, result = play(HEX, ["random", "random"], None)
    assert records[0].clock is None and result.clock is None
    assert "late" not in str(result) and "s a seat" not in str(result)


@pytest.mark.usefixtures("clock")
def test_an_agent_sees_its_clock_fall_from_game_to_game_anew():
    agent = Sleeper(0.01, 0)
    records, _ = play(HEX, [agent, "random"], 60.0)
    assert [record.ended for record in records] == ["over"] * 2
    for game in (0, 1):
        clocks = [clock for episode, clock, _, _ in agent.seen if episode == game]
        assert len(clocks) >= 3
        assert clocks == pytest.approx([60.0 - 0.01 * k for k in range(len(clocks))])
    for _, clock, seconds, limit in agent.seen:
        assert seconds == clock / SHARE and limit is None


@pytest.mark.usefixtures("clock")
def test_every_seat_of_a_table_has_a_clock():
    agents = ["greedy", Sleeper(ply=0), "greedy", "random"]
    records, result = play("mahjong", agents, CLOCK, games=4)
    assert {record.ended for record in records} == {"time"}
    for record in records:
        late = record.seats.index("sleeper")
        assert record.reason == "sleeper: used up its 1 seconds"
        assert record.returns[late] == min(record.returns) < 0.0
        assert len({record.returns[seat] for seat in range(4) if seat != late}) == 1
    assert "1 s a seat" in str(result) and "late" in str(result)


def test_a_run_goes_on_only_under_the_same_clock(tmp_path):
    path = tmp_path / "games.jsonl"
    play(HEX, ["random", "random"], 60.0, out=path)
    lines = path.read_bytes()
    assert [json.loads(line)["clock"] for line in lines.splitlines()] == [60.0] * 2
    path.write_bytes(lines.splitlines(keepends=True)[0])
    for clock in (None, 30.0):
        with pytest.raises(BoyiError, match=r"line 1, belongs to another run: its clock is 60.0, here it is"):
            play(HEX, ["random", "random"], clock, out=path, resume=True)
    records, _ = play(HEX, ["random", "random"], 60.0, out=path, resume=True)
    assert [record.index for record in records] == [0, 1]


@pytest.mark.usefixtures("clock")
def test_a_run_with_games_lost_on_time_is_gone_on_with(tmp_path):
    path = tmp_path / "games.jsonl"
    _, result = play(HEX, [Sleeper(), "random"], CLOCK, out=path)
    records, again = play(HEX, [Sleeper(), "random"], CLOCK, out=path, resume=True)
    assert again == result and [record.ended for record in records] == ["time"] * 2


class Watched(JSONL):
    """Notes how long its program is waited for at most."""

    def __init__(self, **values):
        super().__init__(**values)
        self.waits = []

    def deadline(self, view, k):
        until = super().deadline(view, k)
        self.waits.append(until - time.monotonic())
        return until


@pytest.mark.posix
def test_time_is_not_what_a_program_is_late_for_when_its_clock_runs():
    """What has not answered when its time is up loses on time, and is not waited for any longer."""
    asked = Watched(cmd=command("jsonl", "late", 2))
    records, result = play(HEX, [asked, "random"], 1.0)
    assert [record.ended for record in records] == ["time"] * 2
    assert all(record.reason.endswith(": used up its 1 seconds") for record in records)
    assert (result.standings[0].late, result.standings[0].forfeits) == (2, 0)
    assert max(asked.waits) <= 1.0 + GRACE
    records, result = play(HEX, [JSONL(cmd=command("jsonl", "exit", 2)), "random"], 60.0)
    assert (result.standings[0].late, result.standings[0].forfeits) == (0, 2)


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("gomoku:board_size=5", "mcts:sims=1000000000"),
        ("gomoku:board_size=5", "mcts:seconds=60"),
        (HEX, "puct:sims=1000000000"),
        ("gomoku:board_size=5", "alphabeta:seconds=60"),
        ("gomoku:board_size=5", "alphabeta:depth=25"),
        pytest.param("einstein", "expectimax:seconds=60", marks=pytest.mark.slow),
        pytest.param("einstein", "expectimax:depth=20", marks=pytest.mark.slow),
    ],
)
def test_searches_keep_within_the_clock(game, agent, clock):
    """No decision takes more than its share of what is left, but for the few looks that it takes to notice."""
    clock.tick = 0.01
    records, _ = play(game, [agent, "random"], 10.0)
    for record in records:
        assert record.ended == "over"
        shares = 1 - (1 - 1 / SHARE) ** record.decisions[agent]
        assert record.seconds[agent] < 10.0 * shares + 10 * clock.tick * record.decisions[agent]


@pytest.mark.parametrize("clock", [0, -1, math.nan, math.inf, 0.0])
def test_a_clock_has_some_seconds(clock):
    with pytest.raises(BoyiError, match="clock must be above 0 seconds, not"):
        Match(HEX, ["random", "random"], clock=clock)
    with pytest.raises(BoyiError, match="clock must be above 0 seconds, not"):
        Sitting(find(HEX), [PERSON, "random"], 0, clock)


def test_whole_seconds_are_seconds():
    assert (check_clock(3), check_clock(None)) == (3.0, None)
    assert isinstance(check_clock(3), float)


def test_a_view_keeps_its_times():
    view = Batch(HEX, 3, 0, encoder=None).view()
    assert view.seconds(0) == math.inf and view.clock is None and view.limit is None
    timed = view._replace(clock=np.array([50.0, 5.0, 100.0]), limit=np.array([1.0, 1.0, 9.0])).take(np.array([2, 1]))
    assert timed.clock.tolist() == [100.0, 5.0] and timed.limit.tolist() == [9.0, 1.0]
    assert [timed.seconds(k) for k in (0, 1)] == [100.0 / SHARE, 5.0 / SHARE]
    assert view._replace(limit=np.array([1.0, 1.0, 9.0])).seconds(2) == 9.0


# The command


def boyi(*words, **options):
    return CliRunner().invoke(cli.app, list(words), **options)


@pytest.mark.parametrize("words", [["arena", HEX, "random", "random"], ["play", HEX, "--opponent", "random"]])
@pytest.mark.parametrize(("clock", "shown"), [("0", "0.0"), ("-1", "-1.0"), ("nan", "nan"), ("inf", "inf")])
def test_a_clock_without_seconds_is_one_sentence(words, clock, shown):
    done = boyi(*words, "--clock", clock)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"boyi: clock must be above 0 seconds, not {shown}\n"


@pytest.mark.usefixtures("clock")
def test_the_arena_has_a_clock(tmp_path):
    words = ["arena", HEX, "random", "test_clock:dawdle", "--games", "2", "--out", str(tmp_path / "games.jsonl")]
    done = boyi(*words, "--clock", "1")
    assert done.exit_code == 0
    head, *_, columns, _, row = done.stdout.splitlines()
    assert head.endswith(", 1 s a seat") and columns.split()[-1] == "late" and row.split()[-1] == "2"
    again = boyi(*words, "--clock", "1.5", "--resume")
    assert again.exit_code == 2 and "its clock is 1.0, here it is 1.5" in again.stderr


# A person


def sit(monkeypatch, tmp_path, answers, *words):
    """Play with answers that each come after some seconds."""
    answers = iter(answers)

    def ask(prompt):
        print(prompt, end="")
        seconds, word = next(answers)
        time.sleep(seconds)
        return word

    monkeypatch.setattr("builtins.input", ask)
    done = boyi("play", HEX, "--seed", "1", "--save", str(tmp_path / "game.jsonl"), *words)
    assert done.exit_code == 0 and "Traceback" not in done.output
    return done.stdout, read_line((tmp_path / "game.jsonl").read_bytes(), "here")


@pytest.mark.usefixtures("clock")
def test_a_person_who_is_late_loses(monkeypatch, tmp_path):
    text, record = sit(monkeypatch, tmp_path, [(0.0, "a1"), (LONGER, "a2")], "--opponent", "random", "--clock", "1")
    assert text.splitlines()[-3:-1] == ["person: used up its 1 seconds", "Out of time. You lose."]
    assert (record.ended, record.clock, record.names[0], record.plies) == ("time", 1.0, "a1", 2)
    assert record.reason == "person: used up its 1 seconds" and record.returns[0] < record.returns[1]


@pytest.mark.usefixtures("clock")
def test_thinking_is_added_up_over_words_that_play_nothing(monkeypatch, tmp_path):
    answers = [(0.3, "moves"), (0.3, "nonsense"), (0.3, "help"), (0.3, "a1")]
    text, record = sit(monkeypatch, tmp_path, answers, "--opponent", "random", "--clock", "1")
    assert (record.ended, record.plies) == ("time", 0) and "Out of time. You lose." in text


@pytest.mark.usefixtures("clock")
def test_a_person_sees_the_time_and_takes_nothing_back(monkeypatch, tmp_path):
    answers = [(0.0, "a1"), (0.0, "undo"), (0.0, "resign")]
    text, record = sit(monkeypatch, tmp_path, answers, "--opponent", "random", "--clock", "90")
    assert "seat 0, 90.0 s left> " in text and "nothing is taken back while a clock runs" in text
    assert (record.ended, record.plies, record.clock) == ("resigned", 2, 90.0)


@pytest.mark.usefixtures("clock")
def test_an_agent_that_is_late_loses_to_a_person(monkeypatch, tmp_path):
    words = ["--opponent", "test_clock:dawdle", "--clock", "1"]
    text, record = sit(monkeypatch, tmp_path, [(0.0, "a1")], *words)
    assert text.splitlines()[-3:-1] == ["test_clock:dawdle: used up its 1 seconds", "Out of time. You win."]
    assert (record.ended, record.plies) == ("time", 1) and record.returns[0] > record.returns[1]
    shown = boyi("play", "--record", str(tmp_path / "game.jsonl")).stdout
    assert shown.splitlines()[-2:] == [record.reason, "Out of time. seat 0 (person) wins."]


@pytest.mark.usefixtures("clock")
def test_without_a_clock_nobody_is_late(monkeypatch, tmp_path):
    text, record = sit(monkeypatch, tmp_path, [(0.1, "a1"), (0.0, "undo"), (0.0, "quit")], "--opponent", "random")
    assert "s left" not in text and "back to your previous decision" in text
    assert (record.ended, record.clock, record.reason) == ("unfinished", None, "")
