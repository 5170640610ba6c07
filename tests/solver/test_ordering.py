"""Variable orders: what the candidates cost, who wins the race, and that nothing else depends on it."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys

import pytest

from holdfast.arena.export.flat_shield import flatten_shield
from holdfast.arena.export.shields import render
from holdfast.budget import UNLIMITED
from holdfast.game.configuration import configure
from holdfast.logic.diagrams import Diagrams, OutOfNodes
from holdfast.logic.expressions import Variable
from holdfast.models.network.game import network_game
from holdfast.solver import ordering, race, symbolic
from holdfast.solver.engines import solve
from holdfast.solver.ordering import usual_order, variable_orders
from holdfast.solver.product_diagrams import ProductDiagrams, can_enter, must_enter
from holdfast.solver.shield import reachable, safe_actions
from holdfast.solver.solution import rank, witness
from strategies import random_configuration, random_segment


def orders_of(configuration):
    return list(variable_orders(configuration.game, (*configuration.defender, *configuration.adversary)))


def segment(hosts, links, n_active, budget=1):
    return configure(
        network_game(hosts, links, "h0"),
        ["G !(h1 in {X, D, Z} & h2 in {X, D, Z})", f"G (active >= {n_active})"],
        [f"G (times(destroy) <= {budget})"],
    )


def hubs(n):
    """A gateway that leads to all, a chain beside it, and a store that every third leads to."""
    hosts = [f"h{i}" for i in range(n)]
    links = [("h0", host) for host in hosts[2:]] + list(itertools.pairwise(hosts[2:]))
    return hosts, [*links, *((host, "h1") for host in hosts[2::3])]


def subnets(n, size=5):
    hosts = [f"h{i}" for i in range(n)]
    links = []
    for i in range(2, n, size):
        net = hosts[i : i + size]
        links += [("h0", net[0]), (net[-1], "h1"), *((net[0], other) for other in net[1:])]
        links += itertools.pairwise(net)
    return hosts, links


# -- candidates -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [hubs, subnets])
def test_no_permutation_of_the_hosts_gets_an_order_that_separates_badly(shape):
    """Should find an order about as good whatever the hosts are called and in whatever order they are declared."""
    hosts, links = shape(40)
    costs = []
    for seed in range(6):
        shuffled = random.Random(seed).sample(hosts, len(hosts)) if seed else hosts
        configuration = segment(shuffled, list(dict.fromkeys(links)), 37)
        bonds = ordering._Bonds.of(configuration.game, configuration.defender)
        order = tuple(v.name for v in usual_order(configuration.game, configuration.defender))
        costs.append(ordering._separation(order, bonds.near))
    assert max(costs) <= 2 * min(costs), costs


def test_separation_counts_kinds_of_neighbours():
    """Should see twins as one: all leaves of a star cost no more than one."""
    near = {"hub": ("a", "b", "c"), "a": ("hub",), "b": ("hub",), "c": ("hub",)}
    assert ordering._separation(("hub", "a", "b", "c"), near) == 3 * 2
    assert ordering._separation(("a", "b", "hub", "c"), near) == 3 * 2
    path = {"a": ("b",), "b": ("a", "c"), "c": ("b", "d"), "d": ("c",)}
    assert ordering._separation(("a", "b", "c", "d"), path) == 3 * 2
    assert ordering._separation(("a", "c", "b", "d"), path) == 2 + 4 + 2


def literal_separation(order, near):
    """The definition, cut by cut."""
    total = 0
    for i in range(1, len(order)):
        above, below = set(order[:i]), set(order[i:])
        upper = {frozenset(below & set(near[name])) for name in above} - {frozenset()}
        lower = {frozenset(above & set(near[name])) for name in below} - {frozenset()}
        total += 2 ** min(len(upper), len(lower))
    return total


def test_separation_by_its_definition():
    """Should be what the definition says, on random graphs of one variable to twelve in random orders."""
    for seed in range(300):
        rng = random.Random(seed)
        names = [f"v{i}" for i in range(rng.randint(1, 12))]
        links = [
            pair for pair in itertools.combinations(names, 2) if rng.random() < rng.choice((0.1, 0.3, 0.7))
        ]
        near = {name: tuple(b if a == name else a for a, b in links if name in (a, b)) for name in names}
        order = tuple(rng.sample(names, len(names)))
        assert ordering._separation(order, near) == literal_separation(order, near), seed


def test_inner_edges_decide_where_no_order_is_good_for_all():
    """Should lead with an order that separates the links near the pair well, whatever the declared order."""
    rng = random.Random(2)
    hosts = [f"h{i}" for i in range(48)]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.15]
    costs = []
    for seed in range(3):
        configuration = segment(random.Random(seed).sample(hosts, len(hosts)), links, 45)
        bonds = ordering._Bonds.of(configuration.game, configuration.defender)
        inner = ordering._inner(bonds, configuration.defender)
        assert [len(own.edges) for own in inner] == sorted({len(own.edges) for own in inner})
        assert set(inner[0].edges) < set(inner[1].edges) < set(bonds.edges)
        usual, second = (tuple(v.name for v in order) for order in orders_of(configuration)[:2])
        assert second == bonds.separated[0] and ordering._separation(second, bonds.near) > ordering.HOPELESS
        near = ordering._separation(usual, inner[1].near), ordering._separation(second, inner[1].near)
        assert near[0] < near[1], (seed, near)
        costs.append(ordering._weighted(usual, (*inner, bonds)))
        assert costs[-1] < ordering._weighted(second, (*inner, bonds))
    assert max(costs) < 1.1 * min(costs), costs


def test_orders_do_not_depend_on_how_python_hashes():
    """Should propose the same orders in every process."""
    code = (
        "import random; from strategies import random_segment; from holdfast.solver.ordering import variable_orders\n"
        "for seed in range(6): print([[v.name for v in o] for o in "
        "variable_orders(random_segment(random.Random(seed), 14, 0.2), ())])"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**environment, "PYTHONHASHSEED": seed},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(found) == 1


# -- the race ---------------------------------------------------------------------------------------


class Runner:
    """Work of so many nodes, of which some memory holds at most ``most``, after the game is laid out."""

    def __init__(self, name, work, most=10**15, n_laid=0):
        self.name, self.work, self.most, self.made, self.starts = name, work, most, 0, 0
        self.n_laid = n_laid

    def run(self, watch):
        self.starts += 1
        while self.made < self.work:
            self.made += 1000
            if self.made > self.most:
                raise OutOfNodes
            watch(self.made)


def test_a_leader_that_is_done_soon_runs_alone():
    """Should not even begin the others."""
    lanes = [Runner("one", race.FIRST - 5000), Runner("two", 1000)]
    assert race.race(iter(lanes), 10**9).name == "one"
    assert lanes[1].starts == 0


def test_a_bad_leader_is_overtaken():
    """Should end with an entrant that needs far less, and have spent a bounded multiple of what that needs."""
    lanes = [Runner("bad", 10**8), Runner("worse", 10**8), Runner("good", 10**6)]
    assert race.race(iter(lanes), 10**15).name == "good"
    assert sum(lane.made for lane in lanes) < 3 * race.SHARE * 10**6


def test_a_good_leader_pays_little_for_the_others():
    """Should win, and the others together have at most their shares."""
    lanes = [Runner("good", 10**8), *(Runner(str(i), 10**12) for i in range(6))]
    assert race.race(iter(lanes), 10**15).name == "good"
    assert sum(lane.made for lane in lanes[1:]) <= (race.MAX_LANES - 1) / race.SHARE * 10**8 + 10**4
    assert sum(lane.starts > 0 for lane in lanes[1:]) == race.MAX_LANES - 1


def test_nobody_enters_whose_share_would_not_lay_out_the_game():
    """Should wait until a share is as much as that took the leader, and then let them race."""
    n_laid = 10**6
    lanes = [Runner("good", race.SHARE * n_laid - 5000, n_laid=n_laid), Runner("other", 10**5)]
    assert race.race(iter(lanes), 10**15).name == "good"
    assert lanes[1].starts == 0
    lanes = [Runner("bad", 10**9, n_laid=n_laid), Runner("other", n_laid + 10**6)]
    assert race.race(iter(lanes), 10**15).name == "other"
    assert lanes[0].made < 3 * race.SHARE * n_laid


def test_whoever_runs_out_of_memory_is_out():
    """Should go on with the next, and give up only when nobody is left."""
    assert race.race(iter([Runner("one", 10**6, 10**4), Runner("two", 10**6)]), 10**9).name == "two"
    lanes = [Runner("one", 10**9, 10**8), Runner("two", 10**9, 10**3), Runner("three", 10**8)]
    assert race.race(iter(lanes), 10**15).name == "three"
    with pytest.raises(OutOfNodes):
        race.race(iter([Runner("one", 10**6, 10**4), Runner("two", 10**6, 10**5)]), 10**9)


# -- nothing else depends on it ---------------------------------------------------------------------


def everything(configuration, rng):
    """Numbers, ranks, menus, the bytes of the certificate and of the export."""
    solution = solve(configuration, "symbolic")
    positions = [configuration.initial]
    for _ in range(6):
        state = tuple(rng.randrange(size) for size in configuration.game.shape)
        positions += [configuration.start(state, player) for player in type(configuration.initial.turn)]
    asked = [(rank(solution, v), safe_actions(solution, v)) for v in positions]
    return (
        solution.shells, reachable(solution), asked,
        witness(solution, None, UNLIMITED), render(flatten_shield(solution), "python"),
    )  # fmt: skip


@pytest.mark.parametrize("chunk", range(3))
def test_answers_and_files_do_not_depend_on_the_winner(chunk, monkeypatch):
    """Should give equal numbers and equal bytes in every order of the variables."""
    n_orders = 0
    for seed in range(16 * chunk, 16 * (chunk + 1)):
        rng = random.Random(seed)
        configuration = random_configuration(rng, 2000)
        while configuration.game.tables is not None:
            configuration = random_configuration(rng, 2000)
        if seed % 2:
            game = random_segment(rng, rng.randint(4, 6), 0.3)
            configuration = configure(game, ["G !(h0 in {D, Z} & h1 in {X, Z})", "G (active >= 3)"], ["G (times(destroy) <= 1)"])  # fmt: skip
        variables = list(configuration.game.variables)
        orders = [*orders_of(configuration), tuple(rng.sample(variables, len(variables)))]
        expected = everything(configuration, random.Random(1))
        for order in orders:
            n_orders += order != orders[0]
            monkeypatch.setattr(symbolic, "variable_orders", lambda *_, order=order: iter([order]))
            assert everything(configuration, random.Random(1)) == expected, (seed, [v.name for v in order])
        monkeypatch.undo()
    assert n_orders > 20


def test_answers_do_not_depend_on_the_declared_order_of_the_hosts(monkeypatch):
    """Should count the same shells and the same R in every permutation, and through a race of every order."""
    monkeypatch.setattr(race, "FIRST", 64)
    for shape, n in ((hubs, 9), (subnets, 10)):
        hosts, links = shape(n)
        found = set()
        for seed in range(4):
            shuffled = random.Random(seed).sample(hosts, n)
            solution = solve(segment(shuffled, list(dict.fromkeys(links)), n - 3), "symbolic")
            found.add((solution.shells, reachable(solution)))
        assert len(found) == 1


def test_the_same_game_has_the_same_winner(monkeypatch):
    """Should count nodes, not seconds."""
    monkeypatch.setattr(race, "FIRST", 64)
    hosts, links = hubs(9)
    configuration = segment(random.Random(3).sample(hosts, 9), links, 6)
    winners = {solve(configuration, "symbolic").regions.product.diagrams.variables for _ in range(3)}
    assert len(winners) == 1


def test_copied_sets_have_the_same_members():
    """Should keep every state of a set when the variables change their order."""
    rng = random.Random(5)
    variables = [Variable(f"v{i}", range(rng.randint(2, 5))) for i in range(4)]
    one, other = Diagrams(variables), Diagrams(rng.sample(variables, 4))
    for _ in range(20):
        states = [
            {v.name: rng.randrange(len(v.values)) for v in variables} for _ in range(rng.randint(0, 30))
        ]
        union = one.false
        for state in states:
            union |= one.state(state)
        (copy,) = other.copied(one, [union], lambda: None)
        assert other.count(copy) == one.count(union)
        assert all(copy.eval(other.point(state)) for state in states)


# -- local moves ------------------------------------------------------------------------------------


def test_local_moves_lead_where_each_of_them_leads():
    """Should enter and be forced into random goals as the moves do one by one, in random orders."""
    n_local = n_others = 0
    for seed in range(120):
        rng = random.Random(seed)
        configuration = random_configuration(rng, 4000)
        if configuration.game.tables is not None:
            continue
        variables = configuration.game.variables
        order = tuple(rng.sample(variables, len(variables)))
        product = ProductDiagrams.build(configuration, order, 1 << 20, lambda: None)
        d = product.diagrams
        for group in (group for groups in product.groups.values() for group in groups):
            n_local += sum(map(len, group.local.changes))
            n_others += len(group.others)
            goal = d.false
            for _ in range(rng.randint(0, 12)):
                goal |= d.state({v.name: rng.randrange(len(v.values)) for v in variables})
            goal = d.valid & ~goal if rng.random() < 0.3 else goal
            some, every = goal & group.stay, group.stay.imp(goal)
            for piece in group.pieces:
                some |= piece.guard & goal.substitute(piece.substitution)
                every &= piece.guard.imp(goal.substitute(piece.substitution))
            assert can_enter(group, goal, lambda: None) & d.valid == some & d.valid, seed
            assert must_enter(group, goal, lambda: None) & d.valid == every & d.valid, seed
            among = d.valid & ~d.state({v.name: rng.randrange(len(v.values)) for v in variables})
            assert can_enter(group, goal, lambda: None, among) & d.valid == some & among, seed
    assert n_local > 50 and n_others > 50
