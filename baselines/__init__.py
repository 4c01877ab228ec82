"""Reference agents and how they are compared: ``from boyi.baselines import make_agent, evaluate``."""

from typing import TYPE_CHECKING

from ..envs.lazy import importer

if TYPE_CHECKING:
    from .agent import Agent
    from .arena import evaluate
    from .dqn import DQN
    from .ladder import benchmark
    from .opponents import make_agent
    from .pool import OpponentPool

__all__ = ["DQN", "Agent", "OpponentPool", "benchmark", "evaluate", "make_agent"]

__getattr__ = importer(
    __name__,
    {
        "Agent": "agent",
        "DQN": "dqn",
        "OpponentPool": "pool",
        "benchmark": "ladder",
        "evaluate": "arena",
        "make_agent": "opponents",
    },
)
