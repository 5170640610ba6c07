"""Zones against whole solutions: a verdict by zones is the verdict of the whole."""

from collections import Counter
from itertools import combinations, product
from random import Random

import pytest

from cases import TIMES
from holdfast.budget import UNLIMITED, Budget
from holdfast.composition import compose
from holdfast.composition.agreeing import Negotiation, heaviest, screen
from holdfast.composition.division import declared_zones, divide
from holdfast.composition.proposal import proposed_zones
from holdfast.composition.questions import Answers
from holdfast.composition.zone_game import ZoneTerms, exposures, guarded_game, is_still
from holdfast.errors import InputError, LimitError
from holdfast.game import configure, gathered
from holdfast.logic import compile_tree
from holdfast.models.network import network_system
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import solve
from zoned import zoned_groups, zoned_network


def _loaded(text):
    return configuration(scenario_from_text(text))


def _office(listed="alike: yes", more="G (active >= 33)"):
    """Two zones with a group each; the first leads into the second."""
    return _loaded(
        f"""holdfast: 1
network:
  hosts: [a, b, {{ws: {{count: 16, {listed}}}}}, {{pc: {{count: 18, {listed}}}}}]
  zones: {{za: [a, b, ws], zb: [pc]}}
  links: [a -> b, b -> ws, ws -> pc]
  entry: a
  reset: none
specs:
  defender: [per_zone: "G (count(zone in {{Z}}) <= 2)", "G (count(pc in {{X, D}}) < 1)", "{more}"]
  adversary: [G (times(destroy) <= 1)]
"""
    )


def _of(zones, links, clauses, *, entry="a0", boundary=("G (times(destroy) <= 1)",), more=""):
    hosts = ", ".join(host for of in zones.values() for host in of)
    named = ", ".join(f"{name}: [{', '.join(of)}]" for name, of in zones.items())
    return _loaded(
        f"holdfast: 1\nnetwork:\n  hosts: [{hosts}]\n  zones: {{{named}}}\n  links: [{', '.join(links)}]\n"
        f"  entry: {entry}\n  reset: none\n{more}\nspecs:\n  defender:\n"
        + "".join(f"    - {clause}\n" for clause in clauses)
        + "  adversary:\n"
        + "".join(f"    - {clause}\n" for clause in boundary)
    )


TWO = {"za": ["a0", "a1"], "zb": ["b0", "b1"]}


def test_a_verdict_by_zones_with_counted_groups_is_that_of_the_whole_written_out():
    """Both verdicts, by several steps; the certificate of each is tested where certificates are."""
    seen = Counter()
    for seed in range(2, 2 + 8 * TIMES):
        counted, written = map(_read, zoned_groups(Random(seed)))
        if counted is None or written is None:
            assert counted is written
            continue
        found = compose(counted, most_nodes=0 if seed % 2 else 6)
        assert found.defensible in (solve(written).defensible, None), seed
        seen[found.decided_by] += 1
    assert all(seen[by] for by in ("zones", "allowances", "a zone that is lost"))


def _read(text):
    try:
        return _loaded(text)
    except InputError:
        return None


def test_a_group_may_promise_and_is_shared_out_as_one():
    found = compose(_office())
    assert found.defensible
    assert [promise.never for promise in found.promises] == ["ws_D >= 1", "ws_X >= 1"]
    assert [zone.hosts for zone in found.zones] == [18, 18]
    (shares,) = found.allowances.values()
    assert sum(profile[-1] for profile in shares.values()) <= 3


def test_alike_hosts_of_a_zone_are_counted_by_themselves():
    listed = _office("alike: no")
    assert gathered(listed) is listed
    plain = _office("value: 1")
    counted = gathered(plain)
    assert counted.system.gathered == ("16 ws", "18 pc")
    assert compose(counted).zones == compose(_office()).zones
    assert compose(counted).defensible is compose(plain).defensible


def test_a_verdict_by_zones_is_that_of_the_whole():
    """Both verdicts, with and without merging; and each step decides something."""
    seen = Counter()
    for seed in range(100 * TIMES):
        try:
            whole = _loaded(zoned_network(Random(seed)))
        except InputError:
            continue
        most = 0 if seed % 2 else 6
        found = compose(whole, most_nodes=most)
        truth = solve(whole).defensible
        assert found.defensible in (truth, None), seed
        assert found.defensible is not None or not most, seed
        seen[found.decided_by] += 1
    assert all(seen[by] for by in ("zones", "allowances", "merging", "a zone that is lost"))


