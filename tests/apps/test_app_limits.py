"""At a limit every command tells what it knows, the verdict first; and it tells the verdict ahead of a long answer.

The limits here are numbers of steps, so that it makes no difference how quick the machine is.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from holdfast.apps.cli import main
from holdfast.budget import Budget
from paths import ROOT

PAPER = str(ROOT / "scenarios" / "paper.yaml")
CLOSED = str(ROOT / "scenarios" / "indefensible.yaml")
STEPS = (0, 3, 10, 30, 100, 300, 1000)

ASKED = {
    "check": ["check"],
    "any entry": ["check", "--any-entry"],
    "fingerprint": ["fingerprint", "--no-learning"],
    "explain": ["explain"],
    "recommend": ["recommend", "--jobs", "1"],
    "fragile": ["fragile", "--jobs", "1"],
    "fragile, evict": ["fragile", "--jobs", "1", "--keep", "held"],
    "sensors": ["sensors", "--jobs", "1"],
    "ladder": ["ladder"],
    "playbook": ["playbook"],
    "playbook, late": ["playbook", "--style", "late"],
    "report": ["report"],
    "export-shield": ["export-shield", "--format", "json"],
}
"""Commands that are about one design."""


@pytest.fixture
def told(monkeypatch, capsys):
    """What a command prints, and its exit code."""

    def ask(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["holdfast", *words])
        with pytest.raises(SystemExit) as leaving:
            main()
        return int(leaving.value.code or 0), *capsys.readouterr()

    return ask


@pytest.fixture
def limited(monkeypatch, told):
    """What a command prints that may take so many steps, and its exit code."""

    def ask(steps: int, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(Budget, "lasting", classmethod(lambda *_, **__: Budget(jobs=1).within(steps)))
        return told(*words)

    return ask


def says(text: str) -> bool:
    """Whether somebody who reads this knows that the design holds."""
    return any(word in text for word in ("DEFENSIBLE", "it holds", "is held", "SENSOR", "RULE", '"safe"'))


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_limit_leaves_what_is_known(limited, asked):
    """Should tell the verdict at every limit past the one at which it is known, and never end in a fault."""
    known = False
    for steps in STEPS:
        code, out, err = limited(steps, *asked, PAPER)
        assert code in (0, 1, 3), (steps, err)
        assert out or err
        assert says(out + err) or not known, (steps, out, err)
        known = known or says(out + err)
    assert known


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_limit_leaves_one_object(limited, asked, tmp_path):
    """Should print one object for a program, and nothing else, wherever it is stopped."""
    out_file = ["-o", str(tmp_path / "shield")] if asked[0] == "export-shield" else []
    for steps in STEPS:
        code, out, _ = limited(steps, *asked, PAPER, "--json", *out_file)
        assert isinstance(json.loads(out), dict)
        assert code in (0, 1, 3)


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_a_lost_design_is_told_as_lost_at_any_limit(limited, asked):
    """Should say so as soon as it is known, and exit with 1 or, where more was asked, 3."""
    codes = [limited(steps, *asked, CLOSED)[0] for steps in STEPS]
    assert set(codes) <= {1, 3} | ({0} if asked[0] == "recommend" else set())


SLOW = [asked for name, asked in ASKED.items() if name not in ("export-shield", "explain", "recommend")]


@pytest.mark.parametrize("asked", SLOW, ids=" ".join)
def test_the_verdict_is_told_ahead_of_a_long_answer(told, monkeypatch, asked):
    """Should stand alone on standard error, once; an answer that tells it early does without."""
    monkeypatch.setattr(sys.modules["holdfast.apps.cli.app"], "SLOW", -1.0)
    _, out, err = told(*asked, PAPER)
    ahead = [line for line in err.splitlines() if line.startswith("so far: ")]
    assert ahead == ([] if asked[0] == "ladder" else ["so far: DEFENSIBLE"])
    assert says(out)


def test_programs_and_quick_answers_hear_nothing_ahead(told, monkeypatch):
    """Should leave standard error alone."""
    assert told("check", PAPER, "--no-ladder")[2] == ""
    monkeypatch.setattr(sys.modules["holdfast.apps.cli.app"], "SLOW", -1.0)
    assert told("check", PAPER, "--no-ladder", "--json")[2] == ""


@pytest.mark.skipif(sys.platform != "linux", reason="commands are supervised on Linux only")
@pytest.mark.parametrize("asked", [["check", "--no-ladder"], ["fingerprint", "--no-learning"]], ids=" ".join)
def test_readings_that_are_there_are_printed_though_the_next_is_ended(asked, tmp_path):
    """Should print the answer so far, and what is missing; as one object for a program."""

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        mark = str(tmp_path / "-".join(("stuck", *more)))
        code = (
            "import os, time, holdfast.readings.analysis, holdfast.apps.cli.supervisor as supervisor\n"
            f"def stuck(*_):\n    open({mark!r}, 'w').close()\n    time.sleep(1000)\n"
            "holdfast.readings.analysis.recovered = stuck\n"
            f"supervisor._over = lambda *_: 'stopped' if os.path.exists({mark!r}) else ''\n"
            "from holdfast.apps.cli import main\nmain()"
        )
        command = [sys.executable, "-c", code, *asked, PAPER, "--timeout", "1000", *more]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)

    done = run()
    assert (done.returncode, done.stderr) == (3, "undecided: stopped\n")
    lines = done.stdout.split("\n\n")
    assert "DEFENSIBLE    Whatever the adversary does" in lines[1]
    assert "LEFT OPEN    recovery, effort, tempo and grace" in lines[1] and "not there in time" in lines[1]
    assert "SLT   0.7180" in done.stdout
    found = json.loads(run("--json").stdout)
    assert found["defensible"] and found["slt"] and found["undecided"].startswith("recovery, effort")
