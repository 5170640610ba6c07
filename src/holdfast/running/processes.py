"""Processes that are ended from outside when they are past their limits: how late, and what they hold.

What is asked of the system is there on Linux (``/proc``, ``prctl``); elsewhere nothing is known and nothing
is done.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

SLACK, LATE = 1.15, 1.0
"""A process has this many times its time, and so many seconds more, to end by itself."""

_PR_SET_PDEATHSIG = 1


def memory_of(pid: int) -> int:
    """Bytes of its own that a process holds in memory; the code of libraries is not counted.

    0 where that cannot be told: for a process that is gone, and where there is no ``/proc``.
    """
    with suppress(OSError, ValueError), open(f"/proc/{pid}/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0


def end_with_parent() -> None:
    """Ask the system to end this process when its parent is gone, so that nothing is left running."""
    with suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
