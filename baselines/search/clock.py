"""Searches that are limited by time: how many simulations to run before the next look on the clock."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

LOOKS = 100  # shares of the time that is left, of which one passes between two looks
ANY = 2**62  # more simulations than any time allows


def run_until(
    end: float, run: Callable[[int], None], over: Callable[[], bool] | None = None, *, most: int = ANY
) -> None:
    """Call ``run(count)`` with counts of simulations until there were `most`, or `time.perf_counter` reaches `end`.

    It is called once at least, and `over` is asked after every call whether nothing more is to do. An infinite `end`
    leaves one call.
    """
    started, done, count = time.perf_counter(), 0, most if math.isinf(end) else 1
    while True:
        run(count)
        done += count
        now = time.perf_counter()
        if done >= most or now >= end or (over is not None and over()):
            return
        count = min(most - done, max(1, int(done / max(now - started, 1e-6) * (end - now) / LOOKS)))
