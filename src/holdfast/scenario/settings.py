"""Operations on what a file says beside its system and its clauses: words, pace, what must stay, and costs.

Labels and notes are words on pictures and change no answer. What is kept, and what changes cost, is read by
those who look for better designs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import Field

from holdfast.scenario.registry import Edit, Operation
from holdfast.scenario.text.spans import tree
from holdfast.scenario.text.splices import Path, append, drop, put
from holdfast.scenario.text.yaml import Node, data

CUT = "cut"


class WordsOperation(Operation):
    """Words for something on the picture; none to take them away."""

    of: str = Field(min_length=1, max_length=410, description="a host, or a link such as GW -> Web")
    text: str = Field(default="", max_length=500, description="what is written; empty for nothing")


class PaceOperation(Operation):
    """How long a move takes; nothing to say no more of it."""

    move: str = Field(default="", max_length=40, description="such as 30 min")


class KeepOperation(Operation):
    """Whether something must stay as it is, whatever else is changed."""

    of: str = Field(min_length=1, max_length=410, description="a part of the design, such as GW -> Web")
    on: bool = True


class CostOperation(Operation):
    """What a change costs; null for the usual cost."""

    change: str = Field(min_length=1, max_length=410, description="such as cut GW -> Web")
    cost: int | None = Field(default=None, ge=1, le=1_000_000)


def _node(text: str, path: Path) -> Node | None:
    here: Node | None = tree(text)
    for step in path:
        here = here.get(str(step)) if here is not None and here.kind == "mapping" else None
    return here


def _words(section: str, what: str) -> Callable[[str, str | None, Any], Edit]:
    """The operation that writes words of a kind."""

    def write(text: str, variant: str | None, asked: WordsOperation) -> Edit:
        of, words = " ".join(asked.of.split()), " ".join(asked.text.split())
        there = _node(text, (section,))
        if words:
            return Edit(put(text, (section, of), words), f"{of} has the {what} “{words}”.")
        if there is None or of not in there.entries:
            return Edit(text, f"{of} has no {what}.")
        return Edit(drop(text, (section, of), ()), f"{of} has no {what} any more.")

    return write


def _set_pace(text: str, variant: str | None, asked: PaceOperation) -> Edit:
    own: Path = ("pace",) if variant is None else ("variants", variant, "pace")
    if asked.move:
        return Edit(put(text, own, {"move": asked.move}), f"A move takes {asked.move}.")
    if _node(text, own) is None:
        return Edit(text, "Nothing is said of how long a move takes.")
    return Edit(drop(text, own, own[:-1]), "Nothing is said any more of how long a move takes.")


def _keep(text: str, variant: str | None, asked: KeepOperation) -> Edit:
    of = " ".join(asked.of.split())
    listed = _node(text, ("design", "keep"))
    items = listed.items if listed is not None else ()
    there = [k for k, item in enumerate(items) if " ".join(item.text.split()) == of]
    if asked.on and not there:
        return Edit(append(text, ("design", "keep"), of), f"{of} is needed: no advice touches it.")
    if not asked.on and there:
        return Edit(drop(text, ("design", "keep", there[0]), ()), f"{of} may be changed.")
    return Edit(text, f"{of} is {'needed' if asked.on else 'not needed'} as it is.")


def _set_cost(text: str, variant: str | None, asked: CostOperation) -> Edit:
    """A price for one change; where no change was listed, all others of its kind are from now on."""
    change, path = " ".join(asked.change.split()), ("design", "changes")
    listed = _node(text, path)
    for number, item in enumerate(listed.items if listed is not None else ()):
        words = item if item.kind == "scalar" else item.get("change")
        if words is None or " ".join(words.text.split()) != change:
            continue
        value = {"change": change, "cost": asked.cost} if asked.cost is not None else change
        return Edit(put(text, (*path, number), value), _priced(change, asked.cost))
    if asked.cost is None:
        return Edit(text, _priced(change, None))
    priced = {"change": change, "cost": asked.cost}
    if listed is None or not listed.items:
        return Edit(put(text, path, [f"{change.partition(' ')[0]} all", priced]), _priced(change, asked.cost))
    return Edit(append(text, path, priced), _priced(change, asked.cost))


def _priced(change: str, cost: int | None) -> str:
    return f"{change} costs {cost}." if cost is not None else f"{change} costs what it usually does."


def settings_of(root: Node, section: str, variant: str | None) -> dict[str, Any]:
    """What a design has of these: what is kept, costs of changes, chances and the pace."""
    design, variants = root.get("design"), root.get("variants")
    chosen = variants[variant] if variants is not None and variant is not None else None
    homes = [root.get(section), chosen, chosen.get(section) if chosen is not None else None]
    tables = [home.get("chance") for home in homes if home is not None]
    listed = design.get("changes") if design is not None else None
    costs = {
        " ".join(item["change"].text.split()): data(item["cost"])
        for item in (listed.items if listed is not None else ())
        if item.kind == "mapping" and "change" in item.entries and "cost" in item.entries
    }
    keep = design.get("keep") if design is not None else None
    pace = next((h.get("pace") for h in (chosen, root) if h is not None and h.get("pace") is not None), None)
    return {
        "keep": [" ".join(item.text.split()) for item in keep.items] if keep is not None else [],
        "costs": costs,
        "chance": {
            key: float(data(node)) for t in tables if t is not None for key, node in t.entries.items()
        },
        "pace": pace["move"].text if pace is not None else "",
    }


SETTINGS: dict[str, tuple[type[Operation], Callable[[str, str | None, Any], Edit]]] = {
    "label": (WordsOperation, _words("labels", "label")),
    "note": (WordsOperation, _words("notes", "note")),
    "pace": (PaceOperation, _set_pace),
    "keep": (KeepOperation, _keep),
    "cost": (CostOperation, _set_cost),
}
"""The operations, by kind."""
