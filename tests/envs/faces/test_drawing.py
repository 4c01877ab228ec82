"""Pictures: SVG fragments, the letters, pixels, and the Hex board."""

import string
import subprocess
import sys
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from pictures import Pixels, changed, check_letters, check_margin, check_svg, color, lettered

from boyi.envs.engine.spec import find, games
from boyi.envs.faces import drawing as draw
from boyi.envs.hex import draw as hexboard

INK_CHARACTERS = string.digits + string.ascii_uppercase + "-+.:/()?#=,'"


def written(text: str, anchor: Any = "middle", size: float = 20) -> Pixels:
    """Return the darkness (60, 200) of a black label at (100, 30) on white."""
    picture = draw.document(200, 60, [draw.label(text, 100, 30, size, "#000", anchor)], "#fff")
    return 255 - draw.rgb(picture)[:, :, 0]


def hex_record(n: int, red: Any = (), blue: Any = (), **fields: int) -> np.void:
    """Return a Hex record with stones on the given cells; red is to move unless told."""
    record: np.void = find("hex", board_size=n).blank.copy()[0]
    for seat, cells in enumerate((red, blue)):
        for cell in cells:
            record["board"][cell[0] * n + cell[1]] = seat + 1
    for name, value in ({"winner": -1, "last": -1, "ply": len(red) + len(blue)} | fields).items():
        record[name] = value
    return record


def hex_pixels(record: np.void) -> Pixels:
    return draw.rgb(hexboard.svg(record))


RED_WON = hex_record(3, red=[(0, 1), (1, 1), (2, 1), (1, 2)], blue=[(0, 0)], winner=0, to_move=-2, last=4)
HEX_RECORDS = {
    "one cell": hex_record(1, to_move=1),
    "one cell, won": hex_record(1, red=[(0, 0)], winner=0, to_move=-2, last=0),
    "2x2": hex_record(2, blue=[(0, 1)], last=1),
    "won": RED_WON,
    "11x11": hex_record(11, red=[(0, 0), (10, 10)], blue=[(0, 10), (10, 0)], to_move=1),
    "26x26": hex_record(26, red=[(0, 0), (25, 25)], blue=[(0, 25), (25, 0)], last=675),
    "over without a winner": hex_record(2, to_move=-3),
}


# Fragments and documents


def test_numbers_are_short() -> None:
    assert 'points="0,0 1.23,2 0.5,10"' in draw.polyline([(-0.001, 0), (1.2345, 2.0), (0.5, 10)], "#000")


def test_shapes_cover_the_pixels_they_name() -> None:
    parts = [
        draw.rect(0, 0, 10, 10, "#ff0000"),
        draw.circle(25, 5, 4, "#00ff00"),
        draw.polygon([(30, 0), (40, 0), (40, 10), (30, 10)], "#0000ff"),
        draw.polyline([(40, 5), (50, 5)], "#ff00ff", 4),
        draw.moved([draw.rect(0, 0, 10, 10, "#00ffff")], 50, 0),
    ]
    middle = draw.rgb(draw.document(60, 10, parts, "#ffffff"))[5, 5::10]
    expected = ["#ff0000", "#ffffff", "#00ff00", "#0000ff", "#ff00ff", "#00ffff"]
    assert middle.tolist() == [color(name).tolist() for name in expected]


def test_outlines_are_as_wide_as_asked() -> None:
    for shape in (
        draw.rect(10, 10, 20, 20, "#ffffff", "#000000", 6),
        draw.polygon([(10, 10), (30, 10), (30, 30), (10, 30)], "#ffffff", "#000000", 6),
        draw.circle(20, 20, 10, "#ffffff", "#000000", 6),
    ):
        row = draw.rgb(draw.document(40, 40, [shape], "#ffffff"))[20, :20, 0]
        assert (row < 128).sum() == 6, shape


def test_document_rounds_its_size_up_and_is_painted_to_the_rim() -> None:
    image = draw.rgb(draw.document(20.2, 10.7, [], "#102030"))
    assert image.shape == (11, 21, 3)
    assert (image == color("#102030")).all()


