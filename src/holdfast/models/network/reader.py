"""The ``network:`` section, with a variant's changes, to the segment that it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from holdfast.budget import Budget
from holdfast.game import Flow, System
from holdfast.logic import Player
from holdfast.models.network.chances import read_chances
from holdfast.models.network.flow_reading import read_flows
from holdfast.models.network.game import system_of
from holdfast.models.network.gathering import Gathering
from holdfast.models.network.profiles import DefenderProfile, profile_of, unisolated
from holdfast.models.network.segment import DEFAULT_RESET, TYPES, Segment, check_origin
from holdfast.scenario import Node, exact, placed, shortened

_REPLACED = (
    "entry",
    "exposed",
    "actions",
    "tempo",
    "reset",
    "compromised_serves",
    "dominance",
    "sensors",
    "seen",
)
"""Keys of a variant that stand in place of the base's."""


def build_segment(section: Node, change: Node | None, budget: Budget) -> System:
    """The network defense game of a ``network:`` section and a variant's changes to it."""
    segment = gather_segment(section, change)
    budget.tick("reading the network")
    with placed(section):
        return system_of(segment)


def gathered(section: Node, change: Node | None) -> Gathering:
    """What a section and a variant's changes to it declare, before it is put together."""
    gathering = Gathering()
    entry = _chosen(section, change, "entry")
    gathering.add_hosts(section["hosts"].items, None if entry is None else entry.text)
    for key, add in (("zones", gathering.add_zones), ("sets", gathering.add_sets)):
        if key in section.entries:
            add(section[key])
    gathering.add_links(section["links"].items)
    if "conduits" in section.entries:
        gathering.add_conduits(section["conduits"])
    gathering.switch_off(_listed(section, "remove_links"))
    if change is not None:
        _change(gathering, change, None if entry is None else entry.text)
    return gathering


def locate_part(section: Node, change: Node | None, name: str) -> Node | None:
    """Where a link or a host stands, which may be a line about several; None for anything else.

    A link that is switched off stands where it is listed.
    """
    gathering = gathered(section, change)
    source, arrow, target = name.partition(" -> ")
    return {**gathering.off, **gathering.links}.get((source, target)) if arrow else gathering.hosts.get(name)


def gather_segment(section: Node, change: Node | None) -> Segment:
    """The segment of a section and a variant's changes to it."""
    gathering = gathered(section, change)
    if not gathering.hosts:
        raise (change or section).problem("no host is left; a network needs at least one")
    chosen = {key: _chosen(section, change, key) for key in _REPLACED}
    settings = _settings(gathering, chosen, profile_of(section, change))
    settings |= _sensors(gathering, chosen["sensors"], section)
    flows = flows_of(section, change, gathering)
    chances = read_chances(section, change, gathering, gathered(section, None) if change else gathering)
    _withhold_isolation(gathering, unisolated(section, change), section)
    fresh = settings["reset_probability"] is not None and not settings["entries"]
    with placed(chosen["entry"] or section):
        check_origin(settings["entries"], settings["exposed"])
    unasked = settings["flow_dominance"] and not any(flow.value for flow in flows)
    wrong = "reset" if fresh else "dominance" if unasked else "actions"
    with placed(chosen[wrong] or change or section):
        return Segment(
            hosts=tuple(gathering.hosts),
            links=tuple(gathering.links),
            groups={**gathering.groups, **gathering.zones},
            zones={name: tuple(of) for name, of in gathering.zones.items()},
            alike={name: tuple(of) for name, of in gathering.alike.items()},
            conduits=gathering.living_conduits(),
            cannot={host: types for host, types in gathering.cannot.items() if types},
            values=gathering.values,
            filtered=frozenset(gathering.filtered),
            counted=gathering.counted,
            apart=frozenset(gathering.apart),
            flows=flows,
            chance=chances.actions,
            link_chance=chances.links,
            **settings,
        )


def flows_of(section: Node, change: Node | None, gathering: Gathering) -> tuple[Flow, ...]:
    """A variant's own flows, which are about its own links, or else the base's, about the base's."""
    if change is not None and "flows" in change.entries:
        return read_flows(change["flows"], gathering)
    if "flows" not in section.entries:
        return ()
    return read_flows(section["flows"], gathering if change is None else gathered(section, None))


def _change(gathering: Gathering, change: Node, apart: str | None) -> None:
    """Apply what a variant changes in the structure."""
    gathering.remove_hosts(_listed(change, "remove_hosts"))
    gathering.add_hosts(_listed(change, "add_hosts"), apart)
    gathering.change_hosts(_listed(change, "change_hosts"))
    if "links" in change.entries:
        gathering.links, gathering.off, gathering.conduits, gathering.filtered = {}, {}, {}, {}
        gathering.add_links(_listed(change, "links"))
    gathering.remove_links(_listed(change, "remove_links"))
    gathering.add_links(_listed(change, "add_links"), fresh=True)
    if "conduits" in change.entries:
        gathering.add_conduits(change["conduits"])


def _chosen(section: Node, change: Node | None, key: str) -> Node | None:
    """The variant's setting, if it has one, else the base's."""
    own = None if change is None else change.entries.get(key)
    return own if own is not None else section.entries.get(key)


