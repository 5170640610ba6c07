"""Tasks for the executor, in a module that loads little: every process that is given one imports it."""

import os
import signal
import time
from pathlib import Path

from holdfast.errors import LimitError


def square(task, budget):
    return task * task


def place(task, budget):
    """Where a task is done; slow enough that both workers get some."""
    time.sleep(0.02)
    return os.getpid()


def fatal(task, budget):
    if task < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def fatal_once(task, budget):
    """Ends its worker the first time, by a mark in a folder."""
    folder, n = task
    mark = Path(folder) / f"died-{n}"
    if n == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return n


def limited(task, budget):
    if task == 2:
        raise LimitError("too large")
    return task


def slow(task, budget):
    while True:
        budget.tick()
        time.sleep(0.01)


def halves(task, budget):
    import numpy as np

    budget.tick("first half", 0.5)
    return np.array([task, 0.1 * task])


def killed_on_the_way(task, budget):
    """The first worker to come here is ended, once."""
    folder, n = task
    if n == 4:
        try:
            (Path(folder) / "killed").mkdir()
        except FileExistsError:
            return n
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return n


def kept_busy(task, budget):
    """Says in a folder which process it is, and never ends."""
    (Path(task) / str(os.getpid())).touch()
    time.sleep(1000)
