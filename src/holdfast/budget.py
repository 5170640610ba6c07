"""What a piece of work may use: memory, time and cores, and who is told how it goes.

One :class:`Budget` travels from the command line down to every loop. A loop calls :meth:`Budget.tick` often;
past the deadline that raises :class:`~holdfast.errors.LimitError`, so that whoever asked gets what is known
by then. A part of the work gets a part of the time with :meth:`Budget.share`.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from holdfast.errors import InputError, LimitError

GIB = 2**30

Watch = Callable[[str, float | None], None]
"""Called often with a few words on what is being done, and the share that is done, where that is known."""


def unwatched(doing: str, done: float | None) -> None:
    """The watcher of work that nobody follows."""


@dataclass(frozen=True)
class Budget:
    """Limits of one piece of work.

    Attributes:
        memory: bytes that may be held at once.
        deadline: when to stop, on the clock of :func:`time.monotonic`.
        jobs: how many cores; None for all of them.
        over: what is said when the deadline has passed.
        watch: see :data:`Watch`; what it raises ends the work too.

    Raises:
        InputError: for less than one job.

    >>> Budget.lasting(0.0).tick("solving")
    Traceback (most recent call last):
    holdfast.errors.LimitError: stopped after 0 s
    """

    memory: int = 4 * GIB
    deadline: float = math.inf
    jobs: int | None = None
    over: str = "the time ran out"
    watch: Watch = field(default=unwatched, repr=False)

    def __post_init__(self) -> None:
        """Refuse what cannot be worked with."""
        if self.jobs is not None and self.jobs < 1:
            raise InputError(f"jobs is {self.jobs}; expected how many cores may be used, at least 1")

    @classmethod
    def lasting(
        cls, seconds: float | None, why: str = "", memory: int = 4 * GIB, jobs: int | None = None
    ) -> Budget:
        """A budget that lasts for so many seconds from now, without end if None; ``why`` says who asks."""
        if seconds is None:
            return cls(memory, jobs=jobs)
        over = f"stopped after {seconds:g} s" + (f", as {why} asks" if why else "")
        return cls(memory, time.monotonic() + seconds, jobs, over)

    @property
    def seconds(self) -> float:
        """The time that is left."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def workers(self) -> int:
        """How many cores may be used."""
        return self.jobs if self.jobs is not None else os.cpu_count() or 1

    def tick(self, doing: str = "", done: float | None = None) -> None:
        """Say what is being done, and stop when the time is over.

        Raises:
            LimitError: past the deadline.
        """
        if time.monotonic() >= self.deadline:
            raise LimitError(self.over)
        self.watch(doing, done)

    def share(self, part: float, at_most: float = math.inf) -> Budget:
        """A share of the time that is left, and no more than ``at_most`` seconds, for a part of the work."""
        seconds = min(part * self.seconds, at_most)
        if math.isinf(seconds):
            return self
        return replace(self, deadline=time.monotonic() + seconds, over=f"its {seconds:.3g} s ran out")

    def within(self, steps: int) -> Budget:
        """This budget for work of at most so many steps, each a tick; unlike seconds, the same everywhere.

        >>> Budget().within(0).tick("solving")
        Traceback (most recent call last):
        holdfast.errors.LimitError: stopped after 0 steps
        """
        left = steps

        def watch(doing: str, done: float | None) -> None:
            nonlocal left
            if left == 0:
                raise LimitError(f"stopped after {steps:,} steps")
            left -= 1
            self.watch(doing, done)

        return replace(self, watch=watch)

    def part(self, label: str, low: float = 0.0, high: float = 1.0) -> Budget:
        """This budget for one of several tasks: its words under a label, its share from low to high."""

        def watch(doing: str, done: float | None) -> None:
            text = f"{label}: {doing}" if label and doing else label or doing
            self.watch(text, None if done is None else low + (high - low) * done)

        return replace(self, watch=watch)


def size_in_words(n_bytes: int) -> str:
    """A size of memory, in the unit that fits it.

    >>> size_in_words(3 * GIB // 2), size_in_words(5_000_000), size_in_words(700)
    ('1.5 GiB', '4.77 MiB', '700 bytes')
    """
    for unit, size in (("GiB", GIB), ("MiB", 2**20), ("KiB", 2**10)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3g} {unit}" if n_bytes < 1000 * size else f"{n_bytes // size:,} {unit}"
    return f"{n_bytes} bytes"


UNLIMITED = Budget()
"""No deadline, the usual memory, all cores, and nobody watching."""
