"""Many independent tasks at once, on the cores of this machine or on a Dask cluster.

A *task* is a value that can be sent to another process, under a *key*: a text that stands for everything that
decides its answer. The answer is plain data and arrays of numbers, so that it can be written to a log. What
comes back is an :class:`TaskResult` for each key, in the order in which the work is done:

- Tasks run here while they are quick (``patience``, in time of the processor, so that it makes no difference
  how busy the machine is); starting processes would cost more than it saves. What is left then goes to
  processes (joblib's loky), or to the workers of a cluster (``tcp://…``). Work that frees the interpreter's
  lock, such as a compiled kernel, is shared among threads instead.
- Every answer is appended to the log as soon as it is there, with a *seal*, the hash of its key and value. A
  run that was killed goes on from its log: what is in it is not worked out again. A line that was cut off
  is not believed, nor is an entry that does not fit its seal; of the latter there is a warning. As in
  :mod:`holdfast.readings.archive`, a seal is no signature.
- A worker that dies costs its task, not the run. Which of the tasks under way it was cannot be told, so each
  of them is tried once more alone; the one that ends its worker again is given up, and its answer says so.
"""

from __future__ import annotations

import json
import os
import warnings
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from time import monotonic, process_time, sleep
from typing import Any, TypeVar

from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError, missing
from holdfast.running.files import sha256_of
from holdfast.running.processes import end_with_starter, uninterrupted

_Task = TypeVar("_Task")
Work = Callable[[_Task, Budget], Any]
"""What is done with a task, within a budget: a function of a module; its answer is plain data and arrays."""

ARRAY = "array of"
"""The key of an array of numbers in a log."""

ENTRY = b'{"key": '
"""How every line of a log begins."""

PATIENCE = 1.0
"""Seconds of the processor's time that processes take to start, about."""


@dataclass(frozen=True)
class Backend:
    """Where tasks are done.

    Attributes:
        cluster: the address of a Dask scheduler, ``tcp://HOST:PORT``; empty for this machine.
        log: a file to which answers are appended, a line of JSON each, and from which those that it already
            has are taken; None for no log.
        about: what decides the answers besides the keys of the tasks; the log is looked up by both.
        patience: seconds of the processor's time for which tasks run here before processes are started for
            those that are left.
        warn: where to say that entries of the log were not believed.
    """

    cluster: str = ""
    log: Path | None = None
    about: str = ""
    patience: float = PATIENCE
    warn: Callable[[str], None] = warnings.warn

    def with_scope(self, label: str) -> Backend:
        """With one more label on every key, for a question whose tasks share keys with those of another."""
        return replace(self, about=f"{self.about}{label} ")


@dataclass(frozen=True)
class TaskResult:
    """What came of a task: plain data, or None and why there is none."""

    value: Any
    failure: str = ""


def run_tasks(
    work: Work[_Task],
    tasks: Mapping[str, _Task],
    budget: Budget,
    backend: Backend | None = None,
    *,
    shared: bool = False,
) -> Iterator[tuple[str, TaskResult]]:
    """The answer of each task by its key, as they are ready, those from the log first.

    A limit that one task meets is its answer's ``failure``. The watcher of the budget is told how many are
    done, how many a second, and the share of the whole; also what a task says that is done here, but never
    from two threads at once. With ``shared``, threads of this process take the place of other processes.

    >>> from holdfast.budget import UNLIMITED
    >>> [(key, result.value) for key, result in run_tasks(_doubled, {"a": 1, "b": 2}, UNLIMITED)]
    [('a', 2), ('b', 4)]

    Raises:
        InputError: for a log that cannot be written or a cluster that cannot be reached.
        LimitError: when the time is over.
    """
    backend = backend or Backend()
    with ExitStack() as stack:
        known, record = stack.enter_context(_log(backend))
        known = {key: known[name] for key in tasks if (name := f"{backend.about}{key}") in known}
        fresh = {key: task for key, task in tasks.items() if key not in known}
        tally = _Tally(budget, len(tasks), len(known))
        yield from ((key, TaskResult(value)) for key, value in known.items())
        for key, answer in _worked(work, fresh, tally, backend, stack, shared):
            if not answer.failure:
                record(f"{backend.about}{key}", answer.value)
            yield key, answer  # before the clock is looked at: what is there is not lost
            tally.finish(key)


class _EndedElsewhere(BaseException):
    """What ended the run is told by another thread; no task is to take it for a limit of its own."""


