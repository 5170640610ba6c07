"""The command line in processes of its own that need not start Python anew.

Most of the time of a short command goes into loading libraries. :func:`holdfast` runs a command in a process
that was forked off one that has loaded them: with its own arguments, folder, environment and streams, but ready
within milliseconds. Where the start itself is tested (what is imported, signals, limits), tests start Python.

:func:`command_folder` gives a folder for ``PATH`` in which the word ``holdfast`` means the same, and ``python FILE``
runs a file in such a process.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp

from paths import ROOT

SHARED = "HOLDFAST_TESTS_COMMANDS"

CALLER = """#!{python} -IS
import json, os, socket, sys
if {word!r} == "python" and not (sys.argv[1:] and sys.argv[1].endswith(".py")):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    asked = json.dumps([{word!r}, sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(line, [len(asked).to_bytes(4, "big")], [0, 1, 2])
    line.sendall(asked)
    sys.exit(int.from_bytes(line.recv(1), "big"))
"""


def holdfast(*args, cwd=ROOT, env=None, timeout=120):
    """What a command leaves: exit code, standard output and standard error."""
    words = ["holdfast", *map(str, args)]
    asked = json.dumps(["holdfast", words[1:], str(cwd), dict(env or os.environ)]).encode()
    with TemporaryFile("w+") as out, TemporaryFile("w+") as err, socket.socket(socket.AF_UNIX) as line:
        line.settimeout(timeout)
        line.connect(str(command_folder() / "line"))
        socket.send_fds(line, [len(asked).to_bytes(4, "big")], [0, out.fileno(), err.fileno()])
        line.sendall(asked)
        (code,) = line.recv(1)
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), err.read())


def fresh_holdfast(*args, cwd=ROOT, env=None, timeout=120):
    """Run a command in a Python that is started for it."""
    command = [sys.executable, "-m", "holdfast", *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)


@cache
def command_folder():
    """The folder of the word ``holdfast``; the process behind it loads everything when it is first asked.

    Whoever starts other processes for tests calls this first, and they all ask the same one.
    """
    if SHARED in os.environ:
        return Path(os.environ[SHARED])
    folder = Path(mkdtemp())
    address = folder / "line"
    for word in ("holdfast", "python"):
        caller = folder / word
        caller.write_text(CALLER.format(python=sys.executable, address=str(address), word=word))
        caller.chmod(0o755)
    command = [sys.executable, __file__, address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    atexit.register(end, process, folder)
    process.stdout.readline()
    os.environ[SHARED] = str(folder)
    return folder


def end(process, folder):
    """Leave nothing behind, neither processes nor files."""
    os.killpg(process.pid, signal.SIGKILL)
    with process:
        shutil.rmtree(folder)


def serve(address):
    """Load everything when a command is first asked for, and fork a process for each of them."""
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(address)
        line.listen()
        print("ready", flush=True)
        select.select([line], [], [])
        load()
        asking: dict[int, socket.socket] = {}
        ended, noted = socket.socketpair()
        noted.setblocking(False)
        signal.set_wakeup_fd(noted.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)
        while True:
            heard, _, _ = select.select([line, ended], [], [])
            if ended in heard:
                ended.recv(1 << 10)
                report(asking)
            if line in heard:
                caller, _ = line.accept()
                child = os.fork()
                if child == 0:
                    answer(caller)
                asking[child] = caller


def load():
    """All modules, and what they load when they are first used."""
    import holdfast.apps.cli

    for module in pkgutil.walk_packages(holdfast.__path__, "holdfast."):
        if module.name != "holdfast.__main__":
            try:
                import_module(module.name)
            except ImportError:  # what an extra brings
                continue
    from matplotlib.backends import backend_agg, backend_svg  # noqa: F401
    from numba.core.registry import cpu_target

    cpu_target.target_context.refresh()  # what numba loads before its first kernel
    gc.collect()
    gc.freeze()


def report(asking):
    """Tell those who wait how their commands ended."""
    while asking:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            return
        with asking.pop(child) as caller, suppress(OSError):  # who has gone need not hear of it
            caller.sendall(bytes([os.waitstatus_to_exitcode(status) % 256]))


def answer(caller):
    """Be the process of one command, to its end."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(caller, 4, 3)
    asked = b""
    while len(asked) < int.from_bytes(size, "big"):
        asked += caller.recv(1 << 16)
    caller.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    word, args, folder, environment = json.loads(asked)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    try:
        if word == "python":
            sys.argv = args
            sys.path[0] = os.path.dirname(os.path.abspath(args[0]))
            runpy.run_path(args[0], run_name="__main__")
        else:
            sys.argv = ["holdfast", *args]
            from holdfast.apps.cli import main

            main()
    except SystemExit as leaving:
        if isinstance(leaving.code, int | None):
            CODES.append(leaving.code or 0)
        raise
    CODES.append(0)
    sys.exit()


CODES: list[int] = []


def leave():
    """End at once, as the last thing that Python does before it takes down all that was loaded.

    To take it down is to write to it, and what is written to is first copied: several times the work of a
    short command.
    """
    if CODES:
        with suppress(OSError, ValueError):  # Python itself says what is wrong with a stream
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(CODES[0])


if __name__ == "__main__":
    atexit.register(leave)  # the first, and so the last to be called
    serve(sys.argv[1])
