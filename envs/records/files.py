"""What runs write: files of lines, which one process at a time adds to, and others that are whole or not there at all.

A reader of the latter sees the old file or the new one, never half of either, whenever the writer is killed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TextIO

from ..engine.errors import BoyiError, shown

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]


LONGEST_PATH = 4096  # characters: systems take no more
PathOf = str | PathLike[str]
"""What public functions take for a path."""


def as_path(path: PathOf) -> Path:
    """Return the path that a string or a path-like object names; `BoyiError` for what names none."""
    try:
        name = fspath(path)
    except TypeError:
        name = None
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_PATH or "\0" in name:
        raise BoyiError(f"a path is text, or a Path, not {shown(path)}")
    return Path(name)


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


class Growing:
    """A file that lines are appended to: the next append notices if it was removed, replaced or shortened meanwhile.

    It is open only while it is written to, so that its holder can be copied and pickled. `BoyiError` when it cannot be
    written.
    """

    identity: tuple[int, int]
    size: int

    def __init__(self, path: Path) -> None:
        self.path = path
        with append_to(path) as file:
            self._note(file)

    def append(self, text: str) -> None:
        """Write lines at the end; `BoyiError` when those before are gone."""
        self.check()  # before opening it, which would create a new one
        with append_to(self.path) as file:
            self.write(text, file)

    def write(self, text: str, file: TextIO) -> None:
        """Write lines to the file, which is open; `BoyiError` when it has been taken away."""
        self.check()
        file.write(text)
        file.flush()
        self._note(file)
        self.check()

    def check(self) -> None:
        """Raise `BoyiError` when the file is gone, is another one, or holds less than was written."""
        try:
            found = self.path.stat()
        except OSError:
            raise BoyiError(f"{self.path} is gone: what was written to it during this run is lost") from None
        if (found.st_dev, found.st_ino) != self.identity or found.st_size < self.size:
            raise BoyiError(f"{self.path} has become another file: what was written to it during this run is lost")

    def _note(self, file: TextIO) -> None:
        found = os.fstat(file.fileno())
        self.identity, self.size = (found.st_dev, found.st_ino), found.st_size


@contextmanager
def taken_up(path: Path | None, *, resume: bool) -> Iterator[tuple[list[bytes], Callable[[str], None]]]:
    """Go on with the file of a run: yield its lines, without a torn last one, and a function that writes one more.

    Without a path there are none, and none is written. `BoyiError` when there are lines but `resume` is false, when
    another process uses the file, and when it is taken away during the run.
    """
    if path is None:
        yield [], lambda line: None
        return
    with append_to(path) as file:
        lines = _lines_of(path, file, resume=resume) if path.is_file() else []
        growing = Growing(path)
        yield lines, lambda line: growing.write(line, file)
        growing.check()


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
    """Keep other processes from what the file stands for until it is closed; `BoyiError` when another one uses it."""
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BoyiError(f"{name} is in use by another process") from None
        except OSError:
            pass  # the file system has no locks


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Replace a file by what `write` writes to the path it is given; `BoyiError` when it cannot be written."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(partial)
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise BoyiError(f"cannot write {path}: {error.strerror or error}") from None


def replace_file(path: Path, content: bytes) -> None:
    """Replace a file by one with this content; `BoyiError` when it cannot be written."""
    replace(path, lambda partial: partial.write_bytes(content))
