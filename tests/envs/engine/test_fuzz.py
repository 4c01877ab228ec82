"""Whatever is read from outside is read right or refused in one sentence: never another exception.

Inputs are mutated from valid ones and drawn at random. What takes long is long because the input is: every reader is
given the longest there may be, once, by itself, in a process that has a generous limit.
"""

import contextlib
import io
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sizes import COMPILES, small_game

from boyi.baselines.agents import make_agent
from boyi.baselines.engines import gomocup_server, gtp_server, jsonl_server
from boyi.baselines.engines.engine import Engine
from boyi.baselines.engines.lines import serve
from boyi.baselines.training.config import FOLDER, read_config, shipped
from boyi.envs import Batch, BoyiError, find, games
from boyi.envs.conformance.kernels import look_one
from boyi.envs.einstein.valid import MOST
from boyi.envs.engine.bind import bind
from boyi.envs.engine.spec import Game
from boyi.envs.engine.syntax import QUOTES, parse, write
from boyi.envs.records.game_record import positions, read_line
from boyi.envs.records.transcript import read as read_transcript
from boyi.envs.records.transcript import write as write_transcript

MOST_SAID = 3000  # letters of a sentence, a diagram and a list of what is allowed included
CALM = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
GAMES = [str(Game.bind(spec, params)) for spec in [find(name).spec for name in games()] for params in spec.tested]
PIECES = (
    "\n", "  ", "\r", "\x0c", "\u2028", "²", "٣", "\0", "é", "🀄", "\ud800", "-", "--", ",", ":", "=", "'", '"', ";",
    "0", "-1", "1e999", "nan", "9" * 25, "9" * 5000, str(2**63), "[" * 5000, "{}", "null", "true", "false", "X", "O",
    ".", "ply 9", "die 3", "last -", "to move", "has won", "ended", "1+1", "0x", "5or", "..", "None",
)  # fmt: skip
"""What mutations put in."""


@st.composite
def mutated(draw: Any, originals: tuple[str, ...]) -> str:
    """Draw one of several texts with some of it flipped, dropped, repeated, inserted or taken from another."""
    text, other = draw(st.sampled_from(originals)), draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(0, 4))):
        between = draw(st.sampled_from(["", "", "\n", " ", ","]))
        parts = text.split(between) if between else list(text)
        others = other.split(between) if between else list(other)
        at = draw(st.integers(0, len(parts)))
        end = min(len(parts), at + draw(st.sampled_from([1, 1, 1, 2, 5])))
        change = draw(st.sampled_from(["drop", "repeat", "insert", "flip", "swap", "take"]))
        if change == "drop":
            parts[at:end] = []
        elif change == "repeat":
            parts[at:end] = parts[at:end] * draw(st.sampled_from([2, 3, 40]))
        elif change == "insert":
            parts[at:at] = [draw(st.sampled_from(PIECES))]
        elif change == "flip":
            parts[at:end] = [draw(st.sampled_from(PIECES) | st.characters())]
        elif change == "swap" and parts:
            k = draw(st.integers(0, len(parts) - 1))
            parts[k], parts[at - 1] = parts[at - 1], parts[k]
        elif others:
            parts[at:end] = [draw(st.sampled_from(others))]
        text = between.join(parts)
    return text


def either(*originals: str) -> st.SearchStrategy[str]:
    """Mutations of texts, and any text."""
    return mutated(originals) | st.text(max_size=60)


@contextlib.contextmanager
def refused_or_right() -> Any:
    """Let a `BoyiError` of a sentence pass; whatever else is raised fails the test."""
    said = "nothing"
    try:
        yield
    except BoyiError as error:
        said = str(error)
    assert 0 < len(said) < MOST_SAID


# Strings

VALUES = st.booleans() | st.integers(-(10**19), 10**19) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NAMES = st.from_regex(r"[a-z]\w{0,8}", fullmatch=True)
AGENTS = (
    "mcts:sims=20,c=0.5", "two_phase:layout='mcts:sims=2',battle=greedy", "dqn:runs/none,epsilon=0.1", "random",
    "gtp:cmd='no-such-program --seed 1; x'", "pool:'random;mcts:sims=2',weights='3;1'", "alphabeta:depth=2,seconds=0.1",
    "puct:evaluator=playout,noise=root", "no_such_module:attribute", "os:getcwd", ".:x", "..x:y", "exact:positions=10",
    "pool:'pool:''random;random''';'greedy'",
)  # fmt: skip


