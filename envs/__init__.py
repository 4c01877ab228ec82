"""The games and the engine under them: ``from boyi.envs import Batch, hex_v0``."""

from typing import TYPE_CHECKING

from .errors import BoyiError, IllegalAction
from .lazy import importer
from .spec import Game, Param, Spec, find, games

if TYPE_CHECKING:
    from .batch import Batch
    from .view import View

__all__ = ["Batch", "BoyiError", "Game", "IllegalAction", "Param", "Spec", "View", "find", "games"]

__getattr__ = importer(__name__, {"Batch": "batch", "View": "view"})
