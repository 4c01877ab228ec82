"""The board in the browser."""

from __future__ import annotations

import os
import webbrowser
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ...envs.engine.errors import BoyiError
from ...envs.records.files import read_lines
from ...envs.records.game_record import read_line

PORT = 8737


def web(
    port: Annotated[int, typer.Option(help="The port of this machine; 0 takes any.")] = PORT,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    tables: Annotated[Path | None, typer.Option(help="The folder that tables are kept in.", show_default=False)] = None,
    record: Annotated[Path | None, typer.Option(help="A file of games to look at.", show_default=False)] = None,
    allow_programs: Annotated[bool, typer.Option(help="Let agents of the page start programs.")] = False,
) -> None:
    """Play in the browser: a page of this machine alone, until Ctrl-C."""
    try:
        import websockets  # noqa: F401 - by which uvicorn speaks

        from ..web.server import Server, Web, listen
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "websockets"):
            raise
        raise BoyiError('the board in the browser needs Starlette and uvicorn: pip install "boyi[web]"') from None

    if not 0 <= port < 65536:
        raise BoyiError(f"port must be a whole number from 0 to 65535, not {port}")
    games = b""
    if record is not None:
        lines = read_lines(record)
        for number, line in enumerate(lines, 1):
            read_line(line, f"{record}, line {number},")
        games = b"".join(lines)
    folder = tables or Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "boyi" / "tables"
    taken = listen(port)
    made = Web(folder, nullcontext if allow_programs else None, games)

    def say() -> None:
        print(f"boyi: the board is at {made.address} until Ctrl-C", flush=True)
        if open_page:
            webbrowser.open(made.address)

    Server(made, taken, say).go()
