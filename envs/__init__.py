"""The games and the engine under them: ``from boyi.envs import Batch, hex_v0``."""

from typing import TYPE_CHECKING

from .engine.errors import BoyiError, IllegalAction, SelfPlayWarning
from .engine.lazy import MODULE, importer
from .engine.spec import Game, Param, Spec, find, games

if TYPE_CHECKING:
    from . import amazons_v0, einstein_v0, gomoku_v0, hex_v0, jiu_v0, mahjong_v0, surakarta_v0
    from .engine.batch import Batch
    from .engine.view import View

__all__ = [
    "Batch",
    "BoyiError",
    "Game",
    "IllegalAction",
    "Param",
    "SelfPlayWarning",
    "Spec",
    "View",
    "amazons_v0",
    "einstein_v0",
    "find",
    "games",
    "gomoku_v0",
    "hex_v0",
    "jiu_v0",
    "mahjong_v0",
    "surakarta_v0",
]

__getattr__, __dir__ = importer(
    __name__,
    __all__,
    {
        "Batch": "engine.batch",
        "View": "engine.view",
        "amazons_v0": MODULE,
        "einstein_v0": MODULE,
        "gomoku_v0": MODULE,
        "hex_v0": MODULE,
        "jiu_v0": MODULE,
        "mahjong_v0": MODULE,
        "surakarta_v0": MODULE,
    },
)
