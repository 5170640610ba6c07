"""Changes that differ by the names of interchangeable hosts: read once, and worth what each is read to be worth."""

import random
from math import isclose

import pytest

from cases import TIMES
from holdfast.budget import Budget
from holdfast.design.recommend import changed_designs, improvements
from holdfast.design.recommend.recommending import recommend, recommendation_object
from holdfast.design.recommend.space import design_space
from holdfast.design.recommend.twins import twins
from holdfast.scenario.reading import scenario_from_text


def departments(seed):
    """A design in which some hosts can be swapped, and which holds."""
    rng = random.Random(seed)
    alike = [f"a{k}" for k in range(rng.choice([2, 3]))]
    others = [f"b{k}" for k in range(rng.choice([0, 2]))]
    ends = [("GW", host) for host in alike + others]
    ends += [(host, "DB") for host in (alike if rng.random() < 0.5 else [])]
    ends += [(alike[0], others[0])] if others and rng.random() < 0.3 else []
    hosts = ["GW", *alike, *others, "DB"]
    links = ", ".join(f"{a} -> {b}" for a, b in ends or [("GW", "DB")])
    prices = ", ".join(f"isolate({host}): {rng.choice([1, 2])}" for host in alike)
    priced = f"effort: {{{prices}}}\n" if rng.random() < 0.3 else ""
    return scenario_from_text(
        f"holdfast: 1\nnetwork: {{hosts: [{', '.join(hosts)}], entry: GW, links: [{links}]}}\n{priced}"
        f'specs: {{defender: ["G (DB not in {{X, D, Z}})"], adversary: [G (times(destroy) <= 1)]}}\n'
    )


def same(one, other, path=""):
    """Nothing differs but the time, and the last digits of what was found by other sums."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one.keys() - {"seconds"}:
            same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for place, pair in enumerate(zip(one, other, strict=True)):
            same(*pair, f"{path}[{place}]")
    elif isinstance(one, float) and isinstance(other, float):
        assert isclose(one, other, rel_tol=1e-9), path
    else:
        assert one == other, path


@pytest.mark.parametrize("seed", range(8 * TIMES))
def test_twins_are_worth_what_they_are_read_to_be_worth(seed, monkeypatch):
    scenario = departments(seed)
    found = recommendation_object(recommend(scenario, budget=Budget(jobs=1)))
    for module in (changed_designs, improvements):
        monkeypatch.setattr(module, "twins", lambda space, sets, budget: {})
    same(found, recommendation_object(recommend(scenario, budget=Budget(jobs=1))))


def test_hosts_that_can_be_swapped_have_one_reading_for_all():
    space = design_space(departments(3))
    sets = [frozenset({i}) for i in range(len(space.changes))]
    pairs = {
        space.names(one)[0]: space.names(other)[0] for one, other in twins(space, sets, Budget()).items()
    }
    assert pairs.get("cut GW -> a1") == "cut GW -> a0"
