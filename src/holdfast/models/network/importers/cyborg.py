"""Scenarios of CybORG, as the CAGE challenges use them.

An attacker on a host can go to every host of the same subnet, and to the hosts of other subnets that it
learns of there (``info``, and for the hosts where red starts what red knows, ``INT``), if the access
lists of both subnets let the traffic pass. A host in several subnets has the links of all of them; its zone
is the first. Red's hosts at the start are the entry; a host is critical if its value is High.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations, product

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, items, known, mapping, scalar, word
from holdfast.scenario import Node

ALL, NOTHING = "all", "none"
VALUES = ("ConfidentialityValue", "AvailabilityValue")


def _recognise(file: ForeignFile) -> bool:
    return file.keys >= {"Agents", "Subnets", "Hosts"}


def _read(file: ForeignFile) -> Draft:
    root = file.tree
    hosts, subnets = mapping(root, "Hosts"), mapping(root, "Subnets")
    members: dict[str, list[str]] = {subnet: [] for subnet in subnets}
    subnets_of: dict[str, list[str]] = {host: [] for host in hosts}
    for subnet, node in subnets.items():
        listed = (known(item, scalar(item, "a host"), hosts, "a host") for item in items(node, "Hosts"))
        for host in dict.fromkeys(listed):
            members[subnet].append(host)
            subnets_of[host].append(subnet)
    sketch = Sketch(file.path.stem, file.budget)
    for name, node in hosts.items():
        sketch.add_host(name, zone=next(iter(subnets_of[name]), ""))
        if _rated(node, "high"):
            sketch.mark("critical", name)
    for start in _starts(root):
        sketch.mark("entry", known(root["Agents"], start, hosts, "a host"))
    for of in members.values():
        for source, target in permutations(of, 2):
            sketch.add_link(source, target)
    for source, target in _known_elsewhere(root):
        file.budget.tick("reading the file")
        ways = product(subnets_of.get(source, ()), subnets_of.get(target, ()))
        if source != target and any(_leads(subnets, here, there) for here, there in ways):
            sketch.add_link(source, target)
    if len(subnets) > 1 and not any(subnets_of[a] != subnets_of[b] for a, b in sketch.links):
        sketch.drop("ways between subnets, of which the file gives no hints (info): add the links that exist")
    several = [f"{host} in {', '.join(of[:6])}" for host, of in subnets_of.items() if len(of) > 1]
    if several:
        sketch.drop(
            f"subnets of a host past its first ({'; '.join(several[:6])}), which alone is its zone: "
            "its links are those of all its subnets"
        )
    sketch.drop(
        "images, users, sessions, services and exploits: any host that can be reached can be compromised",
        "decoys and the green agent",
        "how likely exploits succeed, which such files do not say: all of them do, unless you add a chance",
    )
    medium = [name for name, node in hosts.items() if _rated(node, "medium") and not _rated(node, "high")]
    if medium:
        sketch.drop(f"values that are Medium ({', '.join(medium[:6])}): only High is critical")
    return sketch.draft()


def _rated(node: Node, value: str) -> bool:
    return any(word(node, key).lower() == value for key in VALUES)


def _starts(root: Node) -> Iterator[str]:
    """The hosts on which red has a session at the start."""
    for name, agent in mapping(root, "Agents").items():
        if name.lower().startswith("red"):
            for session in items(agent, "starting_sessions"):
                if session.get("hostname") is not None:
                    yield word(session, "hostname")


def _known_elsewhere(root: Node) -> Iterator[tuple[str, str]]:
    """Pairs of hosts of which the first knows the second: from its ``info``, or as red's own host."""
    for source, node in mapping(root, "Hosts").items():
        for target in mapping(node, "info"):
            yield source, target
    for name, agent in mapping(root, "Agents").items():
        intelligence = agent.get("INT")
        if name.lower().startswith("red") and intelligence is not None:
            for start in dict.fromkeys(_starts(root)):
                for target in mapping(intelligence, "Hosts"):
                    yield start, target


def _leads(subnets: Mapping[str, Node], here: str, there: str) -> bool:
    """Whether traffic gets from one subnet to another, or stays within one."""
    return here == there or (_passes(subnets[here], there, "out") and _passes(subnets[there], here, "in"))


def _passes(subnet: Node, other: str, way: str) -> bool:
    """Whether the access list of a subnet lets anything pass to or from another one."""
    rules = mapping(subnet, "NACLs")
    rule = rules.get(other, rules.get(ALL))
    if rule is None:
        return False
    passed = rule.get(way)
    return passed is not None and not (passed.kind == "scalar" and passed.text.lower() == NOTHING)


IMPORTER = Importer("cyborg", "a scenario of CybORG", _recognise, _read)
