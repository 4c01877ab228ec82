"""boyi: games of the Chinese computer-games championship as environments any RL library can train on.

Importing the package registers every game with Gymnasium (``boyi/Hex-v0``) and with PettingZoo (``boyi/hex-v0``) if
that has a registry, as strings: no kernel is compiled and neither Numba nor PyTorch is imported.
"""

from typing import TYPE_CHECKING

from .envs.engine.lazy import MODULE, importer
from .envs.engine.spec import games
from .envs.engine.version import __version__
from .envs.faces.registration import register_all

if TYPE_CHECKING:
    from . import baselines, envs, wrappers
    from .baselines.web.local import board

__all__ = ["__version__", "baselines", "board", "envs", "games", "wrappers"]

register_all()

__getattr__, __dir__ = importer(
    __name__, __all__, {"baselines": MODULE, "board": "baselines.web.local", "wrappers": MODULE}
)
