"""Solved games to train in."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from holdfast.game.configuration import configure
from holdfast.models.network.game import network_game
from holdfast.scenario.reading import configuration as configured, load, scenario_from_text
from holdfast.solver.engines import solve
from paths import SCENARIOS

RESTING = """
holdfast: 1
game:
  variables: {alarm: [off, on], spent: 0..3}
  initial: {alarm: off, spent: 0}
  defender: {wait: {}, reset: {set: {alarm: off}}}
  adversary: {ring: {when: spent < 3, set: {alarm: on, spent: spent + 1}}}
  dominance: 1 - spent / 3
  reset: {when: spent = 3, probability: 0.5, set: {spent: 0, alarm: off}}
specs:
  adversary: ["G (times(ring) <= 3)"]
"""


@cache
def solution_of(name: str):
    if name == "twenty hosts":
        hosts = [f"h{i}" for i in range(20)]
        links = [*pairwise(hosts), *zip(hosts[::3], hosts[2::3])]
        game = network_game(hosts, links, "h0")
        bad = "h18 in {X, D, Z} & h19 in {X, D, Z}"
        return solve(configure(game, [f"G !({bad})", "G (active >= 17)"], ["G (times(destroy) <= 2)"]))
    if name == "resting":
        return solve(configured(scenario_from_text(RESTING)))
    return solve(load(SCENARIOS / f"{name}.yaml"))
