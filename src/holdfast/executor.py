"""Many independent tasks at once, on the cores of this machine or on a Dask cluster.

A *task* is a value that can be sent to another process, under a *key*: a text that stands for everything that
decides its answer. The answer is plain data, so that it can be written to a log. What comes back is an
:class:`Answer` for each key, in the order in which the work is done:

- Tasks run here while they are quick (``patience``); starting processes would cost more than it saves.
  What is left then goes to processes (joblib's loky), or to the workers of a cluster (``tcp://…``).
- Every answer is appended to the log as soon as it is there. A run that was killed goes on from its log: what
  is in it is not worked out again. A last line that was cut off is not believed.
- A worker that dies costs its task, not the run. Which of the tasks under way it was cannot be told, so each
  of them is tried once more alone; the one that ends its worker again is given up, and its answer says so.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError

Task = TypeVar("Task")
Work = Callable[[Task, Budget], Any]
"""What is done with a task, within a budget: a function of a module, whose answer is plain data."""

PATIENCE = 1.0
"""Seconds that processes take to start, about."""


@dataclass(frozen=True)
class Workplace:
    """Where tasks are done.

    Attributes:
        cluster: the address of a Dask scheduler, ``tcp://HOST:PORT``; empty for this machine.
        log: a file to which answers are appended, a line of JSON each, and from which those that it already
            has are taken; None for no log.
        about: what decides the answers besides the keys of the tasks; the log is looked up by both.
        patience: seconds for which tasks run here before processes are started for those that are left.
    """

    cluster: str = ""
    log: Path | None = None
    about: str = ""
    patience: float = PATIENCE


@dataclass(frozen=True)
class Answer:
    """What came of a task: plain data, or None and why there is none."""

    value: Any
    failure: str = ""


def answers(
    work: Work[Task], tasks: Mapping[str, Task], budget: Budget, workplace: Workplace | None = None
) -> Iterator[tuple[str, Answer]]:
    """The answer of each task by its key, as they are ready, those from the log first.

    A limit that one task meets is its answer's ``failure``. The watcher of the budget is told how many are
    done, how many a second, and the share.

    >>> from holdfast.budget import UNLIMITED
    >>> [(key, answer.value) for key, answer in answers(_doubled, {"a": 1, "b": 2}, UNLIMITED)]
    [('a', 2), ('b', 4)]

    Raises:
        InputError: for a log that cannot be written or a cluster that cannot be reached.
        LimitError: when the time is over.
    """
    workplace = workplace or Workplace()
    with ExitStack() as stack:
        known, record = stack.enter_context(_log(workplace))
        done, started = 0, monotonic()
        known = {key: known[name] for key in tasks if (name := f"{workplace.about}{key}") in known}
        fresh = {key: task for key, task in tasks.items() if key not in known}
        for key, value in known.items():
            done += 1
            yield key, Answer(value)
        n_known = done
        for key, answer in _worked(work, fresh, budget, workplace, stack):
            done += 1
            if not answer.failure:
                record(f"{workplace.about}{key}", answer.value)
            rate = (done - n_known) / max(1e-3, monotonic() - started)
            budget.tick(f"{done:,} of {len(tasks):,}, {rate:.3g} a second", done / len(tasks))
            yield key, answer


def _doubled(task: int, budget: Budget) -> int:
    return 2 * task


def _worked(
    work: Work[Task], tasks: dict[str, Task], budget: Budget, workplace: Workplace, stack: ExitStack
) -> Iterator[tuple[str, Answer]]:
    """Here while that is quick, then by workers."""
    left, started = dict(tasks), monotonic()
    while left and not workplace.cluster:
        if budget.workers > 1 and len(left) > 1 and monotonic() - started > workplace.patience:
            break
        key = next(iter(left))
        budget.tick()
        yield key, _outcome(work, left.pop(key), budget)
    if left:
        yield from _by_workers(work, left, budget, workplace, stack)


def _outcome(work: Work[Task], task: Task, budget: Budget) -> Answer:
    """One task done; the end of the whole time is nobody's failure."""
    try:
        return Answer(work(task, budget))
    except LimitError as limit:
        budget.tick()
        return Answer(None, str(limit))


def _remote(work: Work[Task], key: str, task: Task, budget: Budget, seconds: float) -> tuple[str, Answer]:
    """One task in a worker, whose clock is its own."""
    try:
        return key, Answer(work(task, replace(budget, deadline=monotonic() + seconds)))
    except LimitError as limit:
        return key, Answer(None, str(limit))


