"""Ctrl-C while a command runs: one exception, whichever way and however often it arrives."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Any

from holdfast.apps.cli.app import INTERRUPTED
from holdfast.running import interruption_arrived

AT_ONCE = 0.5
"""Seconds within which a second interruption is the first once more, told by another process of the group."""

_first: float | None = None
"""When the first interruption came."""


def interrupt(number: int, frame: object) -> None:
    """The handler: the first interruption is an exception; one that comes later ends the process.

    Raises:
        KeyboardInterrupt: the first time.
    """
    global _first
    if _first is None:
        _first = time.monotonic()
        interruption_arrived()
        raise KeyboardInterrupt
    if time.monotonic() - _first > AT_ONCE:
        os.write(2, b"stopped\n")
        os._exit(INTERRUPTED)


def lost(unraisable: Any) -> None:
    """An exception where none can be raised, as when something is deleted: an interruption comes again."""
    error = unraisable.exc_value
    if isinstance(error, KeyboardInterrupt):
        pause = 0.01
        while True:  # on a busy machine it can come again before this has returned
            try:
                return threading.Timer(pause, _again).start()
            except KeyboardInterrupt:
                pause *= 2
    elif isinstance(error, SystemExit):
        os._exit(error.code if isinstance(error.code, int) else 1)
    else:
        sys.__unraisablehook__(unraisable)


def _again() -> None:
    global _first
    _first = None
    os.kill(os.getpid(), signal.SIGINT)
