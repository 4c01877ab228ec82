"""Names of the cells of a board: ``c7``, a column's letter and a row's number.

Cells are numbered row by row from the top left; row 1 is the top one, or with `upward` the bottom one:

    a1 b1 c1     a2 b2 c2
    a2 b2 c2     a1 b1 c1
"""

import re
from dataclasses import dataclass
from math import isqrt

import numpy as np

from ..engine.errors import BoyiError, shown

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def side_of(s: np.void) -> int:
    """Count the cells along a side of a record's square board."""
    return isqrt(s["board"].size)


@dataclass(frozen=True)
class Cells:
    """The names on a board of at most 26 columns and 99 rows."""

    rows: int
    columns: int
    upward: bool = False

    @property
    def letters(self) -> str:
        """The letters of the columns, from the left."""
        return LETTERS[: self.columns]

    @property
    def numbers(self) -> list[str]:
        """The numbers of the rows, from the top."""
        return [str(r + 1) for r in range(self.rows)][:: -1 if self.upward else 1]

    def name(self, cell: int) -> str:
        """Name a cell."""
        r, c = divmod(cell, self.columns)
        return f"{LETTERS[c]}{self.rows - r if self.upward else r + 1}"

    @property
    def names(self) -> list[str]:
        """The names of all cells, in order."""
        return [self.name(cell) for cell in range(self.rows * self.columns)]

    def find(self, text: str) -> int | None:
        """Find the cell that text names, in either case; None where it names none."""
        word = re.fullmatch(r"([a-z])([1-9][0-9]?)", text.strip().lower())
        if word is None or word[1] not in self.letters or word[2] not in self.numbers:
            return None
        return self.numbers.index(word[2]) * self.columns + self.letters.index(word[1])

    def read(self, text: str, kind: str = "cells", besides: str = "") -> int:
        """Find the cell that text names; `BoyiError` says how they are written, and what is allowed `besides`."""
        cell = self.find(text)
        if cell is None:
            last = f"{self.letters[-1]}{self.rows}"
            raise BoyiError(f"no action {shown(text)}: {kind} are a1 to {last}{besides}")
        return cell


def square(s: np.void, upward: bool = False) -> Cells:
    """Return the names on a record's square board."""
    return Cells(side_of(s), side_of(s), upward)
