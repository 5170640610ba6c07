"""Patches: what is written for the files of a design gives the changed design, and nothing else changes."""

import json
import random
from itertools import permutations

import pytest
import yaml
from typer.testing import CliRunner

import holdfast as hf
import reference_network_policies as reference
from cases import TIMES
from holdfast.apps.cli import app
from holdfast.apps.services.changes import patch, recommend
from holdfast.design.recommend.space import design_space
from holdfast.errors import InputError
from holdfast.models.network.artefacts import DesignChange, patch_files
from holdfast.models.network.artefacts.policies import _patch
from holdfast.models.network.importers.foreign import ForeignFile

NAMESPACES, TIERS, PORTS = ("default", "shop", "office"), ("front", "back"), (80, 443, 5432)
LABEL = "kubernetes.io/metadata.name"


def applied(objects, text):
    """What kubectl apply makes of manifests: an object of the same kind and name is replaced."""
    whole = {_key(one): one for one in objects}
    return list((whole | {_key(one): one for one in yaml.safe_load_all(text)}).values())


def _key(one):
    return one["kind"], one["metadata"].get("namespace", "default"), one["metadata"]["name"]


def workload(name, labels, namespace="shop", port=80, **spec):
    container = {
        "name": name,
        "image": f"shop/{name}:1",
        "ports": [{"name": "http", "containerPort": port}],
    } | spec
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    metadata = {"name": name, "namespace": namespace}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"template": template},
    }


def service(name, kind="ClusterIP", port=80, namespace="shop"):
    spec = {"type": kind, "selector": {"app": name}, "ports": [{"port": port}]}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def policy(name, namespace="shop", **spec):
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


# -- random clusters, by the literal evaluator ----------------------------------------------------------


def random_rule(rng):
    peers = [
        {"podSelector": {"matchLabels": {"tier": rng.choice(TIERS)}}},
        {"podSelector": {"matchLabels": {"app": f"w{rng.randrange(5)}"}}, "namespaceSelector": {}},
        {"namespaceSelector": {"matchLabels": {LABEL: rng.choice(NAMESPACES)}}},
        {"ipBlock": {"cidr": rng.choice(("0.0.0.0/0", "192.0.2.0/24", "10.1.0.0/16"))}},
    ]
    ports = [{"port": rng.choice((*PORTS, "http"))}, {"protocol": "UDP"}, {"port": 80, "endPort": 500}]
    rule = {"from": rng.sample(peers, rng.randint(1, 3))} if rng.random() < 0.8 else {}
    return rule | ({"ports": rng.sample(ports, rng.randint(1, 2))} if rng.random() < 0.5 else {})


def random_cluster(rng):
    pods = []
    for i in range(rng.randint(3, 5)):
        labels = {"app": f"w{i}"} | ({"tier": rng.choice(TIERS)} if rng.random() < 0.8 else {})
        pods.append({"name": f"w{i}", "namespace": rng.choice(NAMESPACES), "labels": labels, "address": None,
                     "hostNetwork": False, "ports": [{"name": "http", "containerPort": rng.choice(PORTS)}]})  # fmt: skip
    policies = []
    for i in range(rng.randint(0, 4)):
        selector = rng.choice(
            ({}, {"matchLabels": {"tier": rng.choice(TIERS)}}, {"matchLabels": {"app": "w1"}})
        )
        spec = {
            "podSelector": selector,
            "policyTypes": rng.choice((["Ingress"], ["Egress"], ["Ingress", "Egress"])),
        }
        spec["ingress"] = [random_rule(rng) for _ in range(rng.randint(0, 2))]
        spec["egress"] = [
            {{"from": "to"}.get(k, k): v for k, v in random_rule(rng).items()} for _ in range(2)
        ]
        policies.append(policy(f"p{i}", rng.choice(NAMESPACES), **spec))
    return pods, policies


def connections(pods, policies):
    cluster = {"policies": policies, "namespaces": {name: {LABEL: name} for name in NAMESPACES}}
    probes = [(protocol, port) for protocol in ("TCP", "UDP") for port in (1, *PORTS, 300, 9999)]
    return {
        (a["name"], b["name"], *probe)
        for a, b in permutations(pods, 2)
        for probe in probes
        if reference.may_connect(cluster, a, b, *probe)
    }


