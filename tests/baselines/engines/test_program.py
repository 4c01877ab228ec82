"""Programs behind pipes: whatever they do wrong costs them that game, and nothing of them is left behind."""

import copy
import gc
import logging
import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import engines
import gymnasium
import numpy as np
import pytest
from engines import ILLEGAL, SOON, command, left_over
from typer.testing import CliRunner

from boyi.baselines import OpponentPool, evaluate
from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match, compete
from boyi.baselines.command import main as cli
from boyi.baselines.engines import program
from boyi.baselines.engines.gomocup import Gomocup
from boyi.baselines.engines.gtp import GTP
from boyi.baselines.engines.jsonl import JSONL
from boyi.baselines.engines.program import Program, ProgramError
from boyi.envs import Batch
from boyi.envs.engine.errors import BoyiError, IllegalAction
from boyi.envs.engine.kernels import GIVEN_UP
from boyi.envs.records.game_record import read_line

pytestmark = pytest.mark.posix

KINDS = {
    "gtp": (GTP, "hex:board_size=3"), "gomocup": (Gomocup, "gomoku:board_size=5"), "jsonl": (JSONL, "hex:board_size=3"),
}  # fmt: skip


@pytest.fixture
def impatient(monkeypatch):
    """Wait but shortly for programs that will not end or answer however long one waits."""
    monkeypatch.setattr(program, "LEAVE", 0.3)
    monkeypatch.setattr(program, "LAG", 0.1)


def agent(protocol, mode="good", after=1, pids="none", **values):
    return KINDS[protocol][0](cmd=command(protocol, mode, after, pids), **{"wait": SOON, **values})


def play(protocol, mode, after=2, games=2, pids="none", **values):
    """Play a program against the random agent; return the games in order and the match."""
    match = Match(KINDS[protocol][1], [agent(protocol, mode, after, pids, **values), "random"], games=games)
    records = []
    compete(match, report=records.append)
    return sorted(records, key=lambda record: record.index), match


# What a program may do to its games

FAULTS = {
    "exit": "ended with exit status 3",
    "end": "ended with exit status 0",
    "killed": "ended by signal 9",
    "massacre": "ended by signal 9",
    "patricide": "ended by signal 9",
    "abandoned": "ended with exit status 4",
    "late": "did not answer in time",
    "stopped": "did not answer in time",
    "flood": "wrote a line of more than 64 KiB",
    "errors": "wrote more than 4 MiB to stderr",
    "outburst": "wrote more than 4 MiB to stderr",
    "mute": "closed its output",
    "dead": "ended with exit status 1",
    "silent": "did not answer in time",
}
"""What programs of all protocols do, and what is said of it."""

LAST = {"exit": "'out of ideas'", "dead": "'cannot find the book'", "errors": "'", "outburst": "'"}
"""What some of them have said on stderr, with which the reason ends."""

ASKED = {"gtp": "(genmove|list_commands)", "gomocup": "(BEGIN|TURN|START)", "jsonl": '{"type": "decide",'}

ENDLESS = ("lines", "blank_lines", "asides")

SHORT = {"after": 1, "wait": 0.3, "start": 0.3}
WAITED_FOR = {"late": SHORT, "stopped": SHORT, "silent": SHORT, "mute": {}, "abandoned": {}, "patricide": {}}


def misbehave(protocol, mode, request, **values):
    """Play a program that does wrong, without waiting for long where that changes nothing."""
    if mode in WAITED_FOR:
        request.getfixturevalue("impatient")
    return play(protocol, mode, **values, **WAITED_FOR.get(mode, {}))


