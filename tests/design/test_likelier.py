"""What makes a lost design likelier to hold."""

from __future__ import annotations

import pytest

from holdfast.budget import UNLIMITED
from holdfast.design.additions import fragile_design
from holdfast.design.fragility import fragility
from holdfast.design.recommend.recommending import recommend, recommendation_object
from holdfast.design.recommend.variants import with_variants
from holdfast.errors import InputError
from holdfast.operation.holding.asking import hold
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve

PLAIN = """
holdfast: 1
network:
  hosts: [GW, Web, WS, DB]
  links: [GW -> Web, GW -> WS, Web -> DB, WS -> DB, GW -> DB]
  entry: GW
  chance: {spread: 0.25, GW -> DB: 0.5}
specs: {defender: [G (DB = C)]}
"""


def test_changes_are_ordered_by_what_a_unit_of_cost_gains():
    """Should agree with HOLD of each changed design solved by itself, and be certain."""
    found = recommend(scenario_from_text(PLAIN), wanted="hold@20", max_cost=2).likelier
    assert found is not None and found.complete and found.moves == 20
    gains = [one.per_cost for one in found.designs]
    assert gains == sorted(gains, reverse=True) and gains[-1] > 0
    assert found.designs[0].changes == ("cut GW -> DB",)
    for one in found.designs:
        gone = [name.removeprefix("cut ") for name in one.changes]
        text = PLAIN + f"variants: {{less: {{network: {{remove_links: [{', '.join(gone)}]}}}}}}\n"
        alone = hold(solve(configuration(scenario_from_text(text), "less")), (20,)).moves[20]
        assert alone.low <= one.hold.high and one.hold.low <= alone.high
        assert one.gain <= alone.high - found.base.low
        assert not any(
            set(other.changes) < set(one.changes) and other.gain >= one.gain for other in found.designs
        )


def test_where_nothing_helps_for_ever_it_is_asked_for_a_while():
    """Should fall back to a number of moves where every single change is lost in the end."""
    idle = PLAIN.replace("  entry: GW", "  entry: GW\n  actions: {defender: [noop]}").replace("0.25", "0.01")
    answer = recommend(scenario_from_text(idle), wanted="hold")
    assert answer.likelier is not None and answer.likelier.moves == 100
    told = recommendation_object(answer)
    assert told["for"] == "hold" and told["likelier"]["designs"][0]["changes"] == ["cut GW -> DB"]
    assert "cut-GW-DB:" in with_variants(answer)


def test_without_chance_there_is_nothing_to_ask():
    """Should say what is missing."""
    sure = scenario_from_text(PLAIN.replace("  chance: {spread: 0.25, GW -> DB: 0.5}\n", ""))
    with pytest.raises(InputError, match="nothing is left to chance"):
        recommend(sure, wanted="hold")
    with pytest.raises(InputError, match="expected a number of moves"):
        recommend(scenario_from_text(PLAIN), wanted="hold@0")


def test_what_must_never_be_added_for_a_probability_to_stay():
    """Should be the additions with which HOLD is not certainly so high any more, each solved by itself."""
    text = PLAIN.replace("GW -> DB]", "Web -> WS]").replace(", GW -> DB: 0.5", "")
    design = configuration(scenario_from_text(text))
    found = fragility(design, "hold@20 >= 0.4", kinds=["link", "entry"])
    assert found.holds and found.monotone and "with probability 0.4 at least" in found.words
    universe = fragile_design(design, None, ["link", "entry"], "auto", UNLIMITED)
    expected = set()
    for i, each in enumerate(universe.additions):
        known = hold(solve(universe.extended(frozenset([i]))), (20,)).moves[20]
        if known.low < 0.4:
            expected.add((each.text,))
    assert {breaker.additions for breaker in found.breakers} == expected
    assert 0 < len(expected) < len(universe.additions)
    with pytest.raises(InputError, match="is not a gate"):
        fragility(design, "win@20 >= 0.4")
