"""The line protocol, both ends: one JSON object a line, in which programs of any language play every game."""

import base64
import io
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from contestants import Timekeeper, Witness
from engines import ENGINE, SOON, command
from places import ROOT

from boyi.baselines.agents import make_agent
from boyi.baselines.arena.matches import Match
from boyi.baselines.engines.engine import Engine
from boyi.baselines.engines.external import stream
from boyi.baselines.engines.jsonl import JSONL
from boyi.baselines.engines.jsonl_server import Server
from boyi.baselines.engines.lines import serve
from boyi.envs import Batch, find
from boyi.envs.records.game_record import positions

pytestmark = pytest.mark.posix

HEX = "hex:board_size=3"
EXAMPLE = ROOT / "examples" / "jsonl_program.py"
SMALL = (
    "hex:board_size=3,swap=true", "gomoku:board_size=5", "einstein", "jiu:board_size=6,layout_only=true", "mahjong",
)  # fmt: skip


def talk(*messages, game=HEX, agent="random", seed=0):
    """Say messages, or raw lines, to an engine; return what it answers."""
    lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
    out = io.StringIO()
    serve(Server(Engine(find(game), make_agent(agent), seed)), lines, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def later(game, plies=6, seed=3):
    """Play a little at random; return the batch."""
    batch = Batch(game, 1, seed, encoder=None, history=True)
    lots = np.random.default_rng(seed)
    for _ in range(plies):
        batch.step(np.array([lots.choice(np.flatnonzero(batch.mask[0]))]))
    return batch


def draw(batch, *seat):
    return batch.game.module("text").diagram(batch.states[0], *seat)


def encode(states):
    return base64.b64encode(states.tobytes()).decode()


# The engine


@pytest.mark.parametrize("game", SMALL)
def test_a_question_with_a_whole_position_is_answered(game):
    batch = later(game)
    name = batch.game.module("text").name
    legal = {name(batch.states[0], action) for action in np.flatnonzero(batch.mask[0])}
    (answer,) = talk({"type": "decide", "position": draw(batch)}, game=game)
    assert answer.keys() == {"action"} and answer["action"] in legal


@pytest.mark.parametrize("game", SMALL)
def test_a_record_and_a_stream_make_the_decision_of_the_agent(game):
    batch, agent = later(game), make_agent("random")
    name = batch.game.module("text").name
    questions, expected = [], []
    for seed in range(20):
        batch.reset([seed])
        view = batch.view()
        position = draw(batch, int(batch.to_move[0])) if batch.game.spec.hidden else draw(batch)
        questions.append(
            {"type": "decide", "position": position, "record": encode(view.states), "stream": stream(view, 0)}
        )
        expected.append({"action": name(view.states[0], int(agent.act(view)[0]))})
    assert talk(*questions, game=game, seed=9) == expected


def test_nothing_hangs_on_what_was_asked_before():
    question = {"type": "decide", "position": draw(later(HEX, 3)), "stream": [1, 2, 3]}
    other = {"type": "decide", "position": draw(later(HEX, 2)), "stream": [4, 5, 6]}
    answers = talk(question, other, {"type": "game", "game": "hex"}, question, "nonsense", question)
    assert answers[0] == answers[2] == answers[4]


def test_a_game_may_change_the_parameters():
    three = {"type": "game", "game": "hex", "version": 0, "parameters": {"board_size": 3}, "seats": 2}
    question = {"type": "decide", "position": draw(later(HEX, 0))}
    assert "error" in talk(question, game="hex")[0]
    assert re.fullmatch(r"[a-c][1-3]", talk(three, question, game="hex")[0]["action"])
    assert "error" in talk(three, {"type": "decide", "position": draw(later("hex", 0))}, game="hex")[0]


QUESTION = {
    "type": "decide",
    "position": "hex 3x3  ply 2  last a1  X to move\n   a b c\n 1  O . .\n  2  . . .\n   3  . X .",
}


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("hello", "a message is not JSON: "),
        ("{", "a message is not JSON: "),
        ("[1]", 'a message is a JSON object with a "type"'),
        ("3", 'a message is a JSON object with a "type"'),
        ("1" * 5000, ""),
        ("[" * 60000, "a message is not JSON: it is nested too deeply"),
        ({}, 'a message is a JSON object with a "type"'),
        ({"type": "fly"}, "unknown type 'fly': game, decide or quit"),
        ({"type": None}, "unknown type None: game, decide or quit"),
        ({"type": ["quit"]}, "unknown type ['quit']: game, decide or quit"),
        ({"type": "game"}, "this engine plays hex, with its parameters as a JSON object"),
        ({"type": "game", "game": "jiu"}, "this engine plays hex"),
        ({"type": "game", "game": "hex", "parameters": [3]}, "this engine plays hex"),
        ({"type": "game", "game": "hex", "parameters": {"size": 3}}, "unknown parameter of hex 'size'"),
        ({"type": "game", "game": "hex", "parameters": {"board_size": 99}}, "hex: board_size must be"),
        ({"type": "game", "game": "hex", "parameters": {"self": 1}}, ""),
        ({"type": "decide"}, "a question has a position, as a diagram"),
        ({"type": "decide", "position": 3}, "a question has a position, as a diagram"),
        ({"type": "decide", "position": "hex"}, "not a hex diagram"),
        ({**QUESTION, "position": lambda: draw(later("jiu:board_size=6", 0))}, "not a hex diagram"),
        pytest.param(
            {**QUESTION, "position": "hex 1x1  ply 1  last a1  X has won\n   a\n 1  X"}, "", marks=pytest.mark.slow
        ),
        ({**QUESTION, "record": 3}, ""),
        ({**QUESTION, "record": "%%%"}, ""),
        ({**QUESTION, "record": ""}, "a record of hex:board_size=3 has 40 bytes, not 0"),
        ({**QUESTION, "record": "AAAA"}, "a record of hex:board_size=3 has 40 bytes, not 3"),
        ({**QUESTION, "record": lambda: encode(later(HEX, 2).states) * 2}, ""),
        ({**QUESTION, "record": lambda: encode(later(HEX, 3).states)}, "the record is not that of the position"),
        (
            {**QUESTION, "record": lambda: encode(later(HEX, 2, seed=4).states)},
            "the record is not that of the position",
        ),
        ({"type": "decide", "record": lambda: encode(later(HEX, 2).states)}, "the record is not that of the position"),
        ({**QUESTION, "stream": 3}, "a stream is three whole numbers of 64 bits"),
        ({**QUESTION, "stream": [1, 2]}, "a stream is three whole numbers of 64 bits"),
        ({**QUESTION, "stream": [1, 2, -3]}, "a stream is three whole numbers of 64 bits"),
        ({**QUESTION, "stream": [1, 2, 2**64]}, "a stream is three whole numbers of 64 bits"),
        ({**QUESTION, "stream": [1, 2, 3.0]}, "a stream is three whole numbers of 64 bits"),
        ({**QUESTION, "seconds": "soon"}, "seconds is a number or null, not 'soon'"),
        ({**QUESTION, "clock": [1]}, "clock is a number or null, not [1]"),
        ({**QUESTION, "seconds": 10**400}, ""),
    ],
)
def test_what_cannot_be_read_is_an_error_and_the_engine_goes_on(message, sentence):
    if isinstance(message, dict):
        message = {key: value() if callable(value) else value for key, value in message.items()}
    broken, good = talk(message, QUESTION)
    assert broken.keys() == {"error"} and broken["error"].startswith(sentence) and "\n" not in broken["error"]
    assert good.keys() == {"action"}


