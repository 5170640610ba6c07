"""What a comparison finds, as frozen values; and those that follow from the fingerprint table alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any

from holdfast.game import UNBOUNDED, Displayed
from holdfast.readings.reading import Reading, plain_number
from holdfast.readings.results import Analysis
from holdfast.readings.table import (
    fingerprint_readings,
    operating_points,
    reading_of,
    recovery_readings,
    response_readings,
    static_readings,
)

ARENA, DOMINANCE, RESET, SIGHT = "arena", "dominance", "reset", "sight"
REQUIREMENT, BOUNDARY = "requirement", "boundary"
SPECIFICATIONS = (REQUIREMENT, BOUNDARY)
PARTS = {
    ARENA: "arena",
    DOMINANCE: "μ",
    RESET: "reset",
    SIGHT: "what is seen",
    REQUIREMENT: "requirement",
    BOUNDARY: "limits on the adversary",
}
"""The parts of a configuration, and how they are written."""

TIE = 1e-9
"""Readings closer than this are equal: they differ by rounding alone."""

DEEP = 3
"""From this rank on a forcing line is more than an immediate exposure (sec:demo-structure)."""


@dataclass(frozen=True)
class Movement:
    """A quantity before and after; absolute and relative change are None where they are not defined."""

    before: float | None
    after: float | None
    absolute: float | None
    relative: float | None


def movement(before: float | None, after: float | None) -> Movement:
    """A movement, None where a side is missing, and relative only to what is not 0.

    >>> movement(0.5, 0.25)
    Movement(before=0.5, after=0.25, absolute=-0.25, relative=-0.5)
    >>> movement(0.0, 0.25).relative, movement(0.5, None).absolute
    (None, None)
    >>> movement(2, math.inf)
    Movement(before=2, after=inf, absolute=inf, relative=None)
    """
    if before is None or after is None:
        return Movement(before, after, None, None)
    change = 0 if before == after else after - before
    return Movement(before, after, change, change / before if before and math.isfinite(change) else None)


@dataclass(frozen=True)
class Entry:
    """A row of the fingerprint table: a design by its name, its readings, and those of the base."""

    label: str
    analysis: Analysis
    base: Analysis

    @property
    def burden(self) -> float | None:
        """The holding burden 1 − DDR (sec:demo-operation); None without a DDR that has settled."""
        return _burden(self.analysis)

    @property
    def burden_ratio(self) -> float | None:
        """The burden over that of the base."""
        return _ratio(self.burden, _burden(self.base))

    def reading(self, axis: str) -> float | None:
        """The reading on the axis with this key."""
        return reading_of(axis).read(self.analysis)

    def marks(self, axis: str) -> tuple[float, ...]:
        """What a figure marks on the axis with this key: the reading, its two ends, or nothing."""
        reading = self.reading(axis)
        return (reading,) if reading is not None else reading_of(axis).ends(self.analysis) or ()

    def columns(self) -> dict[str, Any]:
        """The row with its numbers by name, as CSV and JSON give them."""
        one = self.analysis
        return {
            "label": self.label,
            "defensible": one.defensible,
            "positions": one.positions,
            "unsafe": one.unsafe,
            "winning": one.winning,
            "shells": one.shells,
            **_columns(fingerprint_readings(), one),
            "ddr_standing": None if one.ddr is None else one.ddr.standing,
            **_columns(recovery_readings(), one),
            **_likely_columns(one),
            **_columns(response_readings(), one),
            "burden": self.burden,
            "burden_ratio": self.burden_ratio,
            "undecided": one.undecided,
        }


def _columns(rows: Sequence[Reading], analysis: Analysis) -> dict[str, Any]:
    return {name: value for axis in rows for name, value in axis.columns(analysis).items()}


def _likely_columns(analysis: Analysis) -> dict[str, Any]:
    """How likely it holds, for ever and for the moves that were asked for; nothing where nobody asked."""
    if analysis.hold is None:
        return {}
    keys = ["hold", *(f"hold@{moves}" for moves in analysis.hold.moves)]
    return _columns([reading_of(key) for key in keys], analysis)


def _burden(analysis: Analysis) -> float | None:
    return None if analysis.ddr is None or not analysis.ddr.settled else 1.0 - analysis.ddr.mean


def _ratio(one: float | None, other: float | None) -> float | None:
    return None if one is None or not other else one / other


@dataclass(frozen=True)
class ShellChange:
    """|Sh_k| before and after, or the sum over the ranks ``first`` to ``last``.

    ``before`` or ``after`` is None past the last rank of its side; such a shell is empty, and the
    absolute change counts it so.
    """

    first: int
    last: int
    size: Movement


def combined(before: tuple[int, ...], after: tuple[int, ...], first: int, last: int) -> ShellChange:
    """The mass of the ranks ``first`` to ``last``.

    >>> combined((19238, 6392, 256, 384), (12914, 2992, 64, 64), 3, 4).size
    Movement(before=640, after=128, absolute=-512, relative=-0.8)
    """
    old, new = sum(before[first - 1 : last]), sum(after[first - 1 : last])
    size = replace(
        movement(old, new),
        before=old if first <= len(before) else None,
        after=new if first <= len(after) else None,
    )
    return ShellChange(first, last, size)


@dataclass(frozen=True)
class RankMatrix:
    """How positions outside U moved between ranks, None standing for W.

    Attributes:
        before, after: the ranks that the rows and the columns stand for.
        counts: ``counts[i][j]`` positions had rank ``before[i]`` and have rank ``after[j]``.
        n_changed: how many lie off the diagonal.
    """

    before: tuple[int | None, ...]
    after: tuple[int | None, ...]
    counts: tuple[tuple[int, ...], ...]
    n_changed: int


@dataclass(frozen=True)
class Channels:
    """The two channels through which SLT moved (sec:demo-attribution), over R ∩ V_D.

    Attributes:
        n_shared: positions that both have, of which ``n_narrowed`` permit a proper subset of before,
            ``n_widened`` a proper superset and ``n_exchanged`` neither.
        n_left, n_entered: positions only before, and only after.
        latitude_shared_before, latitude_shared_after, latitude_left, latitude_entered: the mean of
            |Safe(v)|/|Act_D| over those, None over none.
        by_menus, by_domain: ΔSLT split in two, exactly: the change of the mean over the shared positions,
            and the rest, which only leaving and entering positions make. None where nothing is shared.
    """

    n_shared: int
    n_narrowed: int
    n_widened: int
    n_exchanged: int
    n_left: int
    n_entered: int
    latitude_shared_before: float | None
    latitude_shared_after: float | None
    latitude_left: float | None
    latitude_entered: float | None
    by_menus: float | None
    by_domain: float | None

    @property
    def n_changed(self) -> int:
        """Shared positions whose menu is another one."""
        return self.n_narrowed + self.n_widened + self.n_exchanged


@dataclass(frozen=True)
class Delta:
    """One variant against the base.

    Attributes:
        changed: which parts of the configuration differ (:data:`ARENA`, …), None where that is not known.
        movements: the signed vector ΔF, by the keys of the axes.
        shells: rank by rank.
        changed_ranks: the ranks whose shell has another size.
        deep: the ranks 3 and up together, where there is more than one.
        same_memory: whether matched positions have the same memory of the play: False where a changed
            specification gives an automaton state another meaning; None where positions are not matched.
        ranks, channels: None where positions cannot be matched; ``…_unknown`` then says why.
    """

    label: str
    changed: tuple[str, ...] | None
    movements: dict[str, Movement]
    shells: tuple[ShellChange, ...]
    changed_ranks: tuple[int, ...]
    deep: ShellChange | None
    same_memory: bool | None
    ranks: RankMatrix | None
    ranks_unknown: str | None
    channels: Channels | None
    channels_unknown: str | None


@dataclass(frozen=True)
class Inversion:
    """A pair that a static axis and an operating point order in opposite ways (sec:demo-inversion).

    Attributes:
        formal: the one with the larger static reading.
        operational: the one with the larger operating point.
        axis, point: the keys of a static axis and of an operating point.
        static_gap, operational_gap: both positive.
        disjoint: whether the DDR intervals are; None for DDR*, whose ends are certain, and without intervals.
    """

    formal: str
    operational: str
    axis: str
    point: str
    static_gap: float
    operational_gap: float
    disjoint: bool | None


@dataclass(frozen=True)
class FullInversion:
    """A pair inverted on every static axis at once."""

    formal: str
    operational: str
    point: str
    operational_gap: float
    disjoint: bool | None


@dataclass(frozen=True)
class Dominance:
    """A fingerprint at least as large as another on every axis and larger on one (sec:demo-fingerprint).

    Attributes:
        axes: those compared: the static ones, and DDR* or, where neither has it, DDR, if that was read.
        disjoint: whether the DDR intervals are, None where they were not compared or there are none.
    """

    over: str
    under: str
    axes: tuple[str, ...]
    disjoint: bool | None


@dataclass(frozen=True)
class Disagreement:
    """A pair that training puts in an order which perfect play does not have.

    Attributes:
        above, below: by DDR, of which both have settled and the intervals do not overlap.
        learned_gap: how far DDR puts them apart.
        perfect_gap: by how much ``below`` certainly holds more in perfect play, by DDR*; 0 if they are equal.
    """

    above: str
    below: str
    learned_gap: float
    perfect_gap: float


@dataclass(frozen=True)
class Spread:
    """The heaviest and the lightest holding burden, and their ratio (None over a burden of 0)."""

    heaviest: str
    lightest: str
    ratio: float | None


@dataclass(frozen=True)
class Refinement:
    """prop:refinement between two that differ in φ_A alone, one boundary inside the other.

    Attributes:
        free, restricted: the wider boundary and the narrower one.
        scope: what was compared: ``positions`` one by one, the ``count`` |W|, or only the
            ``certificate`` where positions do not correspond.
        holds: False would contradict the proposition, hence this program.
        n_gained: how many positions the restriction adds to W.
    """

    free: str
    restricted: str
    scope: str
    holds: bool
    n_gained: int | None


@dataclass(frozen=True)
class Comparison(Displayed):
    """Everything found; ``deltas`` are against ``base``, the other findings are over all pairs.

    ``response_inversions`` are between a reading of recovery or response and a static axis, or an operating
    point.
    """

    base: str
    entries: tuple[Entry, ...]
    deltas: tuple[Delta, ...]
    inversions: tuple[Inversion, ...]
    full_inversions: tuple[FullInversion, ...]
    disagreements: tuple[Disagreement, ...]
    dominances: tuple[Dominance, ...]
    spread: Spread | None
    refinements: tuple[Refinement, ...]
    warnings: tuple[str, ...]
    response_inversions: tuple[Inversion, ...] = ()

    def entry(self, label: str) -> Entry:
        """The row with this label."""
        return next(entry for entry in self.entries if entry.label == label)

    def delta(self, label: str) -> Delta:
        """The variant with this label against the base."""
        return next(delta for delta in self.deltas if delta.label == label)


def comparison_object(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data for JSON."""
    plain: dict[str, Any] = asdict(replace(comparison, entries=()))
    for delta in plain["deltas"]:
        moved = delta["movements"].items()
        delta["movements"] = {key: _finite(one, reading_of(key).endless) for key, one in moved}
    entries = [entry.columns() for entry in comparison.entries]
    return {key: _finite(value) for key, value in plain.items()} | {"entries": entries}


