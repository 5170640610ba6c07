"""Networks from the files of other programs: what is read, what is made of it, and what is told."""

from __future__ import annotations

import json
import random
from itertools import islice
from pathlib import Path

import networkx
import pytest

import holdfast as hf
from commands import holdfast
from holdfast.errors import InputError, LimitError
from holdfast.models.network.importers import import_formats, import_network, importer_of, importers
from holdfast.models.network.importers.choices import both_ways, collapsed, distances
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.foreign import open_foreign
from holdfast.models.network.importers.names import name_hosts, name_zones, named, valid
from holdfast.models.network.importers.scenario_text import scenario_text
from holdfast.models.network.reader import gather_segment
from holdfast.running.plugins import plugins_of
from imported import HERE, check_text, read, shared
from paths import ROOT, SCENARIOS

SHOP = [("GW", "Web"), ("Web", "App"), ("App", "DB"), ("DB", "BK")]


# -- each format, on a file of our own --------------------------------------------------------------

RECOGNISED = {
    "links.csv": "edges",
    "shop.graphml": "graphml",
    "shop.gml": "gml",
    "node-link.json": "node-link",
    "nasim.yaml": "nasim",
    "threagile.yaml": "threagile",
    "cyborg.yaml": "cyborg",
    "netpol.json": "netpol",
    "netpol.csv": "netpol",
    "lab.clab.yml": "containerlab",
    "shop-cluster.yaml": "kubernetes",
    "compose.yaml": "compose",
    "scan.xml": "nmap",
    "firewall.json": "nftables",
    "findings.nessus": "nessus",
    "shop.drawio": "drawio",
    "computers.json": "bloodhound",
    "shop.tf": "terraform",
    "opengraph.json": "bloodhound",
}


@pytest.mark.parametrize("name", RECOGNISED)
def test_a_file_should_be_recognised_by_what_stands_in_it(name, tmp_path):
    found = read(name)
    assert found.format == RECOGNISED[name]
    check_text(found)
    anonymous = tmp_path / "network"
    anonymous.write_bytes((HERE / name).read_bytes())
    assert import_network(anonymous).format == found.format


@pytest.mark.parametrize("name", RECOGNISED)
def test_one_format_alone_should_claim_a_file(name):
    file = open_foreign(HERE / name)
    claimed = [importer.key for importer in importers() if importer.recognise(file)]
    assert claimed[0] == RECOGNISED[name]
    assert set(claimed) <= {RECOGNISED[name], "edges"}


@pytest.mark.parametrize("key", import_formats())
def test_an_importer_should_be_what_its_line_says(key):
    importer = importer_of(key)
    assert importer.key == key and importer.called
    assert f"{importer.read.__module__}:IMPORTER" == plugins_of("importers")[key][0].value


def test_json_should_be_read_with_all_its_escapes(tmp_path):
    file = tmp_path / "a.json"
    file.write_text(r'{"nodes": [{"id": "a\/b"}, {"id": "\u00e9"}], "links": []}', "utf-8")
    assert import_network(file).network.hosts == ("a_b", "é")
    astral = {"nodes": [{"id": "\U0001d54f"}, {"id": "b"}], "links": []}
    file.write_text(json.dumps(astral), "utf-8")  # as a pair of surrogates
    assert import_network(file).network.hosts == ("X_host", "b")


def test_a_list_of_links_should_keep_its_services():
    network = read("links.csv").network
    assert list(network.links) == SHOP
    assert network.links["App", "DB"] == ("sql", "ssh")
    assert network.entry == ("GW",) and network.critical == ("DB", "BK")
    assert network.dropped == ("columns other than source, target and service",)
    assert network.assumed[0].startswith("entry: GW, because links lead from it and none to it")


