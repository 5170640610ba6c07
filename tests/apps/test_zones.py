"""``check --by-zone``: words, plain data, exit codes, proposed zones."""

from __future__ import annotations

import json
from functools import partial

import pytest
from typer.testing import CliRunner

from holdfast.apps.cli import app
from holdfast.composition import compose
from holdfast.errors import LimitError

TEXT = """holdfast: 1
name: Two sites
network:
  hosts: [a0, a1, b0, b1]
  zones: {north: [a0, a1], south: [b0, b1]}
  links: [a0 -> a1, b0 -> b1, a1 -> b0]
  entry: a0
specs:
  defender:
    - per_zone: G (count(zone in {I, Z}) <= 1)
    - {name: no loss in the south, formula: G (b0 != Z)}
  adversary: [G (times(destroy) <= 1)]
variants:
  open: {specs: {defender: {add: [G (a0 != Z)]}}}
  needy: {specs: {defender: {add: [G (b0 = C)]}}}
"""


FAST = ("--no-latitude", "--no-response", "--no-recovery")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "sites.yaml"
    path.write_text(TEXT, "utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["check", *map(str, arguments)])


def test_the_answer_in_words(file):
    answer = run(file, "--by-zone")
    assert answer.exit_code == 0
    assert "DEFENSIBLE" in answer.stdout and "4 hosts in 2 zones" in answer.stdout
    said = " ".join(answer.stdout.split())
    assert "would make its weakest zone hold better: holdfast recommend" in said and said.endswith(
        "--by-zone"
    )


def test_the_answer_as_plain_data(file):
    answer = json.loads(run(file, "--by-zone", "--json").stdout)
    assert answer["defensible"] is True
    assert [zone["name"] for zone in answer["composition"]["zones"]] == ["north", "south"]
    assert answer["composition"]["decided_by"] == "zones"


def test_what_zones_say_is_told_when_the_whole_takes_too_long(file, monkeypatch):
    """The zones leave it open, then the whole is asked, and the time runs out: their answer is not lost."""

    def stopped(*given, **options):
        raise LimitError("the time ran out")

    monkeypatch.setattr("holdfast.apps.services.zones.is_large", lambda scenario, most=150: most < 1_000)
    monkeypatch.setattr("holdfast.composition.compose", partial(compose, most_nodes=0))
    monkeypatch.setattr("holdfast.apps.services.design.check", stopped)
    answer = run(file, "--variant", "needy", "--json")
    found = json.loads(answer.stdout)
    assert (answer.exit_code, found["defensible"]) == (3, None)
    assert [zone["defensible"] for zone in found["composition"]["zones"]] == [True, None]
    assert "too large" in found["composition"]["open"]
    assert found["composition"]["open"].endswith("the whole was not solved either: the time ran out")


def test_readings_of_the_whole_follow_from_those_of_zones(file, tmp_path):
    answer = run(file, "--by-zone", "--html", tmp_path / "zones.html")
    assert "weakest" in answer.stdout and "at most" in answer.stdout
    found = json.loads(run(file, "--by-zone", "--json").stdout)["composition"]
    assert found["weakest"] == "south"
    assert found["readings"]["effort"] == {"low": 0, "high": 1}
    assert found["exposures"] == [{"from": "north", "to": "south", "through": 1, "promised": 0}]
    assert [zone["effort"] for zone in found["zones"]] == [0, 1]
    page = (tmp_path / "zones.html").read_text("utf-8")
    assert "<svg" in page and "south ×2" in page and "the weakest zone" in page
    bare = json.loads(run(file, "--by-zone", "--json", "--no-response", "--no-recovery").stdout)
    assert "readings" not in bare["composition"]


def test_a_zone_that_is_lost_is_named(file):
    answer = run(file, "--by-zone", "--variant", "open")
    assert answer.exit_code == 1
    assert "north cannot be defended even by itself" in answer.stdout and "destroy(a0)" in answer.stdout
    found = json.loads(run(file, "--by-zone", "--variant", "open", "--json").stdout)
    assert [zone["defensible"] for zone in found["composition"]["zones"]] == [False, True]
    assert [step["action"] for step in found["attack"]["steps"]] == ["destroy(a0)"]


def test_groups_in_zones_count_with_all_their_hosts(tmp_path):
    """Many hosts in a few counted groups are asked about zone by zone, without being asked to."""
    path = tmp_path / "groups.yaml"
    text = (
        TEXT.replace(
            "a1, b0, b1]", "a1, b0, b1, {ws: {count: 90, alike: yes}}, {pc: {count: 90, alike: yes}}]"
        )
        .replace("[a0, a1]", "[a0, a1, ws]")
        .replace("[b0, b1]", "[b0, b1, pc]")
    )
    path.write_text(text.replace("a1 -> b0]", "a1 -> b0, a0 -> ws, b1 -> pc]"), "utf-8")
    composition = json.loads(run(path, "--json").stdout)["composition"]
    assert [zone["hosts"] for zone in composition["zones"]] == [92, 92]
    path.write_text("\n".join(line for line in text.splitlines() if "zone" not in line), "utf-8")
    assert "composition" not in json.loads(run(path, "--json", *FAST).stdout)


def test_reasons_are_those_of_the_zone_that_decides(file):
    answer = CliRunner().invoke(app, ["explain", str(file), "--by-zone", "--variant", "open"])
    assert answer.exit_code == 1
    assert "The attack works on the whole network" in answer.stdout and "destroy(a0)" in answer.stdout
    held = json.loads(CliRunner().invoke(app, ["explain", str(file), "--by-zone", "--json"]).stdout)
    assert held["zone"] == "south" and "whatever comes in" in held["follows"]
    assert held["explanation"]["defensible"] is True
    refused = CliRunner().invoke(app, ["explain", str(file), "--by-zone", "--best-play"])
    assert refused.exit_code == 2


def test_advice_is_found_on_the_zone_that_decides(file):
    held = CliRunner().invoke(app, ["recommend", str(file), "--by-zone"])
    assert (
        held.exit_code == 0 and "its weakest zone is south" in held.stdout and "cut a1 -> b0" in held.stdout
    )
    text = TEXT.replace("G (a0 != Z)", "G (a1 = C)")
    file.write_text(text, "utf-8")
    lost = CliRunner().invoke(app, ["recommend", str(file), "--by-zone", "--variant", "open", "--json"])
    found = json.loads(lost.stdout)
    assert lost.exit_code == 0 and found["repairs"] == [{"changes": ["cut a0 -> a1"], "cost": 1}]
    assert found["cheapest"] is True and found["zone"] == "north"
    words = CliRunner().invoke(app, ["recommend", str(file), "--by-zone", "--variant", "open"]).stdout
    assert "then the whole network holds" in words and "no set costs less" in words
    assert CliRunner().invoke(app, ["recommend", str(file), "--by-zone", "--for", "evict"]).exit_code == 2


def test_what_must_never_be_added_to_the_zone_that_decides(file):
    answer = CliRunner().invoke(app, ["fragile", str(file), "--by-zone"])
    assert answer.exit_code == 0 and "expose b1" in answer.stdout and "The zone south" in answer.stdout
    found = json.loads(CliRunner().invoke(app, ["fragile", str(file), "--by-zone", "--json"]).stdout)
    assert found["zone"] == "south" and found["robustness"] == 1
    assert CliRunner().invoke(app, ["fragile", str(file), "--by-zone", "--kind", "budget"]).exit_code == 2
    lost = CliRunner().invoke(app, ["fragile", str(file), "--by-zone", "--variant", "open"])
    assert lost.exit_code == 1 and "NOT DEFENSIBLE" in lost.stdout


def test_it_agrees_with_the_whole(file):
    for variant in ("base", "open"):
        whole = run(file, "--variant", variant, "--no-ladder", "--no-response", "--no-recovery")
        assert whole.exit_code == run(file, "--by-zone", "--variant", variant).exit_code


def test_what_is_solved_is_kept(file, tmp_path):
    log = tmp_path / "log"
    first = json.loads(run(file, "--by-zone", "--json", "--resume", log).stdout)
    assert log.stat().st_size
    assert json.loads(run(file, "--by-zone", "--json", "--resume", log).stdout) == first


def test_zones_are_proposed_and_written(file, tmp_path):
    bare, written = tmp_path / "bare.yaml", tmp_path / "zoned.yaml"
    text = TEXT.replace("  zones: {north: [a0, a1], south: [b0, b1]}\n", "")
    bare.write_text(text.replace("    - per_zone: G (count(zone in {I, Z}) <= 1)\n", ""), "utf-8")
    assert run(bare, "--write-zones", written).exit_code == 0
    assert "zone1: [a0, a1, b0, b1]" in written.read_text("utf-8")
    assert run(written, "--by-zone").exit_code == 0
    again = run(file, "--write-zones", tmp_path / "again.yaml")
    assert again.exit_code == 2 and "names its zones already" in again.stderr


def test_what_is_not_asked_zone_by_zone(file, tmp_path):
    assert run(file, "--by-zone", "--any-entry").exit_code == 2
    assert run(file, "--resume", tmp_path / "log").exit_code == 2


def test_the_verdict_is_certified(file, tmp_path):
    for variant, word in (("base", "DEFENSIBLE by 2 zones"), ("open", "NOT DEFENSIBLE")):
        proof = tmp_path / f"{variant}.json"
        run(file, "--by-zone", "--variant", variant, "--certificate", proof)
        checked = CliRunner().invoke(app, ["verify", str(proof)])
        assert checked.exit_code == 0 and word in checked.stdout
