"""Pictures of Jiu: board and stones, the turn in progress, what may be taken, squares, dalians and guns, captions."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from pictures import check_letters, check_margin, check_svg, color, lettered
from sizes import COMPILES

from boyi.envs import Batch
from boyi.envs.engine import protocol
from boyi.envs.engine.spec import find
from boyi.envs.faces import drawing as draw
from boyi.envs.grid import picture
from boyi.envs.grid.cells import LETTERS, side_of
from boyi.envs.jiu import SPEC, constants, rules, shapes
from boyi.envs.jiu import draw as board
from boyi.envs.jiu.points import DIGITS, read_point

SIZES = (6, 14, 26)
every_size = pytest.mark.parametrize("n", SIZES)

Cells = set[tuple[int, int]]


def battle(n: int, white: str = "", black: str = "", **facts: Any) -> np.void:
    """Return a record with stones on the points named, white to move unless told; facts may be names, "-" for none."""
    state: np.void = find("jiu", board_size=n).blank.copy()[0]
    for seat, words in enumerate((white, black)):
        state["board"][[read_point(n, word) for word in words.split()]] = seat + 1
        state["stones"][seat] = len(words.split())
    settled = {"winner": -1, "phase": constants.TURN, "start": "-", "runner": "-", "latest": "- -"}
    for name, value in (settled | facts).items():
        if isinstance(value, str):
            value = np.squeeze([-1 if word == "-" else read_point(n, word) for word in value.split()])
        state[name] = value
    return state


@cache
def positions(name: str) -> tuple[np.void, ...]:
    """Return the ends of games at random, and positions on their way that differ in phase, seat, jumps or stage."""
    batch, seen = Batch(name, 8, seed=0, encoder=None), {}
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        for state in batch.states[rows]:
            kind = int(state["phase"]), int(state["to_move"]), min(int(state["jumps"]), 3)
            seen[kind, 3 * int(state["ply"]) // state["board"].size] = state
        batch.step(batch.sample()[rows], rows)
    return *seen.values(), *batch.states


def nodes(state: np.void, tag: str, lit: bool = False, **paint: str) -> list[dict[str, str]]:
    """List the elements of a picture that have a fill or a stroke, as they are drawn."""
    found = [node for node in ElementTree.fromstring(board.svg(state, lit)).iter() if node.tag.endswith(f"}}{tag}")]
    return [dict(node.attrib) for node in found if all(node.get(name) == value for name, value in paint.items())]


def cell(n: int, x: float, y: float) -> tuple[int, int]:
    """Return the point at a place of the picture, which is one."""
    r, c = y / board.STEP + (n - 1) / 2, x / board.STEP + (n - 1) / 2
    assert (r, c) == (int(r), int(c))
    return int(r), int(c)


def circles(state: np.void, **paint: str) -> Cells:
    """Return the points on which the board has circles with a fill or a stroke."""
    n = side_of(state)
    middles = [(float(node["cx"]), float(node["cy"])) for node in nodes(state, "circle", **paint)]
    return {cell(n, x, y) for x, y in middles if max(abs(x), abs(y)) < n / 2 * board.STEP}


def ends(node: dict[str, str]) -> np.ndarray:
    """Return the (x, y) of a polygon's corners or of a line's ends, shape (corners, 2)."""
    return np.array([pair.split(",") for pair in node["points"].split()], float)


def outline(n: int, node: dict[str, str]) -> list[tuple[int, int]]:
    """Return the points on which the corners of a polygon or the ends of a line lie."""
    return [cell(n, x, y) for x, y in ends(node)]


def named(n: int, words: str) -> Cells:
    return {divmod(read_point(n, word) or 0, n) for word in words.split()}


def stones(state: np.void, value: int) -> Cells:
    """Return the points that hold a value: 0 for none, or seat + 1."""
    n = side_of(state)
    return {divmod(int(p), n) for p in np.flatnonzero(state["board"] == value)}


def in_corners(n: int) -> np.void:
    """Return a record with a white stone in two corners and a black one in the others."""
    bottom, right = LETTERS[n - 1], DIGITS[n - 1]
    return battle(n, f"a0 {bottom}{right}", f"a{right} {bottom}0", latest=f"a0 {bottom}0")


PLACED = {"white": "b1 c1 b2 e4 f5", "black": "a4 d2 f0 a5"}
JUMPING = {"phase": constants.JUMP, "start": "e0", "runner": "e2"}
RECORDS = {
    "layout": battle(6, phase=constants.LAYOUT),
    **{f"{n}x{n}": in_corners(n) for n in SIZES},
    "jumps": battle(6, "e2 f5", "d2 e3 a0", **JUMPING, latest="b0 a0", jumps=1),
    "lifted at the edge": battle(6, **PLACED, phase=constants.DROP, runner="f5", latest="b1 a4"),
    "lifted at the top": battle(6, **PLACED, phase=constants.DROP, runner="a5", latest="b1 f0", to_move=1),
    "takes": battle(6, **PLACED, phase=constants.TAKE, start="c3", latest="c1 a4", due=8),
    "won": battle(6, **PLACED, to_move=protocol.OVER, winner=1),
    "forfeited": battle(6, "e2 f5", "d2 e3", **JUMPING, to_move=protocol.OVER),
    "forfeited taking": battle(6, **PLACED, phase=constants.TAKE, start="c3", latest="c1 a4", to_move=protocol.OVER),
    "cut": battle(14, to_move=protocol.CUT),
}
every_record = pytest.mark.parametrize("name", RECORDS)


@every_record
def test_pictures_are_whole_without_text_and_keep_a_margin(name: str) -> None:
    for lit in (False, True):
        check_svg(board.svg(RECORDS[name], lit))
        check_margin(board.svg(RECORDS[name], lit))


@pytest.mark.parametrize(
    "name",
    [
        "jiu:board_size=6,max_turns=60",
        "jiu:max_turns=20",
        pytest.param("jiu:board_size=26,max_turns=3", marks=COMPILES),
    ],
)
def test_pictures_of_a_game_are_equally_large_and_come_out_the_same(name: str) -> None:
    heads, used = set(), set()
    for state in positions(name):
        picture = board.svg(state, shapes=True)
        assert picture == board.svg(state.copy(), shapes=True)
        heads.add(picture.splitlines()[0])
        used |= set(re.findall(r'(?:fill|stroke)="(#\w+)"', picture))
    own = {board.WOOD, board.LINE, board.BAND, board.HOLLOW, board.SHADOW, *board.SQUARE, *board.GATE}
    assert len(heads) == 1
    assert used <= own | {*draw.WHITE, *draw.BLACK, draw.RED.fill, draw.RED.shine, draw.GOLD, draw.PAPER, draw.INK}


# The board and its stones


@every_size
def test_lines_join_the_points_and_a_diagonal_the_middle(n: int) -> None:
    """§1: rows, columns and the marked diagonal, whose ends have dots."""
    state = battle(n)
    lines = [outline(n, node) for node in nodes(state, "polyline", stroke=board.LINE)]
    assert lines == [[(i, 0), (i, n - 1)] for i in range(n)] + [[(0, i), (n - 1, i)] for i in range(n)]
    middle = [divmod(p, n) for p in rules.ends(n)]
    assert [outline(n, node) for node in nodes(state, "polyline", stroke=board.BAND)] == [middle]
    assert circles(state, fill=board.BAND) == {*middle}


@pytest.mark.parametrize("n", [6, 14, pytest.param(26, marks=COMPILES)])
def test_stones_stand_on_their_points(n: int) -> None:
    """§1: seat 0 has the white stones, seat 1 the black ones."""
    state = positions(f"jiu:board_size={n},max_turns=3")[-1]
    for seat, paint in enumerate((draw.WHITE, draw.BLACK)):
        assert circles(state, r=f"{board.STONE}", fill=paint.fill) == stones(state, seat + 1) != set()


def test_stones_are_told_apart_in_a_small_picture() -> None:
    """At 260 pixels for 26 x 26 points, black is much darker than the wood and white lighter."""
    states = battle(26), battle(26, black="d4"), battle(26, white="d4")
    wood, black, white = (draw.rgb(board.svg(state), width=260).astype(int).mean(axis=2) for state in states)
    assert ((wood - black) > 60).sum() > 20 and ((white - wood) > 25).sum() > 20


@every_size
def test_coordinates_name_the_points(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """§20: letters count the rows from the top, digits the columns from the left."""
    check_letters(monkeypatch, board, in_corners(n))
    at: dict[str, tuple[float, float]] = {}
    monkeypatch.setattr(picture, "label", lambda word, x, y, *rest: at.setdefault(word, (x, y)) and "")
    board.svg(battle(n))
    assert [cell(n, at[DIGITS[i]][0], at[LETTERS[i]][1]) for i in range(n)] == [(i, i) for i in range(n)]
    assert max(at[DIGITS[i]][1] for i in range(n)) < -n / 2 * board.STEP > max(at[LETTERS[i]][0] for i in range(n))


# The turn in progress


def dots(state: np.void) -> list[Cells]:
    """Return the points on which dots mark each seat's latest stone; those on the wood have its own colour."""
    small = f"{0.34 * board.STONE:.2f}".rstrip("0")
    bare = [circles(state, r=small, fill=paint.fill, stroke=paint.rim) for paint in board.PAINT]
    return [circles(state, r=small, fill=board.PAINT[seat].mark) - bare[1 - seat] | bare[seat] for seat in (0, 1)]


