"""What turns the environments into what a library or an experiment wants; `boyi.wrappers.vector` for many games."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .history import HistoryStack
    from .lines import LineReward
    from .opening import RandomOpening
    from .parallel import TurnBasedParallel
    from .recording import RecordGames
    from .sb3 import SB3VecEnv
    from .scale import ScaleReward
    from .symmetry import SymmetryAugment

__all__ = [
    "HistoryStack",
    "LineReward",
    "RandomOpening",
    "RecordGames",
    "SB3VecEnv",
    "ScaleReward",
    "SymmetryAugment",
    "TurnBasedParallel",
]

_HOMES = {
    "HistoryStack": "history",
    "LineReward": "lines",
    "RandomOpening": "opening",
    "RecordGames": "recording",
    "SB3VecEnv": "sb3",
    "ScaleReward": "scale",
    "SymmetryAugment": "symmetry",
    "TurnBasedParallel": "parallel",
}


def __getattr__(name: str) -> Any:
    """Import on demand: each wrapper pulls in the library that it is for."""
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
