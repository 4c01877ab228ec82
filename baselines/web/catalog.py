"""What can be played: the games with their parameters and the agents with theirs, to make the page's form from."""

from __future__ import annotations

from typing import Any

from ...envs.engine.facts import facts
from ...envs.engine.spec import Game, Param, find, games
from ..agent import Agent
from ..agents import AGENTS, agents_for, can_play
from ..arena.sitting import PERSON


def catalog() -> dict[str, Any]:
    """List games and agents with what their strings may set."""
    return {
        "person": PERSON,
        "games": [_game(find(name)) for name in games()],
        "agents": {
            name: {"params": [_param(key, param) for key, param in agent.params.items()]}
            for name, agent in AGENTS.items()
        },
    }


def _game(game: Game) -> dict[str, Any]:
    spec = game.spec
    return {
        "name": spec.name,
        "title": spec.title,
        "seats": spec.seats,
        "params": [_param(key, param) for key, param in spec.params.items()],
        "opponents": list(filter(can_play, facts(game).opponents)),
        "agents": agents_for(game),
        "analysts": _analysts(game),
    }


def _analysts(game: Game) -> list[str]:
    """List the agents of a game that say how they rate actions, those that it offers before plain ones."""
    weighing = [name for name, agent in AGENTS.items() if agent.weigh is not Agent.weigh]
    offered = list(filter(can_play, facts(game).opponents))
    return [
        *(agent for agent in offered if agent.partition(":")[0] in weighing),
        *(name for name in agents_for(game) if name in weighing and name not in offered),
    ]


def _param(name: str, param: Param) -> dict[str, Any]:
    kind = {bool: "truth", str: "text", int: "whole", float: "number"}.get(type(param.default), "text")
    return {
        "name": name,
        "doc": param.doc,
        "kind": kind,
        "default": param.default if kind != "text" else str(param.default),
        "low": param.low,
        "high": param.high,
        "choices": list(param.choices),
    }