@pytest.mark.parametrize(
    ("text", "links"),
    {
        "no header": ("a,b\nb,c\n", [("a", "b"), ("b", "c")]),
        "semicolons": ("from;to\na;b\n", [("a", "b")]),
        "tabs": ("dst\tsrc\nb\ta\n", [("a", "b")]),
        "blanks": ("a b\n\n# c d\nb   c\n", [("a", "b"), ("b", "c")]),
        "quotes": ('source,target\n"a, the first",b\n', [("a_the_first", "b")]),
        "addresses": ("10.0.0.1,10.0.0.2\n", [("h10_0_0_1", "h10_0_0_2")]),
        "windows": ("\ufeffsource,target\r\na,b\r\n", [("a", "b")]),
    }.values(),
)
def test_tables_should_be_read_however_they_are_separated(text, links, tmp_path):
    file = tmp_path / "links.txt"
    file.write_text(text, "utf-8", newline="")
    assert list(import_network(file).network.links) == links


@pytest.mark.parametrize("name", ["shop.graphml", "shop.gml", "node-link.json"])
def test_graphs_should_say_the_same_in_every_format(name):
    network = read(name).network
    assert list(network.links) == SHOP
    assert network.exposed == ("GW",) and network.entry == () and network.critical == ("DB", "BK")
    assert dict(network.zones) == {"edge": ("GW", "Web"), "inside": ("App", "DB", "BK")}


def test_what_a_graph_loses_should_be_told():
    assert read("shop.graphml").network.dropped == ("attributes of nodes: owner",)
    assert read("shop.gml").network.dropped == ("attributes of links: weight",)


def test_nasim_should_follow_its_firewalls():
    found = read("nasim.yaml")
    network = found.network
    assert set(network.links) == {
        ("h1_0", "h2_0"),  # http through the firewall; ssh would not be let through
        ("h2_0", "h3_0"),  # ssh
        ("h2_1", "h2_0"),  # the same subnet, and an exploit of http for any system
        ("h2_1", "h3_0"),
        ("h3_1", "h3_0"),
    }  # not (2, 0) -> (2, 1), whose own firewall denies it; not to (3, 1), which nothing can exploit
    assert network.exposed == ("h1_0",) and network.critical == ("h3_0", "h2_1")
    assert found.renamed["h1_0"] == "(1, 0)"
    assert {host: float(chance) for host, chance in network.chances.items()} == {
        "h1_0": 0.9,
        "h2_0": 0.9,
        "h3_0": 0.8,
    }
    assert "  chance:\n    spread: 0.9\n    spread(h3_0): 0.8\n" in found.text
    assert any("costs of exploits" in told for told in network.dropped)
    assert any("honeypot" in told for told in network.dropped)


def test_threagile_should_give_assets_boundaries_and_ratings():
    network = read("threagile.yaml").network
    assert list(network.links) == [("gw", "web"), ("web", "app"), ("app", "db")]
    assert network.exposed == ("gw",) and network.critical == ("app", "db")
    assert dict(network.zones) == {"edge": ("gw", "web"), "inside": ("app", "db")}
    assert network.links["app", "db"] == ("sql", "ssh")
    assert {path for _, path in network.flows} == set(network.links)
    assert any("inside in edge" in told for told in network.dropped)
    assert any("out of scope (mail)" in told for told in network.dropped)


def test_cyborg_should_follow_hints_as_far_as_access_lists_let_it():
    found = read("cyborg.yaml")
    network = found.network
    assert set(network.links) == {
        ("Guest", "Shop"),  # what red knows
        ("Shop", "Guard"),
        ("Guard", "Shop"),
        ("Shop", "Store"),
    }  # not Shop -> Vault: nothing may leave for that subnet
    assert network.entry == ("Guest",) and network.critical == ("Store", "Vault")
    assert found.warnings and "to Vault, so" in found.warnings[0]


def test_a_host_of_cyborg_in_two_subnets_should_have_the_links_of_both(tmp_path):
    text = (HERE / "cyborg.yaml").read_text("utf-8")
    text = text.replace("Hosts: [Vault]", "Hosts: [Vault, Guard]")
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    found = import_network(tmp_path / "a.yaml")
    before = read("cyborg.yaml").network
    assert set(found.network.links) == {*before.links, ("Guard", "Vault"), ("Vault", "Guard")}
    assert not found.warnings  # nothing said that Vault is out of reach
    assert dict(found.network.zones) == dict(before.zones)
    assert any("Guard in Front, Safe" in told for told in found.network.dropped)
    assert "Guard in Front, Safe" in found.text
    check_text(found)


