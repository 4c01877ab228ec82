"""The command ``boyi reproduce``: a published system trained and measured again, and a page about it."""

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from ...envs.engine.errors import BoyiError, chosen
from ..arena.printing import complain

SYSTEMS = ("einstein", "gomoku", "hex", "jiu", "mahjong")


def reproduce(
    system: Annotated[str, typer.Argument(help=f"The game of the system: {', '.join(SYSTEMS)}.")],
    full: Annotated[
        bool, typer.Option("--full/--quick", help="What the report in docs/ was made by, or ten minutes at most.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The folder; else reproduce/SYSTEM-quick or -full.")] = None,
) -> None:
    """Train and measure a published system; report.md says what came out. After a kill, it goes on where it was."""
    chosen("system", system, SYSTEMS)
    try:
        module = import_module(f"..reproduce.{system}", __package__)
    except ImportError as error:
        raise BoyiError(f'reproducing needs {error.name}: pip install "boyi[baselines]"') from None
    scale = module.FULL if full else module.QUICK
    folder = out or Path("reproduce") / f"{system}-{'full' if full else 'quick'}"
    if not full:
        complain(f"shortened: {scale} instead of {module.FULL}")
    print(module.reproduce(folder, scale, complain))
