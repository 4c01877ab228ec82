"""Which protocol is spoken for which game, and an engine that speaks it over standard input and output.

A master may give up on a program that says nothing for a second, and what an engine needs takes longer to load. So the
engine is made while a server answers the first lines for `Unready`, as far as they need nothing but the game.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import redirect_stdout, suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from ...envs.engine.errors import chosen
from ...envs.engine.facts import facts
from ...envs.engine.spec import Game, find
from . import gomocup_server, gtp_server, jsonl_server
from .lines import Server, serve

if TYPE_CHECKING:
    from ..agent import Agent
    from .engine import Engine

SERVERS: dict[str, Callable[[Any], Server]] = {
    "gtp": gtp_server.Server, "gomocup": gomocup_server.Server, "jsonl": jsonl_server.Server
}  # fmt: skip
PATIENCE = 2.0  # seconds to wait for an engine that is no longer wanted: compiling cannot be interrupted


class NotReady(Exception):
    """An answer that needs the engine itself."""


class Unready:
    """Stands in for an engine that is being made: it has a game in which no action has been played."""

    actions = ()

    def __init__(self, game: Game, agent: str) -> None:
        self.game, self.agent = game, agent
        self.clock = self.limit = None

    def begin(self, /, **params: object) -> None:
        self.game = find(self.game, **params)

    def __getattr__(self, name: str) -> NoReturn:
        raise NotReady(name)


def open_door(
    game: Game, agent: str, make: Callable[[], Agent], protocol: str | None = None, seed: int | None = None
) -> None:
    """Answer standard input for the agent that `make` makes, until its end or the protocol's last command."""
    server = SERVERS[chosen("protocol", protocol or facts(game).program, SERVERS)]
    waiting = server(Unready(game, agent))
    out, lines, made = sys.stdout, SimpleQueue[str | None](), Future["Engine"]()
    for file in (sys.stdin, out):
        file.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]

    def build() -> None:
        try:
            made.set_result(_engine(game, make(), seed))
        except BaseException as error:
            made.set_exception(error)
        lines.put(None)  # wakes the loop that waits for a line

    builder = threading.Thread(target=build, daemon=True)
    # What an agent prints must not pass for an answer.
    with redirect_stdout(sys.stderr):
        try:
            builder.start()
            threading.Thread(target=_listen, args=(sys.stdin, lines), daemon=True).start()
            _answer(server, waiting, made, lines, out)
        finally:
            builder.join(PATIENCE)
            if builder.is_alive():
                out.flush()
                os._exit(130 if isinstance(sys.exc_info()[1], KeyboardInterrupt) else 0)
            if made.exception() is None:
                made.result().agent.close()
        made.result()  # raises why an engine could not be made, even where nobody has asked it anything


def _listen(file: TextIO, lines: SimpleQueue[str | None]) -> None:
    """Put the lines of a file into a queue, and "" at its end."""
    with suppress(OSError):
        # Opened anew: the interpreter, when it ends, wants the lock of its standard input, which would be held here.
        file = open(file.fileno(), encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    try:
        for line in file:
            lines.put(line)
    finally:
        lines.put("")


def _answer(
    server: Callable[[Any], Server],
    waiting: Server,
    made: Future[Engine],
    lines: SimpleQueue[str | None],
    out: TextIO,
) -> None:
    """Answer lines without the engine while that is possible, then with it, once it has been told all of them."""
    early: list[str] = []
    while line := lines.get():
        try:
            reply = waiting.reply(line)
        except NotReady:
            break
        early.append(line)
        out.write(reply)
        out.flush()
        if waiting.ended:
            return
    if line == "":
        return
    answering = server(made.result())
    for each in early:
        answering.reply(each)
    serve(answering, _rest(line, lines), out)


def _rest(line: str | None, lines: SimpleQueue[str | None]) -> Iterator[str]:
    """Yield a line, unless it is None, and those that follow."""
    while line != "":
        if line is not None:
            yield line
        line = lines.get()


def _engine(game: Game, agent: Agent, seed: int | None) -> Engine:
    from ...envs.engine.batch import random_seed
    from .engine import Engine

    return Engine(game, agent, random_seed() if seed is None else seed)