def test_a_host_of_cyborg_should_pass_the_access_lists_of_any_of_its_subnets(tmp_path):
    text = (HERE / "cyborg.yaml").read_text("utf-8")
    text = text.replace("Hosts: [Guest]", "Hosts: [Guest, Shop]")
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    links = set(import_network(tmp_path / "a.yaml").network.links)
    # From Front nothing may leave for Vault's subnet; from Guests, where Shop is too, it may.
    assert links == {*read("cyborg.yaml").network.links, ("Shop", "Guest"), ("Shop", "Vault")}


def test_cyborg_without_hints_should_be_told(tmp_path):
    text = (HERE / "cyborg.yaml").read_text("utf-8")
    text = text.replace(", Shop: {Interfaces: IP Address}", "").replace(
        "    info: {Shop: {Interfaces: All}, Store: {Interfaces: IP Address}, Vault: {Interfaces: IP Address}}\n",
        "",
    )
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    found = import_network(tmp_path / "a.yaml")
    assert set(found.network.links) == {("Shop", "Guard"), ("Guard", "Shop")}
    assert any("no hints (info)" in told for told in found.network.dropped)
    assert "to Store, Vault, so" in found.warnings[0]


@pytest.mark.parametrize("name", ["netpol.json", "netpol.csv"])
def test_netpol_should_tell_inside_from_outside(name):
    network = read(name).network
    assert network.hosts == ("gw", "web", "store-db", "backup-db")
    assert list(network.links) == [("gw", "web"), ("web", "store-db"), ("store-db", "backup-db")]
    assert network.exposed == ("gw", "web")
    assert dict(network.zones) == {"shop": ("gw", "web"), "store": ("store-db",), "backup": ("backup-db",)}
    assert "1 connections to addresses outside the cluster" in network.dropped
    assert {path for _, path in network.flows if len(path) == 2} <= set(network.links)
    assert "flows:" in read(name).text and read(name).network.flows


def test_yawning_titan_should_ask_which_network_is_meant():
    with pytest.raises(InputError, match='holds 2 networks; take one with --network: "Pair", "Chain"'):
        read("yawning-titan.json")
    with pytest.raises(InputError, match='no network "Chian"; did you mean "Chain"'):
        read("yawning-titan.json", network="Chian")
    found = read("yawning-titan.json", network="Chain")
    assert set(found.network.links) == {("GW", "App"), ("App", "GW"), ("App", "DB"), ("DB", "App")}
    assert found.network.entry == ("GW",) and found.network.critical == ("DB",)
    check_text(found)
    pair = read("yawning-titan.json", network="Pair")
    assert pair.network.hosts == ("h0", "h1")
    assert any("drawn at random" in told for told in pair.network.dropped)


def test_containerlab_should_join_both_ends():
    network = read("lab.clab.yml").network
    assert set(network.links) == {
        *[("router", "leaf1"), ("leaf1", "router"), ("leaf1", "leaf2"), ("leaf2", "leaf1")],
        *[("leaf2", "server"), ("server", "leaf2")],
    }
    assert network.exposed == ("router",)
    assert dict(network.zones) == {"edge": ("router",), "fabric": ("leaf1", "leaf2")}


# -- real files -------------------------------------------------------------------------------------


def nasim_files():
    import nasim

    return sorted((Path(nasim.__file__).parent / "scenarios" / "benchmark").glob("*.yaml"))


@pytest.mark.parametrize("file", nasim_files(), ids=lambda file: file.stem)
def test_links_of_nasim_should_be_what_nasim_itself_lets_through(file):
    import nasim
    from nasim.envs.network import Network

    scenario = nasim.load_scenario(str(file))
    real = Network(scenario)

    def takes(source, target):
        machine = scenario.hosts[target]
        return any(
            machine.services[exploit["service"]]
            and (exploit["os"] is None or machine.os[exploit["os"]])
            and real.subnet_traffic_permitted(source[0], target[0], exploit["service"])
            # Its documentation has a host deny services to others; its loader leaves these addresses as text.
            and exploit["service"] not in machine.firewall.get(str(source), ())
            for exploit in scenario.exploits.values()
        )

    found = import_network(file)
    addresses = {
        host: tuple(json.loads(found.renamed[host].replace("(", "[").replace(")", "]")))
        for host in found.network.hosts
    }
    links = {(addresses[a], addresses[b]) for a, b in found.network.links}
    hosts = list(scenario.hosts)
    assert links == {(a, b) for a in hosts for b in hosts if a != b and takes(a, b)}
    assert {addresses[host] for host in found.network.exposed} == {b for b in hosts if takes((0, 0), b)}
    assert {addresses[host] for host in found.network.critical} == set(scenario.sensitive_hosts)
    check_text(found)


