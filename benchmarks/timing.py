"""How the benchmarks take times."""

from __future__ import annotations

import time
from collections.abc import Callable

REPEATS = 3


def fastest(work: Callable[[], object]) -> float:
    """The least of a few times, in seconds: what the machine can do when it is left alone."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)