def test_nobody_is_to_move_when_the_game_is_over():
    batch = Batch(HEX, encoder=None)
    for action in (0, 1, 3, 4, 6):
        batch.step(np.array([action]))
    for more in ({}, {"record": encode(batch.states)}):
        (answer,) = talk({"type": "decide", "position": draw(batch), **more})
        assert answer == {"error": "the game is over: nobody is to move in the position"}


def test_empty_lines_and_games_have_no_answer_and_quit_is_the_last():
    assert talk("", "  ", {"type": "game", "game": "hex"}, {"type": "quit"}, QUESTION) == []


def test_the_agent_sees_the_record_as_it_is():
    """What was dealt anew for the seat is not dealt anew again."""
    agent, batch = Witness(), later("mahjong")
    view = batch.view()
    question = {"type": "decide", "position": draw(batch, int(view.seat[0])), "record": encode(view.states)}
    talk(question, {"type": "decide", "position": draw(batch)}, game="mahjong", agent=agent)
    seen = [shown.states.tobytes() for shown in agent.views]
    assert seen[0] == view.states.tobytes() != seen[1]


def test_the_time_of_a_question_is_the_agents():
    agent = Timekeeper()
    talk({**QUESTION, "seconds": 2, "clock": 7.5}, QUESTION, {**QUESTION, "seconds": None, "clock": 3}, agent=agent)
    assert agent.told == [(7.5, 2.0), (None, None), (3.0, None)]


