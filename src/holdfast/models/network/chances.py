"""The ``chance:`` of a network: how likely actions succeed, by type, by type and host, or by link."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.errors import did_you_mean
from holdfast.models.network.gathering import Gathering
from holdfast.models.network.segment import BLOCKING, CHANCY, Link
from holdfast.scenario import Node, exact, shortened

_ON = re.compile(r"\s*([a-z]+)\s*(?:\(\s*([^()]+?)\s*\))?\s*")


@dataclass
class ChancesRead:
    """Probabilities while they are read: of actions by type or name, and of spreading along links."""

    actions: dict[str, Fraction] = field(default_factory=dict)
    links: dict[Link, Fraction] = field(default_factory=dict)


def read_chances(section: Node, change: Node | None, gathering: Gathering, base: Gathering) -> ChancesRead:
    """The chances of a section, and of a variant on top; what is about hosts or links that are gone goes too.

    Raises:
        ScenarioError: for what is no action, no host or no link of the network.
    """
    chances = ChancesRead()
    if "chance" in section.entries:
        _read(section["chance"], base, chances)
    if change is not None and "chance" in change.entries:
        _read(change["chance"], gathering, chances)
    chances.links = {link: chance for link, chance in chances.links.items() if link in gathering.links}
    known = {f"{kind}({of})" for kind in CHANCY for of in (*gathering.hosts, *gathering.conduits)}
    chances.actions = {
        name: chance for name, chance in chances.actions.items() if name in CHANCY or name in known
    }
    return chances


def _read(node: Node, gathering: Gathering, chances: ChancesRead) -> None:
    """Add what one mapping says; types are read before hosts, so that what is closer counts."""
    for name, value in node.entries.items():
        key = node.keys[name]
        if ">" in name:
            links = gathering.pairs(key)
            there = [link for link in links if link in gathering.links or link in gathering.off]
            if not there:
                hint = did_you_mean(" -> ".join(links[0]), map(" -> ".join, gathering.links)) if links else ""
                raise key.problem(f'there is no link "{shortened(name)}"{hint}')
            chances.links |= dict.fromkeys(there, exact(value))
            continue
        chances.actions |= dict.fromkeys(_named(name, key, gathering), exact(value))


def _named(name: str, key: Node, gathering: Gathering) -> Iterator[str]:
    """The type or the actions that a key is about."""
    match = _ON.fullmatch(name)
    kind = match[1] if match else name
    if match is None or kind not in CHANCY:
        hint = did_you_mean(kind, CHANCY) or f"; the actions are {', '.join(CHANCY)}"
        raise key.problem(
            f'"{shortened(name)}" is neither an action that may fail nor a link such as GW -> Web{hint}'
        )
    of = match[2]
    if of is None:
        yield kind
    elif kind in BLOCKING:
        if of not in gathering.conduits:
            raise key.problem(f'"{shortened(of)}" can not be blocked' + did_you_mean(of, gathering.conduits))
        yield f"{kind}({of})"
    else:
        yield from (f"{kind}({host})" for host in gathering.members(of, key, max(0, name.find(of))))
