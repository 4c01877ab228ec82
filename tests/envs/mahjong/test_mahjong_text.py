"""Mahjong in text: names of actions, diagrams, what a seat is shown, and what is refused."""

import numpy as np
import pytest
from game_tests import DiagramTests, NameTests, OracleTests
from histories import keys
from mahjong_oracle import Mahjong
from mahjong_positions import NAMES, SEATS, WAITING, Record, by_name, count, every_set, named, played, table

from boyi.envs import Batch, BoyiError, Game, find
from boyi.envs.mahjong import constants, text, tiles
from boyi.envs.mahjong import state as record

pytestmark = pytest.mark.kernels

NAMED = {  # §20, §21
    0: "1m", 8: "9m", 9: "1p", 26: "9s", 27: "1z", 33: "7z", 34: "kong 1m", 38: "kong 5m", 67: "kong 7z",
    68: "win", 69: "pong", 70: "kong", 74: "pass",
}  # fmt: skip


def offered(tile: str) -> np.void:
    """Return a record in which a tile is offered."""
    state = find("mahjong").blank.copy()
    state["offer"] = tiles.kind_of(tile) if tile else -1
    return state[0]


def test_names() -> None:
    """§1, §20, §21: tiles, kongs and answers; a chow by the meld that it makes with the tile offered."""
    for tile in ("", "5m"):
        assert {a: text.name(offered(tile), a) for a in NAMED} == NAMED
    assert [text.name(offered("5m"), a) for a in (71, 72, 73)] == ["chow 567m", "chow 456m", "chow 345m"]
    assert [text.name(offered("7s"), a) for a in (71, 72, 73)] == ["chow 789s", "chow 678s", "chow 567s"]
    assert text.name(offered("1m"), 71) == "chow 123m"
    for tile in ("", *tiles.NAMES[:: count(1, 11)]):
        names = [text.name(offered(tile), a) for a in range(75)]
        assert len(set(names)) == 75
        for written in (names, [name.upper() for name in names], [f"  {name} " for name in names]):
            assert [understood(tile, name) for name in written] == list(range(75))


def understood(tile: str, word: str) -> int | None:
    """Parse a name while a tile is offered; None if it is none."""
    try:
        return text.parse(offered(tile), word)
    except BoyiError:
        return None


BAD_NAMES = ["", "5", "m5", "0m", "8z", "10m", "kongs 5m", "kong 8z", "chow", "chow 5m", "chow 678m", "chow 465m",
             "chow 567p", "pung", "mahjong", "win 5m", "5m 5m", "draw", "-1"]  # fmt: skip


DIAGRAM = """mahjong dealer=1,streak=2,missed_win=strict,swap_call_ban=true  ply 2  live 50
phase claim  turn 0  start draw  last -  offer 5m  to 2  answers -,middle,-,-  missed 0,1,0,0
0 N 1288m2366p12669s145z
1 E 469m37p37s  666z<3  7777z!  123s<0:2s
2 S 255m48p48s  1111p<0+  9999p<1  789m<1:7m
3 W 118m2558p125589s336z
discards 3:1m 0:2s>1 3:6z>1 1:9p>2 0:1p>2 0:9m 1:7m>2 0:5m"""
SEEN = """mahjong dealer=1,streak=2,missed_win=strict,swap_call_ban=true  ply ?  live 50
phase claim  turn 0  start draw  last -  offer 5m  to 2  answers ?,?,-,?  missed ?,?,0,?
0 N ????????????????
1 E ???????  666z<3  ????!  123s<0:2s
2 S 255m48p48s  1111p<0+  9999p<1  789m<1:7m
3 W ????????????????
discards 3:1m 0:2s>1 3:6z>1 1:9p>2 0:1p>2 0:9m 1:7m>2 0:5m"""


def reads(diagram: str) -> Record | None:
    """Read a diagram; None if it is refused."""
    try:
        return text.read(diagram)
    except BoyiError:
        return None


