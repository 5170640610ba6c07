"""Templates of requirements against a literal evaluation, and what importers make of them."""

import json
import random

import pytest
from typer.testing import CliRunner

from cases import TIMES
from holdfast.apps.cli import app
from holdfast.errors import InputError
from holdfast.models.network.importers import import_network
from holdfast.models.network.templates import (
    TEMPLATES,
    at_most_out,
    down_for_at_most,
    never_lost,
    never_lost_together,
    stays_in_service,
    stays_up,
)
from holdfast.scenario.reading import configuration, scenario_from_text
from holdfast.solver.engines import solve
from paths import ROOT
from segments import Literal, random_design, scenario, up, with_flows

N_DESIGNS = 60 * TIMES


def n_in(state, hosts, letters):
    return sum(state[host] in letters for host in hosts)


def clauses(hosts):
    """Some clauses on hosts, each with what it says of a state in plain words of Python."""
    first, last = hosts[0], hosts[-1]
    return [
        (never_lost(first), lambda s: s[first] not in "XDZ"),
        (never_lost("part", several=True), lambda s: n_in(s, hosts[:2], "XDZ") == 0),
        (never_lost_together([first, last]), lambda s: not (s[first] in "XDZ" and s[last] in "XDZ")),
        (never_lost_together(hosts), lambda s: n_in(s, hosts, "XDZ") <= 1),
        (stays_in_service(last), lambda s: s[last] not in "IZ"),
        (stays_in_service("part", several=True), lambda s: n_in(s, hosts[:2], "IZ") == 0),
        (at_most_out("part", 0), lambda s: n_in(s, hosts[:2], "IZ") <= 0),
        (at_most_out("*", 1), lambda s: n_in(s, hosts, "IZ") <= 1),
        (at_most_out("part", 1), lambda s: n_in(s, hosts[:2], "IZ") <= 1),
    ]


class Asked(Literal):
    """The literal game of a design with a requirement of its own."""

    def __init__(self, design, holds):
        self.holds = holds
        super().__init__(design)

    def bad(self, v):
        return not all(holds(self.thaw(v[0])) for holds in self.holds)


