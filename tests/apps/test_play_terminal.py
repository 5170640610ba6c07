"""``holdfast play`` as a person meets it: scripted in a pipe, and typed in a real terminal."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections import namedtuple

import pytest

from holdfast.apps.cli import main
from holdfast.apps.play.trace import read_trace
from paths import ROOT

PLAYS = ROOT / "tests" / "plays"
PAPER = "scenarios/paper.yaml"
ROBOT = "scenarios/patrol-robot.yaml"

Done = namedtuple("Done", "returncode stdout stderr")


def holdfast(*args, script="", cwd=ROOT):
    """The command in a process of its own, its input a pipe."""
    return subprocess.run(
        [sys.executable, "-m", "holdfast", "play", *map(str, args)],
        cwd=cwd, input=script, capture_output=True, text=True, timeout=120, env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip


@pytest.fixture
def run(monkeypatch, capsys):
    """The command in this process, its input a pipe: starting another is most of the time it takes."""

    def run(*args, script=""):
        raw = script if isinstance(script, bytes) else script.encode()
        monkeypatch.chdir(ROOT)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setattr(sys, "argv", ["holdfast", "play", *map(str, args)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), "utf-8"))
        with pytest.raises(SystemExit) as left:
            main()
        return Done(left.value.code, *capsys.readouterr())

    return run


def test_a_scripted_play_from_start_to_end(run, tmp_path):
    """Should play by names, numbers and hints in a pipe, without escape codes, and keep what replays."""
    trace = tmp_path / "play.txt"
    script = "help\nhint\nwhy\nwhy 1\nisolate web\nboard\nundo\nis web\n\n# a remark\nfoo\nres web\n1\nquit\n"
    done = holdfast(PAPER, "--save", trace, "--moves", "12", script=script)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if str(trace) not in line)
    assert done.stderr == ""
    board = [" ".join(line.split()) for line in done.stdout.splitlines()]
    for row in (
        "GW X compromised entry → Web, WS",
        "*Web X compromised → WS, DB",
        "DB C clean critical → BK",
    ):
        assert row in board, row
    for words in ("You are the defender", "permitted",
                  "forbidden by the shield", "defender> isolate web", "taken back", '"foo" is no move',
                  "isolate(Web) keeps a mean dominance", "The adversary played spread(Web)", "STOPPED",
                  "0.2520 over a whole episode (DDR*)"):  # fmt: skip
        assert words in done.stdout, words
    again = run(PAPER, "--replay", trace)
    assert again.returncode == 0, again.stdout
    assert "REPRODUCED" in again.stdout
    assert "\x1b" not in again.stdout
    kept = read_trace(trace)
    assert kept.header["defender"] == "player"
    assert [line.happened for line in kept.lines[:3]] == ["start", "spread(Web)", "isolate(Web)"]


def test_insisting_on_a_forbidden_move_shows_what_the_shield_is_for(run, tmp_path):
    """Should ask, mark the move, and end with the violation, its clause and its line."""
    script = "isolate GW\nn\nisolate GW\ny\n1\n1\n1\n1\n"
    done = run(PAPER, "--save", tmp_path / "lost.txt", script=script)
    assert done.returncode == 0
    for words in ("isolate(GW) is forbidden by the shield: the adversary then forces a violation within 3 moves",
                  "not played", "! forbidden by the shield", "every move loses", "VIOLATION",
                  "isolate(GW) left the winning region"):  # fmt: skip
        assert words in " ".join(done.stdout.split()), words
    last = read_trace(tmp_path / "lost.txt").lines[-1]
    assert last.happened == "(end)"
    assert last.shown.startswith("violation: ")
    assert run(PAPER, "--replay", tmp_path / "lost.txt").returncode == 0


def test_the_attacker_against_the_shield(run):
    """Should let the attacker play to the end, refuse what φ_A excludes, and find the design holding."""
    script = "destroy gw\ndestroy gw\nspread web\ndestroy web\n" + "destroy ws\nspread ws\n1\n" * 8
    done = run(PAPER, "--as", "adversary", "--against", "random", "--moves", "16", script=script)
    assert done.returncode == 0, done.stderr
    assert "HELD" in done.stdout
    assert "VIOLATION" not in done.stdout
    assert "cannot be played: not admissible: at most two destroys" in " ".join(done.stdout.split())


def test_a_system_of_its_own_is_played_with_a_table(run):
    """Should show variables, and let the attacker of an indefensible system win by the first entry each time."""
    done = run(ROBOT, "--as", "adversary", script="1\n" * 10)
    assert done.returncode == 0, done.stderr
    assert "not defensible: the adversary can force a violation within 6 moves" in " ".join(
        done.stdout.split()
    )
    assert "up [armed] down" in done.stdout
    assert "VIOLATION" in done.stdout
    tank = run("scenarios/water-tank.yaml", "--against", "learned", "--moves", "6", script="hint\n1\n1\n1\n")
    assert tank.returncode == 0, tank.stderr
    assert "HELD" in tank.stdout


def test_replay_exit_codes(run, tmp_path):
    """Should give 0, 1 with the first differing line, and 2 for what is unreadable."""
    assert run(PAPER, "--replay", PLAYS / "paper.txt").returncode == 0
    text = (PLAYS / "no-bypass.txt").read_text()
    bad = tmp_path / "bad.txt"
    bad.write_text(text.replace("spread(Web) | X", "spread(Web) | C", 1))
    done = run(PAPER, "--replay", bad)
    assert done.returncode == 1
    assert re.search(r"DIFFERS .*line 11: the trace has \"C.*the model gives \"X", done.stdout)
    bad.write_text(text.replace("start |", "begin |"))
    done = run(PAPER, "--replay", bad)
    assert done.returncode == 2
    assert f"{bad}:10: expected" in done.stderr
    bad.write_text(re.sub("sha256: .*", "sha256: 0", text))
    done = run(PAPER, "--replay", bad)
    assert done.returncode == 0
    assert "has changed since" in done.stdout
    assert run(PAPER, "--replay", tmp_path / "none.txt").returncode == 2
    assert run(PAPER, "--replay", bad, "--save", "x").returncode == 2


def test_odd_input_ends_politely(run, tmp_path):
    """Should end with 0 at the end of input, and refuse a file that would be overwritten before the play."""
    assert run(PAPER, script="").returncode == 0
    done = run(
        PAPER, script="why\nsave\nsave /\nsave ~nobody-there/x\nwhy 99\n\x00\x07\n" + "9" * 30_000 + "\n"
    )
    assert done.returncode == 0
    assert "\x07" not in done.stdout
    notes = tmp_path / "notes.txt"
    notes.write_text("mine")
    done = run(PAPER, "--save", notes, script="1\n")
    assert done.returncode == 2
    assert "is not a play" in done.stderr
    assert run(PAPER, script=b"\xff\xfe\n").returncode == 0


def test_an_interruption_loses_nothing(run, monkeypatch, tmp_path):
    """Should end with 130 and the play on disk."""

    class Interrupted(io.TextIOWrapper):
        def readline(self, size=-1):
            line = super().readline(size)
            if not line:
                raise KeyboardInterrupt
            return line

    monkeypatch.setattr(io, "TextIOWrapper", Interrupted)
    done = run(PAPER, "--save", tmp_path / "play.txt", script="isolate web\n")
    assert done.returncode == 130
    assert done.stderr == "stopped\n"
    lines = read_trace(tmp_path / "play.txt").lines
    assert [line.happened for line in lines] == ["start", "spread(Web)", "isolate(Web)", "spread(WS)"]


# -- a real terminal --------------------------------------------------------------------------------


class Terminal:
    """A tmux session of its own server, closed at the end."""

    def __init__(self, folder):
        self.tmux = ["tmux", "-S", str(folder / "socket"), "-f", "/dev/null"]

    def run(self, *args):
        return subprocess.run([*self.tmux, *args], capture_output=True, text=True, timeout=20)

    def screen(self):
        return self.run("capture-pane", "-p", "-S", "-200", "-t", "play").stdout

    def type(self, text):
        self.run("send-keys", "-t", "play", "-l", text)
        self.run("send-keys", "-t", "play", "Enter")

    def wait_for(self, words, count=1, seconds=40):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            screen = self.screen()
            if screen.count(words) >= count:
                return screen
            time.sleep(0.05)
        raise AssertionError(f"{words!r} did not appear:\n{self.screen()}")


@pytest.mark.terminal
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_play_through_in_a_real_terminal(tmp_path):
    """Should go from the opening through moves, a hint and an undo to the end, and play it back step by step."""
    terminal = Terminal(tmp_path)
    trace = tmp_path / "play.txt"
    program = f"{shlex.quote(sys.executable)} -m holdfast play {PAPER}"
    shell = f"cd {shlex.quote(str(ROOT))}; PS1=; exec sh"
    assert terminal.run("new-session", "-d", "-s", "play", "-x", "80", "-y", "50", shell).returncode == 0
    try:
        terminal.type(f"{program} --variant no-bypass --moves 8 --save {trace}; echo code $?")
        terminal.wait_for("defender>")
        terminal.type("hint")
        terminal.wait_for("keeps a mean dominance of")
        terminal.type("1")
        terminal.wait_for("move 4 of 8")
        terminal.type("undo")
        terminal.wait_for("taken back")
        for _ in range(4):
            terminal.type("1")
        screen = terminal.wait_for("code 0")
        assert "HELD" in screen
        assert re.search(r"\bDB +[A-Z] [a-z]+ +critical\b", screen)
        assert max(map(len, screen.splitlines())) <= 80
        terminal.type(f"clear; {program} --replay {trace}; echo code $?")
        terminal.wait_for("Enter: next")
        terminal.type("")
        terminal.wait_for("Enter: next", 2)
        terminal.type("a")
        screen = terminal.wait_for("REPRODUCED")
        terminal.type(f"clear; {program} --against random; echo code $?")
        terminal.wait_for("defender>")
        terminal.run("send-keys", "-t", "play", "C-c")
        terminal.wait_for("code 130")
    finally:
        terminal.run("kill-server")
    assert read_trace(trace).lines[-1].happened == "(end)"


def test_a_lost_play_can_be_taken_back(run):
    """Should offer undo after a violation, and go on from before the move that lost."""
    done = run("scenarios/indefensible.yaml", "--moves", "9", script="1\n1\n1\n1\nhint\nundo\nquit\n")
    assert done.returncode == 0
    assert "the play is over; type undo to take your last move back" in done.stdout
    assert "taken back" in done.stdout[done.stdout.index("VIOLATION") :]


@pytest.mark.parametrize(
    "option", [["--as", "adversary"], ["--moves", "3"], ["--seed", "2"], ["--against", "random"]]
)
def test_a_replay_takes_no_settings(run, option):
    """Should refuse what it would ignore."""
    done = run(PAPER, "--replay", PLAYS / "reference.txt", *option)
    assert done.returncode == 2
    assert f"drop {option[0]}" in done.stderr


# -- in fog -----------------------------------------------------------------------------------------

COPIES = "scenarios/two-copies.yaml"


def test_a_defender_in_fog_is_shown_what_is_seen(run):
    """Should hide what is not seen, list the cases on request, and lift the fog at the end."""
    done = run(COPIES, "--fog", "--moves", "8", script="cases\nhint\nwhy\nwhy 1\nhelp\nisolate FS!\nquit\n")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    before, end = text.split("VIOLATION")
    for words in ("You play in fog, with no sensor at all. That is not enough", "in fog", "cases are possible",
                  "Mail and FS are clean; BK is compromised",
                  "There is no hint", "in fog you cannot see why", "every move loses in some case",
                  "cases what may be true", "In every case WS is compromised"):  # fmt: skip
        assert words in before, words
    assert "spread(" not in before
    assert "WS C clean" in before
    assert "What really happened 1 adversary spread(FS)" in end
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_the_hints_in_fog_hold(run):
    """Should hold a whole play by the hints where the sensors are enough, and say nothing where they end."""
    script = "hint\nisolate BK\ncases\nhint\n" + "noop WS\n" * 6
    done = run(COPIES, "--variant", "watched", "--fog", "--moves", "10", script=script + "quit\n")
    assert done.returncode == 0, done.stderr
    assert "That is enough for a defense" in " ".join(done.stdout.split())
    assert "holds from here in every possible case" in " ".join(done.stdout.split())


def test_fog_is_for_defenders_who_do_not_see_everything(run):
    """Should be refused for the adversary, for a replay, and where everything is seen."""
    assert "sees everything" in run(COPIES, "--fog", "--as", "adversary").stderr
    assert "sees everything" in run(PAPER, "--fog").stderr
    assert "drop --fog" in run(PAPER, "--fog", "--replay", PLAYS / "reference.txt").stderr


@pytest.mark.terminal
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_fog_in_a_real_terminal(tmp_path):
    """Should show the fog, the cases on request, and what really happened in the end."""
    terminal = Terminal(tmp_path)
    program = f"{shlex.quote(sys.executable)} -m holdfast play {COPIES} --fog --moves 6"
    shell = f"cd {shlex.quote(str(ROOT))}; PS1=; exec sh"
    assert terminal.run("new-session", "-d", "-s", "play", "-x", "80", "-y", "60", shell).returncode == 0
    try:
        terminal.type(f"{program}; echo code $?")
        terminal.wait_for("defender>")
        terminal.type("cases")
        terminal.wait_for("In every case WS is compromised")
        terminal.type("isolate FS!")
        terminal.wait_for("What really happened")
        terminal.type("quit")
        screen = terminal.wait_for("code 0")
        assert max(map(len, screen.splitlines())) <= 80
    finally:
        terminal.run("kill-server")
