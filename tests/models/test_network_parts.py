"""Changes of a network against the same network written by hand, in both engines, and as the variant says it."""

import json
import random

import pytest

from cases import TIMES
from holdfast.design.recommend.recommending import recommend
from holdfast.design.recommend.space import USUAL, design_space
from holdfast.design.recommend.variants import with_variants
from holdfast.logic.expressions import Player
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from segments import Literal, random_design, scenario, with_flows

N_DESIGNS = 120 * TIMES


def zoned(seed):
    """A random design with two zones, now and then with flows, and as a file."""
    rng = random.Random(seed)
    design = random_design(rng, n_hosts=rng.choice((2, 3)))
    if rng.random() < 0.5:
        design = with_flows(design, rng)
    else:
        design |= {"flows": {}, "filtered": [], "serves": True}
    names = design["hosts"]
    zones = {"front": names[: len(names) // 2 + 1], "back": names[len(names) // 2 + 1 :]}
    return design, {name: hosts for name, hosts in zones.items() if hosts}


def file_of(design, zones, variant=None):
    """The design as a file, always written in the same way."""
    data = json.loads(scenario(design, random.Random(0)))
    data["network"]["zones"] = zones
    if design["reset"] is None and design["entries"]:
        data["network"]["reset"] = "none"
    return data | ({"variants": {"v": variant}} if variant else {})


def by_hand(design, zones, part):
    """The design with a change, as somebody would write it who has never heard of parts."""
    if part.verb == "respond" and part.name == "at once":
        return design | {"isolate": "any"}
    if part.verb == "respond":
        turns = {2: 1, 3: 1}[design["tempo"][Player.DEFENDER]]
        return design | {"tempo": design["tempo"] | {Player.DEFENDER: turns}, "reset": "none"}
    source, target = (zones[name] for name in part.name.split(" -> "))
    between = [link for link in design["links"] if link[0] in source and link[1] in target]
    assert len([link for link in between if link not in design["filtered"]]) > 1
    return design | {"filtered": [*design["filtered"], *between]}


def new_parts(system, zones):
    """The parts of the kinds that this file is about."""
    parts = (*system.hardenable, *system.upgrades)
    return [p for p in parts if p.verb == "respond" or p.name.split(" -> ")[0] in zones]


def test_filters_between_zones_and_faster_responses_mean_what_is_written_by_hand():
    kinds = dict.fromkeys(("filter", "twice as fast", "at once"), 0)
    for seed in range(N_DESIGNS):
        design, zones = zoned(seed)
        here = configuration(scenario_from_text(json.dumps(file_of(design, zones))))
        for part in new_parts(here.system, zones):
            changed = by_hand(design, zones, part)
            there = configuration(scenario_from_text(json.dumps(file_of(changed, zones))))
            variant = {"network": here.system.written(frozenset({part}))}
            text = json.dumps(file_of(design, zones, variant))
            taken = here.system.without([part])
            assert taken.game == there.game, (seed, part)
            assert taken.requirement == there.system.requirement
            read = configuration(scenario_from_text(text), "v")
            assert (read.game, read.system.requirement) == (taken.game, taken.requirement), (seed, part)
            space = design_space(scenario_from_text(json.dumps(file_of(design, zones))), kinds=[part.verb])
            number = [change.part for change in space.changes].index(part)
            ranks = {
                solve(each, engine).initial_rank
                for each in (space.changed([number]), there, read)
                for engine in ("explicit", "symbolic")
            }
            literal = Literal(changed)
            assert ranks == {literal.rank.get(literal.first)}, (seed, part)
            if space.changes[number].helps:
                before = solve(here).initial_rank
                assert before is not None or ranks == {None}, (seed, part)
            kinds[part.name if part.verb == "respond" else "filter"] += 1
    assert min(kinds.values()) >= 3, kinds


def text_of(defender, clause="G (DB not in {X, D, Z})"):
    return f"""
holdfast: 1
network:
  hosts: [GW, WS, DB, BK]
  zones: {{office: [GW, WS], data: [DB, BK]}}
  links: [GW -> WS, GW -> DB, WS -> DB, WS -> BK]
  entry: GW
  defender: {defender}
specs: {{defender: ["{clause}"], adversary: [G (times(destroy) <= 1)]}}
"""


def test_a_rule_between_zones_costs_as_much_as_one_filter():
    space = design_space(scenario_from_text(text_of("staffed")))
    offered = {change.name: change.cost for change in space.changes}
    assert offered["filter office -> data"] == 2 and offered["respond at once"] == 5
    assert {change.kind for change in space.changes} <= set(USUAL)
    means = {change.name: change.part.means for change in space.changes}
    assert means["filter office -> data"].startswith("One rule between two zones")
    assert all(sentence.endswith(".") for sentence in means.values())


@pytest.mark.parametrize(
    ("defender", "expected"),
    [
        ("on-call", ["respond twice as fast"]),
        ("staffed", ["respond at once"]),
        ("automated", []),
        ("{acts: every 4th turn}", ["respond twice as fast"]),
    ],
)
def test_one_step_up_from_who_defends_now(defender, expected):
    space = design_space(scenario_from_text(text_of(defender)))
    assert [change.name for change in space.changes if change.kind == "respond"] == expected


def test_a_faster_response_may_hurt_where_a_clause_counts_its_moves():
    counted = "G (DB != Z & times(isolate) <= 1)"
    for clause, helps in (("G (DB != Z)", True), (counted, False)):
        space = design_space(scenario_from_text(text_of("staffed", clause)), kinds=["respond"])
        assert [change.helps for change in space.changes] == [helps]


def test_a_file_can_name_and_price_them_and_a_variant_says_the_same():
    text = (
        text_of("on-call", "G (DB not in {X, D, Z})")
        + """
design:
  changes:
    - {change: filter office -> data, cost: 3}
    - {change: respond twice as fast, cost: 2}
"""
    )
    scenario = scenario_from_text(text)
    found = recommend(scenario, max_cost=9)
    assert not found.defensible
    assert [(remedy.changes, remedy.cost) for remedy in found.remedies.sets] == [
        (("filter office -> data",), 3)
    ]
    variants = scenario_from_text(with_variants(found))
    assert solve(configuration(variants, "filter-office-data")).defensible