@pytest.mark.parametrize("engine", ["symbolic", "explicit"])
def test_a_template_means_what_its_sentence_says(engine):
    """Should give the verdict and the rank of a literal game that reads the states by hand."""
    held = set()
    for seed in range(N_DESIGNS // 2):
        rng = random.Random(seed)
        design = random_design(rng, 2) | {"tempo": {}}
        chosen = rng.sample(clauses(design["hosts"]), rng.choice((1, 1, 2)))
        data = json.loads(scenario({**design, "requirement": []}, rng))
        data["network"]["sets"] = {"part": design["hosts"][:2]}
        data["specs"]["defender"] = [{"name": one.name, "formula": one.formula} for one, _ in chosen]
        found = solve(configuration(scenario_from_text(json.dumps(data))), engine)
        literal = Asked(design, [holds for _, holds in chosen])
        assert found.initial_rank == literal.rank.get(literal.first), (seed, chosen)
        assert [c.label for c in found.configuration.requirement] == [one.name for one, _ in chosen]
        held.add(found.defensible)
    assert held == {True, False}


def flowing(seed):
    """A design with flows and the name of one of them; None where it has none."""
    rng = random.Random(seed)
    design = with_flows(random_design(rng, 2 + seed % 2), rng, clauses=False) | {
        "tempo": {},
        "requirement": [],
    }
    return design, rng.choice([*design["flows"]] or [None]), rng


def asked_of(design, rng, clause):
    data = json.loads(scenario(design, rng))
    data["specs"]["defender"] = [{"name": clause.name, "formula": clause.formula}]
    return configuration(scenario_from_text(json.dumps(data)))


@pytest.mark.parametrize("engine", ["symbolic", "explicit"])
def test_a_flow_that_stays_up(engine):
    """Should give the verdict and the rank of a literal game in which paths are followed by hand."""
    held = set()
    for seed in range(N_DESIGNS // 2):
        design, flow, rng = flowing(seed)
        if flow is None:
            continue
        found = solve(asked_of(design, rng, stays_up(flow)), engine)
        literal = Asked(design, [lambda s, d=design, f=flow: f in up(d, s)])
        assert found.initial_rank == literal.rank.get(literal.first), seed
        held.add(found.defensible)
    assert held == {True, False}


def test_a_flow_that_is_down_for_a_while():
    """Should reject a run exactly when the flow is down at so many moments and one more in a row."""
    seen = set()
    for seed in range(N_DESIGNS):
        design, flow, rng = flowing(seed)
        if flow is None:
            continue
        moves = rng.randint(1, 4)
        here = asked_of(design, rng, down_for_at_most(flow, moves))
        (automaton,), game = here.defender, here.game
        names = [*design["hosts"], *design["conduits"]]
        q, down, violated = automaton.initial, 0, False
        for _ in range(25):
            some = {n: rng.choice("CCXDIZ" if n in design["hosts"] else ("open", "blocked")) for n in names}
            down = 0 if flow in up(design, some) else down + 1
            violated |= down > moves
            state = tuple(v.values.index(some[v.name]) for v in game.variables)
            q = automaton.read(q, game.codes(state), None)
            assert automaton.accepting[q] is not violated, (seed, moves)
        seen.add(violated)
    assert seen == {True, False}


def test_the_catalogue():
    """Should list each template with a clause as a file has it; wrong numbers are refused with what was expected."""
    told = CliRunner().invoke(app, ["init", "--templates"]).stdout
    for template in TEMPLATES:
        assert f"{template.key}\n  {template.sentence}\n" in told
        assert f"- name: {template.example.name}\n      formula: {template.example.formula}" in told
    assert stays_up("shop").formula == "G flow(shop)"
    assert down_for_at_most("shop", 1).name == "shop is down for at most 1 move"
    assert never_lost_together("abc").name == "no two of a, b and c are lost at a time"
    assert never_lost_together("abcde").name == "no two of 5 hosts are lost at a time"
    for wrong in (
        lambda: never_lost_together(["DB"]),
        lambda: down_for_at_most("shop", 0),
        lambda: at_most_out("z", -1),
    ):
        with pytest.raises(InputError):
            wrong()


def written(tmp_path, links, **options):
    file = tmp_path / "links.csv"
    file.write_text("source,target\n" + "".join(f"{link}\n" for link in links), "utf-8")
    return import_network(file, **options)


def labels(found, variant=None):
    return [c.label for c in configuration(scenario_from_text(found.text), variant).requirement]


def test_what_importers_ask_first(tmp_path):
    """Should ask that critical hosts are kept and in service, of people who must detect first, and say so."""
    found = written(tmp_path, ["GW,Web", "Web,DB", "DB,Mail"], critical=["DB"])
    assert labels(found) == ["DB is never lost", "DB stays in service", "at most 2 hosts out of service"]
    assert "  defender: staffed\n" in found.text and "active >=" not in found.text
    here = configuration(scenario_from_text(found.text))
    assert here.system.weakenings["detect-first"].system is None
    for word in ("requirement: critical hosts are never lost", "defender: staffed, who must detect"):
        assert sum(word in sentence for sentence in found.network.assumed) == 1
        assert word in found.text
    slow = configuration(scenario_from_text(found.text), "on-call-defense")
    quick = configuration(scenario_from_text(found.text), "automated-defense")
    assert (
        here.system.defender_tempo,
        slow.system.defender_tempo,
        quick.system.weakenings["detect-first"].system is None,
    ) == (
        1,
        2,
        False,
    )


def test_flows_of_exposed_hosts_are_not_promised():
    """Should ask for the service of critical hosts where their flows run through what anybody can reach."""
    found = import_network(ROOT / "tests/imports/netpol.json")
    assert {"store-db", "web"} in [set(path) for _, path in found.network.flows]
    assert "flow(" not in found.text.partition("specs:")[2]
    assert "every critical host stays in service" in labels(found)


def test_flows_of_critical_hosts_stay_up():
    """Should ask for the flows of critical hosts where the file has any, and for service where one has none."""
    found = import_network(ROOT / "tests/imports/threagile.yaml")
    network = found.network
    exposed = set(network.exposed)
    promised = [(name, path) for name, path in network.flows if not set(path) & exposed]
    flows = [name for name, path in promised if set(path) & set(network.critical)]
    assert flows
    here = configuration(scenario_from_text(found.text))
    formulas = " ".join(str(clause.formula) for clause in here.requirement)
    assert all(f"flow({name})" in formulas for name in flows) and "count(*" not in found.text
    served = {host for name, path in network.flows if name in flows for host in path}
    for host in network.critical:
        assert (f"{host} stays in service" in labels(found)) is (host not in served)
    assert any("their flows stay up" in sentence for sentence in network.assumed)


def test_data_stores_are_never_lost_together(tmp_path):
    """Should be told by their names, or by the file; critical ones, which are never lost at all, are not asked twice."""
    links = ["GW,Web", "Web,orders-db", "Web,Redis 1", "Web,Vault", "orders-db,Archive"]
    found = written(tmp_path, links, critical=["Vault"])
    assert found.network.stores == ("orders-db", "Redis_1", "Vault")
    assert labels(found)[2:-1] == ["orders-db and Redis_1 are never lost together"]
    assert any(s.startswith("data stores: orders-db, Redis_1, by their names") for s in found.network.assumed)
    few = written(tmp_path, links, critical=["Vault", "Redis 1"])
    assert labels(few)[:-1] == ["no critical host is ever lost", "every critical host stays in service"]
    assert not any("data stores" in sentence for sentence in few.network.assumed)
    text = (
        (ROOT / "tests/imports/threagile.yaml")
        .read_text("utf-8")
        .replace("threagile_version", "threagile_version", 1)
    )
    model = tmp_path / "model.yaml"
    model.write_text(text, "utf-8")
    assert set(import_network(model).network.stores) <= set(import_network(model).network.hosts)


def test_what_is_critical_and_exposed_is_told(tmp_path):
    """Should say that it cannot be kept, whoever marked it."""
    found = written(tmp_path, ["GW,Web", "Web,DB"], entry=["GW"], critical=["GW", "DB"])
    told = [s for s in found.network.assumed if "cannot be protected" in s]
    assert told == [
        "GW is critical, and is where the attacker starts: it cannot be protected from loss; see --critical"
    ]
    assert not solve(configuration(scenario_from_text(found.text))).defensible
