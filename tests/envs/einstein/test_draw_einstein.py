"""Pictures of EinStein: squares, goals, numbered stones, the last move, the die, captions, coordinates."""

import string
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from pictures import Pixels, changed, check_letters, check_margin, check_svg, color, lettered
from scipy import ndimage

from boyi.envs import Batch
from boyi.envs.einstein import draw as board
from boyi.envs.engine import protocol
from boyi.envs.engine.spec import find
from boyi.envs.faces import drawing as draw
from boyi.envs.grid import picture

Shape = tuple[int, int]
SHAPES = ((2, 1), (2, 2), (4, 6), (5, 5), (15, 2), (2, 15), (15, 15))


def record(shape: Shape = (5, 5), red: Any = None, blue: Any = None, stones: int = 6, **fields: int) -> np.void:
    """Return a record with stones {number: (row, column)}; red is to move unless told, and has rolled a 1."""
    state: np.void = find("einstein", board_size=shape[0], columns=shape[1], stones=stones).blank.copy()[0]
    state["square"], state["board"], state["left"] = -1, 0, 0
    for seat, placed in enumerate((red or {}, blue or {})):
        for number, (r, c) in placed.items():
            index = seat * stones + number - 1
            state["square"][index] = r * shape[1] + c
            state["board"][r * shape[1] + c] = index + 1
            state["left"][seat] += 1
    for name, value in ({"winner": -1, "last": -1, "die": 1, "to_move": 0, "turn": 0} | fields).items():
        state[name] = value
    return state


def over(shape: Shape = (5, 5), **fields: Any) -> np.void:
    """Return a record whose caption has no colour: it was cut."""
    return record(shape, **fields, to_move=protocol.CUT)


def pixels(state: np.void, width: int | None = None) -> Pixels:
    return draw.rgb(board.svg(state), width=width)


def squares(state: np.void, fill: str, element: str = "rect") -> set[tuple[float, float]]:
    """Return the corners of the picture's squares, or the middles of its circles, of one colour."""
    keys = ("x", "y") if element == "rect" else ("cx", "cy")
    nodes = [node.attrib for node in ElementTree.fromstring(board.svg(state)).iter() if node.tag.endswith(element)]
    return {(float(node[keys[0]]), float(node[keys[1]])) for node in nodes if node["fill"] == fill}


def corner(shape: Shape, r: int, c: int) -> tuple[float, float]:
    """Return the upper left corner of a square, as the picture counts."""
    return (c - shape[1] / 2) * board.SIDE, (r - shape[0] / 2) * board.SIDE


def place(shape: Shape, r: int, c: int) -> tuple[int, int]:
    """Return the (y, x) of the pixel in the middle of a stone."""
    found = changed(pixels(over(shape)), pixels(over(shape, red={1: (r, c)})))
    y, x = (found.min(axis=0) + found.max(axis=0)) / 2
    return round(y), round(x)


START = record(
    red={1: (0, 0), 2: (0, 1), 3: (0, 2), 4: (1, 0), 5: (1, 1), 6: (2, 0)},
    blue={1: (4, 4), 2: (4, 3), 3: (4, 2), 4: (3, 4), 5: (3, 3), 6: (2, 4)},
    die=0,
    to_move=protocol.CHANCE,
)
WON = record(red={1: (2, 2), 2: (4, 4)}, blue={3: (1, 0)}, last=5, die=0, to_move=protocol.OVER, winner=0)
RECORDS = {
    "start": START,
    "won": WON,
    "won at the upper left": record(blue={6: (0, 0)}, last=16, turn=1, to_move=protocol.OVER, winner=1),
    "2x1": record((2, 1), red={1: (0, 0)}, blue={1: (1, 0)}, stones=1),
    "4x6": record((4, 6), red={1: (0, 0)}, blue={3: (2, 3), 1: (3, 5)}, stones=3, last=6, die=2),
    "15x2": record((15, 2), red={2: (7, 1)}, blue={5: (10, 0)}, turn=1, to_move=1, die=6, last=3),
    "2x15": record((2, 15), red={2: (1, 7)}, blue={5: (0, 10)}, turn=1, die=0, to_move=protocol.CHANCE, last=5),
    "15x15": record((15, 15), red={1: (0, 0), 6: (14, 14)}, blue={1: (0, 14), 6: (14, 0)}, die=5),
    "cut": over(),
}


