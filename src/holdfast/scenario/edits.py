"""Operations on a scenario's text: on clauses and variants here, on structure by the model.

An operation says what it does by its ``kind``. The text comes back changed in that place alone
(:mod:`holdfast.scenario.text.splices`), and is only handed out if it still loads. With a variant at hand an
operation changes what the variant says and leaves the base alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field, ValidationError

from holdfast.errors import InputError, did_you_mean
from holdfast.scenario.reading import (
    Scenario,
    clause_names,
    clause_nodes,
    configuration,
    scenario_from_text,
)
from holdfast.scenario.registry import Edit, Editing, Operation
from holdfast.scenario.schema import BASE
from holdfast.scenario.settings import SETTINGS
from holdfast.scenario.text.places import reported
from holdfast.scenario.text.spans import tree
from holdfast.scenario.text.splices import Path, append, drop, put, rename
from holdfast.scenario.text.yaml import Node, data

FILENAME = "scenario"

FAR_REACHING = ("set_clause", "add_clause", "remove_clause")
"""Operations on clauses of the base after which clauses of a variant may not load any more."""

MAX_CHECKED = 20
"""Variants that are read to their last clause after such an operation."""


class ClauseOperation(Operation):
    """An operation on the clauses of a side."""

    side: Literal["defender", "adversary"]


class AddClause(ClauseOperation):
    """A clause more."""

    text: str = Field(max_length=100_000, description="a safety formula")
    name: str = Field(default="", max_length=1_000, description="what reports call it")


class SetClause(AddClause):
    """Another formula in place of a clause."""

    index: int = Field(ge=0, description="its number among the clauses of the side, from 0")


class RemoveClause(ClauseOperation):
    """A clause less."""

    index: int | None = Field(default=None, ge=0, description="its number among the clauses of the side")
    text: str | None = Field(default=None, max_length=100_000, description="or its formula")


class VariantOperation(Operation):
    """An operation on a variant as a whole."""

    name: str = Field(min_length=1, max_length=200)


class AddVariant(VariantOperation):
    """A variant more, which begins as another design is."""

    source: str | None = Field(default=None, alias="from", max_length=200, description="null for the base")


class RenameVariant(VariantOperation):
    """Another name for a variant."""

    to: str = Field(min_length=1, max_length=200)


# -- clauses --------------------------------------------------------------------------------------------


class _Sides:
    """Where the clauses of a side stand, for one design."""

    def __init__(self, text: str, variant: str | None, side: str) -> None:
        self.text, self.variant, self.side = text, variant, side
        self.root = tree(text)
        self.own: Path = ("specs", side) if variant is None else ("variants", variant, "specs", side)

    def change(self) -> Node | None:
        """What the variant says of the side, a list or changes of the base's; None for nothing."""
        return _find(self.root, self.own) if self.variant is not None else None

    def places(self) -> list[Path | int]:
        """For each clause where it is written; the number in the base for one that a variant leaves alone."""
        base = _find(self.root, ("specs", self.side))
        given = base.items if base is not None else ()
        change = self.change()
        if self.variant is None or (change is not None and change.kind == "list"):
            listed = base if self.variant is None else change
            return [(*self.own, i) for i in range(len(listed.items if listed is not None else ()))]
        places: dict[int, Path | int] = {i: i for i in range(len(given))}
        if change is None:
            return list(places.values())
        called: dict[str, int] = {}
        for number, node in enumerate(given):
            for name in clause_names(node):
                called.setdefault(name, number)
        replaced, removed, added = (change.get(key) for key in ("replace", "remove", "add"))
        for key in replaced.entries if replaced is not None else ():
            places[called[" ".join(key.split())]] = (*self.own, "replace", key)
        for node in removed.items if removed is not None else ():
            del places[called[" ".join(node.text.split())]]
        n_added = len(added.items) if added is not None else 0
        return [*places.values(), *((*self.own, "add", j) for j in range(n_added))]

    def place(self, index: int) -> Path | int:
        """Where a clause is written.

        Raises:
            InputError: for a clause that is not there, such as one that the model brings.
        """
        places = self.places()
        if index >= len(places):
            raise InputError(f"the {self.side} has no clause {index} in this file that could be changed")
        return places[index]

    def name(self, number: int) -> str | None:
        """What a clause of the base can be called by; None for an automaton without a name."""
        base = _find(self.root, ("specs", self.side))
        assert base is not None
        return next(iter(clause_names(base.items[number])), None)

    def written_out(self) -> _Sides:
        """The text with this side's clauses written out in the variant; the design stays what it is."""
        with reported(self.variant):
            nodes = clause_nodes(self.root, self.root["variants"][str(self.variant)], self.side)
        text = put(self.text, self.own, [data(node) for node in nodes])
        return _Sides(text, self.variant, self.side)


