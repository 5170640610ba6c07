"""Collections of BloodHound, projected to computers: against a literal walk, and what is told of what is left."""

from __future__ import annotations

import json
import random
import zipfile

import pytest

from cases import TIMES
from holdfast.errors import InputError
from holdfast.models.network.importers import import_network
from holdfast.models.network.importers.bloodhound import reached_computers
from imported import HERE, check_text, read, shared

SID = "S-1-5-21-1-2-3"
USERS = {
    "meta": {"type": "users", "version": 6},
    "data": [
        {"ObjectIdentifier": f"{SID}-1101", "PrimaryGroupSID": f"{SID}-513", "Properties": {"name": "ANN"}},
        {"ObjectIdentifier": f"{SID}-1102", "PrimaryGroupSID": f"{SID}-513", "Properties": {"name": "BEN"}},
    ],
}
GROUPS = {
    "meta": {"type": "groups", "version": 6},
    "data": [
        {
            "ObjectIdentifier": f"{SID}-1201",
            "Members": [{"ObjectIdentifier": f"{SID}-1101", "ObjectType": "User"}],
        },
        {
            "ObjectIdentifier": f"{SID}-512",
            "Members": [{"ObjectIdentifier": f"{SID}-1202", "ObjectType": "Group"}],
        },
        {
            "ObjectIdentifier": f"{SID}-1202",
            "Members": [{"ObjectIdentifier": f"{SID}-1102", "ObjectType": "User"}],
        },
    ],
}


def walked(after, computers, start):
    """The computers that a computer gives control of, step by step."""
    reached, seen, left = set(), set(), [start]
    while left:
        for target in after.get(left.pop(), {}):
            if target in computers:
                reached.add(target)
            elif target not in seen:
                seen.add(target)
                left.append(target)
    return reached - {start}


def test_control_should_reach_what_a_literal_walk_reaches():
    rng = random.Random(3)
    for _ in range(400 * TIMES):
        computers = [f"c{i}" for i in range(rng.randint(1, 6))]
        names = [*computers, *(f"p{i}" for i in range(rng.randint(0, 12)))]
        after = {}
        for _ in range(rng.randint(0, 3 * len(names))):
            after.setdefault(rng.choice(names), {})[rng.choice(names)] = "by"
        found = reached_computers(after, computers)
        for start, bits in zip(computers, found, strict=True):
            assert {c for i, c in enumerate(computers) if bits >> i & 1} == walked(
                after, set(computers), start
            )


