"""Manifests of Kubernetes: policies against a literal evaluator, and what is exposed, used and told."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path

import pytest

import reference_network_policies as reference
from cases import TIMES
from commands import holdfast
from holdfast.errors import InputError
from holdfast.models.network.importers import import_network, network_policies as netpol
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.manifests import read_cluster
from imported import check_text, read, shared

# -- what policies allow ------------------------------------------------------------------------------

KEYS, VALUES, NAMESPACES = ("app", "tier", "env"), ("a", "b", "c"), ("shop", "office", "default")
PORTS = (79, 80, 81, 443, 5432)
ASKED = (*PORTS, 82, 444, 479, 480, 482, 843, 844, 5433, 65535)
"""Ports at which an answer may change, and some beside."""


def some(rng, least, most, make):
    return [make(rng) for _ in range(rng.randint(least, most))]


def random_selector(rng):
    selector = {}
    if rng.random() < 0.5:
        selector["matchLabels"] = {rng.choice(KEYS): rng.choice(VALUES)}
    if rng.random() < 0.4:
        selector["matchExpressions"] = some(rng, 1, 2, random_term)
    return selector


def random_term(rng):
    operator = rng.choice(("In", "NotIn", "Exists", "DoesNotExist"))
    term = {"key": rng.choice((*KEYS, netpol_name())), "operator": operator}
    if operator in ("In", "NotIn"):
        term["values"] = rng.sample((*VALUES, *NAMESPACES), rng.randint(1, 3))
    return term


def netpol_name():
    return "kubernetes.io/metadata.name"


def random_peer(rng):
    match rng.randrange(5):
        case 0:
            return {"podSelector": random_selector(rng)}
        case 1:
            return {"namespaceSelector": random_selector(rng)}
        case 2:
            return {"podSelector": random_selector(rng), "namespaceSelector": random_selector(rng)}
        case 3:
            block = {"cidr": rng.choice(("0.0.0.0/0", "10.0.0.0/8", "10.1.0.0/16", "192.0.2.0/24"))}
            if block["cidr"].startswith(("0", "10.0")) and rng.random() < 0.5:
                block["except"] = [rng.choice(("10.1.0.0/16", "10.2.0.0/16"))]
            return {"ipBlock": block}
        case _:
            return {"podSelector": {"matchLabels": {rng.choice(KEYS): rng.choice(VALUES)}}}


def random_port(rng):
    port = {}
    if rng.random() < 0.4:
        port["protocol"] = rng.choice(reference.PROTOCOLS)
    match rng.randrange(4):
        case 0:
            port["port"] = rng.choice(("http", "sql"))
        case 1:
            port["port"] = rng.choice(PORTS)
            port["endPort"] = port["port"] + rng.choice((0, 1, 400))
        case 2:
            port["port"] = rng.choice(PORTS)
    return port


def random_rule(rng, end):
    rule = {}
    if rng.random() < 0.8:
        rule[end] = some(rng, 0, 2, random_peer)
    if rng.random() < 0.5:
        rule["ports"] = some(rng, 0, 2, random_port)
    return rule


def random_policy(rng, number):
    spec = {"podSelector": random_selector(rng)}
    if rng.random() < 0.6:
        spec["policyTypes"] = rng.choice((["Ingress"], ["Egress"], ["Ingress", "Egress"]))
    if rng.random() < 0.8:
        spec["ingress"] = some(rng, 0, 2, lambda rng: random_rule(rng, "from"))
    if rng.random() < 0.5:
        spec["egress"] = some(rng, 0, 2, lambda rng: random_rule(rng, "to"))
    metadata = {"name": f"p{number}"}
    if (namespace := rng.choice(NAMESPACES)) != "default" or rng.random() < 0.5:
        metadata["namespace"] = namespace
    return {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata, "spec": spec}


def random_pod(rng, number):
    ports = [
        {"name": name, "containerPort": rng.choice(PORTS)} for name in ("http", "sql") if rng.random() < 0.6
    ]
    for port in ports:
        if rng.random() < 0.3:
            port["protocol"] = rng.choice(reference.PROTOCOLS)
    return {
        "name": f"w{number}",
        "namespace": rng.choice(NAMESPACES),
        "labels": {key: rng.choice(VALUES) for key in KEYS if rng.random() < 0.7},
        "ports": ports,
        "address": f"10.{rng.choice((1, 2, 3))}.0.{number + 1}" if rng.random() < 0.4 else None,
        "hostNetwork": rng.random() < 0.05,
    }


def manifest_of(pod):
    spec = {"containers": [{"name": "c", "image": "i", "ports": pod["ports"]}]}
    if pod["hostNetwork"]:
        spec["hostNetwork"] = True
    found = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": pod["name"], "namespace": pod["namespace"], "labels": pod["labels"]},
        "spec": spec,
    }
    return found | ({"status": {"podIP": pod["address"]}} if pod["address"] else {})


def random_cluster(rng):
    namespaces = {
        name: {netpol_name(): name} | {key: rng.choice(VALUES) for key in KEYS if rng.random() < 0.5}
        for name in NAMESPACES
    }
    policies = [random_policy(rng, i) for i in range(rng.randint(1, 6))]
    return {"policies": policies, "namespaces": namespaces}, [
        random_pod(rng, i) for i in range(rng.randint(2, 5))
    ]


def manifests(cluster, pods):
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
        for name, labels in cluster["namespaces"].items()
    ]
    return [*objects, *cluster["policies"], *map(manifest_of, pods)]


def test_policies_should_allow_what_a_literal_reading_allows():
    """Should agree port by port on some thousand random policies."""
    rng, n_policies, n_open, n_shut = random.Random(34), 0, 0, 0
    for _ in range(300 * TIMES):
        cluster, pods = random_cluster(rng)
        text = "\n---\n".join(map(json.dumps, manifests(cluster, pods)))
        declared = read_cluster([ForeignFile(Path("all.yaml"), text)])
        found = [declared.workloads[f"{pod['namespace']}/{pod['name']}[Pod]"].pod for pod in pods]
        passed = {
            (i, j): ports for i, j, ports in netpol.allowed(found, declared.policies, declared.namespaces)
        }
        n_policies += len(cluster["policies"])
        for i, j in permutations(range(len(pods)), 2):
            ports, expected = passed.get((i, j), 0), {}
            for protocol in reference.PROTOCOLS:
                for port in ASKED:
                    open_ = bool(ports & netpol.port_bits(protocol, port, port))
                    expected[protocol, port] = reference.may_connect(
                        cluster, pods[i], pods[j], protocol, port
                    )
                    assert open_ == expected[protocol, port], (
                        text,
                        pods[i]["name"],
                        pods[j]["name"],
                        protocol,
                        port,
                    )
            assert bool(ports) == any(expected.values())
            n_open, n_shut = n_open + bool(ports), n_shut + (not ports)
    assert n_policies > 1_000 * TIMES and n_open > 500 and n_shut > 500


def test_every_link_of_an_import_should_be_a_connection(tmp_path):
    rng = random.Random(7)
    for i in range(12 * TIMES):
        cluster, pods = random_cluster(rng)
        file = tmp_path / f"{i}.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests(cluster, pods)}))
        found = import_network(file)
        expected = {
            (a["name"], b["name"])
            for a, b in permutations(pods, 2)
            for protocol in reference.PROTOCOLS
            if any(reference.may_connect(cluster, a, b, protocol, port) for port in ASKED)
        }
        assert set(found.network.links) == expected
        check_text(found)


# Published by np-guard for these policies: test_outputs/connlist/onlineboutique_workloads_connlist_output.csv.
BOUTIQUE = {
    "checkoutservice": {
        "cartservice": "TCP 7070",
        "currencyservice": "TCP 7000",
        "emailservice": "TCP 8080",
        "paymentservice": "TCP 50051",
        "productcatalogservice": "TCP 3550",
        "shippingservice": "TCP 50051",
    },
    "frontend": {
        "adservice": "TCP 9555",
        "cartservice": "TCP 7070",
        "checkoutservice": "TCP 5050",
        "currencyservice": "TCP 7000",
        "productcatalogservice": "TCP 3550",
        "recommendationservice": "TCP 8080",
        "shippingservice": "TCP 50051",
    },
    "loadgenerator": {"frontend": "TCP 8080"},
    "recommendationservice": {"productcatalogservice": "TCP 3550"},
}


def test_the_boutique_should_connect_as_netpol_analyzer_published_it():
    files = [shared("k8s-online-boutique.yaml"), shared("k8s-online-boutique-netpols.yaml")]
    network = import_network(files).network
    expected = {(a, b): (ports,) for a, of in BOUTIQUE.items() for b, ports in of.items()}
    assert dict(network.links) == expected
    assert any("frontend-external (LoadBalancer) offers frontend" in told for told in network.contradictions)
    assert any("cartservice names the Service redis-cart" in told for told in network.contradictions)


def test_without_policies_every_pod_should_reach_every_pod_and_that_is_told():
    network = import_network(shared("k8s-online-boutique.yaml")).network
    assert len(network.links) == 12 * 11 and network.exposed == ("frontend",)
    assert "every pod reaches every pod" in network.assumed[0]
    assert ("cartservice-to-redis-cart", ("cartservice", "redis-cart")) in network.flows
    assert len([path for _, path in network.flows if len(path) == 2]) == 16


# -- what manifests declare ---------------------------------------------------------------------------


def test_a_shop_should_be_as_its_manifests_say():
    found = read("shop-cluster.yaml")
    network = found.network
    assert network.hosts == ("web", "orders", "db", "report")
    assert dict(network.zones) == {"shop": ("web", "orders", "db"), "office": ("report",)}
    assert dict(network.links) == {
        ("web", "orders"): ("TCP 9000",),
        ("web", "report"): ("All connections",),
        ("orders", "web"): ("TCP 8080",),
        ("orders", "db"): ("TCP 5432",),
        ("orders", "report"): ("All connections",),
        ("db", "web"): ("TCP 8080",),
        ("db", "report"): ("All connections",),
        ("report", "web"): ("TCP 8080",),
    }
    assert network.exposed == ("web",) and network.critical == ("db",) and network.stores == ("db",)
    assert dict(network.stands_for) == {"web": 3}
    named = {name for name, _ in network.flows}
    assert {"ingress-to-web", "web-to-orders", "orders-to-db"} <= named
    assert (
        "policies of other kinds, which may allow less or more: 1 CiliumNetworkPolicy of cilium.io"
        in network.dropped
    )
    assert network.contradictions == (
        "report names the Service db (--from), and policies do not let it reach db",
    )
    check_text(found)


def deployment(name, labels=None, namespace="default", **spec):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "template": {
                "metadata": {"labels": labels or {"app": name}},
                "spec": {"containers": [{"image": "x"}], **spec},
            }
        },
    }


def service(name, **spec):
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


def imported(tmp_path, *objects, **options):
    (tmp_path / "all.yaml").write_text("\n---\n".join(map(json.dumps, objects)))
    return import_network(tmp_path / "all.yaml", **options).network


def policy(name, **spec):
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": name},
        "spec": {"podSelector": {}, **spec},
    }


OFFER = {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}


@pytest.mark.parametrize(
    ("offer", "rules", "exposed"),
    {
        "nothing": ({**OFFER}, None, False),
        "a node port": ({**OFFER, "type": "NodePort"}, None, True),
        "external addresses": ({**OFFER, "externalIPs": ["192.0.2.1"]}, None, True),
        "denied": ({**OFFER, "type": "NodePort"}, [], False),
        "on another port": ({**OFFER, "type": "NodePort"}, [{"ports": [{"port": 443}]}], False),
        "on its port": ({**OFFER, "type": "NodePort"}, [{"ports": [{"port": 8080}]}], True),
        "from addresses": (
            {**OFFER, "type": "NodePort"},
            [{"from": [{"ipBlock": {"cidr": "192.0.2.0/24"}}]}],
            True,
        ),
        "from no address": (
            {**OFFER, "type": "NodePort"},
            [{"from": [{"ipBlock": {"cidr": "192.0.2.0/24", "except": ["192.0.2.0/25", "192.0.2.128/25"]}}]}],
            False,
        ),
        "from pods alone": ({**OFFER, "type": "NodePort"}, [{"from": [{"podSelector": {}}]}], False),
    }.values(),
)
def test_what_is_offered_to_outside_should_be_exposed_if_policies_let_it(offer, rules, exposed, tmp_path):
    objects = [deployment("web"), deployment("db"), service("web", **offer)]
    if rules is not None:
        objects.append(policy("p", podSelector={"matchLabels": {"app": "web"}}, ingress=rules))
    network = imported(tmp_path, *objects)
    assert (network.exposed == ("web",)) == exposed
    assert (not exposed and "type" in offer) == any(
        "lets nothing" in t or "let nothing" in t for t in network.contradictions
    )


def test_an_ingress_should_be_let_in_by_namespaces_that_no_file_has(tmp_path):
    route = {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {"name": "front"},
        "spec": {"defaultBackend": {"service": {"name": "web"}}},
    }
    controller = [{"from": [{"namespaceSelector": {"matchLabels": {netpol_name(): "ingress-nginx"}}}]}]
    objects = [deployment("web"), deployment("db"), service("web", **OFFER), route]
    assert imported(tmp_path, *objects, policy("p", ingress=controller)).exposed == ("web",)
    own = [{"from": [{"namespaceSelector": {"matchLabels": {netpol_name(): "default"}}}]}]
    assert imported(tmp_path, *objects, policy("p", ingress=own)).exposed == ()


def test_pods_should_lend_their_addresses_and_be_counted(tmp_path):
    pods = [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": f"web-5d4f8c7b9-{i}",
                "labels": {"app": "web"},
                "ownerReferences": [{"kind": "ReplicaSet", "name": "web-5d4f8c7b9"}],
            },
            "spec": {"containers": [{"image": "x"}]},
            "status": {"podIP": f"10.0.0.{i}"},
        }
        for i in (1, 2)
    ]
    network = imported(tmp_path, *pods)
    assert network.hosts == ("web",) and dict(network.stands_for) == {"web": 2}
    assert network.addresses["web"] == ("10.0.0.1", "10.0.0.2")
    assert imported(tmp_path, deployment("web"), *pods).hosts == ("web",)


def test_a_folder_should_be_one_cluster(tmp_path):
    folder = tmp_path / "k8s"
    (folder / "base").mkdir(parents=True)
    (folder / "README.md").write_text("# Notes, passed over\n")
    (folder / "values.json").write_text('{"a": 1}')
    (folder / "base" / "web.yaml").write_text(json.dumps(deployment("web")))
    (folder / "base" / "db.yml").write_text(json.dumps(deployment("db")))
    (folder / "deny.yaml").write_text(json.dumps(policy("deny", podSelector={"matchLabels": {"app": "db"}})))
    found = import_network(folder)
    assert found.format == "kubernetes" and list(found.network.links) == [("db", "web")]
    assert found.network.dropped[-1] == "files of no known format: values.json"
    told = holdfast("import", str(folder), "-o", str(tmp_path / "out.yaml"))
    assert told.returncode == 0 and "(from k8s, kubernetes)" in told.stdout


WRONG = {
    "a template": (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Values.name }}}\n",
        "a template of Helm; run helm template",
    ),
    "no workload": ("apiVersion: v1\nkind: Service\nmetadata: {name: a}\n", "no workload in these manifests"),
    "no name": ("apiVersion: v1\nkind: Pod\nspec: {}\n", "a.yaml:1:1: a Pod without a name"),
    "no template": (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n",
        "has no template of pods",
    ),
    "a port past the last": (
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec: {ingress: [{ports: [{port: 70000}]}]}\n",
        "a.yaml:4:34: expected a port from 1 to 65535, found 70000",
    ),
    "an unknown operator": (
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\n"
        "spec: {podSelector: {matchExpressions: [{key: a, operator: Is}]}}\n",
        'the operator "Is" is none of In, NotIn',
    ),
    "an empty peer": (
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\nspec: {ingress: [{from: [{}]}]}\n",
        "a peer needs podSelector",
    ),
    "no range": (
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: a}\n"
        "spec: {ingress: [{from: [{ipBlock: {cidr: 10.0.0}}]}]}\n",
        "is no range of addresses such as 10.0.0.0/8",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_manifests_should_be_refused_in_words(case, tmp_path):
    text, words = WRONG[case]
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        import_network(tmp_path / "a.yaml")
    assert words in str(caught.value).replace(f"{tmp_path}/", "")


def test_300_workloads_should_be_imported(tmp_path):
    """Should become a scenario by zones, and one of a few hosts by collapsing."""
    objects = [deployment(f"w{i}", {"app": f"w{i}"}, f"team{i % 20}") for i in range(300)]
    network = imported(tmp_path, *objects)
    assert len(network.hosts) == 300 and len(network.links) == 300 * 299
    assert len(imported(tmp_path, *objects, collapse="zone").hosts) == 20


def test_an_exposure_analysis_should_be_read_like_its_connections(tmp_path):
    rows = [{"src": "a/web[Deployment]", "dst": "a/db[Deployment]", "conn": "TCP 5432"}]
    outside = {"src": "0.0.0.0-255.255.255.255", "dst": "a/web[Deployment]", "conn": "All Connections"}
    general = {"src": "entire-cluster", "dst": "a/web[Deployment]", "conn": "All Connections"}
    alone = {"src": "a/job[Job]", "dst": "[all namespaces]/[pod with {app=dns}]", "conn": "UDP 53"}
    exposure = {"ingress_exposure": [outside, general], "egress_exposure": [alone]}
    (tmp_path / "a.json").write_text(
        json.dumps({"connlist_results": [*rows, outside], "exposure_results": exposure})
    )
    found = import_network(tmp_path / "a.json")
    assert found.format == "netpol" and found.network.hosts == ("web", "db", "job")
    assert list(found.network.links) == [("web", "db")] and found.network.exposed == ("web",)
    assert "2 connections of peers that are no workload" in found.network.dropped[0]
