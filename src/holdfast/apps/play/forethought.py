"""Perfect play worked out beside a play that goes on: nobody has to wait for it at the board.

The work runs in a thread of its own, within its budget, and ends when it is told that nobody is waiting for
it any more. Whoever waits for it at first sees how it goes; later it is silent.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.budget import Budget
from holdfast.errors import LimitError

if TYPE_CHECKING:
    from holdfast.operation import ValuePlay

SECONDS_TO_LEAVE = 2.0
"""So long an operation of the diagrams may go on before the thread is left to itself."""


class Forethought:
    """What is found out about perfect play while somebody plays; it begins when it is made."""

    def __init__(self, work: Callable[[Budget], ValuePlay | None], budget: Budget) -> None:
        self._work, self._budget = work, budget
        self._found: ValuePlay | None = None
        self._failure: BaseException | None = None
        self._over, self._left, self._shown = threading.Event(), threading.Event(), threading.Event()
        self._shown.set()
        self._thread = threading.Thread(target=self._run, name="forethought", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether the work has ended."""
        return self._over.is_set()

    def awaited(self, seconds: float) -> bool:
        """Wait for so many seconds at most, with progress shown; whether the work is over."""
        try:
            self._over.wait(seconds)
        except BaseException:
            self.leave()
            raise
        finally:
            self._shown.clear()
        return self.is_over

    def outcome(self) -> ValuePlay | None:
        """What the work came to, once it is over; None where it came to nothing in time.

        Raises:
            ModelError: for a reset that is refused; and whatever else the work failed with.
        """
        assert self.is_over
        if self._failure is not None:
            raise self._failure
        return self._found

    def leave(self) -> None:
        """End the work, since nobody is waiting for it any more."""
        self._left.set()
        self._thread.join(SECONDS_TO_LEAVE)

    def _run(self) -> None:
        try:
            self._found = self._work(replace(self._budget, watch=self._watch))
        except LimitError:
            pass
        except BaseException as error:
            self._failure = error
        finally:
            self._over.set()

    def _watch(self, doing: str, done: float | None) -> None:
        if self._left.is_set():
            raise LimitError("nobody is waiting for it any more")
        if self._shown.is_set():
            self._budget.watch(doing, done)
