"""Commands in this process and in others, and how they ended."""

from __future__ import annotations

import io
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from holdfast.apps.cli import main


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    folder = Path(mkdtemp(prefix="holdfast-fuzz-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def ended_inside(args) -> tuple[int, str, str]:
    """A command in this process: its exit code and what it printed."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["holdfast", *args]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as leaving:
        assert leaving.code in (0, 1, 2, 3), (args, leaving.code, out.getvalue(), err.getvalue())
        return int(leaving.code), out.getvalue(), err.getvalue()
    finally:
        sys.argv = before
    raise AssertionError("a command always leaves with an exit code")


@dataclass(frozen=True)
class Ended:
    """How a process ended; a negative code is a signal."""

    code: int
    out: str
    err: str
    processor_seconds: float
    late: bool


def ended_apart(args, folder, seconds, stdin="") -> Ended:
    """A command in a process of its own, forked off this one; it is killed after so many seconds."""
    paths = [folder / name for name in (".stdin", ".stdout", ".stderr")]
    paths[0].write_text(stdin)
    child = os.fork()
    if child == 0:
        os.setsid()
        _become(args, folder, paths)
    late, end = False, time.monotonic() + seconds
    while True:
        pid, status, used = os.wait4(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() > end and not late:
            late = True
            kill_group(child)
        time.sleep(0.005)
    kill_group(child)  # what it has left behind
    out, err = (path.read_bytes().decode("utf-8", "replace") for path in paths[1:])
    return Ended(os.waitstatus_to_exitcode(status), out, err, used.ru_utime + used.ru_stime, late)


def kill_group(leader):
    """End a process and all that it started."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def _become(args, folder, paths):
    """Be a fresh process of the command; never returns."""
    try:
        for number, path in enumerate(paths):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(path, flags), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = sys.__stdout__ = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = sys.__stderr__ = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
        os.chdir(folder)
        sys.argv = ["holdfast", *args]
        code = 99
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else 98
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback

        os.write(2, traceback.format_exc().encode())
        code = 97
    os._exit(code)


def limit_processor(seconds):
    """This process, and each that it starts, ends by a signal after so much processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
