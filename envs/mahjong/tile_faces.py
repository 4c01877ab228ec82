"""The tiles' faces as paths: every tile is 30 x 40 pixels around (0, 0), its upper edge at the top.

Chinese characters are strokes of one round pen on a square of 20 x 20 units, as the letters of `drawing` are: no font
is needed, and pictures look the same everywhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from ..faces.drawing import BLACK, BLUE, GOLD, RED, Point, circle, polygon

T = TypeVar("T")

WIDTH, HEIGHT = 30.0, 40.0
IVORY, SIDE, RIM = "#fffdf7", "#d9ccae", "#a4977a"  # of a tile: its face, the edge below it, the outline
BACK, FRAME = "#7f97ac", "#9fb3c4"  # of a tile that lies face down
GREEN = "#2f7d55"

NUMERALS, WINDS = "一二三四五六七八九", "東南西北"

STROKES = {
    "一": "M1.5 10.6C7 10 13 9.8 18.5 10.2",
    "二": "M4 4.8L16 4.8M1.5 15.6L18.5 15.6",
    "三": "M3 3.4L17 3.4M4.4 10L15.6 10M1.5 16.8L18.5 16.8",
    "四": (
        "M2.4 17.2L2.4 4L17.6 4L17.6 17.2M2.4 15.6L17.6 15.6M7.6 4C7.6 8 7 10.4 5.2 11.8"
        "M12.2 4L12.2 9.6C12.2 11 12.8 11.4 15 11.2"
    ),
    "五": "M3 3.2L17 3.2M9.6 3.2L7 16.8M4.4 9.6L14.8 9.6L14 16.8M1.5 16.8L18.5 16.8",
    "六": ("M9.4 1.4L10.8 4.2M1.5 7.4L18.5 7.4M7.2 10.6C6.4 13.6 4.8 16.2 2 18.4M12.4 10.6C14 13 15.8 15.8 17.6 18.4"),
    "七": "M1.8 10.4L18.2 7.4M8.6 2L8.6 14.6C8.6 16.8 9.2 17.4 11.2 17.4L15.2 17.4C17.2 17.4 17.8 16.8 18 14.4",
    "八": "M7.4 4C7 9.4 5.2 14.2 1.6 17.8M8.6 2.8L11 2.8C11.4 9.6 14 14.8 18.6 17.8",
    "九": (
        "M7.8 1.6L7.8 6.4C7.8 11.4 6.2 15.4 1.8 18.4"
        "M2.2 7L13.4 7L13.4 15C13.4 17.2 14 17.8 15.8 17.8C17.8 17.8 18.2 17 18.4 14.2"
    ),
    "萬": (
        "M1.5 3.4L18.5 3.4M6.4 1L6.4 5.6M13.6 1L13.6 5.6M4.6 7L15.4 7L15.4 12.2L4.6 12.2ZM4.6 9.6L15.4 9.6"
        "M10 7L10 17M2.2 19.2L2.2 14.4L17.8 14.4L17.8 17.8C17.8 19 17.2 19.2 15.4 19M6 17.4L12.6 16.8"
        "M12.4 15.8L14 17.8"
    ),
    "東": (
        "M2.4 4.2L17.6 4.2M10 1L10 19.2M4.8 6.9L15.2 6.9L15.2 12.7L4.8 12.7ZM4.8 9.8L15.2 9.8"
        "M9.6 12.8C7.8 15.2 5.2 17.2 1.6 18.4M10.4 12.8C12.2 15.2 14.8 17.2 18.4 18.4"
    ),
    "南": (
        "M2.4 3.8L17.6 3.8M10 1L10 7M2.8 19L2.8 7L17.2 7L17.2 17.4C17.2 18.8 16.6 19 14.8 18.8M7 8.8L8.2 10.6"
        "M13 8.8L11.8 10.6M6 11.4L14 11.4M5.8 14.4L14.2 14.4M10 11.4L10 18.6"
    ),
    "西": (
        "M1.8 3.2L18.2 3.2M2.8 18.6L2.8 7L17.2 7L17.2 18.6M2.8 17L17.2 17"
        "M7.8 3.2L7.8 7C7.8 10.4 7 12.4 5 13.6M12.2 3.2L12.2 10.8C12.2 12.6 12.8 13 15 12.9"
    ),
    "北": (
        "M7.6 1.8L7.6 18.6M2.4 7.2L7.6 7.2M1.4 16L7.6 13.2"
        "M12.2 1.8L12.2 15.4C12.2 17.4 12.8 18 14.8 18C17.6 18 18.2 17.2 18.4 14.2"
        "M17.6 5.4C16 7.2 14.4 8.4 12.2 9.4"
    ),
    "中": "M2.8 14.4L2.8 5.4L17.2 5.4L17.2 14.4M2.8 13L17.2 13M10 1L10 19.4",
    "發": (
        "M3 2.2L8.2 2.2C7.2 5.4 5 7.8 1.4 9.4M3 4.6L5 6.4M11.8 1.4C12.8 4.8 15 7.8 18.6 9.4M16 1.4L13.2 3.8"
        "M18.2 3.8L15 6M2.8 10.4L8.2 10.4L8.2 13L3.2 13L2.8 15.6L8.4 15.6C8.4 18.8 7.8 19.6 5 18.8"
        "M12 10C12 12 11.6 13 10.4 13.8M12 10L16 10L16 12C16 13 16.6 13.2 18.4 12.8"
        "M10.8 15.2L16.8 15.2C15.8 17.4 13.6 18.8 10.2 19.4M12 15.4C13.4 17.4 15.6 18.8 18.6 19.4"
    ),
}


def character(name: str, x: float, y: float, size: float, color: str, pen: float = 1.7) -> str:
    """Return a Chinese character `size` pixels tall around (x, y), its strokes `pen` units wide."""
    place = f' transform="translate({x - size / 2:g} {y - size / 2:g}) scale({size / 20:g})"'
    return _pen(STROKES[name], color, pen, place)


def _pen(path: str, color: str, width: float, place: str = "") -> str:
    """Return a path drawn by a round pen."""
    line = f'stroke="{color}" stroke-width="{width:g}" stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{path}" fill="none" {line}{place}/>'


def _box(inset: float, below: float, fill: str) -> str:
    """Return a box with round corners: the tile's outline moved in by `inset`, its lower edge by `below` more."""
    width, height = WIDTH - 2 * inset, HEIGHT - 2 * inset - below
    corner = f'x="{-width / 2:g}" y="{inset - HEIGHT / 2:g}" rx="{max(0, 3 - inset / 2):g}"'
    return f'<rect {corner} width="{width:g}" height="{height:g}" fill="{fill}"/>'