def test_diagram() -> None:
    """§1, §18: one diagram, spelled out, field by field, and what seat 2 is shown of it."""
    again = reads(DIAGRAM)
    assert again is not None
    s = again[0]
    assert text.diagram(s) == DIAGRAM
    assert text.diagram(s, 2) == SEEN
    assert reads(SEEN) is None
    assert (s["to_move"], s["turn"], s["phase"], s["start"], s["offer"], s["last"]) == (
        2,
        0,
        constants.CLAIM,
        record.DRAW,
        4,
        -1,
    )
    assert (s["dealer"], s["streak"], s["missed_win"], s["swap_call_ban"], s["stake"]) == (1, 2, record.STRICT, 1, 1000)
    assert (s["ply"], s["discards"], s["kongs"], s["payer"], s["left"]) == (2, 8, 3, -1, 66)
    assert s["answer"].tolist() == [0, record.TAKE_MIDDLE - record.ANSWER, 0, 0]
    assert s["missed"].tolist() == [0, 1, 0, 0]
    assert s["melds"].tolist() == [0, 3, 3, 0]
    assert [s["form"][1].tolist(), s["form"][2].tolist()] == [[2, 5, 1, 0, 0], [4, 3, 1, 0, 0]]
    assert [s["kind"][1].tolist(), s["kind"][2].tolist()] == [[32, 33, 18, 0, 0], [9, 17, 6, 0, 0]]
    assert [s["taken"][1].tolist(), s["taken"][2].tolist()] == [[32, -1, 19, -1, -1], [9, 17, 6, -1, -1]]
    assert [s["giver"][1].tolist(), s["giver"][2].tolist()] == [[3, -1, 0, -1, -1], [0, 1, 1, -1, -1]]
    assert [int(n) for n in s["discard"][:8]] == [0, 19, 32, 17, 9, 8, 6, 4]
    assert s["by"][:8].tolist() == [3, 0, 3, 1, 0, 0, 1, 0] and s["claimed"][:8].tolist() == [-1, 1, 1, 2, 2, -1, 2, -1]
    assert np.argwhere(s["river"]).tolist() == [[0, 4], [0, 8], [3, 0]]
    assert s["wall"].sum() == 66 and (s["hand"][:, 1].tolist(), s["wall"][1]) == ([1, 0, 1, 0], 2)


def test_whose_answer_is_waited_for() -> None:
    """§18: who else is asked does not show; whose turn it is does."""
    state = played(table("5m", "46m", "55m", far="5m"), "5m").states[0]
    for seat in SEATS:
        assert f"  to {1 if seat == 1 else '?'}  " in text.diagram(state, seat)
    assert "  to 0  " in text.diagram(table("5m")[0], 2)
    kong = played(table("5m", WAITING, melds={0: "555m<2"}, far="5m"), "kong 5m").states[0]
    assert "  to ?  " in text.diagram(kong, 3)


@pytest.mark.parametrize("name", NAMES)
def test_positions_read_back(name: str) -> None:
    """Every field of positions of every phase."""
    state = by_name(name)
    again = reads(text.diagram(state[0]))
    assert again is not None
    assert different(again, state) == []
    assert text.diagram(again[0]) == text.diagram(state[0])


def different(a: Record, b: Record) -> list[str]:
    """Name the fields in which records differ."""
    return [field for field in a.dtype.names or () if not np.array_equal(a[field], b[field])]


