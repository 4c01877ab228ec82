"""Agents from strings, and the registered entry points that build a Gymnasium environment around them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..envs.engine.errors import SELF_PLAY, BoyiError, SelfPlayWarning, shown, unknown, unknown_option
from ..envs.engine.spec import Game, Spec, find, own_options
from ..envs.engine.syntax import parse
from ..envs.faces.gym import GameEnv, GameVectorEnv
from ..envs.faces.seating import Player
from .agent import Agent, CallableAgent, RandomAgent
from .engines.gomocup import Gomocup
from .engines.gtp import GTP
from .engines.jsonl import JSONL
from .learning.alphazero_agent import AlphaZeroAgent
from .learning.model_agent import DoubleDQNAgent, DQNAgent, ImitationAgent
from .mahjong.expectimax import HandExpectimax
from .players.greedy import Greedy
from .players.models import library_of
from .players.openspiel import OpenSpiel
from .players.pool import Pool
from .players.two_phase import ProgramC, TwoPhase
from .search.alphabeta import AlphaBeta
from .search.exact import Exact
from .search.mcts import MCTS
from .search.puct import PUCT
from .trust import check_trusted

AgentLike = str | Agent | Callable[..., Any]
ALIAS = r"\s*([A-Za-z_][\w.-]{0,31})=(.+)"
"""A name that a user gives an agent, and the agent's string: no agent string has = before its first colon."""


class OpponentPool(Pool):
    """A `Pool` of anything that `make_agent` takes."""

    def add(self, agent: AgentLike, weight: float = 1.0) -> None:
        """Let another agent play in games in which the pool has not made a decision yet."""
        super().add(make_agent(agent), weight)


AGENTS: dict[str, type[Agent]] = {
    agent.name: agent
    for agent in (
        RandomAgent, Greedy, MCTS, PUCT, AlphaBeta, HandExpectimax, Exact, TwoPhase, ProgramC, OpenSpiel, DQNAgent,
        DoubleDQNAgent, ImitationAgent, AlphaZeroAgent, GTP, Gomocup, JSONL, OpponentPool,
    )
}  # fmt: skip


def make_agent(agent: AgentLike, game: str | Spec | Game | None = None, **look: Any) -> Agent:
    """Make an agent from a string, an `Agent`, a callable ``(observation, mask) -> action`` or "module:attribute".

    Models of Stable-Baselines3, TorchRL and RLlib work, too. `look` says how a callable or a model sees games, by
    `encoder`, `layout` and `keys`. With `game`, also check that the algorithm fits it. `BoyiError` says what is wrong
    with a string.
    """
    made = _made(agent, **look)
    if game is not None:
        made.fit(find(game))
    return made


def _made(agent: AgentLike, **look: Any) -> Agent:
    if isinstance(agent, Agent):
        return agent
    if isinstance(agent, str):
        return _read(agent)
    if isinstance(agent, type) and issubclass(agent, Agent):
        return _instance(agent)
    model = library_of(agent)
    if model is not None:
        return model(agent, **look)
    if callable(agent):
        return CallableAgent(agent, **look)
    raise BoyiError(f"an agent is a string, an Agent, a callable or a model, not {type(agent).__name__}")


def _instance(kind: type[Agent]) -> Agent:
    try:
        return kind.from_string(make_agent)
    except BoyiError:
        raise
    except (Exception, SystemExit) as error:
        raise _failure(f"the agent {kind.__module__}:{kind.__qualname__}", "made without arguments", error) from error


def _read(text: str) -> Agent:
    """Make the agent that a string names: the only place where one is made, nested strings included."""
    name, positional, values = parse(text)
    if name in AGENTS:
        kind = AGENTS[name]
        if positional is not None and kind.positional is None:
            raise BoyiError(f"{name}: takes no {shown(positional)}; parameters: {', '.join(kind.params) or 'none'}")
        if positional is not None and kind.positional in values:
            raise BoyiError(f"{shown(text)} gives {kind.positional} twice")
        if kind.foreign:
            check_trusted(f"start a program: {shown(text)}")
        return kind.from_string(
            make_agent, **values if positional is None else {str(kind.positional): positional, **values}
        )
    if positional is None or values or not all(part.isidentifier() for part in name.split(".")):
        raise unknown("agent", name, [*AGENTS, "module:attribute"])
    check_trusted(f"run the module {shown(name)}: {shown(text)}")
    found = load_attribute(name, positional, "agent", [*AGENTS, "module:attribute"])
    if isinstance(found, str):
        raise BoyiError(f"{positional} of module {name!r} is text, not an agent or a callable")
    return _made(found)


