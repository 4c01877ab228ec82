"""GTP, both ends: the engine of a Hex game answers as the protocol says, and `gtp` says what a program expects."""

import io
import re
import subprocess
import time
from typing import ClassVar

import numpy as np
import pytest
from contestants import WHILE, Timekeeper
from engines import ENGINE, SOON, command
from typer.testing import CliRunner

from boyi import __version__
from boyi.baselines.agent import Agent
from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match
from boyi.baselines.command import main as cli
from boyi.baselines.engines import external
from boyi.baselines.engines.engine import Engine
from boyi.baselines.engines.gtp import GTP
from boyi.baselines.engines.gtp_server import Server
from boyi.baselines.engines.lines import serve
from boyi.envs import Batch, find
from boyi.envs.engine.errors import BoyiError
from boyi.envs.engine.view import SHARE

pytestmark = pytest.mark.posix

HEX = "hex:board_size=3"


def server(game=HEX, agent="random", seed=0):
    return Server(Engine(find(game), make_agent(agent), seed))


def talk(*lines, game=HEX, agent="random"):
    """Say lines to an engine; return its responses without the empty lines behind them."""
    out = io.StringIO()
    serve(server(game, agent), lines, out)
    assert out.getvalue() == "" or out.getvalue().endswith("\n\n")
    return out.getvalue().split("\n\n")[:-1]


COMMANDS = [
    "protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize", "clear_board", "play",
    "genmove", "undo", "showboard", "time_settings", "time_left", "final_score", "boyi-stream",
]  # fmt: skip


# The engine


def test_it_says_who_it_is():
    assert talk("protocol_version", "name", "version") == ["= 2", "= boyi", f"= {__version__}"]
    assert talk("list_commands") == ["= " + "\n".join(COMMANDS)]
    assert talk("known_command genmove", "known_command Genmove", "known_command fly", "known_command") == [
        "= true", "= false", "= false", "= false",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "response"),
    [
        ("name", "= boyi"),
        ("12 name", "=12 boyi"),
        ("007 clear_board", "=007"),
        ("12 fly", "?12 unknown command"),
        ("12", "?12 unknown command"),
        ("fly", "? unknown command"),
        ("NAME", "= boyi"),
        ("  \t name \t ", "= boyi"),
        ("name # who", "= boyi"),
        ("na\x00me\r", "= boyi"),
        ("boardsize\t3", "="),
        ("3 genmove\tb # please", None),
        ("-1 name", "? unknown command"),
        ("=", "? unknown command"),
        ("genmove", "? no colour '': black or white"),
        ("genmove red", "? no colour 'red': black or white"),
        ("genmove w", "? it is black's turn"),
        ("play black", "? syntax error: play COLOUR MOVE"),
        ("play black a1 b1", "? syntax error: play COLOUR MOVE"),
        ("play white a1", "? it is black's turn"),
        ("play black pass", "? no action 'pass': cells are a1 to c3"),
        ("play black d1", "? no action 'd1': cells are a1 to c3"),
        ("play black swap-pieces", "? no action 'swap-pieces': cells are a1 to c3"),
        ("play black a" + "1" * 5000, None),
        ("play b a1 # the corner", "="),
        ("undo", "? cannot undo"),
        ("final_score", "? the game is not over"),
        ("time_settings 10 0", "? syntax error: time_settings MAIN BYO_YOMI STONES"),
        ("time_settings 10 0 -1", "? syntax error: time_settings MAIN BYO_YOMI STONES"),
        ("time_settings " + "1" * 5000 + " 0 0", "? syntax error: time_settings MAIN BYO_YOMI STONES"),
        ("time_settings 1.5. 0 0", "? syntax error: time_settings MAIN BYO_YOMI STONES"),
        ("time_left b 10 0 0", "? syntax error: time_left COLOUR TIME [STONES]"),
        ("time_left", "? syntax error: time_left COLOUR TIME [STONES]"),
        ("boyi-stream 1 2", "? syntax error: boyi-stream KEY COUNTER GAME"),
        ("boyi-stream 1 2 99999999999999999999", "? a stream is three whole numbers of 64 bits"),
    ],
)
def test_a_line_has_one_response(line, response):
    responses = talk(line)
    assert len(responses) == 1
    assert response is None or responses[0] == response
    assert re.match(r"[=?]\d*( |$)", responses[0])