def test_the_guarded_game_of_a_zone_is_the_zone_with_its_cross_links_exposed():
    """The theorem's literal game: the zone's hosts and links, and the targets of cross links exposed."""
    draw, verdicts = Random(7), Counter()
    for _ in range(40 * TIMES):
        pairs = [(f"{z}{i}", f"{z}{j}") for z in "ab" for i in range(3) for j in range(3) if i != j]
        links = [pair for pair in pairs if draw.random() < 0.5]
        cross = [(a, b) for a in ("a0", "a1", "a2") for b in ("b0", "b1", "b2") if draw.random() < 0.2]
        clauses = [f"G (count(b0, b1, b2 in {{I, Z}}) <= {draw.choice((1, 2))})",
                   "G !(b1 in {X, D, Z} & b2 in {X, D, Z})"]  # fmt: skip
        boundary = [f"G (times(destroy) <= {draw.choice((0, 1, 2))})"]
        detected = draw.random() < 0.5
        hosts = [f"{z}{i}" for z in "ab" for i in range(3)]
        zones = {"za": hosts[:3], "zb": hosts[3:]}
        options = {"isolate_detected": detected, "reset_probability": None}
        whole = configure(
            network_system(hosts, links + cross, "a0", zones=zones, **options), clauses, boundary
        )
        division = divide(whole, declared_zones(whole))
        game = guarded_game(division, division.zones[1], ZoneTerms())
        own = [link for link in links if link[0][0] == "b"]
        exposed = sorted({target for _, target in cross})
        # The literal one needs an origin; a host that nothing can reach changes nothing.
        literal = network_system(
            [*hosts[3:], "outside"], own, "outside" if not exposed else (), exposed=exposed,
            cannot={"outside": ["destroy"]}, **options,
        )  # fmt: skip
        truth = solve(configure(literal, clauses, boundary)).defensible
        assert solve(game).defensible is truth
        verdicts[truth] += 1
    assert len(verdicts) == 2


def test_zones_may_promise_each_other_in_a_circle():
    """Each zone is held only if nothing comes in, and each lets nothing out as long as nothing comes in."""
    zones = {"za": ["a0", "a1"], "zb": ["b0", "b1"], "zc": ["c0"]}
    links = ["a0 -> b0", "b0 -> a0", "a0 -> a1", "b0 -> b1"]
    whole = _of(zones, links, ["G (a0 = C)", "G (b0 = C)"], entry="c0")
    found = compose(whole)
    assert found.defensible and solve(whole).defensible
    assert found.decided_by == "promises"
    assert [(p.by, p.never, p.to) for p in found.promises] == [
        ("za", "a0 in {X, D}", ("zb",)),
        ("zb", "b0 in {X, D}", ("za",)),
    ]


def test_a_promise_that_nobody_can_keep_is_none():
    whole = _of(TWO, ["a0 -> b0", "b0 -> b1"], ["G (b0 = C)"], more="  isolate: detected")
    found = compose(whole, most_nodes=0)
    assert found.defensible is None and "zb" in found.open
    assert compose(whole).defensible is solve(whole).defensible is False


def test_what_a_count_allows_is_shared_by_what_is_spent():
    """One destroy costs one host in whichever zone it happens, not one in each."""
    zones = {"za": ["a0"], "zb": ["b0"]}
    clauses = ["G (count(* in {Z}) <= 1)"]
    whole = _of(
        zones, [], clauses, entry="[a0, b0]", more="  exposed: [a0, b0]\n  actions: {defender: [noop]}"
    )
    found = compose(whole, most_nodes=0)
    assert found.defensible and solve(whole).defensible
    assert found.allowances == {clauses[0]: {"za": (0, 1), "zb": (0, 1)}}


def test_a_demand_about_two_zones_is_met_by_one_of_them():
    whole = _of(TWO, ["a0 -> a1", "a1 -> b0"], ["G !(a1 in {Z} & b1 in {X, D, Z})"])
    found = compose(whole, most_nodes=0)
    assert found.defensible and solve(whole).defensible and found.decided_by == "allowances"


