"""Tables for the terminal, which are plain text of any width everywhere else."""

import io
from typing import TextIO

from rich.console import Console, RenderableType
from rich.table import Table

WIDTH = 200  # columns where there is no terminal: nothing of ours is wider, so nothing is folded


def make_table(*columns: str, left: tuple[str, ...] = ()) -> Table:
    """Make a table without lines whose columns stand right, those named in `left` left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in columns:
        table.add_column(name, justify="left" if name in left else "right", overflow="fold")
    return table


def console(file: TextIO | None = None) -> Console:
    """Open a console (default: stdout) that prints text as it is, markup and emoji names included."""
    plain = {"markup": False, "emoji": False, "highlight": False}
    found = Console(file=file, **plain)  # type: ignore[arg-type]
    return found if found.is_terminal else Console(file=file, width=WIDTH, color_system=None, **plain)  # type: ignore[arg-type]


def as_text(what: RenderableType) -> str:
    """Render to plain text, without blanks at the ends of lines."""
    file = io.StringIO()
    console(file).print(what)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def show(*parts: RenderableType) -> None:
    """Print on stdout: in colour and as wide as the terminal, or as plain text."""
    out = console()
    for part in parts:
        if out.is_terminal:
            out.print(part)
        else:
            print(as_text(part))
