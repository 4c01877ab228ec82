"""What tests ask of drawings: of their SVG and of its pixels."""

import re
import xml.etree.ElementTree as ElementTree
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from boyi.envs.faces import drawing as draw
from boyi.envs.grid import picture as boards

Pixels = NDArray[np.uint8]


def changed(a: Pixels, b: Pixels) -> NDArray[np.intp]:
    """Return the (y, x) of the pixels in which two pictures differ."""
    return np.argwhere((a != b).any(axis=2))


def color(name: str) -> NDArray[np.int64]:
    return np.array([int(name[i : i + 2], 16) for i in (1, 3, 5)])


def lettered(monkeypatch: pytest.MonkeyPatch, board: ModuleType) -> list[str]:
    """Leave out what a game's pictures letter from now on, and collect it in the list returned."""
    texts: list[str] = []

    def spy(text: str, *place: Any) -> str:
        texts.append(text)
        return ""

    for module in (board, boards, draw):
        if hasattr(module, "label"):
            monkeypatch.setattr(module, "label", spy)
    return texts


def check_svg(picture: str) -> None:
    """Check that a picture is XML without text elements and as large as it says."""
    assert "<text" not in picture
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert draw.rgb(picture).shape == (int(root.get("height", 0)), int(root.get("width", 0)), 3)


def check_margin(picture: str) -> None:
    """Check that nothing is drawn on the outer 8 pixels of the canvas, nor beyond it."""
    height, width = draw.rgb(picture).shape[:2]
    wider = re.sub(
        r'width="\d+" height="\d+" viewBox="[^"]*"',
        f'width="{width + 200}" height="{height + 200}" viewBox="-100 -100 {width + 200} {height + 200}"',
        picture,
        count=1,
    )
    image = draw.rgb(wider)
    assert image.shape == (height + 200, width + 200, 3)
    image[108 : 100 + height - 8, 108 : 100 + width - 8] = 255
    frame = image[100 : 100 + height, 100 : 100 + width]
    frame[(frame == color(draw.PAPER)).all(axis=2)] = 255
    assert (image == 255).all()


def check_letters(monkeypatch: pytest.MonkeyPatch, board: ModuleType, record: np.void) -> None:
    """Check that one pixel at least is clear between the letters and the rest of the picture."""
    everything = draw.rgb(board.svg(record))
    lettered(monkeypatch, board)
    bare = draw.rgb(board.svg(record))
    letters, rest = (everything != bare).any(axis=2), (bare != bare[0, 0]).any(axis=2)
    assert letters.any() and rest.any()
    for shift in ((0, 0), (0, 2), (0, -2), (2, 0), (-2, 0)):
        assert not (np.roll(letters, shift, axis=(0, 1)) & rest).any()
