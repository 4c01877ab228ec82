"""The turns of `repetition` as a line of a diagram: ``quiet 2 G8-G7 h3-h4``, their number and the last of them."""

from collections.abc import Callable

import numpy as np

from ..engine.errors import BoyiError
from ..engine.syntax import expect


def write_quiet(s: np.void, mover: int, name: Callable[[int, int], str]) -> str:
    """Write the turns that the record looks back on, the last one last; `mover` is the seat whose turn is next.

    ``name(cell, seat)`` names where a stone of a seat stood or came to.
    """
    quiet, most = int(s["quiet"]), s["source"].size
    words = [f"quiet {quiet}"]
    for i in range(max(0, quiet - most), quiet):
        seat = (mover + quiet - i) % 2
        words.append("-".join(name(int(s[key][i % most]), seat) for key in ("source", "target")))
    return " ".join(words)


def read_quiet(s: np.record, line: str, what: str, example: str, find: Callable[[str], int]) -> None:
    """Set what `write_quiet` wrote; `find` reads a cell's name, and raises `BoyiError` as this does."""
    found = expect(r"quiet (\d{1,6})((?: \w+-\w+)*)", line, what, example)
    turns, s.quiet = found[2].split(), int(found[1])
    most = s.source.size
    if len(turns) != min(s.quiet, most):
        raise BoyiError(f"not {what}: {s.quiet} quiet turns, but {len(turns)} are listed")
    for i, turn in enumerate(turns, start=s.quiet - len(turns)):
        s.source[i % most], s.target[i % most] = (find(word) for word in turn.split("-"))
