"""Games of a size at which every agent plays in seconds."""

from boyi.envs import Game, find
from boyi.envs.engine.facts import facts


def sized(name: str, agent: str) -> Game | None:
    """Choose the size of a game at which an agent is tried; None where it cannot solve any."""
    known = facts(find(name))
    if agent == "exact" and known.solvable is None and find(name).seats == 2:
        return None
    if agent == "openspiel" and not all(f"{{{param}}}" in known.openspiel for param in known.small):
        return find(name)
    return find(name, **((known.solvable or known.small) if agent == "exact" else known.small))
