"""The page without a command: a board in a notebook's cell, and the picture of an environment while it is stepped.

Both are served from a thread of this process, to this machine alone, for as long as the process lives.
"""

from __future__ import annotations

import atexit
import os
import secrets
import sys
import threading
import webbrowser
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib import import_module
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from types import ModuleType
from typing import Any

import msgspec
import numpy as np

from ...envs.engine.batch import Batch
from ...envs.engine.errors import BoyiError
from ...envs.engine.facts import facts
from ...envs.engine.spec import Game
from ...envs.records.files import replace_file
from ..agent import Agent
from ..agents import can_play, make_agent
from ..arena.sitting import PERSON
from ..trust import untrusted
from .scene import Scene
from .table import Kept, Setup, Table

HEIGHT = 720  # pixels of a cell
STARTS_WITHIN = 30.0  # seconds
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")


def import_server() -> ModuleType:
    """Import the server of the page; `BoyiError` where that needs more than is installed."""
    try:
        import_module("websockets")  # which uvicorn speaks through
        return import_module(".server", __package__)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "websockets"):
            raise
        raise BoyiError('the board in the browser needs Starlette and uvicorn: pip install "boyi[web]"') from None


class Local:
    """A server of the page in a thread, with a folder of tables that is removed when the process ends."""

    def __init__(self) -> None:
        server = import_server()
        folder = Path(mkdtemp(prefix="boyi-"))
        atexit.register(rmtree, folder, ignore_errors=True)
        self.web = server.Web(folder, framed=True)
        up = threading.Event()
        served = server.Server(self.web, server.listen(0), up.set)
        threading.Thread(target=served.go, name="boyi-board", daemon=True).start()
        if not up.wait(STARTS_WITHIN):
            raise BoyiError("the board in the browser does not start")

    def address(self, table: str) -> str:
        """Return the address of a table."""
        return f"{self.web.address}#{table}"


def local() -> Local:
    """Find the server of this process, or start it."""
    return _of_process(os.getpid())  # a forked child inherits no threads


@lru_cache
def _of_process(pid: int) -> Local:
    return Local()


def _drawn() -> str:
    """Draw a table's name."""
    return secrets.token_hex(8)


class Board:
    """A table of the page at which persons and agents play on from an environment's position; that stays as it is.

    In a notebook it is shown in its cell; elsewhere `open` shows it in the browser.
    """

    def __init__(self, kept: Kept) -> None:
        with untrusted("a board"):
            Table.of(kept).close()  # what cannot be played is reported here, not in the cell
        server, name = local(), _drawn()
        replace_file(server.web.folder / f"{name}.json", msgspec.json.encode(kept))
        self.address: str = server.address(name)

    def __repr__(self) -> str:
        return f"<boyi board at {self.address}>"

    def _repr_html_(self) -> str:
        style = f"width: 100%; height: {HEIGHT}px; border: 0"
        return f'<iframe src="{escape(self.address)}" title="boyi" style="{style}"></iframe>'

    def open(self) -> None:
        """Show it in the browser."""
        webbrowser.open(self.address)


def board(env: Any, seats: Sequence[str] | None = None) -> Board:
    """Set up a table to play on from the position of a single boyi environment, AEC or Gymnasium, wrapped or not.

    `seats` says who sits where, "person" or an agent's string each. By default persons have all seats; in a game with
    hidden tiles, a person has the learner's seat and its opponents have the others.
    """
    base = getattr(env, "unwrapped", env)
    batch = getattr(base, "batch", None)
    if not isinstance(batch, Batch) or batch.n != 1:
        raise BoyiError(f"board(env) wants a single boyi environment, not {type(base).__name__}")
    game, state = batch.game, batch.states[0]
    setup = Setup(game=str(game), seats=list(seats) if seats is not None else _seats(base, game))
    actions = batch.history(0)
    if len(actions) == state["ply"]:
        whose = {"seed": int(batch.seeds[0]), "episode": int(batch.episodes[0])}
        return Board(Kept(setup=msgspec.structs.replace(setup, **whose), moves=[(action, 0.0) for action in actions]))
    if game.spec.hidden:
        raise BoyiError(f"{game}: a hand not played from its start cannot be laid out on a board: call reset() first")
    position = game.module("text").diagram(state)
    return Board(Kept(setup=msgspec.structs.replace(setup, position=position), moves=[]))


def _seats(env: Any, game: Game) -> list[str]:
    """Say who sits where by default."""
    if not game.spec.hidden:
        return [PERSON] * game.seats
    seating = getattr(env, "seating", None)
    mine = 0 if seating is None else int(seating.seats[0])
    players = [None if seating is None else seating.player(seat, mine) for seat in range(game.seats)]
    return [PERSON if seat == mine else _named(player, game) for seat, player in enumerate(players)]


def _named(player: object, game: Game) -> str:
    """Name the agent that a player is, or else the strongest there is."""
    if isinstance(player, Agent):
        try:
            return str(make_agent(str(player), game))
        except BoyiError:
            pass  # it has no string that would make it
    return next(filter(can_play, facts(game).opponents))


class Window:
    """Shows positions of a game as they come, in the browser; if none can be opened, it says where they are shown."""

    def __init__(self, game: Game) -> None:
        self.game, self.server, self.name = game, local(), _drawn()
        self.opened = False

    def show(self, state: np.void, seat: int | None) -> None:
        """Show a position as a seat sees it, or all of it."""
        self.server.web.show(self.name, Scene(self.game, state, seat))
        if not self.opened:
            self.opened = True
            self._open(self.server.address(self.name))

    def _open(self, address: str) -> None:
        headless = sys.platform == "linux" and not any(map(os.environ.get, DISPLAYS))
        if headless or not webbrowser.open(address):
            where = f"boyi: {self.game} is shown at {address} for as long as this lasts"
            print(f'{where}; render_mode="rgb_array" gives images', file=sys.stderr, flush=True)

    def close(self) -> None:
        """Stop showing positions."""
        self.server.web.drop(self.name)