def _body(fill: str, edge: str, rim: str) -> list[str]:
    """Return a tile without a face."""
    return [_box(0.3, 0, rim), _box(0.9, 0, edge), _box(0.9, 2.4, fill)]


def face(kind: int) -> list[str]:
    """Return the parts of a tile that lies face up."""
    rank, suit = kind % 9 + 1, kind // 9
    drawn = (_characters, _dots, _bamboo, _honor)[suit](rank)
    return [*_body(IVORY, SIDE, RIM), *drawn]


def back() -> list[str]:
    """Return the parts of a tile that lies face down."""
    return [*_body(BACK, "#607a91", "#4d6579"), _box(5.6, 1.4, FRAME), _box(6.6, 1.4, BACK)]


def glow() -> list[str]:
    """Return a bright outline for a tile."""
    x, y = WIDTH / 2 - 1.4, HEIGHT / 2 - 1.4
    return [polygon([(-x, -y), (x, -y), (x, y), (-x, y)], "none", GOLD, 2.8)]


def _characters(rank: int) -> list[str]:
    return [
        character(NUMERALS[rank - 1], 0, -10, 15.5, BLACK.fill, 2.3),
        character("萬", 0, 8, 17, RED.fill, 1.75),
    ]


def _honor(rank: int) -> list[str]:
    if rank <= 4:
        return [character(WINDS[rank - 1], 0, -1, 24, BLACK.fill, 1.9)]
    if rank == 5:
        return [character("中", 0, -1, 25, RED.fill, 2.2)]
    if rank == 6:
        return [character("發", 0, -1, 25, GREEN, 1.6)]
    x, y = 9.5, 14.0
    frame = [(-x, -y - 1), (x, -y - 1), (x, y - 1), (-x, y - 1)]
    inner = [(a * 0.72, (b + 1) * 0.81 - 1) for a, b in frame]
    return [polygon(frame, "none", BLUE.fill, 2), polygon(inner, "none", BLUE.fill, 0.9)]


# Where the dots and the sticks of bamboo lie, row by row, and the colours of both in that order.
_PLACES: dict[int, tuple[Point, ...]] = {
    2: ((0, -8), (0, 8)),
    3: ((-7, -11), (0, 0), (7, 11)),
    4: ((-6, -9), (6, -9), (-6, 9), (6, 9)),
    5: ((-7, -11), (7, -11), (0, 0), (-7, 11), (7, 11)),
    6: ((-5.6, -12), (5.6, -12), (-5.6, 1.5), (5.6, 1.5), (-5.6, 12), (5.6, 12)),
    7: ((-7.6, -13.4), (0, -10), (7.6, -6.6), (-4.8, 3), (4.8, 3), (-4.8, 12.4), (4.8, 12.4)),
    8: tuple((x, y) for y in (-13.2, -4.4, 4.4, 13.2) for x in (-5.2, 5.2)),
    9: tuple((x, y) for y in (-11.4, 0, 11.4) for x in (-8.2, 0, 8.2)),
}
_RADIUS = {2: 5.8, 3: 4.8, 4: 5.0, 5: 4.6, 6: 4.4, 7: 3.8, 8: 3.9, 9: 3.8}
_DOT_INKS = {2: "gb", 3: "brg", 4: "bggb", 5: "bgrgb", 6: "ggrrrr", 7: "gggrrrr", 8: "bbbbbbbb", 9: "gggrrrbbb"}
_INKS = {"r": RED.fill, "g": GREEN, "b": BLUE.fill}


