"""The text of a network's scenario while an operation is done in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from holdfast.errors import InputError
from holdfast.game import ENTRY, EXPOSED, Flow
from holdfast.models.network.gathering import Gathering
from holdfast.models.network.reader import flows_of, gather_segment, gathered
from holdfast.models.network.schema import NetworkChange
from holdfast.models.network.segment import Link, Segment
from holdfast.scenario import Node, Path, Problem, append, data, drop, put, reported, tree

MAX_LEFT = 200
"""Links that a line may be written out as."""

NETWORK, VARIANTS = "network", "variants"


class SegmentText:
    """A text, the design of it that is at hand (a variant, or None for the base), and what is changed."""

    def __init__(self, text: str, variant: str | None) -> None:
        self.text, self.variant = text, variant

    # -- reading ----------------------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The whole file."""
        return tree(self.text)

    @property
    def home(self) -> Path:
        """Where the design at hand says what it has, or what it changes."""
        return (NETWORK,) if self.variant is None else self.home_of(self.variant)

    def home_of(self, variant: str) -> Path:
        """The mapping of a variant that holds its changes of the network."""
        section = self.root[VARIANTS][variant].get(NETWORK)
        return (VARIANTS, variant) if section is None else (VARIANTS, variant, NETWORK)

    @property
    def lists_links(self) -> bool:
        """Whether the design at hand lists all its links; a variant may say only how they differ."""
        return self.variant is None or self.node((*self.home, "links")) is not None

    @property
    def variants(self) -> tuple[str, ...]:
        """The names of all variants."""
        section = self.node((VARIANTS,))
        return tuple(section.entries) if section is not None else ()

    def node(self, path: Path) -> Node | None:
        """What stands at a path; None for nothing."""
        here: Node | None = self.root
        for step in path:
            if here is None:
                return None
            if isinstance(step, int):
                here = here.items[step] if step < len(here.items) else None
            else:
                here = here.get(step)
        return here

    def items(self, path: Path) -> tuple[Node, ...]:
        """The items of a list; one that stands alone without brackets counts as a list of itself."""
        node = self.node(path)
        if node is None:
            return ()
        return (node,) if node.kind == "scalar" else node.items

    def declared(self, variant: str | None) -> Gathering:
        """What the base, or a variant, declares."""
        change = self._change(variant) if variant is not None else None
        with reported(variant):
            return gathered(self.root[NETWORK], change)

    def flows(self, variant: str | None) -> tuple[Flow, ...]:
        """The flows of the base, or of a variant."""
        change = self._change(variant) if variant is not None else None
        with reported(variant):
            return flows_of(self.root[NETWORK], change, gathered(self.root[NETWORK], change))

    def here(self) -> Gathering:
        """What the design at hand declares."""
        return self.declared(self.variant)

    def segment(self) -> Segment:
        """The segment of the design at hand."""
        change = self._change(self.variant) if self.variant is not None else None
        with reported(self.variant):
            return gather_segment(self.root[NETWORK], change)

    def _change(self, variant: str) -> Node | None:
        """What a variant changes in the network, as the reader of scenarios hands it on."""
        whole = self.root[VARIANTS][variant]
        nested = whole.get(NETWORK)
        entries = {k: v for k, v in whole.entries.items() if k in NetworkChange.model_fields}
        entries |= nested.entries if nested is not None else {}
        keys = {**whole.keys, **(nested.keys if nested is not None else {})}
        return replace(whole, entries=entries, keys={key: keys[key] for key in entries}) if entries else None

    def host_of(self, name: str) -> Gathering:
        """What the design at hand declares, a host of this name included.

        Raises:
            InputError: for a host that is not there.
        """
        here = self.here()
        if name not in here.hosts:
            raise InputError(f'there is no host "{name}"{here.hint(name)}')
        return here

    # -- changing ---------------------------------------------------------------------------------

    def put(self, path: Path, value: Any) -> None:
        """See :func:`holdfast.scenario.text.splices.put`."""
        self.text = put(self.text, path, value)

    def append(self, path: Path, value: Any) -> None:
        """See :func:`holdfast.scenario.text.splices.append`; what stands alone becomes a list."""
        node = self.node(path)
        if node is not None and node.kind == "scalar":
            self.put(path, [data(node), value])
        else:
            self.text = append(self.text, path, value)

    def drop(self, path: Path) -> None:
        """See :func:`holdfast.scenario.text.splices.drop`; sections and variants stay, if need be empty."""
        keep = path[:2] if path[0] == VARIANTS else path[:1]
        if path[0] == NETWORK and path[1] not in (ENTRY, EXPOSED, "remove_links"):
            keep = path[:-1]
        self.text = drop(self.text, path, keep)

    def sift(self, path: Path, gone: Callable[[Node], bool]) -> None:
        """Drop the items of a list that are gone."""
        for number in reversed(range(len(self.items(path)))):
            if gone(self.items(path)[number]):
                node = self.node(path)
                alone = node is not None and node.kind == "scalar"
                self.drop(path if alone else (*path, number))

    def drop_sensors(self, path: Path, gone: set[str]) -> None:
        """Drop sensors at hosts that are gone; where no other is left there is none, and not all is seen."""
        node = self.node(path)
        if node is None or node.kind == "scalar":
            return
        named = set(node.entries) if node.kind == "mapping" else {item.text for item in node.items}
        if gone >= named:
            self.put(path, "none")
        elif node.kind == "mapping":
            for name in gone & named:
                self.drop((*path, name))
        else:
            self.sift(path, lambda item: item.text in gone)

    def take_out(self, path: Path, pair: Link) -> None:
        """Take one link out of every line of a list that stands for it; what else a line says stays."""
        number = 0
        while number < len(self.items(path)):
            item = self.items(path)[number]
            pairs = pairs_of(self.here(), item)
            if pair not in pairs:
                number += 1
                continue
            left = [other for other in pairs if other != pair]
            if not left:
                self.drop((*path, number))
                continue
            written = _left_of(item, left)
            self.put((*path, number), written[0])
            for line in written[1:]:
                self.append(path, line)
            number += 1

    def drop_orphans(self) -> None:
        """Take out the lines that mean nothing any more since a host or link of the base is gone."""
        base = self.declared(None)

        def is_void(item: Node) -> bool:
            return not any(pair in base.links or pair in base.off for pair in pairs_of(base, item))

        def is_double(item: Node) -> bool:
            pairs = pairs_of(base, item)
            return item.kind == "scalar" and bool(pairs) and all(pair in base.links for pair in pairs)

        for name in self.variants:
            home = self.home_of(name)
            if self.node((*home, "links")) is None and self.node((*home, "add_hosts")) is None:
                self.sift((*home, "remove_links"), is_void)
                self.sift((*home, "add_links"), is_double)
        for path in (("design", "changes"), ("design", "keep")):
            self.sift(path, lambda item: _is_gone(base, item))
        self._drop_empty_conduits((NETWORK, "conduits"), base)

    def _drop_empty_conduits(self, path: Path, base: Gathering) -> None:
        section = self.node(path)
        for name, node in section.entries.items() if section is not None else ():
            items = node.items if node.kind == "list" else (node,)
            pairs = [pair for item in items for pair in pairs_of(base, item)]
            if not any(pair in base.links or pair in base.off for pair in pairs):
                self.text = drop(self.text, (*path, name), (NETWORK,))