def _withhold_isolation(gathering: Gathering, hosts: Node | None, section: Node) -> None:
    """Take ``isolate`` from the hosts that a defender cannot isolate; one that a variant removed is gone."""
    for item in hosts.items if hosts is not None else ():
        for host in _still_there(gathering, item, section):
            gathering.cannot[host] = gathering.cannot.get(host, frozenset()) | {"isolate"}


def _settings(
    gathering: Gathering, chosen: dict[str, Node | None], profile: DefenderProfile
) -> dict[str, Any]:
    """What is said of the whole segment."""
    entries = _origins(gathering, chosen["entry"], "entry")
    actions, tempo = chosen["actions"], chosen["tempo"]
    serves, dominance, seen = chosen["compromised_serves"], chosen["dominance"], chosen["seen"]
    turns = {player: node.value for player, node in _by_player(tempo)}
    turns[Player.DEFENDER] = profile.pace or 1
    memory = turns.get(Player.DEFENDER, 1) != 1
    return {
        "entries": entries,
        "exposed": _origins(gathering, chosen["exposed"], "exposed host"),
        "isolate_detected": bool(profile.detects_first),
        "actions": {p: tuple(item.text for item in node.items) for p, node in _by_player(actions)},
        "tempo": turns,
        "noticed": tuple(item.text for item in seen.items) if seen is not None else (),
        "compromised_serves": serves is None or serves.value not in (False, "no"),
        "flow_dominance": dominance is not None and dominance.text == "flows",
        # Without an entry, or with a requirement whose memory a reset would erase, none by default.
        "reset_probability": _reset_probability(
            chosen["reset"], None if memory or not entries else DEFAULT_RESET
        ),
        "reset_kept": _keeps(chosen["reset"]),
    }


def _sensors(gathering: Gathering, node: Node | None, section: Node) -> dict[str, Any]:
    """Where a compromise is seen, how late, and how many may be missed."""
    if node is None or node.is_null:
        return {}
    if (
        node.kind == "scalar" and node.text == "all"
    ):  # nothing is hidden, not even a move that changes nothing
        return {"sensors": tuple(gathering.hosts), "noticed": TYPES[Player.ADVERSARY]}
    if node.kind == "scalar":
        return {"sensors": ()}
    numbers: dict[str, dict[str, int]] = {"delay": {}, "may_miss": {}}
    placed: dict[str, None] = {}
    named = [(item, None) for item in node.items] + [(node.keys[n], of) for n, of in node.entries.items()]
    for item, settings in named:
        for host in _still_there(gathering, item, section):
            placed[host] = None
            for key, of in numbers.items():
                if settings is not None and (number := settings.get(key)) is not None:
                    of[host] = int(number.text)
    ordered = tuple(host for host in gathering.hosts if host in placed)
    return {"sensors": ordered, "late": numbers["delay"], "missing": numbers["may_miss"]}


def _still_there(gathering: Gathering, item: Node, section: Node) -> list[str]:
    """The hosts that a name stands for; none if a variant removed them."""
    if gathering.kind_of(item.text) is None and gathered(section, None).kind_of(item.text) is not None:
        return []
    return gathering.members(item.text, item, 0)


def _by_player(node: Node | None) -> Iterator[tuple[Player, Node]]:
    for side, value in node.entries.items() if node is not None else ():
        yield Player(side), value


def _origins(gathering: Gathering, node: Node | None, what: str) -> tuple[str, ...]:
    """The hosts that ``entry`` or ``exposed`` names; in a list a group or zone means all of its hosts."""
    if node is None or node.is_null:
        return ()
    hosts: dict[str, None] = {}
    several = {**gathering.groups, **gathering.zones}
    for item in node.items if node.kind == "list" else (node,):
        name = item.text
        if name in gathering.counted and node.kind == "scalar":  # one of them, which stands apart
            hosts[several[name][0]] = None
            continue
        if several.get(name) and node.kind == "scalar":
            raise node.problem(
                f'"{name}" is a group; name one host of it, such as {several[name][0]}, '
                f"or write [{name}] for all of them"
            )
        if name not in gathering.hosts and name not in several:
            raise item.problem(f'the {what} "{shortened(name)}" is not a host{_several(gathering, name)}')
        hosts |= dict.fromkeys(gathering.members(name, item, 0))
    return tuple(hosts)


def _several(gathering: Gathering, name: str) -> str:
    """How to name several hosts, where somebody tried; else the closest host."""
    words = re.findall(r"[^\s,;&]+", name.replace(" and ", " "))
    if len(words) > 1 and all(word in gathering.hosts for word in words):
        return f"; for several write a list: [{', '.join(words)}]"
    return gathering.hint(name)


def _listed(section: Node, key: str) -> tuple[Node, ...]:
    return section.entries[key].items if key in section.entries else ()


def _reset_probability(reset: Node | None, default: Fraction | None) -> Fraction | None:
    """The default where nothing is said, none where ``none`` is said."""
    if reset is None:
        return default
    return None if reset.kind == "scalar" else exact(reset["probability"])


def _keeps(reset: Node | None) -> bool:
    """Whether what the requirement remembers goes on after a reset."""
    return reset is not None and reset.kind != "scalar" and reset.get("memory") is not None
