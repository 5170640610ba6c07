"""Limits hold from outside where nothing inside can be interrupted; what is written is written whole."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from holdfast.apps.cli import main
from holdfast.budget import Budget
from holdfast.certificates.verify.checking import verify
from holdfast.errors import InputError, LimitError
from holdfast.running.files import write_whole
from paths import ROOT

PAPER = "scenarios/paper.yaml"

linux = pytest.mark.skipif(sys.platform != "linux", reason="commands are supervised on Linux only")

# Each replaces what solves: the command then never comes to a tick of its own. The first hangs inside C,
# with the interpreter locked, so that no signal is handled either.
BLOCKED = (
    "import ctypes; c, m = ctypes.PyDLL(None), bytes(64); c.pthread_mutex_lock(m); c.pthread_mutex_lock(m)"
)
WAITING = "import threading; threading.Event().wait()"
GROWING = "import ctypes; kept = b'x' * (1 << 30); ctypes.PyDLL(None).pause()"
DYING = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
FORKING = "import os, time; os.fork(); kept = b'x' * (230 << 20); time.sleep(1000)"
READY = "import sys; print('ready', file=sys.stderr, flush=True); "


def program(body: str) -> list[str]:
    """Holdfast with another solver, and with a clock inside that never says that the time is over."""
    code = (
        "import holdfast.budget, holdfast.solver.engines\n"
        "holdfast.budget.Budget.tick = lambda *_: None\n"
        f"def solve(*args, **options):\n    {body}\n"
        "holdfast.solver.engines.solve = solve\n"
        "from holdfast.apps.cli import main\nmain()"
    )
    return [sys.executable, "-c", code]


def run(body: str, *args: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program(body), *args], cwd=ROOT, capture_output=True, text=True, timeout=120, **options
    )


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the program and wait until it solves; what a failed test leaves running is ended with it."""
    with ExitStack() as started:

        def begin(body: str, *args: str) -> subprocess.Popen[str]:
            command = [*program(READY + body), *args]
            pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            process = started.enter_context(subprocess.Popen(command, cwd=ROOT, text=True, **pipes))
            started.callback(process.kill)
            assert process.stderr is not None and process.stderr.readline() == "ready\n"
            return process

        yield begin


def has_ended(pid: int) -> bool:
    """Whether a process that was killed is gone, or will be when somebody asks; that takes a moment."""
    for _ in range(6000):
        try:
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


# -- the supervisor ---------------------------------------------------------------------------------------


@linux
@pytest.mark.parametrize("body", [BLOCKED, WAITING])
def test_a_timeout_ends_what_never_looks_at_the_clock(body):
    """Should say that it is undecided, in one object, and exit with 3."""
    done = run(body, "explain", PAPER, "--timeout", "0.1", "--json")
    assert done.returncode == 3
    assert list(json.loads(done.stdout)) == ["undecided"]
    assert "as --timeout asks" in json.loads(done.stdout)["undecided"]
    assert done.stderr == ""


