"""Readings of the whole from its zones against those of the whole, solved at once."""

from collections import Counter
from math import inf
from random import Random

from cases import TIMES
from holdfast.budget import Budget
from holdfast.composition import compose
from holdfast.composition.zone_readings import composed_readings
from holdfast.errors import InputError
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import recovery_layers, response_profile, solve
from zoned import zoned_network


def _number(reading):
    return inf if reading in ("unbounded", "never") else reading


def _within(value, between, what, seen):
    if value is None:
        return
    seen[what] += 1
    if between.low is not None:
        assert _number(between.low) <= _number(value), what
    if between.high is not None:
        assert _number(value) <= _number(between.high), what
    seen[f"{what}, exact"] += between.exact


def test_readings_of_the_whole_are_within_what_zones_prove():
    seen = Counter()
    for seed in range(20, 20 + 40 * TIMES):  # among which some goal is never reached
        draw = Random(seed)
        text = zoned_network(draw)
        if draw.random() < 0.3:
            text += "effort: {fix: 3, isolate(a0): 0}\n"
        try:
            whole = configuration(scenario_from_text(text))
        except InputError:
            continue
        found = compose(whole, most_nodes=6 if seed % 2 else 0)
        read = composed_readings(found)
        if read is None:
            continue
        solution = solve(whole)
        profile = response_profile(solution)
        _within(profile.effort, read.effort, "effort", seen)
        _within(profile.grace, read.grace, "grace", seen)
        _within(profile.tempo, read.tempo, "tempo", seen)
        for goal, least in read.goals.items():
            rank = recovery_layers(solution, goal).rank(whole.initial)
            if least is not None:
                assert _number(least) <= (inf if rank is None else rank), (seed, goal)
                seen["goal"] += 1
                seen["goal, never"] += least == "never"
        assert read.weakest is None or read.zones[read.weakest].grace is not None
    assert all(seen[what] for what in ("effort, exact", "grace, exact", "goal", "goal, never", "tempo"))


def test_only_what_is_held_has_readings():
    text = zoned_network(Random(0)).replace("defender:\n", "defender:\n    - G (a0 = I)\n")
    assert composed_readings(compose(configuration(scenario_from_text(text)))) is None


TWO = """holdfast: 1
network:
  hosts: [a0, a1, b0, b1]
  zones: {za: [a0, a1], zb: [b0, b1]}
  links: [a0 -> a1, a1 -> b0, b0 -> b1]
  entry: a0
specs: {defender: [G (a1 != Z), G (b1 != Z)]}
"""


def test_what_takes_too_many_steps_is_left_out_and_named(monkeypatch):
    found = compose(configuration(scenario_from_text(TWO)))
    full = composed_readings(found)
    assert full.unread == "" and full.weakest is not None
    monkeypatch.setattr("holdfast.composition.zone_readings.MOST_STEPS", 5)
    read = composed_readings(found, Budget(jobs=1))
    assert read.unread == "za, zb (stopped after 5 steps)" and read.weakest is None
    assert read.grace.low is None and read.effort.high is None  # what would follow from all zones


def test_a_limit_of_the_whole_is_told_as_such():
    found = compose(configuration(scenario_from_text(TWO)))
    read = composed_readings(found, Budget.lasting(0.0, "--timeout"))
    assert read.unread == "za, zb (stopped after 0 s, as --timeout asks)"