def _find(root: Node, path: Path) -> Node | None:
    here: Node | None = root
    for step in path:
        if here is None:
            return None
        here = here.items[step] if isinstance(step, int) else here.get(step)
    return here


def _clause(text: str, name: str) -> Any:
    return {"name": name, "formula": text} if name else text


def _add_clause(text: str, variant: str | None, asked: AddClause) -> Edit:
    sides = _Sides(text, variant, asked.side)
    change = sides.change()
    whole = variant is None or (change is not None and change.kind == "list")
    path = sides.own if whole else (*sides.own, "add")
    return Edit(append(text, path, _clause(asked.text, asked.name)), f"{_who(asked)} {asked.text}.")


def _who(asked: ClauseOperation) -> str:
    return "Required is also" if asked.side == "defender" else "The adversary keeps also to"


def _set_clause(text: str, variant: str | None, asked: SetClause) -> Edit:
    node = _node(text, variant, asked.side, asked.index)
    key = "per_zone" if node.get("per_zone") is not None else "formula"
    formula: dict[Path, Any] = {(key,): asked.text, **({("name",): asked.name} if asked.name else {})}
    patches: dict[Path, Any] = formula if node.get(key) is not None else {(): _clause(asked.text, asked.name)}
    return Edit(patched_clause(text, variant, asked.side, asked.index, patches), _now(asked))


def patched_clause(text: str, variant: str | None, side: str, index: int, patches: Mapping[Path, Any]) -> str:
    """The text with parts of a clause exchanged, each by where it stands in the clause; () for the whole.

    A formula that stands without a name is the whole clause. What a variant takes over from the base, or by
    an alias, is written out in the variant.

    Raises:
        InputError: for a clause that is not there.
    """
    sides = _Sides(text, variant, side)
    place = sides.place(index)
    node = _node(text, variant, side, index)
    if node.kind == "scalar":
        patches = {(): patches[("formula",)]} if ("formula",) in patches else patches
    if not isinstance(place, int) and node.alias is None:
        for path, value in patches.items():
            if data(_find(node, path) or node) != value:
                text = put(text, (*place, *path), value)
        return _followed(text, side, node, index) if variant is None else text
    whole = data(node)
    for path, value in patches.items():
        if not path:
            whole = value
            continue
        here = whole
        for step in path[:-1]:
            here = here[step]
        here[path[-1]] = value
    if not isinstance(place, int):
        return put(text, place, whole)
    called = sides.name(place)
    if called is None:
        return patched_clause(sides.written_out().text, variant, side, index, patches)
    return put(text, (*sides.own, "replace", called), whole)


def _followed(text: str, side: str, old: Node, index: int | None) -> str:
    """The text with its variants speaking of a clause of the base as it is called now; None if it is gone."""
    now: list[str] = []
    if index is not None:
        now = list(clause_names(_node(text, None, side, index)))
    gone = [name for name in clause_names(old) if name not in now]
    for variant in _variants(tree(text)):
        own: Path = ("variants", variant, "specs", side)
        change = _find(tree(text), own)
        replaced = change.get("replace") if change is not None else None
        for key, value in replaced.entries.items() if replaced is not None else ():
            if " ".join(key.split()) not in gone:
                continue
            if now:
                text = rename(text, (*own, "replace", key), now[0])
            else:
                text = append(drop(text, (*own, "replace", key), own), (*own, "add"), data(value))
        removed = change.get("remove") if change is not None else None
        for number, node in reversed(list(enumerate(removed.items if removed is not None else ()))):
            if " ".join(node.text.split()) in gone:
                path = (*own, "remove", number)
                text = put(text, path, now[0]) if now else drop(text, path, ("variants", variant))
    return text


