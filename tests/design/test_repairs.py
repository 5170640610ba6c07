"""All minimal repairs with costs: those of brute force over all subsets, one after another and in parallel."""

import itertools
import random

import pytest

from holdfast.budget import Budget
from holdfast.design.assumption import assumptions, without
from holdfast.design.bound import bounds
from holdfast.design.lost_design import LostDesign
from holdfast.design.repairs import Search
from holdfast.design.symmetries import Symmetries
from holdfast.errors import LimitError
from holdfast.running.tasks import Backend
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve


def lost_segment(rng):
    """A random segment of three hosts, not defensible, with what may be taken away; at most eight things."""
    while True:
        hosts = ["a", "b", "c"]
        links = [f"{x} -> {y}" for x, y in itertools.permutations(hosts, 2) if rng.random() < 0.6]
        pool = ["G (b in {C, I})", "G (c in {C, I})", "G (c != Z)", "G !(b in {X, D, Z} & c in {X, D, Z})"]
        clauses = rng.sample(pool, rng.choice((1, 2)))
        limits = rng.choice(([], ["G (times(destroy) <= 1)"], ["G (times(spread) <= 2)"]))
        text = f"""
holdfast: 1
network: {{hosts: [a, b, c], links: {links}, entry: a}}
specs: {{defender: {clauses}, adversary: {limits}}}
""".replace("'", '"')
        c = configuration(scenario_from_text(text))
        if links and not solve(c).defensible:
            return c, assumptions(c, bounds(c)[0])[:8]


def brute(c, candidates):
    """Every minimal set that works, by solving all subsets."""
    found = []
    for size in range(len(candidates) + 1):
        for chosen in map(frozenset, itertools.combinations(range(len(candidates)), size)):
            if any(smaller <= chosen for smaller in found):
                continue
            if solve(without(c, [candidates[i] for i in sorted(chosen)]), "explicit").defensible:
                found.append(chosen)
    return set(found)


@pytest.mark.parametrize("seed", range(12))
def test_all_minimal_repairs_are_those_of_brute_force(seed):
    rng = random.Random(seed)
    c, candidates = lost_segment(rng)
    costs = [rng.choice((1, 1, 2, 5)) for _ in candidates]
    expected = brute(c, candidates)

    def price(chosen):
        return sum(costs[i] for i in chosen)

    search = Search(LostDesign(c, candidates), costs, Budget(jobs=1))
    found = list(search.repairs())
    assert set(found) == expected and len(found) == len(expected)
    assert [price(s) for s in found] == sorted(map(price, expected))
    assert search.complete_to == sum(costs)
    bounded = Search(LostDesign(c, candidates), costs, Budget(jobs=1))
    assert set(bounded.repairs(3)) == {s for s in expected if price(s) <= 3}
    assert bounded.complete_to == 3
    cheapest = Search(LostDesign(c, candidates), costs, Budget(jobs=1))
    least = min(map(price, expected), default=0)
    assert set(cheapest.repairs(cheapest=True)) == {s for s in expected if price(s) == least}


def test_several_at_once_find_the_same():
    for seed in (1, 5):
        c, candidates = lost_segment(random.Random(seed))
        costs = [1 + i % 3 for i in range(len(candidates))]
        serial = Search(LostDesign(c, candidates), costs, Budget(jobs=1))
        both = Search(LostDesign(c, candidates), costs, Budget(jobs=2), Backend(patience=-9.0), seconds=9.0)
        assert set(both.repairs()) == set(serial.repairs())


def test_a_search_that_is_stopped_says_how_far_it_is_complete():
    c, candidates = lost_segment(random.Random(5))
    whole = Search(LostDesign(c, candidates), [2] * len(candidates), Budget(jobs=1))
    everything = set(whole.repairs())
    for most in range(whole.n_tried):
        search = Search(LostDesign(c, candidates), [2] * len(candidates), Budget(jobs=1), max_tried=most)
        found = []
        with pytest.raises(LimitError, match="stopped after solving"):
            found.extend(search.repairs())
        assert {s for s in everything if 2 * len(s) <= search.complete_to} <= set(found) <= everything


