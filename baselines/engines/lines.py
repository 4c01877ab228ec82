"""What the servers of all protocols have in common: lines come in, replies go out, and errors fit in a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TextIO

DIGITS = 20  # the most digits of a number of 64 bits


class Server(Protocol):
    """Answers the lines of a protocol for an engine, until one of them has `ended` it."""

    ended: bool

    def reply(self, line: str) -> str:
        """Return what is written for a line, its end included; "" for nothing."""


def serve(server: Server, lines: Iterable[str], out: TextIO) -> None:
    """Answer lines until there are no more or one of them is the last by its protocol."""
    for line in lines:
        out.write(server.reply(line))
        out.flush()
        if server.ended:
            return


def whole(text: str) -> int:
    """Read a whole number of at most 64 bits; -1 when it is not one."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else -1


def one_line(error: Exception) -> str:
    """Write an error on one line."""
    return " ".join(str(error).split())
