"""The Gomocup protocol, both ends: an engine of Gomoku answers as it says, `gomocup` says what a program expects."""

import io
import re
import subprocess

import numpy as np
import pytest
from contestants import WHILE, Timekeeper
from engines import ENGINE, SOON, command

from boyi import __version__
from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match
from boyi.baselines.engines.engine import Engine
from boyi.baselines.engines.gomocup import Gomocup
from boyi.baselines.engines.gomocup_server import Server
from boyi.baselines.engines.lines import serve
from boyi.envs import Batch, find

pytestmark = pytest.mark.posix

GOMOKU = "gomoku:board_size=5"


def server(game=GOMOKU, agent="random", seed=0):
    return Server(Engine(find(game), make_agent(agent), seed))


def talk(*lines, game=GOMOKU, agent="random"):
    """Say lines to an engine; return the lines it says."""
    out = io.StringIO()
    serve(server(game, agent), lines, out)
    assert out.getvalue() == "" or out.getvalue().endswith("\n")
    return out.getvalue().splitlines()


def first(observation, mask):
    return mask.argmax()


def last(observation, mask):
    return np.flatnonzero(mask)[-1]


# The engine


@pytest.mark.parametrize(
    ("lines", "answers"),
    [
        (["START 5"], ["OK"]),
        (["START 15"], ["OK"]),
        pytest.param(["START 20"], ["OK"], marks=pytest.mark.slow),
        (["start 5\r\n"], ["OK"]),
        (["START"], ["ERROR write START and the size of the board"]),
        (["START five"], ["ERROR write START and the size of the board"]),
        (["START -5"], ["ERROR write START and the size of the board"]),
        (["START 15 15"], ["ERROR write START and the size of the board"]),
        (["START " + "1" * 5000], ["ERROR write START and the size of the board"]),
        (["START 4"], ["ERROR gomoku: board_size must be a whole number from 5 to 22, not 4"]),
        (["START 23"], ["ERROR gomoku: board_size must be a whole number from 5 to 22, not 23"]),
        (["START " + "9" * 20], ["ERROR gomoku: board_size must be a whole number from 5 to 22, not " + "9" * 20]),
        (["RESTART"], ["ERROR no game has been started: send START first"]),
        (["BEGIN"], ["ERROR no game has been started: send START first"]),
        (["TURN 0,0"], ["ERROR no game has been started: send START first"]),
        (["TAKEBACK 0,0"], ["ERROR no game has been started: send START first"]),
        (["BOARD", "0,0,2", "DONE"], ["ERROR no game has been started: send START first"]),
        (["ABOUT"], [f'name="boyi random", version="{__version__}", author="boyi", country="-"']),
        (["HELLO there"], ["UNKNOWN HELLO"]),
        (["OK"], ["UNKNOWN OK"]),
        (["", "  ", "\r\n"], []),
        (["END", "ABOUT"], []),
        (["end\r\n", "ABOUT"], []),
        (["START 5", "TURN 5,0"], ["OK", "ERROR no point '5,0': write x,y from 0,0 to 4,4"]),
        (["START 5", "TURN 0"], ["OK", "ERROR no point '0': write x,y from 0,0 to 4,4"]),
        (["START 5", "TURN"], ["OK", "ERROR no point '': write x,y from 0,0 to 4,4"]),
        (["START 5", "TURN -1,0"], ["OK", "ERROR no point '-1,0': write x,y from 0,0 to 4,4"]),
        (["START 5", "TURN 0,0,1"], ["OK", "ERROR no point '0,0,1': write x,y from 0,0 to 4,4"]),
        (["START 5", "TAKEBACK 0,0"], ["OK", "ERROR the latest move is not 0,0"]),
        (["START 5", "BOARD", "0,0,1", "DONE"], None),
        (["START 5", "BOARD", "0,0,2", "1,0,2", "DONE"], None),
        (["START 5", "BOARD", "0,0,3", "DONE"], None),
        (["START 5", "BOARD", "0,0,2", "1,0,0", "DONE"], None),
        (["START 5", "BOARD", "0,0,x", "DONE"], None),
        (["START 5", "BOARD", "9,9,2", "DONE"], None),
        (["START 5", "BOARD", "0,0,2", "TURN 1,1", "DONE"], None),
        (["START 5", "BOARD", f"0,0,{'2' * 5000}", "DONE"], None),
        (["START 5", "BOARD", "0,0,2", "0,0,1", "DONE"], ["OK", "ERROR illegal move a5"]),
    ],
)  # fmt: skip
def test_what_is_answered(lines, answers):
    if answers is None:
        sentence = "ERROR a board has a line x,y,1 for each own stone and x,y,2 for each other, as many or one more"
        answers = ["OK", sentence]
    assert talk(*lines) == answers


