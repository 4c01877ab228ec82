"""Ring in text: cells are numbers from 1, and diagrams that read back."""

import re

import numpy as np

from boyi.envs.engine.errors import BoyiError

from . import SEATS, rules
from .valid import flaw

EXCHANGE = "exchange"
STONES, PLACES = ".ABC", "*-abc"  # by ring value, and by place + 1: put aside, in the deck, in a hand


def name(s: np.void, a: int) -> str:
    """Name action `a`: ``1`` … or ``exchange``."""
    return EXCHANGE if a == s["ring"].size else str(a + 1)


def parse(s: np.void, text: str) -> int:
    """Read what `name` writes; `BoyiError` says what is allowed."""
    cells, word = s["ring"].size, text.strip().lower()
    if word == EXCHANGE:
        return cells
    if re.fullmatch("[1-9][0-9]?", word) and int(word) <= cells:
        return int(word) - 1
    raise BoyiError(f"no action {text!r}: cells are 1 to {cells}, or {EXCHANGE}")


def diagram(s: np.void) -> str:
    """Draw the position: stones A, B, C; every card's place, ``*`` aside, ``-`` deck, or the hand of a, b, c."""
    facts = (f"{field} {s[field]}" for field in ("ply", "limit", "to_move", "turn", "stones"))
    cards, ring = "".join(PLACES[v + 1] for v in s["place"]), "".join(STONES[v] for v in s["ring"])
    return f"ring {ring}  cards {cards}\n{'  '.join(facts)}"


def read(text: str) -> np.ndarray:
    """Read a diagram into a record, shape (1,); `BoyiError` for anything `diagram` does not write."""
    words = text.split()
    values = dict(zip(words[::2], words[1::2], strict=False))
    try:
        ring = [STONES.index(mark) for mark in values["ring"]]
        place = [PLACES.index(mark) - 1 for mark in values["cards"]]
        s = rules.blank(len(ring) // SEATS, len(place) - SEATS, 0)
        s["ring"], s["place"], s["empty"] = ring, place, ring.count(0)
        for field in ("ply", "limit", "to_move", "turn", "stones"):
            s[field] = int(values[field])
        if flaw(s.view(np.recarray)[0]) < 0 and diagram(s[0]) == text.strip():
            return s
    except (KeyError, ValueError, OverflowError):
        pass
    raise BoyiError("not a Ring diagram: it starts with 'ring A..B..C..  cards a-bc-', then ply, limit, to_move, …")