class _Tally:
    """How far the tasks are, for the watcher of a budget."""

    def __init__(self, budget: Budget, n_tasks: int, n_known: int) -> None:
        self.budget, self.n_tasks, self.n_known, self.n_done = budget, n_tasks, n_known, n_known
        self.started, self.lock, self.over = monotonic(), Lock(), False
        self.fault: BaseException | None = None
        self.parts: dict[str, float] = {}

    def budget_of(self, key: str, jobs: int | None) -> Budget:
        """The budget for a task that is done here, whose share is one of all."""

        def watch(doing: str, done: float | None) -> None:
            if self.over:
                raise _EndedElsewhere
            with self.lock:
                self.parts[key] = done or self.parts.get(key, 0.0)
                unknown = done is None and self.n_tasks == 1
                self.budget.watch(doing, None if unknown else self.share)

        return replace(self.budget, jobs=jobs, watch=watch)

    @property
    def share(self) -> float:
        """The part of all tasks that is done, those under way as far as they say."""
        return (self.n_done + sum(self.parts.values())) / self.n_tasks

    def finish(self, key: str) -> None:
        """One more is done."""
        with self.lock:
            self.parts.pop(key, None)
            self.n_done += 1
            rate = (self.n_done - self.n_known) / max(1e-3, monotonic() - self.started)
            self.budget.tick(f"{self.n_done:,} of {self.n_tasks:,}, {rate:.3g} a second", self.share)


def _doubled(task: int, budget: Budget) -> int:
    return 2 * task


def _worked(
    work: Work[_Task],
    tasks: dict[str, _Task],
    tally: _Tally,
    backend: Backend,
    stack: ExitStack,
    shared: bool,
) -> Iterator[tuple[str, TaskResult]]:
    """Here while that is quick, then by workers."""
    if tasks and shared and not backend.cluster:
        yield from _by_threads(work, tasks, tally)
        return
    budget, left, started = tally.budget, dict(tasks), process_time()
    while left and not backend.cluster:
        if budget.workers > 1 and len(left) > 1 and process_time() - started > backend.patience:
            break
        key = next(iter(left))
        budget.tick()
        yield key, _outcome(work, left.pop(key), tally.budget_of(key, budget.jobs))
    if left:
        yield from _by_workers(work, left, budget, backend, stack)


def _by_threads(
    work: Work[_Task], tasks: dict[str, _Task], tally: _Tally
) -> Iterator[tuple[str, TaskResult]]:
    """All tasks in threads of this process; what ends one of them ends the others as soon as they tick.

    An interruption arrives between two ticks: a task that has passed its last one is still taken.
    """
    from joblib import delayed

    running: set[str] = set()
    done: dict[str, TaskResult] = {}

    def one(key: str, task: _Task) -> tuple[str, TaskResult]:
        own = tally.budget_of(key, 1)
        running.add(key)
        try:
            own.tick()
            done[key] = _outcome(work, task, own)
            return key, done[key]
        except BaseException as fault:
            if not isinstance(fault, _EndedElsewhere):
                tally.fault = tally.fault or fault
            tally.over = True  # at once, so that no other task begins before the exception arrives
            raise
        finally:
            running.discard(key)

    calls = (delayed(one)(key, task) for key, task in tasks.items())
    try:
        for key, answer in _parallel(calls, tally.budget.workers, "threading"):
            yield key, done.pop(key, answer)
    except (KeyboardInterrupt, _EndedElsewhere) as end:
        tally.over = True
        while running:
            sleep(0.005)
        yield from done.items()
        raise (tally.fault or end) from None
    finally:
        tally.over = True


def _outcome(work: Work[_Task], task: _Task, budget: Budget) -> TaskResult:
    """One task done here; the end of the whole time is nobody's failure."""
    try:
        return TaskResult(work(task, budget))
    except LimitError as limit:
        budget.tick()
        return TaskResult(None, str(limit))


def _remote(
    work: Work[_Task], key: str, task: _Task, budget: Budget, seconds: float
) -> tuple[str, TaskResult]:
    """One task in a worker, whose clock is its own."""
    try:
        return key, TaskResult(work(task, replace(budget, deadline=monotonic() + seconds)))
    except LimitError as limit:
        return key, TaskResult(None, str(limit))