def topohub_files(largest):
    import topohub

    for file in sorted((Path(topohub.__file__).parent / "data").rglob("*.json")):
        if file.stat().st_size < 1_000_000:
            data = json.loads(file.read_text("utf-8"))
            if len(data["nodes"]) <= largest:
                yield file, data


def test_every_small_topology_of_topohub_should_be_imported():
    """Should be the same graph; `python -m benchmarks.imports` takes all of them."""
    n = 0
    for file, data in islice(topohub_files(60), 0, None, 5):
        found = import_network(file)
        graph = networkx.node_link_graph(data, edges="edges")
        edges = {pair for pair in graph.edges if pair[0] != pair[1]}
        assert len(found.network.hosts) == graph.number_of_nodes(), file
        assert len(found.network.links) == 2 * len(edges), file
        # The same graph but for names: the order of the nodes is kept.
        names = dict(zip(graph.nodes, found.network.hosts))
        assert set(found.network.links) == {
            (names[a], names[b]) for u, v in edges for a, b in ((u, v), (v, u))
        }
        n += 1
        if n % 20 == 1:
            check_text(found)
    assert n > 80


SHARED_COUNTS = {
    "compose-nextcloud.yaml": ("compose", 3, 4),
    "drawio-network.xml": ("drawio", 26, 50),
    "k8s-online-boutique.yaml": ("kubernetes", 12, 132),
    "nmap-2hosts.xml": ("nmap", 2, 1),
    "Abilene.graphml": ("graphml", 11, 28),
    "Geant2012.graphml": ("graphml", 40, 122),
    "containerlab-clos02.yml": ("containerlab", 14, 32),
    "cyborg-scenario2.yaml": ("cyborg", 13, 49),
    "netpol-acs-security-demos.csv": ("netpol", 11, 12),
    "netpol-acs-security-demos.json": ("netpol", 11, 12),
    "threagile-example.yaml": ("threagile", 14, 19),
}


@pytest.mark.parametrize("name", SHARED_COUNTS)
def test_real_files_should_be_imported(name):
    found = import_network(shared(name))
    assert (found.format, len(found.network.hosts), len(found.network.links)) == SHARED_COUNTS[name]
    check_text(found)


def test_cage_2_should_be_as_its_authors_describe_it():
    network = import_network(shared("cyborg-scenario2.yaml")).network
    assert network.entry == ("User0",) and network.critical == ("Op_Server0",)
    across = {link for link in network.links if network.zone_of[link[0]] != network.zone_of[link[1]]}
    assert across == {
        ("User1", "Enterprise1"),
        ("User2", "Enterprise1"),
        ("User3", "Enterprise0"),
        ("User4", "Enterprise0"),
        ("Enterprise2", "Op_Server0"),
    }
    assert distances(network)["Op_Server0"] == 4


def test_threagiles_example_should_be_as_it_is_drawn():
    network = import_network(shared("threagile-example.yaml")).network
    assert network.exposed == ("customer-client", "external-dev-client")
    assert {"load-balancer", "ldap-auth-server", "sql-database"} <= set(network.critical)
    assert ("load-balancer", "apache-webserver") in network.links


def test_both_networks_of_yawning_titan_should_be_imported():
    file = shared("yawning-titan-networks.json")
    found = import_network(file, network="Default 18-node network")
    assert len(found.network.hosts) == 18 and len(found.network.links) == 2 * 17
    assert len(import_network(file, network="Dcbo base network").network.hosts) == 10


# -- what a person asks for -------------------------------------------------------------------------


