"""The server of the page: on this machine alone, behind an address that only its user knows."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...envs.engine.errors import BoyiError
from ...envs.records.files import replace_file
from .catalog import catalog
from .room import NAME, Room
from .scene import Scene

PAGE = Path(__file__).parent / "page"
HOST = "127.0.0.1"
LARGEST = 1 << 20  # bytes of a message
PACE = 0.05  # seconds between two positions of a table that is stepped elsewhere
MOST_KEPT = 200  # tables: where there are more, the oldest are forgotten
NOTEBOOKS = "http://localhost:* http://127.0.0.1:* vscode-webview:"
"""The notebooks whose cells may hold the page, where it is made for one."""
RUN = ("config.json", "log.jsonl", "games.jsonl", "curves.png", "moves.png")
"""The files of a run that pages may read."""


def headers(framed: bool) -> list[tuple[bytes, bytes]]:
    """Return the headers of every answer; `framed` pages may be shown inside notebooks."""
    around = NOTEBOOKS if framed else "'none'"
    policy = f"default-src 'self'; img-src 'self' data:; frame-ancestors {around}; base-uri 'none'"
    return [
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"no-referrer"),
        (b"x-content-type-options", b"nosniff"),
        (b"cache-control", b"no-cache"),
    ]


class Guard:
    """Refuses requests that do not name this server, or that come from others' pages, and says what pages may do."""

    def __init__(self, app: ASGIApp, port: Callable[[], int], framed: bool) -> None:
        self.app, self.port, self.headers = app, port, headers(framed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = Headers(scope=scope)
        hosts = {f"{name}:{self.port()}" for name in (HOST, "localhost")}
        origin = asked.get("origin")
        if asked.get("host") not in hosts or (origin is not None and origin.removeprefix("http://") not in hosts):
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await PlainTextResponse("this server answers its own page alone", 403)(scope, receive, send)
            return

        async def send_with(message: Any) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, send_with)


class Web:
    """The tables of a folder, served under an address with the folder's token; `games` are the lines of a record, `run`
    is the folder of a training run to watch. With `framed`, notebooks may show the page in their cells.
    """

    def __init__(
        self,
        folder: Path,
        trust: Callable[[], AbstractContextManager[None]] | None = None,
        games: bytes = b"",
        run: Path | None = None,
        *,
        framed: bool = False,
    ) -> None:
        self.folder, self.trust, self.games, self.run, self.framed = folder, trust, games, run, framed
        self.token = _token(folder / "token")
        self.rooms: dict[str, Room] = {}
        self.scenes: dict[str, Scene] = {}
        """What is to be shown next at tables that are stepped elsewhere."""
        self.loop: asyncio.AbstractEventLoop
        self.port = 0
        self.known = msgspec.json.encode({**catalog(), "run": None if run is None else run.name})
        forget(folder)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}/{self.token}/"

    def app(self) -> ASGIApp:
        """Make the application; anything that is not under the token does not exist."""
        inside = [
            Route("/catalog.json", self._catalog),
            Route("/games.jsonl", self._games),
            Route("/run/{name}", self._run),
            WebSocketRoute("/tables/{name}", self._table),
            Mount("/", StaticFiles(directory=PAGE, html=True)),
        ]
        return Guard(Starlette(routes=[Mount(f"/{self.token}", routes=inside)]), lambda: self.port, self.framed)

    def room(self, name: str) -> Room:
        """Find the room of a table, or open it."""
        if name not in self.rooms:
            path, gone = self.folder / f"{name}.json", partial(self.rooms.pop, name, None)
            self.rooms[name] = Room(path, self.trust, gone)
        return self.rooms[name]

    def show(self, name: str, scene: Scene) -> None:
        """Show a position at a table, from any thread; where many follow one another, not every one is shown."""
        waiting = name in self.scenes
        self.scenes[name] = scene
        if not waiting:
            self.loop.call_soon_threadsafe(self.loop.call_later, PACE, self._shown, name)

    def _shown(self, name: str) -> None:
        scene = self.scenes.pop(name, None)
        if scene is not None:
            self.room(name).stage(scene)

    def drop(self, name: str) -> None:
        """Stop showing positions at a table, from any thread."""
        self.scenes.pop(name, None)
        self.rooms.pop(name, None)

    def close(self) -> None:
        """Close everything at the tables."""
        for room in self.rooms.values():
            room.close()

    async def _catalog(self, request: Request) -> Response:
        return Response(self.known, media_type="application/json")

    async def _games(self, request: Request) -> Response:
        return Response(self.games, media_type="application/jsonl")

    async def _run(self, request: Request) -> Response:
        """Return a file of the run as it is now; a page that already has it is told so."""
        name = request.path_params["name"]
        if self.run is None or name not in RUN:
            raise HTTPException(404)
        return await StaticFiles(directory=self.run).get_response(name, request.scope)

    async def _table(self, socket: WebSocket) -> None:
        """Let a page in at the table that it names, and do as it says until it goes."""
        name = socket.path_params["name"]
        if NAME.fullmatch(name) is None:
            await socket.close(1008)
            return
        await socket.accept()
        room = self.room(name)
        letters: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        send = letters.put_nowait
        post = asyncio.create_task(_deliver(letters, socket))
        try:
            await room.enter(send)
            while True:
                await room.hear(await socket.receive_text())
        except (WebSocketDisconnect, KeyError, RuntimeError):
            pass  # it has gone, perhaps in the middle of something, or sent something that is not text
        finally:
            post.cancel()
            room.leave(send)


async def _deliver(letters: asyncio.Queue[dict[str, Any]], socket: WebSocket) -> None:
    """Send a page what there is for it, until another one has taken its place."""
    while True:
        letter = await letters.get()
        await socket.send_bytes(msgspec.json.encode(letter))
        if letter["type"] == "taken":
            await socket.close(1000)
            return


def _token(path: Path) -> str:
    """Read the token of a folder of tables, or make one: a page finds its server again after that is restarted."""
    try:
        token = path.read_text(encoding="ascii")
    except (OSError, UnicodeError):
        token = ""
    if re.fullmatch(r"[\w-]{32}", token) is None:
        token = secrets.token_urlsafe(24)
        replace_file(path, token.encode())
        path.chmod(0o600)
    return token


def forget(folder: Path) -> None:
    """Remove the oldest tables of a folder where there are too many."""
    tables = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in tables[:-MOST_KEPT]:
        path.unlink(missing_ok=True)


def listen(port: int) -> socket.socket:
    """Take a port of this machine, any for 0; `BoyiError` when it is not available."""
    # Unless a socket says TCP, asyncio lets it collect short messages: answers would come 40 ms late.
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
    except (OSError, OverflowError) as error:
        taken.close()
        why = getattr(error, "strerror", None) or str(error)
        raise BoyiError(f"cannot take port {port}: {why}; --port 0 takes one that is free") from None
    return taken


class Server(uvicorn.Server):
    """Serves a page from a port that was taken; `started` is called once it answers."""

    def __init__(self, web: Web, taken: socket.socket, started: Callable[[], object]) -> None:
        web.port = taken.getsockname()[1]
        super().__init__(uvicorn.Config(web.app(), log_level="error", ws_max_size=LARGEST, lifespan="off"))
        self.web, self.taken, self.started_by = web, taken, started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.web.loop = asyncio.get_running_loop()
        self.started_by()

    def go(self) -> None:
        """Serve until somebody says that it `should_exit`, or interrupts the process."""
        try:
            self.run(sockets=[self.taken])
        finally:
            self.web.close()
