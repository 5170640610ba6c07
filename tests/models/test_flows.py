"""Flows of a network: what they mean in every state, in both engines, in variants, and in the text of a file."""

import random
from itertools import pairwise

import pytest

from cases import TIMES
from holdfast.errors import LimitError, ScenarioError
from holdfast.game.configuration import configure
from holdfast.game.flows import Flow, carried, needed_arrows, routes_between
from holdfast.game.structure import successor
from holdfast.logic.diagrams import Diagrams
from holdfast.logic.evaluate import reader
from holdfast.logic.expressions import Player
from holdfast.models.network import network_game
from holdfast.report.documents.background import difference
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from segments import (
    Literal,
    actions,
    after,
    dominance,
    random_design,
    scenario,
    states,
    up,
    walks,
    with_flows,
)

N_SEGMENTS, N_SOLVED = 400 * TIMES, 150 * TIMES


def built(seed, n_hosts=None):
    """A design with flows, its text and its configuration."""
    rng = random.Random(seed)
    design = with_flows(random_design(rng, n_hosts), rng)
    text = scenario(design, rng)
    return design, text, configuration(scenario_from_text(text))


def freeze(game, state):
    return tuple(v.values.index(state[v.name]) for v in game.variables)


def test_flows_are_up_when_their_words_say_so():
    """Should give flow(…), flows_up, μ and every successor their literal values in random states."""
    n_up = n_down = 0
    for seed in range(N_SEGMENTS):
        design, text, found = built(seed, 2 + seed % 4)
        if not design["flows"]:
            continue
        game, rng = found.game, random.Random(seed)
        asked = {name: reader(body, game.places) for name, body in game.definitions.items()}
        names = [*design["hosts"], *design["conduits"]]
        for _ in range(10):
            state = {n: rng.choice("CXDIZ" if n in design["hosts"] else ("open", "blocked")) for n in names}
            here, running = freeze(game, state), up(design, state)
            assert {n for n in design["flows"] if asked[f"flow({n})"](here)} == set(running), (text, state)
            assert asked["flows_up"](here) == len(running)
            assert game.mu(here) == dominance(design, state)
            n_up, n_down = n_up + len(running), n_down + len(design["flows"]) - len(running)
        for number, (kind, target) in enumerate(actions(design, Player.ADVERSARY)):
            new = freeze(game, after(design, state, kind, target))
            assert successor(game, Player.ADVERSARY, number, here) == new, (text, state, kind, target)
    assert min(n_up, n_down) > N_SEGMENTS