def test_stones_have_a_face_a_rim_and_a_shine() -> None:
    for paint in (draw.RED, draw.BLUE, draw.BLACK, draw.WHITE):
        image = draw.rgb(draw.document(40, 40, draw.stone(20, 20, 12, paint), draw.PAPER))
        ink = np.argwhere((image != color(draw.PAPER)).any(axis=2))
        assert ink.min(axis=0).tolist() == [7, 7] and ink.max(axis=0).tolist() == [32, 32]
        found = {tuple(pixel) for pixel in image.reshape(-1, 3).tolist()}
        assert {tuple(color(name).tolist()) for name in (paint.fill, paint.shine)} <= found


def test_two_seats_colours_differ_in_lightness_alone() -> None:
    for pair in ((draw.RED, draw.BLUE), (draw.BLACK, draw.WHITE)):
        for part in ("fill", "shine"):
            one, other = (color(getattr(paint, part)) @ (0.299, 0.587, 0.114) for paint in pair)
            assert abs(one - other) > 20


def test_marks_stand_out_from_their_stones() -> None:
    for paint in (draw.RED, draw.BLUE, draw.BLACK, draw.WHITE):
        mark, shine = (color(name) @ (0.299, 0.587, 0.114) for name in (paint.mark, paint.shine))
        assert abs(mark - shine) > 100


# Letters


def test_every_glyph_draws_ink_inside_its_line() -> None:
    for character in INK_CHARACTERS:
        rows, columns = np.nonzero(written(character) > 128)
        assert len(rows) >= 6, character
        assert 30 - 14 <= rows.min() <= rows.max() <= 30 + 14, character
        assert abs(columns.mean() - 100) < 4, character


def test_every_glyph_differs_from_every_other_and_from_the_box() -> None:
    pictures = {character: written(character).tobytes() for character in INK_CHARACTERS + "~"}
    for a, b in combinations(pictures, 2):
        assert pictures[a] != pictures[b], (a, b)


def test_capitals_are_as_tall_as_asked_and_centred() -> None:
    rows = np.nonzero(written("H", size=30) > 128)[0]
    assert abs(rows.max() - rows.min() - 30) <= 4
    assert abs((rows.max() + rows.min() + 1) / 2 - 30) <= 1


def test_letters_differ_at_ten_pixels() -> None:
    pictures = {character: written(character, size=10).astype(int) for character in INK_CHARACTERS}
    for a, b in combinations(pictures, 2):
        assert np.abs(pictures[a] - pictures[b]).sum() > 2 * 255, (a, b)


def test_lower_case_is_drawn_as_capitals() -> None:
    assert (written("hex") == written("HEX")).all()


def test_an_unknown_character_is_a_box_and_not_dropped() -> None:
    assert written("é").any()
    assert (written("é") == written("~")).all()
    assert draw.label_width("A~A", 10) > draw.label_width("AA", 10) + 5


def test_anchors_place_start_middle_and_end() -> None:
    start, middle, end = (np.nonzero(written("HELLO", anchor) > 128)[1] for anchor in ("start", "middle", "end"))
    assert abs(start.min() - 100) <= 2 and start.max() > 120
    assert abs(end.max() - 100) <= 2 and end.min() < 80
    assert abs((middle.min() + middle.max()) / 2 - 100) <= 2


def test_label_width_is_the_width_of_the_ink() -> None:
    columns = np.nonzero(written("HUH") > 128)[1]
    assert abs(columns.max() - columns.min() - draw.label_width("HUH", 20)) <= 3


def test_a_space_takes_room() -> None:
    assert draw.label_width("A A", 10) > draw.label_width("AA", 10) + 4


def test_a_caption_and_its_mark_are_centred_together() -> None:
    for mark in (10.0, 30.0):
        at, text = draw.caption("RED WINS", 30, 10, mark)
        parts = [draw.rect(at[0] - mark / 2, at[1] - 4, mark, 8, "#000"), text]
        image = draw.rgb(draw.document(200, 60, [draw.moved(parts, 100, 0)], "#fff"))[:, :, 0]
        columns = np.flatnonzero((image < 128).any(axis=0))
        assert abs((columns.min() + columns.max()) / 2 - 99.5) <= 1
        end = int(columns.min() + mark)
        assert (image[:, end + 1 : end + 6] == 255).all() and (image[:, end + 6 : end + 11] < 128).any()