def _by_workers(
    work: Work[Task], tasks: dict[str, Task], budget: Budget, workplace: Workplace, stack: ExitStack
) -> Iterator[tuple[str, Answer]]:
    """All tasks, those that were under way when a worker died once more alone."""
    n_workers = budget.workers
    if workplace.cluster:
        n_workers = stack.enter_context(_cluster(workplace.cluster))
    own = Budget(budget.memory // max(1, n_workers), jobs=1, over=budget.over)
    left, suspects = dict(tasks), dict[str, Task]()
    while left or suspects:
        alone = not left
        if alone:
            key = next(iter(suspects))
            left[key] = suspects.pop(key)
        handed: dict[str, Task] = {}
        calls = _calls(work, left, handed, own, budget)
        try:
            for key, answer in _parallel(calls, n_workers, bool(workplace.cluster)):
                del handed[key]
                yield key, answer
        except _deaths():
            if alone:
                yield from ((key, Answer(None, "its worker process died, twice")) for key in handed)
            else:
                suspects |= handed


def _calls(
    work: Work[Task], left: dict[str, Task], handed: dict[str, Task], own: Budget, budget: Budget
) -> Iterator[Any]:
    """Calls for joblib, which takes them as workers are free: from ``left`` to ``handed``."""
    from joblib import delayed

    while left:
        key = next(iter(left))
        handed[key] = task = left.pop(key)
        yield delayed(_remote)(work, key, task, own, budget.seconds)


def _parallel(calls: Iterable[Any], n_workers: int, cluster: bool) -> Iterator[tuple[str, Answer]]:
    from joblib import Parallel, parallel_config

    # joblib runs a single job in this very process; a task that is tried alone must not end it.
    n_jobs = -1 if cluster else max(2, n_workers)
    with parallel_config(backend="dask" if cluster else "loky", n_jobs=n_jobs):
        run = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch=2 * max(2, n_workers))
        found = run(calls)
        try:
            for answer in found:  # noqa: UP028  closing is ours to do
                yield answer
        finally:
            with warnings.catch_warnings():  # who leaves early knows that some tasks are not done
                warnings.simplefilter("ignore")
                found.close()


def _deaths() -> tuple[type[BaseException], ...]:
    """What joblib and Dask raise when a worker has died under a task."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with suppress(ImportError):
        from distributed import KilledWorker

        return TerminatedWorkerError, KilledWorker
    return (TerminatedWorkerError,)


@contextmanager
def _cluster(address: str) -> Iterator[int]:
    """A connection to a scheduler; how many tasks its workers take at once."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError("a cluster needs Dask: pip install 'holdfast[cluster]'") from None
    try:
        client = Client(address, timeout="10s", set_as_default=True)
    except (OSError, ValueError) as error:
        raise InputError(
            f"no Dask scheduler answers at {address}: {error}; expected tcp://HOST:PORT"
        ) from None
    try:
        n_threads = sum(client.nthreads().values())
        if not n_threads:
            raise InputError(f"the Dask scheduler at {address} has no workers; start some with `dask worker`")
        yield n_threads
    finally:
        client.close()


@contextmanager
def _log(workplace: Workplace) -> Iterator[tuple[dict[str, Any], Callable[[str, Any], None]]]:
    """(What the log already has by key, how to add to it)."""
    if workplace.log is None:
        yield {}, lambda key, value: None
        return
    path = workplace.log
    try:
        known = dict(_entries(path)) if path.exists() else {}
        with path.open("ab") as file:
            if path.stat().st_size and not _ends_in_newline(path):
                file.write(b"\n")

            def record(key: str, value: Any) -> None:
                file.write(json.dumps({"key": key, "value": value}).encode() + b"\n")
                file.flush()

            yield known, record
    except OSError as error:
        raise InputError(f"{path}: cannot keep the log: {error.strerror or error}") from None


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    """The answers that a log has; a line that was cut off is skipped."""
    with path.open("rb") as file:
        for line in file:
            with suppress(ValueError, KeyError, TypeError):
                entry = json.loads(line)
                yield str(entry["key"]), entry["value"]


def _ends_in_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def whole(found: Iterable[tuple[str, Answer]]) -> dict[str, Any]:
    """All answers by key, for a search that needs every one of them.

    Raises:
        LimitError: when one of them failed.
    """
    values: dict[str, Any] = {}
    for key, answer in found:
        if answer.failure:
            raise LimitError(answer.failure)
        values[key] = answer.value
    return values