def test_an_entry_is_chosen_from_which_something_critical_is_reached(tmp_path):
    file = tmp_path / "links.csv"
    file.write_text("Lone,Side\nDesk,Files\nFiles,DC\nSide,Printer\n", "utf-8")
    assert import_network(file, critical=["DC"]).network.entry == ("Desk",)
    assert import_network(file, critical=["Printer"]).network.entry == ("Lone",)
    assert import_network(file, critical=["Lone"]).network.entry == ("Desk",)  # nothing leads there


def test_entry_and_critical_should_be_what_was_asked_for():
    found = read("shop.graphml", entry=["Web", "n2"], critical=["edge"])
    assert found.network.entry == ("Web", "App") and found.network.exposed == ()
    assert found.network.critical == ("GW", "Web")
    assert read("nasim.yaml", entry=["(1, 0)"]).network.entry == ("h1_0",)
    assert read("nasim.yaml", entry=["h1_0,h2_0"]).network.entry == ("h1_0", "h2_0")
    check_text(found)


def test_an_unknown_host_should_be_told_with_the_closest():
    with pytest.raises(InputError, match='--entry: there is no host "Wob"; did you mean "Web"'):
        read("links.csv", entry=["Wob"])
    with pytest.raises(InputError, match=r"--critical: .*the hosts are GW, Web"):
        read("links.csv", critical=["zzzzzz"])


def test_both_ways_should_double_the_links():
    network = read("links.csv", both_ways=True).network
    assert set(network.links) == {*SHOP, *((b, a) for a, b in SHOP)}


def test_zones_should_collapse_to_one_host_each():
    found = read("shop.graphml", collapse="zone")
    assert found.network.hosts == ("edge", "inside")
    assert list(found.network.links) == [("edge", "inside")]
    assert found.network.exposed == ("edge",) and found.network.critical == ("inside",)
    assert dict(found.network.stands_for) == {"edge": 2, "inside": 3}
    assert "{inside: {value: 3}}" in found.text
    check_text(found)
    with pytest.raises(InputError, match="the file has no zones; try --collapse group"):
        read("links.csv", collapse="zone")


def test_an_unknown_format_should_be_refused():
    with pytest.raises(InputError, match='there is no format "nasm"; did you mean "nasim"'):
        read("nasim.yaml", format="nasm")
    with pytest.raises(InputError, match="collapse is 'all'; expected zone or group"):
        read("nasim.yaml", collapse="all")
    with pytest.raises(InputError, match="not in a known format"):
        import_network(ROOT / "mkdocs.yml")
    with pytest.raises(InputError, match="a scenario of Holdfast already"):
        import_network(SCENARIOS / "paper.yaml")


def test_a_format_that_is_named_should_not_be_guessed():
    assert import_network(HERE / "netpol.csv", "edges").format == "edges"


def test_the_deadline_should_reach_the_reading_of_a_file():
    with pytest.raises(LimitError):
        read("links.csv", budget=hf.Budget.lasting(0.0))


# -- names ------------------------------------------------------------------------------------------


def random_name(rng):
    alphabet = "abXC0 -_./()[]{}:,#\"'é漢\t&*!|>%@"
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 6)))


def random_draft(rng):
    """A draft with names that are hard to read, zones, marks and links of every kind."""
    hosts = tuple(dict.fromkeys(random_name(rng) for _ in range(rng.randint(1, 9))))
    density = rng.random()
    links = {
        (a, b): tuple(random_name(rng) for _ in range(rng.randint(0, 2)))
        for a in hosts
        for b in hosts
        if a != b and rng.random() < density
    }
    zones: dict[str, list[str]] = {}
    for host in hosts:
        if rng.random() < 0.7:
            zones.setdefault(random_name(rng), []).append(host) if rng.random() < 0.4 else zones.setdefault(
                "z", []
            ).append(host)
    some = [tuple(host for host in hosts if rng.random() < 0.4) for _ in range(3)]
    labels = {host: random_name(rng) for host in hosts if rng.random() < 0.3}
    return Draft(
        hosts,
        links,
        labels,
        {zone: tuple(of) for zone, of in zones.items()},
        entry=some[0] or hosts[:1],
        exposed=some[1],
        critical=some[2] or hosts[-1:],
        dropped=tuple(random_name(rng) for _ in range(2)),
        title=random_name(rng),
    )


