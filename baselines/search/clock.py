"""Searches that are limited by time: how many simulations to run before the next look at the clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from threading import Event

LOOKS = 100  # parts of the time left, one of which passes between two looks
SOON = 5.0  # most seconds counted as left between looks, where somebody may not want to wait
ANY = 2**62  # more simulations than any time allows


def run_until(
    end: float,
    run: Callable[[int], None],
    over: Callable[[], bool] | None = None,
    *,
    most: int = ANY,
    hurry: Event | None = None,
) -> None:
    """Call ``run(count)`` with counts of simulations until `most` have been run, or `time.perf_counter` reaches `end`.

    It is called at least once. After every call `over` is asked whether nothing is left to do, and `hurry` whether it
    is set. With an infinite `end` and no `hurry` there is one call.
    """
    started, done, count = time.perf_counter(), 0, most if math.isinf(end) and hurry is None else 1
    while True:
        run(count)
        done += count
        now = time.perf_counter()
        if done >= most or now >= end or (over is not None and over()) or (hurry is not None and hurry.is_set()):
            return
        left = end - now if hurry is None else min(end - now, SOON)
        count = min(most - done, max(1, int(done / max(now - started, 1e-6) * left / LOOKS)))
