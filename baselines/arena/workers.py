"""Work shared out to processes, one item after another to whoever is free.

What a process works with is made there, once, by a recipe; items and results travel. A process that dies, killed or out
of memory, takes nothing along but the items in work, which are done again. All of them end with the process that has
started them, however that ends, and at once when it wants no more.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.util import Finalize
from typing import Any, Generic, TypeVar

from ...envs.engine.errors import BoyiError, is_whole, shown
from ...envs.engine.machine import usable_cores
from ..agent import Agent, Team
from .printing import complain

MOST = 1024  # processes of one machine
DEATHS = 3  # processes that may die one after the other, with nothing done in between
Item = TypeVar("Item")
Result = TypeVar("Result")


def check_workers(workers: int) -> int:
    """Return how many processes are to work, for 0 one on each core; `BoyiError` for what is no number of them."""
    if not is_whole(workers, 0, MOST):
        raise BoyiError(f"workers must be a whole number from 0, for all cores, to {MOST}, not {shown(workers)}")
    return int(workers) or usable_cores()


def say_if_crowded(agents: Iterable[Agent], workers: int, clock: float | None = None) -> None:
    """Say on stderr where agents that are limited by time would share cores."""
    if workers > usable_cores() and (clock is not None or any(map(_timed, agents))):
        complain(
            f"boyi: {workers} workers share {usable_cores()} cores: who is limited by time gets less than it is given"
        )


def _timed(agent: Agent) -> bool:
    """Whether an agent decides for as long as it is told to."""
    if isinstance(agent, Team):
        return any(map(_timed, agent.members))
    return bool(agent.values.get("seconds"))


class Crew(Generic[Item, Result]):
    """Processes that do with items what `recipe()` returns, which is made in each of them; use it as a context.

    What that returns may have a method `close`, which is called where a process ends in peace. `BoyiError` for a recipe
    that cannot be sent to a process, and when processes die without getting anything done.
    """

    def __init__(self, recipe: Callable[[], Callable[[Item], Result]], workers: int) -> None:
        try:
            self.recipe = pickle.dumps(recipe)
        except Exception as error:
            raise BoyiError(f"this cannot be sent to other processes: {shown(str(error))}; use one worker") from None
        self.workers = workers
        self.deaths = 0
        self._waiting: dict[Future[Result], tuple[int, Item]] = {}
        self._open()

    def _open(self) -> None:
        context = get_context(_method())
        reader, self._life = context.Pipe(duplex=False)
        threads = max(1, usable_cores() // self.workers)
        self._executor = ProcessPoolExecutor(
            self.workers, context, initializer=_begin, initargs=(reader, self._life, self.recipe, threads)
        )

    def __enter__(self) -> Crew[Item, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None or self._waiting:  # nobody wants what they are still at
            self._life.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        self._life.close()

    def do(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Do all items, each taken when somebody is free for it; yield them with what came of them as they are done."""
        for _, item, result in self._done(items):
            yield item, result

    def in_order(self, items: Iterable[Item]) -> Iterator[Result]:
        """Do all items; yield what comes of them in their order."""
        done, following = dict[int, Result](), 0
        for number, _, result in self._done(items):
            done[number] = result
            while following in done:
                yield done.pop(following)
                following += 1

    def _done(self, items: Iterable[Item]) -> Iterator[tuple[int, Item, Result]]:
        """Yield the number of each item, too."""
        coming, waiting, lost = enumerate(items), self._waiting, list[tuple[int, Item]]()
        while True:
            while len(waiting) < self.workers and (item := lost.pop() if lost else next(coming, None)) is not None:
                waiting[self._submit(item[1])] = item
            if not waiting:
                return
            for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                item = waiting.pop(future)
                try:
                    result = future.result()
                except BrokenExecutor:
                    lost.append(item)
                    continue
                self.deaths = 0
                yield *item, result
            if lost:
                # With one that has died the executor gives everybody up.
                lost += waiting.values()
                waiting.clear()
                self._replace()

    def _submit(self, item: Item) -> Future[Result]:
        try:
            return self._executor.submit(_do, item)
        except BrokenExecutor as error:  # somebody has died since the last look
            failed: Future[Result] = Future()
            failed.set_exception(error)
            return failed

    def _replace(self) -> None:
        """Start other processes in the place of those that are gone."""
        self.deaths += 1
        if self.deaths == DEATHS:
            raise BoyiError(f"{DEATHS} processes have died one after the other, killed or out of memory")
        self._life.close()
        self._executor.shutdown(wait=True)
        self._open()


def _method() -> str:
    """Choose how to start a process: as a copy of this one, which has all it takes, where nobody else is at work here.

    Threads, and PyTorch with its own, do not survive being copied.
    """
    alone = threading.active_count() == 1 and "torch" not in sys.modules
    return "fork" if sys.platform == "linux" and alone else "spawn"


_recipe = b""
_work: Callable[[Any], Any] | None = None


def _begin(life: Connection, other_end: Connection, recipe: bytes, threads: int) -> None:
    """Prepare a process: interrupts are for the one that has started it, with which it ends."""
    global _recipe, _work
    _recipe, _work = recipe, None
    other_end.close()
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(life,), daemon=True).start()


def _end_with(life: Connection) -> None:
    try:
        life.recv()
    except EOFError:
        os._exit(1)


def _do(item: Any) -> Any:
    global _work
    if _work is None:
        _work = pickle.loads(_recipe)()
        if hasattr(_work, "close"):
            Finalize(None, _work.close, exitpriority=1)
    return _work(item)