def test_a_collection_should_be_projected_to_computers(tmp_path):
    folder = tmp_path / "collected"
    folder.mkdir()
    (folder / "computers.json").write_text((HERE / "computers.json").read_text())
    (folder / "users.json").write_text(json.dumps(USERS))
    (folder / "groups.json").write_text(json.dumps(GROUPS))
    found = import_network(folder)
    network = found.network
    assert network.hosts == ("DESK", "FILES", "DC") and network.critical == ("DC",)
    # Ann's session on DESK leads to her group, which administers FILES; Ben's there to Domain Admins, and to DC.
    assert set(network.links) == {("DESK", "FILES"), ("FILES", "DC")}
    assert network.entry == ("DESK",) and "where the attacker comes in" in network.unknown[0]
    assert "2 users" in network.dropped[0] and "3 groups" in network.dropped[0]
    assert "1 computer that are disabled" in network.dropped
    check_text(found)
    with zipfile.ZipFile(tmp_path / "collected.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    assert set(import_network(tmp_path / "collected.zip").network.links) == set(network.links)


def test_an_open_graph_should_be_projected_to_computers():
    network = read("opengraph.json").network
    assert (
        network.hosts == ("PC", "VM")
        and list(network.links) == [("PC", "VM")]
        and network.critical == ("VM",)
    )
    assert "rights that give no control by themselves: 1 TrustedBy" in network.dropped


def test_the_fixtures_of_bloodhound_should_be_imported():
    found = import_network([shared("bloodhound-computers.json"), shared("bloodhound-sessions.json")])
    assert found.format == "bloodhound" and "PRIMARY" in found.network.critical
    check_text(found)


def large(n_computers, rng):
    """About a hundred thousand edges: sessions, memberships and rights."""
    nodes = [
        {"id": f"c{i}", "kinds": ["Computer"], "properties": {"name": f"C{i}"}} for i in range(n_computers)
    ]
    nodes += [{"id": f"u{i}", "kinds": ["User"], "properties": {"name": f"U{i}"}} for i in range(9_000)]
    nodes += [{"id": f"g{i}", "kinds": ["Group"], "properties": {"name": f"G{i}"}} for i in range(300)]
    edges = [
        ("HasSession", f"c{rng.randrange(n_computers)}", f"u{rng.randrange(9_000)}") for _ in range(20_000)
    ]
    edges += [("MemberOf", f"u{rng.randrange(9_000)}", f"g{rng.randrange(300)}") for _ in range(70_000)]
    edges += [("AdminTo", f"g{rng.randrange(300)}", f"c{rng.randrange(n_computers)}") for _ in range(10_000)]
    return {
        "graph": {
            "nodes": nodes,
            "edges": [{"kind": kind, "start": {"value": a}, "end": {"value": b}} for kind, a, b in edges],
        }
    }


def test_100000_edges_should_be_projected(tmp_path):
    (tmp_path / "large.json").write_text(json.dumps(large(3_000, random.Random(1))))
    network = import_network(tmp_path / "large.json", collapse="group").network
    assert (
        len(network.hosts) < 1_000 and sum(network.stands_for.get(host, 1) for host in network.hosts) == 3_000
    )
    assert "that give control of each other, in several steps, are one host" in network.assumed[0]


def test_computers_that_are_alike_should_be_one_host(tmp_path):
    """Should be by their links where these tell: many desks with one administrators' group."""
    graph = large(1_200, random.Random(1))["graph"]
    edges = [
        ("HasSession", "c0", "u0"),
        ("MemberOf", "u0", "g0"),
        *(("AdminTo", "g0", f"c{i}") for i in range(1, 1_200)),
    ]
    graph["edges"] = [{"kind": kind, "start": {"value": a}, "end": {"value": b}} for kind, a, b in edges]
    (tmp_path / "desks.json").write_text(json.dumps({"graph": graph}))
    network = import_network(tmp_path / "desks.json").network
    assert list(network.links) == [("C0", "C1")] and dict(network.stands_for) == {"C1": 1_199}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"meta": {"type": "users"}, "data": []}', "no computer in this collection"),
        ('{"graph": {"nodes": [{}], "edges": []}}', 'a node without "id"'),
        ('{"meta": {"type": "computers"}, "data": "none"}', "no computer in this collection"),
        (
            '{"meta": {"type": "computers"}, "data": [7, {"ObjectIdentifier": 7}]}',
            "no computer in this collection",
        ),
    ],
)
def test_what_is_no_collection_should_be_refused(text, words, tmp_path):
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=words):
        import_network(tmp_path / "a.json")


def stations(n_computers, units):
    """Computers of one domain in a ring of sessions, each unit a stretch of it; None where it is not told."""
    data = []
    for i in range(n_computers):
        unit = units[i * len(units) // n_computers] if units else None
        called = {"distinguishedname": f"CN=C{i},{unit},DC=CORP,DC=EXAMPLE"} if unit else {}
        admin = f"{SID}-{5000 + (i - 1) % n_computers}"
        data.append({
            "ObjectIdentifier": f"{SID}-{1000 + i}", "PrimaryGroupSID": f"{SID}-{516 if i == 0 else 515}",
            "Properties": {"name": f"C{i}.CORP.EXAMPLE", "domain": "CORP.EXAMPLE", **called},
            "Sessions": {"Results": [{"UserSID": f"{SID}-{5000 + i}", "ComputerSID": f"{SID}-{1000 + i}"}]},
            "LocalGroups": [{"ObjectIdentifier": f"{SID}-{1000 + i}-544",
                             "Results": [{"ObjectIdentifier": admin, "ObjectType": "User"}]}],
        })  # fmt: skip
    return json.dumps({"meta": {"type": "computers", "version": 6}, "data": data})


def test_organisational_units_should_be_zones_of_many_computers(tmp_path):
    path = tmp_path / "computers.json"
    units = ["OU=Domain Controllers", r"OU=Berlin\, Mitte,OU=Stations", "OU=Rome,OU=Stations", ""]
    for n_computers, expected in ((160, 4), (8, 1)):
        path.write_text(stations(n_computers, units))
        zones = import_network(path).network.zones
        assert len(zones) == expected and sum(map(len, zones.values())) == n_computers
    path.write_text(stations(160, units))
    zones = import_network(path).network.zones
    assert {"DOMAIN_CONTROLLERS", "STATIONS_ROME", "CORP_EXAMPLE"} < set(zones)


def test_a_large_domain_without_units_should_be_divided(tmp_path):
    path = tmp_path / "computers.json"
    path.write_text(stations(160, []))
    found = import_network(path)
    zones = found.network.zones
    assert max(map(len, zones.values())) <= 60 and sum(map(len, zones.values())) == 160
    assert any("CORP.EXAMPLE, 160 hosts, too many" in sentence for sentence in found.network.assumed)
