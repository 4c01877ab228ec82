"""Pictures of Gomoku: the board, the stones, the last of them, winning rows, captions, coordinates."""

import string
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from pictures import Pixels, changed, check_letters, check_margin, check_svg, color, lettered

from boyi.envs import Batch
from boyi.envs.engine.spec import find
from boyi.envs.faces import drawing as draw
from boyi.envs.gomoku import draw as board
from boyi.envs.gomoku import text
from boyi.envs.grid import picture

SIZES = (5, 6, 9, 15, 22)


def record(n: int, black: Any = (), white: Any = (), rule: str = "freestyle", **fields: int) -> np.void:
    """Return a record with stones on the given points; black is to move unless told."""
    state: np.void = find("gomoku", board_size=n, rule=rule).blank.copy()[0]
    for seat, points in enumerate((black, white)):
        for r, c in points:
            state["board"][r * n + c] = seat + 1
    for name, value in ({"winner": -1, "last": -1, "ply": len(black) + len(white)} | fields).items():
        state[name] = value
    return state


def won(n: int, row: Any, last: tuple[int, int], rule: str = "freestyle", seat: int = 0, **others: Any) -> np.void:
    """Return a record that a seat has won with the last of its stones."""
    stones: dict[str, Any] = {("black", "white")[seat]: row} | others
    return record(n, **stones, rule=rule, last=last[0] * n + last[1], winner=seat, to_move=-2)


