"""`Program`: somebody else's program behind pipes. Lines go in, lines come out, and nothing it does is trusted.

Every wait has an end, output beyond a limit is not kept, and the program ends with the process that started it.
"""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from queue import Empty, SimpleQueue
from textwrap import shorten
from typing import IO

from ...envs.engine.errors import BoyiError
from . import supervisor

LONGEST = 1 << 16  # bytes of a line
MOST = 10_000  # lines that may wait to be read, or that may answer one line
SPILL = 1 << 22  # bytes on stderr between two answers
SLICE = 0.05  # seconds between two looks at stderr while an answer is awaited
LEAVE = 5.0  # seconds that a program has to end when it is asked to: our own takes half a second
LAG = 1.0  # seconds that may lie between the end of a program and that of its output
FLOOD = f"wrote {MOST} lines that nobody had asked for"
LAST = 3  # the latest lines on stderr that a reason shows
TAIL = 100  # letters of each
ASKED = 60  # letters of a question that a reason shows


class ProgramError(Exception):
    """What a program has done that loses it the game, in words that follow its name."""


def split_command(command: str) -> list[str]:
    """Split a command line as a POSIX shell does; `BoyiError` when there is no such program."""
    if os.name != "posix":
        raise BoyiError("programs can be run as agents on Linux and macOS only")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BoyiError(f"cannot read the command {command!r}: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise BoyiError(f"there is no program {words[0] if words else command!r} that can be run")
    return words


class Program:
    """A running program. A `ProgramError` from its methods says what it did wrong; it must then be closed.

    At least `pause` seconds pass between what it says and what it is told next.
    """

    def __init__(self, command: str, pause: float = 0.0) -> None:
        self.inbox, self.outbox, self.errors = Inbox(), SimpleQueue[bytes | None](), Errors()
        self.process, lifeline = _start(split_command(command))
        for work, stream, target in (
            (_read_lines, self.process.stdout, self.inbox),
            (_read_errors, self.process.stderr, self.errors),
            (_write_lines, self.process.stdin, self.outbox),
        ):
            threading.Thread(target=work, args=(stream, target), daemon=True).start()
        self.owner, self.pause = os.getpid(), pause
        self.heard = 0
        """Lines since the last one that was sent."""
        self.asked, self.since, self.answered = "", 0.0, -math.inf
        """The latest line that was sent, when that was, and when the latest one came."""
        self._end = weakref.finalize(self, _end, self.owner, self.process, lifeline, self.outbox)

    def send(self, text: str) -> None:
        """Send a line, or several; if nobody reads them, that shows where an answer is awaited."""
        time.sleep(max(0.0, self.answered + self.pause - time.monotonic()))
        self.asked, self.since, self.heard = text.partition("\n")[0], time.monotonic(), 0
        self.outbox.put(f"{text}\n".encode())

    def receive(self, until: float) -> str:
        """Wait for a line until `time.monotonic` reaches `until`; return it without its line end."""
        line: bytes | None = b""
        while line == b"":
            if not self._lives():
                until = min(until, time.monotonic() + LAG)  # one of its children may hold its output open
            left = until - time.monotonic()
            if left <= 0:
                raise ProgramError("did not answer in time" if self._lives() else self._gone())
            with contextlib.suppress(Empty):
                line = self.inbox.lines.get(timeout=min(left, SLICE))
            if self.errors.spilt > SPILL:
                raise ProgramError(f"wrote more than {SPILL >> 20} MiB to stderr")
        if line is None:
            raise ProgramError(self._gone())
        self.heard += 1
        if self.heard > MOST:
            raise ProgramError(FLOOD)
        self.errors.spilt, self.answered = 0, time.monotonic()
        return line.decode(errors="replace").rstrip("\r\n")

    def _lives(self) -> bool:
        return self.process.poll() is None

    def _gone(self) -> str:
        """Say how its output ended."""
        if self.inbox.flood:
            return self.inbox.flood
        with contextlib.suppress(subprocess.TimeoutExpired):
            status = self.process.wait(LAG)
            how = f"with exit status {status}" if 0 <= status <= 128 else f"by signal {abs(status) % 128}"
            return f"ended {how}"
        return "closed its output"

    def circumstances(self) -> str:
        """Add to what it did wrong what it had been asked, how long ago, and what it has said on stderr."""
        asked = shorten(self.asked, width=ASKED, placeholder=" ...")
        when = f" (asked {asked!r} {time.monotonic() - self.since:.1f} s before)" if asked else ""
        return when + self.errors.last()

    def leave(self, last: str) -> str | None:
        """Send the last line and close its input; return what it did wrong where it had to be killed."""
        self.send(last)
        self.outbox.put(None)
        try:
            self.process.wait(LEAVE)
            return None
        except subprocess.TimeoutExpired:
            return f"ignored {last} for {LEAVE:g} s and was killed{self.errors.last()}"
        finally:
            self.close()

    def close(self) -> None:
        """End the program and its children at once."""
        self._end()


class Inbox:
    """Lines that have been read, None after the last one; `flood` says why no more are read."""

    def __init__(self) -> None:
        self.lines: SimpleQueue[bytes | None] = SimpleQueue()
        self.flood = ""


class Errors:
    """What is kept of stderr: how many bytes there were, and the latest of them."""

    def __init__(self) -> None:
        self.spilt = 0
        self.latest: deque[bytes] = deque(maxlen=2)

    def last(self) -> str:
        """Quote the latest lines with something in them, if there are any."""
        lines = b"".join(self.latest).decode(errors="replace").split("\n")
        said = [line.strip()[-TAIL:] for line in lines if line.strip()][-LAST:]
        return f"; it last said {', '.join(map(repr, said))}" if said else ""


def _read_lines(stream: IO[bytes], inbox: Inbox) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while line := stream.readline(LONGEST):
            if not line.endswith(b"\n") and len(line) == LONGEST:
                inbox.flood = f"wrote a line of more than {LONGEST >> 10} KiB"
            elif inbox.lines.qsize() >= MOST:
                inbox.flood = FLOOD
            if inbox.flood:
                break
            inbox.lines.put(line)
    inbox.lines.put(None)


def _read_errors(stream: IO[bytes], errors: Errors) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while chunk := stream.read1(LONGEST):  # type: ignore[attr-defined]
            errors.spilt += len(chunk)
            errors.latest.append(chunk)


def _write_lines(stream: IO[bytes], lines: SimpleQueue[bytes | None]) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        while (line := lines.get()) is not None:
            stream.write(line)
            stream.flush()


def _start(words: list[str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a program in a session of its own; return it and the end of the pipe that keeps it alive."""
    pipe = subprocess.PIPE
    ours, theirs = os.pipe()[::-1]
    try:
        command = [sys.executable, "-I", "-S", supervisor.__file__, str(theirs), *words]
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, pass_fds=(theirs,)
        )
    finally:
        os.close(theirs)
    return process, ours


def _end(owner: int, process: subprocess.Popen[bytes], lifeline: int, outbox: SimpleQueue[bytes | None]) -> None:
    """Kill a program and what it has started, and wait for it; in a fork of its `owner`, only let go of it."""
    if os.getpid() != owner:
        os.close(lifeline)
        return
    outbox.put(None)
    os.close(lifeline)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(LAG)
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
