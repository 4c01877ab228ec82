"""The command ``boyi check``: what a game owes the engine, promise by promise, on random games."""

from __future__ import annotations

import re
import traceback
from typing import Annotated

import typer

from ...envs.conformance.check import check_game
from ...envs.conformance.oracle import Oracle
from ...envs.conformance.random_games import GameError
from ...envs.engine.errors import BoyiError, shown
from ...envs.engine.spec import Game, Spec, find, games
from ..agents import load_attribute
from ..arena.printing import complain

OWN = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


def declared(text: str) -> Spec | Game:
    """Find what a game string names, a whole spec where it has no parameters, or the `Spec` of a user's own module."""
    own = OWN.fullmatch(text)
    if own is None:
        return find(text) if ":" in text else find(text).spec
    found = load_attribute(own[1], own[2], "game", [*games(), "module:SPEC"])
    if not isinstance(found, Spec):
        raise BoyiError(f"{text} is not a Spec but {type(found).__name__}")
    return found


def check(
    game: Annotated[str, typer.Argument(help="A game: hex, hex:board_size=5; or your own: module:SPEC.")],
    count: Annotated[int, typer.Option("--games", help="Random games for every tested parameter set.", min=1)] = 20,
    seed: Annotated[int, typer.Option(help="Same seed, same games.", min=0, max=2**31)] = 0,
    oracle: Annotated[str | None, typer.Option(help="The rules in plain Python to compare with: module:Class.")] = None,
) -> None:
    """Check what a game owes the engine, for every tested parameter set; report the first promise that is broken."""
    found, beside = declared(game), None if oracle is None else _read_oracle(oracle)
    kept: dict[str, int] = {}

    def report(each: Game, promise: str) -> None:
        if str(each) not in kept:
            print(f"{each} …", flush=True)
        kept[str(each)] = kept.get(str(each), 0) + 1

    try:
        check_game(found, count, seed, oracle=beside, report=report)
    except GameError as error:
        complain(f"boyi: {error}")
        raise typer.Exit(1) from None
    except (BoyiError, OSError, MemoryError):
        raise
    except Exception as error:  # game and oracle are somebody else's code: anything may happen
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{last.filename}, line {last.lineno}"
        complain(f"boyi: the check of {game} fails in {where}: {type(error).__name__}: {shown(str(error))}")
        raise typer.Exit(1) from None
    print(f"{sum(kept.values())} promises kept by {len(kept)} parameter set{'s' * (len(kept) > 1)}")


def _read_oracle(text: str) -> type[Oracle]:
    own = OWN.fullmatch(text)
    if own is None:
        raise BoyiError(f"an oracle is named as module:Class, not {text!r}")
    found: type[Oracle] = load_attribute(own[1], own[2], "oracle", ["module:Class"])
    if not isinstance(found, type):
        raise BoyiError(f"an oracle is a class, not {type(found).__name__}")
    return found
