"""Jiu in text: names of actions that read back, diagrams that read back, and what is refused."""

import re

import numpy as np
import pytest
from game_tests import OracleTests, TextTests
from histories import count, keys
from jiu_oracle import Jiu
from jiu_positions import (
    DIAGRAMS,
    SMALL,
    Record,
    drawn,
    every_phase,
    every_small_set,
    named,
    played,
    position,
    reads,
    stands,
)
from sizes import COMPILES

from boyi.envs import Batch, Game, find
from boyi.envs.jiu import SPEC, constants, text

pytestmark = pytest.mark.kernels


def different(a: Record, b: Record) -> list[str]:
    """Name the fields in which records differ."""
    return [field for field in a.dtype.names or () if not np.array_equal(a[field], b[field])]


# Names of actions


@every_phase
def test_names_read_back(drawing: str) -> None:
    """§20: all actions, allowed or not, have different names, which are read in either case."""
    s = reads(drawing)[0]
    many = 8 * len(s["board"]) + 1
    actions = range(0, many, 1 if many < 300 else count(1, 7))
    names = [text.name(s, a) for a in actions]
    assert len(set(names)) == len(actions)
    for written in (names, [name.upper() for name in names], [f"  {name} " for name in names]):
        assert [text.parse(s, name) for name in written] == list(actions)


BAD_NAMES = [
    "", "h", "7h", "o0", "aE", "h77", "a0-", "-a0", "a0-a2", "a0-b1", "a0-a0", "a0-a1-a2", "a0 a1", "a0-right", "d3-up",
    "lift", "lift z0", "lift a0-a1", "lifta0", "drop", "drop a0 b0", "take", "take o0", "stop a0", "pass", "jump a0",
    "-1", "1568",
]  # fmt: skip


# Diagrams

DIAGRAM = """jiu board_size=6,revisit=false,single_jump_ban=none  ply 51  turns 7  X to move
phase jump  latest e1,F2  from a0  runner a2  jumps 1  taken 1  due 0  been a0,a2
    0 1 2 3 4 5
 a  . . X O . .
 b  . . . . . .
 c  . . X X O .
 d  . . . . . .
 e  . X . . X X
 f  O . O . O O
quiet 2 f1-e1 E2-F2"""


def test_diagram() -> None:
    """§7, §16, §19: one diagram, spelled out, field by field."""
    state = reads(DIAGRAM)
    s = state[0]
    assert text.diagram(s) == DIAGRAM
    assert (s["ply"], s["turns"], s["to_move"], s["phase"], s["winner"]) == (51, 7, 0, constants.JUMP, -1)
    assert (s["start"], s["runner"], s["jumps"], s["taken"], s["due"], s["least"]) == (0, 2, 1, 1, 0, 1)
    assert (s["latest"].tolist(), np.flatnonzero(s["been"]).tolist()) == ([25, 32], [0, 2])
    assert (s["quiet"], s["source"][:3].tolist(), s["target"][:3].tolist()) == (2, [31, 26, 0], [25, 32, 0])
    assert (s["revisit"], s["gun"], s["max_turns"], s["seen"]) == (0, 1, 1000, 1)
    assert s["single_jump_ban"] == constants.NO_BAN
    assert (s["stones"].tolist(), s["squares"].tolist()) == ([6, 6], [0, 0])
    assert s["rows"].tolist() == [[1, 0, 2, 0, 3, 0], [1, 0, 1, 0, 0, 4]]
    assert s["columns"].tolist() == [[0, 1, 2, 1, 1, 1], [1, 0, 1, 1, 2, 1]]
    assert named(played(state)) == ["a2-a4", "stop"]
    assert stands(played(state, "a2-a4")) == "O turn"


def test_statuses() -> None:
    """§13, §16, §17: how a game has ended; a forfeit ends it without a winner."""
    cut, won, drawn_game = (
        played(position("O", "...X", max_turns=1), "A0-B0"),
        played(position("OX", "", "XX.X", "", "O", "OOOOOO", n=6), "A0-A2"),
        played(position("O", "...X", no_capture_limit=1), "A0-B0"),
    )
    lenient = Batch("jiu", 1, seed=0, illegal="forfeit", encoder=None)
    lenient.states = position("OX")
    lenient.step(np.array([0]))
    for batch, status in ((cut, "cut off"), (won, "O has won"), (drawn_game, "draw"), (lenient, "ended")):
        state = batch.states
        assert stands(batch) == status
        again = reads(text.diagram(state[0]))
        assert text.diagram(again[0]) == text.diagram(state[0])
        assert batch is lenient or different(again, state) == []


@every_phase
def test_positions_read_back(drawing: str) -> None:
    """§19: byte for byte, in every phase."""
    state = reads(drawing)
    assert text.diagram(state[0]) == drawing
    reads_back(state)


def reads_back(state: Record) -> None:
    diagram = text.diagram(state[0])
    again = reads(diagram)
    assert different(again, state) == []
    assert text.diagram(again[0]) == diagram


