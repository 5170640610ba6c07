"""Operations on what a network is used for: flows, chances, zones; and on rules that name a host.

They are written in the ``network:`` section, or in the variant at hand where a variant may say it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal

from pydantic import Field

from holdfast.errors import InputError
from holdfast.models.network.text import NETWORK, VARIANTS, SegmentText, link_text
from holdfast.scenario import Node, Operation, Path, data, drop, respelled

SIDES = ("defender", "adversary")


class FlowOperation(Operation):
    """Something that the network is used for: a path; none to take it away."""

    name: str = Field(min_length=1, max_length=200)
    path: list[str] = Field(default_factory=list, max_length=100, description="its hosts, in order")
    value: float | None = Field(default=None, ge=0, le=1_000_000, description="what it weighs")


class ChanceOperation(Operation):
    """How likely something succeeds; null for certainly."""

    of: str = Field(min_length=1, max_length=410, description="such as spread, spread(DB) or GW -> WS")
    chance: float | None = Field(default=None, ge=0, le=1)


class ZoneOperation(Operation):
    """Hosts that stand in a zone; null for none."""

    names: list[str] = Field(min_length=1, max_length=2_000, description="the hosts")
    zone: str | None = Field(default=None, max_length=200)


class RemovalOperation(Operation):
    """A host less; and what becomes of rules that name it."""

    name: str = Field(max_length=200, description="the host")
    rules: Literal["keep", "drop"] = Field(
        default="keep", description="drop to remove the rules that name it as well"
    )
    instead: str | None = Field(
        default=None, max_length=200, description="another host that the rules name from now on"
    )


class RenameOperation(Operation):
    """Another name for a host."""

    name: str = Field(max_length=200, description="the host")
    to: str = Field(max_length=200, description="its new name")


def set_flow(text: SegmentText, asked: FlowOperation) -> str:
    """Write a flow, or take it away."""
    path = _own(text, "flows")
    if not asked.path:
        section = text.node(path)
        if section is None or asked.name not in section.entries:
            raise InputError(f'there is no flow "{asked.name}"')
        text.text = drop(text.text, (*path, asked.name), path[:-1])
        return f"The flow {asked.name} is removed."
    for host in asked.path:
        text.host_of(host)
    missing = [pair for pair in pairwise(asked.path) if pair not in text.here().links]
    if missing:
        raise InputError(f"there is no link {link_text(missing[0])} for the flow {asked.name} to take")
    way = " -> ".join(asked.path)
    text.put((*path, asked.name), way if asked.value is None else {"path": way, "value": asked.value})
    return f"The flow {asked.name} takes {way}."


def _own(text: SegmentText, key: str) -> Path:
    """Where the design at hand says something; a variant says it whole, so it begins as the base has it."""
    path = (*text.home, key)
    base = text.node((NETWORK, key))
    if text.variant is not None and text.node(path) is None and base is not None:
        text.put(path, data(base))
    return path


def set_chance(text: SegmentText, asked: ChanceOperation) -> str:
    """Write how likely something succeeds, or take it away."""
    of, path = " ".join(asked.of.split()), (*text.home, "chance")
    if asked.chance is not None:
        text.put((*path, of), asked.chance)
        return f"{of} succeeds with probability {asked.chance:g}."
    section = text.node(path)
    if section is None or of not in section.entries:
        raise InputError(f"{of} is certain as it is")
    text.text = drop(text.text, (*path, of), path[:-1])
    return f"{of} is certain again."


def set_zone(text: SegmentText, asked: ZoneOperation) -> str:
    """Put hosts into a zone, and take them out of the one in which they stood; zones are the base's."""
    base = SegmentText(text.text, None)
    gone = set(asked.names)
    for name in asked.names:
        if name not in base.here().hosts:
            raise InputError(f"{name} is not in the base, which has the zones; add it there first")
    path: Path = (NETWORK, "zones")
    section, groups = base.node(path), base.here().alike
    parted = {group for group, members in groups.items() if gone.intersection(members)}
    for zone in section.entries if section is not None else ():
        whole = parted.intersection(item.text for item in base.items((*path, zone)))
        base.sift((*path, zone), lambda item: item.text in gone | parted)
        for member in (one for group in sorted(whole) for one in groups[group] if one not in gone):
            base.append((*path, zone), member)
    for number, item in enumerate(base.items((NETWORK, "hosts"))):
        listed = gone | parted
        named = next((name for name in listed if item.kind == "mapping" and name in item.entries), None)
        if named is not None and item[named].get("zone") is not None:
            if named in parted:
                raise InputError(
                    f"{asked.names[0]} is one of the group {named}, which has its zone in its line"
                )
            line = {key: value for key, value in data(item[named]).items() if key != "zone"}
            base.put((NETWORK, "hosts", number), {named: line} if line else named)
    if asked.zone:
        for name in asked.names:
            base.append((*path, asked.zone), name)
    section = base.node(path)
    for zone, members in section.entries.items() if section is not None else ():
        if not members.items:
            base.text = drop(base.text, (*path, zone), (NETWORK,))
    text.text = base.text
    who = asked.names[0] if len(asked.names) == 1 else f"{len(asked.names)} hosts"
    be = "is" if len(asked.names) == 1 else "are"
    return f"{who} {be} in {asked.zone} now." if asked.zone else f"{who} {be} in no zone now."


# -- rules that name a host -----------------------------------------------------------------------------


def naming(name: str) -> re.Pattern[str]:
    """Finds a name in formulas and in names of actions."""
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")