@CALM
@given(NAMES, st.none() | st.text(), st.dictionaries(NAMES, VALUES, max_size=4))
def test_what_is_written_is_read_back(name: str, positional: str | None, values: dict[str, Any]) -> None:
    text = write(name, positional, values)
    assert parse(text) == (name, positional, values)
    assert [type(value) for value in parse(text)[2].values()] == [type(value) for value in values.values()]


@pytest.mark.parametrize("value", [None, float("nan"), float("inf"), [1], 10**30, b"x", "x" * 70_000])
def test_what_would_not_be_read_back_is_not_written(value: Any) -> None:
    with pytest.raises(BoyiError, match="cannot write"):
        write("name", None, {"key": value})


def test_a_string_that_nobody_writes_is_not_read() -> None:
    assert parse("name:" + "x" * 60_000)[1] == "x" * 60_000
    with pytest.raises(BoyiError, match="it has 70005 characters, the most is 65536"):
        parse("name:" + "x" * 70_000)


@settings(CALM, max_examples=400)
@given(either(*GAMES, "hex:board_size=5,swap=true", "jiu:gun='false', must_take=TRUE"))
def test_a_game_string_is_a_game_or_a_sentence(text: str) -> None:
    with refused_or_right():
        game = find(text)
        assert find(str(game)) == game


@settings(CALM, max_examples=400)
@given(either(*AGENTS))
def test_an_agent_string_is_an_agent_or_a_sentence(text: str) -> None:
    with refused_or_right():
        agent = make_agent(text)
        if parse(text)[0] not in ("os", "no_such_module"):
            assert str(make_agent(str(agent))) == str(agent)


@pytest.mark.parametrize(
    "end", ["-" * 200_000, "+".join("1" * 20_000), "9" * 6000, "(" * 3000, "5or", "0x", "1_0", "²"]
)
@pytest.mark.filterwarnings("error")
def test_a_number_that_is_none_is_one_sentence(end: str) -> None:
    with pytest.raises(BoyiError) as raised:
        find(f"hex:board_size={end}")
    assert len(str(raised.value)) < 400


# Positions