@pytest.mark.parametrize("seed", range(0, 300, 30))
def test_what_is_written_should_be_what_was_read(seed):
    """Should hold for any names: the scenario is valid and says exactly the draft's hosts, links and marks."""
    for number in range(seed, seed + 30):
        check_written(random_draft(random.Random(number)))


def check_written(draft):
    hosts = name_hosts(draft)
    assert len(set(hosts.values())) == len(draft.hosts)
    final = named(draft, hosts, name_zones(draft, hosts.values()))
    text = scenario_text(final, "a file", {name: source for source, name in hosts.items()})
    segment = gather_segment(hf.scenario_from_text(text)._root["network"], None)
    assert segment.hosts == final.hosts and set(segment.links) == set(final.links)
    assert set(segment.entries) == set(final.entry) and set(segment.exposed) == set(final.exposed)
    assert len(segment.links) == len(draft.links)


def test_names_that_are_valid_should_stay():
    for name in ("Web-1", "DB", "Zürich", "a_b", "x1"):
        assert valid(name) == name
    draft = Draft(("a b", "a_b", "a-b"), {})
    assert name_hosts(draft) == {"a b": "a_b_2", "a_b": "a_b", "a-b": "a-b"}


def test_no_name_should_be_a_word_of_the_language_or_of_the_model():
    configuration = hf.load(SCENARIOS / "paper.yaml")
    game = configuration.system.game
    words = {a.name.split("(")[0] for actions in game.actions.values() for a in actions}
    words |= {str(value) for variable in game.variables for value in variable.values} | set(game.definitions)
    for word in words | {"count", "times", "G", "true", "null", "and", "critical"}:
        assert valid(word) == f"{word}_host"


# -- fewer hosts ------------------------------------------------------------------------------------


def alike(draft, a, b):
    """The definition, literally: exchanging two hosts changes nothing."""
    swap = {a: b, b: a}
    links = {(swap.get(u, u), swap.get(v, v)) for u, v in draft.links}
    same = all((a in of) == (b in of) for of in (draft.entry, draft.exposed, draft.critical))
    return links == set(draft.links) and same and draft.zone_of.get(a) == draft.zone_of.get(b)


@pytest.mark.parametrize("seed", range(0, 1000, 100))
def test_hosts_should_collapse_exactly_where_they_can_be_exchanged(seed):
    for number in range(seed, seed + 100):
        check_collapsed(random.Random(number))


def check_collapsed(rng):
    hosts = tuple("abcdefg"[: rng.randint(2, 7)])
    links = {
        (u, v): () for u in hosts for v in hosts if u != v and rng.random() < rng.choice([0.2, 0.5, 0.9])
    }
    draft = Draft(hosts, links, critical=hosts[:1], zones={"z": hosts[2:5]} if rng.random() < 0.5 else {})
    classes: list[list[str]] = []
    for host in hosts:
        home = next((of for of in classes if alike(draft, of[0], host)), None)
        classes.append([host]) if home is None else home.append(host)
    found = collapsed(draft, "group")
    assert found.hosts == tuple(of[0] for of in classes)
    assert dict(found.stands_for) == {of[0]: len(of) for of in classes if len(of) > 1}
    assert set(found.links) == {
        (u[0], v[0])
        for u in classes
        for v in classes
        if u is not v and any((a, b) in links for a in u for b in v)
    }


def test_both_ways_should_keep_services():
    draft = both_ways(Draft(("a", "b"), {("a", "b"): ("ssh",)}))
    assert draft.links == {("a", "b"): ("ssh",), ("b", "a"): ("ssh",)}


# -- the command ------------------------------------------------------------------------------------