def test_the_latest_points_are_marked() -> None:
    """On a stone that stands there, on the wood if it was taken, but not on a stone of the other's."""
    assert dots(battle(6, "a0 b2", "c3 d4", latest="b2 c3")) == [named(6, "b2"), named(6, "c3")]
    assert dots(battle(6, "a0", "c3 d4", latest="b2 c3")) == [named(6, "b2"), named(6, "c3")]
    assert dots(battle(6, "a0", "c3 b2", latest="b2 b2")) == [set(), named(6, "b2")]
    assert dots(battle(6, "a0", "c3")) == [set(), set()]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_jumping_stone_glows_and_its_trail_begins_where_it_started(seat: int) -> None:
    """§6, §7: the stone jumps from e0 over e1 and may go on over d2, but not over e3, which has a stone behind it."""
    sides = ("e2 f5", "d2 e3 e4")
    state = battle(6, sides[seat], sides[1 - seat], **JUMPING, to_move=seat)
    assert circles(state, fill=draw.GOLD) == named(6, "e2")
    assert circles(state, fill=board.HOLLOW) == named(6, "e0")
    (wedge,) = nodes(state, "polygon", fill=board.PAINT[seat].fill)
    assert {cell(6, *ends(wedge)[0])} == named(6, "e0") and {cell(6, *ends(wedge)[1:].mean(axis=0))} == named(6, "e2")
    assert circles(state, stroke=draw.RED.shine) == named(6, "d2")
    assert circles(state, fill=draw.RED.fill) == named(6, "c2")
    state["start"] = state["runner"]
    (wedge,) = nodes(state, "polygon", fill=board.PAINT[seat].fill)
    assert {*outline(6, wedge)} == named(6, "e2")  # nothing is seen of it