# Pixels


def test_rgb_is_fresh_writable_and_contiguous() -> None:
    picture = draw.document(30, 20, [], "#ffffff")
    image = draw.rgb(picture)
    assert image.shape == (20, 30, 3) and image.dtype == np.uint8
    assert image.flags.c_contiguous and image.flags.writeable
    image[:] = 0
    assert (draw.rgb(picture) == 255).all()


def test_rgb_scales_to_a_width() -> None:
    assert draw.rgb(draw.document(30, 20, [], "#ffffff"), width=90).shape == (60, 90, 3)


def test_what_is_not_painted_is_white() -> None:
    assert (draw.rgb('<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>') == 255).all()


def test_fonts_of_the_machine_are_not_used() -> None:
    families = "DejaVu Sans, Liberation Sans, Noto Sans, Arial, Helvetica, sans-serif"
    text = f'<text x="2" y="30" font-size="30" font-family="{families}">HEX</text>'
    assert (draw.rgb(draw.document(90, 40, [text], "#ffffff")) == 255).all()


def test_importing_the_drawing_code_loads_no_drawing_library() -> None:
    modules = ", ".join(find(game).spec.package + ".draw" for game in games())
    code = f"import sys, {modules}\nprint(*{{'PIL', 'resvg_py', 'numba'}} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split() == []


# Hex


@pytest.mark.parametrize("name", HEX_RECORDS)
def test_hex_svg_is_xml_without_text(name: str) -> None:
    check_svg(hexboard.svg(HEX_RECORDS[name]))


@pytest.mark.parametrize("name", HEX_RECORDS)
def test_hex_keeps_a_clear_margin(name: str) -> None:
    check_margin(hexboard.svg(HEX_RECORDS[name]))


@pytest.mark.parametrize("n", [1, 2, 5, 11, 26])
def test_hex_sides_have_their_owners_colours(n: int) -> None:
    """Seen from outside, red is met first from top and bottom, blue first from left and right."""
    image = hex_pixels(hex_record(n, to_move=-3)).astype(int)  # its caption has neither colour
    red, blue = color(draw.RED.fill), color(draw.BLUE.fill)
    band = np.argwhere((image == red).all(axis=2) | (image == blue).all(axis=2))
    y, x = (band.min(axis=0) + band.max(axis=0)) // 2
    lines = [image[:y, x - 5], image[y:, x - 5][::-1], image[y, :x], image[y, x:][::-1]]
    for line, first, other in zip(lines, (red, red, blue, blue), (blue, blue, red, red), strict=True):
        assert (line == first).all(axis=1).any()
        met = int(np.argmax((line == first).all(axis=1)))
        assert not (line[:met] == other).all(axis=1).any()


def test_hex_cells_touch_as_the_rules_say() -> None:
    empty = hex_pixels(hex_record(3))
    place = {}
    for cell in np.ndindex(3, 3):
        place[cell] = changed(empty, hex_pixels(hex_record(3, red=[cell]))).mean(axis=0)
    for a, b in combinations(place, 2):
        apart = np.hypot(*(place[a] - place[b])) / hexboard.WIDTH
        touching = (b[0] - a[0], b[1] - a[1]) in {(0, 1), (1, 0), (1, -1)}
        assert abs(apart - 1) < 0.05 if touching else apart > 1.5, (a, b)
    assert place[0, 2][1] > place[0, 0][1] and place[2, 0][0] > place[0, 0][0]


def test_hex_stones_have_their_seats_colours() -> None:
    for seat, record in enumerate((hex_record(3, red=[(1, 1)]), hex_record(3, blue=[(1, 1)]))):
        was, now = hex_pixels(hex_record(3)), hex_pixels(record)
        found = {tuple(now[y, x]) for y, x in changed(was, now)}
        assert tuple(color(hexboard.PAINT[seat].fill)) in found
        assert tuple(color(hexboard.PAINT[1 - seat].fill)) not in found


