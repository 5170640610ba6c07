"""The threat frontier: equal to the grid filled in cell by cell, with far fewer solves."""

import itertools
import json
import random
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from holdfast.apps.cli import app
from holdfast.budget import Budget
from holdfast.design.frontiers import (
    Frontier,
    Staircase,
    at_numbers,
    cell_readings,
    contrasts,
    frontier,
    frontier_object,
    levels,
    numbers_of,
    scales_of,
)
from holdfast.errors import InputError
from holdfast.report.documents.frontier import frontier_document
from holdfast.report.renderers.terminal import terminal
from holdfast.running.tasks import Backend
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from holdfast.solver.restrictions import Restriction, restricted
from paths import SCENARIOS

PAPER = SCENARIOS / "paper.yaml"
SERIAL = Budget(jobs=1)


def designs_of(scenario):
    return {name: configuration(scenario, name) for name in ("base", *scenario.variants)}


def filled(here, scales):
    """The frontier by solving every cell of the grid."""
    numbers, reach = numbers_of(here, scales), []
    for level in levels(scales):
        verdicts = [solve(at_numbers(here, numbers, [*level, k])).defensible for k in scales[-1].values]
        assert verdicts == sorted(verdicts, reverse=True), "none holds after one that does not"
        reach.append(sum(verdicts))
    return tuple(reach)


def test_five_designs_of_the_paper_are_those_of_the_whole_grid():
    designs = designs_of(read_scenario(PAPER))
    scales = scales_of(designs["base"], ["active=1..5", "times(destroy)=0..5"])
    assert [scale.values for scale in scales] == [(1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)]
    found = frontier(designs, scales, budget=SERIAL)
    for staircase in found.staircases:
        here = designs[staircase.label]
        assert staircase.reach == filled(here, scales), staircase.label
        assert staircase.n_solved <= len(scales[0].values) + len(scales[1].values)


@pytest.mark.parametrize("seed", range(15))
def test_random_grids_in_two_and_three_dimensions(seed):
    rng = random.Random(seed)
    hosts = ["a", "b", "c"]
    links = [f"{x} -> {y}" for x, y in itertools.permutations(hosts, 2) if rng.random() < 0.5] or ["a -> b"]
    text = f"""
holdfast: 1
network: {{hosts: [a, b, c], links: {links}, entry: a}}
specs:
  defender: ["G (active >= 2)", "G (count(b, c in {{X, D, Z}}) <= 1)"]
  adversary: ["G (times(destroy) <= 1)"]
"""
    here = configuration(scenario_from_text(text))
    asked = ["active=0..3", "count=0..2", "times(destroy)=0..3", "times(spread)=0..2"]
    scales = scales_of(here, rng.sample(asked, rng.choice((2, 3))))
    found = frontier({"base": here}, scales, budget=SERIAL)
    assert found.staircases[0].reach == filled(here, scales)


def from_all(here, n):
    """Whether it is defensible from every choice of at most n starts, by solving a configuration for each."""
    places = [name for name in here.system.graph.names if name != "c"]
    for size in range(1, n + 1):
        for chosen in itertools.combinations(places, size):
            state = tuple(1 if v.name in chosen else 0 for v in here.game.variables)
            game = replace(here.game, initial=state)
            if not solve(replace(here, system=replace(here.system, game=game))).defensible:
                return False
    return True


@pytest.mark.parametrize("seed", range(8))
def test_grids_over_tempo_effort_grace_and_entries(seed):
    """Should be those of the grid filled in, each cell by a clause of its own or by solving every start."""
    rng = random.Random(seed)
    hosts = ["a", "b", "c"]
    links = [f"{x} -> {y}" for x, y in itertools.permutations(hosts, 2) if rng.random() < 0.6] or ["a -> c"]
    clause = rng.choice(("G (c != Z)", "G !(c in {D, Z})"))
    text = f"""
holdfast: 1
network: {{hosts: [a, b, c], links: {links}, entry: a}}
specs: {{defender: ["{clause}", "G (active >= 1)"], adversary: ["G (times(destroy) <= 1)"]}}
"""
    here = configuration(scenario_from_text(text))
    asked = ["active=1..2", "tempo=1..3", "effort=0..2", "grace=0..2", "entries=1..2"]
    scales = scales_of(here, rng.sample(asked, 2))
    found = frontier({"base": here}, scales, budget=SERIAL)
    reach = []
    for level in levels(scales):
        verdicts = []
        for k in scales[-1].values:
            value = dict(zip((s.template.split(" ")[0] for s in scales), (*level, k)))
            cell = here
            if "active" in value:
                own = scales_of(here, ["active=1..2"])
                cell = at_numbers(cell, numbers_of(cell, own), [value["active"]])
            for kind in {"tempo", "effort", "grace"} & value.keys():
                cell = restricted(cell, Restriction(kind, value[kind]))
            held = from_all(cell, value["entries"]) if "entries" in value else solve(cell).defensible
            verdicts.append(held)
        assert verdicts == sorted(verdicts, reverse=True)
        reach.append(sum(verdicts))
    assert found.staircases[0].reach == tuple(reach)


