"""Compose, scans and drawings: what is read of each, and several of them joined."""

from __future__ import annotations

import base64
import gzip
import json
import re
import zlib
from fractions import Fraction
from urllib.parse import quote

import pytest

import holdfast as hf
from commands import holdfast
from holdfast.errors import InputError
from holdfast.models.network.importers import import_network
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.joining import joined_drafts
from imported import HERE, check_text, read

# -- compose ------------------------------------------------------------------------------------------


def test_services_of_compose_should_meet_on_their_networks():
    network = read("compose.yaml").network
    assert set(network.links) == {
        *(("web", "api"), ("api", "web"), ("api", "db"), ("db", "api")),
        *(("api", "admin"), ("admin", "api"), ("db", "admin"), ("admin", "db")),
    }
    assert network.exposed == ("web",) and network.critical == ("db",)
    assert {path for _, path in network.flows} == {("web",), ("web", "api"), ("api", "db")}
    assert dict(network.stands_for) == {"api": 2} and network.title == "shop"
    assert network.contradictions == ("admin depends on web, and they are on no common network",)


def test_files_of_compose_should_be_put_together(tmp_path):
    (tmp_path / "compose.yaml").write_text(
        "services: {web: {image: a, ports: [80]}, db: {image: b, networks: [x]}}\n"
    )
    (tmp_path / "compose.override.yaml").write_text(
        "services: {web: {networks: [x]}, log: {image: c, network_mode: none}}\n"
    )
    network = import_network(tmp_path).network
    assert network.hosts == ("web", "log", "db") and set(network.links) == {("web", "db"), ("db", "web")}


# -- scans --------------------------------------------------------------------------------------------


def scan_of(*hosts):
    """A scan of hosts: name, address, and names of open services."""
    rows = "".join(
        f'<host><status state="up"/><address addr="{address}" addrtype="ipv4"/><hostnames><hostname name="{name}"/>'
        "</hostnames><ports>"
        + "".join(
            f'<port protocol="tcp" portid="{i}"><state state="open"/><service name="{service}"/></port>'
            for i, service in enumerate(services, 1)
        )
        + "</ports></host>"
        for name, address, services in hosts
    )
    return f"<nmaprun>{rows}</nmaprun>"


def test_a_scan_should_link_its_place_to_what_is_open():
    found = read("scan.xml")
    network = found.network
    assert network.hosts == ("web", "ops", "db") and network.zones["z10_0_1_0_24"] == ("db",)
    assert dict(network.links) == {
        ("ops", "web"): ("https (TCP 443)",),
        ("ops", "db"): ("postgresql (TCP 5432)",),
    }
    assert network.critical == ("db",) and network.addresses["db"] == ("10.0.1.5", "db.shop.example")
    assert "what hosts reach among each other" in network.unknown[0]
    assert "# Not known, and not guessed; fill it in where it matters:" in found.text


def test_scans_from_several_places_should_say_who_reaches_whom(tmp_path):
    hosts = [("web", "10.0.0.1"), ("app", "10.0.0.2"), ("db", "10.0.0.3")]
    opened = {
        "outside.xml": {"web": ["https"]},
        "web.xml": {"app": ["http"]},
        "10.0.0.2.xml": {"db": ["mysql"], "web": ["https"]},
    }
    for name, of in opened.items():
        (tmp_path / name).write_text(scan_of(*((host, at, of.get(host, [])) for host, at in hosts)))
    network = import_network(tmp_path).network
    assert network.exposed == ("web",) and network.critical == ("db",)
    assert set(network.links) == {("web", "app"), ("app", "db"), ("app", "web")}


def test_each_machine_should_be_another_although_all_are_localhost(tmp_path):
    for name in ("left", "right"):
        local = '<host><status state="up" reason="localhost-response"/><address addr="127.0.0.1"/></host>'
        text = scan_of(("db", "10.0.0.3", ["mysql"])).replace("<nmaprun>", f"<nmaprun>{local}")
        (tmp_path / f"{name}.xml").write_text(text)
    network = import_network([tmp_path / "left.xml", tmp_path / "right.xml"]).network
    assert set(network.links) == {("left", "db"), ("right", "db")}


