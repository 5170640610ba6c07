"""Rules of nftables: read as a literal firewall decides, and patched so that only the cut is gone."""

import json
import random
import shlex
import shutil
import subprocess
from itertools import permutations

import pytest

import holdfast as hf
import reference_nftables as reference
from cases import TIMES
from holdfast.apps.services.changes import patch, recommend
from holdfast.errors import InputError
from holdfast.models.network.artefacts.nft_rules import _patch
from holdfast.models.network.importers.foreign import ForeignFile

ADDRESSES = [f"10.0.0.{n}" for n in (10, 20, 30)] + ["10.0.1.7"]
PORTS, ELSEWHERE = (22, 80, 443), "198.51.100.9"
HOME = {"family": "inet", "table": "t"}


def random_value(rng):
    return rng.choice([
        rng.choice(ADDRESSES), {"set": rng.sample(ADDRESSES, 2)}, "@some",
        {"prefix": {"addr": "10.0.0.0", "len": 24}}, {"prefix": {"addr": "0.0.0.0", "len": 0}},
    ])  # fmt: skip


def random_rule(rng, chain, ports, verdicts):
    matches = []
    for field in ("saddr", "daddr"):
        if rng.random() < 0.7:
            left = {"payload": {"protocol": "ip", "field": field}}
            matches.append({"op": rng.choice(("==", "==", "!=")), "left": left, "right": random_value(rng)})
    if rng.random() < 0.2:
        states = rng.choice(("new", "invalid", ["established", "related"]))
        matches.append({"op": "in", "left": {"ct": {"key": "state"}}, "right": states})
    if ports and rng.random() < 0.5:
        left = {"payload": {"protocol": "tcp", "field": "dport"}}
        matches.append({"op": "==", "left": left, "right": rng.choice((80, {"set": [80, 443]}))})
    expr = [
        *({"match": match} for match in matches),
        {"counter": {"packets": 0, "bytes": 0}},
        rng.choice(verdicts),
    ]
    return {"rule": {**HOME, "chain": chain, "expr": expr}}


def random_ruleset(rng, ports=False):
    plain = [{"accept": None}, {"drop": None}, {"return": None}]
    calls = [*plain, {"jump": {"target": "inner"}}, {"goto": {"target": "inner"}}]
    hook = {"type": "filter", "hook": "forward", "prio": 0, "policy": rng.choice(("accept", "drop"))}
    chains = [{"chain": {**HOME, "name": "forward", **hook}}, {"chain": {**HOME, "name": "inner"}}]
    if rng.random() < 0.3:
        chains.append({"chain": {**HOME, "name": "late", **hook, "prio": 10, "policy": "accept"}})
    some = {"set": {**HOME, "name": "some", "type": "ipv4_addr", "elem": rng.sample(ADDRESSES, 2)}}
    rules = [random_rule(rng, "forward", ports, calls) for _ in range(rng.randint(1, 5))]
    rules += [random_rule(rng, "inner", ports, plain) for _ in range(rng.randint(0, 2))]
    rules += [random_rule(rng, "late", ports, plain[:2]) for _ in range(2 if len(chains) > 2 else 0)]
    named = [{"rule": {**HOME, "chain": "nowhere", "expr": [{"match": {"op": "==", "right": {"set": ADDRESSES},
              "left": {"payload": {"protocol": "ip", "field": "daddr"}}}}]}}]  # fmt: skip
    return {"nftables": [{"metainfo": {"json_schema_version": 1}}, {"table": {"family": "inet", "name": "t"}},
                         some, *chains, *rules, *named]}  # fmt: skip


def connected(ruleset):
    return {
        (a, b)
        for a, b in permutations([*ADDRESSES, ELSEWHERE], 2)
        if b != ELSEWHERE and any(reference.forwarded(ruleset, a, b, port) for port in PORTS)
    }


def imported(ruleset, tmp_path):
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(ruleset))
    found = hf.import_network(file).network
    where = {host: found.addresses[host][0] for host in found.hosts}
    links = {(where[a], where[b]) for a, b in found.links}
    return links | {(ELSEWHERE, where[host]) for host in found.exposed}


def test_rules_should_be_read_as_a_literal_firewall_decides(tmp_path):
    """Should have the link exactly where a new connection passes; with ports, wherever some connection does."""
    for seed in range(60 * TIMES):
        exact = random_ruleset(random.Random(seed))
        assert imported(exact, tmp_path) == connected(exact), seed
        loose = random_ruleset(random.Random(seed), ports=True)
        assert connected(loose) <= imported(loose, tmp_path), seed


def test_what_other_families_hold_should_be_counted(tmp_path):
    """Should say of each family that is no concern of addresses how many objects were left out."""
    ruleset = random_ruleset(random.Random(0))
    ruleset["nftables"] += [{"chain": {"family": "bridge", "table": "b", "name": f"c{i}"}} for i in range(3)]
    file = tmp_path / "rules.json"
    file.write_text(json.dumps(ruleset))
    assert "3 objects of the family bridge" in hf.import_network(file).network.dropped