@every_set
def test_played_hands_read_back(game: Game) -> None:
    """Byte for byte, at all their ends and at some places on the way; the keys and the masks are the same then."""
    lots = np.random.default_rng(1)
    batch = Batch(game, count(20, 2), seed=3, encoder=None)
    while True:
        rows = np.flatnonzero(batch.to_move >= 0)
        for i, state in enumerate(batch.states):
            if i not in rows or lots.random() < 0.05:
                diagram = text.diagram(state)
                again = reads(diagram)
                assert again is not None, diagram
                assert different(again, np.array([state])) == []
                assert text.diagram(again[0]) == diagram
                assert keys(game, again) == keys(game, np.array([state]))
        if not rows.size:
            return
        masks = batch.mask[rows]
        claims = masks * (np.arange(75) >= record.DECLARE) * (np.arange(75) < record.PASS)
        likely = np.where(claims.any(axis=1, keepdims=True) & (lots.random((len(rows), 1)) < 0.8), claims, masks)
        batch.step((likely * lots.random(likely.shape)).argmax(axis=1), rows)


def test_won_hands_read_back() -> None:
    """§10, §17: by self-draw, on a discard, and on the tile of an added kong, which is then nobody's."""
    melds = {0: "555m<2"}
    for state, line, last in (
        (
            table("", "456m123456p123456s11z", turn=1, last="5m"),
            "win",
            "won 0,5,0,0  from -  points -3500,9500,-3000,-3000",
        ),
        (table("5m", WAITING, far="5m"), "5m, win", "won 0,3,0,0  from 0  points -2500,2500,0,0"),
        (table("5m", WAITING, melds=melds, far="5m"), "kong 5m, win", "won 0,4,0,0  from 0  points -3000,3000,0,0"),
        (table("5m", WAITING, far="5m", base=0, fan=0), "5m, win", "won 0,3,0,0  from 0  points 0,0,0,0"),
    ):
        won = played(state, line).states
        diagram = text.diagram(won[0])
        assert diagram.splitlines()[7] == last
        again = reads(diagram)
        assert again is not None and different(again, won) == []
        assert named(played(again)) == []


CHANGED = {
    "dealer": 3, "streak": 99, "round_wind": 2, "base": 7, "fan": 0, "dealer_tai": False, "reserve": 0,
    "reserve_per_kong": 1, "tail_no_claim": 71, "min_tai": 16, "multi_win": "all", "missed_win": "strict",
    "swap_call_ban": True, "kong_from_left": False, "win_after_melded_kong": False, "hide_concealed_kong": False,
    "ask_all": True, "heavenly": 0, "earthly": 64, "human": 8, "concealed_self_draw": 2, "all_honors": 8,
    "last_discard": 0, "half_claimed": 0, "single_wait_all_claimed": False, "five_concealed_all_pongs": False,
}  # fmt: skip


@pytest.mark.parametrize(("key", "value"), CHANGED.items())
def test_parameters_read_back(key: str, value: object) -> None:
    """A diagram begins with the parameters that are not the default, and the record has them all."""
    game = find("mahjong", **{key: value})
    state = played(table("5m", "46m", far="5m", **{key: value})).states
    diagram = text.diagram(state[0])
    assert diagram.startswith(f"mahjong {key}={str(value).lower()}  ply")
    again = reads(diagram)
    assert again is not None and different(again, state) == []
    assert different(np.array([game.blank[0]]), find("mahjong").blank) != []


