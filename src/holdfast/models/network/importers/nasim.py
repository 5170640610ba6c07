"""Scenarios of NASim, the Network Attack Simulator.

A host is (subnet, number). An attacker on host u can take host v if some service of v has an exploit for
the operating system of v, and the traffic is let through: inside a subnet always; between connected
subnets if the firewall of the pair allows the service; and never where the firewall of v denies it to u.
The outside is subnet 0: what it can reach is exposed. Sensitive hosts are critical. An attempt succeeds with
the probability of the likeliest exploit that can be used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from holdfast.models.network.importers.contract import Importer
from holdfast.models.network.importers.draft import MAX_DRAFT_HOSTS, Draft, Sketch
from holdfast.models.network.importers.foreign import ForeignFile, items, known, mapping, scalar, word
from holdfast.scenario import Node, exact

OUTSIDE = 0
KEYS = {"subnets", "topology", "host_configurations", "exploits", "firewall"}
_PAIR = re.compile(r"\(\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\)")

Address = tuple[int, int]


@dataclass(frozen=True)
class _Machine:
    """A host: the services that can be exploited on it, how likely, and what it denies to whom."""

    open: Mapping[str, Fraction]
    denied: Mapping[Address, frozenset[str]]


def _recognise(file: ForeignFile) -> bool:
    return file.keys >= KEYS


def _read(file: ForeignFile) -> Draft:
    root = file.tree
    sizes = [1, *(_number(node, "the size of a subnet") for node in items(root, "subnets"))]
    if sum(sizes) > MAX_DRAFT_HOSTS:
        raise root["subnets"].problem(f"{sum(sizes):,} hosts; at most {MAX_DRAFT_HOSTS:,} are read")
    connected = [[_number(cell, "a connection") for cell in row.items] for row in items(root, "topology")]
    if [len(row) for row in connected] != [len(sizes)] * len(sizes):
        raise root["topology"].problem(
            f"expected a matrix of {len(sizes)} by {len(sizes)}: the outside and {len(sizes) - 1} subnets"
        )
    allowed = {
        _address(node, key): frozenset(scalar(item, "a service") for item in node.items)
        for key, node in mapping(root, "firewall").items()
    }
    machines = _machines(root, sizes)
    sketch = Sketch(file.path.stem, file.budget)
    for subnet, number in machines:
        sketch.add_host(_name((subnet, number)), zone=f"subnet{subnet}")
    for target, machine in machines.items():
        for subnet in range(len(sizes)):
            passed = _passed(subnet, target[0], tuple(machine.open), connected, allowed)
            if subnet == OUTSIDE:
                if passed:
                    sketch.mark("exposed", _name(target))
                    sketch.succeed(_name(target), "", max(machine.open[service] for service in passed))
                continue
            for source, service in product(range(sizes[subnet]) if passed else (), passed):
                if (subnet, source) != target and service not in machine.denied.get((subnet, source), ()):
                    sketch.add_link(_name((subnet, source)), _name(target), service)
                    sketch.succeed(_name(target), _name((subnet, source)), machine.open[service])
    for key, node in mapping(root, "sensitive_hosts").items():
        sketch.mark("critical", known(node, _name(_address(node, key)), sketch.hosts, "a host"))
    _tell(root, sketch)
    return sketch.draft()


def _passed(
    source: int,
    target: int,
    services: tuple[str, ...],
    connected: list[list[int]],
    allowed: Mapping[Address, frozenset[str]],
) -> tuple[str, ...]:
    """The services of a host that traffic from a subnet reaches, its own firewall aside."""
    if source == target:
        return services
    if not connected[source][target]:
        return ()
    return tuple(service for service in services if service in allowed.get((source, target), ()))


def _machines(root: Node, sizes: list[int]) -> dict[Address, _Machine]:
    exploits = [
        (word(e, "service"), word(e, "os", "none"), _chance(e)) for e in mapping(root, "exploits").values()
    ]
    machines = {}
    for key, node in mapping(root, "host_configurations").items():
        address = _address(node, key)
        if not (0 < address[0] < len(sizes) and address[1] < sizes[address[0]]):
            raise node.problem(f"{key} is in no subnet: there are {len(sizes) - 1}")
        system = word(node, "os", "none")
        services = [scalar(item, "a service") for item in items(node, "services")]
        usable = [(of, p) for of, on, p in exploits if on.lower() in ("none", system.lower())]
        open_ = {
            service: max(p for of, p in usable if of == service)
            for service in services
            if any(of == service for of, _ in usable)
        }
        denied = {
            _address(list_, source): frozenset(scalar(item, "a service") for item in list_.items)
            for source, list_ in mapping(node, "firewall").items()
        }
        machines[address] = _Machine(open_, denied)
    missing = [
        (subnet, number)
        for subnet in range(1, len(sizes))
        for number in range(sizes[subnet])
        if (subnet, number) not in machines
    ]
    if missing:
        raise root["host_configurations"].problem(f"no configuration for host {_name(missing[0])}")
    return dict(sorted(machines.items()))


def _tell(root: Node, sketch: Sketch) -> None:
    sketch.drop(
        "costs of exploits and of scans",
        "levels of privilege: a host is compromised or it is not",
    )
    values = {scalar(node, "a value") for node in mapping(root, "sensitive_hosts").values()}
    if len(values) > 1:
        sketch.drop("values of the sensitive hosts")
    if any(node.get("value") is not None for node in mapping(root, "host_configurations").values()):
        sketch.drop("values of other hosts (a negative one marks a honeypot)")
    if root.get("step_limit") is not None:
        sketch.drop("the limit of steps: the requirement must hold for ever")


def _chance(exploit: Node) -> Fraction:
    """How likely an exploit succeeds; surely, where nothing is said."""
    node = exploit.get("prob")
    if node is None or node.is_null:
        return Fraction(1)
    if isinstance(node.value, bool) or not isinstance(node.value, int | float) or not 0 <= node.value <= 1:
        raise node.problem(f"expected a probability from 0 to 1, found {node.describe()}")
    return exact(node)


def _number(node: Node, what: str) -> int:
    if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value < 0:
        raise node.problem(f"expected a whole number for {what}, found {node.describe()}")
    return node.value


def _address(node: Node, text: str) -> Address:
    match = _PAIR.fullmatch(text.strip())
    if match is None:
        raise node.problem(f"expected a pair of numbers such as (1, 0), found {text[:40]}")
    return int(match[1]), int(match[2])


def _name(address: Address) -> str:
    return f"({address[0]}, {address[1]})"


IMPORTER = Importer("nasim", "a scenario of NASim", _recognise, _read)
