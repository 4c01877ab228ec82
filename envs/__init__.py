"""The games and the engine under them: ``from boyi.envs import Batch, hex_v0``."""

from typing import TYPE_CHECKING

from .engine.errors import BoyiError, IllegalAction
from .engine.lazy import importer
from .engine.spec import Game, Param, Spec, find, games

if TYPE_CHECKING:
    from .engine.batch import Batch
    from .engine.view import View

__all__ = ["Batch", "BoyiError", "Game", "IllegalAction", "Param", "Spec", "View", "find", "games"]

__getattr__ = importer(__name__, {"Batch": "engine.batch", "View": "engine.view"})
