"""Layers of ATT&CK Navigator: what the format asks for, and what the forced line says."""

import json
import re

import pytest
from typer.testing import CliRunner

import holdfast as hf
from holdfast.apps.cli import app
from holdfast.models.network.segment import TYPES
from holdfast.models.network.techniques import ANSWERS, network_techniques

TACTICS = {"initial-access", "lateral-movement", "impact"}
SMALL = """\
holdfast: 1
network: {hosts: [A, B], links: [A -> B], exposed: [A]}
specs: {defender: [G (B != Z)]}
"""
LAYER = {"name", "versions", "domain", "description", "sorting", "techniques", "gradient", "legendItems"}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A layer and a page of a lost design."""
    folder = tmp_path_factory.mktemp("layer")
    files = [f"--layer={folder / 'layer.json'}", f"--html={folder / 'page.html'}"]
    done = CliRunner().invoke(app, ["explain", "scenarios/indefensible.yaml", *files])
    assert done.exit_code == 1, done.output
    return json.loads((folder / "layer.json").read_text()), (folder / "page.html").read_text()


def test_a_layer_should_be_as_the_format_has_it(written):
    """Should have what version 4.5 requires, of the types that it names."""
    layer, _ = written
    assert (
        layer.keys() >= LAYER
        and layer["domain"] == "enterprise-attack"
        and layer["versions"]["layer"] == "4.5"
    )
    for technique in layer["techniques"]:
        assert re.fullmatch(r"T\d{4}(\.\d{3})?", technique["techniqueID"]) and technique["tactic"] in TACTICS
        assert isinstance(technique["score"], int) and isinstance(technique["comment"], str)
        assert all(set(entry) == {"name", "value"} for entry in technique["metadata"])
    keys = [(t["techniqueID"], t["tactic"]) for t in layer["techniques"]]
    assert len(keys) == len(set(keys))
    assert layer["gradient"]["minValue"] <= min(t["score"] for t in layer["techniques"])
    assert max(t["score"] for t in layer["techniques"]) == layer["gradient"]["maxValue"]


def test_a_layer_should_tell_the_moves_of_the_line(written):
    """Should mark each technique of the line with its moves, and no other."""
    layer, page = written
    found = hf.explain(hf.solve(hf.load("scenarios/indefensible.yaml")))
    told = {move for t in layer["techniques"] for move in re.findall(r"(\d+)\. (\w+\(\w+\))", t["comment"])}
    assert told == {(str(step.number), step.action) for step in found.line.steps}
    (spread,) = [t for t in layer["techniques"] if t["techniqueID"] == "T1210"]
    assert "Network Isolation (D3-NI)" in spread["metadata"][1]["value"]
    assert "Network Isolation (D3-NI)" in page and "Exploitation of Remote Services" in page


def test_every_action_should_have_a_name_but_doing_nothing():
    """Should name what both sides can do, and tell an exposed host from one that is reached along a link."""
    attack, answer = network_techniques(hf.configuration(hf.scenario_from_text(SMALL)).system)
    assert [attack(f"{kind}(B)") is None for kind in TYPES[hf.Player.ADVERSARY]] == [True, False, False]
    assert [answer(f"{kind}(B)") is None for kind in TYPES[hf.Player.DEFENDER]] == [True] + [False] * 6
    assert (attack("spread(A)").id, attack("spread(B)").id) == ("T1190", "T1210")
    assert all(re.fullmatch(r"D3-[A-Z]+", one.id) for one in ANSWERS.values())


def test_what_has_no_layer_should_say_so(tmp_path):
    """Should write none for a design that holds, and refuse a model without such names."""
    file = tmp_path / "layer.json"
    small = tmp_path / "small.yaml"
    small.write_text(SMALL.replace("B != Z", "true"))
    held = CliRunner().invoke(app, ["explain", str(small), f"--layer={file}"])
    assert held.exit_code == 0 and "no forced attack" in held.output and not file.exists()
    tank = CliRunner().invoke(app, ["explain", "scenarios/water-tank.yaml", f"--layer={file}"])
    assert tank.exit_code == 2 and "--layer is for networks" in tank.output and not file.exists()