def _node(text: str, variant: str | None, side: str, index: int) -> Node:
    """A clause of a design.

    Raises:
        InputError: for one that is not there.
    """
    root = tree(text)
    with reported(variant):
        nodes = clause_nodes(root, root["variants"][variant] if variant is not None else None, side)
    if index >= len(nodes):
        raise InputError(f"the {side} has no clause {index} in this file that could be changed")
    return nodes[index]


def _now(asked: SetClause) -> str:
    return f"Clause {asked.index + 1} of the {asked.side} is now {asked.text}."


def _remove_clause(text: str, variant: str | None, asked: RemoveClause) -> Edit:
    sides = _Sides(text, variant, asked.side)
    index = asked.index if asked.index is not None else _index(sides, asked.text or "")
    place = sides.place(index)
    done = f"Clause {index + 1} of the {asked.side} is removed."
    if isinstance(place, int):
        called = sides.name(place)
        if called is None:
            return _remove_clause(sides.written_out().text, variant, asked)
        return Edit(append(text, (*sides.own, "remove"), called), done)
    keep = ("variants", variant) if variant is not None else ("specs", asked.side)
    if variant is not None and place[-2] == "replace":
        changed = drop(text, place, keep)
        return Edit(append(changed, (*sides.own, "remove"), str(place[-1])), done)
    own_list = place[:-1] == sides.own
    changed = drop(text, place, place[:-1] if own_list else keep)
    if variant is None:
        changed = _followed(changed, asked.side, _node(text, None, asked.side, index), None)
    return Edit(changed, done)


def _index(sides: _Sides, formula: str) -> int:
    """The clause with a formula."""
    wanted = " ".join(formula.split())
    for index, place in enumerate(sides.places()):
        node = _find(sides.root, ("specs", sides.side, place) if isinstance(place, int) else place)
        if node is not None and wanted in clause_names(node):
            return index
    raise InputError(
        f"no clause says {formula}; it is another clause that singles it out: change that one instead"
    )


# -- variants -------------------------------------------------------------------------------------------


def _add_variant(text: str, variant: str | None, asked: AddVariant) -> Edit:
    root = tree(text)
    _refuse_taken(root, asked.name)
    source = None if asked.source in (None, BASE) else asked.source
    node = _find(root, ("variants", source)) if source is not None else None
    if source is not None and node is None and source not in _variants(root):
        raise InputError(f'there is no variant "{source}" to begin with')
    value = data(node) if node is not None else {}
    done = f"{asked.name} begins as {source or 'the base'} is."
    return Edit(put(text, ("variants", asked.name), value), done, variant=asked.name, moved=True)


def _rename_variant(text: str, variant: str | None, asked: RenameVariant) -> Edit:
    root = tree(text)
    if asked.name not in _variants(root):
        raise InputError(f'there is no variant "{asked.name}"{did_you_mean(asked.name, _variants(root))}')
    _refuse_taken(root, asked.to)
    now = asked.to if variant == asked.name else variant
    done = f"{asked.name} is called {asked.to} now."
    return Edit(rename(text, ("variants", asked.name), asked.to), done, variant=now, moved=True)


def _remove_variant(text: str, variant: str | None, asked: VariantOperation) -> Edit:
    if asked.name not in _variants(tree(text)):
        raise InputError(f'there is no variant "{asked.name}" to remove')
    now = None if variant == asked.name else variant
    done = f"The variant {asked.name} is removed."
    return Edit(drop(text, ("variants", asked.name), ()), done, variant=now, moved=True)


def _variants(root: Node) -> tuple[str, ...]:
    section = root.get("variants")
    return tuple(section.entries) if section is not None else ()


def free_name(scenario: Scenario, name: str) -> str:
    """A name for a variant that no design has yet."""
    taken, free, number = {*scenario.variants, BASE, "reference"}, name, 2
    while free in taken:
        free, number = f"{name}-{number}", number + 1
    return free


def with_variant(text: str, name: str, value: Mapping[str, Any]) -> str:
    """The text with a variant, in place of the one of this name if there is one."""
    return put(text, ("variants", name), dict(value))


