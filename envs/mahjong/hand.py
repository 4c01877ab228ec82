"""Hands apart from a game, written as ``123m456p7z``: what they lack, and which tiles they are waiting for."""

import operator

import numpy as np

from ..engine.bind import bind
from ..engine.errors import BoyiError
from ..engine.spec import find
from . import tiles
from .constants import KINDS, MOST_MELDS
from .distance import accepted, distance, distance_tables

GAME = find("mahjong")
SETS = np.int64(1) << np.arange(KINDS, dtype=np.int64)
"""One bit for every kind, from which `accepted` makes a set."""


def shanten(hand: str, melds: int = 0) -> int:
    """Count the tiles that the concealed tiles `hand` must replace to wait for the last one (§2).

    With `melds` declared melds the hand has 16 - 3·melds tiles, or one more before a discard: then it is the shanten
    after the best one, or -1 for a complete hand. It is 10 at most. A kind has four copies, of which melds are taken to
    hold none. This is the deficiency of Yan, Li and Li (arXiv 2108.06832) less 1. `BoyiError` for text that is no hand,
    five tiles of a kind, melds not from 0 to 5, or another number of tiles.

    >>> shanten("123456m234p345789s1z")
    0
    """
    counts, need = _read(hand, melds)
    return int(bind(distance, GAME)(counts, need, distance_tables())) - 1


def acceptance(hand: str, melds: int = 0) -> dict[str, int]:
    """Find the tiles that lower the shanten of `hand` when drawn, in their order, and how many copies the hand leaves.

    Kinds of which no copy is left are not among them; what melds and discards hold is not known here. The hand must
    have 16 - 3·melds tiles. `BoyiError` for one more, because a tile must be discarded first, and as in `shanten`.

    >>> acceptance("34m456234p345789s11z")
    {'2m': 4, '5m': 4}
    """
    counts, need = _read(hand, melds)
    if counts.sum() > 3 * need + 1:
        raise BoyiError(f"{hand!r} has {counts.sum()} tiles: one must be discarded before it can accept another")
    _, kinds = bind(accepted, GAME)(counts, -1, need, SETS, distance_tables())
    return {tiles.name_of(i): int(tiles.COPIES - counts[i]) for i in range(KINDS) if kinds >> i & 1}


def _read(hand: str, melds: int) -> tuple[np.ndarray, int]:
    """Return the counts of a hand (34,) int8 and how many melds it still has to make."""
    counts = tiles.parse(hand)
    try:
        need = MOST_MELDS - operator.index(melds)
    except TypeError:
        need = -1
    if not 0 <= need <= MOST_MELDS:
        raise BoyiError(f"a hand has 0 to {MOST_MELDS} melds, not {melds!r}")
    least = 3 * need + 1
    if counts.sum() not in (least, least + 1):
        raise BoyiError(
            f"{hand!r} has {counts.sum()} tiles: with {melds} melds declared it must have {least}, "
            f"or {least + 1} before a discard"
        )
    return counts, need