@pytest.mark.parametrize("protocol", KINDS)
@pytest.mark.parametrize("mode", FAULTS)
def test_what_a_program_does_wrong_loses_its_game_with_the_reason(protocol, mode, caplog, request):
    records, match = misbehave(protocol, mode, request)
    assert [record.ended for record in records] == ["forfeit"] * 2
    for record in records:
        bad, other = record.seats.index(match.labels[0]), record.seats.index("random")
        assert record.returns[bad] == match.game.low and record.returns[other] > record.returns[bad]
        told = record.reason.removeprefix(f"{match.labels[0]}: {FAULTS[mode]}")
        last = f"; it last said {LAST[mode]}" if mode in LAST else "" if mode == "flood" else "$"
        assert re.match(rf" \(asked '{ASKED[protocol]}[^']*' \d\.\d s before\){last}", told), record.reason
        assert len(record.reason) < len(match.labels[0]) + 450
        assert len(record.actions) == (bad if mode == "dead" or WAITED_FOR.get(mode) else 2 + bad)
        assert read_line(record.line().encode(), "here") == record
    said = [entry.getMessage() for entry in caplog.records if entry.name == "boyi"]
    assert len(said) == 2 and all(FAULTS[mode] in sentence for sentence in said)


SAID = [(protocol, mode) for protocol in KINDS for mode in [*ILLEGAL[protocol], *ENDLESS]]


@pytest.mark.parametrize(("protocol", "mode"), SAID)
def test_an_answer_that_is_none_is_quoted(protocol, mode):
    batch = Batch(KINDS[protocol][1], encoder=None, history=True)
    batch.step(np.array([0]))
    # An empty line and a complaint are no answer in the Gomocup protocol, so that one is waited for.
    waited = protocol == "gomocup" and mode in ("empty", "refused", "unknown")
    asked = agent(protocol, mode, wait=0.3 if waited else SOON)
    assert asked.act(batch.view()).tolist() == [GIVEN_UP]
    assert asked.program is None
    words = (" which is not ", "wrote 10000 lines that nobody had asked for", "did not answer in time", "refused '")
    assert any(word in asked.faults[0] for word in words)
    assert len(asked.faults[0]) < 350 and asked.faults[0].isprintable()


@pytest.mark.parametrize(
    ("protocol", "mode"), [(protocol, mode) for protocol in KINDS for mode in ("illegal", "twice")]
)
def test_a_program_that_cannot_play_loses_every_game(protocol, mode):
    mode = "occupied" if mode == "illegal" else mode
    assert [record.ended for record in play(protocol, mode)[0]] == ["forfeit"] * 2


@pytest.mark.parametrize("protocol", ["gtp", "jsonl"])
def test_capitals_are_an_answer(protocol):
    asked = agent(protocol, "capitals")
    assert asked.act(Batch("hex:board_size=3", encoder=None, history=True).view()).tolist() == [3]
    asked.close()


@pytest.mark.parametrize("protocol", KINDS)
def test_many_words_on_stderr_are_no_fault(protocol):
    assert [record.ended for record in play(protocol, "chatter")[0]] == ["over"] * 2


@pytest.mark.parametrize("protocol", KINDS)
def test_a_fault_leaves_the_other_games_as_they_would_be(protocol, tmp_path):
    good, _ = play(protocol, "good", games=4)
    records, _ = play(protocol, "once", games=4, pids=tmp_path / "pids")
    assert [record.ended for record in records] == ["forfeit", "over", "over", "over"]
    assert [record.actions for record in records[1:]] == [record.actions for record in good[1:]]
    assert [record.returns for record in records[1:]] == [record.returns for record in good[1:]]
    assert records[0].actions == good[0].actions[: len(records[0].actions)]


def test_slow_endless_lines_are_not_hoarded(monkeypatch):
    """A response of GTP ends with an empty line, which may never come."""
    monkeypatch.setattr(program, "MOST", 20)
    monkeypatch.setattr(program, "FLOOD", "flooded")
    assert all(": flooded (asked 'genmove " in record.reason for record in play("gtp", "trickle")[0])


@pytest.mark.usefixtures("impatient")
def test_ignoring_end_costs_the_very_game_in_gomoku(tmp_path):
    records, match = play("gomocup", "stubborn", pids=tmp_path / "pids")
    assert [record.ended for record in records] == ["forfeit"] * 2
    assert {record.reason for record in records} == {f"{match.labels[0]}: ignored END for 0.3 s and was killed"}
    assert all(record.returns[record.seats.index("random")] > -1.0 for record in records)
    assert not left_over(tmp_path / "pids")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("protocol", ["gtp", "jsonl"])
