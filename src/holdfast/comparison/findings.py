"""What a comparison finds, as frozen values of numbers and words."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from holdfast import axes
from holdfast.results import Analysis

ARENA, DOMINANCE, RESET = "arena", "dominance", "reset"
REQUIREMENT, BOUNDARY = "requirement", "boundary"
SPECIFICATIONS = (REQUIREMENT, BOUNDARY)
PARTS = {ARENA: "arena", DOMINANCE: "μ", RESET: "reset", REQUIREMENT: "φ_D", BOUNDARY: "φ_A"}
"""The parts of a configuration, and how they are written."""


@dataclass(frozen=True)
class Movement:
    """A quantity before and after; absolute and relative change are None where they are not defined."""

    before: float | None
    after: float | None
    absolute: float | None
    relative: float | None


@dataclass(frozen=True)
class Entry:
    """A row of the fingerprint table.

    Attributes:
        label: the name of the design in the comparison.
        analysis: its readings.
        burden: the holding burden 1 − DDR (sec:demo-operation); None without DDR.
        burden_ratio: ``burden`` over that of the base.
    """

    label: str
    analysis: Analysis
    burden: float | None
    burden_ratio: float | None

    def reading(self, axis: str) -> float | None:
        """The reading on the axis with this key."""
        return axes.axis_of(axis).read(self.analysis)

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
            **{name: value for axis in axes.AXES for name, value in axis.columns(one).items()},
            "burden": self.burden,
            "burden_ratio": self.burden_ratio,
            "undecided": one.undecided,
        }


@dataclass(frozen=True)
class ShellChange:
    """|Sh_k| before and after, or the sum over the ranks ``first`` to ``last``.

    ``before`` or ``after`` is None past the last rank of its side; such a shell is empty, and the
    absolute change counts it so.
    """

    first: int
    last: int
    size: Movement


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
        disjoint: whether the DDR intervals are; None for DDR*, which is exact, and without intervals.
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
        axes: those compared: the static ones, and DDR or, where neither has it, DDR*, if that was read.
        disjoint: whether the DDR intervals are, None without them.
    """

    over: str
    under: str
    axes: tuple[str, ...]
    disjoint: bool | None


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
class Comparison:
    """Everything found; ``deltas`` are against ``base``, the other findings are over all pairs."""

    base: str
    entries: tuple[Entry, ...]
    deltas: tuple[Delta, ...]
    inversions: tuple[Inversion, ...]
    full_inversions: tuple[FullInversion, ...]
    dominances: tuple[Dominance, ...]
    spread: Spread | None
    refinements: tuple[Refinement, ...]
    warnings: tuple[str, ...]

    def entry(self, label: str) -> Entry:
        """The row with this label."""
        return next(entry for entry in self.entries if entry.label == label)

    def delta(self, label: str) -> Delta:
        """The variant with this label against the base."""
        return next(delta for delta in self.deltas if delta.label == label)


def to_object(comparison: Comparison) -> dict[str, Any]:
    """The comparison as plain data for JSON."""
    plain = asdict(replace(comparison, entries=()))
    return plain | {"entries": [entry.columns() for entry in comparison.entries]}
