"""The chances of grids, plants and cells: what fails is as if nobody had acted."""

from __future__ import annotations

import re

import pytest

from holdfast.errors import ScenarioError
from holdfast.game.structure import has_chance
from holdfast.logic.expressions import Player
from holdfast.operation.holding.asking import hold
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct

GRID = """
grid:
  branches:
    AB: {from: A, to: B, x: 0.1, rating: 80}
    AC: {from: A, to: C, x: 0.1, rating: 80}
  loads: {B: 50, C: 20}
  generators: {A: 90}
  CHANCE
specs: {defender: [G (served >= 50)], adversary: [G (times(trip) <= 2)]}
"""
PLANT = """
plant:
  tanks: {T1: {holds: 3, level: 1}}
  lines:
    P1: {from: source, to: T1, pump: "on", trips: [LT1 >= 2]}
    V1: {from: T1, to: drain, valve: open, sabotage: [flip]}
  sensors: {LT1: {of: T1, sabotage: [blind]}}
  CHANCE
specs: {defender: [G (T1 < 3)]}
"""
CELL = """
cell:
  plan: |
    #####
    #R.P#
    #####
  places: {press: P, home: R}
  robot: d2
  hazards: {press: {phases: [up, down]}}
  CHANCE
specs: {defender: [G !struck]}
"""
CASES = {
    "grid": (GRID, "chance: {trip: 0.4, reclose: 0.5}", "trp"),
    "plant": (PLANT, "chance: {blind: 0.3, repair(LT1): 0.5, stop: 0.5, open: 0.5}", "blnd"),
    "cell": (CELL, "chance: {go: 0.75, trigger(press): 0.5}", "trigger(pres)"),
}


def configured(text, chance):
    return configuration(scenario_from_text("holdfast: 1\n" + text.replace("CHANCE", chance)), None)


@pytest.mark.parametrize("model", CASES)
def test_hold_of_each_model_is_that_of_the_fractions(model):
    """Should contain the exact value; and be a game without chance where every chance is 1, or none is given."""
    text, chance, _ = CASES[model]
    here = configured(text, chance)
    assert has_chance(here.game)
    oracle = ChanceProduct(here)
    curve, found = oracle.hold_within(8), hold(solve(here), (1, 2, 3, 8))
    assert all(curve[t] in found.moves[t] for t in (1, 2, 3, 8))
    assert 0 < curve[8] < 1 and oracle.hold() in found.forever
    certain = re.sub(r"0\.\d+", "1", chance)
    plain, sure = configured(text, ""), configured(text, certain)
    assert plain.game.actions == sure.game.actions and not has_chance(plain.game)


@pytest.mark.parametrize("model", CASES)
def test_an_action_that_there_is_not_is_named(model):
    """Should say at its place what is no action, and what was probably meant."""
    text, _, wrong = CASES[model]
    with pytest.raises(ScenarioError, match="is not an action that may fail; did you mean"):
        configured(text, f"chance: {{{wrong}: 0.5}}")


def test_what_never_succeeds_is_waiting():
    """Should be the tables of waiting for what has the chance 0, by the name of the action."""
    game = configured(GRID, "chance: {trip(AB): 0}").game
    names = [action.name for action in game.actions[Player.ADVERSARY]]
    table = game.tables[Player.ADVERSARY]
    assert (table[:, names.index("trip(AB)")] == table[:, 0]).all()
    assert (table[:, names.index("trip(AC)")] != table[:, 0]).any()


def test_a_variant_adds_chances():
    """Should put those of a variant on top, and let go of what a variant takes away."""
    text = "holdfast: 1\n" + GRID.replace("CHANCE", "chance: {trip(AC): 0.4}")
    text += "variants: {more: {grid: {chance: {trip: 0.1}}}, less: {grid: {remove_branches: [AC], loads: {C: 0}}}}\n"
    scenario = scenario_from_text(text)
    drawn = {
        a.name: str(a.probability)
        for a in configuration(scenario, "more").game.actions[Player.ADVERSARY]
        if not a.name.endswith("fails")
    }
    assert drawn["trip(AC)"] == "2/5" and drawn["trip(AB)"] == "1/10"
    assert not has_chance(configuration(scenario, "less").game)
