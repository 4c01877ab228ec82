"""boyi: games of the Chinese computer-games championship as environments any RL library can train on.

Importing the package registers every game with Gymnasium (``boyi/Hex-v0``) and, where it has a registry, with
PettingZoo (``boyi/hex-v0``), as strings: no kernel is compiled and neither Numba, PyTorch nor pygame is imported.
"""

from .envs.engine.spec import games
from .envs.engine.version import __version__
from .envs.faces.registration import register_all

__all__ = ["__version__", "games"]

register_all()
