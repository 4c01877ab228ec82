"""Files of lines: what a run writes as it goes, and goes on with after it was stopped; one process at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from .errors import BoyiError

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]


def read_lines(path: Path) -> list[bytes]:
    """Read the lines of a file, ends included; `BoyiError` when it cannot be read."""
    try:
        return path.read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise BoyiError(f"cannot read {path}: {error.strerror}") from None


def append_to(path: Path) -> TextIO:
    """Open a file for further lines; `BoyiError` when it cannot be written."""
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise BoyiError(f"cannot write {path}: {error.strerror}") from None


@contextmanager
def taken_up(path: Path | None, *, resume: bool) -> Iterator[tuple[list[bytes], Callable[[str], None]]]:
    """Go on with the file of a run: the lines it has, one torn in its writing cut off, and what writes one more.

    Without a path there are none, and none is written. `BoyiError` when there are lines, but nobody wants to `resume`,
    and when another process is at the file.
    """
    if path is None:
        yield [], lambda line: None
        return
    with append_to(path) as file:

        def write(line: str) -> None:
            file.write(line)
            file.flush()

        yield _lines_of(path, file, resume=resume) if path.is_file() else [], write


def _lines_of(path: Path, file: TextIO, *, resume: bool) -> list[bytes]:
    lock(file, path)
    lines = read_lines(path)
    if lines and not resume:
        raise BoyiError(f"{path} is not empty: --resume goes on with its run, another file starts a new one")
    if lines and not lines[-1].endswith(b"\n"):
        torn = len(lines.pop())
        file.truncate(path.stat().st_size - torn)
    return lines


def lock(file: TextIO, name: Path) -> None:
    """Keep other processes from what the file stands for until it is closed; `BoyiError` when another one is there."""
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BoyiError(f"{name} is in use by another process") from None
        except OSError:
            pass  # the file system knows no locks