@lru_cache
def played(name: str, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Play a random game; return its positions, a record (1,) each."""
    batch = Batch(name, 1, seed, encoder=None)
    states = [batch.states]
    while batch.to_move[0] >= 0:
        batch.step(batch.sample())
        states.append(batch.states)
    return tuple(states)


@lru_cache
def diagrams(name: str, large: bool = False) -> tuple[str, ...]:
    """Draw some positions of a small or large game, its start and its end among them."""
    states = played(str(find(name) if large else small_game(name)))
    kept = [*states[:: max(1, len(states) // 4)], states[-1]]
    return tuple(find(name).module("text").diagram(state[0]) for state in kept)


either_size = pytest.mark.parametrize("large", [False, pytest.param(True, marks=COMPILES)], ids=["small", "large"])


def game_of(name: str, states: np.ndarray) -> Game | None:
    """Find the tested parameter set that a record may belong to."""
    spec = find(name).spec
    fits = (Game.bind(spec, params) for params in spec.tested)
    return next((game for game in fits if game.dtype == states.dtype), None)


def key_of(game: Game, states: np.ndarray) -> int:
    keys, mask = np.zeros(1, np.uint64), np.zeros(game.actions, np.int8)
    bind(look_one, game)(states.copy(), mask, np.zeros(game.seats, np.float32), keys)
    return int(keys[0])


def check_diagram(name: str, text: str) -> bool:
    """Read a diagram, if it can be, and draw and read it again; return whether it could."""
    module = find(name).module("text")
    with refused_or_right():
        states = module.read(text)
        assert module.diagram(states[0]) == text.strip("\n")
        again = module.read(module.diagram(states[0]))
        assert again.dtype == states.dtype
        if (game := game_of(name, states)) is not None:
            assert key_of(game, again) == key_of(game, states)
        return True
    return False


@pytest.mark.parametrize("name", games())
@either_size
def test_every_diagram_of_play_is_read(name: str, large: bool) -> None:
    assert all(check_diagram(name, text) for text in diagrams(name, large))


@pytest.mark.parametrize("name", games())
@either_size
@settings(CALM, max_examples=150)
@given(data=st.data())
def test_a_diagram_is_read_as_it_is_drawn_or_refused(name: str, large: bool, data: Any) -> None:
    check_diagram(name, data.draw(either(*diagrams(name, large))))


@pytest.mark.parametrize("name", games())
@pytest.mark.parametrize("end", ["\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_only_ends_of_lines_end_lines(name: str, end: str) -> None:
    text = diagrams(name)[0]
    assert not check_diagram(name, text.replace("\n", end)) and not check_diagram(name, text + end)


@pytest.mark.parametrize("text", [None, b"hex", 3, [], ""])
@pytest.mark.parametrize("name", games())
def test_what_is_no_text_is_no_diagram(name: str, text: Any) -> None:
    with pytest.raises(BoyiError):
        find(name).module("text").read(text)


@pytest.mark.parametrize("ply", [0, 900, MOST - 80, MOST - 78])
def test_a_position_set_up_in_einstein_can_be_drawn_to_its_end(ply: int) -> None:
    text, start = find("einstein").module("text"), diagrams("einstein", large=True)[0]
    batch = Batch("einstein", 1, 0, encoder=None)
    # An even ply, so that the same seat is to move, and 80 steps that all stones have before them.
    late = start.replace("ply 0", f"ply {ply}")
    assert check_diagram("einstein", late) == (ply + 80 <= MOST)
    if ply + 80 <= MOST:
        batch.set_states(text.read(late))
    while batch.to_move[0] >= 0:
        batch.step(batch.sample())
        assert check_diagram("einstein", text.diagram(batch.states[0]))


@pytest.mark.parametrize("ply", [2**31 - 2, 2**31, 10**30])
def test_no_game_of_einstein_is_longer_than_its_counter(ply: int) -> None:
    assert not check_diagram("einstein", diagrams("einstein", large=True)[0].replace("ply 0", f"ply {ply}"))


@pytest.mark.parametrize("name", games())
@either_size
@settings(CALM, max_examples=150)
@given(data=st.data())
def test_a_name_is_an_action_or_a_sentence(name: str, large: bool, data: Any) -> None:
    game = find(name) if large else small_game(name)
    text, states = game.module("text"), played(str(game))
    state = data.draw(st.sampled_from(states))[0]
    known = [text.name(state, action) for action in range(0, game.actions, max(1, game.actions // 50))]
    word = data.draw(either(*known))
    with refused_or_right():
        action = text.parse(state, word)
        assert 0 <= action < game.actions
        assert text.parse(state, text.name(state, action)) == action


@pytest.mark.parametrize("name", games())
@settings(CALM, max_examples=40)
@given(data=st.data())
def test_a_transcript_is_a_game_or_a_sentence(name: str, data: Any) -> None:
    with refused_or_right():
        list(read_transcript(data.draw(either(transcript(name)))))


@lru_cache
def transcript(name: str) -> str:
    batch = Batch(name, 1, 3, encoder=None, history=True)
    for _ in range(12):
        batch.step(batch.sample())
    return write_transcript(name, 3, batch.history(0))


# Files


@lru_cache
def record() -> str:
    """Write a game as a line of JSON."""
    from boyi.baselines.arena.sitting import Sitting

    sitting = Sitting(find("hex:board_size=3"), ["random", "random"], 1)
    while sitting.to_move >= 0:
        sitting.answer()
    return sitting.record().line()


@settings(CALM, max_examples=200)
@given(st.data())
def test_a_record_is_a_game_or_a_sentence(data: Any) -> None:
    line = data.draw(either(record(), record().replace('"episode": 0', f'"episode": {2**63}')))
    with refused_or_right():
        positions(read_line(line.encode("utf-8", "surrogatepass"), "games.jsonl, line 1,"), "games.jsonl, line 1,")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("episode", 2**63), ("seed", 2**64), ("seed", 10**400), ("game", "hex:board_size=" + "+".join("1" * 5000)),
        ("game", "hex:board_size=" + "-" * 60_000), ("actions", [2**70]),
    ],
)  # fmt: skip
def test_a_number_beyond_all_bounds_in_a_record_is_one_sentence(field: str, value: Any) -> None:
    content = {**json.loads(record()), field: value}
    content |= {"plies": len(content["actions"]), "names": content["names"][: len(content["actions"])]}
    with pytest.raises(BoyiError) as raised:
        positions(read_line(json.dumps(content).encode(), "it"), "it")
    assert len(str(raised.value)) < MOST_SAID


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "config.toml"


@settings(CALM, max_examples=100)
@given(text=either(*[(FOLDER / f"{name}.toml").read_text() for name in shipped()]))
def test_a_config_is_a_config_or_a_sentence(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with refused_or_right():
        read_config(path)


# Protocols


def converse(protocol: Any, game: str, lines: list[str]) -> list[str]:
    """Say lines to an engine that plays at random; return what it answers."""
    out = io.StringIO()
    serve(protocol.Server(Engine(find(game), make_agent("random"), 0)), lines, out)
    return out.getvalue().splitlines()


GTP = (
    "1 protocol_version", "name", "boardsize 3", "clear_board", "play black a1", "genmove white", "undo", "showboard",
    "time_settings 10 5 3", "time_settings 99999999999999999999 0 0", "time_left black 3 1", "final_score",
    "list_commands", "known_command play", "boyi-stream 1 2 3", "play white swap-pieces", "genmove b", "quit",
)  # fmt: skip
GOMOCUP = (
    "START 5", "RESTART", "BEGIN", "TURN 1,2", "BOARD", "1,1,1", "2,2,2", "3,3,3", "DONE", "TAKEBACK 1,2", "ABOUT",
    "INFO rule 1", "INFO timeout_turn 100", "INFO timeout_match 99999999999999999999", "INFO time_left 2147483646",
    "INFO boyi-stream 1 2 3", "END", "START 6",
)  # fmt: skip


@settings(CALM, max_examples=150)
@given(st.lists(st.sampled_from(GTP) | either(*GTP), max_size=12))
def test_gtp_answers_every_line(lines: list[str]) -> None:
    for answer in converse(gtp_server, "hex:board_size=3", lines):
        assert len(answer) < MOST_SAID + max(map(len, lines))


@settings(CALM, max_examples=150)
@given(st.lists(st.sampled_from(GOMOCUP) | either(*GOMOCUP), max_size=12))
def test_gomocup_answers_every_line(lines: list[str]) -> None:
    for answer in converse(gomocup_server, "gomoku:board_size=5", lines):
        assert len(answer) < MOST_SAID


@lru_cache
def questions() -> tuple[str, ...]:
    said: list[dict[str, Any]] = [
        {"type": "decide", "position": text, "stream": [1, 2, 3], "seconds": 1.5, "clock": None}
        for text in diagrams("hex")
    ]
    said += [{"type": "game", "game": "hex", "parameters": {"board_size": 3, "swap": False}}, {"type": "nothing"}]
    said += [{"type": "decide", "position": 3, "seconds": 10**400}, {"type": "quit"}]
    return tuple(json.dumps(each) for each in said)


@settings(CALM, max_examples=150)
@given(st.data())
def test_lines_of_json_are_answered(data: Any) -> None:
    lines = data.draw(st.lists(st.sampled_from(questions()) | either(*questions()), max_size=6))
    for answer in converse(jsonl_server, "hex:board_size=3", lines):
        assert set(json.loads(answer)) <= {"action", "error"} and len(answer) < MOST_SAID


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"game": 1}, "unknown parameter of hex 'game'"),
        ({"self": 1}, "unknown parameter of hex 'self'"),
        ({"board_size": [[1]]}, "board_size must be a whole number from 1 to 26, not [[1]]"),
        ({"board_size": 10**30}, "board_size must be a whole number from 1 to 26, not 1000"),
        ({"board_size": 10**4000}, "it holds a number of more than 128 bits"),
        ({"board_size": None}, "board_size must be a whole number from 1 to 26, not None"),
        ({"swap": {}}, "swap must be true or false, not {}"),
    ],
)
def test_parameters_of_any_type_are_one_sentence(parameters: dict[str, Any], says: str) -> None:
    (answer,) = converse(jsonl_server, "hex", [json.dumps({"type": "game", "game": "hex", "parameters": parameters})])
    assert says in json.loads(answer)["error"] and len(answer) < 500


# The longest there may be

LONG = """
import sys
sys.path[:0] = {path!r}
from boyi.envs import BoyiError, find, games
from boyi.envs.engine.syntax import LONGEST, parse
readers = [parse, find] + [find(name).module("text").read for name in games()]
for text in {texts}:
    for read in readers:
        try:
            read(text)
        except BoyiError:
            pass
"""


@pytest.mark.slow
def test_the_longest_input_is_read_in_time_that_grows_with_its_length() -> None:
    """What took time with the square of its length would take days here, not the minutes that are allowed."""
    heads = [text.partition("\n")[0] for name in games() for text in diagrams(name)[:1]]
    ends = [" ", "'", '"', ",", "=", "''", "a", "9", "\n", "1-", "a=1,", "\n. ", "( "]
    texts = [f"{start}{end * (65_000 // len(end))}{last}"
             for start in ("hex:", "a:b=", *heads) for end in ends for last in ("", *QUOTES)]  # fmt: skip
    code = LONG.format(path=sys.path, texts=repr(texts))
    subprocess.run([sys.executable, "-"], input=code.encode(), check=True, timeout=600)