def test_diagrams_read_flows_as_states_do():
    """Should have the symbolic engine's sets hold exactly the states in which flows are up."""
    for seed in range(N_SEGMENTS // 10):
        design, text, found = built(seed, 3)
        if not design["flows"]:
            continue
        game = found.game
        diagrams = Diagrams(game.variables)
        sets = {name: diagrams.truth(game.definitions[f"flow({name})"]) for name in design["flows"]}
        by_number = diagrams.term(game.definitions["flows_up"])
        for state in random.Random(seed).sample(list(states(design)), 20):
            point = diagrams.point(
                dict(zip((v.name for v in game.variables), freeze(game, state), strict=True))
            )
            running = up(design, state)
            assert {name for name, where in sets.items() if where.eval(point)} == set(running), text
            assert [int(n) for n, where in by_number.items() if where.eval(point)] == [len(running)]


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_verdict_with_flows_is_that_of_the_literal_game(engine):
    """Should find the rank that a game solved from its words has, with clauses about flows."""
    ranks = []
    for seed in range(N_SOLVED):
        design, text, found = built(seed, 2 if seed % 8 else 3)
        literal = Literal(design)
        ranks.append(literal.rank.get(literal.first))
        assert solve(found, engine).initial_rank == ranks[-1], text
    assert ranks.count(None) > N_SOLVED // 10
    assert sum(rank is not None and rank > 0 for rank in ranks) > N_SOLVED // 10


def test_paths_that_matter_stand_for_all_paths():
    """Should be up by the listed paths exactly where some path between the ends is, gates and all."""
    for seed in range(N_SEGMENTS):
        rng = random.Random(seed)
        names = [f"n{i}" for i in range(rng.randint(2, 6))]
        links = [
            (a, b) for a in names for b in names if a != b and rng.random() < rng.choice((0.2, 0.5, 0.9))
        ]
        gates = {link: rng.sample("pqr", rng.randint(1, 2)) for link in links if rng.random() < 0.3}
        ends = names[0], names[1]
        every = [path for path in walks(links, [ends[0]]) if path[-1] == ends[1]]
        routes = routes_between(ends, links, gates)
        for _ in range(20):
            serving = {name for name in names if rng.random() < 0.8}
            shut = {name for name in "pqr" if rng.random() < 0.3}

            def passes(path, serving=serving, shut=shut, gates=gates):
                return serving.issuperset(path) and not any(
                    shut & set(gates.get(a, ())) for a in pairwise(path)
                )

            assert any(map(passes, routes)) == any(map(passes, every)), (links, gates, serving, shut)
        flow = Flow("f", ends=ends)
        assert bool(carried(flow, names, links)) == bool(every)
        needed = {a for a in links if every and all(a in pairwise(path) for path in every)}
        assert needed_arrows(flow, names, links) == needed


def test_a_hundred_hosts():
    """Should solve an office of a hundred hosts whose flows cross redundant firewalls and cores by any path."""
    desks, servers = [f"ws{i}" for i in range(80)], [f"s{i}" for i in range(12)]
    walls, cores, floors = ["fw1", "fw2"], ["core1", "core2"], ["d1", "d2", "d3"]
    hosts = ["edge", *walls, *cores, *floors, *desks, *servers]
    links = [("edge", wall) for wall in walls] + [(wall, core) for wall in walls for core in cores]
    links += [(core, below) for core in cores for below in (*floors, *servers)]
    links += [(floors[i % 3], desk) for i, desk in enumerate(desks)]
    links += [(desk, servers[i % 12]) for i, desk in enumerate(desks) if i % 5 == 0]
    flows = {
        "shop": "edge -> fw1 -> core1 -> s0",
        "web": "edge -> s1",
        "desk": "edge -> ws7",
        "app": "core1 -> s2",
    }
    game = network_game(hosts, links, "edge", flows=flows)
    assert len(game.definitions["flow(web)"].args) == 4
    asked = {"G (flow(app) | s0 = I)": None, "G flow(web)": 1, "G (flows_up >= 1)": None}
    for clause, rank in asked.items():
        found = solve(configure(game, [clause, "G (s3 != Z)"], ["G (times(destroy) <= 2)"]), "symbolic")
        assert found.initial_rank == rank, clause


SHOP = """\
holdfast: 1
name: Shop
network:
  hosts: [Web, App, DB, BK, {ws: {count: 2}}]
  links: [Web -> App, App -> DB, Web -> DB, DB -> BK, ws -> App]
  entry: Web
  flows:
    shop: Web -> App -> DB
    backup: {path: DB -> BK, value: 2}
    reach: Web -> BK
specs:
  defender: [G flow(backup)]
variants:
  cut: {remove_links: [DB -> BK]}
  gone: {remove_hosts: [App]}
  other: {flows: {only: ws1 -> App}, specs: {defender: [G flow(only)]}}
  filtered: {add_links: [{from: App, to: DB, filter: yes}]}
"""


def shop(variant=None, text=SHOP):
    return configuration(scenario_from_text(text), variant)


def test_a_path_that_is_gone_is_never_up():
    """Should take the base's flows into a variant, where a path whose link or host is gone is down for good."""
    assert [str(shop().game.definitions[f"flow({n})"]) for n in ("shop", "backup")] == [
        "Web in {C, X, D} & App in {C, X, D} & DB in {C, X, D}",
        "DB in {C, X, D} & BK in {C, X, D}",
    ]
    assert solve(shop("cut")).initial_rank == 0
    gone = shop("gone").game.definitions
    assert (str(gone["flow(shop)"]), str(gone["flow(backup)"])) == (
        "false",
        "DB in {C, X, D} & BK in {C, X, D}",
    )
    assert str(gone["flow(reach)"]).startswith("Web in {C, X, D} & DB in")
    assert [*shop("other").game.definitions] == ["active", "clean", "flow(only)", "flows_up"]


def test_a_filtered_link_carries_flows_and_no_spread():
    """Should keep the link in the picture and for its flow, and let nothing spread along it."""
    here = shop("filtered")
    assert here.system.graph.filtered == {("App", "DB")}
    assert ("App", "DB") in here.system.graph.arrows
    assert here.game.definitions["flow(shop)"] == shop().game.definitions["flow(shop)"]
    (spread,) = (a for a in here.game.actions[Player.ADVERSARY] if a.name == "spread(DB)")
    assert str(spread.rules[0].when) == "DB = C & Web in {X, D}"
    assert difference(shop().system.graph, here.system.graph) == "filters 1 link (App → DB)"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("App -> DB\n    backup", "App -> DB -> BKK\n    backup", 'unknown host "BKK"; did you mean "BK"?'),
        ("App -> DB\n    backup", "App -> BK\n    backup", "there is no link App -> BK for this path"),
        ("reach: Web -> BK", "reach: BK -> Web", "no path of links leads from BK to Web"),
        ("reach: Web -> BK", "reach: {from: ws, to: App}", '"ws" stands for several hosts'),
        ("reach: Web -> BK", "reach: {from: Web, to: Web}", "ends where it starts"),
        ("reach: Web -> BK", "reach: {from: Web}", "a flow has a path, or paths, or from and to"),
        ("reach: Web -> BK", "reach: Web -> -> BK", "expected a path such as"),
        ("reach: Web -> BK", "reach: {path: [Web, DB, Web]}", "twice"),
        ("G flow(backup)", "G flow(bakup)", 'there is no flow "bakup"; did you mean "backup"?'),
        ("G flow(backup)", "G flow", "as in flow(shop)"),
        ("  entry: Web", "  entry: Web\n  dominance: flow", "expected hosts or flows"),
        ("hosts: [Web, App", "hosts: [Web, flow, App", "flow"),
    ],
)
def test_mistakes_about_flows(old, new, words):
    """Should say what is wrong with a flow, and where."""
    assert old in SHOP
    with pytest.raises(ScenarioError, match=r"<text>:\d+:\d+") as caught:
        shop(text=SHOP.replace(old, new))
    assert words in str(caught.value)


def test_too_many_paths_are_refused():
    """Should ask for the path where there are too many to tell apart."""
    layers = [[f"a{i}{j}" for j in range(6)] for i in range(5)]
    links = [(a, b) for one, other in pairwise(layers) for a in one for b in other]
    links += [("s", a) for a in layers[0]] + [(a, "t") for a in layers[-1]]
    with pytest.raises(LimitError, match="more than 500 paths"):
        routes_between(("s", "t"), links)
    hosts = ["s", "t", *(a for layer in layers for a in layer)]
    text = f"holdfast: 1\nnetwork: {{hosts: {hosts}, links: {[' -> '.join(k) for k in links]}, entry: s, "
    with pytest.raises(ScenarioError, match="name the one that this flow takes"):
        configuration(scenario_from_text(text + "flows: {f: {from: s, to: t}}}\nspecs: {}\n"))
