"""Errors that are part of the product: one sentence that says what was wrong and what is allowed."""

import math
from collections.abc import Iterable
from difflib import get_close_matches
from operator import index
from typing import Any

MOST_SHOWN = 160  # characters of a wrong value that a message repeats


class BoyiError(ValueError):
    """Bad input; the message is one sentence for the person who gave it. The command line exits with 2."""


class IllegalAction(BoyiError):
    """An action outside the mask; the message names row, action and position, which is left untouched."""


class UnknownOption(BoyiError, TypeError):
    """An unknown keyword: also a `TypeError`, which Python's own functions raise and libraries look for."""


class SelfPlayWarning(UserWarning):
    """One caller decides for every seat of an environment, which algorithms for one player mistake for one seat."""


SELF_PLAY = (
    "opponent='self': each reward is the acting seat's and the next observation another seat's, from which an "
    "algorithm made for one player learns badly; boyi's DQN and loops that read info['seat'] do it right, and "
    "set_opponent(model) seats any learner on both sides: docs/environments.md, Self-play"
)


class NoPosition(BoyiError):
    """A record of a form that play cannot reach; the message says which rule of the game's ``valid.py`` it breaks."""


def shown(value: object) -> str:
    """Write any value as an error message repeats it: on one line, and cut off if it is long."""
    try:
        text = repr(value[: 2 * MOST_SHOWN] if isinstance(value, str | bytes) else value)
    except Exception:  # numbers with too many digits, foreign objects
        text = f"<{type(value).__name__}>"
    if not isinstance(value, str | bytes):
        text = " ".join(text.split())
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def unknown(kind: str, name: object, allowed: Iterable[str]) -> BoyiError:
    """Build the error for an unknown name, with the nearest one that exists."""
    return BoyiError(f"unknown {kind} {shown(name)}: {_instead_of(name, allowed)}")


def unknown_option(whose: str, name: str, allowed: Iterable[str]) -> UnknownOption:
    """Build the error for an unknown keyword, in Python's own words."""
    return UnknownOption(f"{whose} got an unexpected keyword argument {shown(name)}: {_instead_of(name, allowed)}")


def _instead_of(name: object, allowed: Iterable[str]) -> str:
    """Name what is allowed, beginning with the name nearest to the one given."""
    names = sorted(allowed)
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.4) if isinstance(name, str) else []
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}allowed: {', '.join(names) or 'none'}"


def chosen(kind: str, value: object, allowed: Iterable[str]) -> str:
    """Return a word that is among those `allowed`; `BoyiError` for any other value, of any type."""
    if not isinstance(value, str) or value not in tuple(allowed):
        raise unknown(kind, value, allowed)
    return value


def is_truth(value: Any) -> bool:
    """Whether a value is Python's or NumPy's true or false, or one of the numbers that equal them."""
    try:
        return value in {True, False}
    except TypeError:  # lists, arrays
        return False


def is_whole(value: Any, low: float, high: float = 2**63 - 1) -> bool:
    """Whether a value is a Python or NumPy whole number from `low` to `high`, and not a boolean."""
    try:
        return not isinstance(value, bool) and low <= index(value) <= high
    except TypeError:
        return False


def is_number(value: Any, low: float, high: float = math.inf) -> bool:
    """Whether a value is a finite Python or NumPy number from `low` to `high`, and not a boolean."""
    good = hasattr(value, "__float__") and not isinstance(value, bool)
    try:
        return good and math.isfinite(value) and bool(low <= value <= high)
    except (TypeError, ValueError, OverflowError):
        return False


def unfinished(game: object) -> BoyiError:
    """Build the error for going on with a game after a step or reset that was broken off in the middle."""
    return BoyiError(f"{game}: the last step or reset did not finish, so the game cannot go on; call reset() first")
