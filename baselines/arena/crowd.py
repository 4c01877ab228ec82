"""What is said where agents that are limited by time share cores."""

from __future__ import annotations

from collections.abc import Iterable

from ...envs.engine.machine import usable_cores
from ..agent import Agent, Team
from .printing import complain


def say_if_crowded(
    agents: Iterable[Agent], workers: int, cluster: str | None = None, clock: float | None = None
) -> None:
    """Say on stderr when agents that are limited by time would share cores, which none do on a cluster."""
    if cluster is None and workers > usable_cores() and (clock is not None or any(map(_timed, agents))):
        complain(
            f"boyi: {workers} workers share {usable_cores()} cores: agents limited by time get less than they are given"
        )


def _timed(agent: Agent) -> bool:
    """Whether an agent decides for as long as it is told to."""
    if isinstance(agent, Team):
        return any(map(_timed, agent.members))
    return bool(agent.values.get("seconds"))