def pairs_of(here: Gathering, item: Node) -> list[Link]:
    """The links that a line stands for; none for a line that no longer means anything."""
    try:
        return here.pairs(item)
    except Problem:
        return []


def link_text(link: Link) -> str:
    """A link as it is written."""
    return " -> ".join(link)


def plain_link(link: Link, filtered: bool) -> Any:
    """The line of a link that cannot be blocked."""
    return {"from": link[0], "to": link[1], "filter": "yes"} if filtered else link_text(link)


def is_set(item: Node, key: str) -> bool:
    """Whether a setting of a link is yes."""
    return item.kind == "mapping" and key in item.entries and item[key].value in (True, "yes")


def _left_of(item: Node, left: list[Link]) -> list[Any]:
    """What is left of a line, as lines.

    Raises:
        InputError: for a line that stands for too much, or for links that are blocked together.
    """
    if len(left) > MAX_LEFT:
        raise InputError(f"the line of this link stands for {len(left) + 1:,} links; edit its text instead")
    if not is_set(item, "block"):
        return [plain_link(link, is_set(item, "filter")) for link in left]
    if len(left) > 1:
        raise InputError("this link is blocked together with others; edit its text instead")
    kept = {key: value for key, value in data(item).items() if key != "both"}
    return [kept | {"from": left[0][0], "to": left[0][1]}]


def _is_gone(base: Gathering, item: Node) -> bool:
    """Whether a change of the design, or what it keeps, is about a link that is not there any more."""
    words = item if item.kind == "scalar" else item.get("change")
    source, arrow, target = (words.text if words is not None else "").removeprefix("cut ").partition("->")
    names = source.strip(), target.strip()
    return bool(arrow) and " " not in names[0] and names not in base.links and names not in base.off


def mentions(names: Iterable[str], item: Node) -> bool:
    """Whether a line of a list, or a path of a flow, is about one of some hosts."""
    if item.kind == "list":
        return any(word.text in names for word in item.items)
    if item.kind == "mapping" and "from" in item.entries:
        return any(item[end].text in names for end in ("from", "to") if end in item.entries)
    if item.kind == "mapping":
        return any(key in names for key in item.keys)
    return any(word in names for word in item.text.replace("<->", " ").replace("->", " ").split())