def _finite(data: Any, endless: str = UNBOUNDED) -> Any:
    """Plain data without infinite numbers, which JSON does not have: ``endless`` takes their place."""
    if isinstance(data, dict):
        return {key: _finite(value, endless) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value, endless) for value in data]
    return plain_number(data, endless=endless) if isinstance(data, float) else data


# -- what the numbers alone say -----------------------------------------------------------------------


def spread(entries: Sequence[Entry]) -> Spread | None:
    """The extremes of the holding burden, where two have one."""
    burdens = [(e.burden, e.label) for e in entries if e.burden is not None]
    if len(burdens) < 2:
        return None
    lightest, heaviest = min(burdens), max(burdens)
    return Spread(heaviest[1], lightest[1], _ratio(heaviest[0], lightest[0]))


def inversions(entries: Sequence[Entry]) -> Iterator[Inversion]:
    """Every pair, static axis and operating point whose orders are certainly opposite."""
    return _inversions(entries, static_readings(), operating_points())


def response_inversions(entries: Sequence[Entry]) -> Iterator[Inversion]:
    """Those of a reading of recovery or response with a static axis, and with an operating point."""
    asked = (*recovery_readings(), *response_readings())
    yield from _inversions(entries, static_readings(), asked)
    yield from _inversions(entries, asked, operating_points())


