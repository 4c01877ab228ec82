"""What is known about a game besides its rules: how to try it out, and what others call it; from its ``facts.py``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .spec import Game

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Facts:
    """What tests and comparisons need to know about a game beyond its spec. Everything may be left out.

    Parameters are those that differ from the defaults. `small` makes a game that any agent plays twenty times within
    seconds, `solvable` one in which everything that can follow fits into memory: None if its parameters alone cannot
    make one. `golden` is the game whose golden playthrough is kept. `images` is how many symmetric images ``planes``
    has. `program` is the protocol that programs of the game speak, `judge` the agent that is asked what a position is
    worth: the strongest search, for a fixed number of nodes. `opponents` are the agents that a person is offered; the
    first is one of the strongest that need no network. `openspiel`, `pgx` and `rlcard` are its names there, OpenSpiel's
    with its parameters, as in ``hex(board_size={board_size})``. `goals` is what `boyi speed` aims at, by line: a ratio
    to the peer or, for the line without a peer, steps per second.
    """

    small: Params = field(default_factory=dict)
    solvable: Params | None = None
    golden: Params = field(default_factory=dict)
    images: int = 1
    program: str = "jsonl"
    judge: str = "mcts:sims=5000"
    opponents: tuple[str, ...] = ("mcts:sims=1000", "mcts:sims=50", "random")
    openspiel: str = ""
    pgx: str = ""
    rlcard: str = ""
    goals: Mapping[str, float] = field(default_factory=dict)


def facts(game: Game) -> Facts:
    """Find what is known about a game: nothing if it has no ``facts.py``."""
    return game.module("facts").FACTS if game.has("facts") else Facts()