@pytest.mark.parametrize("name", RECORDS)
def test_svg_is_xml_without_text(name: str) -> None:
    check_svg(board.svg(RECORDS[name]))


@pytest.mark.parametrize("name", RECORDS)
def test_pictures_keep_a_clear_margin(name: str) -> None:
    check_margin(board.svg(RECORDS[name]))


# The board and its goals


@pytest.mark.parametrize("shape", SHAPES)
def test_squares_are_as_many_as_the_rules_say(shape: Shape) -> None:
    drawn = squares(over(shape), draw.CELL) | squares(over(shape), board.TINT[0]) | squares(over(shape), board.TINT[1])
    assert drawn == {corner(shape, r, c) for r, c in np.ndindex(*shape)}


@pytest.mark.parametrize("shape", SHAPES)
def test_goals_have_their_owners_colours(shape: Shape) -> None:
    """Red wants the lower right corner, blue the upper left; half a turn of the board exchanges the two marks."""
    state = over(shape)
    assert squares(state, board.TINT[0]) == {corner(shape, shape[0] - 1, shape[1] - 1)}
    assert squares(state, board.TINT[1]) == {corner(shape, 0, 0)}
    red, blue = ((pixels(state) == color(paint.fill)).all(axis=2) for paint in board.PAINT)
    (top, left), (bottom, right) = np.argwhere(blue).min(axis=0), np.argwhere(red).max(axis=0)
    turned = np.array([top + bottom, left + right]) - np.argwhere(blue)
    assert {*map(tuple, turned)} == {*map(tuple, np.argwhere(red))}
    assert bottom - top == shape[0] * board.SIDE + 2 * board.BAND - 1
    assert right - left == shape[1] * board.SIDE + 2 * board.BAND - 1
    assert np.ptp(np.argwhere(red), axis=0).tolist() == [board.SIDE + board.BAND - 1] * 2


def test_goals_are_seen_under_their_stones() -> None:
    for seat, goal in enumerate(((4, 4), (0, 0))):
        taken = over(**{("blue", "red")[seat]: {1: goal}})
        fill = color(board.PAINT[seat].fill)
        assert ((pixels(taken) == fill).all(axis=2) == (pixels(over()) == fill).all(axis=2)).all()


# Stones


@pytest.mark.parametrize("shape", SHAPES)
def test_stones_stand_on_their_squares(shape: Shape) -> None:
    origin = np.array(place(shape, 0, 0))
    for r, c in ((0, shape[1] - 1), (shape[0] - 1, 0), (shape[0] - 1, shape[1] - 1), (1, 0)):
        assert (np.array(place(shape, r, c)) - origin).tolist() == [r * board.SIDE, c * board.SIDE]


def test_stones_have_their_seats_colours() -> None:
    for seat, name in enumerate(("red", "blue")):
        was, now = pixels(over()), pixels(over(**{name: {3: (2, 2)}}))
        found = {tuple(now[y, x]) for y, x in changed(was, now)}
        assert {tuple(color(part)) for part in (board.PAINT[seat].fill, board.PAINT[seat].mark)} <= found
        assert tuple(color(board.PAINT[1 - seat].fill)) not in found


@pytest.mark.parametrize("name", ["red", "blue"])
def test_stones_bear_their_numbers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    placed = {1: (0, 1), 2: (3, 3), 4: (1, 2), 6: (2, 4)}
    state = over(**{name: placed})
    at: dict[tuple[float, float], str] = {}

    def spy(words: str, x: float, y: float, *rest: Any) -> str:
        at[x, y] = words
        return ""

    monkeypatch.setattr(board, "label", spy)
    board.svg(state)
    half = board.SIDE / 2
    for number, square in placed.items():
        x, y = corner((5, 5), *square)
        assert at[x + half, y + half] == str(number)