@every_small_set
def test_keys(game: Game) -> None:
    """Positions with different diagrams have different keys, whatever the number of plies."""
    met: dict[int, str] = {}
    batch = Batch(game, count(10, 1), seed=5, encoder=None)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        states = batch.states[rows]
        for key, state in zip(keys(game, states), states, strict=True):
            told = re.sub(r"ply \d+", "", text.diagram(state))
            assert met.setdefault(key, told) == told
        batch.step(batch.sample()[rows], rows)


CHANGED = {
    "board_size": 26, "layout_only": True, "gun": False, "must_take": False, "revisit": False, "flying": "below",
    "single_jump_ban": "stronger", "dalian_win": "any", "dalian_gates": False, "repetition": 0, "no_capture_limit": 7,
    "max_turns": 100000,
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value"),
    [pytest.param(*item, marks=COMPILES) if item[0] == "board_size" else item for item in CHANGED.items()],
)
def test_parameters_read_back(key: str, value: object) -> None:
    """A diagram begins with the parameters that are not the default, and the record has them all."""
    game = find("jiu", **{key: value})
    state = Batch(game, 1, seed=0).states
    assert text.diagram(state[0]).startswith(f"jiu {key}={str(value).lower()}  ply 0")
    reads_back(state)
    assert set(CHANGED) == set(SPEC.params)