def test_a_lifted_stone_hangs_over_its_shadow() -> None:
    """§11: it is drawn above its point, and last of all stones."""
    state = RECORDS["lifted at the top"]
    assert circles(state, fill=board.SHADOW) == named(6, "a5")
    stone = nodes(state, "circle", fill=draw.BLACK.shine)[-1]
    glow = nodes(state, "circle", fill=draw.GOLD)[-1]
    assert float(glow["cy"]) < -2.5 * board.STEP < float(stone["cy"]) + board.STONE
    assert len(nodes(state, "circle", fill=draw.BLACK.shine)) == 4


def allowed(game: str, state: np.void) -> tuple[Cells, Cells]:
    """Return the stones that the mask lets a seat take next, and where it would land behind them."""
    n, points = side_of(state), state["board"].size
    batch = Batch(game, 1, encoder=None)
    batch.set_states(state[None])
    taken, landed = set(), set()
    for plane, p in (divmod(int(a), points) for a in np.flatnonzero(batch.mask[0])):
        r, c = divmod(p, n)
        if plane == constants.TAKE_OFF:
            taken.add((r, c))
        elif state["phase"] == constants.JUMP and plane < constants.PICK:
            down, right = board.NEXT[plane - constants.MOVE]
            taken.add((r + down, c + right))
            landed.add((r + 2 * down, c + 2 * right))
    return taken, landed


