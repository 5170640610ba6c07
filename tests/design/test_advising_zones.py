"""Advice found on zones against the whole: what is proved holds there, and nothing is cheaper than is claimed."""

from collections import Counter
from random import Random

from cases import TIMES
from holdfast.design import design_space, zone_advice
from holdfast.design.recommend.remedies import remedies
from holdfast.errors import InputError
from holdfast.scenario import scenario_from_text
from holdfast.solver import response_profile, solve
from zoned import zoned_network


def test_what_is_advised_makes_the_whole_hold_and_costs_no_less_than_is_claimed():
    seen = Counter()
    for seed in range(7, 7 + 20 * TIMES):  # among which are both kinds of designs
        text = zoned_network(Random(seed))
        try:
            space = design_space(scenario_from_text(text))
            advice = zone_advice(space)
        except InputError:
            continue
        if advice.found.defensible:
            for one in advice.better:
                number = next(i for i, change in enumerate(space.changes) if change.name == one.change)
                assert solve(space.changed({number})).defensible, seed
                seen["better"] += 1
            continue
        for one in advice.sets:
            chosen = [i for i, change in enumerate(space.changes) if change.name in one.changes]
            assert space.cost(chosen) == one.cost and space.keeps(chosen)
            assert solve(space.changed(chosen)).defensible, seed
            seen["proved"] += 1
        if solve(space.configuration).defensible:
            assert advice.at_least == 0
            continue
        exact = remedies(space)
        if exact.sets:
            assert advice.at_least <= exact.sets[0].cost, seed
            if advice.cheapest_known:
                assert advice.sets[0].cost == exact.sets[0].cost, seed
                seen["cheapest"] += 1
        else:
            assert not advice.sets
    assert seen["better"] and seen["proved"] and seen["cheapest"]


TWO_LOST = """holdfast: 1
network:
  hosts: [a0, a1, b0, b1]
  zones: {za: [a0, a1], zb: [b0, b1]}
  links: [a0 -> a1, b0 -> b1]
  entry: [a0, b0]
  reset: none
specs: {defender: [G (a1 = C), G (b1 = C)]}
"""


def test_zones_are_repaired_one_after_the_other():
    advice = zone_advice(design_space(scenario_from_text(TWO_LOST)))
    assert [(one.changes, one.cost) for one in advice.sets] == [(("cut a0 -> a1", "cut b0 -> b1"), 2)]
    assert advice.at_least == 2 and advice.cheapest_known and advice.zone == "za"


def test_a_better_zone_is_read_in_the_changed_zone():
    text = TWO_LOST.replace("G (a1 = C), G (b1 = C)", "G (a1 != Z), G (b1 != Z)") + "  \n"
    advice = zone_advice(design_space(scenario_from_text(text)))
    assert advice.found.defensible and advice.better
    first = advice.better[0]
    assert (first.grace, first.effort) == ("unbounded", 0)
    space = advice.space
    number = next(i for i, change in enumerate(space.changes) if change.name == first.change)
    profile = response_profile(solve(space.changed({number})))
    assert profile.effort is not None
