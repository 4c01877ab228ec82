"""What turns the environments into what a library or an experiment wants; `boyi.wrappers.vector` for many games."""

from typing import TYPE_CHECKING

from ..envs.engine.lazy import importer

if TYPE_CHECKING:
    from .history import HistoryStack
    from .lines import LineReward
    from .opening import RandomOpening, StartPositions
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
    "StartPositions",
    "SymmetryAugment",
    "TurnBasedParallel",
]

__getattr__ = importer(
    __name__,
    {
        "HistoryStack": "history",
        "LineReward": "lines",
        "RandomOpening": "opening",
        "RecordGames": "recording",
        "SB3VecEnv": "sb3",
        "ScaleReward": "scale",
        "StartPositions": "opening",
        "SymmetryAugment": "symmetry",
        "TurnBasedParallel": "parallel",
    },
)