# -- symmetric images ---------------------------------------------------------------------------------


def flat(n, requirement):
    """A segment in which every host leads to every other, with its links as candidates."""
    hosts = [*(f"h{i}" for i in range(n - 1)), "DB"]
    links = [f"{a} -> {b}" for a, b in itertools.permutations(hosts, 2)]
    text = f"""
holdfast: 1
network: {{hosts: {hosts}, links: {links}, entry: h0}}
specs:
  defender: {[requirement, f"G (active >= {n - 1})"]}
  adversary: ["G (times(destroy) <= 2)"]
""".replace("'", '"')
    c = configuration(scenario_from_text(text))
    return c, tuple(a for a in assumptions(c, ()) if a.part is not None)


TWO = "G !(DB in {X, D, Z} & h1 in {X, D, Z})"


@pytest.mark.parametrize("requirement", ["G (DB != Z)", TWO])
def test_flat_segments_have_the_repairs_that_are_found_without_symmetry(requirement, monkeypatch):
    c, candidates = flat(5, requirement)
    question, costs = LostDesign(c, candidates), [1] * len(candidates)
    quick = Search(question, costs, Budget(jobs=1))
    found = set(quick.repairs(5))
    monkeypatch.setattr(Symmetries, "missed", lambda self, chosen, most: [])
    slow = Search(question, costs, Budget(jobs=1))
    assert found == set(slow.repairs(5)) and quick.complete_to == slow.complete_to == 5
    assert 2 * quick.n_tried < slow.n_tried


def test_every_image_of_a_core_is_a_core():
    c, candidates = flat(4, TWO)
    everything = frozenset(range(len(candidates)))
    search = Search(LostDesign(c, candidates), [1] * len(candidates), Budget(jobs=1))
    assert len(list(search.repairs())) > 3
    assert len(search.cores) > search.n_tried / 2
    for core in search.cores:
        left = without(c, [candidates[i] for i in sorted(everything - core)])
        assert not solve(left, "explicit").defensible


def test_what_is_not_alike_has_no_image():
    """Should leave a core alone where hosts differ: in the requirement, in where trouble begins, by a link."""
    c, candidates = flat(4, TWO)
    number = {candidate.name: i for i, candidate in enumerate(candidates)}
    symmetries = Symmetries(LostDesign(c, candidates), Budget())
    assert symmetries.classes == (("h1", "DB"),)
    symmetries.add(frozenset({number["h0 -> h1"], number["h1 -> h2"]}))
    (image,) = symmetries.missed(frozenset(), 9)
    assert image == {number["h0 -> DB"], number["DB -> h2"]}
    kept = LostDesign(c, candidates, opaque=frozenset({0}))
    assert Symmetries(kept, Budget()).classes == ()
    fewer = tuple(a for a in candidates if a.name != "h2 -> DB")
    assert (
        Symmetries(LostDesign(without(c, [a for a in candidates if a not in fewer]), fewer), Budget()).classes
        == ()
    )


def test_a_flat_segment_gets_its_repairs():
    """Should prove that the cheapest ways are to cut the entry, or one of the two assets, off from the rest."""
    c, candidates = flat(11, TWO)
    search = Search(LostDesign(c, candidates), [1] * len(candidates), Budget(jobs=1))
    found = {frozenset(candidates[i].name for i in chosen) for chosen in search.repairs(cheapest=True)}
    hosts = c.system.graph.names
    assert found == {
        frozenset(f"h0 -> {host}" for host in hosts if host != "h0"),
        *(frozenset(f"{host} -> {asset}" for host in hosts if host != asset) for asset in ("h1", "DB")),
    }
    assert search.complete_to == 10 and search.n_tried < 20
