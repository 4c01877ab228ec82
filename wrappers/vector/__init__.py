"""The wrappers of `boyi.wrappers` for native vector environments: row i is the wrapped single environment."""

from ...envs.engine.lazy import importer
from .history import HistoryStack
from .lines import LineReward
from .opening import RandomOpening, StartPositions
from .recording import RecordGames
from .scale import ScaleReward
from .symmetry import SymmetryAugment

__all__ = [
    "HistoryStack",
    "LineReward",
    "RandomOpening",
    "RecordGames",
    "ScaleReward",
    "StartPositions",
    "SymmetryAugment",
]

__getattr__, __dir__ = importer(__name__, __all__)