def test_epss_scores_should_be_chances():
    found = read("findings.nessus")
    assert dict(found.network.chances) == {"web": Fraction(61, 100), "DB": Fraction(1)}
    segment = check_text(found)
    assert found.network.exposed == ("web", "DB") and segment.chance is not None
    assert any("1 critical, 1 medium" in told for told in found.network.dropped)


SCORES = "#model_version:v2025.03.14,score_date:2026-01-01T00:00:00Z\ncve,epss,percentile\n"


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_epss_scores_should_give_chances(tmp_path, packed):
    """Should take the largest score of a host's CVEs, for those that the file has, and say so."""
    text = SCORES + "CVE-2000-0001,0.00042,0.1\nCVE-2000-0002,0.2,0.9\nCVE-1999-9999,0.9,0.99\n"
    file = tmp_path / "scores.csv"
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = import_network(HERE / "findings.nessus", epss=file)
    assert dict(found.network.chances) == {"web": Fraction(1, 5), "DB": Fraction(1)}
    assert any("EPSS score of a host's CVEs" in told for told in found.network.assumed)
    check_text(found)
    joined = import_network([HERE / "findings.nessus", HERE / "shop.drawio"], epss=file)
    assert joined.network.chances["web"] == Fraction(1, 5)
    alone = import_network(HERE / "shop.drawio", epss=file)
    assert "the scores of EPSS: no CVE is named" in alone.network.dropped and not alone.network.chances


@pytest.mark.parametrize(
    ("text", "told"),
    {
        "host,score\na,1\n": "expected a heading with cve and epss",
        SCORES + "CVE-2000-0001,1.5,0.1\n": ":3: expected a CVE and a score from 0 to 1",
        SCORES + "web,0.5,0.1\n": ":3: expected a CVE and a score from 0 to 1",
        SCORES: "no score in this file",
        "\x1f\x8b": "cannot be read",
    }.items(),
)
def test_what_is_no_file_of_scores_should_be_refused(tmp_path, text, told):
    (tmp_path / "scores.csv").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=re.escape(told)):
        import_network(HERE / "findings.nessus", epss=tmp_path / "scores.csv")


def test_a_scan_of_1000_hosts_should_be_imported(tmp_path):
    rows = [(f"h{i}", f"10.0.{i // 250}.{i % 250}", ["ssh", "http"]) for i in range(1_000)]
    (tmp_path / "h7.xml").write_text(scan_of(*rows))
    network = import_network(tmp_path / "h7.xml", collapse="group").network
    assert len(network.hosts) == 5 and sum(network.stands_for.values()) == 999


# -- drawings -----------------------------------------------------------------------------------------


def test_a_drawing_should_be_as_it_is_drawn():
    network = read("shop.drawio").network
    assert network.hosts == ("Web_server", "App", "DB")
    assert dict(network.zones) == {"DMZ": ("Web_server",), "Inside": ("App", "DB")}
    assert dict(network.links) == {("Web_server", "App"): ("orders",), ("App", "DB"): (), ("DB", "App"): ()}
    assert network.exposed == ("Web_server",) and network.flows == (("orders", ("Web_server", "App")),)
    assert network.stores == ("DB",) and network.addresses["App"] == ("10.0.1.4",)


def compressed(model):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = packer.compress(quote(model).encode()) + packer.flush()
    return f'<mxfile><diagram name="Page-1">{base64.b64encode(raw).decode()}</diagram></mxfile>'


def test_a_compressed_drawing_should_be_the_same(tmp_path):
    text = (HERE / "shop.drawio").read_text()
    model = text[text.index("<mxGraphModel>") : text.index("</diagram>")]
    (tmp_path / "shop.drawio").write_text(compressed(model))
    assert import_network(tmp_path / "shop.drawio").network == read("shop.drawio").network
    (tmp_path / "two.drawio").write_text(
        f'<mxfile><diagram name="A">{model}</diagram><diagram name="B">{model}</diagram></mxfile>'
    )
    with pytest.raises(InputError, match='the drawing has 2 pages; take one with --network: "A", "B"'):
        import_network(tmp_path / "two.drawio")
    assert len(import_network(tmp_path / "two.drawio", network="B").network.hosts) == 3