def test_a_clause_that_notices_waiting_is_asked_with_the_rounds_in_between():
    """b0 is compromised at the start. Within two moves it must be clean again, but the adversary moves in za."""
    clauses = ["G (b0 in {X, D} -> F[<=2] b0 not in {X, D})"]
    whole = _of(TWO, ["a0 -> a1"], clauses, entry="[a0, b0]")
    division = divide(whole, declared_zones(whole))
    assert not is_still(whole.defender[0])
    assert not solve(guarded_game(division, division.zones[1], ZoneTerms())).defensible
    assert compose(whole).defensible is solve(whole).defensible is True


def test_a_conduit_into_two_zones_makes_them_one():
    zones = {"za": ["a0"], "zb": ["b0"], "zc": ["c0"]}
    whole = _of(
        zones, ["a0 -> b0", "a0 -> c0"], ["G (b0 != Z)"], more="  conduits: {g: [a0 -> b0, a0 -> c0]}"
    )
    division = divide(whole, declared_zones(whole))
    assert [zone.name for zone in division.zones] == ["za", "zb + zc"]
    assert division.joined == {("zb", "zc"): "g shuts what leads into both"}


def test_what_the_targets_of_cross_links_are_exposed_to():
    whole = _of(TWO, ["a0 -> a1", "a1 -> b0", "b1 -> a0"], ["G (b0 != Z)"])
    division = divide(whole, declared_zones(whole))
    assert [[str(p) for p in exposures(division, zone)] for zone in division.zones] == [
        ["b1 in {X, D}"],
        ["a1 in {X, D}"],
    ]


def test_sensors_are_not_divided():
    whole = _of(TWO, ["a0 -> a1"], ["G (b0 != Z)"], more="  sensors: [a1]")
    with pytest.raises(InputError, match="sensors"):
        compose(whole)


