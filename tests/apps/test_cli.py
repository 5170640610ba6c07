"""The command line, run as a user runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

import holdfast.scenario as scenario
from commands import fresh_holdfast, holdfast
from holdfast import budget
from holdfast.apps.cli import main
from holdfast.logic.diagrams import OutOfNodes
from holdfast.solver import symbolic
from paths import ROOT, SCENARIOS

PAPER = "scenarios/paper.yaml"


def test_check_tells_the_verdict_and_what_it_means():
    """Should show verdict, specifications, readings and shells on a screen."""
    done = holdfast("check", PAPER)
    assert done.returncode == 0
    assert done.stderr == ""
    for words in ("DEFENSIBLE", "Whatever the adversary does, every requirement can be kept", "0.4746", "0.5102", "0.7180",
                  "19,238", "6,392", "at most two destroys", "150,000 positions"):  # fmt: skip
        assert words in done.stdout


def test_check_explains_an_indefensible_design():
    """Should say within how many moves the adversary wins, and exit with 1."""
    done = holdfast("check", "scenarios/patrol-robot.yaml")
    assert done.returncode == 1
    assert "NOT DEFENSIBLE" in done.stdout
    assert "within 6 moves" in done.stdout


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic"])
def test_json_is_one_object_with_exact_counts(engine):
    """Should print the keys of the contract and nothing else."""
    done = holdfast("check", PAPER, "--variant", "no-bypass", "--json", "--engine", engine)
    assert done.returncode == 0
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["name"] == "Reference segment"
    assert found["variant"] == "no-bypass"
    assert found["defensible"] is True
    assert found["shells"] == [19238, 6392, 224, 288]
    assert (found["positions"], found["unsafe"], found["winning"], found["attractor"]) == (
        150_000, 100_000, 23_858, 126_142,
    )  # fmt: skip
    assert round(found["slt"], 4) == 0.7327
    assert found["engine"] == ("symbolic" if engine == "auto" else engine)
    assert found["seconds"] > 0


def test_no_latitude_leaves_slt_out():
    """Should answer null for what was not computed."""
    found = json.loads(holdfast("check", PAPER, "--json", "--no-latitude").stdout)
    assert found["slt"] is None
    assert found["reachable"] is None
    assert found["winning"] == 23_730
    assert "not computed" in holdfast("check", PAPER, "--no-latitude").stdout


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--min-win", "0.47"], 0),
        (["--min-win", "0.48"], 1),
        (["--min-slt", "0.71", "--min-win", "0.4"], 0),
        (["--min-slt", "0.72"], 1),
    ],
)
def test_gates_decide_the_exit_code(gates, code):
    """Should fail a pipeline when a reading falls below its gate."""
    done = holdfast("check", PAPER, *gates)
    assert done.returncode == code
    assert ("MISSED" in done.stdout) == (code == 1)


def test_a_gate_on_an_undefined_reading_is_missed():
    """Should never let null pass."""
    done = holdfast("check", "scenarios/patrol-robot.yaml", "--json", "--min-slt", "0")
    assert done.returncode == 1
    assert json.loads(done.stdout)["gates"] == [
        {"axis": "slt", "minimum": 0.0, "value": None, "met": False, "undecided": False}
    ]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["check"], "FILE"),
        (["check", "no-such-file.yaml"], "no-such-file.yaml"),
        (["check", PAPER, "--variant", "no-bypas"], 'did you mean "no-bypass"'),
        (["check", PAPER, "--engine", "magic"], "magic"),
        (["check", PAPER, "--min-win", "1.5"], "--min-win"),
        (["check", PAPER, "--min-slt", "0.5", "--no-latitude"], "--no-latitude"),
        (["chek", PAPER], "chek"),
        (["explain", "scenarios"], "scenarios"),
        (["init", "README.md"], "exists already"),
        (["init", "no/such/folder/x.yaml"], "cannot write"),
    ],
)
def test_bad_usage_exits_with_two_and_a_reason(args, words):
    """Should say what is wrong on standard error, without a traceback."""
    done = holdfast(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_json_errors_are_one_object(tmp_path):
    """Should keep standard output parseable when the input is bad."""
    bad = tmp_path / "bad.yaml"
    bad.write_text("holdfast: 1\nnetwrk: {}\n")
    done = holdfast("check", str(bad), "--json")
    assert done.returncode == 2
    assert "bad.yaml:2:1" in json.loads(done.stdout)["error"]


@pytest.mark.parametrize("wrong", ["--json=1 x --json", "--no-latitude=1 x --json", "x --jobs few --json"])
def test_json_errors_of_usage_are_one_object_too(wrong):
    """Should keep to the form that was asked for, also behind a flag that was given a value."""
    done = holdfast("check", *wrong.split())
    assert done.returncode == 2 and done.stderr == ""
    assert list(json.loads(done.stdout)) == ["error"]


@pytest.mark.parametrize("command", ["check PAPER --html", "check", "export-shield PAPER -f c -o", "init"])
@pytest.mark.parametrize("name", ["a" * 5000, "loop/out"])
def test_names_of_no_file_are_refused(command, name, tmp_path):
    """Should say what the system says of them, whatever the file is for."""
    (tmp_path / "loop").symlink_to("loop")
    done = holdfast(*command.replace("PAPER", str(ROOT / PAPER)).split(), name, cwd=tmp_path)
    assert done.returncode == 2
    assert re.search("no file can be there: (File name too long|Too many levels)", done.stderr), done.stderr
    assert len(done.stderr) < 300


def test_a_size_limit_is_undecided_never_a_pass(tmp_path):
    """Should exit with 3 when the chosen engine cannot hold the game."""
    hosts = ", ".join(f"h{i}" for i in range(16))
    big = tmp_path / "big.yaml"
    big.write_text(
        f"holdfast: 1\nname: big\nnetwork: {{hosts: [{hosts}], links: [h0 -> h1], entry: h0}}\nspecs: {{}}\n"
    )
    done = holdfast("check", str(big), "--engine", "explicit")
    assert done.returncode == 3
    assert "symbolic" in done.stderr
    assert json.loads(holdfast("check", str(big), "--engine", "explicit", "--json").stdout)["undecided"]


LARGE = """
holdfast: 1
name: large
network:
  hosts: [GW, {ws: {count: 28, alike: no}}, DB, BK]
  links: [GW -> ws, ws -> DB, DB -> BK]
  entry: GW
