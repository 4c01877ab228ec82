"""Reference agents and how they are compared: ``from boyi.baselines import make_agent, evaluate``."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .agent import Agent
    from .arena import evaluate
    from .dqn import DQN
    from .opponents import make_agent
    from .pool import OpponentPool

__all__ = ["DQN", "Agent", "OpponentPool", "evaluate", "make_agent"]

_HOMES = {"Agent": "agent", "DQN": "dqn", "OpponentPool": "pool", "evaluate": "arena", "make_agent": "opponents"}


def __getattr__(name: str) -> Any:
    """Import on demand: agents pull in Numba, which importing the package must not."""
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
