"""Processes that are ended from outside when they are past their limits: when, what they hold, and how.

What is asked of the system is there on Linux (``/proc``, ``prctl``); elsewhere nothing is known and nothing
is done.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

_SLACK, _LATE = 1.15, 1.0

_PR_SET_PDEATHSIG = 1

LOOK = 0.2
"""Seconds between two looks whether the parent is still there."""


def patience_with(seconds: float) -> float:
    """Seconds after which a process that was given so many is ended: it may be a little late by itself."""
    return _SLACK * seconds + _LATE


def family_of(pid: int) -> list[int]:
    """A process and all below it."""
    family = [pid]
    for one in family:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/children", encoding="ascii") as children:
                    family += map(int, children.read().split())
    return family


def kill(pids: Iterable[int]) -> None:
    """End processes at once, as far as they are still there."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def memory_of(pid: int) -> int:
    """Bytes of its own that a process holds in memory; the code of libraries is not counted.

    0 where that cannot be told: for a process that is gone, and where there is no ``/proc``.
    """
    with suppress(OSError, ValueError), open(f"/proc/{pid}/statm", encoding="ascii") as file:
        _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    return 0


@contextmanager
def uninterrupted(tracker: Any) -> Iterator[None]:
    """Processes that this thread starts meanwhile hear no Ctrl-C: that is for this one, which ends them.

    Args:
        tracker: the module that starts the process that clears up after the others; to start it would let
            Ctrl-C through again, so that is done first.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_starter(parent: int) -> None:
    """End this process soon after its parent is gone, whichever thread of the parent started it."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def end_with_parent() -> None:
    """Ask the system to end this process when its parent is gone, so that nothing is left running."""
    with suppress(OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
