"""Worker processes that can be ended, and who gets one.

Workers are forked from a small server process that has loaded everything (multiprocessing's forkserver), so
that a new one costs milliseconds; where there is no such thing they are spawned. Until that process has
loaded everything, which takes seconds, workers are spawned and load what their question needs: the first
answer does not wait. They are replaced when there are better ones. A task goes to the worker that knows its
design already, if that one is free. Kinds of work leave room for the quicker kinds: a training never keeps an
edit waiting.

A task ends early when it is taken back: by its client, who went away, or by a newer task of the same window
and topic. The worker is told, and is ended if it does not stop within a moment. It is ended too when it is
well past its time, or holds more memory than it may.
"""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
from collections import deque
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import IntEnum
from itertools import count
from multiprocessing import resource_tracker
from typing import Any

from holdfast.apps.studio.bench import Task, told, work
from holdfast.budget import GIB, size_in_words
from holdfast.running import memory_of, patience_with, uninterrupted

PRELOADED = ["__main__", "holdfast.apps.studio.kit"]
"""What the server process of the workers loads before it forks any."""

STARTED = 2
"""Workers at the beginning; more are started when they are needed."""

LEAST = 5
"""Workers that there may be on any machine: of three long questions none waits for another."""

LINE = 64
"""Tasks that may wait for a worker."""

PATIENCE = 0.3
"""Seconds that a worker has to stop when it is told to."""

HEAD_START = 4.0
"""Seconds that the first answer has the processor to itself, at most, before all workers are made ready."""

LOOK = 0.1
"""Seconds between two looks at the memory and the time of a worker."""

ROOM, FRESH = GIB // 2, GIB
"""Bytes that a worker may hold past the task's; and what it may hold after a task without being replaced."""


class Urgency(IntEnum):
    """Kinds of work: those that answer while a person types, those that follow each change, long ones."""

    QUICK = 0
    STEADY = 1
    LONG = 2


class Refusal(Exception):  # noqa: N818 - it is an answer
    """An answer that is an error: a status of HTTP and an object."""

    def __init__(self, status: int, answer: dict[str, Any]) -> None:
        super().__init__(status)
        self.status, self.answer = status, answer


class WorkerLost(Refusal):
    """The worker of a question ended by itself."""


SUPERSEDED = 409, told("superseded by a newer request")


class QueuedTask:
    """A task on its way: who asked, how urgent it is, and the event of its being taken back."""

    def __init__(self, task: Task, urgency: Urgency, about: tuple[str, str] | None) -> None:
        self.task, self.urgency, self.about = task, urgency, about
        self.key = hash((task.body.get("scenario"), task.body.get("variant")))
        self.taken_back = asyncio.Event()


class Worker:
    """A process, its pipe, and what it knows."""

    def __init__(self, context: Any, cold: bool = False) -> None:
        self.cold = cold
        self.unwanted = context.RawValue(ctypes.c_longlong, 0)
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other, self.unwanted), daemon=True)
        with uninterrupted(resource_tracker):
            self.process.start()
        other.close()
        self.ended = False
        self.knows: deque[int] = deque(maxlen=8)
        self.order: QueuedTask | None = None

    def memory(self) -> int:
        """Bytes of its own that the process holds; 0 where that cannot be told."""
        return memory_of(self.process.pid or 0)

    @property
    def is_gone(self) -> bool:
        """Whether the process has ended, or was told to a moment ago."""
        return self.ended or not self.process.is_alive()

    def end(self) -> None:
        """End the process at once; a thread that listens to its pipe then hears the end of it."""
        self.ended = True
        with suppress(OSError, ValueError):
            self.process.kill()