LAYOUT, TURN, JUMP, DROP, TAKE = DIAGRAMS.values()
QUIET = drawn("O", "...X", turns=2, quiet="2 A0-B0 b3-a3")
FACTS = "the facts of phase {} contradict each other or the stones"
BATTLE = "in the battle each side has at least 4 stones, a point is empty, and the layout is over"
ENDED = "the game would have ended earlier, by its number of turns or a repetition"
BEEN = "where a stone has been is listed with revisit=false while it jumps"
FIRST = "in the layout the stones are put by turns, the first two on the marked diagonal"
BAD_DIAGRAMS = [  # a diagram, what is changed in it and how, and what the refusal says
    (TURN, TURN, "", "cannot read '': write it like 'jiu  ply 0"),
    (TURN, "jiu", "hex", "cannot read 'hex  ply 196"),
    (TURN, "jiu  ", "jiu  ply 1  ", "cannot read 'jiu  ply 1  ply 196"),
    (TURN, "jiu  ", "jiu guns=true  ", "guns"),
    (TURN, "jiu  ", "jiu board_size=7  ", "board_size must be an even number from 6 to 26, not 7"),
    (TURN, "jiu  ", "jiu board_size=28  ", "board_size must be an even number from 6 to 26, not 28"),
    (TURN, "jiu  ", "jiu board_size=12  ", "two lines of facts, the columns, 12 rows and the quiet turns"),
    (TURN, "jiu  ", "jiu gun=true  ", "should be 'jiu  ply 196"),
    (TURN, "jiu  ", "jiu max_turns=4,repetition=2  ", "should be 'jiu repetition=2,max_turns=4  ply 196"),
    (TURN, "O to move", "X to move", "should be 'jiu  ply 196  turns 0  O to move'"),
    (TURN, "O to move", "Y to move", "Y to move': write it like"),
    (TURN, "ply 196", "ply -1", "cannot read 'jiu  ply -1"),
    (TURN, "phase turn", "phase turm", "cannot read 'phase turm"),
    (TURN, "phase turn", "phase jump", FACTS.format("jump")),
    (TURN, "phase turn", "phase drop", FACTS.format("drop")),
    (TURN, "phase turn", "phase take", FACTS.format("take")),
    (TURN, "phase turn", "phase layout", FIRST),
    (TURN, "latest -,-", "latest -", "cannot read 'phase turn  latest -  from"),
    (TURN, "latest -,-", "latest h9,o0", "no point 'o0' in a diagram of jiu: a0 to nD, - for none"),
    (TURN, "latest -,-", "latest h9,G", "no point 'G'"),
    (TURN, "latest -,-", "latest H9,g5", "should be 'phase turn  latest h9,G5"),
    (TURN, "from -", "from A0", FACTS.format("turn")),
    (TURN, "runner -", "runner A0", FACTS.format("turn")),
    (TURN, "jumps 0", "jumps 1", FACTS.format("turn")),
    (TURN, "taken 0", "taken 1", FACTS.format("turn")),
    (TURN, "due 0", "due 1", FACTS.format("turn")),
    (TURN, "due 0", "due 9", "cannot read 'phase turn"),
    (TURN, "    0 1", "    1 0", "should be '    0 1 2"),
    (TURN, " a  O X", " a  O", "row a must hold 14 of the marks . X O"),
    (TURN, " a  O X", " a  O x", "row a must hold 14 of the marks . X O"),
    (TURN, " a  O X", " A  O X", "should be ' a  O X"),
    (TURN, " b  ", " b   ", "should be ' b  ."),
    (TURN, "\nquiet 0", "", "14 rows and the quiet turns"),
    (TURN, "quiet 0", "quiet 0 x", "cannot read 'quiet 0 x': write it like 'quiet 2 G8-G7 h3-h4'"),
    (TURN, "quiet 0", "quiet 1", "1 quiet turns, but 0 are listed"),
    (TURN, "quiet 0", "quiet 0 ", "cannot read 'quiet 0 '"),
    (TURN, "quiet 0", "quiet 0\nend", "14 rows and the quiet turns"),
    (QUIET, "b3-a3", "b3-a3-a4", "cannot read 'quiet 2 A0-B0 b3-a3-a4'"),
    (drawn("XXXXOO", *["OOOOOO"] * 5, n=6, turns=1), "X to", "X to", BATTLE),
    (TURN, "jiu  ", "jiu layout_only=true  ", BATTLE),
    (TURN, "ply 196", "ply 195", BATTLE),
    (TURN, "ply 196", "ply 3392", BATTLE),
    (TURN, "turns 0", "turns 1000", ENDED),
    (TURN, "jiu  ply 196  turns 0", "jiu max_turns=4  ply 196  turns 4", ENDED),
    (QUIET, "jiu  ", "jiu no_capture_limit=2  ", ENDED),
    (QUIET, "turns 2", "turns 0", ENDED),
    (TURN, "been -", "been A0", BEEN),
    (JUMP, "been A0,A2", "been -", BEEN),
    (JUMP, ",revisit=false", "", BEEN),
    (TAKE, "latest a4,B1", "latest a4,-", FACTS.format("take")),
    (QUIET, "quiet 2", "quiet 3", "3 quiet turns, but 2 are listed"),
    (QUIET, "b3-a3", "b3-z9", "no point 'z9'"),
    (QUIET, "b3-a3", "b3a3", "cannot read 'quiet 2 A0-B0 b3a3'"),
    (QUIET, "b3-a3", "B3-A3", "should be 'quiet 2 A0-B0 b3-a3'"),
    (drawn("XXX", fill=False), "a  X X X", "a  X X X", BATTLE),
    (drawn("XXXX", "OOO", fill=False), "a  X", "a  X", BATTLE),
    (TURN, "ply 196", "ply 7", BATTLE),
    (drawn(*["OOOOOO"] * 2, *["XXXXXX"] * 3, "XXXXX.", n=6), " a  O", " a  O", FACTS.format("turn")),
    (JUMP, "runner A2", "runner -", FACTS.format("jump")),
    (JUMP, "runner A2", "runner A1", FACTS.format("jump")),
    (JUMP, "runner A2", "runner A3", FACTS.format("jump")),
    (JUMP, "from A0", "from -", FACTS.format("jump")),
    (JUMP.replace("a  . . O X", "a  . . O .").replace("b  . O X", "b  . O ."), " O ", " O ", FACTS.format("jump")),
    (JUMP, "jumps 1", "jumps 0", FACTS.format("jump")),
    (JUMP, "taken 1", "taken 2", FACTS.format("jump")),
    (JUMP, "due 0", "due 1", FACTS.format("jump")),
    (JUMP, "been A0,A2", "been A2,A0", "been A0,A2'"),
    (JUMP, "been A0,A2", "been A0,", "no point ''"),
    (DROP, "runner a1", "runner -", FACTS.format("drop")),
    (DROP, "runner a1", "runner a0", FACTS.format("drop")),
    (DROP, "from -", "from a1", FACTS.format("drop")),
    (drawn("O", n=14).replace("runner -", "runner A0"), "phase turn", "phase drop", FACTS.format("drop")),
    (TAKE, "from C1", "from -", FACTS.format("take")),
    (TAKE, "runner -", "runner B1", FACTS.format("take")),
    (TAKE, "due 2", "due 0", FACTS.format("take")),
    (TAKE, "due 2", "due 7", FACTS.format("take")),
    (TAKE, "jumps 0", "jumps 1", FACTS.format("take")),
    (LAYOUT, "ply 0", "ply 1", FIRST),
    (LAYOUT, "ply 0", "ply 2", FIRST),
    (LAYOUT, " a  .", " a  X", FIRST),
    (LAYOUT, "turns 0", "turns 1", FIRST),
    (LAYOUT, "from -", "from a0", "the layout has no moves"),
    (LAYOUT, "due 0", "due 1", "the layout has no moves"),
]  # fmt: skip


class TestJiu(TextTests, OracleTests):
    game, oracle = "jiu", Jiu
    bad_names, allowed = BAD_NAMES, "write a point, a0 to nD, two as in g5-g6, lift g5, drop b3, take k8, or stop$"
    diagrams = {DIAGRAM: None}
    bad_diagrams = {
        f"{sentence}: {old} {new}": (diagram.replace(old, new, 1), sentence)
        for diagram, old, new, sentence in BAD_DIAGRAMS
    }

    @property
    def tested(self) -> list[Game]:
        return SMALL

    def players(self, game: Game) -> list[None]:
        return [None] * count(2, 1)
