"""Operations on the structure of a network, done in the text of its scenario.

In a variant an operation changes what the variant says: it is added to ``remove_links``, ``add_links`` and
their like, or taken out again where the variant had said the opposite. In the base it changes the lines of
the ``network:`` section.

To cut a listed link and to add it again are inverses, to the letter. The line of the link goes if it would be
written to the same place again and nothing else in the file speaks of the link. Else the line stays, with its
comment and its place, and the link is listed in ``remove_links``: a variant that removes it too, and a change
of the design that would cut it, keep their meaning.

What other parts of the file say of a host that is removed goes with it, and the answer says from where.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Literal

from pydantic import Field

from holdfast.errors import HoldfastError, InputError
from holdfast.game import CRITICAL, ENTRY, EXPOSED, HARDENED, WATCHED
from holdfast.models.network.mark_edits import (
    ChanceOperation,
    FlowOperation,
    RemovalOperation,
    RenameOperation,
    ZoneOperation,
    forget_rules,
    forget_words,
    refuse_group,
    rename_host,
    rules_naming,
    set_chance,
    set_flow,
    set_zone,
)
from holdfast.models.network.parts import written_sensors
from holdfast.models.network.segment import Link
from holdfast.models.network.text import (
    NETWORK,
    VARIANTS,
    SegmentText,
    is_set,
    link_text,
    mentions,
    pairs_of,
    plain_link,
)
from holdfast.scenario import Edit, Editing, Node, Operation, Path, data, drop

SPREAD = "spread"
FALLEN = "{X, D, Z}"
"""The statuses that a host which must not fall must not have."""


class LinkOperation(Operation):
    """An operation on one link."""

    source: str = Field(alias="from", max_length=200, description="the host that it leaves")
    target: str = Field(alias="to", max_length=200, description="the host that it leads to")

    @property
    def pair(self) -> Link:
        """The link."""
        return self.source, self.target


class BlockOperation(LinkOperation):
    """Whether the defender can block a link."""

    on: bool = True


class FilterOperation(LinkOperation):
    """Whether a link is filtered."""

    on: bool = True


class HostOperation(Operation):
    """An operation on one host."""

    name: str = Field(max_length=200, description="the host")


class PlacedHostOperation(HostOperation):
    """A host more."""

    zone: str | None = Field(default=None, max_length=200, description="its zone")


class MarkOperation(HostOperation):
    """A mark on a host, put there or taken away."""

    mark: Literal["entry", "exposed", "critical", "hardened", "watched"]
    on: bool = True


Done = str | tuple[str, Mapping[str, Any]]
"""What was done, in a sentence; and an operation on clauses that belongs to it."""

# -- links ----------------------------------------------------------------------------------------------


def _cut_link(text: SegmentText, asked: LinkOperation) -> Done:
    pair, link = asked.pair, link_text(asked.pair)
    here = _known(text, pair)
    if pair not in here:
        raise InputError(f"there is no link {link} to cut")
    home = text.home
    if text.lists_links:
        text.text = _without_line(text, pair) or text.text
    else:
        text.take_out((*home, "add_links"), pair)
    if pair in text.here().links:
        text.append((*home, "remove_links"), link)
    return f"The link {link} is cut."


def _without_line(text: SegmentText, pair: Link) -> str | None:
    """The text in which a link is no longer listed.

    None if more would be lost than the link: where to add it again would not give the same text to the
    letter, and where another part of the file speaks of it, such as a variant that removes it.
    """
    trial = SegmentText(text.text, text.variant)
    with suppress(HoldfastError):
        trial.take_out((*text.home, "links"), pair)
        before = trial.text
        for variant in (None, *text.variants):
            if trial.flows(variant) != text.flows(variant):  # a flow uses this link
                return None
        trial.drop_orphans()
        if trial.text == before:
            _switch_on(trial, pair)
            return before if trial.text == text.text else None
    return None


def _add_link(text: SegmentText, asked: LinkOperation) -> Done:
    pair, link = asked.pair, link_text(asked.pair)
    if pair[0] == pair[1]:
        raise InputError(f"a link from {pair[0]} to itself would change nothing")
    if pair in _known(text, pair):
        raise InputError(f"the link {link} is there already")
    _switch_on(text, pair)
    if text.variant is None:
        _refuse_second(text, link)
    return f"A link {link} is added."


def _refuse_second(text: SegmentText, link: str) -> None:
    """Refuse a link of the base that a variant adds by itself: that line would have to go, unasked."""
    for variant in text.variants:
        try:
            text.declared(variant)
        except HoldfastError:
            raise InputError(
                f"{variant} adds {link} by itself; cut it there first, and it will have the base's"
            ) from None


def _switch_on(text: SegmentText, pair: Link) -> None:
    """Have a link: take back that it is removed, or else list it."""
    text.take_out((*text.home, "remove_links"), pair)
    if pair not in text.here().links:
        text.append((*text.home, "links" if text.lists_links else "add_links"), link_text(pair))


def _known(text: SegmentText, pair: Link) -> Mapping[Link, Node]:
    """The links of the design at hand, both hosts of a pair being there."""
    for name in pair:
        gathering = text.host_of(name)
    return gathering.links


def _blockable(text: SegmentText, asked: BlockOperation) -> Done:
    pair, link = asked.pair, link_text(asked.pair)
    if pair not in _known(text, pair):
        raise InputError(f"there is no link {link}")
    blocked = any(pair in links for links in text.here().living_conduits().values())
    if blocked == asked.on:
        raise InputError(f"{link} {'can be blocked already' if asked.on else 'cannot be blocked as it is'}")
    home, line = text.home, {"from": pair[0], "to": pair[1], "block": "yes"}
    line |= {"filter": "yes"} if pair in text.here().filtered else {}
    lists_links = text.lists_links
    if asked.on and lists_links:
        text.take_out((*home, "links"), pair)
        text.append((*home, "links"), line)
    elif asked.on:
        text.take_out((*home, "add_links"), pair)
        text.append((*home, "add_links"), line)
    else:
        _unblock(text, (*home, "links" if lists_links else "add_links"), pair)
    return f"The defender can {'' if asked.on else 'no longer '}block {link}."


def _unblock(text: SegmentText, path: Path, pair: Link) -> None:
    """Make a link one that cannot be blocked, where it is made blockable by a line of its own."""
    for number, item in enumerate(text.items(path)):
        if is_set(item, "block") and set(pairs_of(text.here(), item)) <= {pair, pair[::-1]}:
            arrow = "<->" if is_set(item, "both") else "->"
            line: Any = f"{item['from'].text} {arrow} {item['to'].text}"
            if is_set(item, "filter"):
                line = {key: value for key, value in data(item).items() if key not in ("block", "name")}
            if path[-1] == "add_links" and pair in text.declared(None).links:
                text.drop((*path, number))
            else:
                text.put((*path, number), line)
            return
    reason = "is blocked together with others, or in the base; edit the text instead"
    raise InputError(f"{link_text(pair)} {reason}")


def _filter(text: SegmentText, asked: FilterOperation) -> Done:
    """Whether compromise cannot spread along a link, which stays for its flows."""
    pair, link = asked.pair, link_text(asked.pair)
    if pair not in _known(text, pair):
        raise InputError(f"there is no link {link}")
    here, home = text.here(), text.home
    if (pair in here.filtered) == asked.on:
        raise InputError(f"{link} is {'' if asked.on else 'not '}filtered as it is")
    if any(pair in links for links in here.living_conduits().values()):
        raise InputError(f"{link} can be blocked, and its line says more; edit the text instead")
    path = (*home, "links" if text.lists_links else "add_links")
    text.take_out(path, pair)
    if asked.on or pair not in text.here().links:
        text.append(path, plain_link(pair, asked.on))
    if (pair in text.here().filtered) != asked.on:
        raise InputError(f"{link} is filtered in the base; change it there")
    return f"{link} is {'filtered: nothing spreads along it' if asked.on else 'no longer filtered'}."


# -- hosts ----------------------------------------------------------------------------------------------


def _add_host(text: SegmentText, asked: PlacedHostOperation) -> Done:
    if asked.name in text.here().hosts:
        raise InputError(f"{asked.name} already exists; choose another name")
    home = text.home
    line: Any = {asked.name: {"zone": asked.zone}} if asked.zone else asked.name
    if text.variant is None:
        text.append((*home, "hosts"), line)
    elif any(item.text == asked.name for item in text.items((*home, "remove_hosts"))):
        text.sift((*home, "remove_hosts"), lambda item: item.text == asked.name)
    else:
        text.append((*home, "add_hosts"), line)
    return f"A host {asked.name} is added; no link leads to it yet."


def _remove_host(text: SegmentText, asked: RemovalOperation) -> Done:
    name, home = asked.name, text.home
    here = text.host_of(name)
    ruled = ""
    if text.variant is None and (asked.rules == "drop" or asked.instead is not None):
        ruled = forget_rules(text, asked)
    elif text.variant is None and (rules := rules_naming(text, name)):
        more = f" and {len(rules) - 1} more" if len(rules) > 1 else ""
        raise InputError(
            f"the rule {rules[0]}{more} names {name}; remove it with the host, or let it name another host"
        )
    gone, before = {name}, {v: data(text.root[VARIANTS][v]) for v in text.variants}
    if text.variant is None:
        refuse_group(here.alike, name)
        for pair in [pair for pair in (*here.links, *here.off) if name in pair]:
            text.take_out((*home, "remove_links"), pair)
            text.take_out((*home, "links"), pair)
        for variant in text.variants:
            _forget(text, text.home_of(variant), gone)
        _forget(text, home, gone)
        forget_words(text, name)
        text.sift((*home, "hosts"), lambda item: mentions(gone, item))
        text.drop_orphans()
    elif any(mentions(gone, item) for item in text.items((*home, "add_hosts"))):
        _forget(text, home, gone)
    else:
        _forget(text, home, gone)
        text.append((*home, "remove_hosts"), name)
    if touched := [
        v for v in text.variants if v != text.variant and data(text.root[VARIANTS][v]) != before[v]
    ]:
        also = f"{touched[0]} speaks" if len(touched) == 1 else f"{', '.join(touched)} speak"
        return f"{name} is removed, with its links; {also} of it no more.{ruled}"
    return f"{name} is removed, with its links.{ruled}"


def _forget(text: SegmentText, home: Path, gone: set[str]) -> None:
    """Take out what a section or a variant says of hosts that are gone."""
    for key in ("add_links", "remove_links", "links", "add_hosts", "remove_hosts", "change_hosts"):
        if key != "links" or home[0] != NETWORK:
            text.sift((*home, key), lambda item: mentions(gone, item))
    for key in (ENTRY, EXPOSED):
        text.sift((*home, key), lambda item: item.text in gone)
    for key in ("sets", "zones"):
        section = text.node((*home, key))
        for name in section.entries if section is not None else ():
            text.sift((*home, key, name), lambda item: item.text in gone)
    text.drop_sensors((*home, "sensors"), gone)
    _forget_flows(text, (*home, "flows"), gone)


def _forget_flows(text: SegmentText, path: Path, gone: set[str]) -> None:
    """Take out the paths of flows through hosts that are gone, and the flows that have no other."""
    section = text.node(path)
    for name, node in section.entries.items() if section is not None else ():
        paths = node.get("paths") if node.kind == "mapping" else None
        if paths is not None and not all(mentions(gone, item) for item in paths.items):
            text.sift((*path, name, "paths"), lambda item: mentions(gone, item))
            continue
        whole = node if paths is None and "path" not in node.entries else node.get("path")
        if whole is None or mentions(gone, whole):
            text.text = drop(text.text, (*path, name), path[:-1])


# -- marks ----------------------------------------------------------------------------------------------


def _mark(text: SegmentText, asked: MarkOperation) -> Done:
    text.host_of(asked.name)
    if asked.mark in (ENTRY, EXPOSED):
        return _origin(text, asked)
    if asked.mark == WATCHED:
        return _watch(text, asked)
    return _harden(text, asked) if asked.mark == HARDENED else _require(text, asked)


def _origin(text: SegmentText, asked: MarkOperation) -> Done:
    """Where the attacker is at first, or can come in."""
    name, path = asked.name, (*text.home, asked.mark)
    if text.variant is not None and text.node(path) is None:
        base = text.node((NETWORK, asked.mark))
        if base is not None:  # a variant says it whole
            text.put(path, data(base))
    here = [item.text for item in text.items(path)]
    if (name in here) == asked.on:
        raise InputError(f"{name} is {'' if asked.on else 'not '}marked as {asked.mark} as it is")
    if asked.on and not here:
        text.put(path, name if asked.mark == ENTRY else [name])
    elif asked.on:
        text.append(path, name)
    elif text.variant is not None and len(here) == 1:
        text.put(path, [])
    else:
        text.sift(path, lambda item: item.text == name)
    if asked.mark == ENTRY:
        return f"The attacker {'holds' if asked.on else 'no longer holds'} {name} at the start."
    return f"{name} {'can' if asked.on else 'can no longer'} be compromised from outside."


def _harden(text: SegmentText, asked: MarkOperation) -> Done:
    """Whether compromise can spread to a host."""
    name, here = asked.name, text.here()
    cannot = sorted(here.cannot.get(name, frozenset()))
    if (SPREAD in cannot) == asked.on:
        raise InputError(f"{name} is {'' if asked.on else 'not '}hardened as it is")
    new = [*cannot, SPREAD] if asked.on else [kind for kind in cannot if kind != SPREAD]
    if text.variant is None:
        refuse_group(here.alike, name)
        path: Path = (NETWORK, "hosts")
    else:
        lists = [key for key in ("add_hosts", "change_hosts") if _line_of(text, (*text.home, key), name) >= 0]
        path = (*text.home, lists[0] if lists else "change_hosts")
    number = _line_of(text, path, name)
    if number < 0:
        text.append(path, {name: {"cannot": new}})
    elif text.items(path)[number].kind == "scalar":
        text.put((*path, number), {name: {"cannot": new}})
    elif new or text.variant is not None:
        text.put((*path, number, name, "cannot"), new)
    elif len(text.items(path)[number][name].entries) == 1:
        text.put((*path, number), name)
    else:
        text.text = drop(text.text, (*path, number, name, "cannot"))
    return f"{name} is {'hardened: nothing spreads to it' if asked.on else 'no longer hardened'}."


def _watch(text: SegmentText, asked: MarkOperation) -> Done:
    """Whether a compromise of a host is seen by itself."""
    name, here = asked.name, text.segment()
    placed = set(here.sensors or ())
    if (name in placed) == asked.on:
        raise InputError(f"there is {'a' if asked.on else 'no'} sensor at {name} as it is")
    placed ^= {name}
    text.put((*text.home, "sensors"), written_sensors(here, placed))
    if not asked.on:
        return f"A compromise of {name} looks like a clean host."
    return f"A compromise of {name} is seen" + (
        "; everywhere else it looks like a clean host." if here.sensors is None else "."
    )


def _line_of(text: SegmentText, path: Path, name: str) -> int:
    lines = (n for n, item in enumerate(text.items(path)) if mentions({name}, item))
    return next(lines, -1)


def _require(text: SegmentText, asked: MarkOperation) -> Done:
    """Whether a host must not fall: a member of the set ``critical``, or a clause of its own."""
    name, path = asked.name, (NETWORK, "sets", CRITICAL)
    listed = [item.text for item in text.items(path)]
    if listed and text.variant is None:
        if (name in listed) == asked.on:
            raise InputError(f"{name} is {'' if asked.on else 'not '}among the critical hosts as it is")
        if asked.on:
            text.append(path, name)
        else:
            text.sift(path, lambda item: item.text == name)
        return f"{name} is {'one' if asked.on else 'no longer one'} of the critical hosts."
    clause = f"G ({name} not in {FALLEN})"
    if asked.on:
        return f"{name} must not fall: {clause} is required.", {
            "kind": "add_clause",
            "side": "defender",
            "text": clause,
        }
    return f"{name} may fall: {clause} is no longer required.", {
        "kind": "remove_clause",
        "side": "defender",
        "text": clause,
    }


# -- the whole ------------------------------------------------------------------------------------------

_OPERATIONS: dict[str, tuple[type[Operation], Callable[[SegmentText, Any], Done]]] = {
    "cut_link": (LinkOperation, _cut_link),
    "add_link": (LinkOperation, _add_link),
    "blockable": (BlockOperation, _blockable),
    "filter": (FilterOperation, _filter),
    "add_host": (PlacedHostOperation, _add_host),
    "rename_host": (RenameOperation, rename_host),
    "remove_host": (RemovalOperation, _remove_host),
    "flow": (FlowOperation, set_flow),
    "chance": (ChanceOperation, set_chance),
    "zone": (ZoneOperation, set_zone),
    "mark": (MarkOperation, _mark),
}


def _edited(text: str, variant: str | None, asked: Operation) -> Edit:
    changed = SegmentText(text, variant)
    answer = _OPERATIONS[asked.kind][1](changed, asked)
    return Edit(changed.text, answer) if isinstance(answer, str) else Edit(changed.text, *answer)


def _change(verb: str, part: str) -> Mapping[str, Any] | None:
    """The operation that makes a recommended change."""
    source, _, target = (word.strip() for word in part.partition("->"))
    match verb:
        case "cut":
            return {"kind": "cut_link", "from": source, "to": target}
        case "block":
            return {"kind": "blockable", "from": source, "to": target, "on": True}
        case "filter":
            return {"kind": "filter", "from": source, "to": target, "on": True}
        case "harden":
            return {"kind": "mark", "name": part, "mark": HARDENED, "on": True}
        case "close":
            return {"kind": "mark", "name": part, "mark": EXPOSED, "on": False}
        case "watch":
            return {"kind": "mark", "name": part, "mark": WATCHED, "on": True}
    return None


EDITING = Editing(
    {kind: shape for kind, (shape, _) in _OPERATIONS.items()},
    _edited,
    _change,
    marks=(ENTRY, EXPOSED, CRITICAL, HARDENED, WATCHED),
    far_reaching=("remove_host", "rename_host"),
)