def test_empty_lines_and_comments_have_no_response():
    assert talk("", "  ", "\t", "\r\n", "# name", "#", "name") == ["= boyi"]


@pytest.mark.parametrize("line", ["quit", "12 quit", "QUIT", "quit # for today", "quit\r\n", "quit now"])
def test_quit_is_the_last_command(line):
    assert [response.rstrip("12") for response in talk("name", line, "name")] == ["= boyi", "="]


@pytest.mark.parametrize("line", ["known_command quit", "name # quit", "play b quit", "# quit", "name quit"])
def test_other_commands_are_not(line):
    assert talk(line, "version")[-1] == f"= {__version__}"


@pytest.mark.parametrize("size", [*(pytest.param(n, marks=pytest.mark.slow) for n in ("1", "2", "26")), "11", "11 11"])
def test_sizes_of_the_board(size):
    responses = talk(f"boardsize {size}", "showboard", "genmove black")
    side = size.split()[0]
    assert responses[0] == "="
    assert responses[1].startswith(f"= \nhex {side}x{side}  ply 0  last -  X to move\n   a")
    assert re.fullmatch(r"= [a-z]\d\d?", responses[2])


@pytest.mark.parametrize("size", ["0", "27", "-3", "x", "", "11 12", "3.0", "1" * 5000])
def test_other_sizes_leave_the_game_as_it_was(size):
    assert talk("play b b2", f"boardsize {size}", "play w b2") == ["=", "? unacceptable size", "? illegal move b2"]


@pytest.mark.slow
def test_a_board_of_one_cell_is_a_game():
    assert talk("boardsize 1", "genmove b", "final_score", "genmove w") == ["=", "= a1", "= B+", "? the game is over"]


def test_moves_undone_and_boards_cleared():
    assert talk("play B A1", "play white a1", "play w b1", "undo", "undo", "undo", "play b b1") == [
        "=", "? illegal move a1", "=", "=", "=", "? cannot undo", "=",
    ]  # fmt: skip
    assert talk("play b a1", "clear_board", "play b a1") == ["="] * 3
    assert talk("play b a1", "boardsize 3", "play b a1") == ["="] * 3


def test_black_joins_top_and_bottom():
    black = ["play b a1", "play w b1", "play b a2", "play w b2", "play b a3"]
    white = ["play b a1", "play w a2", "play b b1", "play w b2", "play b c1", "play w c2"]
    assert talk(*black, "final_score", "play w c1", "genmove w")[5:] == [
        "= B+", "? the game is over", "? the game is over",
    ]  # fmt: skip
    assert talk(*white, "final_score", "undo", "final_score", "genmove w", "final_score")[6:9] == [
        "= W+", "=", "? the game is not over",
    ]  # fmt: skip


def test_pieces_are_swapped_only_where_that_is_the_rule():
    lines = ("play b a2", "play w swap-pieces", "showboard", "undo", "play w swap-pieces", "genmove b")
    told = talk(*lines, game="hex:board_size=3,swap=true")
    assert [word[0] for word in told] == ["="] * 6
    assert " 1  . O ." in told[2] and told[2].startswith("= \nhex 3x3 swap  ply 2  last swap-pieces  X to move")
    assert talk(*lines[:2])[1].startswith("? no action 'swap-pieces'")
    assert "= swap-pieces" in talk(*["clear_board", "play b a2", "genmove w"] * 60, game="hex:board_size=3,swap=true")


def test_games_differ_but_not_from_one_engine_to_the_next():
    """Who starts the same engine again plays the same games again; no two of them need be alike."""
    lines = ["clear_board", "genmove b", "genmove w", "undo", "genmove w"] * 8
    told = talk(*lines, game="hex:board_size=5")
    assert talk(*lines, game="hex:board_size=5") == told
    assert len(set(told[1::5])) > 4
    assert told[2::5] == told[4::5]