def load_attribute(name: str, attribute: str, kind: str, known: Iterable[str]) -> Any:
    """Import somebody's module and return its attribute; `BoyiError` says which module failed, and how.

    `kind` says what is looked for, and `known` lists the names that might have been meant.
    """
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(error.name + ".")):
            raise unknown(kind, name, known) from None
        raise BoyiError(f"the module {name!r} needs {error.name}, which is not installed") from None
    except (Exception, SystemExit) as error:  # somebody else's code: anything may happen
        raise _failure(f"the module {name!r}", "imported", error) from error
    if not hasattr(module, attribute):
        raise BoyiError(f"module {name!r} has no attribute {shown(attribute)}")
    return getattr(module, attribute)


def _failure(whose: str, when: str, error: BaseException) -> BoyiError:
    what = "ends the program" if isinstance(error, SystemExit) else "fails"
    return BoyiError(f"{whose} {what} when it is {when}: {type(error).__name__}: {shown(str(error))}")


def agents_for(game: str | Spec | Game) -> list[str]:
    """Name the agents that play a game as they are: with no run to play from, and with what is installed."""
    found = []
    for name, kind in AGENTS.items():
        try:
            kind.from_string(make_agent).fit(find(game))
        except BoyiError:
            continue
        found.append(name)
    return found


def learned(agent: str) -> bool:
    """Whether an agent's string names one that plays by a network, alone or inside another."""
    return re.search(r"(?<!/)\b(az|dqn|ddqn)(?=[:,']|$)", agent) is not None


def can_play(agent: str) -> bool:
    """Whether the agent that a string names can play with what is installed: networks need PyTorch."""
    return not learned(agent) or find_spec("torch") is not None


def alias(agent: AgentLike) -> tuple[str, AgentLike]:
    """Take ``NAME=`` off a contestant's string, as in ``mohex=gtp:cmd=…``; return the name, or "", and the rest."""
    found = re.fullmatch(ALIAS, agent) if isinstance(agent, str) else None
    return ("", agent) if found is None else (found[1], found[2])


def label(agent: AgentLike) -> str:
    """Name a contestant: a string as it is, an agent as the string that would make it, a function by its name.

    An alias, where there is one, is the name.
    """
    name, agent = alias(agent)
    if name:
        return name
    if isinstance(agent, str):
        return agent.strip()
    return str(agent if isinstance(agent, Agent) else (library_of(agent) or CallableAgent)(agent))


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
    params, options = _split(game, options, GameEnv)
    return GameEnv(params, _seated(opponent, params), resolve=make_opponents, **options)


def make_vector_env(
    game: str | Spec | Game, num_envs: int = 1, opponent: Any = "random", **options: Any
) -> GameVectorEnv:
    """Build the native vector environment; the options are those of `make_env`."""
    params, options = _split(game, options, GameVectorEnv)
    return GameVectorEnv(params, num_envs, _seated(opponent, params), resolve=make_opponents, **options)


def _seated(opponent: Any, game: Game) -> list[Player] | None:
    """Do what `make_opponents` does for a new environment; warn at once about the limits of self-play."""
    players = make_opponents(opponent, game)
    if players is None:
        warnings.warn(SELF_PLAY, SelfPlayWarning, stacklevel=3)
    return players


def make_opponents(opponent: AgentLike | list[AgentLike] | tuple[AgentLike, ...], game: Game) -> list[Player] | None:
    """Turn `opponent` into players for the other seats; None for "self", where the caller plays every seat.

    Models of other libraries sample their actions here, as they do when they learn.
    """
    if isinstance(opponent, str) and opponent == "self":
        return None
    several = opponent if isinstance(opponent, list | tuple) else [opponent]
    return [make_agent(each, game, **({"sampling": True} if library_of(each) else {})) for each in several]


def _split(
    game: str | Spec | Game, options: dict[str, Any], face: type[GameEnv] | type[GameVectorEnv]
) -> tuple[Game, dict[str, Any]]:
    """Take the game's own parameters out of an environment's options."""
    plain = find(game)
    known = {"opponent", *own_options(face)} - {"opponents", "resolve"}
    for key in options:
        if key not in known | set(plain.spec.params):
            raise unknown_option(plain.name, key, known | set(plain.spec.params))
    params = {key: value for key, value in options.items() if key in plain.spec.params}
    return find(plain, **params), {key: value for key, value in options.items() if key not in params}
