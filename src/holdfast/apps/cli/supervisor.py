"""Limits that hold from outside: the command runs in a child process, which its parent can end.

Inside the command, the deadline of the :class:`~holdfast.budget.Budget` is noticed at each tick, and what
is known by then is told. But one operation of a library can go on for minutes without a tick, in memory
that nobody counts. So a command with limits is forked before it begins, while there is one thread and
nothing large is loaded. The parent waits, and ends a child that is well past its limits.

Only one of the two may answer. That is settled by a token, one byte in a pipe: the child takes it before it
prints its answer, the parent before it ends the child. So an answer that has begun is always finished,
and a dialogue, which begins with some output, may last as long as the person likes. After a part of an answer
the child puts the token back (:func:`unclaim`): the limits hold for what is still to come.

This needs Linux (signals that say who sent them, and ``/proc``); elsewhere the limits inside stand alone.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from holdfast.budget import GIB
from holdfast.running import end_with_parent, family_of, kill, memory_of, patience_with

if TYPE_CHECKING:
    from holdfast.solver import Solution

ROOM, LIBRARIES = 1.2, GIB // 4
"""It may hold this many times its memory, and so many bytes more: what Python and its libraries take."""

PAUSE, GRACE = 0.05, 0.3
"""Seconds between two looks at the child; seconds that it has to clean up before it is killed."""

_WATCHED = {signal.SIGINT, signal.SIGTERM}

_token: tuple[int, int] | None = None
_claimed = False
"""In a child: where the token is taken and put back; and whether the child has it."""

_memory: int | None = None
"""In a child: a file in memory with what is known, for its parent to tell if it must end the child."""

_known: dict[str, Any] = {}
"""What the command that is running knows by now."""


def supervise(timeout: float | None, memory: float, tell: Callable[[str, dict[str, Any]], int]) -> None:
    """Fork. Returns in the child, which does the work; the parent leaves with the child's exit code.

    Returns at once, with nothing forked, where that cannot be done safely.

    Args:
        timeout: seconds; None for no end.
        memory: GiB.
        tell: says in the parent that the child was ended, why, and what it had kept (:func:`remember`);
            gives the exit code.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return
    global _token, _memory
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.write(writer, b".")
    memory_file = os.memfd_create("known")
    waited_for = {*_WATCHED, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, waited_for)
    child = os.fork()
    if child == 0:
        _token, _memory = (reader, writer), memory_file
        signal.signal(signal.SIGTERM, _leave)
        end_with_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    status, asked, reason = _watch(child, reader, timeout, memory, waited_for)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if reason:
        if sys.stderr.isatty():  # a progress bar may have hidden the cursor
            print("\r\x1b[2K\x1b[?25h", end="", file=sys.stderr, flush=True)
        _leave_with(tell(reason, _remembered(memory_file)))
    code = os.waitstatus_to_exitcode(status)
    if asked or code < 0:
        _die_of(asked or -code)
    _leave_with(code)


def claim() -> None:
    """Take the token before answering; a child that comes too late waits for its end."""
    global _claimed
    if _token is None or _claimed:
        return
    try:
        os.read(_token[0], 1)
        _claimed = True
    except BlockingIOError:
        while True:
            signal.pause()


def unclaim() -> None:
    """Put the token back after a part of the answer: whoever goes on working keeps to the limits again."""
    global _claimed
    if _token is not None and _claimed:
        _claimed = False
        os.write(_token[1], b".")


def remember(**facts: Any) -> None:
    """Keep what is known by now, to be told if a limit stops the command, from inside or from outside."""
    _known.update(facts)
    if _memory is not None:
        text = json.dumps(_known).encode()
        os.pwrite(_memory, text, 0)
        os.ftruncate(_memory, len(text))


def hear(solution: Solution) -> None:
    """Keep the verdict, to be told if what comes after it takes long or is stopped."""
    sight = solution.configuration.system.sight
    limited = solution.defensible and sight is not None and sight.placed is not None
    said = {"full_sight": True} if limited else {}
    remember(defensible=solution.defensible, initial_rank=solution.initial_rank, **said)


def remembered() -> dict[str, Any]:
    """What the command that is running knows by now."""
    return dict(_known)


def forget() -> None:
    """Another command begins."""
    _known.clear()


def is_supervised() -> bool:
    """Whether a parent would tell what is kept here, if it had to end this process."""
    return _memory is not None


def _remembered(memory_file: int) -> dict[str, Any]:
    with suppress(ValueError):
        return dict(json.loads(os.pread(memory_file, os.fstat(memory_file).st_size, 0)))
    return {}


def _watch(
    child: int, reader: int, timeout: float | None, memory: float, waited_for: set[signal.Signals]
) -> tuple[int, int, str]:
    """Wait for the child; its status, the signal we were sent, and why it was ended if we did that."""
    started, asked, reason, last = time.monotonic(), 0, "", float("inf")
    below: list[int] = []
    while True:
        received = signal.sigtimedwait(waited_for, PAUSE)
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            kill(below)
            heard = received is not None and received.si_signo == signal.SIGTERM
            if heard or signal.sigtimedwait({signal.SIGTERM}, 0):  # the child may have heard it first
                asked = signal.SIGTERM
            return status, asked, reason
        now = time.monotonic()
        if received is not None and received.si_signo in _WATCHED:
            if received.si_signo == signal.SIGTERM:
                asked, last, below = signal.SIGTERM, now + GRACE, family_of(child)[1:]
            if received.si_code <= 0:  # sent by a process; what the terminal sends reaches the child itself
                os.kill(child, received.si_signo)
        if now >= last:
            kill([child])
        elif not asked and not reason:
            over = _over(child, now - started, timeout, memory)
            if over and _take(reader):
                reason, last, below = over, now + GRACE, family_of(child)[1:]
                os.kill(child, signal.SIGTERM)


def _over(child: int, seconds: float, timeout: float | None, memory: float) -> str:
    """Which limit the child is well past, in words; empty if none."""
    if timeout is not None and seconds > patience_with(timeout):
        return f"stopped after {timeout:g} s, as --timeout asks, in the middle of one long operation"
    if sum(map(memory_of, family_of(child))) > ROOM * memory * GIB + LIBRARIES:
        return f"stopped because it needed more than {memory:g} GiB; allow more with --memory"
    return ""


def _take(reader: int) -> bool:
    with suppress(BlockingIOError):
        return bool(os.read(reader, 1))
    return False


def _leave_with(code: int) -> NoReturn:
    """End the parent here and now: whatever comes after this point is the child's to do."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _leave(number: int, frame: object) -> NoReturn:
    """Unwind instead of dying on the spot: temporary files go and the terminal is put right.

    Only once: a second request, as when a whole group of processes is asked, must not disturb that.
    """
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _die_of(number: int) -> None:
    """End as the child ended, so that whoever started us sees the signal."""
    with suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