specs:
  defender: ["G !(DB in {X, D, Z} & BK in {X, D, Z})", G (active >= 20)]
  adversary: [G (times(destroy) <= 4)]
"""


def test_a_timeout_keeps_what_is_known(tmp_path, monkeypatch, capsys):
    """Should still tell the certificate when only SLT ran out of time, and exit with 3."""
    large = tmp_path / "large.yaml"
    large.write_text(LARGE)
    # In this process nobody ends the command from outside, and the time is over when the file has been read.
    now, read = [0.0], scenario.configuration

    def slow(*args):
        found = read(*args)
        now[0] = 10.0
        return found

    monkeypatch.setattr(scenario, "configuration", slow)
    monkeypatch.setattr(budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(sys, "argv", ["holdfast", "check", str(large), "--timeout", "10", "--json"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 3
    found = json.loads(capsys.readouterr().out)
    assert "--timeout" in found["undecided"]
    assert found["defensible"] is None
    assert found["positions"] == 2 * 5**31 * 4 * 6


def test_a_memory_limit_keeps_what_is_known(tmp_path, monkeypatch, capsys):
    """Should give up cleanly where the diagrams do not fit, and say what is decided."""
    large = tmp_path / "large.yaml"
    large.write_text(LARGE)
    done = holdfast("check", str(large), "--memory", "0.001")
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    assert "GiB" in done.stderr

    # How many nodes are in use when R is built depends on when the library collects its garbage.
    def full(*args):
        raise OutOfNodes

    monkeypatch.setattr(symbolic, "reachable_sets", full)
    smaller = tmp_path / "smaller.yaml"
    smaller.write_text(LARGE.replace("28", "14").replace("20)", "6)"))
    for gate, code in ((["--min-slt", "0"], 3), ([], 0)):  # without a gate nobody asked for SLT
        rest = ("--no-ladder", "--no-recovery", "--no-response")
        monkeypatch.setattr(sys, "argv", ["holdfast", "check", str(smaller), "--json", *rest, *gate])
        with pytest.raises(SystemExit) as left:
            main()
        assert left.value.code == code
        found = json.loads(capsys.readouterr().out)
        assert found["defensible"] is True
        assert found["slt"] is None
        assert "memory" in found["undecided"]


def test_a_start_that_violates_says_which_requirement(tmp_path):
    """Should mark the clause among those that must always hold."""
    file = tmp_path / "v.yaml"
    file.write_text(
        "holdfast: 1\nname: v\nnetwork: {hosts: [GW, DB], links: [GW -> DB], entry: GW}\n"
        "specs: {defender: [G (DB = C), G (active >= 7)]}\n"
    )
    done = holdfast("check", str(file), "--no-ladder")
    assert done.returncode == 1 and "The start already violates a requirement" in done.stdout
    assert "G (active >= 7) (violated at the start)\n" in done.stdout
    assert "G (DB = C)\n" in done.stdout


def test_a_file_that_is_no_certificate_is_named(tmp_path):
    """Should say which file, what is wrong with it, and what writes one."""
    for text in ("{", "[]"):
        (tmp_path / "proof.json").write_text(text)
        done = holdfast("verify", str(tmp_path / "proof.json"))
        assert done.returncode == 2 and f"error: {tmp_path / 'proof.json'}: not a certificate" in done.stderr
    missing = holdfast("verify", str(tmp_path / "none.json")).stderr
    assert missing.count("none.json") == 1


def test_an_empty_question_is_answered_with_a_warning(tmp_path):
    """Should say where a requirement or a boundary is emptier than it looks."""
    file = tmp_path / "v.yaml"
    file.write_text(
        'holdfast: 1\nname: "v \\e[31m"\nnetwork: {hosts: [GW, DB], links: [GW -> DB], entry: GW}\n'
        "specs: {defender: [DB = C], adversary: [G false]}\n"
    )
    done = holdfast("check", str(file))
    assert done.returncode == 0
    assert "starts with G" in done.stdout
    assert "the limits on the adversary forbid every first move" in " ".join(done.stdout.split())
    assert "\x1b" not in done.stdout
    assert len(json.loads(holdfast("check", str(file), "--json").stdout)["warnings"]) == 2
    assert json.loads(holdfast("check", PAPER, "--json").stdout)["warnings"] == []


def test_an_answer_nobody_takes_is_no_verdict():
    """Should not exit with 1, which means not defensible, when the reader leaves or the disk is full."""
    shell = f"{sys.executable} -m holdfast schema | head -1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() in ("0", "141")
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "holdfast", "check", PAPER], cwd=ROOT, stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60)  # fmt: skip
    assert done.returncode == 2
    assert "cannot write" in done.stderr
    assert "Traceback" not in done.stderr


def test_output_survives_a_poor_encoding():
    """Should print something readable where the terminal has no Unicode."""
    done = fresh_holdfast("check", PAPER, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "DEFENSIBLE" in done.stdout


@pytest.mark.parametrize("flags", [[], ["--game"]])
def test_init_writes_a_scenario_that_checks(flags, tmp_path):
    """Should give a file that works as it is, and never overwrite one unasked."""
    assert holdfast("init", *flags, cwd=tmp_path).returncode == 0
    done = holdfast("check", "scenario.yaml", cwd=tmp_path)
    assert done.returncode in (0, 1)
    assert "DEFENSIBLE" in done.stdout
    assert holdfast("init", *flags, cwd=tmp_path).returncode == 2
    assert holdfast("init", *flags, "--force", cwd=tmp_path).returncode == 0
    variants = [
        line.split(":")[0].strip()
        for line in (tmp_path / "scenario.yaml").read_text().split("variants:\n")[1].splitlines()
    ]
    for variant in variants:
        assert holdfast("check", "scenario.yaml", "--variant", variant, cwd=tmp_path).returncode in (0, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "paper.yaml", "--any-entry", "--max-effort", "1"),
        ("check", "plant.yaml"),
        ("check", "two-copies.yaml", "--no-ladder"),
        ("check", "water-tank.yaml", "--no-response"),
        ("check", "two-lines.yaml", "--hold", "10", "--no-ladder"),
        ("fingerprint", "paper.yaml", "--no-learning"),
        ("fingerprint", "water-tank.yaml", "--episodes", "20", "--seeds", "2"),
    ],
    ids=lambda given: " ".join(given[:2]),
)
def test_answers_in_json_fit_their_schema(arguments):
    """Should hold every key that is printed, and no other."""
    import jsonschema

    command, file, *options = arguments
    answer = json.loads(holdfast(command, str(SCENARIOS / file), "--json", *options).stdout)
    schema = json.loads(holdfast("schema", "--output", command).stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(answer)


def test_schema_accepts_the_shipped_scenarios():
    """Should print a JSON Schema that a validator can use."""
    import jsonschema
    import yaml

    schema = json.loads(holdfast("schema").stdout)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for file in sorted((ROOT / "scenarios").glob("*.yaml")):
        validator.validate(json.loads(json.dumps(yaml.safe_load(file.read_text()))))
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({"holdfast": 1, "netwrk": {}})


UNUSED = (
    *("numba", "numpy", "matplotlib", "scipy"),
    *("holdfast.certificates", "holdfast.models.network.edits", "holdfast.operation"),
    *("holdfast.readings.archive", "holdfast.readings.compare", "holdfast.running.tasks"),
    *("holdfast.scenario.text.splices", "holdfast.solver.seen_profile", "holdfast.design.starts"),
    *("jinja2", "joblib", "multiprocessing", "networkx", "pysat"),
    *("holdfast.arena", "holdfast.composition", "holdfast.design.recommend", "holdfast.explanation"),
)


def test_check_imports_nothing_that_it_does_not_use():
    """Should start fast: neither arrays and their compiler, nor what edits, compares, trains or certifies."""
    code = (
        "import sys; sys.argv = ['holdfast', 'check', 'scenarios/paper.yaml']\n"
        "from holdfast.apps.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"sys.exit(any(name in sys.modules for name in {UNUSED}))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False).returncode
        == 0
    )


def test_public_names_are_sorted_and_importable():
    """Should export what it says."""
    import holdfast

    assert list(holdfast.__all__) == sorted(holdfast.__all__)
    for name in holdfast.__all__:
        assert getattr(holdfast, name) is not None
    with pytest.raises(AttributeError):
        holdfast.nonsense  # noqa: B018


def test_memory_that_the_machine_lacks_is_refused():
    done = holdfast("check", PAPER, "--memory", "1000000")
    assert done.returncode == 2
    assert "GiB of this machine" in done.stderr


def test_an_adversary_without_actions_is_a_warning(tmp_path):
    file = tmp_path / "quiet.yaml"
    file.write_text(
        "holdfast: 1\ngame:\n  variables: {a: [x, y]}\n  initial: {a: x}\n  first: defender\n"
        "  defender: {stay: {}}\n  adversary: {}\n  dominance: 1\nspecs: {defender: [G (a = x)]}\n"
    )
    done = holdfast("check", file, "--json")
    assert "the adversary has no action at all" in json.loads(done.stdout)["warnings"][0]


def test_outputs_do_not_overwrite_the_scenario_or_each_other(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_bytes((ROOT / PAPER).read_bytes())
    other = tmp_path / "out.html"
    for options in (["--html", mine], ["--certificate", mine], ["--html", other, "--certificate", other]):
        done = holdfast("check", mine, *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert "is already used by another option" in done.stderr
    assert mine.read_bytes() == (ROOT / PAPER).read_bytes() and not other.exists()


def test_any_entry_asks_for_every_host():
    """Should tell the hosts that would lose the design as the entry, and fail if there is one."""
    done = holdfast("check", PAPER, "--any-entry", "--no-latitude", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["defensible"] is True
    assert {each["entry"]: each["rank"] for each in found["any_entry"]} == {
        "GW": None, "Web": None, "WS": None, "DB": 1, "BK": None,
    }  # fmt: skip
    told = holdfast("check", PAPER, "--any-entry", "--no-latitude").stdout
    assert "Of 5 hosts, 1 would break the design as the entry." in told
    assert "It is defensible if the entry is GW, Web, WS or BK." in " ".join(told.split())
    assert "any_entry" not in json.loads(holdfast("check", PAPER, "--no-latitude", "--json").stdout)
    tank = holdfast("check", "scenarios/water-tank.yaml", "--any-entry")
    assert tank.returncode == 2 and "the option is for networks" in tank.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("analyze", "check"), ("chekc", "check"), ("diff", "compare"), ("explian", "explain")],
)
def test_an_unknown_command_is_told_with_the_one_that_was_meant(typed, meant):
    """Should suggest a command, also for a word that is nothing like its name."""
    done = holdfast(typed, PAPER)
    assert done.returncode == 2
    assert f"Did you mean '{meant}'" in done.stderr


# -- progress -------------------------------------------------------------------------------------------


def test_a_person_sees_how_far_the_training_is():
    """Should show the time, the time left, design and count, seed and episode, and erase it in the end."""
    pty = pytest.importorskip("pty")
    terminal, line = pty.openpty()
    args = ["compare", "scenarios/paper.yaml", "--variant", "no-bypass", "--seeds", "2", "--json"]
    command = [sys.executable, "-m", "holdfast", *args]
    environment = {**os.environ, "COLUMNS": "150", "TERM": "xterm"}
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=line, env=environment) as work:
        os.close(line)
        seen = b""
        try:
            while part := os.read(terminal, 65536):
                seen += part
        except OSError:  # as a terminal ends on Linux
            pass
    os.close(terminal)
    assert work.returncode == 0
    text = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", seen.decode())
    assert re.search(r"no-bypass \(2 of 2\): training seed [12], episode [\d,]+ of 3,000", text)
    assert re.search(r"\d:\d\d:\d\d [━╸╺]+ \d:\d\d:\d\d left · solving … ", text)


def test_a_count_over_a_pattern_is_told_as_it_was_written(tmp_path):
    """Should not write out the names that a star stands for."""
    file = tmp_path / "segment.yaml"
    file.write_text(
        "holdfast: 1\nnetwork: {hosts: [GW, {ws: {count: 4}}], links: [GW -> ws], entry: GW}\n"
        "specs: {defender: ['G (count(* in {C, X, D}) >= 3)']}\n"
    )
    done = holdfast("explain", file)
    assert "holds up to count(* in {C, X, D}) >= 4" in " ".join(done.stdout.split())
    assert "ws1, ws2, ws3, ws4 in" not in " ".join(done.stdout.split())