def test_the_command_should_write_tell_and_check(tmp_path):
    done = holdfast("import", HERE / "nasim.yaml", "-o", "out.yaml", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.splitlines()[:3] == [
        "wrote out.yaml: 5 hosts, 5 links, 3 zones (from nasim.yaml, nasim)",
        "  exposed:  h1_0",
        "  critical: h3_0, h2_1",
    ]
    for words in ("left out: levels of privilege", "renamed:  h1_0 for (1, 0)", "first check: DEFENSIBLE"):
        assert words in done.stdout
    assert "warning: no links lead from the attacker's entry to h2_1, so" in done.stdout
    checked = holdfast("check", "out.yaml", "--json", cwd=tmp_path)
    assert checked.returncode == 0 and json.loads(checked.stdout)["name"] == "nasim"
    again = holdfast("import", HERE / "nasim.yaml", "-o", "out.yaml", cwd=tmp_path)
    assert again.returncode == 2 and "exists already" in again.stderr
    assert holdfast("import", HERE / "nasim.yaml", "-o", "out.yaml", "--force", cwd=tmp_path).returncode == 0


def test_the_command_should_answer_in_json(tmp_path):
    done = holdfast(
        "import",
        HERE / "links.csv",
        "--entry",
        "GW",
        "--critical",
        "App",
        "--critical",
        "DB",
        "--json",
        cwd=tmp_path,
    )
    found = json.loads(done.stdout)
    assert found["written"] == "segment.yaml" and (tmp_path / "segment.yaml").exists()
    assert found["format"] == "edges" and found["links"] == [list(link) for link in SHOP]
    assert found["entry"] == ["GW"] and found["critical"] == ["App", "DB"]
    scenario = hf.load(tmp_path / "segment.yaml")
    assert found["defensible"] == hf.solve(scenario).defensible
    wrong = holdfast("import", HERE / "links.csv", "--format", "xml", "--json", "--force", cwd=tmp_path)
    assert wrong.returncode == 2 and 'no format "xml"' in json.loads(wrong.stdout)["error"]


def test_the_command_to_run_next_can_be_typed_as_it_stands(tmp_path):
    """Should quote a name with a space, and say that a start violates a requirement where no move is needed."""
    done = holdfast(
        "import", HERE / "links.csv", "--entry", "DB", "--critical", "DB", "-o", "a net.yaml", cwd=tmp_path
    )
    *_, verdict, onward = done.stdout.splitlines()
    assert verdict == "first check: NOT DEFENSIBLE, the start already violates a requirement"
    assert onward == "now edit its specs and run: holdfast explain 'a net.yaml'"


def test_a_first_check_that_takes_too_long_should_leave_the_file(tmp_path):
    lines = [f"a{i},a{j}" for i in range(60) for j in range(60) if i != j and (i * j) % 3 == 1]
    (tmp_path / "dense.csv").write_text("\n".join(lines), "utf-8")
    done = holdfast("import", "dense.csv", "--timeout", "4", "--memory", "0.01", "--no-check", cwd=tmp_path)
    assert done.returncode == 0 and "first check" not in done.stdout
    assert len(hf.load(tmp_path / "segment.yaml").system.graph.nodes) == 40


NOT_LINKS = {
    "a script of a router": "set interfaces ethernet eth0 address 10.0.0.1/24\nset system host-name vyos\n",
    "two words": "Buy milk.\n",
    "a line of prose": "the quick brown fox\n",
    "prose with a comma": "Dear all, please read this before Monday.\n",
    "lines of unequal length": "GW Web\nWeb DB https now\n",
}


@pytest.mark.parametrize("text", NOT_LINKS.values(), ids=NOT_LINKS)
def test_words_in_lines_should_not_pass_for_links(tmp_path, text):
    (tmp_path / "notes.txt").write_text(text)
    with pytest.raises(InputError, match="not in a known format"):
        import_network(tmp_path / "notes.txt")


@pytest.mark.parametrize(
    "text", ["GW Web\nWeb DB\n", "GW,Web,https\n", "from to\na b\n", "web server;data base\n"]
)
def test_names_in_lines_should_be_links(tmp_path, text):
    (tmp_path / "links.txt").write_text(text)
    assert import_network(tmp_path / "links.txt").format == "edges"


def test_a_table_without_a_heading_should_be_refused_at_the_line_that_is_no_link(tmp_path):
    (tmp_path / "links.csv").write_text("GW,Web,https\nWeb,DB,sql,5432,allow\n")
    with pytest.raises(
        InputError, match=r"links\.csv:2:1: 5 fields, and no first line that names the columns"
    ):
        import_network(tmp_path / "links.csv")


def test_pods_without_policies_should_not_be_held_by_default(tmp_path):
    """Should be lost as imported: six pods that anybody reaches and that reach each other."""
    pods = [f"shop/{name}[Deployment]" for name in ("web", "cart", "pay", "mail", "ads", "store")]
    rows = [f"0.0.0.0-255.255.255.255[External],{pod},All Connections" for pod in pods]
    rows += [f"{a},{b},All Connections" for a in pods for b in pods if a != b]
    file = tmp_path / "open.csv"
    file.write_text("\n".join(["src,dst,conn", *rows]) + "\n", "utf-8")
    found = import_network(file)
    assert not hf.solve(hf.configuration(hf.scenario_from_text(found.text))).defensible


def test_advice_should_leave_a_way_to_critical_hosts_where_no_flow_is_known(tmp_path):
    file = tmp_path / "links.csv"
    file.write_text("source,target\nGW,Web\nWeb,DB\n", "utf-8")
    found = import_network(file, entry=["GW"], critical=["DB"])
    assert found.text.endswith("design:\n  keep_paths:\n    - outside -> DB\n")
    space = hf.recommend(hf.scenario_from_text(found.text)).space
    offered = [change.name for change in space.changes]
    assert "filter Web -> DB" in offered and not space.keeps([offered.index("cut Web -> DB")])
    assert "design:" not in read("netpol.json").text


def test_no_flow_of_an_exposed_host_should_be_promised():
    found = read("threagile.yaml")
    scenario = hf.scenario_from_text(found.text)
    here = hf.configuration(scenario)
    exposed = set(found.network.exposed)
    promised = [clause.label for clause in here.requirement if "flow" in str(clause.formula)]
    flows = {flow.name: flow.routes[0] for flow in here.system.graph.flows}
    through = [name for name, route in flows.items() if exposed & set(route)]
    assert exposed and through and not any(f"flow({name})" in label for name in through for label in promised)


def test_many_hosts_are_asked_about_zone_by_zone(tmp_path):
    """Eight stars of twenty hosts, one behind the other: groups are found, and the question is one for each."""
    file = tmp_path / "many.csv"
    links = [(f"s{s}-gw", f"s{s}-{'db' if i < 2 else 'ws'}{i}") for s in range(8) for i in range(19)]
    links += [(f"s{s}-gw", f"s{s + 1}-gw") for s in range(7)]
    file.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in links), "utf-8")
    found = import_network(file, critical=["s7-db0"])
    check_text(found)
    assert [len(of) for of in found.network.zones.values()] == [20] * 8
    assert "per_zone: G (count(zone in {I, Z}) <= 2)" in found.text
    assert "formula: G (count(s0-db0, s0-db1 in {X, D, Z}) < 2)" in found.text
    assert "formula: G (count(s7-db0" not in found.text  # of two stores there one is critical
    assert sum("zone by zone" in sentence for sentence in found.network.assumed) == 1
    answer = holdfast("import", str(file), "-o", str(tmp_path / "many.yaml"))
    assert "first check: DEFENSIBLE, proved by 7 zones" in answer.stdout