def test_a_cut_should_take_one_link_and_leave_the_others():
    """Should drop new connections of the cut, by a literal reading with the rules put in front."""
    n_cut = 0
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        ruleset = random_ruleset(rng)
        before = connected(ruleset)
        links = sorted((a, b) for a, b in before if a != ELSEWHERE)
        if not links:
            continue
        cut = rng.sample(links, min(2, len(links)))
        names = [tuple(f"h{address.replace('.', '_')}" for address in link) for link in cut]
        text = _patch(ForeignFile("rules.json", json.dumps(ruleset)), names, ())
        after = {"nftables": [*ruleset["nftables"][:2], *map(_rule, reversed(text.splitlines()[2:])),
                              *ruleset["nftables"][2:]]}  # fmt: skip
        assert connected(after) == before - set(cut), seed
        n_cut += 1
    assert n_cut > 25 * TIMES


def _rule(line):
    """A line of a patch as nft lists it, of the one shape that patches have."""
    words = shlex.split(line)
    assert words[:5] == ["insert", "rule", "inet", "t", "forward"] and words[11:15] == [
        "ct",
        "state",
        "new",
        "drop",
    ]
    assert (words[5:7], words[8:10]) == (["ip", "saddr"], ["ip", "daddr"])
    left = [{"payload": {"protocol": "ip", "field": field}} for field in ("saddr", "daddr")]
    matches = [{"op": "==", "left": of, "right": right} for of, right in zip(left, (words[7], words[10]))]
    return {"rule": {**HOME, "chain": "forward", "expr": [*({"match": m} for m in matches), {"drop": None}]}}


def test_wrong_rules_should_be_refused_in_words(tmp_path):
    """Should say what is missing or wrong, and never fall over."""
    file = tmp_path / "rules.json"
    cases = [{"nftables": []}, {"nftables": 3}, {"nftables": [{"rule": {"family": "ip"}}]}, {"nftables": [{"chain": 1}]},
             {"nftables": [{"chain": {"family": "ip", "table": "t", "name": "f", "hook": "forward", "prio": "x"}}]}]  # fmt: skip
    for case in cases:
        file.write_text(json.dumps(case))
        with pytest.raises(InputError):
            hf.import_network(file)
    rng = random.Random(0)
    with pytest.raises(InputError, match="no address of these rules"):
        _patch(ForeignFile("rules.json", json.dumps(random_ruleset(rng))), [("a", "b")], ())


SHOP = """\
table inet shop {
  set web { type ipv4_addr; elements = { 10.0.0.10 } }
  set orders { type ipv4_addr; elements = { 10.0.0.20 } }
  set db { type ipv4_addr; elements = { 10.0.0.30 } }
  set office { type ipv4_addr; flags interval; elements = { 10.0.1.0/24 } }
  chain forward {
    type filter hook forward priority filter; policy drop;
    ct state established,related accept
    ip daddr @web tcp dport { 80, 443 } accept
    ip saddr @web ip daddr @orders tcp dport 9000 accept
    ip saddr { 10.0.0.10, 10.0.0.20 } ip daddr @db tcp dport 5432 accept
    ip saddr @office ip daddr 10.0.0.0/24 tcp dport 22 accept
  }
}
"""


def test_a_round_trip_through_a_real_firewall_should_give_the_recommended_design(tmp_path):
    """Should lead from rules that nft lists to a change, a patch that nft loads, and rules that mean the changed design."""
    for program in ("nft", "unshare"):
        if shutil.which(program) is None:
            pytest.skip(f"no {program} on this machine: no firewall to load rules into")
    (tmp_path / "base.nft").write_text(SHOP)

    def listed(*files):
        load = "".join(f"nft -f {shlex.quote(str(file))} && " for file in files)
        done = subprocess.run(
            ["unshare", "-n", "sh", "-c", f"{load} nft -j list ruleset"], capture_output=True, text=True
        )
        if done.returncode and "Operation not permitted" in done.stderr:
            pytest.skip("no network namespace may be made here")
        assert done.returncode == 0, done.stderr
        (tmp_path / "rules.json").write_text(done.stdout)
        return tmp_path / "rules.json"

    source = listed(tmp_path / "base.nft")
    scenario = hf.scenario_from_text(hf.import_network(source, critical=["db"]).text)
    answer = recommend(scenario, None, kinds=("cut",))
    files = patch(answer, [source])
    (tmp_path / "changes.nft").write_text(files["changes.nft"])
    space, changes = answer.recommendation.space, answer.recommendation.remedies.sets[0].changes
    after = space.changed([i for i, one in enumerate(space.changes) if one.name in changes])
    again = hf.import_network(listed(tmp_path / "base.nft", tmp_path / "changes.nft"), critical=["db"])
    found = hf.configuration(hf.scenario_from_text(again.text))
    assert set(found.system.graph.arrows) == set(after.system.graph.arrows)
    assert found.system.graph.marked("exposed") == after.system.graph.marked("exposed") == ("web",)
    assert hf.solve(found).defensible
    (tmp_path / "close.nft").write_text(_patch(ForeignFile("r.json", source.read_text()), [], ["web"]))
    assert (
        hf.import_network(
            listed(tmp_path / "base.nft", tmp_path / "close.nft"), critical=["db"]
        ).network.exposed
        == ()
    )
