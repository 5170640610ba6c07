"""All minimal breakers with costs: those of brute force over all subsets of files that are written anew."""

import itertools
import random
from dataclasses import replace
from functools import cache

import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import FancyArrowPatch

from additions import random_segment, scenario_text, with_additions
from cases import TIMES
from frozen_choices import breakers_by_frozen_choices
from holdfast.budget import Budget
from holdfast.design.additions import fragile_design
from holdfast.design.fragility import fragility, fragility_object
from holdfast.design.properties import property_named
from holdfast.errors import InputError, LimitError
from holdfast.game.configuration import drawn_graph
from holdfast.game.interventions import interventions_of
from holdfast.readings.analysis import analyse
from holdfast.readings.gates import gates_of
from holdfast.report.documents.fragility import fragility_document
from holdfast.report.figures.breaker_map import ALONE, TOGETHER, breaker_map
from holdfast.report.figures.style import BREAKER
from holdfast.report.figures.topologies import topology
from holdfast.report.rendering import rendered
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from paths import ROOT

KEEPS = ("held", "evict", "effort <= 1", "ladder:detect-first")


def design(segment, additions=()):
    """What the file of a segment means."""
    scenario = scenario_from_text(scenario_text(segment, additions))
    return scenario, configuration(scenario)


def keeps(segment, keep):
    """Whether a segment, written as a file, has what is asked for: each by its definition."""
    return file_keeps(scenario_text(segment), keep)


@cache
def file_keeps(text, keep):
    c = configuration(scenario_from_text(text))
    solution = solve(c, "explicit")
    if keep in ("held", "evict") or not solution.defensible:
        return solution.defensible and property_named(c, keep).holds(solution)
    if keep.startswith("ladder"):
        slower = text.replace('"isolate": "any"', '"isolate": "detected"')
        return solve(configuration(scenario_from_text(slower)), "explicit").defensible
    if interventions_of(c) is None:
        return False
    read = analyse(c, engine="explicit", latitude=False, recovery=False)
    (gate,) = gates_of(read, {"effort": float(keep[-1])})
    return gate.met


def brute(segment, costs, keep, most):
    """Every minimal set that costs no more than so much and takes away what is to be kept."""
    found, names = [], list(costs)
    for size in range(1, len(names) + 1):
        for chosen in map(frozenset, itertools.combinations(names, size)):
            if sum(costs[name] for name in chosen) > most or any(smaller <= chosen for smaller in found):
                continue
            if not keeps(with_additions(segment, sorted(chosen)), keep):
                found.append(chosen)
    return set(found)


def can_be_frozen(addition):
    """Whether an addition lets a move do more, or takes one from the defender."""
    return addition.opens is not None or (addition.kind == "lose" and not addition.name.startswith("block"))


def case(seed, keep, n_additions=5):
    """A random segment that has what is asked for, and some of its additions with costs."""
    rng = random.Random(seed)
    while True:
        segment = random_segment(rng)
        _, c = design(segment)
        if (keep.startswith("ladder") and segment["isolate"] == "detected") or not keeps(segment, keep):
            continue
        universe = [each.text for each in fragile_design(c).additions]
        kinds = {text.partition(" ")[0] for text in universe}
        if keep.startswith("ladder"):
            universe = [text for text in universe if not text.startswith(("lose", "entry"))]
        chosen = rng.sample(universe, min(n_additions, len(universe)))
        if len(kinds) > 3:
            return segment, {text: rng.choice((1, 1, 2, 3)) for text in chosen}


@pytest.mark.parametrize("seed", range(12 * TIMES))
@pytest.mark.parametrize("keep", KEEPS)
def test_breakers_are_those_of_brute_force(keep, seed):
    segment, costs = case(seed, keep)
    scenario, c = design(segment, costs)
    most = 4
    engine = ("explicit", "symbolic")[seed % 2]
    found = fragility(c, keep, scenario=scenario, max_cost=most, engine=engine, budget=Budget(jobs=1))
    assert found.holds and not found.unfinished and found.complete_to == most
    assert {frozenset(b.additions) for b in found.breakers} == brute(segment, costs, keep, most)
    assert all(b.cost == sum(costs[name] for name in b.additions) for b in found.breakers)
    assert [b.cost for b in found.breakers] == sorted(b.cost for b in found.breakers)
    least = min((b.cost for b in found.breakers), default=None)
    assert found.robustness == least