@pytest.mark.parametrize(("n_zoned", "of_the_source"), [(60, {"zone1"}), (80, {"zone1_1", "zone1_2"})])
def test_hosts_outside_of_zones_get_some_where_there_are_many(tmp_path, n_zoned, of_the_source):
    """A zone of the source keeps its name, or gives it to what it is divided into, and to nothing else."""
    file = tmp_path / "many.json"
    nodes = [{"id": f"a{i}", "zone": "zone1"} for i in range(n_zoned)] + [{"id": f"b{i}"} for i in range(100)]
    sizes = {"a": n_zoned, "b": 100}
    links = [{"source": f"{z}{i}", "target": f"{z}{i + 1}"} for z in "ab" for i in range(sizes[z] - 1)]
    file.write_text(json.dumps({"directed": True, "nodes": nodes, "links": links}), "utf-8")
    found = import_network(file)
    check_text(found)
    zones = found.network.zones
    first = {name for name, hosts in zones.items() if hosts[0].startswith("a")}
    assert of_the_source <= first and all(name.startswith("zone1") for name in first)
    assert sum(len(zones[name]) for name in first) == n_zoned
    assert "zone2" in zones and sum(map(len, zones.values())) == n_zoned + 100
    assert any("groups of 100 hosts" in sentence for sentence in found.network.assumed)