def rules_naming(text: SegmentText, name: str) -> list[str]:
    """The rules of the base and of its variants that name a host."""
    pattern, found = naming(name), []
    for home in ((), *((VARIANTS, variant) for variant in text.variants)):
        for side in SIDES:
            for path in ((*home, "specs", side), (*home, "specs", side, "add")):
                node = text.node(path)
                items = node.items if node is not None and node.kind == "list" else ()
                where = f" of {home[1]}" if home else ""
                found += [_called(item) + where for item in items if pattern.search(_said(item))]
    return list(dict.fromkeys(found))


def forget_rules(text: SegmentText, asked: RemovalOperation) -> str:
    """Drop the rules, goals and costs that name a host that goes, or let them name another; what was done."""
    pattern = naming(asked.name)
    if asked.instead is not None:
        text.host_of(asked.instead)
        other = asked.instead

        def spell(path: Path, old: str) -> str:
            said = ("specs" in path[:3] and path[-1] != "name") or path[0] in ("recovery", "effort")
            return pattern.sub(other, old) if said else old

        text.text = respelled(text.text, spell)
        return f" The rules speak of {other} instead."
    n_dropped = 0
    for home in ((), *((VARIANTS, name) for name in text.variants)):
        for side in SIDES:
            path: Path = (*home, "specs", side)
            node = text.node(path)
            lists = (
                [path] if node is not None and node.kind == "list" else [(*path, "add"), (*path, "remove")]
            )
            for where in lists:
                n_dropped += _sifted(text, where, pattern)
            replaced = text.node((*path, "replace")) if node is not None and node.kind == "mapping" else None
            for key, value in replaced.entries.items() if replaced is not None else ():
                if pattern.search(key) or pattern.search(str(data(value))):
                    text.text = drop(text.text, (*path, "replace", key), path[:-2])
        for key in ("recovery", "effort"):
            section = text.node((*home, key))
            for name, value in section.entries.items() if section is not None else ():
                if pattern.search(f"{name} {value.text}"):
                    text.text = drop(text.text, (*home, key, name), home)
    return (
        f" {n_dropped} rule{'' if n_dropped == 1 else 's'} that named it went with it." if n_dropped else ""
    )


def _sifted(text: SegmentText, path: Path, pattern: re.Pattern[str]) -> int:
    """Drop the clauses of a list that name a host; how many."""
    if text.node(path) is None:
        return 0
    numbers = [n for n, item in enumerate(text.items(path)) if pattern.search(_said(item))]
    for number in reversed(numbers):
        text.text = drop(text.text, (*path, number), path)
    return len(numbers)


def _called(item: Node) -> str:
    """What a clause is called: its name, else what it says."""
    name = item.get("name") if item.kind == "mapping" else None
    return f'"{name.text}"' if name is not None and name.text else _said(item)


def _said(item: Node) -> str:
    """What a clause says, without its name."""
    if item.kind == "scalar":
        return item.text
    formula = item.get("formula") or item.get("per_zone")
    if formula is not None:
        return formula.text
    return str({key: data(value) for key, value in item.entries.items() if key != "name"})


def forget_words(text: SegmentText, name: str) -> None:
    """Take out chances, places, labels and notes of a host that is gone."""
    pattern = naming(name)
    for variant in (None, *text.variants):
        home: Path = (NETWORK,) if variant is None else text.home_of(variant)
        _drop_keys(text, (*home, "chance"), pattern, home)
    for key in ("layout", "labels", "notes"):
        _drop_keys(text, (key,), pattern, ())


def _drop_keys(text: SegmentText, path: Path, pattern: re.Pattern[str], keep: Path) -> None:
    section: Any = text.node(path)
    for key in list(section.entries) if section is not None and section.kind == "mapping" else ():
        if pattern.search(key):
            text.text = drop(text.text, (*path, key), keep)


# -- names ---------------------------------------------------------------------------------------------


def refuse_group(alike: Mapping[str, list[str]], name: str) -> None:
    """A host of a group has no line of its own."""
    group = next((group for group, members in alike.items() if name in members), None)
    if group is not None:
        raise InputError(f"{name} is one of the group {group}; change the group in the text of the file")


def rename_host(text: SegmentText, asked: RenameOperation) -> str:
    """Give a host another name wherever the file mentions it: in lists, keys, formulas and changes."""
    if text.variant is not None:
        raise InputError("a name is the same in every variant; change it in the base")
    here = text.host_of(asked.name)
    refuse_group(here.alike, asked.name)
    if here.kind_of(asked.to) is not None:
        raise InputError(f"{asked.to} already exists; choose another name")
    words = {asked.name: asked.to}
    for name in here.conduits:  # a link that can be blocked is called by its ends, unless it has a name
        ends = name.split("-to-")
        if asked.name in ends and len(ends) == 2:
            words[name] = "-to-".join(asked.to if end == asked.name else end for end in ends)
    choices = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])({choices})(?![\w-])")

    def spell(path: Path, old: str) -> str:
        said = path[0] in ("labels", "notes") and old != path[-1]
        return old if said or _is_prose(path) else pattern.sub(lambda match: words[match[1]], old)

    text.text = respelled(text.text, spell)
    return f"{asked.name} is called {asked.to} now."


def _is_prose(path: Path) -> bool:
    """Whether a word is not about hosts: titles, names of variants, and the states of automata."""
    titled = path[-1] in ("name", "description", "initial") or path[:1] == ("holdfast",)
    states = "automaton" in path and ("states" in path or "accepting" in path or path[-1] in ("from", "to"))
    return titled or states or (len(path) == 2 and path[0] == "variants")
