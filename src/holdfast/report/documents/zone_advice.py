"""What to change in a design that is answered for zone by zone, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

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

IN_WORDS, MOST_ROWS = 6, 30
"""Changes of a set that are told in a sentence, and rows of a table that lists more of them."""

ARROW = " -> "


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
    brief = changes_in_brief(first.changes)
    yield Banner("good", "PROVED WITH CHANGES", f"{brief}: then the whole network holds.")
    least = (
        f"every such set costs at least {advice.at_least}" if advice.at_least else "there may be cheaper ones"
    )
    yield Facts(
        (
            ("as it is", f"{advice.zone} {state}"),
            ("cost", f"{first.cost}; {'no set costs less' if advice.cheapest_known else least}"),
            ("proof", "zone by zone, of the whole network with the changes"),
            ("asked", f"{counted(advice.n_composed, 'network')} as a whole, unchanged zones once"),
        )
    )
    if len(advice.sets) > 1 or len(first.changes) <= IN_WORDS:
        rows = tuple((changes_in_brief(one.changes), one.cost) for one in advice.sets[:SHOWN])
        yield Table("Sets of changes, each proved for the whole", (words("changes"), Column("cost")), rows)
    for number, one in enumerate(advice.sets[:SHOWN]):
        if len(one.changes) > IN_WORDS:
            yield _in_full(one.changes, "the first set" if number == 0 else f"set {number + 1}")
    if advice.then:
        yield Prose(f"Not looked at to the end: {advice.then}.")


def changes_in_brief(changes: Sequence[str]) -> str:
    """Some changes in words; many of them by their kinds, and how many there are of each.

    >>> changes_in_brief([f"cut GW -> WS{i}" for i in range(9)] + ["close GW"])
    '10 changes (cut 9, close 1)'
    """
    if len(changes) <= IN_WORDS:
        return listed(changes)
    kinds = Counter(change.partition(" ")[0] for change in changes)
    return f"{len(changes)} changes ({', '.join(f'{kind} {n}' for kind, n in kinds.items())})"


def _in_full(changes: Sequence[str], which: str) -> Table:
    """Many changes: arrows that begin at one place, or lead to one, are one row, whichever takes fewer."""
    ways = [list(_rows(changes, by_source)) for by_source in (True, False)]
    rows = min(ways, key=len)
    rest = len(rows) - MOST_ROWS
    return Table(
        f"What {which} changes",
        (words("change"), words("from"), words("to")),
        tuple(rows[:MOST_ROWS]),
        note=f"and {counted(rest, 'more row')}; --json and --write list every change" if rest > 0 else "",
        title=f"What {which} changes",
    )


def _rows(changes: Sequence[str], by_source: bool) -> Iterator[tuple[str, str, str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        kind, _, place = change.partition(" ")
        source, _, target = place.rpartition(ARROW)
        one, other = (source, target) if by_source else (target, source)
        groups.setdefault((kind, one), []).append(other)
    for (kind, one), others in groups.items():
        ends = (one, listed(others)) if by_source else (listed([o for o in others if o]), one)
        yield kind, *ends


def _held(advice: ZoneAdvice) -> Iterator[Block]:
    yield Banner("good", "DEFENSIBLE", f"It holds as it is; its weakest zone is {advice.zone}.")
    if not advice.better:
        why = f" (not looked at to the end: {advice.then})" if advice.then else ""
        yield Prose(f"No single change that was tried makes {advice.zone} hold better{why}.")
        return
    rows = tuple(_row(one) for one in (*_as_it_is(advice), *advice.better[:SHOWN]))
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


def _as_it_is(advice: ZoneAdvice) -> Iterator[BetterZone]:
    """How the weakest zone is held without any change, to compare with."""
    for zone, row in zip(advice.found.zones, advice.read.zones if advice.read else (), strict=False):
        if zone.name == advice.zone:
            yield BetterZone("as it is", 0, row.grace, row.effort)


def _row(one: BetterZone) -> tuple[CellValue, ...]:
    return (one.change, one.cost, _cell(one.grace), _cell(one.effort))


def _cell(reading: Extent) -> CellValue:
    return "–" if reading is None else "∞" if reading == "unbounded" else reading