@pytest.mark.parametrize("options", ["", ",revisit=false,must_take=false,single_jump_ban=none"])
def test_stones_that_may_be_taken_are_ringed(options: str) -> None:
    """§7, §10: rings on the stones, dots where a jump would end, as the mask says; none in the other phases."""
    game, found = f"jiu:board_size=6,max_turns=60{options}", 0
    for state in positions(game):
        taken, landed = allowed(game, state)
        assert circles(state, stroke=draw.RED.shine) == taken
        assert circles(state, fill=draw.RED.fill) == landed
        found += bool(landed) + bool(taken)
    assert found > 20


def test_nothing_is_in_motion_or_may_be_taken_when_the_game_is_over() -> None:
    for name in ("won", "forfeited", "forfeited taking", "cut"):
        assert not circles(RECORDS[name], stroke=draw.RED.shine) | circles(RECORDS[name], fill=board.HOLLOW)


# Shapes


def scattered(n: int, many: int) -> Iterator[np.void]:
    """Yield boards of stones at random, mostly of one side."""
    lots = np.random.default_rng(n)
    for i in range(many):
        state = battle(n)
        state["board"] = lots.choice(3, n * n, p=[0.3, *((0.55, 0.15), (0.15, 0.55))[i % 2]])
        yield state


def shapes_of(state: np.void) -> tuple[list[Any], list[Any]]:
    """Ask the kernels for the squares and the dalians of both sides, white's first."""
    n, s = side_of(state), state[None].view(np.recarray)[0]
    corners = [p for p in range(n * n - n - 1) if p % n < n - 1]
    own = [(seat, p) for seat in (0, 1) for p in corners if shapes.owns_cell(s.board, n, p, seat + 1, -1)]
    found = [(p, *shapes.dalian(s, seat, p, k)) for seat, p in own for k in range(16)]
    dalians = [tuple(divmod(p, n) for p in (square, *points)) for square, good, *points in found if good]
    return [divmod(p, n) for _, p in own], dalians


@pytest.mark.parametrize(("n", "many"), [(6, 60), (14, 8), pytest.param(26, 2, marks=COMPILES)])
def test_squares_and_dalians_are_those_of_the_rules(n: int, many: int) -> None:
    """§8, §14: and what is lit are these squares, these other cells, and an arrow for every runner's step."""
    total = 0
    for state in scattered(n, many):
        squares, dalians = shapes_of(state)
        sides = stones(state, 1), stones(state, 2)
        assert [corner for own in sides for corner in board.squares(own)] == squares
        assert sorted(d for own in sides for d in board.dalians(own, stones(state, 0))) == sorted(dalians)
        for paint, corners in ((board.SQUARE, squares), (board.GATE, sorted({other for *_, other in dalians}))):
            for fill in paint:
                assert [min(outline(n, node)) for node in nodes(state, "polygon", True, fill=fill)] == corners
        steps = {(p, q) for _, p, q, _ in dalians}
        assert len(nodes(state, "polyline", True, stroke=draw.RED.fill)) == len(steps)
        total += len(dalians)
    assert total > 20


