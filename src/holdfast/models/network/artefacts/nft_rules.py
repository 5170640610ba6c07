"""Cuts and closed ways in as rules of nftables, put before all others.

A cut drops new connections from one host to another; answers to connections of the other way still pass. What
comes of it is worked out anew by the semantics of :mod:`~holdfast.models.network.importers.nftables`, and
compared with the design.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from holdfast.errors import InputError
from holdfast.game import Arrow
from holdfast.models.network.artefacts import DesignChange, PatchFormat
from holdfast.models.network.importers.draft import Sketch
from holdfast.models.network.importers.foreign import ForeignFile
from holdfast.models.network.importers.names import name_hosts
from holdfast.models.network.importers.nftables import (
    ANYBODY,
    AddressBlock,
    FirewallHost,
    Ruleset,
    firewall_hosts,
    read_ruleset,
)

HEAD = """\
# Rules for: {changes}
# Load them with nft -f; they go before all others. To keep them, add them to what is loaded at the start.
"""


def written_rules(change: DesignChange, files: Sequence[ForeignFile]) -> dict[str, str]:
    """The files of a patch: what to load now, and what to have ready for each link that can be shut.

    Raises:
        InputError: where the rules do not have the hosts, or where they cannot be changed so.
    """
    if len(files) > 1:
        raise InputError("several rulesets; give the one of the firewall that is to be changed")
    written: dict[str, str] = {}
    if change.cut or change.closed:
        written["changes.nft"] = _patch(files[0], change.cut, change.closed)
    for source, target in change.blockable:
        written[f"block-{source}-to-{target}.nft"] = _patch(files[0], [(source, target)], ())
    return written


FORMAT = PatchFormat("nftables", "rules of nftables", written_rules)


def _patch(file: ForeignFile, cut: Iterable[Arrow], closed: Iterable[str]) -> str:
    ruleset = read_ruleset(file)
    hosts = {name: host for host, name in _named(firewall_hosts(ruleset)).items()}
    gone, shut = list(cut), list(closed)
    for host in {name for link in gone for name in link} | set(shut):
        if host not in hosts:
            raise InputError(f'no address of these rules is "{host}" in the scenario; was it renamed?')
    family, table, chain = ruleset.gates[0]
    new: list[tuple[dict[str, Any], str]] = []
    for source, target in gone:
        for a, b in ((a, b) for a in hosts[source].blocks or () for b in hosts[target].blocks or ()):
            if a.version == b.version:
                new.append(_drop([a], False, b, f"cut {source} -> {target}"))
    known = [block for host in hosts.values() for block in host.blocks or ()]
    for name in shut:
        for block in hosts[name].blocks or ():
            same = [other for other in known if other.version == block.version]
            new.append(_drop(same, True, block, f"close {name}"))
    _insist(ruleset, [rule for rule, _ in new], hosts, set(gone), set(shut))
    words = "; ".join([f"cut {a} -> {b}" for a, b in gone] + [f"close {name}" for name in shut])
    lines = (f"insert rule {family} {table} {chain} {text}" for _, text in new)
    return HEAD.format(changes=words) + "".join(f"{line}\n" for line in lines)


def _named(hosts: Sequence[FirewallHost]) -> dict[FirewallHost, str]:
    """The name that each host gets in a scenario."""
    sketch = Sketch("")
    for host in hosts:
        sketch.add_host(host.name)
    names = name_hosts(sketch.draft())
    return {host: names[host.name] for host in hosts}


def _drop(
    sources: Sequence[AddressBlock], others: bool, target: AddressBlock, why: str
) -> tuple[dict[str, Any], str]:
    """A rule that drops new connections, as nft lists it and as it is written."""
    protocol = "ip" if target.version == 4 else "ip6"
    single = len(sources) == 1 and not others
    members = [_value(block) for block in sources]
    matches = [
        _match(
            {"payload": {"protocol": protocol, "field": "saddr"}}, members[0] if single else {"set": members}
        ),
        _match({"payload": {"protocol": protocol, "field": "daddr"}}, _value(target)),
        _match({"ct": {"key": "state"}}, "new", "in"),
    ]
    matches[0]["match"]["op"] = "!=" if others else "=="
    listed = _text(sources[0]) if single else "{ " + ", ".join(map(_text, sources)) + " }"
    sign = "!= " if others else ""
    text = (
        f'{protocol} saddr {sign}{listed} {protocol} daddr {_text(target)} ct state new drop comment "{why}"'
    )
    return {"expr": [*matches, {"drop": None}]}, text


def _match(left: dict[str, Any], right: Any, op: str = "==") -> dict[str, Any]:
    return {"match": {"op": op, "left": left, "right": right}}


def _value(block: AddressBlock) -> Any:
    if block.num_addresses == 1:
        return str(block.network_address)
    return {"prefix": {"addr": str(block.network_address), "len": block.prefixlen}}


def _text(block: AddressBlock) -> str:
    return str(block.network_address) if block.num_addresses == 1 else str(block)


def _insist(
    ruleset: Ruleset,
    new: list[dict[str, Any]],
    hosts: dict[str, FirewallHost],
    gone: set[Arrow],
    shut: set[str],
) -> None:
    """Refuse rules after which the links are not those of the changed design."""
    after = replace(ruleset, rules=dict(ruleset.rules), known={})
    gate = after.gates[0]
    after.rules[gate] = [*new, *after.rules.get(gate, [])]
    for a, source in {**hosts, "": ANYBODY}.items():
        for b, target in hosts.items():
            if a == b:
                continue
            removed = (a, b) in gone or (not a and b in shut)
            if after.passes(source, target) != (ruleset.passes(source, target) and not removed):
                raise InputError(
                    f"these changes cannot be expressed as rules in front of the others: the connection "
                    f"from {a or 'outside'} to {b} would differ from the design; see the change request"
                )
