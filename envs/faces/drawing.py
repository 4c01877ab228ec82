"""Draw SVG fragments, and turn SVG into pixels.

Fragments are strings; `document` joins them into a picture. Coordinates are pixels, x to the right and y
down, rounded to two decimals. Letters are stroke paths from the glyphs below, never text elements: without
fonts on the machine resvg silently draws no text, and paths look the same everywhere.
"""

import io
import re
from collections.abc import Iterable
from html import escape
from math import ceil, fsum
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Point = tuple[float, float]


class Paint(NamedTuple):
    """The colours of one seat's stones; `mark` is for what stands on them."""

    fill: str
    rim: str
    shine: str
    mark: str


# One palette for all games. Two seats' colours are told apart by every kind of colour vision, and by lightness alone.
PAPER, CELL, GRID, INK, GOLD = "#fbf9f4", "#efe9dc", "#c9bfab", "#6e6657", "#f5b82e"
RED, BLUE = Paint("#d9483b", "#a8322a", "#e35f52", PAPER), Paint("#2762a8", "#1a4479", "#3d78bf", PAPER)
BLACK, WHITE = Paint("#35312c", "#1c1a17", "#4d4841", PAPER), Paint("#f4f1ea", "#8f8676", "#ffffff", "#35312c")

# Paths of M, L, C and Z only: every number belongs to an "x y" pair, so mapping the pairs places a glyph.
# A capital's top is y = 0, the baseline y = 10; a glyph starts at x = 0 and is as wide as its largest x.
_GLYPHS = {
    " ": "M2.6 0",
    "0": "M3 0C5 0 6 2 6 5C6 8 5 10 3 10C1 10 0 8 0 5C0 2 1 0 3 0Z",
    "1": "M0.6 2.2L3 0L3 10",
    "2": "M0.2 2.7C0.3 1 1.5 0 3 0C4.7 0 5.8 1.1 5.8 2.7C5.8 4.2 4.9 5.2 3.7 6.4L0.1 10L6 10",
    "3": (
        "M0.3 2C0.7 0.7 1.7 0 3 0C4.6 0 5.7 1 5.7 2.4C5.7 3.9 4.6 4.8 2.5 4.8"
        "C4.7 4.8 6 5.8 6 7.4C6 9 4.7 10 3 10C1.5 10 0.4 9.2 0 7.9"
    ),
    "4": "M4.7 10L4.7 0L0 7.1L6.4 7.1",
    "5": ("M5.4 0L1 0L0.5 4.8C1.2 4.2 2 3.9 2.9 3.9C4.7 3.9 6 5.1 6 6.9C6 8.7 4.7 10 2.9 10C1.5 10 0.5 9.3 0 8.2"),
    "6": (
        "M5.5 1.5C5 0.5 4.2 0 3.2 0C1.2 0 0 2.1 0 5.5C0 8.4 1.1 10 3 10"
        "C4.8 10 6 8.7 6 6.9C6 5.1 4.8 4 3.1 4C1.5 4 0.2 5 0 6.4"
    ),
    "7": "M0 0L6 0L2.2 10",
    "8": (
        "M3 0C4.6 0 5.6 1 5.6 2.4C5.6 3.8 4.6 4.7 3 4.7C1.4 4.7 0.4 3.8 0.4 2.4C0.4 1 1.4 0 3 0Z"
        "M3 4.7C4.8 4.7 6 5.7 6 7.3C6 8.9 4.8 10 3 10C1.2 10 0 8.9 0 7.3C0 5.7 1.2 4.7 3 4.7Z"
    ),
    "9": (
        "M0.5 8.5C1 9.5 1.8 10 2.8 10C4.8 10 6 7.9 6 4.5C6 1.6 4.9 0 3 0"
        "C1.2 0 0 1.3 0 3.1C0 4.9 1.2 6 2.9 6C4.5 6 5.8 5 6 3.6"
    ),
    "A": "M0 10L3.8 0L7.6 10M1.3 6.7L6.3 6.7",
    "B": (
        "M0 4.8L3.2 4.8C4.8 4.8 5.7 3.9 5.7 2.4C5.7 0.9 4.8 0 3.2 0"
        "L0 0L0 10L3.4 10C5.2 10 6.2 9 6.2 7.4C6.2 5.8 5.2 4.8 3.4 4.8"
    ),
    "C": "M7.2 2.2C6.5 0.8 5.3 0 3.9 0C1.6 0 0 2 0 5C0 8 1.6 10 3.9 10C5.3 10 6.5 9.2 7.2 7.8",
    "D": "M0 0L0 10L2.6 10C5.3 10 7 8.1 7 5C7 1.9 5.3 0 2.6 0Z",
    "E": "M5.4 0L0 0L0 10L5.4 10M0 4.8L4.7 4.8",
    "F": "M5.2 0L0 0L0 10M0 4.9L4.5 4.9",
    "G": ("M7.1 2.1C6.4 0.8 5.3 0 3.9 0C1.6 0 0 2 0 5C0 8 1.6 10 3.9 10C6 10 7.4 8.6 7.4 6.2L7.4 5.5L4.3 5.5"),
    "H": "M0 0L0 10M6.8 0L6.8 10M0 4.8L6.8 4.8",
    "I": "M0 0L0 10",
    "J": "M4.8 0L4.8 6.9C4.8 8.9 3.9 10 2.4 10C1.2 10 0.4 9.3 0 8.1",
    "K": "M0 0L0 10M6.1 0L0 6.2M2.2 4L6.4 10",
    "L": "M0 0L0 10L5 10",
    "M": "M0 10L0 0L4 6.8L8 0L8 10",
    "N": "M0 10L0 0L6.8 10L6.8 0",
    "O": "M4 0C6.4 0 8 2 8 5C8 8 6.4 10 4 10C1.6 10 0 8 0 5C0 2 1.6 0 4 0Z",
    "P": "M0 10L0 0L3.2 0C5 0 6 1.1 6 2.8C6 4.5 5 5.6 3.2 5.6L0 5.6",
    "Q": "M4 0C6.4 0 8 2 8 5C8 8 6.4 10 4 10C1.6 10 0 8 0 5C0 2 1.6 0 4 0ZM5 7.4L8 10.6",
    "R": "M0 10L0 0L3.2 0C5 0 6 1 6 2.7C6 4.4 5 5.4 3.2 5.4L0 5.4M3.2 5.4L6.2 10",
    "S": ("M5.7 1.8C5.2 0.6 4.3 0 3 0C1.4 0 0.3 1 0.3 2.4C0.3 5.9 6 3.9 6 7.3C6 9 4.8 10 3 10C1.5 10 0.4 9.3 0 8"),
    "T": "M0 0L6.8 0M3.4 0L3.4 10",
    "U": "M0 0L0 6.4C0 8.8 1.2 10 3.3 10C5.4 10 6.6 8.8 6.6 6.4L6.6 0",
    "V": "M0 0L3.7 10L7.4 0",
    "W": "M0 0L2.5 10L5 1.6L7.5 10L10 0",
    "X": "M0.2 0L6.8 10M6.6 0L0 10",
    "Y": "M0 0L3.5 5.2L7 0M3.5 5.2L3.5 10",
    "Z": "M0.2 0L6.2 0L0 10L6.4 10",
    "-": "M0 5.6L4 5.6",
    "+": "M0 5.4L6 5.4M3 2.4L3 8.4",
    ".": "M0.4 9.6L0.4 10",
    ":": "M0.4 3.4L0.4 3.8M0.4 9.2L0.4 9.6",
    "/": "M0 11L4.6 -1",
    "(": "M2.4 -1C0.8 0.6 0 2.6 0 5C0 7.4 0.8 9.4 2.4 11",
    ")": "M0 -1C1.6 0.6 2.4 2.6 2.4 5C2.4 7.4 1.6 9.4 0 11",
    "?": "M0 2.5C0.2 0.9 1.2 0 2.7 0C4.3 0 5.4 1 5.4 2.5C5.4 4.7 2.7 4.6 2.7 7M2.7 9.6L2.7 10",
    "#": "M2.6 0.4L1.4 9.6M5.6 0.4L4.4 9.6M0.4 3.4L7 3.4M0 6.6L6.6 6.6",
    "=": "M0 3.8L6 3.8M0 7L6 7",
    ",": "M0.8 9.6L0.8 10L0.2 11.6",
    "'": "M0.2 0L0.2 2.6",
}
_UNKNOWN = "M0 0L5 0L5 10L0 10Z"
_PAIR = re.compile(r"(-?[\d.]+) (-?[\d.]+)")
_GAP = 2.5  # between two glyphs, in glyph units
_PEN = 1.3  # stroke width of a glyph, in glyph units


