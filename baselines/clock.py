"""Searches that are limited by time: how many simulations to run before the next look on the clock."""

from __future__ import annotations

import time
from collections.abc import Callable

LOOKS = 100  # shares of the time that is left, of which one passes between two looks


def run_until(end: float, run: Callable[[int], None], over: Callable[[], bool] | None = None) -> None:
    """Call ``run(count)`` with counts of simulations until `time.perf_counter` reaches `end`, or nothing more is to do.

    It is called once at least, and `over` is asked after every call.
    """
    started, done, count = time.perf_counter(), 0, 1
    while True:
        run(count)
        done += count
        now = time.perf_counter()
        if now >= end or (over is not None and over()):
            return
        count = max(1, int(done / max(now - started, 1e-6) * (end - now) / LOOKS))