def test_circumstances_that_cannot_be_are_refused():
    tank = configuration(read_scenario(PAPER.parent / "water-tank.yaml"))
    with pytest.raises(InputError, match='no number is called "entries"'):
        scales_of(tank, ["entries=1..2"])
    here = configuration(read_scenario(PAPER))
    (scale,) = scales_of(here, ["entries=0..9"])
    assert scale.values == (1, 2, 3) and scale.value == 1  # DB and BK are what must not fall
    found = frontier({"base": here}, [scale], budget=SERIAL)
    with pytest.raises(InputError, match="a reading is of one start"):
        cell_readings({"base": here}, found, "win")
    (effort,) = scales_of(here, ["effort=0..2"])
    assert effort.values == (2, 1, 0)


ARMOUR = """
holdfast: 1
game:
  variables: {armour: 0..1, hits: 0..6}
  initial: {armour: 0, hits: 0}
  first: adversary
  defender: {wait: {}}
  adversary:
    destroy: [{when: armour = 1, set: {armour: 0}}, {when: hits < 6, set: {hits: hits + 1}}]
    wait: {}
  dominance: 1 - hits / 6
specs:
  defender: [G (hits <= 2)]
  adversary: [G (times(destroy) <= 3)]
variants:
  armoured: {game: {initial: {armour: 1, hits: 0}}}
"""


def test_a_variant_without_the_number_is_left_out_unless_it_is_asked_for(tmp_path):
    """Should name it and go on with the others; who asks for it is told that it cannot be."""
    file = tmp_path / "armour.yaml"
    file.write_text(ARMOUR + "  other: {specs: {defender: [G (armour <= 1)]}}\n", "utf-8")
    told = CliRunner().invoke(app, ["frontier", str(file), "--over", "hits=0..1"])
    assert told.exit_code == 0 and "armoured" in told.stdout
    assert told.stderr == 'left out: the variant "other" has no number as in hits <= k\n'
    asked = CliRunner().invoke(app, ["frontier", str(file), "--over", "hits=0..1", "-v", "other"])
    assert asked.exit_code == 2 and 'the variant "other" has no number as in hits <= k' in asked.stderr


def test_designs_that_tolerate_the_same_share_a_panel_with_a_short_name():
    """Should say how many they are, where all names would not fit above the panel."""
    names = ("fully-connected", "unlimited-destroys", "no-bypass")
    scales = scales_of(configuration(read_scenario(PAPER)), ["active=1..2", "times(destroy)=0..1"])
    same = Frontier(scales, tuple(Staircase(name, (2, 1), 3) for name in names))
    other = replace(same, staircases=(*same.staircases[:2], Staircase(names[2], (2, 2), 3)))
    told = [" ".join(terminal(frontier_document(found)).split()) for found in (same, other)]
    assert "all 3 designs, across times(destroy) <= k" in told[0]
    assert "fully-connected and unlimited-destroys, across times(destroy) <= k" in told[1]


def test_one_more_at_every_level_is_said_in_words(tmp_path):
    file = tmp_path / "armour.yaml"
    file.write_text(ARMOUR, "utf-8")
    over = ["--over", "hits=0..3", "--over", "times(destroy)=0..6"]
    told = CliRunner().invoke(app, ["frontier", str(file), *over])
    assert "armoured tolerates one more destroy at every level than base." in " ".join(told.output.split())
    scales = scales_of(configuration(scenario_from_text(ARMOUR)), ["hits=0..3", "times(destroy)=0..6"])
    stairs = (Staircase("base", (3, 2, 1, 0), 9), Staircase("armoured", (4, 3, 2, 0), 9))
    (contrast,) = contrasts(Frontier(scales, stairs))
    assert (contrast.everywhere, contrast.n_levels, contrast.n_hopeless) == (1, 3, 1)
    document = frontier_document(Frontier(scales, stairs))
    said = "armoured tolerates one more destroy at every level that can be held at all than base."
    assert said in " ".join(terminal(document).split())


def test_processes_give_the_same():
    designs = designs_of(read_scenario(PAPER))
    usual = scales_of(designs["base"])
    assert [scale.text() for scale in usual] == ["active >= k", "times(destroy) <= k"]
    assert [scale.values for scale in usual] == [(1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)]
    scales = scales_of(designs["base"], ["active=3..4", "times(destroy)=0..1"])
    both = frontier(designs, scales, budget=Budget(jobs=2), backend=Backend(patience=-1.0))
    assert both == frontier(designs, scales, budget=SERIAL)