@pytest.mark.parametrize("width", [None, 200])
def test_numbers_differ(width: int | None) -> None:
    """Any two numbers on one stone differ by more than ten pixels of ink, in a small picture too."""
    ink = np.abs(color(draw.RED.mark) - color(draw.RED.fill)).sum()
    pictures = [pixels(over(red={number: (2, 2)}), width).astype(int) for number in range(1, 7)]
    for a, b in combinations(pictures, 2):
        assert np.abs(a - b).sum() > 10 * ink


# The last move


def moved(seat: int, direction: int, **fields: int) -> np.void:
    """Return a record after stone 4 of a seat has gone to the square in the middle."""
    stones = {("red", "blue")[seat]: {4: (2, 2)}}
    going = {"turn": 1 - seat, "die": 0, "to_move": protocol.CHANCE}
    return record((5, 5), **stones, **(going | {"last": 9 + direction} | fields))


FROM = [[(2, 1), (1, 2), (1, 1)], [(2, 3), (3, 2), (3, 3)]]  # by seat and direction
every_move = pytest.mark.parametrize(("seat", "direction"), [*np.ndindex(2, 3)])


@every_move
def test_the_last_move_is_shown(seat: int, direction: int) -> None:
    left = corner((5, 5), *FROM[seat][direction])
    arrived = corner((5, 5), 2, 2)
    states = (
        moved(seat, direction),
        moved(seat, direction, die=3, to_move=1 - seat),
        moved(seat, direction, die=3, to_move=protocol.OVER),  # the other seat has forfeited
        moved(seat, direction, die=3, to_move=protocol.CUT),
        moved(seat, direction, turn=seat, winner=seat, to_move=protocol.OVER),
    )
    for state in states:
        assert squares(state, board.TRACE) == {left, arrived}
        # The trail starts in the middle of the square that was left.
        half = board.SIDE / 2
        middle = (left[0] + half, left[1] + half)
        assert middle in squares(state, board.PAINT[seat].shine, "circle")


def test_no_move_is_shown_before_the_first() -> None:
    assert not squares(START, board.TRACE)


def test_a_stone_that_wins_glows() -> None:
    assert squares(WON, draw.GOLD, "circle") == squares(over(red={2: (4, 4)}), draw.RED.fill, "circle")
    assert not squares(moved(0, 1), draw.GOLD, "circle")


def test_a_played_game_shows_where_each_move_came_from() -> None:
    batch = Batch("einstein", 1, seed=3, encoder=None)
    seats = set()
    while batch.to_move[0] >= 0:
        seat, was = int(batch.to_move[0]), batch.states[0]["square"].copy()
        batch.step(batch.sample())
        state = batch.states[0]
        stone = 6 * seat + int(state["last"]) // 3
        ends = [divmod(int(square), 5) for square in (was[stone], state["square"][stone])]
        assert squares(state, board.TRACE) == {corner((5, 5), *square) for square in ends}
        seats.add(seat)
    assert seats == {0, 1} and len(squares(state, draw.GOLD, "circle")) == 1


# The die


def die(seat: int, face: int, width: int | None = None) -> Pixels:
    """Return the part of a picture that the die takes up."""
    image = pixels(record(turn=seat, to_move=seat if face else protocol.CHANCE, die=face), width)
    image = image[round(0.84 * len(image)) :]  # below the board
    coloured = np.abs(image.astype(int) - color(board.PAINT[seat].rim)).sum(axis=2) < 100
    (top, left), (bottom, right) = np.argwhere(coloured).min(axis=0), np.argwhere(coloured).max(axis=0)
    return image[top : bottom + 1, left : right + 1]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("width", [None, 200])
