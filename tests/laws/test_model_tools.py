"""Every command works on every model that is shipped, without code of its own for any of them."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdfast.apps.cli import app
from holdfast.apps.studio.drawing import drawing
from holdfast.models.conformance import check_model
from holdfast.scenario.reading import configuration, read_scenario
from holdfast.scenario.registry import all_models

CELL = """\
holdfast: 1
name: A corridor
cell:
  plan: D..A
  places: {dock: D, aisle: A}
  robot: dock
  people: {ann: {at: aisle}}
specs:
  defender: [G !hit]
  adversary: [G (times(ann-walks) <= 3)]
variants:
  held: {cell: {add_rails: [aisle - floor]}, description: A guard rail.}
"""

PLANT = """\
holdfast: 1
name: A tank
plant:
  tanks: {T101: {holds: 4, level: 2}}
  lines:
    MV101: {from: source, to: T101, rate: 2, valve: shut, trips: [LIT101 >= 3], sabotage: [jam]}
    use: {from: T101, to: drain}
  sensors: {LIT101: {of: T101}}
specs:
  defender: [G !overflow, G !dry]
  adversary: [G (times(jam) <= 2)]
variants:
  held: {plant: {lines: {MV101: {denied: [jam]}}}, description: A valve that cannot be jammed.}
"""

MODELS = {
    "cell": (CELL, "rail aisle - floor", "go(east)"),
    "plant": (PLANT, "deny jam(MV101)", "open(MV101)"),
}
"""For each a scenario whose base is lost and whose variant is held, the change that makes it hold, and a move."""


@pytest.fixture(scope="module", params=MODELS)
def subject(request, tmp_path_factory):
    """The scenario of a model as a file, with what is known of it."""
    text, change, move = MODELS[request.param]
    file = tmp_path_factory.mktemp(request.param) / "it.yaml"
    file.write_text(text, "utf-8")
    return file, change, move


def told(*arguments, code=0, typed=""):
    done = CliRunner().invoke(app, list(map(str, arguments)), input=typed, env={"COLUMNS": "200"})
    assert done.exit_code == code, done.output + done.stderr
    return done.stdout


def test_the_model_should_keep_its_contract(subject):
    text = subject[0].read_text("utf-8")
    check_model(next(model for key, model in all_models().items() if f"\n{key}:" in text), text)


def test_explain_should_tell_the_attack_and_the_margins(subject):
    file, change, _ = subject
    lost = json.loads(told("explain", file, "--json", code=1))
    assert lost["defensible"] is False
    assert change.split(" ", 1)[1] in json.dumps(lost["repairs"])
    assert json.loads(told("explain", file, "--variant", "held", "--json"))["defensible"] is True


def test_recommend_should_find_the_change(subject):
    file, change, _ = subject
    assert f"• cost 1  {change}\n" in told("recommend", file)


def test_compare_should_draw_both_designs(subject):
    file, *_ = subject
    page = file.with_name("compared.html")
    told("compare", file, "--no-learning", "--csv", "--html", page, code=1)
    assert page.read_text("utf-8").count("<svg") > 2


def test_play_should_take_a_move_and_keep_the_trace(subject):
    file, _, move = subject
    trace = Path(file).with_suffix(".txt")
    shown = told("play", file, "--variant", "held", "--moves", "6", "--save", trace, typed=f"{move}\nquit\n")
    assert move in shown
    assert "REPRODUCED" in told("play", file, "--replay", trace)


def test_a_certificate_should_stand_without_the_solver(subject):
    file, *_ = subject
    proof = file.with_name("proof.json")
    told("check", file, "--variant", "held", "--certificate", proof, "--no-response")
    assert "VALID" in told("verify", proof).upper()


def test_the_studio_should_draw_what_it_cannot_edit(subject):
    """Should place every node on the canvas and offer no operation on the structure."""
    found = read_scenario(subject[0])
    here = configuration(found)
    canvas = drawing(found, here, here)
    assert canvas["editable"] is False
    assert {node["variable"] for node in canvas["nodes"]} == {v.name for v in here.game.variables}
    assert len({(node["x"], node["y"]) for node in canvas["nodes"]}) == len(canvas["nodes"])
