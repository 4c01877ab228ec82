"""The games and the engine under them: ``from boyi.envs import Batch, hex_v0``."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import BoyiError, IllegalAction
from .spec import Game, Param, Spec, find, games

if TYPE_CHECKING:
    from .batch import Batch
    from .view import View

__all__ = ["Batch", "BoyiError", "Game", "IllegalAction", "Param", "Spec", "View", "find", "games"]


def __getattr__(name: str) -> Any:
    """Import the engine only when it is asked for: it pulls in Numba, and listing games must not."""
    if name in ("Batch", "View"):
        return getattr(import_module(f".{name.lower()}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