BAD_DIAGRAMS = {
    "empty": "",
    "another game": DIAGRAM.replace("mahjong", "hex"),
    "head alone": DIAGRAM.splitlines()[0],
    "no discards": DIAGRAM.rsplit("\n", 1)[0],
    "a fifth copy": DIAGRAM.replace("255m48p48s", "255m48p66s").replace("12669s", "16666s"),
    "a fifth copy, in melds": DIAGRAM.replace("469m37p37s", "469m37p37z"),
    "too few tiles": DIAGRAM.replace("255m48p48s", "255m48p4s"),
    "too many tiles": DIAGRAM.replace("118m2558p", "1118m22558p"),
    "unknown parameter": DIAGRAM.replace("streak", "stroke"),
    "impossible parameter": DIAGRAM.replace("streak=2", "streak=200"),
    "default parameter": DIAGRAM.replace("streak=2", "streak=2,reserve=16"),
    "wrong wind": DIAGRAM.replace("1 E", "1 S"),
    "wrong live": DIAGRAM.replace("live 50", "live 49"),
    "order of tiles": DIAGRAM.replace("255m", "525m"),
    "no seat": DIAGRAM.replace("to 2", "to 4"),
    "negative seat": DIAGRAM.replace("turn 0", "turn -1"),
    "no phase": DIAGRAM.replace("phase claim", "phase clam"),
    "no answer": DIAGRAM.replace("middle", "muddle"),
    "a tile that is not the latest discard": DIAGRAM.replace("offer 5m", "offer 9m"),
    "a tile offered in a turn": DIAGRAM.replace("phase claim", "phase turn"),
    "no pong to rob": DIAGRAM.replace("phase claim", "phase rob").replace("12669s", "126679s"),
    "answering oneself": DIAGRAM.replace("to 2", "to 0"),
    "a tile drawn last after the discard": DIAGRAM.replace("last -", "last 1m"),
    "no tile": DIAGRAM.replace("offer 5m", "offer 5x"),
    "no meld": DIAGRAM.replace("666z<3", "667z<3"),
    "chow of honors": DIAGRAM.replace("666z<3", "567z<3:6z"),
    "chow round the end": DIAGRAM.replace("789m<1:7m", "89m1p<1:9m"),
    "no giver": DIAGRAM.replace("666z<3", "666z"),
    "claimed by nobody": DIAGRAM.replace("0:2s>1", "0:2s>9"),
    "ply": DIAGRAM.replace("ply 2", "ply x"),
    "shown to a seat": DIAGRAM.replace("118m2558p125589s336z", "?" * 16),
    "trailing space": DIAGRAM + " x",
}  # fmt: skip


TURN = """mahjong  ply 0  live 47
phase turn  turn 0  start draw  last 5m  offer -  to 0  answers -,-,-,-  missed 0,0,0,0
0 E 12588m225589p347s267z
1 S 25599m3469p14588s37z
2 W 3366m1167p125699s47z
3 N 14477m3478p2367s115z
discards 0:1m 1:1m 2:2m 3:2m 0:3m 1:3m 2:4m 3:4m"""
BAD_TURNS = {
    "the tile drawn last is in the hand": TURN.replace("last 5m", "last 1z"),
    "nothing has been claimed": TURN.replace("start draw  last 5m", "start claim  last -"),
    "in a turn nobody else is to act": TURN.replace("to 0", "to 1"),
    "no tile is offered and nothing answered": TURN.replace("answers -,-", "answers -,pass"),
    "seat 0 has 17 concealed tiles and 0 melds: it needs 16": TURN.replace("last 5m", "last -").replace(
        "to 0", "to draw"
    ),
    "cannot read 'phase turm": TURN.replace("phase turn", "phase turm"),
    "write it like '0 E 1344m": TURN.replace("0 E", "0 X"),
    "copies of 7z: the most is 4": TURN.replace("discards", "discards 0:7z 1:7z 2:7z 3:7z"),
    "the tile drawn last is in the hand, or -": TURN.replace("last 5m", "last -"),
    "points 0,0,0,0' should be ''": TURN + "\nwon 0,0,0,0  from -  points 0,0,0,0",
    "should be 'mahjong  ply 0": TURN.replace("live ", "live 1"),
}


class TestMahjong(NameTests, DiagramTests, OracleTests):
    game, oracle = "mahjong", Mahjong
    bad_names, allowed = BAD_NAMES, "no action .* write a tile such as 4m, or kong 4m, win, pong, kong, chow 456m, pass"
    diagrams = {DIAGRAM: None, TURN: None}
    bad_diagrams = BAD_DIAGRAMS | {sentence: (diagram, sentence) for sentence, diagram in BAD_TURNS.items()}

    def naming(self) -> np.void:
        return offered("5m")

    def players(self, game: Game) -> list[None]:
        return [None] * count(3, 1)
