"""Where things stand, and what is kept there."""

from collections.abc import Callable
from pathlib import Path

Kept = Callable[[Path, str], None]
"""What the fixture `kept` returns."""

SUPPORT = Path(__file__).parent
TESTS = SUPPORT.parent
ROOT = TESTS.parent
SHARED = [SUPPORT, *sorted(path for path in (TESTS / "envs").iterdir() if path.is_dir())]
"""Folders whose modules any test may import: what all share, and what the games bring."""


def of_game(game: str) -> Path:
    """Return the folder of a game's tests."""
    return TESTS / "envs" / game