def _by_workers(
    work: Work[_Task], tasks: dict[str, _Task], budget: Budget, backend: Backend, stack: ExitStack
) -> Iterator[tuple[str, TaskResult]]:
    """All tasks, those that were under way when a worker died once more alone."""
    n_workers = budget.workers
    if backend.cluster:
        n_workers = stack.enter_context(_cluster(backend.cluster))
    own = Budget(budget.memory // max(1, n_workers), jobs=1, over=budget.over)
    left, suspects = dict(tasks), dict[str, _Task]()
    while left or suspects:
        alone = not left
        if alone:
            key = next(iter(suspects))
            left[key] = suspects.pop(key)
        handed: dict[str, _Task] = {}
        calls = _calls(work, left, handed, own, budget)
        try:
            for key, answer in _parallel(calls, n_workers, "dask" if backend.cluster else "loky"):
                del handed[key]
                yield key, answer
        except _deaths():
            if alone:
                yield from ((key, TaskResult(None, "its worker process died, twice")) for key in handed)
            else:
                suspects |= handed


def _calls(
    work: Work[_Task], left: dict[str, _Task], handed: dict[str, _Task], own: Budget, budget: Budget
) -> Iterator[Any]:
    """Calls for joblib, which takes them as workers are free: from ``left`` to ``handed``."""
    from joblib import delayed

    while left:
        key = next(iter(left))
        handed[key] = task = left.pop(key)
        yield delayed(_remote)(work, key, task, own, budget.seconds)


def _parallel(calls: Iterable[Any], n_workers: int, backend: str) -> Iterator[tuple[str, TaskResult]]:
    from joblib import Parallel, parallel_config

    # joblib runs a single job in this very process; a task that is tried alone must not end it.
    n_jobs = -1 if backend == "dask" else max(2, n_workers)
    ahead = n_workers if backend == "threading" else 2 * max(2, n_workers)
    begin = {"initializer": end_with_starter, "initargs": (os.getpid(),)} if backend == "loky" else {}
    with parallel_config(backend=backend, n_jobs=n_jobs, **begin):
        run = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch=ahead)
        with _started_quietly() if backend == "loky" else nullcontext():
            results = run(calls)
        try:
            for answer in results:  # noqa: UP028  closing is ours to do
                yield answer
        finally:
            with warnings.catch_warnings():  # who leaves early knows that some tasks are not done
                warnings.simplefilter("ignore")
                results.close()


@contextmanager
def _started_quietly() -> Iterator[None]:
    """Processes of joblib that hear no Ctrl-C, and of which the one that clears up does so without a word."""
    from joblib.externals.loky.backend import resource_tracker

    quiet = "ignore::UserWarning:joblib.externals.loky.backend.resource_tracker"
    already = os.environ.get("PYTHONWARNINGS", "")
    if quiet not in already:
        os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (already, quiet)))
    with uninterrupted(resource_tracker):
        yield


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
        raise InputError(missing("Dask", "cluster", "a cluster")) from None
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
def _log(backend: Backend) -> Iterator[tuple[dict[str, Any], Callable[[str, Any], None]]]:
    """(What the log already has by key, how to add to it)."""
    if backend.log is None:
        yield {}, lambda key, value: None
        return
    path = backend.log
    try:
        known, n_damaged = _entries(path) if path.exists() else ({}, 0)
        if n_damaged:
            them = "1 entry was" if n_damaged == 1 else f"{n_damaged:,} entries were"
            backend.warn(
                f"{path}: {them} damaged or edited: seal and contents do not match; it is computed again"
            )
        if not known and not _may_become_a_log(path):
            raise InputError(f"{path} is not a log; name another file")
        with path.open("ab") as file:
            if path.stat().st_size and not _ends_in_newline(path):
                file.write(b"\n")

            def record(key: str, value: Any) -> None:
                text = json.dumps(value, default=_packed)
                seal = sha256_of(json.dumps([key, text]))
                file.write(f'{{"key": {json.dumps(key)}, "value": {text}, "seal": "{seal}"}}\n'.encode())
                file.flush()

            yield known, record
    except OSError as error:
        raise InputError(f"{path}: cannot keep the log: {error.strerror or error}") from None


def _entries(path: Path) -> tuple[dict[str, Any], int]:
    """The answers that a log has by key, and how many of its entries do not fit their seal.

    A line that was cut off is skipped: that is how a run that was killed leaves its log.
    """
    known: dict[str, Any] = {}
    n_damaged = 0
    with path.open("rb") as file:
        for line in file:
            try:
                entry = json.loads(line)
                key, text = entry["key"], json.dumps(entry["value"])
                if entry["seal"] != sha256_of(json.dumps([key, text])):
                    raise ValueError
                known[key] = json.loads(text, object_hook=_unpacked)
            except (KeyError, RecursionError, TypeError, ValueError):
                n_damaged += line.startswith(ENTRY) and line.rstrip().endswith(b"}")
    return known, n_damaged


def _may_become_a_log(path: Path) -> bool:
    """Whether nothing is lost by adding to it: there is nothing, or an entry that was cut off."""
    if not path.exists():
        return True
    with path.open("rb") as file:
        first = file.read(len(ENTRY))
    return ENTRY.startswith(first)


def _packed(array: Any) -> dict[str, Any]:
    """An array of numbers for the log, bit for bit."""
    return {ARRAY: [array.dtype.str, list(array.shape), b64encode(array.tobytes()).decode()]}


def _unpacked(entry: dict[str, Any]) -> Any:
    if set(entry) != {ARRAY}:
        return entry
    import numpy as np

    kind, shape, data = entry[ARRAY]
    return np.frombuffer(b64decode(data), dtype=kind).reshape(shape).copy()


def _ends_in_newline(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def whole(found: Iterable[tuple[str, TaskResult]]) -> dict[str, Any]:
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
