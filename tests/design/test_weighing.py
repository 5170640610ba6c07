"""The order of proposals on constructed cases, and that no gain is claimed that the digits do not show."""

import random
from dataclasses import replace

import pytest

import holdfast as hf
from cases import TIMES
from holdfast.budget import Budget
from holdfast.design.ladder import ladder_of
from holdfast.design.recommend.changed_designs import NOT_REACHED, ChangedDesign
from holdfast.design.recommend.improvements import improvements
from holdfast.design.recommend.recommending import recommend, recommendation_object
from holdfast.design.recommend.space import design_space
from holdfast.design.recommend.weighing import beats, gains, losses, order_of
from holdfast.readings.table import reading_of
from holdfast.report.documents.recommendation import reason, recommendation_document
from holdfast.report.renderers.markdown import markdown as as_markdown
from holdfast.scenario.reading import configuration, read_scenario, scenario_from_text
from holdfast.solver.engines import solve
from paths import ROOT

SHOP = """
holdfast: 1
name: shop
network:
  hosts: [Web, App, DB, BK]
  zones: {front: [Web, App], data: [DB, BK]}
  links: [Web -> App, Web -> DB, App -> DB, App -> BK, DB -> BK]
  flows: {shop: Web -> App -> DB}
  entry: Web
specs: {defender: [G (DB != Z)], adversary: [G (times(destroy) <= 1)]}
learning: {steps: 30}
"""


@pytest.fixture(scope="module")
def analysis():
    return hf.analyse(hf.load(ROOT / "scenarios" / "paper.yaml"), exact=True)


def design(analysis, number, cost=1, rungs=(), flows_hit=0, **readings):
    """A changed design that differs from the reference in some readings."""
    fields = {}
    if "evict" in readings:
        profile = replace(analysis.recovery["evicted"], moves=readings["evict"], again=True)
        fields["recovery"] = analysis.recovery | {"evicted": profile}
    if "effort" in readings:
        fields["response"] = replace(analysis.response, effort=readings["effort"])
    if "ddr" in readings:
        ddr = readings["ddr"]
        fields["ddr_exact"] = replace(analysis.ddr_exact, value=ddr, low=ddr, high=ddr)
    if "slt" in readings:
        fields["slt"] = readings["slt"]
    changed = replace(analysis, **fields)
    return ChangedDesign(frozenset({number}), (f"change {number}",), cost, changed, "", rungs, flows_hit)


def test_what_people_care_about_most_decides_first(analysis):
    ranked = [
        design(analysis, 9, cost=9, rungs=("half-speed",)),
        design(analysis, 8, cost=9, evict=4),
        design(analysis, 7, cost=9, evict=6, effort=0),
        design(analysis, 6, cost=9, effort=1),
        design(analysis, 5, cost=9, flows_hit=1, ddr=0.9),
        design(analysis, 4, cost=9, ddr=0.8),
        design(analysis, 3, cost=9, slt=0.9),
        design(analysis, 2, cost=3),
        design(analysis, 1, cost=3, flows_hit=1),
    ]
    lost = replace(ranked[0], analysis=replace(analysis, defensible=False))
    mixed = [lost, *reversed(ranked)]
    random.Random(1).shuffle(mixed)
    assert sorted(mixed, key=order_of) == [*ranked, lost]


def test_what_the_digits_do_not_show_is_no_gain(analysis):
    base = design(analysis, 0, cost=0)
    hair = design(analysis, 1, ddr=analysis.ddr_exact.value + 1e-7, slt=analysis.slt + 1e-7)
    assert not list(gains(hair, base)) and not list(losses(hair, base))
    assert reason(hair, base) == "no certain improvement"
    cheap, dear = design(analysis, 2, cost=1), replace(hair, cost=2)
    assert beats(cheap, dear) and not beats(dear, cheap)
    assert order_of(cheap) < order_of(dear)
    plain = design(analysis, 3, ddr=round(analysis.ddr_exact.value, 4) + 1e-4)
    assert [key for key, _, _ in gains(plain, base)] == ["ddr_exact"]