def _spots(points: Iterable[Point], color: str, radius: float) -> str:
    """Return discs of one size and colour as one path: its lines have no length, but round ends."""
    return _pen("".join(f"M{x:g} {y - 1:g}L{x:g} {y - 1:g}" for x, y in points), color, 2 * radius)


def _dots(rank: int) -> list[str]:
    """Return the dots, each a disc with a ring; the single one has a second ring."""
    if rank == 1:
        rings = ((10.4, RED.fill), (8.4, IVORY), (7, RED.fill), (4.8, IVORY), (3.4, GREEN))
        return [_spots([(0, 0)], color, radius) for radius, color in rings]
    radius, parts = _RADIUS[rank], []
    for ink, points in _by_ink(_PLACES[rank], _DOT_INKS[rank]):
        parts += [_spots(points, ink, radius), _spots(points, IVORY, 0.64 * radius), _spots(points, ink, 0.36 * radius)]
    return parts


def _by_ink(places: Sequence[T], inks: str) -> Iterator[tuple[str, list[T]]]:
    """Yield each colour with the places that have it."""
    for ink in dict.fromkeys(inks):
        yield _INKS[ink], [place for place, other in zip(places, inks, strict=True) if other == ink]


class _Stick(NamedTuple):
    """A stick of bamboo around (x, y): half its length, and how far its upper end leans to the right."""

    x: float
    y: float
    half: float
    lean: float = 0.0


def _row(n: int, y: float, half: float, step: float = 7.4) -> list[_Stick]:
    return [_Stick(step * (i - (n - 1) / 2), y, half) for i in range(n)]


def _crown(y: float, lean: float) -> list[_Stick]:
    """Return four sticks that stand like an M, or, leaning the other way, like a W."""
    return [_Stick(-9.6, y, 4.8), _Stick(-3.6, y, 4.4, -lean), _Stick(3.6, y, 4.4, lean), _Stick(9.6, y, 4.8)]


_STICKS = {
    2: [*_row(1, -8, 5), *_row(1, 8, 5)],
    3: [*_row(1, -8, 5), *_row(2, 8, 5, 13)],
    4: [*_row(2, -8, 5, 13), *_row(2, 8, 5, 13)],
    5: [*_row(2, -8.6, 4.6, 15), *_row(1, 0, 4.6), *_row(2, 8.6, 4.6, 15)],
    6: [*_row(3, -8, 5), *_row(3, 8, 5)],
    7: [*_row(1, -11.8, 2.8), *_row(3, 0, 2.8), *_row(3, 11.8, 2.8)],
    8: [*_crown(-8, 1.8), *_crown(8, -1.8)],
    9: [*_row(3, -11.8, 2.8), *_row(3, 0, 2.8), *_row(3, 11.8, 2.8)],
}
_STICK_INKS = {2: "gb", 3: "bgg", 4: "gbbg", 5: "gbrbg", 6: "gggbbb", 7: "rgggggg", 8: "ggggbbbb", 9: "grbgrbgrb"}


def _bamboo(rank: int) -> list[str]:
    """Return the sticks, each with a knot in its middle."""
    if rank == 1:
        return _bird()
    parts = []
    for ink, sticks in _by_ink(_STICKS[rank], _STICK_INKS[rank]):
        ends = (f"M{x + lean:g} {y - half - 1:g}L{x - lean:g} {y + half - 1:g}" for x, y, half, lean in sticks)
        parts.append(_pen("".join(ends), ink, 3.8))
    knots = (f"M{x - 0.7:g} {y - 1:g}L{x + 0.7:g} {y - 1:g}" for x, y, _, _ in _STICKS[rank])
    return [*parts, _pen("".join(knots), IVORY, 1.1)]


def _bird() -> list[str]:
    """Return the bird of the first bamboo, on a twig, looking to the right."""
    breast = "M8 -9C9.4 -2 7.6 4.6 0.6 6.4C-4.4 7.6 -7 3 -4.8 -1.4C-2.8 -5.4 1 -6 2 -10C3 -14 7.4 -13 8 -9Z"
    return [
        _pen("M-3 4C-6 8 -8 11 -9.4 15", BLUE.fill, 2.2),
        _pen("M-1.6 5C-3.6 9 -5 12 -5.6 15.6", GREEN, 2.2),
        f'<path d="{breast}" fill="{GREEN}"/>',
        _pen("M-3.6 2.6C-0.6 2.8 2.6 0.4 3.6 -3.6", IVORY, 1.2),
        _pen("M3.6 -14.2C3.2 -15.6 2.4 -16.4 1.2 -16.8M5.4 -14.4C5.4 -15.8 5.2 -16.8 4.6 -17.6", RED.fill, 1.3),
        polygon([(8, -11), (11.6, -9.4), (8, -8.4)], RED.fill),
        circle(5.4, -10, 1.1, IVORY),
        _pen("M1.2 7L1.2 11.4M4 5.8L4 11.4", RED.fill, 1.2),
        _pen("M-2.4 12C2 11.4 6 11.4 10.4 12.4", BLACK.fill, 1.5),
    ]