@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_has_as_many_pips_as_it_shows(face: int, width: int | None, seat: int) -> None:
    picture = die(seat, face, width).astype(int)
    body = color(board.PAINT[seat].fill)
    assert (picture == body).all(axis=2).mean() > 0.4
    apart = ndimage.label(np.abs(picture - body).sum(axis=2) > 200)[0]
    # At the rounded corners there is paper.
    around = {*apart[0], *apart[-1], *apart[:, 0], *apart[:, -1]}
    assert len({*apart.ravel()} - around - {0}) == face


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_looks_the_same_upside_down(face: int) -> None:
    assert {(-x, -y) for x, y in board.PIPS[face]} == set(board.PIPS[face])


@pytest.mark.parametrize("seat", [0, 1])
def test_a_die_is_blank_before_the_roll(seat: int) -> None:
    picture = die(seat, 0)
    assert picture.shape == die(seat, 1).shape
    assert (picture[4:-4, 4:-4] == color(draw.PAPER)).all()


def test_a_die_is_drawn_while_the_game_goes_on_only() -> None:
    def coloured(state: np.void) -> int:
        return int((np.abs(pixels(state)[-70:].astype(int) - color(draw.RED.fill)).sum(axis=2) < 30).sum())

    base = coloured(over())
    assert coloured(record(die=4)) > base + 300
    assert coloured(over(die=4)) == base
    assert coloured(record(die=4, winner=0, to_move=protocol.OVER)) < base + 150


# Letters


def test_chance_is_that_of_the_protocol() -> None:
    assert board.CHANCE == protocol.CHANCE


@pytest.mark.parametrize(
    ("to_move", "turn", "winner", "caption"),
    [
        (protocol.CHANCE, 0, -1, "RED TO ROLL"),
        (protocol.CHANCE, 1, -1, "BLUE TO ROLL"),
        (0, 0, -1, "RED TO MOVE"),
        (1, 1, -1, "BLUE TO MOVE"),
        (protocol.OVER, 0, 0, "RED WINS"),
        (protocol.OVER, 1, 1, "BLUE WINS"),
        (protocol.OVER, 1, -1, "GAME OVER"),
        (protocol.CUT, 0, -1, "GAME OVER"),
    ],
)
def test_the_caption_says_who(
    to_move: int, turn: int, winner: int, caption: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = lettered(monkeypatch, board)
    board.svg(record(to_move=to_move, turn=turn, winner=winner, die=0))
    assert texts[-1] == caption


@pytest.mark.parametrize("fields", [{}, {"die": 0, "to_move": -1}, {"winner": 0, "to_move": -2}], ids=str)
def test_the_caption_shows_the_colour_it_names(fields: Any) -> None:
    for seat in (0, 1):
        own = {name: seat if value == 0 and name != "die" else value for name, value in fields.items()}
        caption = pixels(record(**({"turn": seat, "to_move": seat} | own)))[-48:].astype(int)
        near = [np.abs(caption - color(paint.rim)).sum(axis=2).min() for paint in board.PAINT]
        assert near[seat] < 30 < 60 < near[1 - seat]


@pytest.mark.parametrize("shape", SHAPES)
def test_coordinates_are_all_there(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = lettered(monkeypatch, board)
    board.svg(record(shape))
    rows, columns = shape
    assert texts == [*string.ascii_uppercase[:columns], *map(str, range(1, rows + 1)), "RED TO MOVE"]


def test_coordinates_stand_beside_their_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters go with the columns, numbers with the rows, 1 at the top."""
    at: dict[str, tuple[float, float]] = {}

    def spy(words: str, x: float, y: float, *rest: Any) -> str:
        at[words] = x, y
        return ""

    monkeypatch.setattr(picture, "label", spy)
    board.svg(over((4, 6)))
    half = board.SIDE / 2
    for c in range(6):
        assert at["ABCDEF"[c]][0] == corner((4, 6), 0, c)[0] + half
    for r in range(4):
        assert at[str(r + 1)][1] == corner((4, 6), r, 0)[1] + half


@pytest.mark.parametrize("shape", SHAPES)
def test_coordinates_collide_with_nothing(shape: Shape, monkeypatch: pytest.MonkeyPatch) -> None:
    check_letters(monkeypatch, board, record(shape))