def test_policies_should_cut_what_is_cut_and_nothing_else():
    """Should leave every other connection as it was, port by port, by a literal reading of what is written."""
    n_patched = n_replaced = 0
    for seed in range(50 * TIMES):
        rng = random.Random(seed)
        pods, policies = random_cluster(rng)
        before = connections(pods, policies)
        links = sorted({(a, b) for a, b, *_ in before})
        if not links:
            continue
        cut = rng.sample(links, rng.randint(1, min(2, len(links))))
        objects = [
            workload(p["name"], p["labels"], p["namespace"], p["ports"][0]["containerPort"]) for p in pods
        ]
        spaces = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in NAMESPACES
        ]
        text = yaml.safe_dump_all([*spaces, *objects, *policies])
        written = _patch([ForeignFile("cluster.yaml", text)], cut, (), "a test")
        after = applied(policies, written)
        assert connections(pods, after) == {c for c in before if c[:2] not in cut}, seed
        n_patched += 1
        n_replaced += len(after) < len(policies) + len(list(yaml.safe_load_all(written)))
    assert n_patched > 35 * TIMES and n_replaced >= 5 * TIMES


def test_what_is_outside_the_manifests_should_keep_its_access():
    """Should carry addresses and other namespaces over as they are, and never widen them."""
    mine = policy("db", podSelector={}, ingress=[{"from": [
        {"ipBlock": {"cidr": "192.0.2.0/24"}}, {"namespaceSelector": {"matchLabels": {"team": "ops"}}},
        {"podSelector": {}}], "ports": [{"port": "http"}]}])  # fmt: skip
    objects = [workload(name, {"app": name}) for name in ("web", "orders", "db")]
    text = yaml.safe_dump_all([*objects, mine])
    written = list(yaml.safe_load_all(_patch([ForeignFile("a.yaml", text)], [("web", "db")], (), "x")))
    (own,) = [one for one in written if one["metadata"]["name"] == "db-ingress"]
    peers = [peer for rule in own["spec"]["ingress"] for peer in rule["from"]]
    blocks = [peer["ipBlock"] for peer in peers if "ipBlock" in peer]
    assert blocks == [{"cidr": "192.0.2.0/24"}]
    (spaces,) = [peer["namespaceSelector"] for peer in peers if "namespaceSelector" in peer]
    assert spaces["matchLabels"] == {"team": "ops"} and spaces["matchExpressions"][0]["operator"] == "NotIn"
    assert all(
        rule["ports"] in ([{"port": "http"}], [{"protocol": "TCP", "port": 80}])
        for rule in own["spec"]["ingress"]
    )
    (old,) = [one for one in written if one["metadata"]["name"] == "db"]
    assert old["spec"]["podSelector"]["matchExpressions"] == [
        {"key": "app", "operator": "NotIn", "values": ["db"]}
    ]


def test_what_policies_cannot_say_should_be_refused():
    """Should name the workload without labels of its own, one on its node's network, and a host that is none."""
    shop = [
        workload("web", {"app": "web"}),
        workload("db", {"app": "db"}),
        workload("copy", {"app": "db", "x": "y"}),
    ]
    text = yaml.safe_dump_all(shop)
    with pytest.raises(InputError, match="labels of their own"):
        _patch([ForeignFile("a.yaml", text)], [("web", "db")], (), "x")
    with pytest.raises(InputError, match='no workload of the manifests is "Web"'):
        _patch([ForeignFile("a.yaml", text)], [("Web", "db")], (), "x")


# -- round trips ----------------------------------------------------------------------------------------


def shop(policies=()):
    """A shop: the front is offered to outside, orders keep their data in a database."""
    env = {
        "web": [{"name": "ORDERS", "value": "http://orders:9000"}],
        "orders": [{"name": "DB", "value": "db:5432"}],
    }
    objects = [workload(name, {"app": name}, env=env.get(name, [])) for name in ("web", "catalog", "orders")]
    objects.append(workload("db", {"app": "db"}, image="postgres:16"))
    kinds = {"web": "LoadBalancer"}
    return [
        *objects,
        *(service(name, kinds.get(name, "ClusterIP")) for name in ("web", "orders", "db")),
        *policies,
    ]


OPEN = policy("open", podSelector={}, policyTypes=["Ingress", "Egress"], ingress=[{}], egress=[{}])