@linux
@pytest.mark.parametrize(
    "args",
    [
        ["explain", PAPER],
        ["play", PAPER],
        ["export-shield", PAPER, "--format", "c"],
        ["play", PAPER, "--replay", "tests/plays/reference.txt"],
    ],
)
def test_every_command_is_ended(args):
    """Should say so on standard error and print nothing else."""
    done = run(BLOCKED, *args, "--timeout", "0.1", stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (3, "")
    assert (
        done.stderr
        == "undecided: stopped after 0.1 s, as --timeout asks, in the middle of one long operation\n"
    )


@linux
def test_a_pipeline_hears_of_a_command_that_was_ended(tmp_path):
    """Should find files that say undecided, also where the work itself could write none."""
    files = ["--sarif", str(tmp_path / "a.sarif"), "--junit", str(tmp_path / "a.xml")]
    done = run(BLOCKED, "check", PAPER, "--timeout", "0.1", *files)
    assert done.returncode == 3
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert result["ruleId"] == "undecided" and "as --timeout asks" in result["message"]["text"]
    assert '<error message="stopped after 0.1 s' in (tmp_path / "a.xml").read_text()


@linux
@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["check", PAPER], "known so far: DEFENSIBLE"),
        (["compare", PAPER, "-v", "no-bypass"], "known so far: base DEFENSIBLE, no-bypass DEFENSIBLE"),
    ],
)
def test_a_reading_that_is_ended_leaves_the_verdicts_known(args, told, tmp_path):
    """Should tell every verdict where one long operation of a later reading had to be ended."""
    code = (
        "import os, holdfast.readings.analysis, holdfast.apps.cli.supervisor as supervisor\n"
        f"def stuck(*_):\n    open({str(tmp_path / 'stuck')!r}, 'w').close()\n    {BLOCKED}\n"
        "holdfast.readings.analysis.latitude_reading = stuck\n"
        f"supervisor._over = lambda *_: 'stopped' if os.path.exists({str(tmp_path / 'stuck')!r}) else ''\n"
        "from holdfast.apps.cli import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args, "--timeout", "1000"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"undecided: stopped\n{told}\n"


@linux
@pytest.mark.parametrize("body", [GROWING, FORKING])
def test_memory_that_nobody_counts_is_counted_from_outside(body):
    """Should end the command, and whatever it started, when together they hold much more than allowed."""
    done = run(body, "explain", PAPER, "--memory", "0.1", "--json")
    assert done.returncode == 3
    assert "more than 0.1 GiB" in json.loads(done.stdout)["undecided"]


@linux
def test_a_timeout_leaves_no_half_of_a_file_behind(tmp_path):
    """Should unwind before it ends, so that temporary files go."""
    body = (
        "import tempfile, time\n"
        f"    with tempfile.TemporaryDirectory(prefix='.holdfast-', dir={str(tmp_path)!r}): time.sleep(1000)"
    )
    assert run(body, "explain", PAPER, "--timeout", "0.1").returncode == 3
    assert list(tmp_path.iterdir()) == []


@linux
def test_exit_codes_and_signals_pass_through():
    """Should end as the command ends."""
    assert run("raise SystemExit(41)", "explain", PAPER, "--timeout", "60").returncode == 41
    assert run(DYING, "explain", PAPER, "--timeout", "60").returncode == -signal.SIGSEGV
    fault = run("raise RuntimeError('oh')", "explain", PAPER, "--timeout", "60")
    assert fault.returncode == 70
    assert fault.stderr.count("internal error: RuntimeError: oh") == 1


@linux
@pytest.mark.parametrize("limits", [[], ["--timeout", "1000"]])
def test_an_interruption_stops_with_and_without_limits(start, limits):
    """Should exit with 130 and say so once, whoever was interrupted."""
    process = start("import time\n    while True: time.sleep(0.01)", "explain", PAPER, *limits)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "stopped\n")


@linux
def test_an_interruption_from_a_terminal_arrives_once():
    """Should be left to the command, which the terminal tells itself."""
    counting = (
        "import signal, time, sys\n"
        "    seen = []\n"
        "    signal.signal(signal.SIGINT, lambda *_: seen.append(1))\n"
        "    print('ready', flush=True)\n"
        "    while not seen: time.sleep(0.01)\n"
        "    time.sleep(0.3)\n"
        "    sys.exit(40 + len(seen))"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        command = [*program(counting), "explain", PAPER, "--timeout", "1000"]
        os.execv(command[0], command)
    said = b""
    while b"ready" not in said:
        said += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 41
    os.close(terminal)


@linux
def test_a_terminal_is_left_as_it_was(tmp_path):
    """Should show the cursor that a progress bar had hidden, also where the bar could not end by itself."""
    mark = str(tmp_path / "solving")
    body = (
        f"import pathlib; pathlib.Path({mark!r}).touch(); {BLOCKED}\n"
        "import os, holdfast.apps.cli.supervisor\n"
        f"holdfast.apps.cli.supervisor._over = lambda *_: 'over' if os.path.exists({mark!r}) else ''"
    )
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(ROOT)
        command = [*program(body), "explain", PAPER, "--timeout", "60"]
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm"})
    said = b""
    try:
        while part := os.read(terminal, 1000):
            said += part
    except OSError:  # how Linux says that nobody is at the other end
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3
    os.close(terminal)
    assert said.rfind(b"\x1b[?25h") > said.rfind(b"\x1b[?25l") >= 0
    assert said.strip().endswith(b"undecided: over")


@linux
def test_a_request_to_end_ends_the_command_too(start):
    """Should end by the signal it was sent, even inside C, and leave no process."""
    process = start(BLOCKED, "explain", PAPER, "--timeout", "1000")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert len(children) == 1 and has_ended(int(children[0]))


@linux
def test_a_killed_parent_takes_its_child_with_it(start):
    """Should leave nothing running that nobody watches."""
    process = start(BLOCKED, "explain", PAPER, "--timeout", "1000")
    (child,) = map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split())
    process.kill()
    process.communicate(timeout=60)  # ends when the last writer to its pipes is gone
    assert has_ended(child)


