"""Sets of changes found zone by zone against the whole: each makes it hold, and nothing of it can be left out."""

from collections import Counter
from random import Random

from cases import TIMES
from holdfast.budget import UNLIMITED, Budget
from holdfast.composition import Answers, compose, zones_of
from holdfast.design import design_space
from holdfast.design.zone_cuts import zone_cuts
from holdfast.errors import InputError, LimitError
from holdfast.scenario import scenario_from_text
from holdfast.solver import solve
from zoned import zoned_network


def cuts_of(space, budget=UNLIMITED):
    """The sets that are found for a design, and what the whole says of some changes."""
    partition, _ = zones_of(space.configuration)
    answers = Answers(budget)

    def composed(made):
        return compose(space.changed(made), partition, answers=answers, most_nodes=0)

    return zone_cuts(space, composed(frozenset()), answers, composed), composed


def test_every_set_makes_the_whole_hold_and_keeps_what_has_to_stay():
    seen = Counter()
    for seed in range(21 * TIMES):
        try:
            space = design_space(scenario_from_text(zoned_network(Random(seed))))
            cuts, composed = cuts_of(space)
        except InputError:
            continue
        if composed(frozenset()).defensible:
            continue
        for chosen in cuts.found():
            assert chosen and space.keeps(chosen) and solve(space.changed(chosen)).defensible, seed
            seen["proved"] += 1
    assert seen["proved"] >= 5


def row(n_zones, targets=2):
    """Zones alike in a row, each with a gate that the one before reaches, and hosts that must stay clean."""
    zones = {f"z{z}": [f"g{z}", *(f"h{z}x{i}" for i in range(targets)), f"s{z}"] for z in range(n_zones)}
    links = [f"g{z} -> {name}" for z in range(n_zones) for name in zones[f"z{z}"][1:]]
    links += [f"g{z} -> g{z + 1}" for z in range(n_zones - 1)]
    clean = [f"G (h{z}x{i} = C)" for z in range(n_zones) for i in range(targets)]
    return f"""holdfast: 1
network:
  hosts: [{", ".join(name for of in zones.values() for name in of)}]
  zones: {{{", ".join(f"{zone}: [{', '.join(of)}]" for zone, of in zones.items())}}}
  links: [{", ".join(links)}]
  exposed: [g0]
  defender: staffed
specs: {{defender: [{", ".join(clean)}]}}
design: {{keep_paths: [{", ".join(f"outside -> s{z}" for z in range(n_zones))}]}}
"""


def test_zones_that_are_alike_take_back_the_same_changes():
    space = design_space(scenario_from_text(row(4)), kinds=["cut"])
    cuts, _ = cuts_of(space)
    expected = {f"cut g{z} -> h{z}x{i}" for z in range(4) for i in range(2)}
    assert [set(space.names(one)) for one in cuts.found()] == [expected, expected]
    alike = cuts._alike(cuts.composed(frozenset(cuts.home)), frozenset(cuts.home), [0, 1, 2, 3])
    assert len(set(alike.values())) < 4


def test_a_zone_that_is_cut_off_needs_nothing_itself():
    text = row(3).replace("design: ", "# design: ")
    cuts, composed = cuts_of(space := design_space(scenario_from_text(text), kinds=["cut"]))
    sets = [set(space.names(one)) for one in cuts.found()]
    assert {"cut g0 -> h0x0", "cut g0 -> h0x1", "cut g0 -> g1"} in sets
    assert all(
        composed(frozenset(i for i, c in enumerate(space.changes) if c.name in s)).defensible for s in sets
    )


def test_the_search_ends_with_its_time():
    cuts, _ = cuts_of(design_space(scenario_from_text(row(3))))
    cuts.answers.budget = Budget.lasting(0.0)
    try:
        list(cuts.found())
    except LimitError as limit:
        assert "stopped" in str(limit)
    else:
        raise AssertionError("nothing is found in no time")
