"""Files that must not be imported: what is wrong is told in words, with its place; never a traceback, never a hang."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import holdfast as hf
from holdfast.errors import HoldfastError, InputError
from holdfast.models.network.importers import import_formats, import_network
from paths import ROOT

HERE = ROOT / "tests" / "imports"

LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE graphml [<!ENTITY a "ha">\n'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">\n' for old, new in zip("abcdefgh", "bcdefghi"))
    + "]>\n<graphml><graph edgedefault='directed'><node id='&i;'/></graph></graphml>"
)
OTHER_FILE = """<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<graphml><graph edgedefault="directed"><node id="&x;"/></graph></graphml>"""
PARAMETER = """<!DOCTYPE graphml [<!ENTITY % p SYSTEM "http://localhost:1/x.dtd"> %p;]>
<graphml><graph edgedefault="directed"><node id="a"/></graph></graphml>"""
DEEP_XML = "<graphml>" + "<graph>" * 100_000

ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi")
)
MERGES = (
    "technical_assets:\n  k0: &k0 {"
    + ", ".join(f"x{i}: 1" for i in range(50))
    + "}\n"
    + "".join(
        f"  k{i}: &k{i}\n    <<: [{', '.join([f'*k{i - 1}'] * 50)}]\n    y{i}: *k{i - 1}\n"
        for i in range(1, 30)
    )
)

# name of the file, text, words that the message must have
REFUSED = {
    "empty": ("a.csv", "", "the file is empty"),
    "empty yaml": ("a.yaml", "", "the file is empty"),
    "one word": ("a.txt", "hello\n", "not in a known format"),
    "a picture": ("a.csv", "\x00\x01\x02", "not in a known format"),
    "one column": (
        "a.csv",
        "source,target\nGW\n",
        "a.csv:2:1: expected a source and a target, found 1 field",
    ),
    "an empty end": ("a.csv", "GW,Web\nGW,\n", "a.csv:2:1: expected a source and a target"),
    "only a header": ("a.csv", "source,target\n", "no link in this file"),
    "an open quote": ("a.csv", 'source,target\nGW,"Web\nDB\n', "not a table is a quote left open?"),
    "a long field": ("a.csv", f"GW,{'x' * 1001}\n", "a.csv:1:1: a field of more than 1,000 characters"),
    "a billion laughs": ("a.graphml", LAUGHS, "a document type or entity; they are refused"),
    "another file": ("a.graphml", OTHER_FILE, "a document type or entity; they are refused"),
    "an address": ("a.graphml", PARAMETER, "a document type or entity; they are refused"),
    "deep XML": ("a.graphml", DEEP_XML, "nested more than 200 levels deep"),
    "XML left open": ("a.graphml", "<graphml>\n<graph>", "a.graphml:2:1: not valid XML"),
    "other XML": ("a.xml", "<svg></svg>", "not in a known format"),
    "GraphML without graph": ("a.graphml", "<graphml></graphml>", "not GraphML that can be read"),
    "GraphML of another type": (
        "a.graphml",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="k" for="node" attr.name="k" attr.type="int"/>'
        '<graph edgedefault="directed"><node id="a"><data key="k">many</data></node></graph></graphml>',
        "not GraphML that can be read: invalid literal",
    ),
    "no graph in GML": ("a.gml", "graph [\n  node [ id a b ]\n]\n", "not GML that can be read"),
    "deep GML": ("a.gml", "graph [\n" + "a [ " * 10_000, "a.gml:2:1: nested more than 50 levels deep"),
    "GML without nodes": ("a.gml", "graph [\n]\n", "no host in this file; is it GML?"),
    "YAML that is none": ("a.yaml", "a: [b\n", "a.yaml:2:1: not valid YAML"),
    "JSON that is none": ("a.json", '{"nodes": [}', "a.json:1:12: not valid YAML"),
    "an alias bomb": ("a.yaml", ALIASES, "entries, aliases expanded"),
    "a bomb of merges": ("a.yaml", MERGES, "entries, aliases expanded"),
    "a cycle": ("a.yaml", "technical_assets: &a\n  b: *a\n", "stands inside its own anchor"),
    "a cycle of merges": ("a.yaml", "technical_assets: &a\n  <<: *a\n", "stands inside its own anchor"),
    "a merge of a list": (
        "a.yaml",
        "a: &a [[1]]\nb: {<<: *a}\n",
        "a.yaml:1:8: a merge key (<<) takes mappings",
    ),
    "a tag": ("a.yaml", "a: !!python/object/apply:os.system [ls]\n", "tag"),
    "deep JSON": ("a.json", "[" * 100_000, "nested more than 40 levels deep"),
    "a list for assets": (
        "a.yaml",
        "threagile_version: 1\ntechnical_assets: [a]\n",
        'a.yaml:2:19: expected a mapping for "technical_assets", found a list',
    ),
    "an unknown asset": (
        "a.yaml",
        "threagile_version: 1\ntechnical_assets: {A: {id: a, communication_links: {l: {target: b}}}}\n",
        'a.yaml:2:56: "b" is not a technical asset of this file',
    ),
    "an asset twice": (
        "a.yaml",
        "threagile_version: 1\ntechnical_assets: {A: {id: a}, B: {id: a}}\n",
        'a.yaml:2:35: the id "a" is used twice',
    ),
    "no assets": ("a.yaml", "threagile_version: 1\ntechnical_assets: {}\n", "no host in this file"),
    "a node twice": (
        "a.json",
        '{"nodes": [{"id": 1}, {"id": 1}], "links": []}',
        'the node "1" is listed twice',
    ),
    "a node without id": ("a.json", '{"nodes": [{}], "links": []}', 'a.json:1:12: a node without "id"'),
    "a link to nowhere": (
        "a.json",
        '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}',
        'a.json:1:34: "2" is not a node of this file',
    ),
    "a matrix that does not fit": (
        "a.yaml",
        "subnets: [1]\ntopology: [[1]]\nhost_configurations: {}\nexploits: {}\nfirewall: {}\n",
        "a.yaml:2:11: expected a matrix of 2 by 2",
    ),
    "a host of no subnet": (
        "a.yaml",
        "subnets: [1]\ntopology: [[1, 1], [1, 1]]\nhost_configurations: {'(2, 0)': {os: a}}\nexploits: {}\nfirewall: {}\n",
        "a.yaml:3:33: (2, 0) is in no subnet: there are 1",
    ),
    "a host without configuration": (
        "a.yaml",
        "subnets: [2]\ntopology: [[1, 1], [1, 1]]\nhost_configurations: {'(1, 0)': {os: a}}\nexploits: {}\nfirewall: {}\n",
        "a.yaml:3:22: no configuration for host (1, 1)",
    ),
    "a subnet of a billion hosts": (
        "a.yaml",
        "subnets: [1000000000]\ntopology: [[1, 1], [1, 1]]\nhost_configurations: {}\nexploits: {}\nfirewall: {}\n",
        "a.yaml:1:10: 1,000,000,001 hosts; at most 20,000 are read",
    ),
    "no pair": (
        "a.yaml",
        "subnets: [1]\ntopology: [[1, 1], [1, 1]]\nhost_configurations: {'1, 0': {os: a}}\nexploits: {}\nfirewall: {}\n",
        "a.yaml:3:31: expected a pair of numbers such as (1, 0), found 1, 0",
    ),
    "an unknown endpoint": (
        "a.yml",
        'topology:\n  nodes: {a: {}}\n  links:\n    - endpoints: ["a:1", "b:1"]\n',
        'a.yml:4:26: "b" is not a node of this file',
    ),
    "one endpoint": (
        "a.yml",
        'topology:\n  nodes: {a: {}}\n  links:\n    - endpoints: ["a:1"]\n',
        "a.yml:4:7: expected a link with two endpoints",
    ),
    "a connection without ends": (
        "a.json",
        '[{"src": "", "dst": "", "conn": ""}]',
        "a.json:1:2: a connection without its ends",
    ),
    "no workloads": (
        "a.json",
        '[{"src": "0.0.0.0-1.1.1.1", "dst": "1.1.1.1", "conn": "All"}]',
        "no connection between workloads",
    ),
    "too many hosts": ("a.csv", "".join(f"a{i},b{i}\n" for i in range(10_001)), "more than 20,000 hosts"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_it_should_be_refused_in_words(case, tmp_path):
    name, text, words = REFUSED[case]
    file = tmp_path / name
    file.write_bytes(text.encode("utf-8"))
    with pytest.raises(InputError) as caught:
        import_network(file)
    said = str(caught.value).replace(str(tmp_path) + "/", "")
    for part in [words] if ":" in words[:12] else words.split(" and "):
        assert part in said or all(word in said for word in part.split()), said
    assert len(said) < 1500


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("a,b\n".encode("utf-16"), "is not UTF-8 text; save the file as UTF-8"),
        ("Zürich,Genf\n".encode("latin-1"), "byte 0xfc is not UTF-8 text"),
        (b"\xff" * 100, "is not UTF-8 text"),
    ],
)
def test_another_encoding_should_be_refused(raw, words, tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(raw)
    with pytest.raises(InputError, match=re.escape(words)):
        import_network(file)


def test_what_is_no_file_should_be_refused(tmp_path):
    with pytest.raises(InputError, match=r"no file in this folder that could be imported \(.*\.yaml"):
        import_network(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        import_network(tmp_path / "none.csv")
    with pytest.raises(InputError, match="the path of a file is None"):
        import_network(None)
    with pytest.raises(InputError, match="the entry hosts are 'GW'; expected a list of names"):
        import_network(HERE / "links.csv", entry="GW")


def test_a_huge_file_should_be_refused_before_it_is_read(tmp_path):
    file = tmp_path / "a.csv"
    with file.open("wb") as out:
        out.truncate(10**12)  # sparse: it takes no room
    with pytest.raises(InputError, match="larger than 20,000,000 bytes"):
        import_network(file)


def test_a_million_links_between_few_hosts_should_be_read(tmp_path):
    """Should take memory for what is kept, not for what is read: flows repeat the same few links."""
    file = tmp_path / "flows.csv"
    file.write_text("".join(f"h{i % 30},h{i * 7 % 29},{i % 4}\n" for i in range(1_000_000)), "utf-8")
    found = import_network(file)
    assert len(found.network.hosts) == 30 and len(found.network.links) < 30 * 29
    assert len(next(iter(found.network.links.values()))) == 2


def test_a_million_different_links_should_be_refused(tmp_path):
    file = tmp_path / "flows.csv"
    file.write_text("".join(f"a{i % 1000},b{i // 1000}\n" for i in range(1_000_000)), "utf-8")
    with pytest.raises(InputError, match="more than 300,000 links"):
        import_network(file)


@pytest.mark.parametrize(
    ("line", "said"),
    {"\n": "is empty", " \n": "is empty", "#\n": "not in a known", "# a,b\n": "no link in this file"}.items(),
)
def test_a_file_of_comments_should_be_refused_at_once(line, said, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(line * 1_000_000, "utf-8")
    with pytest.raises(InputError, match=said):
        import_network(file)


def test_large_graphs_should_be_refused_before_a_library_builds_them(tmp_path):
    file = tmp_path / "a.graphml"
    file.write_text("<graphml><graph>" + "<node id='a'/>" * 400_000, "utf-8")
    with pytest.raises(InputError, match="more than 5,000,000 characters"):
        import_network(file)


def mutated(raw, rng):
    """A file with some of its bytes lost, repeated, exchanged or replaced."""
    data = bytearray(raw)
    for _ in range(rng.randint(1, 4)):
        at, to = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
        to = min(to, at + 40)
        match rng.randrange(4):
            case 0:
                del data[at:to]
            case 1:
                data[at:at] = data[at:to]
            case 2:
                data[at : at + 1] = rng.choice(
                    [b"[", b"]", b":", b'"', b"\n", b"<", b"&", b"*", b"-", b"0", b"\xff"]
                )
            case 3:
                data[at:to] = bytes(reversed(data[at:to]))
        data = data or bytearray(b"x")
    return bytes(data)


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.iterdir()))
def test_damaged_files_should_be_imported_or_refused_in_words(name, tmp_path):
    """Should never fail in another way; what is imported is a scenario that can be read."""
    raw, rng = (HERE / name).read_bytes(), random.Random(name)
    for i in range(60):
        file = tmp_path / f"{i}{Path(name).suffix}"
        file.write_bytes(mutated(raw, rng))
        try:
            found = import_network(file, network="Chain" if "titan" in name else None)
        except HoldfastError as error:
            assert "Traceback" not in str(error)
            continue
        hf.scenario_from_text(found.text)


@pytest.mark.parametrize("key", import_formats())
def test_a_format_should_refuse_the_files_of_others_in_words(key):
    """Should hold for every file of ours under every --format."""
    for path in sorted(HERE.iterdir()):
        try:
            found = import_network(path, key)
        except HoldfastError:
            continue
        hf.scenario_from_text(found.text)