def test_ignoring_the_farewell_costs_no_game_where_one_program_plays_them_all(protocol, tmp_path, caplog):
    records, _ = play(protocol, "stubborn", pids=tmp_path / "pids")
    assert [record.ended for record in records] == ["over"] * 2
    assert len((tmp_path / "pids").read_text().split()) == 1
    assert caplog.messages[-1].endswith("was killed")
    assert not left_over(tmp_path / "pids")


@pytest.mark.parametrize(("protocol", "count"), [("gtp", 1), ("gomocup", 4), ("jsonl", 1)])
def test_how_many_programs_are_started(protocol, count, tmp_path):
    play(protocol, "good", games=4, pids=tmp_path / "pids")
    assert len((tmp_path / "pids").read_text().split()) == count


def test_two_programs_play_each_other(tmp_path):
    agents = [agent("gtp"), agent("jsonl", "exit", 2), agent("gtp", "late", 2, wait=0.3)]
    result = evaluate(agents[0], KINDS["gtp"][1], agents[1:], games=4)
    assert [(pairing.losses, pairing.opponent_forfeits) for pairing in result.pairings] == [(0, 4), (0, 4)]
    assert result.standings[0].forfeits == 0


# What is left of a program


@pytest.mark.parametrize(
    "mode", ["good", "children", "abandoned", "detached", "late", "flood", "mute", "stopped", "patricide"]
)
def test_nothing_of_a_program_runs_after_the_match(mode, tmp_path, request):
    misbehave("gtp", mode, request, pids=tmp_path / "pids")
    assert not left_over(tmp_path / "pids")


def test_a_collected_agent_leaves_nothing(tmp_path):
    asked = agent("jsonl", "children", pids=tmp_path / "pids")
    asked.act(Batch("hex:board_size=3", encoder=None).view())
    del asked
    gc.collect()
    assert not left_over(tmp_path / "pids")


OWNER = """
import os, sys, time
from boyi.baselines.engines.program import Program
program = Program(sys.argv[1])
program.send("name")
assert program.receive(time.monotonic() + 60) == "= "
"""


FLOODED = """
while not program.inbox.flood:
    time.sleep(0.01)
"""


def own(code, mode, pids, after=1):
    """Run a Python program that starts one and then does something else."""
    # Recent Python warns of forks beside threads, which is the very thing to try here.
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", OWNER + code, command("gtp", mode, after, pids)]
    return subprocess.run(words, capture_output=True, text=True, timeout=SOON)


@pytest.mark.parametrize("mode", ["children", "detached", "stubborn"])
def test_nothing_of_a_program_outlives_whoever_was_killed(mode, tmp_path):
    done = own("os.kill(os.getpid(), 9)", mode, tmp_path / "pids")
    assert done.returncode == -signal.SIGKILL
    assert not left_over(tmp_path / "pids")


@pytest.mark.parametrize("code", ["", "raise SystemExit(0)", "program.send('boardsize 3\\ngenmove b')" + FLOODED])
def test_python_ends_silently_with_a_program_that_nobody_closed(code, tmp_path):
    done = own(code, "flood", tmp_path / "pids")
    assert (done.returncode, done.stderr) == (0, "")
    assert not left_over(tmp_path / "pids")


def test_a_fork_does_not_end_the_program_of_its_parent(tmp_path):
    code = """
if not os.fork():
    sys.exit(0)
os.wait()
program.receive(time.monotonic() + 60)
program.send("name")
print(program.receive(time.monotonic() + 60))
"""
    done = own(code, "good", tmp_path / "pids")
    assert (done.stdout, done.stderr) == ("= \n", "")
    assert not left_over(tmp_path / "pids")


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_an_agent_in_a_fork_asks_a_program_of_its_own(tmp_path):
    asked, view = agent("jsonl", pids=tmp_path / "pids"), Batch("hex:board_size=3", encoder=None).view()
    asked.act(view)
    child = os.fork()
    if not child:
        good = asked.act(view).tolist() == [0] and not asked.faults
        asked.close()
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert asked.act(view).tolist() == [0]
    asked.close()
    assert len((tmp_path / "pids").read_text().split()) == 2
    assert not left_over(tmp_path / "pids")