@pytest.mark.parametrize("game", SMALL)
def test_a_record_with_a_changed_byte_is_answered_or_refused(game):
    batch = later(game)
    view = batch.view()
    question = {"type": "decide", "position": draw(batch, int(view.seat[0])) if batch.game.spec.hidden else draw(batch)}
    record, asked = view.states.tobytes(), []
    for at in np.linspace(0, len(record) - 1, 150, dtype=int):
        for value in (record[at] ^ 1, record[at] ^ 0x80):
            changed = record[:at] + bytes([value]) + record[at + 1 :]
            asked.append({**question, "record": base64.b64encode(changed).decode()})
    *answers, last = talk(*asked, {**question, "record": encode(view.states)}, game=game)
    assert len(answers) == len(asked) and last.keys() == {"action"}
    refused = [answer["error"] for answer in answers if "error" in answer]
    assert all(answer.keys() in ({"action"}, {"error"}) for answer in answers)
    assert sum("row 0 is no position: " in error for error in refused) > len(answers) / 2
    assert all("is no position: " in error or "not that of the position" in error for error in refused)


@pytest.mark.parametrize(("field", "value"), [("turn", 2), ("left", -100), ("die", 99), ("ply", -5), ("columns", 0)])
def test_a_field_that_no_position_has_is_told_by_its_rule(field, value):
    view = later("einstein").view()
    state = view.states.copy()
    state[field] = value
    question = {"type": "decide", "position": draw(later("einstein")), "record": encode(state)}
    (answer,) = talk(question, game="einstein")
    assert re.match(rf"einstein: row 0 is no position: .*\b{field}\b", answer["error"])


def test_a_seats_view_does_not_make_a_position():
    batch = later("mahjong")
    (answer,) = talk({"type": "decide", "position": draw(batch, int(batch.to_move[0]))}, game="mahjong")
    assert answer.keys() == {"error"}


# The agent


def questions(tmp_path, game, opponent="random", games=2, raw=False, **options):
    """Play against a program that listens; return what it was told and the games."""
    asked = JSONL(cmd=command("jsonl", "listening", 1, tmp_path / "pids"), raw=raw)
    match = Match(game, [asked, opponent], games=games, **options)
    records = sorted(match.play(), key=lambda record: record.index)
    asked.close()
    lines = (tmp_path / "pids.lines").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines], records


@pytest.mark.parametrize("game", SMALL)
def test_what_a_program_is_told(game, tmp_path):
    told, records = questions(tmp_path, game)
    chosen = find(game)
    assert [record.ended for record in records] == ["over"] * 2
    assert [message["type"] for message in told if message["type"] != "decide"] == ["game", "game", "quit"]
    begun = {
        "type": "game", "game": chosen.name, "version": chosen.spec.version, "parameters": dict(chosen.params),
        "seats": chosen.seats,
    }  # fmt: skip
    assert told[0] == begun and told[-1] == {"type": "quit"}
    asked = iter([message for message in told if message["type"] == "decide"])
    name = chosen.module("text").name
    for record in records:
        _, states = positions(record, "here")
        for state, action in zip(states, record.actions, strict=False):
            seat = int(state["to_move"])
            if record.seats[seat] == "random":
                continue
            message = next(asked)
            assert message.keys() == {"type", "seat", "ply", "position", "legal", "seconds", "clock"}
            seen = (seat,) if chosen.spec.hidden else ()
            assert message["position"] == chosen.module("text").diagram(state, *seen)
            assert (message["seat"], message["ply"]) == (seat, None if chosen.spec.hidden else int(state["ply"]))
            assert message["legal"][0] == name(state, action)
            assert (message["seconds"], message["clock"]) == (None, None)
    assert next(asked, None) is None


