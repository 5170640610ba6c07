"""What NetworkPolicies allow, transcribed from the Kubernetes documentation, port by port, on plain manifests.

Nothing here is prepared or shared: each question walks all policies again. ``tests/models/test_kubernetes.py``
holds the importer to it.
"""

from __future__ import annotations

import ipaddress

PROTOCOLS = ("TCP", "UDP", "SCTP")


def may_connect(cluster, source, target, protocol, port):
    """Whether a pod may open a connection to another one on a port of a protocol.

    ``cluster`` has ``policies`` (manifests) and ``namespaces`` (names to labels); a pod has ``namespace``,
    ``labels``, ``ports`` (as of a container), ``address`` (or None) and ``hostNetwork``.
    """
    if source["hostNetwork"] or target["hostNetwork"]:
        return True  # traffic between a node and its pods is always allowed
    return lets_out(cluster, source, target, protocol, port) and lets_in(
        cluster, source, target, protocol, port
    )


def lets_in(cluster, source, target, protocol, port):
    isolating = [p for p in cluster["policies"] if applies(p, target) and "Ingress" in types(p)]
    if not isolating:
        return True
    for policy in isolating:
        for rule in policy["spec"].get("ingress") or []:
            if peer_matches(cluster, policy, rule.get("from"), source) and port_matches(
                rule, target, protocol, port
            ):
                return True
    return False


def lets_out(cluster, source, target, protocol, port):
    isolating = [p for p in cluster["policies"] if applies(p, source) and "Egress" in types(p)]
    if not isolating:
        return True
    for policy in isolating:
        for rule in policy["spec"].get("egress") or []:
            if peer_matches(cluster, policy, rule.get("to"), target) and port_matches(
                rule, target, protocol, port
            ):
                return True
    return False


def types(policy):
    """If policyTypes is not given, Ingress always, and Egress if there are egress rules."""
    given = policy["spec"].get("policyTypes")
    if given:
        return given
    return ["Ingress", "Egress"] if policy["spec"].get("egress") else ["Ingress"]


def applies(policy, pod):
    same = policy["metadata"].get("namespace", "default") == pod["namespace"]
    return same and selected(policy["spec"].get("podSelector") or {}, pod["labels"])


def peer_matches(cluster, policy, peers, pod):
    """An empty or missing list of peers matches all; else one of them must."""
    if not peers:
        return True
    return any(one_peer_matches(cluster, policy, peer, pod) for peer in peers)


def one_peer_matches(cluster, policy, peer, pod):
    if "ipBlock" in peer:
        block = peer["ipBlock"]
        if pod["address"] is None:  # not known: only what leaves nothing out is sure to mean it
            return block["cidr"] in ("0.0.0.0/0", "::/0") and not block.get("except")
        address = ipaddress.ip_address(pod["address"])
        if address not in ipaddress.ip_network(block["cidr"]):
            return False
        return not any(address in ipaddress.ip_network(gap) for gap in block.get("except") or [])
    if "namespaceSelector" in peer:
        if not selected(peer["namespaceSelector"], cluster["namespaces"][pod["namespace"]]):
            return False
    elif pod["namespace"] != policy["metadata"].get("namespace", "default"):
        return False
    return "podSelector" not in peer or selected(peer["podSelector"], pod["labels"])


def selected(selector, labels):
    """All labels and all expressions must hold."""
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    for term in selector.get("matchExpressions") or []:
        key, operator = term["key"], term["operator"]
        if operator == "In" and not (key in labels and labels[key] in term["values"]):
            return False
        if operator == "NotIn" and key in labels and labels[key] in term["values"]:
            return False
        if operator == "Exists" and key not in labels:
            return False
        if operator == "DoesNotExist" and key in labels:
            return False
    return True


def port_matches(rule, target, protocol, port):
    """An empty or missing list of ports matches all; a name is that of a container's port of the target."""
    if not rule.get("ports"):
        return True
    for given in rule["ports"]:
        if given.get("protocol", "TCP") != protocol:
            continue
        wanted = given.get("port")
        if wanted is None:
            return True
        if isinstance(wanted, str):
            for own in target["ports"]:
                named = own.get("name") == wanted and own.get("protocol", "TCP") == protocol
                if named and own["containerPort"] == port:
                    return True
        elif wanted <= port <= given.get("endPort", wanted):
            return True
    return False
