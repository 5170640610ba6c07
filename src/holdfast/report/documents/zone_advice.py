"""What to change in a design that is answered for zone by zone, in words."""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.design import BetterZone, ZoneAdvice
from holdfast.game import counted, listed
from holdfast.report.blocks import (
    Banner,
    Block,
    CellValue,
    Column,
    Document,
    Facts,
    Prose,
    Section,
    Table,
    words,
)
from holdfast.solver import Extent

SHOWN = 10
"""Changes that are shown."""


def zone_advice_document(advice: ZoneAdvice, source: str = "") -> Document:
    """The answer of ``recommend`` about a design that is answered for zone by zone."""
    found = advice.found
    blocks = tuple(_held(advice) if found.defensible else _lost(advice))
    title = found.configuration.title
    return Document(title or source, (Section("What to change", blocks),), source if title else "")


def _lost(advice: ZoneAdvice) -> Iterator[Block]:
    found = advice.found
    state = "is lost by itself" if found.defensible is False else "is not decided"
    if not advice.sets:
        why = f" ({advice.then})" if advice.then else ""
        yield Banner("open", "NO CHANGE FOUND", f"{advice.zone} {state}; no set of changes was proved{why}.")
        return
    first = advice.sets[0]
    yield Banner("good", "PROVED WITH CHANGES", f"{listed(first.changes)}: then the whole network holds.")
    least = (
        "no set costs less" if advice.cheapest_known else f"every such set costs at least {advice.at_least}"
    )
    yield Facts(
        (
            ("as it is", f"{advice.zone} {state}"),
            ("cost", f"{first.cost}; {least}" if advice.at_least else str(first.cost)),
            ("proof", "zone by zone, of the whole network with the changes"),
            ("asked", f"{counted(advice.n_composed, 'network')} as a whole, unchanged zones once"),
        )
    )
    rows = tuple((", ".join(one.changes), one.cost) for one in advice.sets[:SHOWN])
    yield Table("Sets of changes, each proved for the whole", (words("changes"), Column("cost")), rows)
    if advice.then:
        yield Prose(f"Not looked at to the end: {advice.then}.")


def _held(advice: ZoneAdvice) -> Iterator[Block]:
    yield Banner("good", "DEFENSIBLE", f"It holds as it is; its weakest zone is {advice.zone}.")
    if not advice.better:
        why = f" (not looked at to the end: {advice.then})" if advice.then else ""
        yield Prose(f"No single change that was tried makes {advice.zone} hold better{why}.")
        return
    rows = tuple(_row(one) for one in advice.better[:SHOWN])
    columns = (words("change"), Column("cost"), Column("grace"), Column("effort"))
    rest = len(advice.better) - SHOWN
    yield Table(
        f"What makes {advice.zone} hold better",
        columns,
        rows,
        note=f"and {counted(rest, 'more change')}" if rest > 0 else "",
    )
    yield Prose(
        "Grace is how many turns late the defender may start in this zone, effort how many interventions "
        "it takes there at most. The whole network stays held with each of these changes."
    )
    if advice.then:
        yield Prose(f"Not looked at to the end: {advice.then}.")


def _row(one: BetterZone) -> tuple[CellValue, ...]:
    return (one.change, one.cost, _cell(one.grace), _cell(one.effort))


def _cell(reading: Extent) -> CellValue:
    return "–" if reading is None else "∞" if reading == "unbounded" else reading