def test_hex_marks_the_last_stone_only() -> None:
    stones: dict[str, Any] = {"red": [(0, 1), (2, 2)], "blue": [(1, 1)]}
    without = hex_pixels(hex_record(3, **stones))
    center = changed(hex_pixels(hex_record(3)), hex_pixels(hex_record(3, red=[(2, 2)]))).mean(axis=0)
    mark = changed(without, hex_pixels(hex_record(3, **stones, last=8)))
    assert len(mark) > 20
    assert np.abs(mark - center).max() < 0.5 * hexboard.RADIUS


def test_hex_marks_the_only_stone_after_a_swap() -> None:
    swapped, placed = (hex_pixels(hex_record(3, blue=[(1, 2)], last=last)) for last in (9, 5))
    assert (swapped == placed).all()
    assert len(changed(swapped, hex_pixels(hex_record(3, blue=[(1, 2)])))) > 20


def golden(record: np.void) -> int:
    """Return how many stones the picture shows in a winning chain."""
    return hexboard.svg(record).count(f'fill="{draw.GOLD}"')


def test_hex_shows_a_win_on_the_board() -> None:
    going = RED_WON.copy()
    going["winner"] = -1
    board = np.s_[: hex_pixels(RED_WON).shape[0] - 50]  # above the caption
    assert len(changed(hex_pixels(RED_WON)[board], hex_pixels(going)[board])) > 300
    assert golden(RED_WON) == 3 and golden(going) == 0


def test_hex_shows_a_shortest_chain_for_either_seat() -> None:
    detour = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3)]
    shortcut = [(0, 2), (4, 1)]  # they touch (1, 1) and (3, 2), and save a stone each
    turned = [(c, r) for r, c in detour + shortcut]
    assert golden(hex_record(5, red=detour, winner=0)) == 8
    assert golden(hex_record(5, red=detour + shortcut, winner=0)) == 6
    assert golden(hex_record(5, blue=turned, winner=1)) == 6
    assert golden(hex_record(3, blue=[(1, 0), (1, 1), (1, 2)], winner=1)) == 3


def test_hex_shows_no_chain_where_the_winner_has_none() -> None:
    assert golden(hex_record(3, red=[(0, 0), (1, 1), (2, 2)], winner=0, to_move=-2)) == 0
    assert golden(hex_record(3, red=[(0, 0), (1, 0), (2, 0)], winner=1, to_move=-2)) == 0


@pytest.fixture
def hex_texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the texts that the Hex pictures letter."""
    return lettered(monkeypatch, hexboard)


@pytest.mark.parametrize(
    ("to_move", "winner", "caption"),
    [(0, -1, "RED TO MOVE"), (1, -1, "BLUE TO MOVE"), (-2, 0, "RED WINS"), (-2, 1, "BLUE WINS"), (-3, -1, "GAME OVER")],
)
def test_hex_caption_says_who(to_move: int, winner: int, caption: str, hex_texts: list[str]) -> None:
    hexboard.svg(hex_record(2, to_move=to_move, winner=winner))
    assert hex_texts[-1] == caption


def test_hex_caption_shows_the_colour_it_names() -> None:
    for seat, record in enumerate([hex_record(2, to_move=0), hex_record(2, to_move=-2, winner=1)]):
        caption = hex_pixels(record)[-40:]
        assert (caption == color(hexboard.PAINT[seat].fill)).all(axis=2).any()
        assert not (caption == color(hexboard.PAINT[1 - seat].fill)).all(axis=2).any()


def test_hex_coordinates_are_all_there(hex_texts: list[str]) -> None:
    hexboard.svg(hex_record(26))
    assert sorted(hex_texts) == sorted([*string.ascii_uppercase, *map(str, range(1, 27)), "RED TO MOVE"])


@pytest.mark.parametrize("n", [1, 5, 11, 26])
def test_hex_coordinates_collide_with_nothing(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_letters(monkeypatch, hexboard, hex_record(n))