@pytest.mark.parametrize("seed", range(5 * TIMES))
@pytest.mark.parametrize("keep", ["held", "evict"])
def test_single_breakers_of_all_that_could_be_added(keep, seed):
    """Should be those of brute force, although most of them are not solved."""
    segment, _ = case(1000 + seed, keep)
    engine = ("explicit", "symbolic")[seed % 2]
    found = fragility(design(segment)[1], keep, engine=engine, budget=Budget(jobs=1))
    names = [each.text for each in fragile_design(design(segment)[1]).additions]
    broken = {name for name in names if not keeps(with_additions(segment, [name]), keep)}
    assert {name for b in found.breakers for name in b.additions} == broken
    assert found.complete_to == 1 and found.n_solved < len(names) + (not found.monotone)


CHANCES = [
    {"isolate(a)": 0.5},
    {"isolate(b)": 0.5, "restore": 0.5},
    {"monitor": 0.5},
    {"fix": 0.5},
    {"spread": 0.5},
]


@pytest.mark.parametrize("seed", range(5 * TIMES))
def test_single_breakers_where_actions_may_fail(seed):
    """Should be those of brute force: whoever follows a defense follows all outcomes of what it does."""
    rng = random.Random(3000 + seed)
    while True:
        segment = random_segment(rng) | {"chance": CHANCES[seed % len(CHANCES)]}
        if keeps(segment, "evict"):
            break
    c = design(segment)[1]
    found = fragility(c, "evict", engine=("explicit", "symbolic")[seed % 2], budget=Budget(jobs=1))
    names = [each.text for each in fragile_design(c).additions]
    broken = {name for name in names if not keeps(with_additions(segment, [name]), "evict")}
    assert {name for b in found.breakers for name in b.additions} == broken and found.complete_to == 1


def test_a_defense_that_rests_at_the_goal_clears_links_that_nobody_reaches():
    """Should not solve links from hosts that the attacker is kept from, although they could cost W something."""
    c = configuration(read_scenario(ROOT / "scenarios" / "paper.yaml"), "no-bypass")
    found = fragility(c, "evict", kinds=["link"], budget=Budget(jobs=1))
    assert found.breakers and found.n_solved <= 3  # the links from GW, of 15


def test_places_are_not_alike_where_a_goal_tells_them_apart():
    """Should not take the answer for another host, which has the same links and is not in the goal."""
    text = """
holdfast: 1
network: {hosts: [GW, A, DB], links: [], entry: GW, actions: {defender: [noop, isolate]}}
specs: {defender: [G (GW != Z)], adversary: [G (times(destroy) <= 0)]}
recovery: {db back: DB = C & GW = I}
"""
    found = fragility(configuration(scenario_from_text(text)), "db back", kinds=["link"])
    assert [b.additions for b in found.breakers] == [("link GW -> DB",)]


def test_a_search_that_ends_early_names_what_it_left_open():
    """Should call nothing robust, and name the additions of which nothing is known."""
    c = configuration(read_scenario(ROOT / "scenarios" / "paper.yaml"), "no-bypass")

    def stop(doing, done):
        if doing.startswith("what if"):
            raise LimitError("stopped by a test")

    solution = solve(c)
    found = fragility(c, "evict", kinds=["link"], solution=solution, budget=Budget(jobs=1, watch=stop))
    assert found.unfinished and found.complete_to == 0 and not found.breakers
    assert "link GW -> WS" in found.undecided and "link BK -> GW" not in found.undecided
    text = rendered(fragility_document(found), "text")
    assert "NOT DECIDED" in text and "link GW -> WS" in text and "ROBUST " not in text


@pytest.mark.parametrize("seed", range(8 * TIMES))
@pytest.mark.parametrize("keep", ["held", "evict"])
def test_one_solution_with_frozen_choices_has_the_same_breakers(keep, seed):
    """Should agree with the other method, for all that it knows how to freeze."""
    segment, _ = case(2000 + seed, keep)
    rng = random.Random(seed)
    every = [each for each in fragile_design(design(segment)[1]).additions if can_be_frozen(each)]
    chosen = [replace(each, cost=rng.choice((1, 1, 2))) for each in rng.sample(every, min(6, len(every)))]
    scenario, c = design(segment, {each.text: each.cost for each in chosen})
    found = fragility(c, keep, scenario=scenario, max_cost=3, budget=Budget(jobs=1))
    goal = "evicted" if keep == "evict" else ""
    assert {frozenset(b.additions) for b in found.breakers} == breakers_by_frozen_choices(c, chosen, 3, goal)


@pytest.mark.parametrize("seed", range(12))
def test_adding_a_breaker_flips_and_leaving_any_part_of_it_flips_back(seed):
    segment, costs = case(100 + seed, "held", 8)
    scenario, c = design(segment, costs)
    for breaker in fragility(c, scenario=scenario, max_cost=4).breakers:
        assert not keeps(with_additions(segment, breaker.additions), "held")
        for left_out in breaker.additions:
            rest = [name for name in breaker.additions if name != left_out]
            assert keeps(with_additions(segment, rest), "held")


