"""Whenever a command is asked to end, it ends at once with no more than a word; nothing that it started is left.

Signals are sent at moments that the program itself names, so that nothing depends on how fast it is.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paths import ROOT

linux = pytest.mark.skipif(sys.platform != "linux", reason="groups of processes are asked about in /proc")
PAPER = "scenarios/paper.yaml"

RUN = "from holdfast.__main__ import main\nmain()\n"

# What sends the signal, run before the command: when a module is first imported, when the game is solved, when
# the answer is printed, where no exception can be raised, and when the interpreter is taken down.
DELETED = (
    "from holdfast.scenario import reading\n"
    "class Last:\n    def __del__(self): send(); [None for _ in range(1000)]\n"
    "whole = reading.read_scenario\n"
    "def reading_and_deleting(*given): del_me = Last(); del del_me; return whole(*given)\n"
    "reading.read_scenario = reading_and_deleting"
)
SLOW_THREADS = (
    "import threading, time\n"
    "start = threading.Thread.start\n"
    "threading.Thread.start = lambda thread: (start(thread), [time.sleep(0.001) for _ in range(50)])\n"
)
MOMENTS = {
    "typer is loaded": "on_import('typer')",
    "the command is loaded": "on_import('holdfast.apps.cli.check')",
    "readings are loaded": "on_import('holdfast.readings.analysis')",
    "the file is read": "from holdfast.scenario import reading; wrap(reading, 'read_scenario')",
    "the game is solved": "from holdfast.solver import engines; wrap(engines, 'solve')",
    "something is deleted": DELETED,
    "something is deleted, and threads are slow to start": SLOW_THREADS + DELETED,
    "all is done": "import atexit; atexit.register(send)",
}
SENDER = """
import importlib.abc, os, signal, sys
def send():
    (os.killpg if {group} else os.kill)(os.getpgid(0) if {group} else os.getpid(), {number})
class Finder(importlib.abc.MetaPathFinder):
    def __init__(self, name): self.name = name
    def find_spec(self, name, path, target=None):
        if name == self.name:
            sys.meta_path.remove(self)
            send()
            return None
def on_import(name): sys.meta_path.insert(0, Finder(name))
def wrap(module, name):
    whole = getattr(module, name)
    def wrapped(*given, **options):
        send()
        return whole(*given, **options)
    setattr(module, name, wrapped)
"""


@linux
@pytest.mark.parametrize(
    ("group", "limits"), [(False, []), (True, ["--timeout", "1000"])], ids=["alone", "supervised group"]
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_command_that_is_asked_to_end_says_no_more_than_a_word(moment, number, group, limits):
    """Should end by the signal, or with the exit code of an interruption, without a traceback."""
    script = f"{SENDER.format(group=group, number=int(number))}\n{MOMENTS[moment]}\n{RUN}"
    command = [sys.executable, "-c", script, "check", PAPER, *limits]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, start_new_session=True
    )
    if number == signal.SIGTERM:
        assert (done.returncode, done.stderr) == (-signal.SIGTERM, "")
    else:
        assert done.returncode in (130, -signal.SIGINT)
        assert set(done.stderr.splitlines()) <= {"stopped"}
    assert bool(done.stdout) == (moment == "all is done")


SWALLOWED = """
from holdfast.scenario import reading
whole = reading.read_scenario
def answered(*given):
    try: send(); [None for _ in range(1000)]
    except KeyboardInterrupt: pass
    {instead}
    return whole(*given)
reading.read_scenario = answered
"""


@linux
@pytest.mark.parametrize("instead", ["pass", "raise TypeError", "raise InputError('no')"])
def test_an_interruption_that_a_library_makes_nothing_of_is_not_lost(instead):
    """Should not be answered as if there had been none, nor be called a fault of ours or an error of the file."""
    script = SENDER.format(group=False, number=int(signal.SIGINT)) + SWALLOWED.format(instead=instead)
    script = f"from holdfast.errors import InputError\n{script}{RUN}"
    command = [sys.executable, "-c", script, "check", PAPER]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


WORKERS = """
import sys
sys.path.insert(0, {support!r})
from holdfast.apps.services import batch
from holdfast.running import Backend, run_tasks
from tasks import kept_busy
def check_files(tasks, budget):
    folder = {folder!r}
    for _ in run_tasks(kept_busy, {{str(n): folder for n in range(4)}}, budget, Backend(patience=-1)):
        pass
batch.check_files = check_files
"""


@linux
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("group", "limits"), [(False, []), (True, ["--timeout", "1000"])], ids=["alone", "supervised group"]
)
def test_workers_end_with_their_command(tmp_path, number, group, limits):
    """Should leave no worker, and none of them a word."""
    script = WORKERS.format(support=str(ROOT / "tests" / "support"), folder=str(tmp_path)) + RUN
    command = [sys.executable, "-c", script, "check", PAPER, PAPER, "--jobs", "2", *limits]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while len(begun := list(tmp_path.iterdir())) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        (os.killpg if group else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=60)  # ends when the last writer to its pipes is gone
    assert process.returncode in ([-number] if number == signal.SIGTERM else [130, -number])
    assert (out, err) == ("", "" if number == signal.SIGTERM else "stopped\n")
    for worker in begun:
        status = Path(f"/proc/{worker.name}/status")
        assert not status.exists() or "\nState:\tZ" in status.read_text()