@pytest.mark.parametrize("game", ["hex:board_size=5", "hex:board_size=5,swap=true"])
def test_whole_games_are_those_of_the_rules(game):
    """The server plays one colour, the test the other; board, turns and result are those of a batch."""
    text = find(game).module("text")
    for seed in range(6):
        served, batch, lots = server(game, seed=seed), Batch(game, encoder=None, seed=0), np.random.default_rng(seed)
        while (seat := int(batch.to_move[0])) >= 0:
            state = batch.states[0]
            if seat == seed % 2:
                answer = served.answer(f"genmove {'bw'[seat]}")
                action = text.parse(state, answer.removeprefix("= ").strip())
            else:
                action = int(lots.choice(np.flatnonzero(batch.mask[0])))
                assert served.answer(f"play {'bw'[seat]} {text.name(state, action)}") == "=\n\n"
            returns = batch.step(np.array([action]))[0][0]
            assert served.answer("showboard") == f"= \n{text.diagram(batch.states[0])}\n\n"
        assert served.answer("final_score") == f"= {'BW'[returns.argmax()]}+\n\n"


# Time


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("0 1 0", (None, None)),  # the protocol's way to say: no limit
        ("60 0 0", (60.0, None)),
        ("60 10 2", (60.0, None)),
        ("0 10 2", (None, 5.0)),
        ("0 0 0", (0.0, None)),
    ],
)
def test_what_time_settings_say(settings, told):
    agent = Timekeeper()
    served = Server(Engine(find(HEX), agent))
    for line in (f"time_settings {settings}", "genmove b", "clear_board", "genmove b", "boardsize 3", "genmove b"):
        assert served.answer(line)[0] == "="
    # A new game begins with all the time again.
    assert agent.told == [told] * 3


@pytest.mark.usefixtures("clock")
def test_an_engine_watches_its_own_clock():
    agent = Timekeeper()
    served = Server(Engine(find(HEX), agent))
    for line in ("time_settings 60 0 0", "genmove b", "play w c3", "genmove b", "genmove w"):
        assert served.answer(line)[0] == "="
    clocks = [clock for clock, _ in agent.told]
    assert clocks == pytest.approx([60.0, 60.0 - WHILE, 60.0 - 2 * WHILE])
    for line, told in [
        ("time_left w 7 0", (pytest.approx(60.0 - 3 * WHILE), None)),
        ("time_left b 5 0", (5.0, None)),
        ("time_left black 6 3", (None, 2.0)),
    ]:
        served.answer(line)
        served.answer("genmove b")
        served.answer("undo")
        # Only the time of the colour to move matters.
        assert agent.told[-1] == told


class Trial(Agent):
    """Notes, together with all its copies, at which plies it was asked with how little time."""

    name = "trial"
    asked: ClassVar[list[tuple[int, bool]]] = []

    def act(self, view):
        self.asked.append((int(view.states["ply"][0]), view.limit is not None and view.limit[0] < 0.01))
        return view.mask.argmax(1)


def test_kernels_are_compiled_before_the_clock_runs():
    """A copy decides twice running, as the second decision goes on from the first, once for each kind of board."""
    Trial.asked.clear()
    served = Server(Engine(find(HEX), Trial()))
    assert Trial.asked == [(0, True), (1, True)]
    for line in ("boardsize 5", "clear_board", "boardsize 5", "genmove b"):
        served.answer(line)
    assert Trial.asked[2:] == [(0, True), (1, True), (0, False)]


@pytest.mark.slow
def test_a_game_that_one_action_ends_is_compiled_by_one_decision():
    Trial.asked.clear()
    Server(Engine(find("hex:board_size=1"), Trial()))
    assert Trial.asked == [(0, True)]


@pytest.mark.parametrize("agent", ["mcts:sims=1000000000", "alphabeta:seconds=60"])
def test_a_search_that_would_go_on_for_ever_keeps_to_the_time(agent, clock):
    clock.tick = 0.01
    served = server("hex:board_size=3", agent)
    for line, limit in [("time_settings 0 1 2", 0.5), ("time_left b 1 0", 1.0 / SHARE), ("time_left b 1 2", 0.5)]:
        served.answer(line)
        started = clock.now
        assert re.fullmatch(r"= [a-c][1-3]\n\n", served.answer("genmove b"))
        assert clock.now - started < limit + 10 * clock.tick
        served.answer("undo")