def test_the_reference_without_its_bypass():
    scenario = read_scenario(ROOT / "scenarios" / "paper.yaml")
    c = configuration(scenario, "no-bypass")
    found = fragility(c, "evict", kinds=["link"])
    assert [b.additions for b in found.breakers] == [
        ("link GW -> WS",),
        ("link GW -> DB",),
        ("link GW -> BK",),
    ]
    assert (
        found.breakers[0].attack
        == "WS is compromised (spread(WS)), and from then on the attacker can stay for ever"
    )
    none = fragility(c, "held", kinds=["link"])
    assert none.breakers == () and none.complete_to == 1 and none.n_solved == 0
    assert fragility_object(none)["robustness"] is None


STAR = """
holdfast: 1
network:
  hosts: [GW, {ws: {count: 5}}, DB]
  links: [GW -> ws]
  entry: GW
  isolate: detected
specs: {defender: [G (DB = C)], adversary: [G (times(destroy) <= 1)]}
"""


def test_sets_that_are_alike_are_solved_once():
    c = configuration(scenario_from_text(STAR))
    found = fragility(c, kinds=["link"], budget=Budget(jobs=1))
    breakers = {name for b in found.breakers for name in b.additions}
    assert breakers == {"link GW -> DB", *(f"link ws{i} -> DB" for i in range(1, 6))}
    assert found.n_solved == 2
    assert [b.moves[0] for b in found.breakers] == ["spread(DB)", *(f"spread(ws{i})" for i in range(1, 6))]


def test_one_process_and_two_agree():
    c = configuration(scenario_from_text(STAR.replace("count: 5", "count: 2")))
    one, two = (fragility(c, max_cost=2, budget=Budget(jobs=jobs)) for jobs in (1, 2))
    assert one.breakers == two.breakers and one.complete_to == two.complete_to == 2


def test_what_the_proof_rests_on_in_words():
    text = STAR.replace("DB]", "{DB: {cannot: [spread]}}]").replace("[GW -> ws]", "[GW -> ws, ws -> DB]")
    found = fragility(configuration(scenario_from_text(text)), kinds=["assumption"])
    assert [b.additions for b in found.breakers] == [("soften DB",)]
    assert found.rests_on == ("DB being hardened",)
    assert "The proof depends on DB being hardened." in rendered(fragility_document(found), "text")
    assert fragility_object(found)["rests_on"] == ["DB being hardened"]


def test_a_design_that_lacks_it_has_robustness_0():
    c = configuration(scenario_from_text(STAR.replace("[GW -> ws]", "[GW -> DB]")))
    found = fragility(c)
    assert not found.holds and found.robustness == 0 and found.breakers == ()


@pytest.mark.parametrize(
    ("keep", "message"),
    [
        ("evcit", "no goal"),
        ("effort >= 1", "effort <= 1"),
        ("ladder:nowhere", "no rung"),
        ("<= 3", "not a gate"),
    ],
)
def test_what_cannot_be_kept_is_refused(keep, message):
    with pytest.raises(InputError, match=message):
        fragility(configuration(scenario_from_text(STAR)), keep)
    with pytest.raises(InputError, match="no addition is of the kind"):
        fragility(configuration(scenario_from_text(STAR)), kinds=["lnik"])


def test_a_page_draws_what_must_never_be_added_as_dashed_red_arrows():
    """Should draw a dashed arrow for each link, and a dashed box for what happens at a host."""
    scenario = read_scenario(ROOT / "scenarios" / "paper.yaml")
    found = fragility(configuration(scenario, "no-bypass"), "evict", kinds=["link", "lose"])
    page = rendered(fragility_document(found), "html")
    assert (
        "Dashed red: what must never be added or happen (GW to WS, GW to DB, GW to BK, GW and Web)." in page
    )
    graph = drawn_graph(found.configuration)
    arrows = [("GW", "WS"), ("GW", "DB")]
    figure = breaker_map(graph, [*arrows, "Web"], [("GW", "BK")])
    patches = [
        patch for patch in figure.axes[0].patches if to_rgb(patch.get_edgecolor()[:3]) == to_rgb(BREAKER)
    ]
    drawn = [patch for patch in patches if isinstance(patch, FancyArrowPatch)]
    assert sorted(patch.get_linewidth() for patch in drawn) == [TOGETHER, ALONE, ALONE]
    assert all(patch.get_linestyle() != "-" for patch in drawn) and len(patches) == 4
    plain = topology(graph)
    assert len([p for p in plain.axes[0].patches if isinstance(p, FancyArrowPatch)]) + 3 == len(
        [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]
    )
