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
from ..web.local import import_server

PORT = 8737


def web(
    port: Annotated[int, typer.Option(help="The port of this machine; 0 takes any.")] = PORT,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
    tables: Annotated[Path | None, typer.Option(help="The folder that tables are kept in.", show_default=False)] = None,
    record: Annotated[Path | None, typer.Option(help="A file of games to look at.", show_default=False)] = None,
    run: Annotated[Path | None, typer.Option(help="The folder of a training run to watch.", show_default=False)] = None,
    allow_programs: Annotated[bool, typer.Option(help="Let agents chosen on the page start programs.")] = False,
) -> None:
    """Play in the browser: a page for this machine alone, until Ctrl-C."""
    server = import_server()
    if not 0 <= port < 65536:
        raise BoyiError(f"port must be a whole number from 0 to 65535, not {port}")
    games = b""
    if record is not None:
        lines = read_lines(record)
        for number, line in enumerate(lines, 1):
            read_line(line, f"{record}, line {number},")
        games = b"".join(lines)
    if run is not None and not (run / "config.json").is_file():
        raise BoyiError(f"{run} holds no training run: name its folder, such as runs/NAME")
    folder = tables or Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "boyi" / "tables"
    taken = server.listen(port)
    made = server.Web(folder, nullcontext if allow_programs else None, games, run)

    def say() -> None:
        print(f"boyi: the board is at {made.address} until Ctrl-C", flush=True)
        if open_page:
            webbrowser.open(made.address)

    server.Server(made, taken, say).go()