# The agent


def last(observation, mask):
    return np.flatnonzero(mask)[-1]


def notes(tmp_path, game=HEX, clock=None, **values):
    """Let `gtp` play two games with a program that listens; return what that was told."""
    asked = GTP(cmd=command("gtp", "listening", 1, tmp_path / "pids"), **values)
    match = Match(game, [asked, last], games=2, clock=clock)
    ends = [record.ended for record in match.play()]
    asked.close()
    assert ends == ["over"] * 2
    return (tmp_path / "pids.lines").read_text().splitlines()


def test_what_a_program_is_told(tmp_path):
    lines = notes(tmp_path)
    assert lines[:5] == ["list_commands", "param_game allow_swap 0", "boardsize 3", "clear_board", "genmove black"]
    assert lines.count("clear_board") == 2 and lines[-1] == "quit"
    second = lines[lines.index("clear_board", 5) :]
    assert second[1].startswith("play black ") and second[2] == "genmove white"
    assert not any(line.startswith("time") for line in lines)
    turns = [line.split()[:2] for line in second if line.split()[0] in ("play", "genmove")]
    assert turns == [["play", "black"], ["genmove", "white"]] * (len(turns) // 2)


def test_a_program_is_told_its_time(tmp_path):
    lines = notes(tmp_path, seconds=7)
    assert lines.count("time_settings 0 7 1") == 2
    lines = notes(tmp_path, clock=100.0)
    assert "time_settings 100 0 0" in lines
    assert [line for line in lines if line.startswith("time_left black ")]
    for line in lines:
        if line.startswith("time_left"):
            assert re.fullmatch(r"time_left (black|white) ([1-9][0-9]?|100) 0", line)


def test_a_program_is_told_of_swapping(tmp_path):
    lines = notes(tmp_path, game="hex:board_size=3,swap=true")
    assert "param_game allow_swap 1" in lines
    assert "play white swap-pieces" in lines


def play(mode, caplog, clock=None, pids="none", **values):
    """Let a program play two games, which it must play to their ends; return what the log says of it."""
    asked = GTP(cmd=command("gtp", mode, 1, pids), **{"wait": SOON, **values})
    records = list(Match(HEX, [asked, last], games=2, clock=clock).play())
    asked.close()
    assert [(record.ended, record.reason) for record in records] == [("over", "")] * 2
    return [
        entry.getMessage().removeprefix(f"{asked}: the program ") for entry in caplog.records if entry.name == "boyi"
    ]


def test_a_program_that_cannot_be_told_its_time_is_waited_for(caplog, monkeypatch):
    """It thinks longer than its time and the grace."""
    monkeypatch.setattr(external, "GRACE", 0.1)
    sentence = f"has no time_settings: it is not told of its 0.1 s a decision, and each is awaited for {SOON:g} s"
    assert play("habit", caplog, seconds=0.1, setup="param_mohex max_time 0.3") == [sentence]


def test_a_program_that_cannot_be_told_of_its_clock_is_not(caplog):
    assert play("habit", caplog, clock=SOON, setup="param_mohex max_time 0") == [
        "has no time_settings and takes no time_left: it is not told of its clock"
    ]


def test_a_program_is_set_up_by_commands_of_its_own(caplog):
    started = time.monotonic()
    assert len(play("habit", caplog, seconds=0.1, setup=" param_mohex max_time 0; ;boardsize 4 ")) == 1
    assert time.monotonic() - started < 6 * 0.8


def test_a_setup_that_is_refused_ends_the_run():
    asked = GTP(cmd=command("gtp", "habit"), setup="param_mohex maxtime 2")
    with pytest.raises(BoyiError, match=r"^setup: the program refused 'param_mohex maxtime 2': unknown command$"):
        asked.act(Batch(HEX, encoder=None, history=True).view())
    assert asked.program is None


def test_parts_of_seconds_are_told_where_they_are_taken(caplog, tmp_path):
    assert play("listening", caplog, seconds=0.5, pids=tmp_path / "pids") == []
    assert "time_settings 0 0.5 1" in (tmp_path / "pids.lines").read_text()
    assert play("whole", caplog, seconds=1.5) == ["takes whole seconds: it is told 2 s a decision, not 1.5"]


def test_time_left_is_told_as_the_program_takes_it_or_not_at_all(caplog, tmp_path):
    for mode in ("few", "untimed"):
        assert play(mode, caplog, clock=SOON, pids=tmp_path / mode) == []


@pytest.mark.parametrize(
    ("line", "told"),
    [("time_left b 7", (7.0, None)), ("time_left b 7.25 0", (7.25, None)), ("time_settings 0 0.5 1", (None, 0.5))],
)
def test_an_engine_takes_parts_of_seconds_and_no_stones(line, told):
    agent = Timekeeper()
    served = Server(Engine(find(HEX), agent))
    assert [served.answer(each)[0] for each in (line, "genmove b")] == ["=", "="]
    assert agent.told[-1] == told


# Both


@pytest.mark.parametrize("game", [HEX, "hex:board_size=3,swap=true"])
def test_the_same_seed_is_the_same_game_with_the_pipe(game):
    words = " ".join([*ENGINE, game, "mcts:sims=20"])
    games = [
        [
            (record.index, record.actions, record.ended, record.returns)
            for record in Match(game, [agent, "mcts:sims=30"], games=4, seed=3).play()
        ]
        for agent in ("mcts:sims=20", f"gtp:cmd='{words}',start={SOON}")
    ]
    assert sorted(games[0]) == sorted(games[1])


# The command


def chatty(observation, mask):
    print("I have seen", mask.size, "actions")
    return mask.argmax()


def test_what_an_agent_prints_is_no_answer():
    done = CliRunner().invoke(cli.app, ["engine", HEX, "test_gtp:chatty"], input="name\ngenmove b\n")
    assert (done.exit_code, done.stdout) == (0, "= boyi\n\n= a1\n\n")
    assert "I have seen 9 actions" in done.stderr


def failing(observation, mask):
    if mask.sum() < 8:
        raise ZeroDivisionError("in the middle")
    return mask.argmax()


def test_an_agent_that_fails_is_named_and_the_engine_goes_on():
    said = "genmove b\ngenmove w\ngenmove b\nname\n"
    done = CliRunner().invoke(cli.app, ["engine", HEX, "test_gtp:failing"], input=said)
    sentence = "test_gtp:failing: ZeroDivisionError: in the middle"
    assert (done.exit_code, done.stdout) == (0, f"= a1\n\n= b1\n\n? {sentence}\n\n= boyi\n\n")


def engine(*words, said=""):
    return subprocess.run([*ENGINE, *words], input=said, capture_output=True, text=True, timeout=SOON)


def test_the_command_speaks_gtp_for_hex():
    done = engine("hex:board_size=3", "random", said="1 name\n2 boardsize 5\n3 genmove b\n4 quit\n5 name\n")
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert re.fullmatch(r"=1 boyi\n\n=2\n\n=3 [a-e][1-5]\n\n=4\n\n", done.stdout)


def test_the_command_ends_with_its_input():
    done = engine("hex", "random", "--board-size", "3", said="name\nplay b \xe9\ngenmove b")
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert re.fullmatch(r"= boyi\n\n\? no action 'é': cells are a1 to c3\n\n= [a-c][1-3]\n\n", done.stdout)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("gomoku random --protocol gtp", "gtp is spoken for hex, not gomoku: choose the protocol jsonl"),
        ("hex random --protocol gomocup", "gomocup is spoken for gomoku, not hex: choose the protocol jsonl"),
        ("hex random --protocol gdp", "unknown protocol 'gdp': did you mean 'gtp'?"),
        ("hex nobody", "unknown agent 'nobody'"),
        ("hex two_phase", "two_phase"),
        ("nothing random", "unknown game 'nothing'"),
    ],
)
def test_what_cannot_be_an_engine_is_one_sentence(words, sentence):
    done = CliRunner().invoke(cli.app, ["engine", *words.split()])
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert done.stderr.startswith(f"boyi: {sentence}")