@linux
def test_an_answer_that_has_begun_is_finished(tmp_path):
    """Should let go with the first words: an answer is printed whole, and a person may think for long."""
    mark = str(tmp_path / "begun")
    body = (
        "import sys, time, pathlib\n"
        "    from holdfast.apps.cli.app import emit\n"
        "    emit('begun')\n"
        f"    pathlib.Path({mark!r}).touch()\n"
        "    time.sleep(0.5)\n"
        "    sys.exit(42)\n"
        "import os, holdfast.apps.cli.supervisor\n"
        f"holdfast.apps.cli.supervisor._over = lambda *_: 'over' if os.path.exists({mark!r}) else ''"
    )
    done = run(body, "explain", PAPER, "--timeout", "60")
    assert (done.stderr, done.stdout, done.returncode) == ("", "begun\n", 42)


@linux
def test_limits_hold_after_a_part_of_an_answer():
    """Should leave what was printed, tell that the rest was stopped, and what was known."""
    body = (
        "import time\n"
        "    from holdfast.apps.cli.app import emit_part\n"
        "    from holdfast.apps.cli.supervisor import remember\n"
        "    remember(defensible=True)\n"
        "    emit_part('begun')\n"
        "    time.sleep(1000)\n"
        "import holdfast.apps.cli.supervisor\n"
        "holdfast.apps.cli.supervisor._over = lambda child, seconds, *_: 'over' if seconds > 2 else ''"
    )
    done = run(body, "explain", PAPER, "--timeout", "60")
    assert (done.returncode, done.stdout) == (3, "begun\n")
    assert done.stderr.splitlines() == ["undecided: over", "known so far: DEFENSIBLE"]


@linux
def test_an_answer_that_comes_too_late_is_not_begun():
    """Should print one object, the parent's, though the command refuses to end."""
    body = (
        "import signal, time\n"
        "    from holdfast.apps.cli.app import emit\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "    while not late(): time.sleep(0.01)\n"
        "    emit('late')\n"
        "import select, holdfast.apps.cli.supervisor\n"
        "def late(): return not select.select([holdfast.apps.cli.supervisor._token[0]], [], [], 0)[0]\n"
        "holdfast.apps.cli.supervisor._over = lambda child, seconds, *_: 'over' if seconds > 0.2 else ''"
    )
    done = run(body, "explain", PAPER, "--timeout", "60", "--json")
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (3, {"undecided": "over"}, "")


def test_nothing_is_forked_without_limits():
    """Should answer in the process that was started."""
    code = "import os; os.fork = None\nfrom holdfast.apps.cli import main\nmain()"
    command = [sys.executable, "-c", code, "check", PAPER, "--no-latitude"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120).returncode == 0


