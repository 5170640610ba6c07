"""The automata of a scenario shown: as text, as DOT, as pictures, as data that can be declared again."""

from __future__ import annotations

import json
import shutil
import subprocess
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from holdfast.apps.cli import app
from holdfast.logic.compile import compile_formula
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from paths import SCENARIOS

PAPER = SCENARIOS / "paper.yaml"
LARGE = """
holdfast: 1
network: {hosts: [A, B], links: [A -> B], entry: A}
specs:
  defender: [G (active >= 1)]
  adversary: [G (times(destroy) <= 30)]
"""


def run(*arguments):
    done = CliRunner().invoke(app, ["automata", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


def test_guards_say_what_holds_rather_than_what_does_not():
    """Should write the guards of the paper's automata as its file does."""
    text = run(PAPER).stdout
    assert "requirement-1, DB and BK are never bad together: automaton of DB and BK are never" in text
    assert "    count(DB, BK in {X, D, Z}) = 0 → q0" in text
    assert "    active >= 3 → safe\n    active < 3 → viol" in text
    assert text.count("(violating)") == 3 and text.count("(initial)") == 3


def test_a_variant_has_its_own_automata():
    """Should show the clauses of the variant that is named."""
    assert "active >= 2" in run(PAPER, "--variant", "two-active").stdout


def test_dot_is_one_graph_for_each_clause():
    """Should have a label, all states and all edges, in a form that Graphviz reads."""
    text = run(PAPER, "--format", "dot").stdout
    assert text.count("digraph automaton {") == 3
    assert 'label="at most two destroys"' in text
    assert text.count(" -> q") == 3 + 7 + 3 + 7  # three arrows into initial states
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tsvg"], input=text.encode(), check=True, capture_output=True)


def test_one_picture_shows_all_clauses():
    """Should print one SVG document with every label and state in it."""
    done = run(PAPER, "--format", "svg")
    root = ElementTree.fromstring(done.stdout)
    shown = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "boundary-1: at most two destroys" in shown and shown.count("viol") == 3
    assert run(PAPER, "--format", "svg").stdout == done.stdout


@pytest.mark.parametrize(("form", "ending"), [("text", "txt"), ("dot", "dot"), ("svg", "svg")])
def test_a_directory_gets_a_file_for_each_clause(form, ending, tmp_path):
    """Should write whole files under the names of the clauses, and print nothing."""
    out = tmp_path / "new" / "automata"
    done = run(PAPER, "--format", form, "--output", out)
    names = {f"{clause}.{ending}" for clause in ("requirement-1", "requirement-2", "boundary-1")}
    assert {file.name for file in out.iterdir()} == names
    assert done.stdout == "" and done.stderr.count("wrote ") == 3


def test_what_is_too_large_for_a_picture_is_text_with_the_reason(tmp_path):
    """Should write the text instead, and say why."""
    file = tmp_path / "large.yaml"
    file.write_text(LARGE)
    done = run(file, "--format", "svg", "--output", tmp_path)
    assert "boundary-1 is not drawn: 32 states; a picture is legible up to 12" in done.stderr
    assert (tmp_path / "boundary-1.txt").read_text().count("destroy → ") == 62
    assert (tmp_path / "requirement-1.svg").exists() and not (tmp_path / "boundary-1.svg").exists()
    assert "not drawn: 32 states" in run(file, "--format", "svg").stdout


def test_the_data_can_be_declared_as_clauses_again():
    """Should give the same automata when its objects stand in a scenario file."""
    found = json.loads(run(PAPER, "--json").stdout)
    assert (found["name"], found["variant"]) == ("Reference segment", None)
    original = configuration(read_scenario(PAPER))
    clauses = {"requirement": [], "boundary": []}
    for one in found["automata"]:
        clause, label = one.pop("clause"), one.pop("label")
        assert one.pop("formula") is None  # the paper's automata are written out
        clauses[clause.split("-")[0]].append({"name": label, "automaton": one})
    network = {
        "hosts": [v.name for v in original.game.variables], "links": ["GW -> Web"], "entry": "GW",
    }  # fmt: skip
    specs = {"defender": clauses["requirement"], "adversary": clauses["boundary"]}
    again = configuration(scenario_from_text(json.dumps({"holdfast": 1, "network": network, "specs": specs})))
    for before, after in zip(original.defender + original.adversary, again.defender + again.adversary):
        assert (before.states, before.initial, before.accepting) == (
            after.states,
            after.initial,
            after.accepting,
        )
        assert before.edges() == after.edges()


def test_a_named_clause_keeps_its_formula(tmp_path):
    """Should tell the name and the formula apart."""
    file = tmp_path / "named.yaml"
    file.write_text(LARGE.replace("[G (active >= 1)]", "[{name: one stays, formula: G (active >= 1)}]"))
    found = json.loads(run(file, "--json").stdout)["automata"][0]
    assert (found["label"], found["formula"]) == ("one stays", "G (active >= 1)")
    assert "requirement-1, one stays: automaton of G (active >= 1)" in run(file).stdout


def test_the_time_is_limited(tmp_path):
    """Should end undecided while the file is read."""
    done = CliRunner().invoke(app, ["automata", str(PAPER), "--timeout", "0"])
    assert done.exit_code == 3 and "as --timeout asks" in done.stderr


def test_a_file_is_no_place_for_several_files():
    """Should refuse before the work begins."""
    done = CliRunner().invoke(app, ["automata", str(PAPER), "--output", str(PAPER)])
    assert done.exit_code == 2 and "is a file; name a directory" in done.stderr


def test_a_compiled_clause_declares_its_automaton():
    """Should name states and guards in plain data."""
    vocabulary = configuration(read_scenario(PAPER)).game.vocabulary
    found = compile_formula("G (active >= 3)", vocabulary).to_object()
    assert (found["states"], found["initial"], found["accepting"]) == (["q0", "viol"], "q0", ["q0"])
    assert {"from": "viol", "to": "viol", "when": "true"} in found["edges"]