def test_copies_start_a_program_of_their_own(tmp_path):
    asked, view = agent("jsonl", pids=tmp_path / "pids"), Batch("hex:board_size=3", encoder=None).view()
    asked.act(view)
    others = [copy.deepcopy(asked), pickle.loads(pickle.dumps(asked))]
    for other in others:
        assert other.program is None
        assert other.act(view).tolist() == [0]
        other.close()
    assert asked.act(view).tolist() == [0]
    asked.close()
    assert len((tmp_path / "pids").read_text().split()) == 3
    assert not left_over(tmp_path / "pids")


def test_a_closed_agent_may_be_asked_again():
    asked, view = agent("jsonl"), Batch("hex:board_size=3", encoder=None).view()
    for _ in range(2):
        assert asked.act(view).tolist() == [0]
        asked.close()
        asked.close()


# Programs that cannot be started


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("gtp", "gtp runs a program: give its command line, as in gtp:cmd='program --fast'"),
        ("gtp:cmd='no-such-program --fast'", "there is no program 'no-such-program' that can be run"),
        ("gtp:cmd='/'", "there is no program '/' that can be run"),
        ("gtp:cmd='/etc/passwd'", "there is no program '/etc/passwd' that can be run"),
        ("gtp:cmd=' '", "there is no program"),
        ("gtp:cmd='engine \"half'", "cannot read the command 'engine \"half': No closing quotation"),
        ("gtp:cmd=ls,wait=-1", "gtp: wait must be a number from 0.0 to 86400.0, not -1"),
        ("gtp:cmd=ls,seconds=-0.5", "gtp: seconds must be a number from 0.0 to 86400.0, not -0.5"),
        ("gomocup:cmd=ls,pause=61", "gomocup: pause must be a number from 0.0 to 60.0, not 61"),
        ("gomocup:cmd=ls", "gomocup plays gomoku, not hex"),
        ("jsonl:ls,cmd=ls", "'jsonl:ls,cmd=ls' gives cmd twice"),
    ],
)
def test_a_program_that_cannot_be_started_is_one_sentence(text, sentence):
    with pytest.raises(BoyiError) as caught:
        make_agent(text, "hex:board_size=3")
    assert str(caught.value).startswith(sentence) and "\n" not in str(caught.value)
    done = CliRunner().invoke(cli.app, ["arena", "hex", text, "random", "--board-size", "3"])
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)


def test_gtp_is_for_hex():
    with pytest.raises(BoyiError, match="gtp plays hex, not gomoku"):
        make_agent("gtp:cmd=ls", "gomoku")


def test_what_is_no_program_after_all_loses(tmp_path):
    script = tmp_path / "script"
    script.write_text("\x7fELF nothing of the kind")
    script.chmod(0o755)
    match = Match("hex:board_size=3", [GTP(cmd=shlex.quote(str(script))), "random"], games=2)
    assert {"Exec format error" in record.reason for record in match.play()} == {True}


def test_the_command_may_stand_alone_and_has_quotes_for_spaces(tmp_path):
    place = tmp_path / "two words"
    place.mkdir()
    script = place / "engine.py"
    script.write_text(Path(engines.__file__).read_text())
    text = f"""jsonl:'{sys.executable} -S -E "{script}" jsonl good 1 none'"""
    asked = make_agent(text, "hex:board_size=3")
    assert str(make_agent(str(asked))) == str(asked) == text
    assert asked.act(Batch("hex:board_size=3", encoder=None).view()).tolist() == [0]
    asked.close()


# The places where a program may play


def test_arena_counts_forfeits_and_shows_no_traceback(tmp_path):
    words = ["arena", "hex:board_size=3", f"gtp:cmd='{command('gtp', 'exit', 2)}'", "random", "--games", "4"]
    done = CliRunner().invoke(cli.app, [*words, "--out", str(tmp_path / "games.jsonl")])
    assert done.exit_code == 0 and "Traceback" not in done.output
    _, name, other, _, pairing, head, *rows = done.stdout.splitlines()
    assert (name, other) == (f"#1 {words[2]}", "#2 random") and pairing.split()[:5] == ["#1", "#2", "0", "0", "4"]
    assert head.split()[-1] == "forfeits" and [row.split()[-1] for row in rows] == ["4", "0"]
    lines = (tmp_path / "games.jsonl").read_bytes().splitlines()
    assert [read_line(line, "here").ended for line in lines] == ["forfeit"] * 4
    again = CliRunner().invoke(cli.app, [*words, "--out", str(tmp_path / "games.jsonl"), "--resume"])
    assert again.exit_code == 0 and [row.split()[-1] for row in again.stdout.splitlines()[-2:]] == ["4", "0"]