@pytest.mark.parametrize("policies", [(), (OPEN,)], ids=["without policies", "with one that allows all"])
def test_a_round_trip_should_give_the_recommended_design(policies, tmp_path):
    """Should lead from manifests to a scenario, a change, a patch, and manifests that mean the changed design."""
    objects = shop(policies)
    source = tmp_path / "k8s"
    source.mkdir()
    (source / "shop.yaml").write_text(yaml.safe_dump_all(objects))
    scenario = hf.scenario_from_text(hf.import_network(source).text)
    assert not hf.solve(hf.configuration(scenario)).defensible
    answer = recommend(scenario, None, kinds=("cut", "filter"))
    changes = answer.recommendation.remedies.sets[0].changes
    files = patch(answer, [source])
    assert set(files) == {"change-request.md", "networkpolicies.yaml"}
    space = answer.recommendation.space
    after = space.changed([i for i, one in enumerate(space.changes) if one.name in changes])
    (source / "shop.yaml").write_text(yaml.safe_dump_all(applied(objects, files["networkpolicies.yaml"])))
    again = hf.configuration(hf.scenario_from_text(hf.import_network(source).text))
    assert set(again.system.graph.arrows) == set(after.system.graph.arrows)
    assert again.system.graph.marked("exposed") == after.system.graph.marked("exposed")
    assert len(after.system.graph.arrows) < len(space.configuration.system.graph.arrows)
    for change in changes:
        assert f"`{change}`" in files["change-request.md"]


def test_a_way_in_should_be_closed_and_a_block_be_ready(tmp_path):
    """Should no longer be exposed once the policy is applied; a link that can be shut has a file to shut it."""
    (tmp_path / "shop.yaml").write_text(yaml.safe_dump_all(shop()))
    scenario = hf.scenario_from_text(hf.import_network(tmp_path).text)
    space = design_space(scenario, None, kinds=("block",))
    (number,) = [i for i, one in enumerate(space.changes) if one.name == "block web -> db"]
    change = DesignChange(space.configuration, space.changed([number]), {"block web -> db": ""})
    ready = patch_files(change, [tmp_path])
    assert set(ready) == {"change-request.md", "block-web-to-db.yaml"}
    (tmp_path / "shut").mkdir()
    shut = yaml.safe_dump_all(applied(shop(), ready["block-web-to-db.yaml"]))
    (tmp_path / "shut" / "shop.yaml").write_text(shut)
    assert ("web", "db") not in hf.import_network(tmp_path / "shut").network.links
    (tmp_path / "shut" / "shop.yaml").unlink()
    manifests = ForeignFile("shop.yaml", (tmp_path / "shop.yaml").read_text())
    written = _patch([manifests], [], ["web"], "close web")
    (tmp_path / "shop.yaml").write_text(yaml.safe_dump_all(applied(shop(), written)))
    closed = hf.import_network(tmp_path)
    assert closed.network.exposed == () and any(
        "not exposed" in told for told in closed.network.contradictions
    )


def test_the_command_should_write_a_patch(tmp_path):
    """Should write the change request alone without sources, and say what it lacks."""
    folder = tmp_path / "patch"
    done = CliRunner().invoke(app, ["recommend", "scenarios/indefensible.yaml", f"--patch={folder}"])
    assert done.exit_code == 0, done.output
    assert [path.name for path in folder.iterdir()] == ["change-request.md"]
    told = (folder / "change-request.md").read_text()
    assert "- [ ] Remove the connection from GW to DB" in told
    shop = tmp_path / "shop.yaml"
    shop.write_text(yaml.safe_dump_all([workload("web", {"app": "web"}), workload("db", {"app": "db"})]))
    other = tmp_path / "other"
    words = ["recommend", "scenarios/indefensible.yaml", f"--patch={other}", f"--source={shop}", "--json"]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 2 and 'no workload of the manifests is "GW"' in refused.stderr
    assert json.loads(refused.stdout)["changes"]
    assert 'no workload of the manifests is "GW"' in (other / "change-request.md").read_text()
    alone = CliRunner().invoke(app, ["recommend", "scenarios/indefensible.yaml", "--source=x"])
    assert alone.exit_code == 2 and "--patch" in alone.output
    tank = CliRunner().invoke(app, ["recommend", "scenarios/two-lines.yaml", f"--patch={folder}"])
    assert tank.exit_code == 2 and "patches are for networks" in tank.output