def _inversions(
    entries: Sequence[Entry], formally: Sequence[Reading], points: Sequence[Reading]
) -> Iterator[Inversion]:
    for point in points:
        for formal, operational in permutations(entries, 2):
            lost = _gap(operational, formal, point)
            for axis in formally if lost is not None else ():
                gap = _gap(formal, operational, axis)
                if gap is not None and lost is not None:
                    disjoint = intervals_disjoint(formal, operational) if point.learned else None
                    yield Inversion(formal.label, operational.label, axis.key, point.key, gap, lost, disjoint)


def disagreements(entries: Sequence[Entry]) -> Iterator[Disagreement]:
    """Every pair in whose order DDR and DDR* differ."""
    learned, perfect = reading_of("ddr"), reading_of("ddr_exact")
    for above, below in permutations(entries, 2):
        gap, ahead = _gap(above, below, learned), certain_gap(below, above, perfect)
        if gap is None or ahead is None or intervals_disjoint(above, below) is False:
            continue
        if ahead >= -TIE:
            yield Disagreement(above.label, below.label, gap, ahead if ahead > TIE else 0.0)


def certain_gap(larger: Entry, smaller: Entry, axis: Reading) -> float | None:
    """By how much the first certainly exceeds the second, at least; None where nothing may be ranked."""
    high, low = axis.ends(larger.analysis), axis.ends(smaller.analysis)
    if high is None or low is None:
        return None
    better, worse = (-high[1], -low[0]) if axis.less else (high[0], low[1])
    return 0.0 if better == worse else better - worse