def last_legal(info):
    return int(np.flatnonzero(info["action_mask"])[-1])


def returns_of(env, games=3):
    """Play the last legal action always; return the returns of every game."""
    found = []
    _, info = env.reset(seed=1)
    while len(found) < games:
        _, _, terminated, truncated, info = env.step(last_legal(info))
        assert not truncated
        if terminated:
            found.append(info["returns"].tolist())
            _, info = env.reset()
    return found


@pytest.mark.parametrize("protocol", ["gtp", "jsonl"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_program_is_an_opponent_in_gymnasium(protocol, seat):
    text = f"{protocol}:cmd='{command(protocol)}'"
    opponent = make_agent(text)
    env = gymnasium.make("boyi/Hex-v0", board_size=3, opponent=opponent, seat=seat)
    # The first free cells of a row join left and right, the last ones do too.
    assert returns_of(env) == [[-1.0, 1.0]] * 3
    assert opponent.program is not None
    env.close()
    assert opponent.program is None
    bad = gymnasium.make("boyi/Hex-v0", board_size=3, opponent=agent(protocol, "exit", 2), seat=seat)
    for returns in returns_of(bad):
        assert returns[1 - seat] == -1.0 < returns[seat]


def test_a_pool_holds_programs():
    pool = OpponentPool([agent("gtp"), agent("jsonl", "exit", 2), "random"])
    env = gymnasium.make("boyi/Hex-v0", board_size=3, opponent=pool)
    returns = returns_of(env, 12)
    assert {value[1] for value in returns} >= {1.0, -1.0}
    pool.close()
    assert all(getattr(member, "program", None) is None for member in pool.members)
    match = Match("hex:board_size=3", [OpponentPool([agent("jsonl", "exit", 2)]), "random"], games=2)
    assert [record.ended for record in match.play()] == ["forfeit"] * 2


@pytest.mark.parametrize(
    "protocol", ["jsonl", *(pytest.param(each, marks=pytest.mark.slow) for each in KINDS if each != "jsonl")]
)
def test_a_program_is_an_opponent_in_a_vector_environment(protocol):
    name = "boyi/Gomoku-v0" if protocol == "gomocup" else "boyi/Hex-v0"
    size = 5 if protocol == "gomocup" else 3
    ways = [
        (agent(protocol), "forfeit"),
        (agent(protocol, "exit", 1), "forfeit"),
        (agent(protocol, "exit", 1), "raise"),
    ]
    returns = []
    for opponent, illegal in ways:
        envs = gymnasium.make_vec(name, num_envs=2, board_size=size, opponent=opponent, illegal=illegal)
        _, info = envs.reset(seed=1)
        found = []
        for _ in range(6):
            actions = np.array([np.flatnonzero(mask)[-1] for mask in info["action_mask"]])
            _, _, terminated, _, info = envs.step(actions)
            found += [final.tolist() for final in info["final_info"]["returns"]] if terminated.all() else []
        envs.close()
        assert opponent.program is None
        returns.append(found)
    assert len(returns[0]) >= 2
    assert len(returns[1]) == 12 and all(mine > theirs == -1.0 for mine, theirs in returns[1])
    assert returns[2] == returns[1]


def test_only_an_opponent_may_give_up_where_illegal_actions_raise():
    options = {"board_size": 3, "opponent": agent("gtp", "exit", 2), "illegal": "raise"}
    env, envs = gymnasium.make("boyi/Hex-v0", **options), gymnasium.make_vec("boyi/Hex-v0", 2, **options)
    assert returns_of(env) == [[0.0, -1.0]] * 3
    envs.reset(seed=1)
    with pytest.raises(IllegalAction):
        env.step(GIVEN_UP)
    with pytest.raises(IllegalAction):
        envs.step(np.array([0, GIVEN_UP]))
    env.close()
    envs.close()


def test_a_person_wins_against_a_program_that_gives_up(tmp_path, caplog):
    text = f"gtp:cmd='{command('gtp', 'exit', 2)}'"
    words = ["play", "hex:board_size=3", "--opponent", text, "--save", str(tmp_path / "game.jsonl")]
    done = CliRunner().invoke(cli.app, words, input="b2\nc2\n")
    assert done.exit_code == 0
    why, *others = done.stdout.splitlines()[-3:]
    told = r"ended with exit status 3 \(asked 'genmove white' \d\.\d s before\); it last said 'out of ideas'"
    assert re.fullmatch(re.escape(f"{text}: ") + told, why)
    assert others == ["Forfeited. You win.", f"saved to {tmp_path / 'game.jsonl'}"]
    record = read_line((tmp_path / "game.jsonl").read_bytes(), "here")
    assert (record.ended, record.names) == ("forfeit", ["b2", "a1", "c2"])
    shown = CliRunner().invoke(cli.app, ["play", "--record", str(tmp_path / "game.jsonl")]).stdout
    assert record.reason in shown and "Forfeited. seat 0 (person) wins." in shown


# The pipes themselves


@pytest.mark.usefixtures("impatient")
def test_a_program_that_reads_nothing_blocks_nobody():
    asleep = Program(f"{sys.executable} -S -E -c 'import time; time.sleep(600)'")
    for _ in range(3000):
        asleep.send("x" * 1000)
    with pytest.raises(ProgramError, match="did not answer in time"):
        asleep.receive(time.monotonic() + 0.1)
    assert asleep.leave("quit") == "ignored quit for 0.3 s and was killed"


def test_lines_that_nobody_reads_are_not_hoarded():
    speaker, until = Program(command("gtp", "lines")), time.monotonic() + SOON
    speaker.send("genmove b")
    while not speaker.inbox.flood and time.monotonic() < until:
        time.sleep(0.01)
    assert speaker.inbox.flood and speaker.inbox.lines.qsize() <= program.MOST + 1
    speaker.close()


def test_lines_arrive_as_they_are_without_their_ends():
    code = "import sys; sys.stdout.buffer.write(b'one\\r\\n two \\n\\n\\xe9\\n\\0\\nlast'); sys.stdout.flush()"
    speaker = Program(shlex.join([sys.executable, "-S", "-E", "-c", code]))
    said = [speaker.receive(time.monotonic() + SOON) for _ in range(6)]
    assert said == ["one", " two ", "", "\ufffd", "\0", "last"]
    with pytest.raises(ProgramError, match=r"ended with exit status 0$"):
        speaker.receive(time.monotonic() + SOON)
    speaker.close()
    speaker.close()


def test_an_agent_logs_where_a_legal_action_was_wanted(caplog):
    with caplog.at_level(logging.INFO, "boyi"):
        play("jsonl", "outside")
    assert "is not legal in\nhex 3x3  ply 2 " in caplog.text


def test_faults_are_those_of_the_latest_decision():
    asked, view = agent("jsonl", "exit"), Batch("hex:board_size=3", 2, encoder=None).view()
    assert asked.act(view).tolist() == [-1, -1]
    assert list(asked.faults) == [0, 1]
    asked.values["cmd"] = command("jsonl")
    assert asked.act(view).tolist() == [0, 0]
    assert asked.faults == {}
    asked.close()


def test_actions_that_were_not_kept_are_asked_for():
    asked = agent("gtp")
    batch = Batch("hex:board_size=3", encoder=None)
    batch.step(np.array([0]))
    with pytest.raises(BoyiError, match="gtp follows a game by its actions: make the batch with history=True"):
        asked.act(batch.view())
    asked.close()


def test_an_undone_game_is_told_from_the_start(tmp_path):
    asked, batch = agent("gtp", pids=tmp_path / "pids"), Batch("hex:board_size=3", encoder=None, history=True, seed=1)
    for first in (8, 7):
        batch.reset([1])
        batch.step(np.array([first]))
        assert asked.act(batch.view()).tolist() == [0]
    asked.close()
    assert len((tmp_path / "pids").read_text().split()) == 1