REFUSED = {
    "a bomb": ("a.drawio", compressed("a" * 30_000_000), "a page of more than 20,000,000 bytes"),
    "no compression": (
        "a.drawio",
        "<mxfile><diagram>what is this?</diagram></mxfile>",
        "neither XML nor compressed",
    ),
    "entities in a page": (
        "a.drawio",
        compressed('<!DOCTYPE a [<!ENTITY b "c">]><mxGraphModel>&b;</mxGraphModel>'),
        "a document type or entity",
    ),
    "no shapes": (
        "a.drawio",
        "<mxfile><diagram><mxGraphModel/></diagram></mxfile>",
        "no shape in this drawing",
    ),
    "entities in a scan": ("a.xml", '<!DOCTYPE nmaprun [<!ENTITY b "c">]><nmaprun>&b;</nmaprun>', "entity"),
    "nobody up": ("a.xml", "<nmaprun></nmaprun>", "no host of this scan is up"),
    "no report": ("a.nessus", "<NessusClientData_v2/>", "no host in this export"),
    "a broken archive": ("a.zip", "PK nonsense", "not an archive that can be read"),
    "a service that is none": (
        "a.yaml",
        "services: {a: {image: b}, c: 7}\n",
        "a.yaml:1:30: expected the settings of a service",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_source_should_be_refused_in_words(case, tmp_path):
    name, text, words = REFUSED[case]
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        import_network(tmp_path / name)
    assert words in str(caught.value).replace(f"{tmp_path}/", "")


# -- several sources ----------------------------------------------------------------------------------


def test_sources_should_be_joined_by_names_and_addresses():
    found = import_network([HERE / "scan.xml", HERE / "findings.nessus", HERE / "shop.drawio"])
    network = found.network
    assert found.format == "nmap+nessus+drawio"
    assert network.hosts == ("web", "ops", "db", "Web_server", "App")
    assert ("App", "db") in network.links and ("ops", "db") in network.links
    told = " ".join(network.contradictions)
    assert "put db (10.0.1.0/24, Inside) in different zones" in told
    assert "db is exposed in findings.nessus and not in shop.drawio" in told
    assert any(
        "hosts that only shop.drawio has (Web_server, App)" in sentence for sentence in network.unknown
    )
    assert "# Where what was read contradicts itself; decide what is true:" in found.text
    check_text(found)
    chances = hf.configuration(hf.scenario_from_text(found.text))
    assert chances is not None


def test_what_one_source_denies_should_be_listed_and_not_lost():
    one = Draft(("a", "b", "c"), {("a", "b"): ()}, addresses={"c": ("10.0.0.3",)})
    two = Draft(("A", "B", "x"), {("B", "A"): ()}, addresses={"x": ("10.0.0.3",)}, exposed=("A",))
    joint = joined_drafts([("one", one), ("two", two)])
    assert joint.hosts == ("a", "b", "c") and set(joint.links) == {("a", "b"), ("b", "a")}
    assert [t.split(",")[0] for t in joint.contradictions] == ["one has {a} -> {b}", "two has {b} -> {a}"]


def test_an_unclear_host_should_be_kept_apart():
    one = Draft(("a", "b"), {}, addresses={"a": ("web.one",), "b": ("web.two",)})
    two = Draft(("web",), {})
    joint = joined_drafts([("one", one), ("two", two)])
    assert joint.hosts == ("a", "b", "web")
    assert joint.contradictions == ("web of two may be {a} or {b}: it is kept apart; rename one",)
    by_both = Draft(("b",), {}, addresses={"b": ("web.one",)})
    said = joined_drafts([("one", one), ("two", by_both)]).contradictions
    assert said == ("b of two is {a} by its address and {b} by its name: the address was taken",)


def test_the_command_should_join_files_and_tell(tmp_path):
    files = [str(HERE / name) for name in ("shop-cluster.yaml", "scan.xml")]
    done = holdfast("import", *files, "-o", str(tmp_path / "a.yaml"), "--json", "--no-check")
    told = json.loads(done.stdout)
    assert told["format"] == "kubernetes+nmap" and told["hosts"] == ["web", "orders", "db", "report", "ops"]
    assert told["contradictions"] and told["unknown"]