def test_contrasts_say_how_much_more_a_design_bears():
    designs = designs_of(read_scenario(PAPER))
    found = frontier(
        designs, scales_of(designs["base"], ["active=2..4", "times(destroy)=0..4"]), budget=SERIAL
    )
    reach = {s.label: s.reach for s in found.staircases}
    for contrast in contrasts(found):
        pairs = list(zip(reach["base"], reach[contrast.label]))
        assert contrast.more == sum(b > a for a, b in pairs)
        assert contrast.fewer == sum(b < a for a, b in pairs)
    told = frontier_object(found)
    assert told["designs"][0]["limits"][0]["at"] == [2]
    assert [s["number"] for s in told["scales"]] == ["active >= k", "times(destroy) <= k"]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (["destroy"], "is not a number with its values"),
        (["nothing=0..3"], "no number is called"),
        (["times=0..3"], "could be several"),
        (["times(destroy)=5..1"], "a first and a last value"),
        (["times(destroy)=0..1", "times(destroy) <= =0..2"], "twice"),
        (["active=0..5", "times(destroy)=0..90", "times(spread)=0..90"], "cells"),
    ],
)
def test_scales_that_cannot_be_are_refused(asked, problem):
    with pytest.raises(InputError, match=problem):
        scales_of(configuration(read_scenario(PAPER)), asked)


def test_time_that_is_over_leaves_a_design_open():
    here = configuration(read_scenario(PAPER))
    scales = scales_of(here)

    def watch(doing, done):
        if doing.startswith("frontier, game 2"):
            from holdfast.errors import LimitError

            raise LimitError("no time")

    found = frontier({"base": here}, scales, budget=Budget(jobs=1, watch=watch)).staircases[0]
    whole = frontier({"base": here}, scales).staircases[0]
    known = [reach for reach in found.reach if reach is not None]
    assert found.unfinished == "no time" and 0 < len(known) < len(found.reach)
    assert known == [*whole.reach[: len(known)]], "Should keep the levels that were found by then"
    text = terminal(frontier_document(Frontier(scales, (found,)), "x.yaml"))
    assert text.splitlines()[-1].startswith(f"  {len(known) * len(scales[-1].values)} of ")


# -- the command ------------------------------------------------------------------------------------


def test_the_command_answers_in_every_form(tmp_path):
    page, drawing = tmp_path / "frontier.html", tmp_path / "frontier.svg"
    options = ["--over", "active=2..4", "--over", "times(destroy)=0..2", "-v", "no-bypass"]
    command = ["frontier", str(PAPER), *options, "--html", str(page), "--svg", str(drawing)]
    text = CliRunner().invoke(app, command)
    assert text.exit_code == 0, text.output
    assert "no-bypass tolerates as much as base at every level." in text.output
    assert "4            ■  ·  ·" in text.output
    assert "<svg" in page.read_text("utf-8") and "<svg" in drawing.read_text("utf-8")
    found = json.loads(CliRunner().invoke(app, [*command[:8], "--json", "--reading", "win"]).stdout)
    (base, cut) = found["designs"]
    assert (
        base["limits"]
        == cut["limits"]
        == [
            {"at": [2], "holds": 2, "n_held": 3},
            {"at": [3], "holds": 2, "n_held": 3},
            {"at": [4], "holds": 0, "n_held": 1},
        ]
    )
    cell = next(c for c in found["cells"] if c["design"] == "base" and c["at"] == [3, 2])
    assert round(cell["win"], 4) == 0.4746


def test_a_killed_run_goes_on_from_its_log(tmp_path):
    log = tmp_path / "log.jsonl"
    command = ["frontier", str(PAPER), "--over", "times(destroy)=0..2", "--resume", str(log), "--json"]
    first = CliRunner().invoke(app, command).stdout
    lines = log.read_text().splitlines()
    assert len(lines) == 5
    log.write_text("\n".join(lines[:2]) + "\n")
    assert CliRunner().invoke(app, command).stdout == first
    assert len(log.read_text().splitlines()) == 5


def test_an_edited_log_changes_no_answer(tmp_path):
    """Should work out again what does not fit its seal, with a warning, and never end as a fault."""
    log = tmp_path / "log.jsonl"
    command = ["frontier", str(PAPER), "--over", "times(destroy)=0..2", "--resume", str(log), "--json"]
    first = CliRunner().invoke(app, command)
    lines = log.read_text().splitlines()
    for edit in (
        lambda line: line.replace('"value": [[3]', '"value": [[1]'),
        lambda line: json.dumps({"key": json.loads(line)["key"], "value": "nothing"}),
    ):
        assert edit(lines[0]) != lines[0]
        log.write_text("".join(f"{edit(line)}\n" for line in lines))
        again = CliRunner().invoke(app, command)
        assert (again.exit_code, again.stdout) == (first.exit_code, first.stdout)
        assert "warning: " in again.stderr and "damaged or edited" in again.stderr
