"""The processes of this machine, each with a line of its own, so that one that dies in mid-message blocks no other."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from multiprocessing.util import Finalize
from typing import Any

from ...envs.engine.machine import usable_cores

Begin = Callable[[int], None]


class Processes:
    """`workers` processes, each of them begun by `begin`, which is told how many threads the process has.

    When one has died, all are given up and started anew: copies of this process need it to have no other thread.
    """

    def __init__(self, begin: Begin, workers: int) -> None:
        self.begin, self.workers = begin, workers
        self._members: list[Member] = []

    def hire(self, working: int) -> list[Executor]:
        if self._members and all(member.alive for member in self._members):
            return []
        self.dismiss(at_once=True)
        context = get_context(_method())
        reader, life = context.Pipe(duplex=False)
        Finalize(self, life.close, exitpriority=0)
        threads = max(1, usable_cores() // self.workers)
        for _ in range(self.workers):
            self._members.append(Member(context, (reader, life), self.begin, threads))
        reader.close()
        return list[Executor](self._members)

    def dismiss(self, *, at_once: bool) -> None:
        for member in self._members:
            member.tell_to_end(at_once=at_once)
        while self._members:
            self._members.pop().join()


def _method() -> str:
    """Choose how to start a process: as a copy of this one, which has all it takes, if no other thread is at work here.

    Threads do not survive being copied, nor does PyTorch, which has its own.
    """
    alone = threading.active_count() == 1 and "torch" not in sys.modules
    return "fork" if sys.platform == "linux" and alone else "spawn"


class Member(Executor):
    """One process, which does one item at a time; a thread waits for it."""

    def __init__(self, context: BaseContext, life: tuple[Connection, Connection], begin: Begin, threads: int) -> None:
        self.alive = True
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *life, begin, threads))  # type: ignore[attr-defined]
        self._process.start()
        theirs.close()
        self._thread = ThreadPoolExecutor(1)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not self.alive:
            raise BrokenExecutor("the process has died")
        return self._thread.submit(self._ask, pickle.dumps((function, args, kwargs)))

    def _ask(self, asked: bytes) -> Any:
        try:
            self._line.send_bytes(asked)
            answer = self._line.recv_bytes()
        except (EOFError, OSError):
            self.alive = False
            raise BrokenExecutor("the process has died") from None
        result, error = pickle.loads(answer)
        if error is not None:
            raise error
        return result

    def tell_to_end(self, *, at_once: bool) -> None:
        """Tell the process to end, if `at_once` even in the middle of an item; otherwise it must have none."""
        if at_once:
            self.alive = False
            self._process.kill()
        elif self.alive:
            with suppress(OSError):  # it may have died since its last answer
                self._line.send_bytes(b"")

    def join(self) -> None:
        """Wait until the process has ended, after it was told to."""
        self._thread.shutdown()
        self._process.join()
        self._line.close()


def _serve(line: Connection, life: Connection, other_end: Connection, begin: Begin, threads: int) -> None:
    """Do what is asked until nothing more is; interrupts are left to the process that has started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    other_end.close()
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()
    begin(threads)
    with suppress(EOFError, OSError):  # the process that asks is gone
        while asked := line.recv_bytes():
            line.send_bytes(_answer(asked))


def _answer(asked: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(asked)
        return pickle.dumps((function(*args, **kwargs), None))
    except Exception as error:
        return pickle.dumps((None, error))


def _end_with(life: Connection) -> None:
    try:
        life.recv()
    except EOFError:
        os._exit(1)