def test_an_arrow_leads_from_the_runner_to_the_empty_point() -> None:
    state = battle(6, "b1 b2 c1 c2 b4 c3 c4")
    (shaft,) = nodes(state, "polyline", True, stroke=draw.RED.fill)
    (head,) = nodes(state, "polygon", True, fill=draw.RED.fill)
    tip = ends(head)[0] - ends(shaft)[0]
    assert {cell(6, *ends(shaft)[0])} == named(6, "b2") and tip[1] == 0 and abs(tip[0] - board.STEP) < board.STONE


@pytest.mark.parametrize("gun", [False, True])
def test_full_lines_are_lit_where_they_count(gun: bool) -> None:
    """§9: a row and a column, of either side."""
    for words, line in (("c0 c1 c2 c3 c4 c5", [(2, 0), (2, 5)]), ("a5 b5 c5 d5 e5 f5", [(0, 5), (5, 5)])):
        for state in (battle(6, words, gun=gun), battle(6, "", words, gun=gun)):
            assert [outline(6, node) for node in nodes(state, "polyline", True, stroke=draw.GOLD)] == [line] * gun


def test_shapes_are_lit_on_demand_only() -> None:
    state = battle(6, "b1 b2 c1 c2 b4 c3 c4")
    for paint in (*board.SQUARE, *board.GATE, draw.RED.fill):
        assert paint in board.svg(state, shapes=True) and paint not in board.svg(state)


# The caption


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"phase": constants.LAYOUT}, "WHITE PLACES"),
        ({"to_move": 1}, "BLACK TO MOVE"),
        ({"phase": constants.JUMP, "runner": "c1", "start": "a1"}, "WHITE JUMPS"),
        ({"phase": constants.DROP, "runner": "d2", "to_move": 1}, "BLACK DROPS"),
        ({"phase": constants.TAKE, "due": 2, "start": "a0", "latest": "a1 d2", "to_move": 1}, "BLACK TAKES 2"),
        ({"to_move": protocol.OVER, "winner": 0}, "WHITE WINS"),
        ({"to_move": protocol.OVER, "winner": 1}, "BLACK WINS"),
        ({"to_move": protocol.OVER}, "GAME OVER"),
        ({"to_move": protocol.OVER, "layout_only": 1}, "GAME OVER"),
        ({"to_move": protocol.CUT}, "CUT OFF"),
    ],
)
def test_the_caption_says_who_does_what(facts: Any, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a second line how many stones each side has."""
    state = battle(6, **PLACED, **facts)
    below = draw.rgb(board.svg(state))[-62:-30]
    fills = [paint.fill for paint in board.PAINT]
    assert [(below == color(fill)).all(axis=2).any() for fill in fills] == [name in words for name in board.NAMES]
    texts = lettered(monkeypatch, board)
    board.svg(state)
    assert texts[-3:] == [words, "5", "4"]


ENDS = {
    "max_turns=12": "CUT OFF",
    "max_turns=200,no_capture_limit=4": "DRAW",
    "max_turns=100,no_capture_limit=0,repetition=2": "DRAW",
    "layout_only=true": "DRAW",
}


@pytest.mark.parametrize("options", ENDS)
def test_the_captions_of_games_that_are_over(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """§16, §18: whatever the record shows of how a game has ended."""
    batch = Batch(f"jiu:board_size=6,{options}", 60, seed=0, encoder=None)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        batch.step(batch.sample()[rows], rows)
    texts, seen = lettered(monkeypatch, board), set()
    for state in batch.states:
        board.svg(state)
        cut = state["to_move"] == protocol.CUT
        assert texts[-3] == ("CUT OFF" if cut else ("WHITE WINS", "BLACK WINS", "DRAW")[state["winner"]])
        seen.add(texts[-3])
    assert ENDS[options] in seen


def test_a_forfeited_game_is_not_called_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    for params in ({}, *SPEC.tested[1:4]):
        batch = Batch("jiu", 1, seed=0, encoder=None, illegal="forfeit", **params)
        for _ in range(30):
            batch.step(batch.sample())
        batch.step(np.array([-1]))
        board.svg(batch.states[0])
        assert texts[-3] == "GAME OVER"
