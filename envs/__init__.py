"""The games and the engine under them: ``from boyi.envs import Batch, hex_v0``."""

from pathlib import Path
from typing import TYPE_CHECKING

from .engine.errors import BoyiError, IllegalAction, SelfPlayWarning
from .engine.lazy import MODULE, importer
from .engine.spec import Game, Param, Spec, find, games

if TYPE_CHECKING:
    from .engine.batch import Batch
    from .engine.view import View

__all__ = ["Batch", "BoyiError", "Game", "IllegalAction", "Param", "SelfPlayWarning", "Spec", "View", "find", "games"]

MODULES = [path.stem for path in Path(__file__).parent.glob("*_v[0-9]*.py")]
"""The PettingZoo modules, such as ``hex_v0``."""

__getattr__, __dir__ = importer(
    __name__,
    [*__all__, *MODULES],
    {"Batch": "engine.batch", "View": "engine.view", **dict.fromkeys(MODULES, MODULE)},
)
