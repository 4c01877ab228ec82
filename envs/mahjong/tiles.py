"""Tiles in text (§1): ``123m456p7z``, ranks and then their suit, which is ``z`` for the honors."""

import re
from collections.abc import Iterable
from itertools import groupby

import numpy as np

from ..engine.errors import BoyiError, shown
from .constants import KINDS, TILES

NAMES = tuple(f"{rank}{suit}" for suit in "mpsz" for rank in range(1, 10))[:KINDS]
COPIES = TILES // KINDS

_TILES = re.compile(r"([1-9]+[mps]|[1-7]+z)*")


def name_of(kind: int) -> str:
    """Name a kind, such as ``4m``."""
    return NAMES[kind]


def kind_of(name: str) -> int:
    """Read the kind of one tile; anything but one tile is a `BoyiError`."""
    kinds = parse_list(name)
    if len(kinds) != 1:
        raise BoyiError(f"cannot read tile {shown(name)}: write one rank and its suit, as in 4m or 7z")
    return kinds[0]


def parse_list(text: str) -> list[int]:
    """Read the kinds of tiles in the order they are written in; `BoyiError` for anything else.

    Spaces and case do not matter, and a suit may come more than once.
    """
    written = "".join(text.split()).lower() if isinstance(text, str) else "?"
    if not _TILES.fullmatch(written):
        raise BoyiError(
            f"cannot read tiles {shown(text)}: write ranks and then their suit, as in 123m456p789s, honors 1z to 7z"
        )
    return [NAMES.index(rank + run[-1]) for run in re.findall("[1-9]+[mpsz]", written) for rank in run[:-1]]


def write_list(kinds: Iterable[int]) -> str:
    """Write tiles so that `parse_list` reads the same kinds in the same order: ``19m1p2m``."""
    runs = groupby((name_of(kind) for kind in kinds), key=lambda name: name[1])
    return "".join("".join(name[0] for name in names) + suit for suit, names in runs)


def parse(text: str) -> np.ndarray:
    """Count the tiles of every kind: (34,) int8; `BoyiError` for five of a kind and what `parse_list` cannot read."""
    counts = np.bincount(np.array(parse_list(text), np.int64), minlength=KINDS)
    kind = int(counts.argmax())
    if counts[kind] > COPIES:
        raise BoyiError(f"{shown(text)} has {counts[kind]} tiles {name_of(kind)}, of which there are {COPIES}")
    return counts.astype(np.int8)


def write(counts: np.ndarray) -> str:
    """Write counts (34,) in the order of the kinds, as `parse` reads them."""
    return write_list(np.repeat(np.arange(KINDS), counts))