def test_a_play_is_prepared_within_limits_and_then_played():
    """Should take the limits of the other commands."""
    done = subprocess.run(
        [sys.executable, "-m", "holdfast", "play", PAPER, "--timeout", "100", "--memory", "1", "--moves", "4"],
        cwd=ROOT, input="quit\n", capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "STOPPED" in done.stdout


# -- the form of an error ---------------------------------------------------------------------------------


@pytest.fixture
def holdfast(capsys, monkeypatch):
    """Run a command inside this process: exit code, standard output, standard error."""

    def run(*args):
        monkeypatch.chdir(ROOT)
        monkeypatch.setattr(sys, "argv", ["holdfast", *map(str, args)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["check", "nowhere.yaml", "--json"], "no such file"),
        (["check", "nowhere.yaml", "--json", "--json"], "no such file"),
        (["check", "--json"], "Missing argument"),
        (["check", PAPER, "--json", "--min-win", "7"], "--min-win"),
        (["check", PAPER, "--min-win", "much", "--json"], "--min-win"),
        (["check", PAPER, "--nonsense", "--json"], "--nonsense"),
        (["explain", PAPER, "other.yaml", "--json"], "other.yaml"),
        (["check", PAPER, "--json", "--timeout"], "requires an argument"),
        (["check", PAPER, "--json", "--markdown"], "both print the answer"),
        (["verify", PAPER, "--variant", "lost", "--json"], "name it with --scenario"),
        (["export-shield", PAPER, "--format", "c", "--json"], "needs --output"),
        (["compare", PAPER, "--json", "--base", "nothing"], "nothing"),
    ],
)
def test_errors_are_one_object_where_json_was_asked_for(args, words, holdfast):
    """Should hold for mistakes in the arguments too."""
    code, out, err = holdfast(*args)
    assert (code, err) == (2, "")
    assert words in json.loads(out)["error"]
    assert len(json.loads(out)) == 1


@pytest.mark.parametrize(
    "args",
    [
        ["check", "--", "--json"],
        ["check", PAPER, "--variant", "--json"],
        ["check", PAPER, "--json=yes"],
        ["check", PAPER, "--html", "--json", "--nonsense"],
        ["--json", "check", PAPER],
        ["chek", PAPER, "--json"],
        ["init", PAPER, "--json"],
        ["play", "nowhere.yaml"],
    ],
)
def test_errors_are_words_where_no_command_was_asked_for_json(args, holdfast):
    """Should not take for an option what is a file, a value or another command's."""
    code, out, err = holdfast(*args)
    assert (code, out) == (2, "")
    assert err.strip() and not err.startswith("{")


# -- the checker ------------------------------------------------------------------------------------------


def test_the_checker_keeps_its_memory(tmp_path, holdfast):
    """Should be undecided where arrays or diagrams need more than it may use."""
    for engine in ("explicit", "symbolic"):
        place = tmp_path / f"{engine}.cert"
        assert holdfast("check", PAPER, "--engine", engine, "--no-latitude", "--certificate", place)[0] == 0
        assert holdfast("verify", place, "--memory", "0.1")[0] == 0
        with pytest.raises(LimitError, match=r"not checked within|outgrew the memory"):
            verify(place, Budget(memory=10_000))


# -- whole files ------------------------------------------------------------------------------------------


def test_a_full_disk_leaves_no_file(tmp_path, monkeypatch, holdfast):
    """Should leave nothing, or what was there before."""

    def full(self, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    place = tmp_path / "scenario.yaml"
    code, _, err = holdfast("init", place)
    assert code == 2
    assert "cannot write: No space left on device" in err
    assert list(tmp_path.iterdir()) == []
    place.touch()
    assert holdfast("init", place, "--force")[0] == 2
    assert list(tmp_path.iterdir()) == [place]


def test_two_writers_do_not_meet(tmp_path, monkeypatch):
    """Should write under names of their own before the last step, which is one."""
    places, write = [], Path.write_bytes

    def noted(self, data):
        places.append(self)
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", noted)
    for contents in ("one", "two"):
        write_whole(tmp_path / "kept.txt", contents)
    assert len(set(places)) == 2 and (tmp_path / "kept.txt").read_text() == "two"
    with pytest.raises(InputError, match="cannot write"):
        write_whole(tmp_path / "no" / "folder", "")
