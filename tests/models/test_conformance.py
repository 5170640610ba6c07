"""The contract of models: those that are shipped fulfil it, and a new one is one file and one line."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import queue_model
from holdfast.apps.cli import app
from holdfast.errors import InputError, ModelError, ScenarioError
from holdfast.explanation.explaining import explain
from holdfast.game.configuration import configure
from holdfast.game.system import Graph, GraphNode, Part
from holdfast.models.conformance import check_model
from holdfast.models.network.game import network_system
from holdfast.scenario import registry as models
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.scenario.registry import all_models, register
from holdfast.scenario.schema import json_schema
from holdfast.solver.engines import solve
from paths import SCENARIOS

SMALL = [
    SCENARIOS / f"{name}.yaml"
    for name in ("indefensible", "paper", "paper-formulas", "patrol-robot", "three-sites", "water-tank")
]


@pytest.fixture
def queue(monkeypatch):
    """The third model, registered for one test."""
    monkeypatch.setattr(models, "_registered", {})
    register(queue_model.MODEL)
    return queue_model.MODEL


@pytest.mark.parametrize("key", all_models())
def test_shipped_models_conform(key):
    """Should hold on the stubs."""
    check_model(all_models()[key])


def test_a_new_model_is_one_line(queue, tmp_path):
    """Should be read, solved, explained, drawn and described without any other change."""
    check_model(queue)
    scenario = scenario_from_text(queue.stub)
    assert [len(configuration(scenario, v).game.variables[0].values) for v in (None, "long")] == [4, 10]
    found = explain(solve(configuration(scenario)))
    assert not found.defensible
    assert ("burst", "two at once") in {(p.kind, p.name) for pieces in found.repairs.sets for p in pieces}
    assert "QueueSection" in json_schema()["$defs"]
    file = tmp_path / "queue.yaml"
    file.write_text(queue.stub)
    run = CliRunner()
    other = tmp_path / "started.yaml"
    assert run.invoke(app, ["init", str(other), "--model", "queue"]).exit_code == 0
    assert other.read_text() == queue.stub
    assert 'did you mean "queue"?' in run.invoke(app, ["init", str(tmp_path / "x"), "--model", "queu"]).stderr
    told = run.invoke(app, ["check", str(file), "--json"])
    assert json.loads(told.stdout)["defensible"] is False
    page = tmp_path / "page.html"
    run.invoke(app, ["compare", str(file), "--no-learning", "--html", str(page)])
    assert "Room for nine." in page.read_text()


def test_a_file_of_a_model_that_is_not_registered():
    """Should name the models that are there."""
    with pytest.raises(ScenarioError, match='unknown key "queue" in a scenario'):
        scenario_from_text(queue_model.STUB)


def test_one_key_one_model(queue):
    """Should refuse a second model with a key that is taken."""
    for key in ("queue", "network"):
        with pytest.raises(InputError, match="known already"):
            register(replace(queue, key=key))


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (lambda s: replace(s, model="other"), 'of "other"'),
        (lambda s: replace(s, legend={"none": "nothing"}), "no value of the game"),
        (lambda s: replace(s, parts=s.parts * 2), "two parts are the same"),
        (lambda s: replace(s, rebuild=lambda taken: s), "still there"),
        (lambda s: replace(s, graph=Graph((GraphNode("a", "b"),))), "bound to no variable"),
        (lambda s: replace(s, graph=replace(s.graph, arrows=(("queue", "x"),))), "does not join two nodes"),
        (lambda s: replace(s, graph=replace(s.graph, tones={"x": "good"})), "for no value"),
        (lambda s: replace(s, rebuild=lambda taken: queue_model.queue(7, False)), "variables change"),
    ],
)
def test_conformance_finds_what_is_wrong(monkeypatch, broken, reason):
    """Should refuse a model that does not keep its word, with the reason."""
    monkeypatch.setattr(models, "_registered", {})
    model = replace(queue_model.MODEL, build=lambda *given: broken(queue_model.build(*given)))
    register(model)
    with pytest.raises(ModelError, match=reason):
        check_model(model)


def test_parts_are_taken_away_by_name():
    """Should refuse what is no part, and keep everything else."""
    system = network_system(["GW", "DB"], [("GW", "DB"), ("DB", "GW")], "GW")
    assert [part.name for part in system.without([Part("link", "GW -> DB")]).parts] == ["DB -> GW"]
    assert system.without([]) is system
    with pytest.raises(ModelError, match="DB -> BK is not a part"):
        system.without([Part("link", "DB -> BK")])


@pytest.mark.parametrize("file", SMALL, ids=lambda path: path.stem)
def test_shipped_scenarios_conform(file):
    """Should hold on the files whose parts are soon solved without, one by one, their variants included."""
    text = file.read_text()
    model = next(model for key, model in all_models().items() if f"\n{key}:" in text)
    check_model(model, text)


def test_flat_and_nested_changes_of_a_variant_say_the_same():
    """Should read a variant's change under the model's key as well as beside it, and not both at once."""
    head = (
        "holdfast: 1\nnetwork: {hosts: [GW, DB, BK], links: [GW -> DB, DB -> BK], entry: GW}\n"
        "specs: {defender: [G (BK != Z)]}\nvariants:\n  v: "
    )
    flat = configuration(scenario_from_text(head + "{remove_links: [DB -> BK], entry: DB}"), "v")
    nested = configuration(scenario_from_text(head + "{network: {remove_links: [DB -> BK], entry: DB}}"), "v")
    mixed = configuration(scenario_from_text(head + "{entry: DB, network: {remove_links: [DB -> BK]}}"), "v")
    assert flat.game == nested.game == mixed.game
    with pytest.raises(ScenarioError, match='"entry" is both here and under "network"'):
        scenario_from_text(head + "{entry: DB, network: {entry: DB}}")


def test_a_system_can_be_configured_by_hand():
    """Should explain a network that comes from no file by its links."""
    system = network_system(["GW", "DB"], [("GW", "DB")], "GW")
    found = explain(solve(configure(system, ["G (DB = C)"])))
    assert {p.name for pieces in found.repairs.sets for p in pieces} == {"GW -> DB", "G (DB = C)"}
