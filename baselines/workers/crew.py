"""Work shared out among processes, of this machine or of a cluster: each item goes to one that is free.

A recipe makes what a process works with, once in each; only items and results travel. A process that dies, killed or
out of memory, loses only the item that it was working on, which is done again. All of them end with the process that
has started them, however that ends, and at once when it wants no more.
"""

from __future__ import annotations

import os
import pickle
import platform
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from functools import partial
from multiprocessing.util import Finalize
from typing import Any, Generic, Protocol, TypeVar

from ...envs.engine.errors import BoyiError, is_whole, shown
from ...envs.engine.machine import usable_cores
from ...envs.engine.version import __version__
from .processes import Processes

MOST = 1024  # processes of one machine
DEATHS = 3  # deaths at the same item, with nothing done in between, that are too many
Item = TypeVar("Item")
Result = TypeVar("Result")


def check_workers(workers: int, cluster: str | None = None) -> int:
    """Return how many processes are to work; 0 means one on each core of this machine or of the cluster that is named.

    `BoyiError` for what is not a number of them, for more than a cluster has cores, and if there is no such cluster.
    """
    if cluster is not None and cluster != "ray":
        raise BoyiError(f"cluster must be ray, not {shown(cluster)}")
    if not is_whole(workers, 0, MOST):
        raise BoyiError(f"workers must be a whole number from 0, for all cores, to {MOST}, not {shown(workers)}")
    if cluster is None:
        return int(workers) or usable_cores()
    from .cluster import cores

    here = sum(cores().values())
    if workers > here:
        raise BoyiError(f"workers must be at most {here}, the cores of the cluster, not {workers}")
    return int(workers) or here


class Pool(Protocol):
    """Where processes are started."""

    def hire(self, working: int) -> list[Executor]:
        """Start the processes that are missing when `working` are there; return the executor that reaches each."""
        ...

    def dismiss(self, *, at_once: bool) -> None:
        """End all processes, if `at_once` even in the middle of an item."""
        ...


class Crew(Generic[Item, Result]):
    """Processes that apply to items what `recipe()` returns, which is made in each of them; use it as a context.

    They are of this machine or, with ``cluster="ray"``, of a Ray cluster. What the recipe returns may have a method
    `close`, which is called when a process ends normally. `BoyiError` for a recipe that cannot be sent to a process,
    when processes die without getting anything done, and when a cluster has no node left.
    """

    def __init__(
        self, recipe: Callable[[], Callable[[Item], Result]], workers: int, cluster: str | None = None
    ) -> None:
        try:
            pickled = pickle.dumps(recipe)
        except Exception as error:
            raise BoyiError(f"this cannot be sent to other processes: {shown(str(error))}; use one worker") from None
        self.deaths = Counter[int]()
        self._idle = list[Executor]()
        self._waiting = dict[Future[Result], tuple[Executor, tuple[int, Item]]]()
        self._pool: Pool
        if cluster is None:
            self._pool = Processes(partial(_begin, pickled), workers)
        else:
            from .cluster import Cluster

            self._pool = Cluster(partial(_begin_there, pickled, __version__), workers)

    def __enter__(self) -> Crew[Item, Result]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._pool.dismiss(at_once=kind is not None or bool(self._waiting))  # nobody wants what they are still doing

    def do(self, items: Iterable[Item]) -> Iterator[tuple[Item, Result]]:
        """Do all items, each taken when a process is free for it; yield each with its result as soon as it is done."""
        for _, item, result in self._done(items):
            yield item, result

    def in_order(self, items: Iterable[Item]) -> Iterator[Result]:
        """Do all items; yield their results in the items' order."""
        done, following = dict[int, Result](), 0
        for number, _, result in self._done(items):
            done[number] = result
            while following in done:
                yield done.pop(following)
                following += 1

    def _done(self, items: Iterable[Item]) -> Iterator[tuple[int, Item, Result]]:
        """Yield the number of each item, too."""
        coming, lost = enumerate(items), list[tuple[int, Item]]()
        while True:
            self._idle += self._pool.hire(len(self._idle) + len(self._waiting))
            while self._idle and (item := lost.pop() if lost else next(coming, None)) is not None:
                executor = self._idle.pop()
                try:
                    self._waiting[executor.submit(_do, item[1])] = executor, item
                except BrokenExecutor:  # a process has died since the last look
                    lost.append(item)
                    self._lose(executor)
            if not self._waiting and not lost:
                return
            for future in wait(self._waiting, return_when=FIRST_COMPLETED).done:
                executor, item = self._waiting.pop(future)
                try:
                    result = future.result()
                except BrokenExecutor:
                    lost.append(item)
                    self._lose(executor)
                    self._count_death(item[0])
                    continue
                self.deaths.clear()
                self._idle.append(executor)
                yield *item, result

    def _lose(self, executor: Executor) -> None:
        """Give nothing more to an executor that is broken."""
        self._idle = [other for other in self._idle if other is not executor]

    def _count_death(self, number: int) -> None:
        self.deaths[number] += 1
        if self.deaths[number] == DEATHS:
            raise BoyiError(f"{DEATHS} processes have died one after the other, killed or out of memory")


_recipe = b""
_work: Callable[[Any], Any] | None = None


def _begin(recipe: bytes, threads: int) -> None:
    """Prepare a process."""
    global _recipe, _work
    _recipe, _work = recipe, None
    os.environ.setdefault("OMP_NUM_THREADS", str(threads))


def _begin_there(recipe: bytes, version: str) -> None:
    """Prepare a process on a core of a cluster, where boyi may be another version; `version` is the caller's."""
    if version != __version__:
        raise BoyiError(f"{platform.node()} has boyi {__version__}, and is asked for what {version} does")
    _begin(recipe, 1)


def _do(item: Any) -> Any:
    global _work
    if _work is None:
        _work = pickle.loads(_recipe)()
        if hasattr(_work, "close"):
            Finalize(None, _work.close, exitpriority=1)
    return _work(item)
