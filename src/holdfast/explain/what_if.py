"""Changed configurations, solved one after the other while their time lasts."""

from __future__ import annotations

import math
import time

from holdfast.engines import solve
from holdfast.engines.quotient import MEMORY, Progress, silent
from holdfast.errors import LimitError
from holdfast.product import Configuration
from holdfast.solution import Solution


class WhatIf:
    """A solver with limited patience.

    Args:
        engine, memory: see :func:`holdfast.engines.solve`.
        progress: called often with a few words.
        seconds: time in all, from the first configuration on.
    """

    def __init__(
        self,
        engine: str = "auto",
        memory: int = MEMORY,
        progress: Progress = silent,
        seconds: float = math.inf,
    ) -> None:
        """The time starts with the first configuration."""
        self.engine, self.memory, self.told, self.seconds = engine, memory, progress, seconds
        self.deadline: float | None = None
        self.n_solved = 0

    def solve(self, configuration: Configuration) -> Solution:
        """Solve one more configuration.

        Raises:
            LimitError: when the time is over, or a limit of the engine is met.
        """
        if self.deadline is None:
            self.deadline = time.monotonic() + self.seconds
        self.n_solved += 1
        self.progress("")
        return solve(configuration, self.engine, self.progress, self.memory)

    def progress(self, doing: str) -> None:
        """Say what is being done, and stop when the time is over."""
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise LimitError(f"the {self.seconds:g} s for trying changes were over")
        self.told(f"what if, {self.n_solved}: {doing}")