def test_legal_actions_are_named_as_the_game_does():
    """The first is what the listening program plays; here all of them are looked at."""
    heard = []

    class Overheard(JSONL):
        def say(self, **message):
            heard.append(message)
            super().say(**message)

    batch = later("jiu:board_size=6", 40)
    asked = Overheard(cmd=command("jsonl"))
    asked.act(batch.view())
    asked.close()
    name = batch.game.module("text").name
    assert heard[-1]["legal"] == [name(batch.states[0], action) for action in np.flatnonzero(batch.mask[0])]
    assert len(heard[-1]["legal"]) > 1


def test_no_hidden_tile_is_told(tmp_path):
    told, records = questions(tmp_path, "mahjong", raw=True)
    game, dtype = find("mahjong"), find("mahjong").dtype
    differs, asked = 0, [message for message in told if message["type"] == "decide"]
    true = [state for record in records for state in positions(record, "here")[1] if state["to_move"] >= 0]
    mine = [
        state
        for record in records
        for state in positions(record, "here")[1]
        if state["to_move"] >= 0 and record.seats[state["to_move"]] != "random"
    ]
    assert len(asked) == len(mine) < len(true)
    for message, state in zip(asked, mine, strict=True):
        seat, shown = message["seat"], np.frombuffer(base64.b64decode(message["record"]), dtype)[0]
        assert "?" in message["position"]
        # The record is a deal that the seat cannot tell from the true one.
        assert game.module("text").diagram(shown, seat) == message["position"]
        others = [q for q in range(4) if q != seat]
        differs += (shown["hand"][others] != state["hand"][others]).any()
    assert differs > 0.9 * len(asked)


def test_a_program_is_told_its_time(tmp_path):
    told, _ = questions(tmp_path, HEX, clock=100.0)
    asked = [message for message in told if message["type"] == "decide"]
    assert all(0.0 < message["clock"] <= 100.0 for message in asked)
    assert {message["clock"] for message in asked if message["ply"] > 1}.isdisjoint({100.0})
    assert [message["seconds"] for message in asked] == [message["clock"] for message in asked]


# Both


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("hex:board_size=3,swap=true", "mcts:sims=20"),
        ("gomoku:board_size=5", "mcts:sims=20"),
        ("einstein:board_size=3,stones=2", "mcts:sims=20"),
        ("jiu:board_size=6", "greedy"),
        ("mahjong", "greedy"),
    ],
)
def test_the_same_seed_is_the_same_game_with_the_pipe(game, agent):
    words = " ".join([*ENGINE, game, agent, "--protocol", "jsonl", "--seed", "9"])
    games = [
        [
            (record.index, record.actions, record.ended, record.returns)
            for record in Match(game, [player, "random"], games=2, seed=3).play()
        ]
        for player in (agent, f"jsonl:cmd='{words}',raw=true,start={SOON}")
    ]
    assert sorted(games[0]) == sorted(games[1])


@pytest.mark.parametrize("game", ["jiu", *SMALL])
def test_thirty_lines_of_python_play_every_game(game):
    assert len(EXAMPLE.read_text().splitlines()) <= 30
    assert not re.search(r"import (?!json$|random$|sys$)", EXAMPLE.read_text(), re.MULTILINE)
    match = Match(game, [f"jsonl:cmd='{sys.executable} -S -E {EXAMPLE}'", "random"], games=2)
    for record in match.play():
        assert record.ended in ("over", "cut") and record.reason == ""
        _, states = positions(record, "here")
        assert len(states) == record.plies + 1 > 3


def test_the_command_speaks_lines_of_json():
    said = "".join(json.dumps(message) + "\n" for message in ({"type": "game", "game": "hex"}, {"type": "é"}, QUESTION))
    words = ["hex", "random", "--board-size", "3", "--protocol", "jsonl"]
    done = subprocess.run([*ENGINE, *words], input=said, capture_output=True, text=True, timeout=SOON)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    error, answer = map(json.loads, done.stdout.splitlines())
    assert error == {"error": "unknown type 'é': game, decide or quit"} and answer.keys() == {"action"}
