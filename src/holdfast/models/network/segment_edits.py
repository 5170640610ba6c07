"""Operations on the structure of a network, done in the text of its scenario.

In the base an operation changes the lines of the ``network:`` section; a line that stands for several links
is written out as those that are left. In a variant it changes what the variant says: it is added to
``remove_links``, ``add_links`` and their like, or taken out again where the variant had said the opposite.
What other parts of the file say of something that is gone (a variant that removes it, a change of the design
that would cut it) goes with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from pydantic import Field

from holdfast.errors import InputError
from holdfast.models import Edit, Editing, Operation
from holdfast.models.network.segment import Link
from holdfast.models.network.segment_reader import Gathering, gathered
from holdfast.models.network.segment_schema import NetworkChange
from holdfast.source.places import Problem, reported
from holdfast.source.splices import Path, append, drop, put, tree
from holdfast.source.yaml import Node, data

MAX_LEFT = 200
"""Links that a line may be written out as."""

NETWORK, VARIANTS = "network", "variants"


class LinkOperation(Operation):
    """An operation on one link."""

    source: str = Field(alias="from", max_length=200, description="the host that it leaves")
    target: str = Field(alias="to", max_length=200, description="the host that it leads to")

    @property
    def pair(self) -> Link:
        """The link."""
        return self.source, self.target


class Desk:
    """The text of a scenario while an operation is done in it, in a variant or in the base."""

    def __init__(self, text: str, variant: str | None) -> None:
        self.text, self.variant = text, variant

    @property
    def root(self) -> Node:
        """The whole file."""
        return tree(self.text)

    @property
    def home(self) -> Path:
        """Where the variant says what it changes in the network, or where the base has its network."""
        if self.variant is None:
            return (NETWORK,)
        return _home(self.root, self.variant)

    def node(self, *path: str | int) -> Node | None:
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
        """The items of a list; none where there is no list."""
        found = self.node(*path)
        return found.items if found is not None else ()

    def known(self, variant: str | None) -> Gathering:
        """What the base or a variant declares."""
        root = self.root
        change = _change_of(root, variant) if variant is not None else None
        with reported(variant):
            return gathered(root[NETWORK], change)

    def here(self) -> Gathering:
        """What the design at hand declares."""
        return self.known(self.variant)

    def put(self, path: Path, value: Any) -> None:
        """See :func:`holdfast.source.splices.put`."""
        self.text = put(self.text, path, value)

    def append(self, path: Path, value: Any) -> None:
        """See :func:`holdfast.source.splices.append`."""
        self.text = append(self.text, path, value)

    def drop(self, path: Path, *, prune: bool = False) -> None:
        """See :func:`holdfast.source.splices.drop`."""
        self.text = drop(self.text, path, prune=prune)


def _home(root: Node, variant: str) -> Path:
    """The mapping of a variant that holds its changes of the network."""
    found = root[VARIANTS][variant].get(NETWORK)
    return (VARIANTS, variant) if found is None else (VARIANTS, variant, NETWORK)


def _change_of(root: Node, variant: str) -> Node | None:
    """What a variant changes in the network, as the reader of scenarios hands it on."""
    whole = root[VARIANTS][variant]
    nested = whole.get(NETWORK)
    entries = {k: v for k, v in whole.entries.items() if k in NetworkChange.model_fields}
    entries |= nested.entries if nested is not None else {}
    keys = {**whole.keys, **(nested.keys if nested is not None else {})}
    from dataclasses import replace

    return replace(whole, entries=entries, keys={key: keys[key] for key in entries}) if entries else None


# -- links ----------------------------------------------------------------------------------------------


def _cut_link(desk: Desk, asked: LinkOperation) -> str:
    pair, told = asked.pair, " -> ".join(asked.pair)
    here = desk.here()
    _refuse_unknown(here, pair)
    if pair not in here.links:
        raise InputError(f"there is no link {told} to cut")
    home = desk.home
    if desk.variant is None:
        _take_out(desk, (*home, "links"), pair)
        _mend(desk)
    elif desk.node(*home, "links") is not None:
        _take_out(desk, (*home, "links"), pair)
    else:
        _take_out(desk, (*home, "add_links"), pair, prune=True)
        if pair in desk.here().links:
            desk.append((*home, "remove_links"), told)
    return f"The link {told} is cut."


def _add_link(desk: Desk, asked: LinkOperation) -> str:
    pair, told = asked.pair, " -> ".join(asked.pair)
    here = desk.here()
    _refuse_unknown(here, pair)
    if pair[0] == pair[1]:
        raise InputError(f"a link from {pair[0]} to itself would change nothing")
    if pair in here.links:
        raise InputError(f"the link {told} is there already")
    home = desk.home
    if desk.variant is None:
        desk.append((*home, "links"), told)
        _mend(desk)
    elif desk.node(*home, "links") is not None:
        desk.append((*home, "links"), told)
    else:
        _take_out(desk, (*home, "remove_links"), pair, prune=True)
        if pair not in desk.here().links:
            desk.append((*home, "add_links"), told)
    return f"A link {told} is added."


def _refuse_unknown(here: Gathering, names: Iterable[str]) -> None:
    for name in names:
        if name not in here.hosts:
            raise InputError(f'there is no host "{name}"{here.hint(name)}')


def _take_out(desk: Desk, path: Path, pair: Link, *, prune: bool = False) -> None:
    """Take one link out of every line of a list that stands for it; what else a line says is written out."""
    number = 0
    while number < len(desk.items(path)):
        item = desk.items(path)[number]
        pairs = _pairs(desk.here(), item)
        if pair not in pairs:
            number += 1
            continue
        left = [other for other in pairs if other != pair]
        if not left:
            desk.drop((*path, number), prune=prune)
            continue
        if len(left) > MAX_LEFT:
            raise InputError(f"the line of this link stands for {len(pairs):,} links; edit the text instead")
        if item.kind == "mapping" and "block" in item.entries and len(left) > 1:
            raise InputError("this link is blocked together with others; edit the text instead")
        written = _written(item, left)
        desk.put((*path, number), written[0])
        for line in written[1:]:
            desk.append(path, line)
        number += 1


def _written(item: Node, left: list[Link]) -> list[Any]:
    """What is left of a line, as lines."""
    if item.kind == "mapping" and "block" in item.entries:
        kept = {key: value for key, value in data(item).items() if key != "both"}
        return [kept | {"from": left[0][0], "to": left[0][1]}]
    return [" -> ".join(link) for link in left]


def _pairs(here: Gathering, item: Node) -> list[Link]:
    """The links that a line stands for; none for a line that no longer means anything."""
    try:
        return here.pairs(item)
    except Problem:
        return []


def _mend(desk: Desk) -> None:
    """Take out what no longer means anything since the base has changed."""
    base = desk.known(None)

    def is_void(item: Node) -> bool:
        return not any(pair in base.links for pair in _pairs(base, item))

    def is_double(item: Node) -> bool:
        pairs = _pairs(base, item)
        return item.kind == "scalar" and bool(pairs) and all(pair in base.links for pair in pairs)

    variants = desk.node(VARIANTS)
    for name in variants.entries if variants is not None else ():
        home = _home(desk.root, name)
        if desk.node(*home, "links") is not None:
            continue
        _sift(
            desk, (*home, "remove_links"), lambda item: not any(p in base.links for p in _pairs(base, item))
        )
        _sift(
            desk,
            (*home, "add_links"),
            lambda item: (
                item.kind == "scalar" and bool(p := _pairs(base, item)) and all(x in base.links for x in p)
            ),
        )
    _sift(desk, ("design", "changes"), partial(_is_gone, base))
    _sift(desk, ("design", "keep"), partial(_is_gone, base))


def _is_gone(base: Gathering, item: Node) -> bool:
    """Whether a change of the design is about a link that is not there any more."""
    words = item if item.kind == "scalar" else item.get("change")
    source, arrow, target = (words.text if words is not None else "").removeprefix("cut ").partition("->")
    return bool(arrow) and (source.strip(), target.strip()) not in base.links


def _sift(desk: Desk, path: Path, gone: Callable[[Node], bool]) -> None:
    """Drop the items of a list that are gone."""
    for number in reversed(range(len(desk.items(path)))):
        if gone(desk.items(path)[number]):
            desk.drop((*path, number), prune=True)


# -- the whole ------------------------------------------------------------------------------------------

_OPERATIONS: dict[str, tuple[type[Operation], Callable[[Desk, Any], str | tuple[str, Mapping[str, Any]]]]] = {
    "cut_link": (LinkOperation, _cut_link),
    "add_link": (LinkOperation, _add_link),
}


def _edited(text: str, variant: str | None, asked: Operation) -> Edit:
    desk = Desk(text, variant)
    said = _OPERATIONS[asked.kind][1](desk, asked)
    if isinstance(said, str):
        return Edit(desk.text, said)
    return Edit(desk.text, *said)


def _change(verb: str, part: str) -> Mapping[str, Any] | None:
    source, _, target = (word.strip() for word in part.partition("->"))
    return {"kind": "cut_link", "from": source, "to": target} if verb == "cut" else None


EDITING = Editing({kind: shape for kind, (shape, _) in _OPERATIONS.items()}, _edited, _change)
