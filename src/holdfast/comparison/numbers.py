"""The fingerprint table and what follows from its numbers alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from holdfast.axes import Axis, operating_points, static_axes
from holdfast.comparison.findings import (
    Dominance,
    Entry,
    FullInversion,
    Inversion,
    Movement,
    ShellChange,
    Spread,
)
from holdfast.results import Analysis

TIE = 1e-9
"""Readings closer than this are equal: they differ by rounding alone."""

DEEP = 3
"""From this rank on a forcing line is more than an immediate exposure (sec:demo-structure)."""


def movement(before: float | None, after: float | None) -> Movement:
    """A movement, None where a side is missing, and relative only to what is not 0.

    >>> movement(0.5, 0.25)
    Movement(before=0.5, after=0.25, absolute=-0.25, relative=-0.5)
    >>> movement(0.0, 0.25).relative, movement(0.5, None).absolute
    (None, None)
    """
    if before is None or after is None:
        return Movement(before, after, None, None)
    change = after - before
    return Movement(before, after, change, change / before if before else None)


def entry(label: str, analysis: Analysis, base: Analysis) -> Entry:
    """A row of the table; the base is for the ratio of burdens."""
    burden = _burden(analysis)
    return Entry(label, analysis, burden, _ratio(burden, _burden(base)))


def _burden(analysis: Analysis) -> float | None:
    return None if analysis.ddr is None else 1.0 - analysis.ddr.mean


def _ratio(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other


def spread(entries: Sequence[Entry]) -> Spread | None:
    """The extremes of the holding burden, where two have one."""
    burdens = [(e.burden, e.label) for e in entries if e.burden is not None]
    if len(burdens) < 2:
        return None
    lightest, heaviest = min(burdens), max(burdens)
    return Spread(heaviest[1], lightest[1], _ratio(heaviest[0], lightest[0]))


# -- depth ------------------------------------------------------------------------------------------


def shell_changes(before: tuple[int, ...], after: tuple[int, ...]) -> tuple[ShellChange, ...]:
    """Rank by rank, up to the last rank of either side."""
    return tuple(combined(before, after, k, k) for k in range(1, max(len(before), len(after)) + 1))


def deep_change(before: tuple[int, ...], after: tuple[int, ...]) -> ShellChange | None:
    """The ranks from :data:`DEEP` on together; None where that is one rank or none."""
    last = max(len(before), len(after))
    return combined(before, after, DEEP, last) if last > DEEP else None


def combined(before: tuple[int, ...], after: tuple[int, ...], first: int, last: int) -> ShellChange:
    """The mass of the ranks ``first`` to ``last``.

    >>> combined((19238, 6392, 256, 384), (12914, 2992, 64, 64), 3, 4).size
    Movement(before=640, after=128, absolute=-512, relative=-0.8)
    """
    old, new = sum(before[first - 1 : last]), sum(after[first - 1 : last])
    moved = movement(old, new)
    size = Movement(
        old if first <= len(before) else None,
        new if first <= len(after) else None,
        moved.absolute,
        moved.relative,
    )
    return ShellChange(first, last, size)


# -- orders -----------------------------------------------------------------------------------------


def inversions(entries: Sequence[Entry]) -> tuple[Inversion, ...]:
    """Every pair, static axis and operating point whose orders are opposite."""
    return tuple(_inversions(entries))


def _inversions(entries: Sequence[Entry]) -> Iterator[Inversion]:
    for point in operating_points():
        for formal, operational in permutations(entries, 2):
            lost = _gap(operational, formal, point)
            for axis in static_axes() if lost is not None else ():
                gap = _gap(formal, operational, axis)
                if gap is not None and lost is not None:
                    disjoint = intervals_disjoint(formal, operational) if point.bounds is not None else None
                    yield Inversion(formal.label, operational.label, axis.key, point.key, gap, lost, disjoint)


def _gap(larger: Entry, smaller: Entry, axis: Axis) -> float | None:
    """By how much the first exceeds the second; None where it does not, or a reading is missing."""
    high, low = axis.read(larger.analysis), axis.read(smaller.analysis)
    if high is None or low is None or high - low <= TIE:
        return None
    return high - low


def full_inversions(found: Sequence[Inversion]) -> tuple[FullInversion, ...]:
    """The pairs that are inverted on all static axes."""
    axes: dict[FullInversion, set[str]] = {}
    for i in found:
        pair = FullInversion(i.formal, i.operational, i.point, i.operational_gap, i.disjoint)
        axes.setdefault(pair, set()).add(i.axis)
    return tuple(pair for pair, inverted in axes.items() if inverted == {axis.key for axis in static_axes()})


def intervals_disjoint(one: Entry, other: Entry) -> bool | None:
    """Whether the DDR intervals have no point in common; None without both."""
    intervals = [entry.analysis.ddr.interval for entry in (one, other) if entry.analysis.ddr is not None]
    known = [interval for interval in intervals if interval is not None]
    if len(known) < 2:
        return None
    lower, upper = sorted(known)
    return lower[1] < upper[0]


def dominances(entries: Sequence[Entry]) -> tuple[Dominance, ...]:
    """Every ordered pair of fingerprints with the same axes, one uniformly above the other."""
    found = []
    for over, under in permutations(entries, 2):
        both = over.analysis, under.analysis
        points = [point for point in operating_points() if {point.read(one) for one in both} != {None}]
        axes = (*static_axes(), *points[:1])
        pairs = [(axis.read(both[0]), axis.read(both[1])) for axis in axes]
        gaps = [one - other for one, other in pairs if one is not None and other is not None]
        if len(gaps) == len(axes) and min(gaps) >= -TIE and max(gaps) > TIE:
            keys = tuple(axis.key for axis in axes)
            found.append(Dominance(over.label, under.label, keys, intervals_disjoint(over, under)))
    return tuple(found)