@pytest.mark.parametrize(
    "line",
    [
        "INFO timeout_turn 1000", "INFO timeout_match 0", "INFO timeout_match 180000", "INFO time_left 2147483647",
        "INFO max_memory 83886080", "INFO game_type 1", "INFO folder /tmp", "INFO evaluate 3,3", "INFO", "INFO x",
        "INFO rule 0", "INFO rule 1", "INFO timeout_turn", "INFO timeout_turn soon", "INFO timeout_turn -1",
        f"INFO time_left {'1' * 5000}", "INFO boyi-stream 1 2 3",
    ],
)  # fmt: skip
def test_information_has_no_answer(line):
    assert talk(line, "START 5", line, "ABOUT")[1:] == talk("ABOUT")


@pytest.mark.parametrize("rule", ["2", "4", "8", "3", "x", ""])
def test_rules_that_are_not_played_are_an_error(rule):
    (answer,) = talk(f"INFO rule {rule}")
    assert answer == f"ERROR rule {rule} is not played: 0 is freestyle, 1 is exactly five"


@pytest.mark.parametrize("numbers", ["", "1 2", "1 2 x", "1 2 -3", "1 2 3 4", "1 2 99999999999999999999"])
def test_a_stream_that_is_none_is_an_error(numbers):
    assert talk(f"INFO boyi-stream {numbers}") == ["ERROR a stream is three whole numbers of 64 bits"]


def test_points_are_columns_and_rows_from_the_top_left():
    served = server(agent=first)
    assert served.answer("START 5") == "OK"
    assert served.answer("TURN 1,0") == "0,0"
    assert served.answer("TURN 2,0") == "3,0"
    assert served.answer("TURN 3,1") == "4,0"
    assert served.answer("TURN 0,1") == "1,1"
    assert served.engine.diagram().splitlines()[1:3] == [" 5  O X X O O", " 4  X O . X ."]


def test_who_begins_is_first():
    served = server(agent=last)
    assert [served.answer(line) for line in ("START 5", "BEGIN", "BEGIN")] == [
        "OK", "4,4", "ERROR there are stones on the board",
    ]  # fmt: skip
    assert served.answer("TURN 4,4") == "ERROR illegal move e1"
    assert served.answer("TURN 3,4") == "2,4"
    assert served.answer("RESTART") == "OK" and served.answer("TURN 4,4") == "3,4"


def test_the_end_of_a_game():
    served = server(agent=last)
    answers = [served.answer(line) for line in ("START 5", *(f"TURN {x},0" for x in range(5)))]
    assert answers[-1] == "ERROR the game is over"
    assert served.answer("BEGIN") == "ERROR there are stones on the board"
    assert served.answer("TURN 0,1") == "ERROR the game is over"
    assert served.answer("RESTART") == "OK" and served.answer("BEGIN") == "4,4"


def test_moves_are_taken_back():
    served = server(agent=first)
    for line in ("START 5", "TURN 4,4"):
        served.answer(line)
    assert served.answer("TAKEBACK 4,4") == "ERROR the latest move is not 4,4"
    assert served.answer("TAKEBACK 0,0") == "OK"
    assert served.answer("TAKEBACK 0,0") == "ERROR the latest move is not 0,0"
    assert served.answer("TAKEBACK 4,4") == "OK"
    assert served.answer("BEGIN") == "0,0"


def test_a_board_is_set_up_in_any_order():
    for stones in (["0,0,2", "1,0,1", "2,0,2"], ["2,0,2", "1,0,1", "0,0,2"], ["1,0,1", " 2,0,2 ", "0,0, 2"]):
        served = server(agent=first)
        assert served.answer("START 5") == "OK"
        assert [served.answer(line) for line in ("BOARD", *stones)] == [""] * 4
        assert served.answer("done") == "3,0"
        assert served.engine.diagram().splitlines()[1] == " 5  X O X O ."
        assert served.answer("TURN 0,1") == "4,0"
    own = server(agent=first)
    answers = [own.answer(line) for line in ("START 5", "BOARD", "0,0,1", "1,0,2", "DONE")]
    assert answers[-1] == "2,0" and own.engine.diagram().splitlines()[1] == " 5  X O X . ."
    full = server(agent=first)
    for line in ("START 5", "BOARD", *[f"{k % 5},{k % 3},{k % 2 + 1}" for k in range(1000)]):
        full.answer(line)
    assert len(full.stones) == 26 and full.answer("DONE").startswith("ERROR ")
    empty = server(agent=first)
    assert [empty.answer(line) for line in ("START 5", "BOARD", "DONE")][-1] == "0,0"


