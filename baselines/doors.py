"""Which protocol is spoken for which game, and an engine that speaks it over standard input and output."""

from __future__ import annotations

import sys

from ..envs.errors import unknown
from ..envs.spec import Game
from . import gomocup, gtp, jsonl
from .engine import Engine
from .opponents import make_agent

SERVERS = {"gtp": gtp.serve, "gomocup": gomocup.serve, "jsonl": jsonl.serve}
USUAL = {"hex": "gtp", "gomoku": "gomocup"}
"""What the programs of a game speak; jsonl for the others."""


def open_door(game: Game, agent: str, protocol: str | None = None, seed: int = 0) -> None:
    """Answer what comes from standard input until it ends, or the protocol's last command."""
    chosen = protocol or USUAL.get(game.name, "jsonl")
    if chosen not in SERVERS:
        raise unknown("protocol", chosen, SERVERS)
    made = make_agent(agent, game)
    for file in (sys.stdin, sys.stdout):
        file.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        SERVERS[chosen](Engine(game, made, seed), iter(sys.stdin), sys.stdout)
    finally:
        made.close()
