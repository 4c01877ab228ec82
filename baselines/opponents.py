"""Agents from strings, and the registered entry points that build a Gymnasium environment around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from ..envs.errors import BoyiError, unknown
from ..envs.gym import GameEnv, GameVectorEnv
from ..envs.spec import Game, Spec, find
from ..envs.syntax import parse
from ..envs.table import Player
from .agent import Agent, CallableAgent, RandomAgent
from .alphabeta import AlphaBeta
from .exact import Exact
from .expectimax import Expectimax
from .gomocup import Gomocup
from .greedy import Greedy
from .gtp import GTP
from .jsonl import JSONL
from .learned import DoubleDQNAgent, DQNAgent
from .mcts import MCTS
from .openspiel import OpenSpiel
from .puct import PUCT
from .two_phase import ProgramC, TwoPhase

AGENTS: dict[str, type[Agent]] = {
    agent.name: agent
    for agent in (
        RandomAgent, Greedy, MCTS, PUCT, AlphaBeta, Expectimax, Exact, TwoPhase, ProgramC, OpenSpiel, DQNAgent,
        DoubleDQNAgent, GTP, Gomocup, JSONL,
    )
}  # fmt: skip

AgentLike = str | Agent | Callable[..., Any]


def make_agent(agent: AgentLike, game: str | Spec | Game | None = None) -> Agent:
    """Turn an agent string, an `Agent`, a callable ``(observation, mask) -> action`` or "module:attribute" into one.

    With `game`, also check that the algorithm fits it. `BoyiError` says what is wrong with a string.
    """
    made = _made(agent)
    if game is not None:
        made.fit(find(game))
    return made


def _made(agent: AgentLike) -> Agent:
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        return _read(agent)
    if isinstance(agent, type) and issubclass(agent, Agent):
        return agent()
    if callable(agent):
        return CallableAgent(agent)
    raise BoyiError(f"an agent is a string, an Agent or a callable, not {type(agent).__name__}")


def _read(text: str) -> Agent:
    name, positional, values = parse(text)
    if name in AGENTS:
        kind = AGENTS[name]
        if positional is not None and kind.positional is None:
            raise BoyiError(f"{name}: takes no {positional!r}; parameters: {', '.join(kind.params) or 'none'}")
        if positional is not None and kind.positional in values:
            raise BoyiError(f"{text!r} gives {kind.positional} twice")
        return kind(**values if positional is None else {str(kind.positional): positional, **values})
    if positional is None or values:
        raise unknown("agent", name, [*AGENTS, "module:attribute"])
    try:
        found = getattr(import_module(name), positional)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise unknown("agent", name, [*AGENTS, "module:attribute"]) from None
        raise
    except AttributeError:
        raise BoyiError(f"module {name!r} has no attribute {positional!r}") from None
    return _made(found)


def players(game: str | Spec | Game) -> list[str]:
    """Name the agents that play a game as they are: without a run to play from, and with what is installed."""
    found = []
    for name, kind in AGENTS.items():
        try:
            kind().fit(find(game))
        except BoyiError:
            continue
        found.append(name)
    return found


def label(agent: AgentLike) -> str:
    """Name a contestant: a string as it is, an agent as the string that would make it, a function by its name."""
    if isinstance(agent, str):
        return agent.strip()
    return str(agent if isinstance(agent, Agent) else CallableAgent(agent))


def labels(agents: Iterable[AgentLike]) -> list[str]:
    """Name contestants, each differently: the second ``random`` is ``random #2``."""
    taken: dict[str, int] = {}
    unique = []
    for name in map(label, agents):
        taken[name] = taken.get(name, 0) + 1
        unique.append(name if taken[name] == 1 else f"{name} #{taken[name]}")
    return unique


def make_env(game: str | Spec | Game, opponent: Any = "random", **options: Any) -> GameEnv:
    """Build the single Gymnasium environment; `opponent` is an agent, a list of them, or "self"."""
    params, options = _split(game, options)
    return GameEnv(params, make_opponents(opponent, params), resolve=make_opponents, **options)


def make_vector_env(
    game: str | Spec | Game, num_envs: int = 1, opponent: Any = "random", **options: Any
) -> GameVectorEnv:
    """Build the native vector environment; options as those of `make_env`."""
    params, options = _split(game, options)
    return GameVectorEnv(params, num_envs, make_opponents(opponent, params), resolve=make_opponents, **options)


def make_opponents(opponent: AgentLike | list[AgentLike] | tuple[AgentLike, ...], game: Game) -> list[Player] | None:
    """Turn `opponent` into players for the other seats; None for "self", where the caller plays every seat."""
    if isinstance(opponent, str) and opponent == "self":
        return None
    several = opponent if isinstance(opponent, list | tuple) else [opponent]
    return [make_agent(each, game) for each in several]


def _split(game: str | Spec | Game, options: dict[str, Any]) -> tuple[Game, dict[str, Any]]:
    """Take the game's own parameters out of an environment's options."""
    plain = find(game)
    params = {key: value for key, value in options.items() if key in plain.spec.params}
    rest = {key: value for key, value in options.items() if key not in params}
    known = {"seat", "render_mode", "encoder", "layout", "illegal", "autoreset_mode", "threads"}
    for key in rest:
        if key not in known:
            raise unknown(f"option of {plain.name}", key, known | set(plain.spec.params))
    return find(plain, **params), rest
