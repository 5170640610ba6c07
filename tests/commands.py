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
import shutil
import signal
import socket
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp

ROOT = Path(__file__).parents[1]

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
    command = [str(command_folder() / "holdfast"), *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)


def fresh_holdfast(*args, cwd=ROOT, env=None, timeout=120):
    """The same in a Python that is started for it."""
    command = [sys.executable, "-m", "holdfast", *map(str, args)]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)


@cache
def command_folder():
    """The folder of the word ``holdfast``; the process behind it starts when it is first asked for."""
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
    return folder


def end(process, folder):
    """Leave nothing behind, neither processes nor files."""
    os.killpg(process.pid, signal.SIGKILL)
    with process:
        shutil.rmtree(folder)


def serve(address):
    """Load everything once, and fork a process for each command that is asked for."""
    import holdfast.cli

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
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(address)
        line.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            caller, _ = line.accept()
            if os.fork() == 0:
                answer(caller)
            caller.close()


def answer(caller):
    """Run one command in a child, and say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(caller, 4, 3)
    asked = b""
    while len(asked) < int.from_bytes(size, "big"):
        asked += caller.recv(1 << 16)
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        caller.sendall(bytes([os.waitstatus_to_exitcode(status) % 256]))
        os._exit(0)
    caller.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    word, args, folder, environment = json.loads(asked)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if word == "python":
        sys.argv = args
        sys.path[0] = os.path.dirname(os.path.abspath(args[0]))
        runpy.run_path(args[0], run_name="__main__")
        sys.exit()
    sys.argv = ["holdfast", *args]
    from holdfast.cli import main

    main()


if __name__ == "__main__":
    serve(sys.argv[1])
