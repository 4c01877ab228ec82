"""Which protocol is spoken for which game, and an engine that speaks it over standard input and output."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout

from ...envs.engine.batch import random_seed
from ...envs.engine.errors import chosen
from ...envs.engine.facts import facts
from ...envs.engine.spec import Game
from ..agent import Agent
from . import gomocup, gtp, jsonl
from .engine import Engine

SERVERS = {"gtp": gtp.serve, "gomocup": gomocup.serve, "jsonl": jsonl.serve}


def open_door(game: Game, agent: Agent, protocol: str | None = None, seed: int | None = None) -> None:
    """Answer what comes from standard input until it ends, or the protocol's last command."""
    spoken = chosen("protocol", protocol or facts(game).program, SERVERS)
    out = sys.stdout
    for file in (sys.stdin, out):
        file.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    try:
        # What an agent prints must not pass for an answer.
        with redirect_stdout(sys.stderr):
            SERVERS[spoken](Engine(game, agent, random_seed() if seed is None else seed), iter(sys.stdin), out)
    finally:
        agent.close()
