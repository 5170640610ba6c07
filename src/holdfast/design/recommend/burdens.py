"""Which part makes defending hardest: what the absence of each link, exposure and weak spot would change.

Every part of a system can be thought away (:class:`~holdfast.game.system.Part`), and the defender is never
worse off for it. What DDR*, SLT, effort, tempo and grace (:func:`~holdfast.readings.table.burden_readings`)
would be without a part says how much of the trouble goes over it. That is a question about the design as it
is, not advice: a part that has to stay has a burden too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.flow_needs import FILTER, needed_parts
from holdfast.design.recommend.alike_plays import AlikePlays
from holdfast.design.recommend.changed_designs import IN_FULL, ChangedDesign, read_designs
from holdfast.design.recommend.space import DesignSpace, of_part
from holdfast.design.recommend.weighing import merits, ranking
from holdfast.game import Part, Protocol, System
from holdfast.readings import Asked, Reading, burden_readings
from holdfast.running import Backend

BURDENS_SECONDS = 60.0
"""What the parts that no change has taken away may take, unless what is read is kept in a log."""


@dataclass(frozen=True)
class Burden:
    """A part, and the design without it."""

    part: Part
    without: ChangedDesign


@dataclass(frozen=True)
class Shift:
    """By how much a reading changes: at least ``low`` and at most ``high``, in its own direction.

    Both ends are one number where the reading is exact on both sides, and infinite where it becomes, or
    ceases to be, unbounded.
    """

    low: float
    high: float


def burdens(
    space: DesignSpace,
    known: Iterable[ChangedDesign],
    kinds: Collection[str] = (),
    *,
    protocol: Protocol | None = None,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    asked: Asked = IN_FULL,
    alike: AlikePlays | None = None,
) -> tuple[Burden, ...]:
    """What each part of a held design carries, the heaviest by DDR* first.

    Args:
        space: the design.
        known: designs that were read already; those with one change are not read again.
        kinds: only parts that changes of these kinds take away; all by default.
        protocol, engine, budget, backend: as elsewhere. Where the time is over, the parts that were not
            reached say so.
        asked: what is read.
        alike: what was read before, for those that are played alike.
    """
    system = space.configuration.system
    if backend is None or not (backend.cluster or backend.log):
        budget = budget.share(1.0, BURDENS_SECONDS)
    parts = [part for part in _carrying(system) if not kinds or part.verb in kinds]
    everything = replace(space, changes=tuple(map(of_part, parts)))
    read: dict[tuple[str, ...], ChangedDesign]
    read = {reading.changes: reading for reading in known if len(reading.changes) == 1}
    left = [frozenset({i}) for i, change in enumerate(everything.changes) if (change.name,) not in read]
    more = read_designs(everything, left, protocol, engine, budget, backend, asked=asked, alike=alike)
    read |= {reading.changes: reading for reading in more}
    named = ((part, (change.name,)) for part, change in zip(parts, everything.changes, strict=True))
    return tuple(Burden(part, read[name]) for part, name in named if name in read)


def _carrying(system: System) -> Iterator[Part]:
    """All parts, each once: of a link that a flow needs what spreads along it, else the whole link."""
    filters = {part.name for part in system.hardenable if part.verb == FILTER}
    filtered = {part for part in needed_parts(system) if part.name in filters}
    names = {part.name for part in filtered}
    yield from (part for part in system.parts if part not in filtered)
    yield from (part for part in system.hardenable if part.verb != FILTER or part.name in names)


def shifts(burden: Burden, base: ChangedDesign) -> dict[str, Shift]:
    """By how much each reading changes without the part, those that are there before and after.

    A change has the sign of the reading: effort falls where that is better.
    """
    before, after = merits(base), merits(burden.without)
    changes: dict[str, Shift] = {}
    for reading in burden_readings():
        key = reading.key
        if key in before and key in after:
            low, high = _apart(after[key][0], before[key][1]), _apart(after[key][1], before[key][0])
            changes[key] = Shift(-high, -low) if reading.less else Shift(low, high)
    return changes


def _apart(after: float, before: float) -> float:
    """A difference; 0 between two that are both unbounded."""
    return 0.0 if after == before else after - before


def heaviest_first(found: Iterable[Burden], base: ChangedDesign) -> list[Burden]:
    """By how much DDR* rises for certain without the part, then SLT."""

    def weight(burden: Burden) -> tuple[float, ...]:
        moved = shifts(burden, base)
        return tuple(-moved.get(key, Shift(-inf, -inf)).low for key in ranking())

    return sorted(found, key=weight)


def relieves(burden: Burden, base: ChangedDesign) -> bool:
    """Whether less would be asked of the people who defend: a better effort, tempo or grace."""
    moved = shifts(burden, base)
    response = [reading for reading in burden_readings() if reading.group == "response"]
    signs = {reading.key: -1 if reading.less else 1 for reading in response}
    return any(key in moved and sign * moved[key].low > 0 for key, sign in signs.items())


def to_objects(found: Iterable[Burden], base: ChangedDesign) -> list[dict[str, Any]]:
    """The burdens as plain data for JSON, heaviest first; a change that is not known exactly is null."""
    rows: list[dict[str, Any]] = []
    for burden in heaviest_first(found, base):
        moved = shifts(burden, base)
        rows.append(
            {
                "part": burden.part.name,
                "kind": burden.part.kind,
                "change": burden.without.changes[0],
                "delta": {r.key: _plain(r, moved.get(r.key)) for r in burden_readings()},
                "response": burden.without.values.get("response"),
                "undecided": burden.without.undecided or None,
            }
        )
    return rows


def _plain(reading: Reading, shift: Shift | None) -> int | float | str | None:
    if shift is None or shift.high - shift.low > 1e-5:
        return None
    if shift.low in (inf, -inf):
        return reading.endless if shift.low > 0 else f"no longer {reading.endless}"
    return round(shift.low) if reading.whole else (shift.low + shift.high) / 2
