"""How far long work has got, on stderr: a bar on a terminal, else a line every few seconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console

from ..arena.printing import complain

EVERY = 5.0  # seconds between two lines where there is no terminal


class Tell(Protocol):
    """Says how much is `done`; `about` goes with the bar, `figures` with the line, `now` asks for a line at once."""

    def __call__(self, done: int, about: str, figures: str = "", *, now: bool = False) -> None: ...


@contextmanager
def progress(title: str, total: int, unit: str, done: int = 0, *, lines: bool = False) -> Iterator[Tell]:
    """Show how much of `total` is done, beginning with `done`; with `lines`, write lines above a bar, too."""
    console, said = Console(stderr=True), time.monotonic()

    def line(done: int, figures: str, now: bool) -> str:
        """Return a line, "" where the latest one is still new."""
        nonlocal said
        if not now and time.monotonic() - said < EVERY:
            return ""
        said = time.monotonic()
        return f"{done} of {total} {unit}" + (f": {figures}" if figures else "")

    if console.is_terminal:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
            task = bar.add_task(title, total=total, completed=done)

            def draw(done: int, about: str, figures: str = "", *, now: bool = False) -> None:
                bar.update(task, completed=done, description=about)
                if lines and figures and (text := line(done, figures, now)):
                    bar.console.print(text, markup=False, highlight=False)

            yield draw
        return

    def tell(done: int, about: str, figures: str = "", *, now: bool = False) -> None:
        if text := line(done, figures, now):
            complain(text)

    yield tell