def test_a_gain_is_told_by_two_different_texts(analysis):
    rng, base = random.Random(2), design(analysis, 0, cost=0)
    n_gains = 0
    for _ in range(500 * TIMES):
        step = 10 ** -rng.uniform(2, 8)
        one = design(
            analysis, 1, ddr=analysis.ddr_exact.value + step, slt=analysis.slt + rng.choice((1, -1)) * step
        )
        for key, before, after in gains(one, base):
            row = reading_of(key)
            assert row.written(before) != row.written(after)
            n_gains += 1
    assert n_gains > 100


def test_one_that_gains_a_rung_is_dominated_by_none_that_does_not(analysis):
    rung, better = design(analysis, 1, rungs=("any-entry",)), design(analysis, 2, ddr=0.99, effort=0)
    assert not beats(better, rung) and not beats(rung, better)
    assert beats(replace(better, rungs_gained=("any-entry", "half-speed")), rung)
    assert reason(rung, design(analysis, 0)) == "it then reaches any-entry on the ladder"
    asked = {"any-entry": "whichever host the adversary starts from"}
    assert (
        reason(rung, design(analysis, 0), asked)
        == "it then stands “whichever host the adversary starts from”"
    )


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_rungs_gained_are_those_of_the_ladders_of_both_designs(engine):
    scenario = scenario_from_text(SHOP)
    found = recommend(scenario, engine=engine, budget=Budget(jobs=1))
    before = ladder_of(solve(configuration(scenario)))
    fallen = [verdict.rung for verdict in before.rungs if not verdict.defensible]
    gained = 0
    for one in found.improvements.singles:
        after = ladder_of(solve(found.space.changed(one.chosen)))
        reached = {verdict.rung for verdict in after.rungs if verdict.defensible}
        assert one.rungs_gained == tuple(rung for rung in fallen if rung in reached), one.changes
        gained += len(one.rungs_gained)
    assert gained
    told = recommendation_object(found)
    assert [each["rungs_gained"] for each in told["improvements"]] == [
        list(one.rungs_gained) for one in found.improvements.front
    ]
    assert told["complete"] is True and all(change["means"] for change in told["changes"])
    assert found.improvements.front == tuple(sorted(found.improvements.front, key=order_of))


def test_a_limit_leaves_the_verdict_and_calls_nothing_best():
    """Should print what is known, also where not one change was looked at."""
    scenario = scenario_from_text(SHOP)
    found = recommend(scenario, budget=Budget(jobs=1))
    space, solution = design_space(scenario), found.solution
    nothing = improvements(space, solution, budget=Budget.lasting(0.0))
    assert nothing.base.analysis.defensible and not nothing.complete and not nothing.front
    assert {one.undecided for one in nothing.singles} == {NOT_REACHED}
    text = as_markdown(recommendation_document(replace(found, improvements=nothing, burdens=())))
    assert "DEFENSIBLE" in text and "Best" not in text
    assert f"0 of {len(space.changes)} single changes, then the time ran out" in " ".join(text.split())
    partly = replace(
        found.improvements, complete=False, coverage="2 of 7 single changes, then the time ran out"
    )
    text = as_markdown(recommendation_document(replace(found, improvements=partly)))
    assert (
        "Best of those that were tried" in text
        and "as far as time allowed" in text
        and "First choice" not in text
    )


def test_five_are_shown_and_the_rest_is_counted():
    found = recommend(
        read_scenario(ROOT / "scenarios" / "indefensible.yaml"), max_cost=9, budget=Budget(jobs=1)
    )
    many = replace(found.remedies, sets=found.remedies.sets * 6)
    short, long = (
        as_markdown(recommendation_document(replace(found, remedies=many), in_full=in_full))
        for in_full in (False, True)
    )
    assert f"and {len(many.sets) - 5} more: --all" in short and "more: --all" not in long
    assert short.count("cost 1") == 3 and long.count("cost 1") == 6
