"""Reference agents and how they are compared: ``from boyi.baselines import make_agent, evaluate``."""

from typing import TYPE_CHECKING

from ..envs.engine.lazy import importer

if TYPE_CHECKING:
    from .agent import Agent
    from .agents import OpponentPool, make_agent
    from .arena.ladder import benchmark
    from .arena.matches import evaluate
    from .learning.dqn import DQN

__all__ = ["DQN", "Agent", "OpponentPool", "benchmark", "evaluate", "make_agent"]

__getattr__, __dir__ = importer(
    __name__,
    __all__,
    {
        "Agent": "agent",
        "DQN": "learning.dqn",
        "OpponentPool": "agents",
        "benchmark": "arena.ladder",
        "evaluate": "arena.matches",
        "make_agent": "agents",
    },
)
