"""The processes of a Ray cluster, at most as many as it has cores."""

from __future__ import annotations

import gc
import logging
import os
import socket
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, wait
from typing import Any

from ...envs.engine.errors import BoyiError

try:
    import ray
    from ray.exceptions import RayError, RayTaskError
    from ray.util.multiprocessing import Pool
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:
    raise BoyiError(f'a cluster needs {error.name}: pip install "boyi[ray]"') from None

PAUSE = 1.0  # seconds between two looks at the nodes
PATIENCE = 10.0  # seconds in which the head must answer


def connect() -> None:
    """Join the cluster that this process is in already, that ``RAY_ADDRESS`` names or that runs on this machine.

    `BoyiError` where there is none.
    """
    if ray.is_initialized():
        return
    address = os.environ.get("RAY_ADDRESS", "auto")
    try:
        if "://" not in address and ":" in address:  # which Ray itself would try for minutes
            host, _, port = address.rpartition(":")
            socket.create_connection((host, int(port)), PATIENCE).close()
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError):
        where = "on this machine" if address == "auto" else f"at {address}"
        raise BoyiError(
            f"there is no Ray cluster {where} that answers: start one with ray start --head, or name its head in "
            "RAY_ADDRESS; one that asks for a token wants RAY_AUTH_MODE=token, too"
        ) from None


def cores() -> Counter[str]:
    """Count the cores of each node that is alive."""
    connect()
    alive = (node for node in ray.nodes() if node["Alive"])  # type: ignore[no-untyped-call]
    return Counter({node["NodeID"]: int(node["Resources"].get("CPU", 0)) for node in alive})


class Cluster:
    """Processes on every node, each of them begun by `begin`, at most `workers` in all.

    Those of nodes that have died are missing until others join.
    """

    def __init__(self, begin: Callable[[], None], workers: int) -> None:
        self.begin, self.workers = begin, workers
        self._members: list[Member] = []
        self._looked = -PAUSE

    def hire(self, working: int) -> list[Executor]:
        if working == self.workers or (working and time.monotonic() - self._looked < PAUSE):
            return []
        self._looked = time.monotonic()
        there = cores()
        self._members = [member for member in self._members if member.alive]
        there.subtract(member.node for member in self._members)
        hired = [Member(node, self.begin) for node, free in there.items() for _ in range(free)]
        del hired[self.workers - working :]
        if not working and not hired:
            raise BoyiError("the cluster has no node left to work on")
        self._members += hired
        return list[Executor](hired)

    def dismiss(self, *, at_once: bool) -> None:
        gc.freeze()  # closing a pool collects garbage, which would go through all there is each time
        wait([member.end(at_once=at_once) for member in self._members])
        gc.unfreeze()


class Member(Executor):
    """One process of a node, started for its first item; it does one at a time."""

    def __init__(self, node: str, begin: Callable[[], None]) -> None:
        self.node, self.begin = node, begin
        self.alive, self._wanted = True, True
        self._pool: Pool | None = None
        self._thread = ThreadPoolExecutor(1)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._thread.submit(self._apply, function, args, kwargs)

    def _apply(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        try:
            if self._pool is None:
                here = NodeAffinitySchedulingStrategy(self.node, soft=False)
                self._pool = Pool(1, ray_remote_args={"scheduling_strategy": here})
                self._pool.apply(self.begin)
            if self._wanted:
                return self._pool.apply(function, args, kwargs)
        except RayTaskError as error:  # it is alive, but cannot read what it is sent
            raise BoyiError(f"a node cannot do what it is asked: {str(error).splitlines()[-1]}") from None
        except RayError as error:
            self.alive = False
            raise BrokenExecutor(str(error)) from None

    def end(self, *, at_once: bool) -> Future[None]:
        """End the process, if `at_once` even in the middle of an item; return a future that is done once it has."""
        self._wanted = not at_once
        if at_once and self._pool is not None:
            self._pool.terminate()  # type: ignore[no-untyped-call]
        ended = self._thread.submit(self._leave)
        self._thread.shutdown(wait=False)
        return ended

    def _leave(self) -> None:
        if self._pool is None or not self.alive:
            return
        if self._wanted:
            self._pool.close()  # type: ignore[no-untyped-call]
            self._pool.join()  # type: ignore[no-untyped-call]
        else:  # it may have been starting when it was told to end
            self._pool.terminate()  # type: ignore[no-untyped-call]