def _number(x: float) -> str:
    """Return x with at most two decimals and no trailing zeros."""
    text = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _paint(fill: str, stroke: str, width: float) -> str:
    line = f' stroke="{stroke}" stroke-width="{_number(width)}"' if stroke != "none" else ""
    return f'fill="{fill}"{line}'


def _points(points: Iterable[Point]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def polygon(points: Iterable[Point], fill: str, stroke: str = "none", width: float = 1.0) -> str:
    """Return a closed polygon."""
    return f'<polygon points="{_points(points)}" {_paint(fill, stroke, width)} stroke-linejoin="round"/>'


def polyline(points: Iterable[Point], stroke: str, width: float = 1.0) -> str:
    """Return an open line through the points with round ends and joins."""
    round_ = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<polyline points="{_points(points)}" {_paint("none", stroke, width)} {round_}/>'


def circle(x: float, y: float, radius: float, fill: str, stroke: str = "none", width: float = 1.0) -> str:
    """Return a circle around (x, y)."""
    return f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" {_paint(fill, stroke, width)}/>'


def rect(x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", line: float = 1.0) -> str:
    """Return a rectangle whose top left corner is (x, y), outlined `line` pixels wide."""
    box = f'x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}"'
    return f"<rect {box} {_paint(fill, stroke, line)}/>"


def stone(x: float, y: float, radius: float, paint: Paint) -> list[str]:
    """Return a round stone lit from the upper left."""
    shine = circle(x - 7 / 66 * radius, y - 10 / 66 * radius, 48 / 66 * radius, paint.shine)
    return [circle(x, y, radius, paint.fill, paint.rim, 1.4), shine]


def at(name: str) -> str:
    """Return the attribute of an element that, pointed at, stands for what has this name, such as a cell or tile."""
    return f'data-at="{escape(name)}"'


def spot(name: str, x: float, y: float, radius: float) -> str:
    """Return an invisible circle to point at, around (x, y)."""
    where = f'cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}"'
    return f'<circle {at(name)} {where} fill="none" pointer-events="all"/>'


def document(width: float, height: float, parts: Iterable[str], background: str) -> str:
    """Return a whole SVG picture of width x height pixels, rounded up, the parts on a background."""
    w, h = ceil(width), ceil(height)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}">'
    return "\n".join([head, rect(0, 0, w, h, background), *parts, "</svg>"])


def moved(parts: Iterable[str], dx: float, dy: float) -> str:
    """Return the parts as one fragment, moved right by dx and down by dy."""
    return f'<g transform="translate({_number(dx)} {_number(dy)})">{"".join(parts)}</g>'


def _glyph(character: str) -> tuple[float, str]:
    """Return a character's width in glyph units and its path."""
    path = _GLYPHS.get(character, _UNKNOWN)
    return max(float(x) for x, _ in _PAIR.findall(path)), path


def label_width(text: str, size: float) -> float:
    """Return the width in pixels of `label(text, ...)`, without the overhang of its pen."""
    text = text.upper()
    # From 3.12 on Python's own `sum` rounds floats differently, and pictures would differ in their last digits.
    units = fsum(_glyph(character)[0] for character in text) + _GAP * max(len(text) - 1, 0)
    return units * size / 10


def label(
    text: str,
    x: float,
    y: float,
    size: float,
    color: str,
    anchor: Literal["start", "middle", "end"] = "middle",
) -> str:
    """Return the text as one stroked path in capitals `size` pixels tall, centred vertically at y.

    The anchor says which point of the text stands at x. A character without a glyph is drawn as a box.
    """
    scale = size / 10
    left = x - label_width(text, size) * {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    top = y - size / 2
    strokes = []
    for character in text.upper():
        width, path = _glyph(character)
        strokes.append(_placed(path, left, top, scale))
        left += (width + _GAP) * scale
    pen = f'stroke="{color}" stroke-width="{_number(_PEN * scale)}"'
    round_ = 'stroke-linecap="round" stroke-linejoin="round"'
    return f'<path d="{"".join(strokes)}" fill="none" {pen} {round_}/>'


def _placed(path: str, left: float, top: float, scale: float) -> str:
    """Return a glyph's path in pixels, its top left corner at (left, top)."""

    def pair(match: re.Match[str]) -> str:
        return f"{_number(left + float(match[1]) * scale)} {_number(top + float(match[2]) * scale)}"

    return _PAIR.sub(pair, path)


def caption(text: str, y: float, size: float, mark: float) -> tuple[Point, str]:
    """Return a line centred at (0, y) that begins with a mark `mark` pixels wide: the mark's middle, and the text."""
    room = mark + 0.8 * size
    left = -(room + label_width(text, size)) / 2
    return (left + mark / 2, y), label(text, left + room, y, size, INK, "start")


def rgb(svg: str, width: int | None = None) -> NDArray[np.uint8]:
    """Return the picture as a fresh uint8 array (H, W, 3), scaled to `width` pixels where one is given."""
    import resvg_py
    from PIL import Image

    png = resvg_py.svg_to_bytes(svg_string=svg, width=width, background="white", skip_system_fonts=True)
    return np.array(Image.open(io.BytesIO(png)).convert("RGB"))