def full(n: int) -> np.void:
    """Return a full board without five in a row."""
    black = [(r, c) for r, c in np.ndindex(n, n) if (r // 2 + c) % 2]
    return record(n, black, sorted({*np.ndindex(n, n)} - {*black}), to_move=-2, last=0)


def pixels(state: np.void) -> Pixels:
    return draw.rgb(board.svg(state))


def circles(state: np.void, fill: str) -> set[tuple[float, float]]:
    """Return the middles of the picture's circles of one colour."""
    found = [node.attrib for node in ElementTree.fromstring(board.svg(state)).iter() if node.tag.endswith("circle")]
    return {(float(node["cx"]), float(node["cy"])) for node in found if node["fill"] == fill}


def middles(n: int, points: Any) -> set[tuple[float, float]]:
    """Return where the stones on some points are drawn."""
    return circles(record(n, points, to_move=-3), draw.BLACK.fill)


def place(n: int, point: tuple[int, int]) -> tuple[int, int]:
    """Return the (y, x) of the pixel in the middle of a stone."""
    y, x = changed(pixels(record(n)), pixels(record(n, [point]))).mean(axis=0)
    return round(y), round(x)


ROW = [(2, c) for c in range(1, 6)]
RECORDS = {
    "5x5": record(5),
    "5x5, last": record(5, [(0, 0), (4, 4)], [(0, 4), (4, 0)], last=20),
    "won": won(9, ROW, (2, 3), white=[(3, 3), (1, 3)]),
    "won at the edge": won(5, [(r, 4) for r in range(5)], (4, 4), seat=1),
    "draw": full(6),
    "cut": record(15, [(7, 7)], last=112, to_move=-3),
    "22x22": record(22, [(0, 0), (21, 21)], [(0, 21), (21, 0)], to_move=1),
}


@pytest.mark.parametrize("name", RECORDS)
def test_svg_is_xml_without_text(name: str) -> None:
    check_svg(board.svg(RECORDS[name]))


@pytest.mark.parametrize("name", RECORDS)
def test_pictures_keep_a_clear_margin(name: str) -> None:
    check_margin(board.svg(RECORDS[name]))


# The board and its stones


@pytest.mark.parametrize("n", SIZES)
def test_stones_stand_where_lines_cross(n: int) -> None:
    empty = pixels(record(n)).astype(int)
    wood = color(board.WOOD)
    for r, c in ((0, 0), (0, n - 1), (n - 1, 0), (1, n - 2)):
        y, x = place(n, (r, c))
        arms = {(-1, 0): r > 0, (1, 0): r < n - 1, (0, -1): c > 0, (0, 1): c < n - 1}
        for (dy, dx), line in arms.items():
            across = [empty[y + 10 * dy + k * dx, x + 10 * dx + k * dy] for k in (-1, 0, 1)]
            assert any((wood - pixel).sum() > 60 for pixel in across) == line


def test_points_are_a_step_apart() -> None:
    corner, right, below = (np.array(place(5, point)) for point in ((0, 0), (0, 1), (1, 0)))
    assert (right - corner).tolist() == [0, board.STEP] and (below - corner).tolist() == [board.STEP, 0]


def test_stones_have_their_seats_colours() -> None:
    for seat, state in enumerate((record(5, [(1, 1)]), record(5, white=[(1, 1)]))):
        was, now = pixels(record(5)), pixels(state)
        found = {tuple(now[y, x]) for y, x in changed(was, now)}
        assert tuple(color(board.PAINT[seat].fill)) in found
        assert tuple(color(board.PAINT[1 - seat].fill)) not in found


def test_stones_are_told_apart_in_a_small_picture() -> None:
    """At 200 pixels for 22 x 22 points, black is much darker than the wood and white much lighter."""
    states = record(22), record(22, [(3, 4)]), record(22, white=[(3, 4)])
    wood, black, white = (draw.rgb(board.svg(state), width=200).astype(int).mean(axis=2) for state in states)
    assert ((wood - black) > 60).sum() > 20 and ((white - wood) > 25).sum() > 20


@pytest.mark.parametrize(("n", "stars"), [(5, 0), (8, 0), (9, 5), (10, 0), (11, 5), (15, 5), (17, 5), (19, 9), (22, 0)])
def test_star_points_are_those_of_go_boards(n: int, stars: int) -> None:
    assert len(circles(record(n), board.LINE)) == stars


@pytest.mark.parametrize(
    ("n", "names"),
    [(9, "c3 c7 e5 g3 g7"), (15, "d4 d12 h8 l4 l12"), (19, "d4 d10 d16 j4 j10 j16 p4 p10 p16")],
)
def test_star_points_have_their_names(n: int, names: str) -> None:
    points = [divmod(text.parse(record(n), name), n) for name in names.split()]
    assert circles(record(n), board.LINE) == middles(n, points)


# The last stone and the winning rows


def test_the_last_stone_only_is_marked() -> None:
    black, white = [(0, 1), (2, 2)], [(1, 1), (4, 0)]
    for last, seat in (((2, 2), 0), ((4, 0), 1)):
        without, marked = pixels(record(5, black, white)), pixels(record(5, black, white, last=5 * last[0] + last[1]))
        mark = changed(without, marked)
        assert len(mark) > 20
        assert np.abs(mark - place(5, last)).max() < 0.5 * board.STONE
        assert color(board.PAINT[seat].mark).tolist() in [marked[y, x].tolist() for y, x in mark]


def halo(state: np.void) -> int:
    """Return how many stones the picture shows in winning rows."""
    return len(circles(state, draw.GOLD))


def test_a_win_is_seen_on_the_board() -> None:
    going = RECORDS["won"].copy()
    going["winner"] = -1
    picture = pixels(RECORDS["won"])
    height = picture.shape[0] - 50  # above the caption
    assert len(changed(picture[:height], pixels(going)[:height])) > 300
    assert halo(RECORDS["won"]) == 5 and halo(going) == 0


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("step", [(0, 1), (1, 0), (1, 1), (1, -1)])
def test_the_winning_row_is_lit_in_every_direction(step: tuple[int, int], seat: int) -> None:
    row = [(4 + i * step[0], 4 + i * step[1]) for i in range(-2, 3)]
    for last in row:
        assert circles(won(9, row, last, seat=seat), draw.GOLD) == middles(9, row)


def test_a_line_joins_the_stones_of_a_row() -> None:
    row = [(r, 8 - r) for r in range(2, 7)]
    picture = pixels(won(9, row, row[0]))
    for a, b in pairwise(place(9, point) for point in row):
        assert (picture[(a[0] + b[0]) // 2, (a[1] + b[1]) // 2] == color(draw.GOLD)).all()


def test_freestyle_lights_longer_rows_and_standard_does_not() -> None:
    for length in (6, 9):
        row = [(3, c) for c in range(length)]
        assert halo(won(9, row, (3, 4))) == length
        assert halo(won(9, row, (3, 4), "standard")) == 0
    assert halo(won(9, ROW, ROW[0])) == halo(won(9, ROW, ROW[0], "standard")) == 5


def test_two_rows_are_lit_at_once() -> None:
    across, down = [(4, c) for c in range(5)], [(r, 4) for r in range(4, 9)]
    assert circles(won(9, across + down, (4, 4)), draw.GOLD) == middles(9, across + down)
    assert halo(won(9, across + down, (4, 4), "standard")) == 9
    over = [(4, c) for c in range(6)]
    assert halo(won(9, over + down, (4, 4))) == 10
    assert circles(won(9, over + down, (4, 4), "standard"), draw.GOLD) == middles(9, down)


def test_stones_beside_the_row_stay_unlit() -> None:
    beyond_a_gap, beside, opposed = (2, 7), (3, 3), (2, 0)
    state = won(9, [*ROW, beyond_a_gap, beside], (2, 3), white=[opposed])
    assert circles(state, draw.GOLD) == middles(9, ROW)


def test_rows_end_at_the_edge() -> None:
    """The first points of a row follow the last of the row above by their numbers only."""
    row = [(2, c) for c in range(4, 9)]
    assert circles(won(9, [*row, (3, 0), (3, 1)], (2, 8)), draw.GOLD) == middles(9, row)


@pytest.mark.parametrize("params", [{}, {"board_size": 6, "rule": "standard"}], ids=str)
def test_played_games_are_lit_as_the_rules_say(params: Any) -> None:
    batch = Batch("gomoku", 40, seed=1, encoder=None, **params)
    while (rows := np.flatnonzero(batch.to_move >= 0)).size:
        batch.step(batch.sample()[rows], rows)
    winners = batch.states["winner"]
    assert set(winners) >= ({-1, 0} if params else {0, 1})
    assert [halo(state) >= 5 for state in batch.states] == (winners >= 0).tolist()


# Letters


@pytest.mark.parametrize(
    ("to_move", "winner", "caption"),
    [
        (0, -1, "BLACK TO MOVE"),
        (1, -1, "WHITE TO MOVE"),
        (-2, 0, "BLACK WINS"),
        (-2, 1, "WHITE WINS"),
        (-2, -1, "GAME OVER"),
        (-3, -1, "GAME OVER"),
    ],
)
def test_the_caption_says_who(to_move: int, winner: int, caption: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    board.svg(record(5, [(0, 0)], [(1, 1)], to_move=to_move, winner=winner))
    assert texts[-1] == caption


def test_the_caption_of_a_full_board(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    state = full(6)
    board.svg(state)
    assert texts[-1] == "DRAW"
    state["winner"] = 1
    board.svg(state)
    assert texts[-1] == "WHITE WINS"


def test_the_caption_shows_the_colour_it_names() -> None:
    for seat, state in enumerate([record(5, to_move=0), record(5, to_move=-2, winner=1)]):
        caption = pixels(state)[-40:]
        assert (caption == color(board.PAINT[seat].fill)).all(axis=2).any()
        assert not (caption == color(board.PAINT[1 - seat].fill)).all(axis=2).any()


def test_coordinates_are_all_there(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    board.svg(record(22))
    assert sorted(texts) == sorted([*string.ascii_uppercase[:22], *map(str, range(1, 23)), "BLACK TO MOVE"])


@pytest.mark.parametrize("n", SIZES)
def test_coordinates_name_the_points(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stone is drawn above the letter and beside the number of its name."""
    stones = {a: middles(n, [divmod(a, n)]) for a in (0, n - 1, n + 1, n * n - n)}
    at: dict[str, tuple[float, float]] = {}

    def spy(words: str, x: float, y: float, *rest: Any) -> str:
        at[words] = x, y
        return ""

    monkeypatch.setattr(picture, "label", spy)
    state = record(n)
    board.svg(state)
    for a, where in stones.items():
        name = text.name(state, a).upper()
        assert where == {(at[name[0]][0], at[name[1:]][1])}


@pytest.mark.parametrize("n", SIZES)
def test_coordinates_collide_with_nothing(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_letters(monkeypatch, board, record(n))