class WorkerPool:
    """The workers of a server, to be used inside its event loop."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most or max(LEAST, os.cpu_count() or 1)
        kind = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self.context: Any = multiprocessing.get_context(kind)
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a fork copies no threads
        if kind == "forkserver":
            self.context.set_forkserver_preload(PRELOADED)
        self.threads = ThreadPoolExecutor(self.most + 2, "studio")
        self.workers: list[Worker] = []
        self.current: dict[tuple[str, str], QueuedTask] = {}
        self.numbers = count(1)
        self.changed = asyncio.Condition()
        self.n_waiting = 0
        self.closed = False
        self.warm, self.answered = kind != "forkserver", asyncio.Event()

    async def open(self) -> None:
        """Start the first workers: one at once, those that have everything loaded when they can be had."""
        if not self.warm:
            await self._start()
            with suppress(TimeoutError):
                await asyncio.wait_for(self.answered.wait(), HEAD_START)
            try:
                await asyncio.get_running_loop().run_in_executor(self.threads, self._forked)
            finally:
                self.warm = True
        while len(self.workers) < STARTED:
            await self._start()

    def _forked(self) -> None:
        """Have the server process of the workers load everything: its first worker waits for that."""
        with suppress(OSError, EOFError):
            self.workers.append(Worker(self.context))

    async def close(self) -> None:
        """End all workers."""
        self.closed = True
        for worker in self.workers:
            worker.end()
        async with self.changed:
            self.changed.notify_all()
        await asyncio.to_thread(self._join)
        self.threads.shutdown(wait=False, cancel_futures=True)

    def _join(self) -> None:
        for worker in self.workers:
            worker.process.join(2.0)

    async def answers(
        self,
        question: str,
        body: dict[str, Any],
        seconds: float,
        memory: int,
        urgency: Urgency,
        about: tuple[str, str] | None = None,
    ) -> AsyncGenerator[tuple[str, Any], None]:
        """The messages of a worker for a question: ``item`` for each part of a stream, at last ``done``.

        Closing the iterator takes the task back.

        Raises:
            Refusal: for an answer that is an error.
        """
        order = QueuedTask(Task(next(self.numbers), question, body, seconds, memory), urgency, about)
        if about is not None:
            if (older := self.current.get(about)) is not None:
                older.taken_back.set()
                async with self.changed:
                    self.changed.notify_all()
            self.current[about] = order
        try:
            for n_tries in (1, 2):  # whose worker is lost before it said anything gets another one
                worker, spoken = await self._hired(order), False
                try:
                    async for message in self._talk(worker, order):
                        spoken = True
                        yield message
                    return
                except WorkerLost:
                    if spoken or n_tries == 2:
                        raise
                finally:
                    await asyncio.shield(self._released(worker, order))
        finally:
            if about is not None and self.current.get(about) is order:
                del self.current[about]

    # -- hiring ---------------------------------------------------------------------------------

    async def _hired(self, order: QueuedTask) -> Worker:
        """A worker for an order, waited for in line."""
        if self.n_waiting >= LINE:
            raise Refusal(429, told("too many questions at once; wait for some of the answers"))
        self.n_waiting += 1
        try:
            async with self.changed:
                while True:
                    if self.closed:
                        raise Refusal(503, told("the studio is closing"))
                    if order.taken_back.is_set():
                        raise Refusal(*SUPERSEDED)
                    if self._may_begin(order) and (worker := await self._free(order)) is not None:
                        worker.order = order
                        return worker
                    await self.changed.wait()
        finally:
            self.n_waiting -= 1

    def _may_begin(self, order: QueuedTask) -> bool:
        """Whether enough workers are left for more urgent work."""
        alike = sum(w.order is not None and w.order.urgency >= order.urgency for w in self.workers)
        return alike < self.most - order.urgency

    async def _free(self, order: QueuedTask) -> Worker | None:
        """A worker without work, the one that knows the design if there is one; a new one if there may be."""
        free = [worker for worker in self.workers if worker.order is None]
        for worker in free:
            if worker.is_gone:
                worker.end()
                self.workers.remove(worker)
        free = [worker for worker in free if worker in self.workers]
        if not free and len(self.workers) < self.most:
            free = [await self._start()]
        return max(free, key=lambda worker: order.key in worker.knows, default=None)

    async def _start(self) -> Worker:
        cold = not self.warm
        context = multiprocessing.get_context("spawn") if cold else self.context
        try:
            worker = await asyncio.get_running_loop().run_in_executor(self.threads, Worker, context, cold)
        except (OSError, EOFError) as error:
            raise Refusal(503, told(f"no worker process could be started: {error}")) from None
        self.workers.append(worker)
        return worker

    async def _released(self, worker: Worker, order: QueuedTask) -> None:
        """The worker is free again; one that is gone or has grown is replaced."""
        self.answered.set()
        async with self.changed:
            worker.order = None
            if worker.is_gone or worker.memory() > FRESH or (worker.cold and self.warm):
                worker.end()
                if worker in self.workers:
                    self.workers.remove(worker)
                if not self.closed and len(self.workers) < STARTED:
                    await self._start()
            self.changed.notify_all()

    # -- talking --------------------------------------------------------------------------------

    async def _talk(self, worker: Worker, order: QueuedTask) -> AsyncGenerator[tuple[str, Any], None]:
        """Give a worker its task and hand on what it says, until it is done or has to be ended."""
        loop, task = asyncio.get_running_loop(), order.task
        finished = False
        worker.knows.append(order.key)
        try:
            listening = None
            await loop.run_in_executor(self.threads, worker.pipe.send, task)
            last = loop.time() + patience_with(task.seconds)
            while True:
                listening = listening or loop.run_in_executor(self.threads, worker.pipe.recv)
                await asyncio.wait({listening}, timeout=LOOK)
                if order.taken_back.is_set() and not listening.done():
                    raise Refusal(*SUPERSEDED)
                if not listening.done():
                    _check(worker, task, loop.time() > last)
                    continue
                kind, message = listening.result()
                listening = None
                if kind == "ready":
                    continue
                finished = kind != "item"
                if kind == "failed":
                    raise Refusal(*message)
                if kind == "unwanted":
                    raise Refusal(*SUPERSEDED)
                if (
                    isinstance(message, dict) and "said" in message
                ):  # an edited text, whose design it has read
                    worker.knows.append(hash((message["scenario"], message["variant"])))
                yield kind, message
                if finished:
                    return
        except (EOFError, OSError):
            finished = True
            worker.end()
            raise WorkerLost(503, told("the worker for this question ended unexpectedly")) from None
        finally:
            if not finished:
                await asyncio.shield(self._stopped(worker, task, listening))

    async def _stopped(self, worker: Worker, task: Task, listening: Any) -> None:
        """Tell a worker that its task is unwanted, and end it if it does not stop."""
        loop = asyncio.get_running_loop()
        worker.unwanted.value = task.number
        last = loop.time() + PATIENCE
        try:
            while True:
                listening = listening or loop.run_in_executor(self.threads, worker.pipe.recv)
                await asyncio.wait({listening}, timeout=max(0.0, last - loop.time()))
                if not listening.done():
                    break
                kind, _ = listening.result()
                listening = None
                if kind not in ("item", "ready"):
                    return
        except (EOFError, OSError):
            pass
        worker.end()
        if listening is not None:
            with suppress(Exception):
                await asyncio.wait({listening}, timeout=1.0)
                listening.exception()


def _check(worker: Worker, task: Task, late: bool) -> None:
    """Refuse what is past its limits; the worker is then ended.

    Raises:
        Refusal: with the reason.
    """
    if late:
        worker.end()
        raise Refusal(504, told(f"stopped after {task.seconds:g} s"))
    if (held := worker.memory()) > task.memory + ROOM:
        worker.end()
        raise Refusal(503, told(f"stopped: it used {size_in_words(held)} of memory, more than its limit"))
