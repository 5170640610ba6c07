"""How changed designs are weighed and put in order.

A design that holds goes before one that does not. Then, each only where all before it are alike: the rungs
of the ladder gained, recovery (can the attacker be got out, and how soon), the response (effort, tempo,
grace), DDR* and what else is read, the flows that are left whole, and the cost.

Readings are compared as they are printed: what does not show in the digits is no gain and decides nothing.
Of a reading that is known to lie between two ends, only what is certain counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

from holdfast.readings import Reading, burden_readings, reading_of, untrained_readings

if TYPE_CHECKING:
    from holdfast.design.recommend.changed_designs import ChangedDesign

GROUPS = ("recovery", "response", "fingerprint", "apart")
"""The groups of readings, what people care about most first."""


def ranked_readings() -> tuple[Reading, ...]:
    """The readings by which designs are put in order, the most important one first.

    In a group, what is held in play goes before what follows from the solved game.
    """
    weighed = (reading for reading in untrained_readings() if reading.weighed)
    return tuple(sorted(weighed, key=lambda reading: (GROUPS.index(reading.group), reading.static)))


def ranking() -> tuple[str, ...]:
    """The readings by which parts are put in order, the most important one first."""
    return tuple(reading.key for reading in burden_readings() if reading.group == "fingerprint")


def merits(design: ChangedDesign) -> dict[str, tuple[float, float]]:
    """The readings that changes are weighed by, each as an interval, turned so that more is better."""
    if design.analysis is None:
        return {}
    ends = {r.key: r.merits(design.analysis) for r in untrained_readings() if r.weighed}
    return {key: interval for key, interval in ends.items() if interval is not None}


def _shown(key: str, merit: float) -> float:
    """A merit as it is printed."""
    return round(merit, reading_of(key).digits)


def order_of(design: ChangedDesign) -> tuple[object, ...]:
    """What designs are sorted by, the best first."""
    known = merits(design)
    certain = (-_shown(r.key, known.get(r.key, (-inf, -inf))[0]) for r in ranked_readings())
    return (
        not design.defensible,
        -len(design.rungs_gained or ()),
        *certain,
        design.flows_hit,
        design.cost,
        len(design.chosen),
        sorted(design.chosen),
    )


def beats(one: ChangedDesign, other: ChangedDesign) -> bool:
    """Whether one is at least as good in everything, flows and cost included, and better in something."""
    a, b = merits(one), merits(other)
    rungs, others = (set(each.rungs_gained or ()) for each in (one, other))
    paid, spent = (one.cost, one.flows_hit), (other.cost, other.flows_hit)
    if paid[0] > spent[0] or paid[1] > spent[1] or not rungs >= others or a.keys() != b.keys():
        return False
    if any(_shown(key, a[key][0]) < _shown(key, b[key][1]) for key in a):
        return False
    better = any(_shown(key, a[key][0]) > _shown(key, b[key][1]) for key in a)
    return better or paid != spent or rungs > others


def gains(design: ChangedDesign, base: ChangedDesign) -> Iterator[tuple[str, float, float]]:
    """(axis, before, after) of everything that is better for certain and shows, the most important first."""
    before, after = merits(base), merits(design)
    for key in (reading.key for reading in ranked_readings()):
        if key in before and key in after and _shown(key, after[key][0]) > _shown(key, before[key][1]):
            yield key, sum(before[key]) / 2, sum(after[key]) / 2


def losses(design: ChangedDesign, base: ChangedDesign) -> Iterator[tuple[str, float, float]]:
    """(axis, before, after) of everything that is worse for certain and shows, the most important first."""
    yield from ((key, after, before) for key, before, after in gains(base, design))
