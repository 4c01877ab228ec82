"""Wrappers that make environments into what a library or an experiment wants; `boyi.wrappers.vector` for many games."""

from typing import TYPE_CHECKING

from ..envs.engine.lazy import MODULE, importer

if TYPE_CHECKING:
    from ..envs.faces.parallel import TurnBasedParallel
    from . import vector
    from .history import HistoryStack
    from .lines import LineReward
    from .opening import RandomOpening, StartPositions
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
    "StartPositions",
    "SymmetryAugment",
    "TurnBasedParallel",
    "vector",
]

__getattr__, __dir__ = importer(
    __name__,
    __all__,
    {
        "HistoryStack": "history",
        "LineReward": "lines",
        "RandomOpening": "opening",
        "RecordGames": "recording",
        "SB3VecEnv": "sb3",
        "ScaleReward": "scale",
        "StartPositions": "opening",
        "SymmetryAugment": "symmetry",
        "TurnBasedParallel": ".envs.faces.parallel",
        "vector": MODULE,
    },
)
