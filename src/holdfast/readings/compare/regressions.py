"""Whether a design is worse than its baseline, as far as that can be said for certain.

It is if it lost the certificate that the baseline has. Under the same requirement and boundary it also is
where a reading is certainly worse: exact readings differ, certain ends (DDR*) or the intervals of settled
training (DDR) are apart. Under another specification readings are not compared: that is another question, and
a comparison warns of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.game import bracket
from holdfast.readings.compare.findings import (
    DOMINANCE,
    RESET,
    SPECIFICATIONS,
    TIE,
    Comparison,
    Entry,
    certain_gap,
    intervals_disjoint,
)
from holdfast.readings.reading import Reading
from holdfast.readings.results import Analysis
from holdfast.readings.table import chance_readings, every_reading

CERTIFICATE = "certificate"


@dataclass(frozen=True)
class Regression:
    """What is worse: the certificate, or a reading by the key of its axis; ``open`` if a limit hid it."""

    about: str
    text: str
    open: bool = False


def regressions(comparison: Comparison, label: str) -> tuple[Regression, ...]:
    """In what the design with a label is worse than the base of a comparison."""
    return tuple(_regressions(comparison, label))


def _regressions(comparison: Comparison, label: str) -> Iterator[Regression]:
    base, entry, delta = comparison.entry(comparison.base), comparison.entry(label), comparison.delta(label)
    before, after = base.analysis, entry.analysis
    if before.defensible and not after.defensible:
        yield Regression(CERTIFICATE, f"{base.label} is defensible, {label} is not")
        return
    unseen = before.sight is not None and before.sight.defensible is False
    if after.sight is not None and not after.sight.defensible and not unseen:
        unknown = after.sight.defensible is None
        known = "may not be" if unknown else "is not"
        said = f"{base.label} is defensible with what is seen there, {label} {known}"
        yield Regression(CERTIFICATE, said, open=unknown)
        return
    changed = delta.changed
    if changed is None:  # the games are not at hand: what was asked is known by its words
        asked = [(one.requirement, one.boundary) for one in (before, after)]
        changed = () if asked[0] == asked[1] else SPECIFICATIONS
    if set(changed) & set(SPECIFICATIONS):
        return
    for axis in (*every_reading(), *chance_readings()):
        if axis.gated and (axis.static or not {DOMINANCE, RESET} & set(changed)):
            yield from _worse(axis, base, entry)


def _worse(axis: Reading, base: Entry, entry: Entry) -> Iterator[Regression]:
    before, after = axis.read(base.analysis), axis.read(entry.analysis)
    if axis.static and before is not None and after is None and not axis.undefined(entry.analysis):
        why = entry.analysis.undecided or "it was not read"
        yield Regression(axis.key, f"{axis.label} of {entry.label} is not known: {why}", open=True)
        return
    gap = certain_gap(base, entry, axis)
    if gap is None or gap <= TIE or (axis.learned and not intervals_disjoint(base, entry)):
        return
    was, now = (_written(axis, each.analysis) for each in (base, entry))
    yield Regression(axis.key, f"{axis.label} was {was} in {base.label} and is {now} in {entry.label}")


def _written(axis: Reading, analysis: Analysis) -> str:
    """The reading, or the certain ends that are all that is known of it."""
    value, ends = axis.read(analysis), axis.ends(analysis)
    return axis.written(value) if value is not None or ends is None else bracket(*ends)
