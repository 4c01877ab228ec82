"""Errors that are part of the product: one sentence that says what was wrong and what is allowed."""

from collections.abc import Iterable
from difflib import get_close_matches


class BoyiError(ValueError):
    """Bad input; the message is one sentence for the person who gave it. The command line exits with 2."""


class IllegalAction(BoyiError):
    """An action outside the mask; the message names row, action and position, which is left untouched."""


def unknown(kind: str, name: str, allowed: Iterable[str]) -> BoyiError:
    """Build the error for a name that nothing answers to, with the nearest one that exists."""
    names = sorted(allowed)
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return BoyiError(f"unknown {kind} {name!r}: {hint}allowed: {', '.join(names) or 'none'}")
