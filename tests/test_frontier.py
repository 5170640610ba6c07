"""The threat frontier: equal to the grid filled in cell by cell, with far fewer solves."""

import itertools
import json
import random
from pathlib import Path

import pytest
from typer.testing import CliRunner

from holdfast.budget import Budget
from holdfast.cli import app
from holdfast.engines import solve
from holdfast.errors import InputError
from holdfast.executor import Workplace
from holdfast.scenario.load import configuration, read_scenario, scenario_from_text
from holdfast.whatif.frontiers import (
    at_numbers,
    contrasts,
    frontier,
    levels,
    numbers_of,
    scales_of,
    to_object,
)

PAPER = Path(__file__).parents[1] / "scenarios" / "paper.yaml"
SERIAL = Budget(jobs=1)


def designs_of(scenario):
    return {name: configuration(scenario, name) for name in ("base", *scenario.variants)}


def filled(here, scales):
    """The same by solving every cell of the grid."""
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


def test_processes_give_the_same():
    designs = designs_of(read_scenario(PAPER))
    usual = scales_of(designs["base"])
    assert [scale.text() for scale in usual] == ["active >= k", "times(destroy) <= k"]
    assert [scale.values for scale in usual] == [(1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5)]
    scales = scales_of(designs["base"], ["active=3..4", "times(destroy)=0..1"])
    both = frontier(designs, scales, budget=Budget(jobs=2), workplace=Workplace(patience=-1.0))
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
    told = to_object(found)
    assert told["designs"][0]["limits"][0]["at"] == [2]
    assert [s["number"] for s in told["scales"]] == ["active >= k", "times(destroy) <= k"]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (["destroy"], "is no number with its values"),
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

    found = frontier({"base": here}, scales, budget=Budget(jobs=1, watch=watch))
    assert found.staircases[0].unfinished == "no time" and set(found.staircases[0].reach) == {None}


# -- the command ------------------------------------------------------------------------------------


def test_the_command_answers_in_every_form(tmp_path):
    page, drawing = tmp_path / "frontier.html", tmp_path / "frontier.svg"
    options = ["--over", "active=2..4", "--over", "times(destroy)=0..2", "-v", "no-bypass"]
    command = ["frontier", str(PAPER), *options, "--html", str(page), "--svg", str(drawing)]
    text = CliRunner().invoke(app, command)
    assert text.exit_code == 0, text.output
    assert "no-bypass bears as much as base at every level." in text.output
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
