"""A scenario that a person edited, brought up to date with what its source says now.

What is new in the source is added: hosts, links, exposed hosts and flows. That never makes an answer rosier.
What the source no longer has is told, and taken out only if that is asked for: a person may have added it,
and a scan, for one, says nothing of most links. Clauses, names, comments and the order of the file stay.

Hosts are the same by their names, or by the table of names that an import writes into the head of a file,
``h10_0_0_1 = 10.0.0.1``, in which a person may have renamed them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from holdfast.errors import InputError
from holdfast.models.network.importers.draft import Draft
from holdfast.models.network.importers.names import moved
from holdfast.models.network.reader import gather_segment
from holdfast.models.network.segment import Segment
from holdfast.models.network.text import NETWORK, SegmentText
from holdfast.scenario import Scenario, edited, put, reported, scenario_from_text

MAX_CHANGES = 400
"""Changes that are made one by one; more of them are a new network."""

_RENAMED = re.compile(r"([^\s=,#]+) = ([^,#]+?)(?=,|$)")
_HEAD = "Names that the specification language cannot have"


@dataclass(frozen=True)
class UpdatedNetwork:
    """A scenario that was brought up to date.

    Attributes:
        text: the scenario, changed where the source has changed.
        added: what is new, one sentence each.
        gone: what the source no longer has, one sentence each.
        removed: whether what is gone was taken out.
        refused: what could not be changed in the text, and why.
    """

    text: str = field(repr=False)
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    removed: bool = False
    refused: tuple[str, ...] = ()


def updated_network(
    scenario: Scenario, draft: Draft, renamed: Mapping[str, str], *, prune: bool = False
) -> UpdatedNetwork:
    """A scenario with what an import of its source says now.

    Args:
        draft, renamed: what was imported, by its names in a new scenario, and the names that the source has.
        prune: whether what the source no longer has is taken out, too.

    Raises:
        InputError: for a scenario without a network, or changes beyond number.
    """
    if NETWORK not in scenario._root.entries:
        raise InputError("--update: this scenario has no network; only networks are brought up to date")
    with reported():
        segment = gather_segment(scenario._root[NETWORK], None)
    now = moved(draft, _names(scenario.text, segment, draft, renamed))
    new = [*_new(segment, now)]
    gone = [*_gone(segment, now)]
    asked = [*new, *gone] if prune else new
    if len(asked) > MAX_CHANGES:
        raise InputError(
            f"--update: {len(asked):,} changes, at most {MAX_CHANGES} are made one by one; "
            "import it anew, and move your clauses"
        )
    text, refused = _made(scenario, asked)
    text, flows = _with_flows(text, now)
    told = tuple(sentence for sentence, _ in new) + tuple(flows)
    return UpdatedNetwork(text, told, tuple(s for s, _ in gone), prune, tuple(refused))


def _names(text: str, segment: Segment, draft: Draft, renamed: Mapping[str, str]) -> dict[str, str]:
    """For each imported host its name in the file; its own for one that is new."""
    head = text.split("\nholdfast:", 1)[0].partition(_HEAD)[2]
    plain = " ".join(line.lstrip("# ") for line in head.splitlines()[1:])
    table = {source.strip(): name for name, source in _RENAMED.findall(plain)}
    known, names = set(segment.hosts), {}
    for host in draft.hosts:
        listed = table.get(renamed.get(host, host), "")
        names[host] = listed if listed in known and host not in known else host
    return names


_Change = tuple[str, Mapping[str, Any]]
"""What is changed, in a sentence, and the operation that does it."""


def _new(segment: Segment, now: Draft) -> Iterator[_Change]:
    hosts, zones = set(segment.hosts), now.zone_of
    taken = {*segment.groups, *segment.zones}
    for host in now.hosts:
        if host not in hosts:
            if host in taken:
                raise InputError(f"--update: {host} is a new host, and a set of the file; rename the set")
            zone = zones.get(host)
            yield (
                f"host {host}{f' in {zone}' if zone else ''}",
                {"kind": "add_host", "name": host, "zone": zone},
            )
    for link in now.links:
        if link not in segment.links:
            yield f"link {' -> '.join(link)}", {"kind": "add_link", "from": link[0], "to": link[1]}
    for host in now.exposed:
        if host not in segment.exposed:
            yield f"{host} is exposed", {"kind": "mark", "name": host, "mark": "exposed", "on": True}


def _gone(segment: Segment, now: Draft) -> Iterator[_Change]:
    hosts = set(now.hosts)
    for link in segment.links:
        if link[0] in hosts and link[1] in hosts and link not in now.links:
            yield f"link {' -> '.join(link)}", {"kind": "cut_link", "from": link[0], "to": link[1]}
    for host in segment.exposed:
        if host in hosts and host not in now.exposed:
            yield f"{host} is exposed", {"kind": "mark", "name": host, "mark": "exposed", "on": False}
    for host in segment.hosts:
        if host not in hosts:
            yield f"host {host}", {"kind": "remove_host", "name": host}


def _made(scenario: Scenario, changes: Iterable[_Change]) -> tuple[str, list[str]]:
    """The text with all changes that can be made in it, and those that cannot."""
    refused = []
    for sentence, operation in changes:
        try:
            text = edited(scenario, None, operation, lambda text, _: scenario_from_text(text)).text
            scenario = scenario_from_text(text)
        except InputError as error:
            if "already" not in str(error):  # a line for a whole zone may have brought it
                refused.append(f"{sentence}: {error}")
    return scenario.text, refused


def _with_flows(text: str, now: Draft) -> tuple[str, list[str]]:
    """The text with the flows that are new, by names that are free."""
    known = {path for flow in SegmentText(text, None).flows(None) for path in flow.routes}
    told = []
    for name, path in now.flows:
        section = scenario_from_text(text)._root[NETWORK].get("flows")
        if path in known or (section is not None and name in section.entries):
            continue
        with suppress(InputError):  # a flow that a person has renamed hosts of, or whose link was refused
            changed = put(text, (NETWORK, "flows", name), " -> ".join(path))
            scenario_from_text(changed)
            text = changed
            told.append(f"flow {name}: {' -> '.join(path)}")
    return text, told