@pytest.mark.slow
@pytest.mark.parametrize("rule", [0, 1])
def test_six_in_a_row_win_only_in_freestyle(rule):
    row = [line for k, x in enumerate((0, 1, 2, 4, 5)) for line in (f"{x},0,2", f"{5 - k},{2 + k % 2},1")]
    told = talk(f"INFO rule {rule}", "START 6", "BOARD", *row, "3,0,2", "DONE", agent=first)
    assert told == ["OK", "ERROR the game is over" if rule == 0 else "0,1"]


@pytest.mark.slow
def test_a_board_with_six_in_a_row_may_be_told_as_five_and_one():
    row = [line for x in range(6) for line in (f"{x},0,2", f"{5 - x},{2 + x % 2},1")][:-1]
    assert talk("INFO rule 1", "START 6", "BOARD", *row, "DONE", agent=first) == ["OK", "0,1"]
    # Of five some order would do, but they end the game in every one.
    row = [line for x in range(5) for line in (f"{x},0,2", f"{5 - x},{2 + x % 2},1")]
    assert talk("INFO rule 1", "START 6", "BOARD", *row, "0,5,2", "DONE", agent=first) == [
        "OK", "ERROR the game is over",
    ]  # fmt: skip


def test_the_rule_holds_for_games_to_come():
    served = server()
    served.answer("INFO rule 1")
    served.answer("START 5")
    assert served.engine.game.params == {"board_size": 5, "rule": "standard"}
    served.answer("RESTART")
    assert served.engine.game.params["rule"] == "standard"
    served.answer("BEGIN")
    served.answer("INFO rule 0")
    assert served.engine.game.params["rule"] == "standard"


@pytest.mark.parametrize("rule", ["freestyle", "standard"])
def test_whole_games_are_those_of_the_rules(rule):
    """The server plays one side, the test the other; the board is that of a batch."""
    game = find(f"gomoku:board_size=5,rule={rule}")
    for seed in range(4):
        served, batch, lots = server(seed=seed), Batch(game, encoder=None, seed=0), np.random.default_rng(seed)
        for line in (f"INFO rule {int(rule == 'standard')}", "START 5"):
            served.answer(line)
        line = "BEGIN"
        while batch.to_move[0] >= 0:
            if batch.to_move[0] == seed % 2:
                x, y = map(int, served.answer(line).split(","))
                action = 5 * y + x
            else:
                action = int(lots.choice(np.flatnonzero(batch.mask[0])))
                line = f"TURN {action % 5},{action // 5}"
            batch.step(np.array([action]))
        if served.engine.to_move >= 0:
            assert served.answer(line) == "ERROR the game is over"
        assert served.engine.diagram() == game.module("text").diagram(batch.states[0])


# Time


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([], (None, None)),
        (["INFO timeout_turn 1000"], (None, 0.9)),
        (["INFO timeout_turn 30000"], (None, 29.8)),
        (["INFO timeout_turn 0"], (None, 0.01)),
        (["INFO timeout_match 60000"], (60.0, None)),
        (["INFO timeout_match 60000", "INFO timeout_match 0"], (None, None)),
        (["INFO timeout_match 2147483647"], (None, None)),
        (["INFO timeout_match 60000", "INFO time_left 2147483647"], (None, None)),
        (["INFO timeout_turn 1000", "INFO time_left 5500"], (5.5, 0.9)),
    ],
)
def test_what_is_said_of_the_time(lines, told):
    agent = Timekeeper()
    served = Server(Engine(find(GOMOKU), agent))
    for line in ("START 5", *lines, "BEGIN"):
        served.answer(line)
    assert agent.told[-1] == told


@pytest.mark.usefixtures("clock")
def test_an_engine_watches_its_own_clock():
    agent = Timekeeper()
    served = Server(Engine(find(GOMOKU), agent))
    for line in ("INFO timeout_match 60000", "START 5", "BEGIN", "TURN 4,4", "RESTART", "BEGIN", "INFO time_left 500"):
        served.answer(line)
    served.answer("TURN 4,4")
    clocks = [clock for clock, _ in agent.told]
    assert clocks[-4:] == [60.0, pytest.approx(60.0 - WHILE), 60.0, 0.5]


@pytest.mark.parametrize("agent", ["mcts:sims=1000000000", "alphabeta:seconds=60"])
def test_a_search_that_would_go_on_for_ever_keeps_to_the_time(agent, clock):
    clock.tick = 0.002
    served = server("gomoku:board_size=5", agent)
    for line in ("START 5", "INFO timeout_turn 200"):
        served.answer(line)
    for line in ("BEGIN", "TURN 0,0"):
        started = clock.now
        assert re.fullmatch(r"[0-4],[0-4]", served.answer(line))
        assert clock.now - started < 0.2


# The agent


