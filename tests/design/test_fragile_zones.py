"""What must never be added to a zone against the whole with each addition, solved."""

from collections import Counter
from random import Random

from cases import TIMES
from holdfast.composition import compose, decisive_zone, zone_design
from holdfast.design import zone_fragility
from holdfast.design.additions import fragile_design
from holdfast.errors import InputError
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve
from zoned import zoned_network


def test_what_is_listed_breaks_the_whole_and_what_is_not_does_not():
    seen = Counter()
    for seed in range(20 * TIMES):
        try:
            whole = configuration(scenario_from_text(zoned_network(Random(seed))))
        except InputError:
            continue
        found = compose(whole)
        if not found.defensible:
            continue
        zone = decisive_zone(found)
        told = zone_fragility(found, zone)
        listed = {each.additions[0] for each in told.breakers}
        asked = {each.text for each in zone_design(found, zone).system.additions()}
        universe = fragile_design(whole)
        for number, each in enumerate(universe.additions):
            if each.text not in asked:
                continue
            try:
                breaks = not solve(universe.extended({number})).defensible
            except InputError:
                continue
            if each.text in listed:
                assert breaks, (seed, each.text)
                seen["breaks"] += 1
            elif each.text not in told.undecided and told.complete_to >= each.cost:
                assert not breaks, (seed, each.text)
                seen["tolerated"] += 1
    assert seen["breaks"] and seen["tolerated"]