def test_zones_are_proposed_where_there_are_none():
    hosts = [f"h{i}" for i in range(30)]
    links = [(hosts[i], hosts[j]) for i in range(30) for j in range(30) if i != j and i // 10 == j // 10]
    links += [("h9", "h10"), ("h19", "h20")]
    whole = configure(network_system(hosts, links, "h0"), ["G (h29 != Z)"], ["G (times(destroy) <= 0)"])
    assert list(proposed_zones(whole, 12).values()) == [tuple(hosts[i : i + 10]) for i in (0, 10, 20)]
    found = compose(whole)
    assert found.proposed and found.defensible


@pytest.mark.parametrize(
    "zones, found",
    [
        ({"za": ["a0", "a1"], "zb": ["b0", "b1", "c"]}, 'has "c", which is no host'),
        ({"za": ["a0", "a1", "b0"], "zb": ["b0", "b1"]}, "b0 is in two zones"),
        ({"za": ["a0", "a1"], "zb": ["b0"]}, "b1 is in no zone"),
    ],
)
def test_a_partition_is_one_of_the_hosts_there_are(zones, found):
    whole = _of(TWO, ["a0 -> a1"], ["G (b0 != Z)"])
    with pytest.raises(InputError, match=found):
        compose(whole, {(name,): of for name, of in zones.items()})


def test_a_clause_that_is_not_divided_is_told_with_its_place():
    clauses = ["G (b0 != Z)", "G (a1 = I -> b1 != I)", "G (active >= 2)"]
    clauses.append("per_zone: G (count(zone in {Z}) <= 1)")
    found = compose(_of(TWO, ["a0 -> a1", "a1 -> b0"], clauses), most_nodes=0)
    told = [(use.how, use.divided, use.place.split(":")[1]) for use in found.clauses]
    assert told == [
        ("about zb alone", True, "11"),
        ("about 2 zones; met by za alone", False, "12"),
        ("a count over 2 zones, each of which has an allowance", True, "13"),
        ("in parts, each about one of 2 zones", True, "14"),
    ]


def test_what_is_known_when_the_time_is_over():
    """The first zone is solved, then the clock stands at the end: its answer is not lost."""
    whole = _of(TWO, ["a0 -> a1", "a1 -> b0"], ["G (count(a0, a1 in {Z}) <= 1)", "G (b0 != Z)"])

    def watch(doing, done):
        if doing.startswith("1 of 2"):
            raise LimitError("the time ran out")

    found = compose(whole, budget=Budget(watch=watch, jobs=1))
    assert found.defensible is None and "the time ran out" in found.open
    assert [zone.by for zone in found.zones] == ["held by itself", ""]


def test_equal_zones_are_solved_once():
    zones = {f"z{i}": [f"h{i}x", f"h{i}y"] for i in range(6)}
    links = [f"h{i}x -> h{i}y" for i in range(6)] + [f"h{i}y -> h{(i + 1) % 6}x" for i in range(6)]
    clauses = [f"G !(h{i}x in {{Z}} & h{i}y in {{Z}})" for i in range(6)]
    found = compose(_of(zones, links, clauses, entry="h0x"))
    assert found.defensible and found.n_asked > found.n_solved == 2


def test_a_clause_for_every_zone():
    whole = _of(TWO, ["a0 -> a1", "a1 -> b0"], ["per_zone: G (count(zone in {I, Z}) <= 1)"])
    assert str(whole.requirement[0].formula) == "G (count(za in {I, Z}) <= 1 & count(zb in {I, Z}) <= 1)"
    assert compose(whole).decided_by == "zones"


def test_a_clause_for_every_zone_needs_zones():
    with pytest.raises(InputError, match="no zones"):
        _loaded("holdfast: 1\nnetwork: {hosts: [a, b], links: [a -> b], entry: a}\n"
                "specs: {defender: [{per_zone: \"G (count(zone in {Z}) <= 0)\"}]}\n")  # fmt: skip


def test_the_heaviest_way_to_spend_a_budget():
    """Against all ways to spend it."""
    draw = Random(3)
    for _ in range(100):
        budget = draw.randrange(4)
        profiles = [tuple(draw.randrange(5) for _ in range(budget + 1)) for _ in range(3)]
        ways = (w for w in product(range(budget + 1), repeat=3) if sum(w) <= budget)
        least = max(sum(p[k] for p, k in zip(profiles, w)) for w in ways)
        assert heaviest(profiles, budget) >= least
        growing = [tuple(sorted(p)) for p in profiles]
        ways = (w for w in product(range(budget + 1), repeat=3) if sum(w) <= budget)
        assert heaviest(growing, budget) == max(sum(p[k] for p, k in zip(growing, w)) for w in ways)


def test_the_automaton_of_a_clause_for_every_zone_is_that_of_all_of_them_together():
    """Put together from those of the zones, without diagrams of them all; trivial zones are left out of it."""
    for most in range(4):
        zones = {"za": ["a0", "a1", "a2"], "zb": ["b0", "b1"]}
        whole = _of(zones, [], [f"per_zone: G (count(zone in {{I, Z}}) <= {most})"])
        clause, vocabulary = whole.requirement[0], whole.system.vocabulary
        literal = compile_tree(clause.formula, vocabulary)
        assert (literal.states, literal.delta) == (clause.automaton.states, clause.automaton.delta)
        for codes in product(range(5), repeat=5):
            state = dict(zip(("a0", "a1", "a2", "b0", "b1"), codes))
            found, told = (a.read(a.initial, state, None) for a in (clause.automaton, literal))
            assert found == told


def test_what_is_screened_out_is_in_no_set_of_promises_on_which_zones_agree():
    """Against all sets of promises: those that every zone keeps, relying on the others."""
    n_sets = n_blocked = 0
    for seed in range(80 * TIMES):
        try:
            whole = _loaded(zoned_network(Random(seed)))
        except InputError:
            continue
        division = divide(whole, declared_zones(whole))
        asking = Negotiation(division, Answers(UNLIMITED), [ZoneTerms() for _ in division.zones])
        every = sorted({p for zone in division.zones for p in exposures(division, zone)}, key=str)
        if not 1 < len(every) <= 4 or division.tallies:
            continue
        screen(asking, range(len(division.zones)))
        n_blocked += len(asking.blocked)
        for size in range(1, len(every) + 1):
            for chosen in map(frozenset, combinations(every, size)):
                terms = [
                    ZoneTerms(
                        chosen.intersection(exposures(division, zone)),
                        frozenset(p for p in chosen if asking.owner(p) == number),
                    )
                    for number, zone in enumerate(division.zones)
                ]
                if all(asking.held(list(enumerate(terms)))):
                    n_sets += 1
                    assert not chosen & asking.blocked, seed
    assert n_sets > 2 and n_blocked > 2