def _refuse_taken(root: Node, name: str) -> None:
    if name in (*_variants(root), BASE, "reference"):
        raise InputError(f'there is a design called "{name}" already; choose another name')


# -- the whole ------------------------------------------------------------------------------------------

_OPERATIONS: dict[str, tuple[type[Operation], Callable[[str, str | None, Any], Edit]]] = {
    "set_clause": (SetClause, _set_clause),
    "add_clause": (AddClause, _add_clause),
    "remove_clause": (RemoveClause, _remove_clause),
    "add_variant": (AddVariant, _add_variant),
    "rename_variant": (RenameVariant, _rename_variant),
    "remove_variant": (VariantOperation, _remove_variant),
    **SETTINGS,
}


def editing_of(scenario: Scenario) -> Editing | None:
    """How the structure of this scenario is edited; None where it cannot be."""
    editing = scenario._model.editing
    return None if editing is None else editing()


def operations_of(scenario: Scenario) -> dict[str, type[Operation]]:
    """The operations that there are for a scenario, by kind."""
    editing = editing_of(scenario)
    own = {kind: shape for kind, (shape, _) in _OPERATIONS.items()}
    return {**(editing.operations if editing is not None else {}), **own}


def _read_through(text: str, variant: str | None) -> Scenario:
    """The scenario of a text, one of whose designs was read to its last clause."""
    scenario = scenario_from_text(text, FILENAME)
    configuration(scenario, variant)
    return scenario


def edited(
    scenario: Scenario,
    variant: str | None,
    operation: Mapping[str, Any],
    load: Callable[[str, str | None], Scenario] = _read_through,
) -> Edit:
    """The text of a scenario with an operation done, in a variant or in the base.

    Args:
        scenario, variant: the design.
        operation: what to do, by its kind.
        load: reads a design of the new text, so that a mistake in it is told.

    >>> scenario = scenario_from_text('''
    ... holdfast: 1
    ... network: {hosts: [GW, DB], links: [GW -> DB], entry: GW}   # small
    ... specs: {defender: [G (DB != Z)]}
    ... ''')
    >>> print(edited(scenario, None, {"kind": "add_link", "from": "DB", "to": "GW"}).text.strip())
    holdfast: 1
    network: {hosts: [GW, DB], links: [GW -> DB, DB -> GW], entry: GW}   # small
    specs: {defender: [G (DB != Z)]}

    Raises:
        InputError: for an operation that is none, or cannot be done here.
        ScenarioError: where the text would not load any more.
    """
    variant = None if variant == BASE else variant
    if variant is not None and variant not in scenario.variants:
        raise InputError(f'there is no variant "{variant}"{did_you_mean(variant, scenario.variants)}')
    edit = _done(scenario, scenario.text, variant, operation)
    if edit.then is not None:
        after = _done(scenario, edit.text, variant, edit.then)
        edit = replace(edit, text=after.text, then=None)
    loaded = load(edit.text, edit.variant if edit.moved else variant)
    editing = editing_of(scenario)
    far_reaching = {*FAR_REACHING, *(editing.far_reaching if editing is not None else ())}
    if variant is None and operation["kind"] in far_reaching:
        for name in loaded.variants[:MAX_CHECKED]:
            load(edit.text, name)
    return edit


def _done(scenario: Scenario, text: str, variant: str | None, operation: Mapping[str, Any]) -> Edit:
    known = operations_of(scenario)
    kind = str(operation.get("kind", ""))
    if kind not in known:
        hint = did_you_mean(kind, known) or f"; here there are {', '.join(known)}"
        raise InputError(f'there is no operation "{kind[:40]}"{hint}')
    asked = checked(known[kind], operation)
    if kind in _OPERATIONS:
        return _OPERATIONS[kind][1](text, variant, asked)
    editing = editing_of(scenario)
    assert editing is not None
    return editing.edited(text, variant, asked)


def checked(shape: type[Operation], operation: Mapping[str, Any]) -> Operation:
    """What an operation says, by its shape.

    Raises:
        InputError: where it does not fit.
    """
    try:
        return shape.model_validate(dict(operation))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise InputError(f"{operation.get('kind')}: {place}: {first['msg']}") from None