def _gap(larger: Entry, smaller: Entry, axis: Reading) -> float | None:
    """The certain gap; None where there is none."""
    gap = certain_gap(larger, smaller, axis)
    return gap if gap is not None and gap > TIE else None


def full_inversions(found: Sequence[Inversion]) -> tuple[FullInversion, ...]:
    """The pairs that are inverted on all static axes."""
    inverted: dict[FullInversion, set[str]] = {}
    for i in found:
        pair = FullInversion(i.formal, i.operational, i.point, i.operational_gap, i.disjoint)
        inverted.setdefault(pair, set()).add(i.axis)
    whole = {axis.key for axis in static_readings()}
    return tuple(pair for pair, keys in inverted.items() if keys == whole)


def intervals_disjoint(one: Entry, other: Entry) -> bool | None:
    """Whether the DDR intervals have no point in common; None without both, or where a DDR is in doubt."""
    learned = reading_of("ddr")
    if learned.ends(one.analysis) is None or learned.ends(other.analysis) is None:
        return None
    intervals = [entry.analysis.ddr.interval for entry in (one, other) if entry.analysis.ddr is not None]
    known = [interval for interval in intervals if interval is not None]
    if len(known) < 2:
        return None
    lower, upper = sorted(known)
    return lower[1] < upper[0]


def dominances(entries: Sequence[Entry]) -> Iterator[Dominance]:
    """Every ordered pair of fingerprints with the same axes, one certainly and uniformly above the other."""
    for over, under in permutations(entries, 2):
        both = over.analysis, under.analysis
        points = [point for point in operating_points() if any(point.ends(one) is not None for one in both)]
        compared = (*static_readings(), *points[:1])
        distances = [certain_gap(over, under, axis) for axis in compared]
        gaps = [gap for gap in distances if gap is not None]
        if len(gaps) == len(compared) and min(gaps) >= -TIE and max(gaps) > TIE:
            keys = tuple(axis.key for axis in compared)
            certain = all(axis.certified for axis in points[:1])
            yield Dominance(
                over.label, under.label, keys, None if certain else intervals_disjoint(over, under)
            )