def notes(tmp_path, game=GOMOKU, clock=None, **values):
    """Let `gomocup` play two games with a program that listens; return what that was told in each."""
    asked = Gomocup(cmd=command("gomocup", "listening", 1, tmp_path / "pids"), **values)
    assert [record.ended for record in Match(game, [asked, last], games=2, clock=clock).play()] == ["over"] * 2
    text = (tmp_path / "pids.lines").read_text()
    return [lines.splitlines() for lines in re.split(r"(?<=END\n)", text)[:-1]]


def test_what_a_program_is_told(tmp_path):
    games = notes(tmp_path)
    assert [lines[0] for lines in games] == ["START 5"] * 2 and [lines[-1] for lines in games] == ["END"] * 2
    for lines in games:
        assert lines[1:4] == ["INFO rule 0", "INFO game_type 1", "INFO timeout_match 0"]
        assert not any("timeout_turn" in line or "time_left" in line for line in lines)
    moves = [[line for line in lines if line.split()[0] in ("BEGIN", "TURN", "BOARD")] for lines in games]
    assert moves[0][:3] == ["BEGIN", "TURN 4,4", "TURN 3,4"]
    assert moves[1][:2] == ["TURN 4,4", "TURN 3,4"]


def test_a_program_is_told_the_rule_and_its_time(tmp_path):
    for lines in notes(tmp_path, "gomoku:board_size=5,rule=standard", clock=100.0, seconds=2.5):
        assert "INFO rule 1" in lines and "INFO timeout_turn 2500" in lines
        times = [int(line.split()[2]) for line in lines if line.startswith(("INFO timeout_match", "INFO time_left"))]
        assert len(times) > 2 and times == sorted(times, reverse=True) and 0 < times[-1] < times[0] == 100_000


def test_a_game_in_progress_is_told_as_a_board(tmp_path):
    asked = Gomocup(cmd=command("gomocup", "listening", 1, tmp_path / "pids"))
    batch = Batch(GOMOKU, 1, 0, encoder=None, history=True)
    for action in (24, 23, 22):
        batch.step(np.array([action]))
    assert asked.act(batch.view()).tolist() == [0]
    batch.step(np.array([0]))
    batch.step(np.array([21]))
    assert asked.act(batch.view()).tolist() == [1]
    batch.reset([1])
    assert asked.act(batch.view()).tolist() == [0]
    asked.close()
    games = (tmp_path / "pids.lines").read_text().split("END\n")
    # Listening stops at BOARD, whose lines are read apart.
    said = [line for line in games[0].splitlines() if not line.startswith("INFO")]
    assert said == ["START 5", "BOARD", "TURN 1,4"]
    assert "BEGIN" in games[1]


def play(mode, **values):
    """Let a program play two games; return how they ended."""
    records = Match(GOMOKU, [Gomocup(cmd=command("gomocup", mode), **{"wait": SOON, **values}), last], games=2).play()
    return [(record.ended, record.reason) for record in records]


def test_nothing_is_sent_that_the_protocol_does_not_name(tmp_path):
    assert not any("boyi" in line for lines in notes(tmp_path) for line in lines)
    assert play("tokens") == [("over", "")] * 2


def test_complaints_are_no_moves():
    assert play("complaints") == play("tokens", raw=True) == [("over", "")] * 2


def test_a_complaint_that_no_move_follows_is_told():
    for _, reason in play("refused", wait=0.3):
        assert re.search(
            r": said 'ERROR no' and did not answer in time \(asked '(BEGIN|TURN 4,4)' 0\.[3-9] s before", reason
        )


def test_a_program_that_still_thinks_it_thinks_is_left_alone():
    """It loses what comes within 0.02 s of its move, the next one or END."""
    assert play("busy", pause=0.2) == [("over", "")] * 2


# Both


def test_the_same_seed_is_the_same_game_with_the_pipe():
    words = " ".join([*ENGINE, GOMOKU, "mcts:sims=20"])
    games = [
        [
            (record.index, record.actions, record.ended, record.returns)
            for record in Match(GOMOKU, [agent, "mcts:sims=30"], games=2, seed=3).play()
        ]
        for agent in ("mcts:sims=20", f"gomocup:cmd='{words}',start={SOON},raw=true")
    ]
    assert sorted(games[0]) == sorted(games[1])


def test_the_command_speaks_gomocup_for_gomoku():
    said = "START 15\nINFO timeout_turn 500\nTURN 7,7\nNOTHING\nEND\nABOUT\n"
    done = subprocess.run([*ENGINE, "gomoku", "random"], input=said, capture_output=True, text=True, timeout=SOON)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert re.fullmatch(r"OK\n\d+,\d+\nUNKNOWN NOTHING\n", done.stdout)
