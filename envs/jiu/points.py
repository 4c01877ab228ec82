"""Points in text (§20): ``h7``, a row's letter from the top and a column's digit from the left, in base 36."""

from ..grid.cells import LETTERS

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def write_point(n: int, p: int, seat: int) -> str:
    """Name a point, with a capital letter for the stones of seat 1."""
    letter = LETTERS[p // n]
    return (letter.upper() if seat else letter) + DIGITS[p % n]


def read_point(n: int, text: str) -> int | None:
    """Read a point, in either case; None for anything else."""
    if len(text) != 2:
        return None
    r, c = LETTERS.find(text[0].lower()), DIGITS.find(text[1].upper())
    return r * n + c if 0 <= r < n and 0 <= c < n else None
