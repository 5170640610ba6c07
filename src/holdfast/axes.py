"""The axes of the fingerprint, one row each: all that is said of an axis anywhere is said here.

Tables, figures, sheets, sentences and gates go over :data:`AXES`. A new metric is its computation, a row here
(which reads it off an :class:`~holdfast.results.Analysis`), and its test.

The *static* axes follow from the solved game alone (WIN, STP, SLT). The others are *operating points*: what
the defender holds while both sides play, learned (DDR) or solved (DDR*).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.numerals import percent

if TYPE_CHECKING:  # the command line reads the table when it starts
    from holdfast.results import Analysis

NO_PLAY = "there is no safe play to measure"


@dataclass(frozen=True)
class Axis:
    """One coordinate of the fingerprint, between 0 and 1, more being better for the defender.

    Attributes:
        key, label, name: in JSON, CSV and options; in tables; and what the label stands for.
        meaning: what it measures, for a reader who sees it for the first time.
        read: the reading of an analysis; None where there is none.
        says: what that reading says, for an analysis that has one.
        undefined: why an analysis cannot have this reading, whatever time it is given; empty if it can.
        bounds: the interval around the reading, where it is an estimate.
        bounds_are: what that interval is.
        hint: a remark on how it was found.
        digits: how many are shown where there is room for few.
        bearing: where the radar draws it, as a unit vector; None for an axis that has no side of its own.
        gated: whether :attr:`option` may ask for a minimum.
        skipped_by: the option that leaves the reading out.
    """

    key: str
    label: str
    name: str
    meaning: str
    read: Callable[[Analysis], float | None]
    says: Callable[[Analysis], str]
    undefined: Callable[[Analysis], str] = lambda analysis: "" if analysis.defensible else NO_PLAY
    static: bool = True
    bounds: Callable[[Analysis], tuple[float, float] | None] | None = None
    bounds_are: str = ""
    hint: str = ""
    digits: int = 4
    bearing: tuple[int, int] | None = None
    gated: bool = False
    skipped_by: str = ""

    @property
    def option(self) -> str:
        """The option that asks for a minimum."""
        return f"--min-{self.key.replace('_', '-')}"

    def described(self, analysis: Analysis) -> str:
        """What the reading says or, where there is none, why."""
        if self.read(analysis) is not None:
            return self.says(analysis)
        return f"{self.name}: {self.undefined(analysis) or 'not computed'}"

    def columns(self, analysis: Analysis) -> dict[str, float | None]:
        """The reading by its key, with both ends of its interval if the axis has one."""
        found = {self.key: self.read(analysis)}
        if self.bounds is not None:
            low, high = self.bounds(analysis) or (None, None)
            found |= {f"{self.key}_low": low, f"{self.key}_high": high}
        return found


# -- what the readings say ----------------------------------------------------------------------------


def _steepness(analysis: Analysis) -> str:
    shells = analysis.shells
    if not shells:
        said = "no position outside the violation is lost"
    elif len(shells) == 1:
        said = "every lost position is 1 move from violation"
    else:
        share = percent(shells[0] / sum(shells))
        said = f"{share} of the lost positions are 1 move from violation, the last {len(shells)}"
    return f"shell steepness: {said}"


def _no_latitude(analysis: Analysis) -> str:
    if analysis.defensible and analysis.reachable is not None and not analysis.reachable.n_defender:
        return "safe play never reaches a defender position"
    return "" if analysis.defensible else NO_PLAY


def _learned(analysis: Analysis) -> str:
    ddr = analysis.ddr
    if ddr is None:
        return ""
    n = len(ddr.per_seed)
    runs = f"mean of {n} trained runs" if n > 1 else "one trained run"
    between = "" if ddr.low is None else f", 95 % interval {ddr.low:.3f} to {ddr.high:.3f}"
    return f"defender dominance: {runs}{between}"


def _solved(analysis: Analysis) -> str:
    exact = analysis.ddr_exact
    if exact is None or exact.tremble is None:
        return "the same, solved exactly"
    tremble = f"{exact.tremble:.4f} if both err in {percent(exact.epsilon)} of their moves"
    return f"the same, solved exactly; {tremble}"


# -- the table ----------------------------------------------------------------------------------------

AXES: tuple[Axis, ...] = (
    Axis(
        key="win",
        label="WIN",
        name="winning fraction",
        meaning="winning fraction: of the positions that do not violate yet, the part from which the "
        "requirement can be kept",
        read=lambda analysis: analysis.win,
        says=lambda analysis: (
            f"winning fraction: the defender holds {percent(analysis.win or 0.0)} of all "
            "positions that do not violate yet"
        ),
        undefined=lambda analysis: "every position violates already" if analysis.win is None else "",
        bearing=(0, 1),
        gated=True,
    ),
    Axis(
        key="stp",
        label="STP",
        name="shell steepness",
        meaning="shell steepness: how much the lost positions crowd at one depth; 0 if every depth has as "
        "many",
        read=lambda analysis: analysis.stp,
        says=_steepness,
        undefined=lambda analysis: "",
        bearing=(1, 0),
    ),
    Axis(
        key="slt",
        label="SLT",
        name="shield latitude",
        meaning="shield latitude: in safe play, the mean part of the defender's actions that stay permitted",
        read=lambda analysis: analysis.slt,
        says=lambda analysis: (
            "shield latitude: in safe play "
            f"{(analysis.slt or 0.0) * analysis.defender_actions:.1f} of the defender's "
            f"{analysis.defender_actions} actions stay permitted"
        ),
        undefined=_no_latitude,
        bearing=(0, -1),
        gated=True,
        skipped_by="--no-latitude",
    ),
    Axis(
        key="ddr",
        label="DDR",
        name="defender dominance",
        meaning="defender dominance: what the defender holds on average once both sides have learned to play",
        static=False,
        read=lambda analysis: None if analysis.ddr is None else analysis.ddr.mean,
        says=_learned,
        bounds=lambda analysis: None if analysis.ddr is None else analysis.ddr.interval,
        bounds_are="95 % interval of DDR over the seeds",
        digits=3,
        bearing=(-1, 0),
        gated=True,
        skipped_by="--no-learning",
    ),
    Axis(
        key="ddr_exact",
        label="DDR*",
        name="the same, solved exactly",
        meaning="the same against perfect play, solved exactly and not learned",
        static=False,
        read=lambda analysis: None if analysis.ddr_exact is None else analysis.ddr_exact.value,
        says=_solved,
        hint="solved exactly",
    ),
)


def axis_of(key: str) -> Axis:
    """The row with this key."""
    return next(axis for axis in AXES if axis.key == key)


def label_of(key: str) -> str:
    """How the axis with this key is called in tables."""
    return axis_of(key).label


def static_axes() -> tuple[Axis, ...]:
    """Those that follow from the solved game alone."""
    return tuple(axis for axis in AXES if axis.static)


def operating_points() -> tuple[Axis, ...]:
    """Those that say what is held while both sides play; the first that was read speaks for all."""
    return tuple(axis for axis in AXES if not axis.static)


# -- gates --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gate:
    """A minimum that was asked for on the axis with a key, the reading, and whether it is met.

    A gate is ``undecided`` where a limit kept the reading from being taken, or from being taken whole.
    """

    axis: str
    minimum: float
    value: float | None
    met: bool
    undecided: bool = False


def gates_of(analysis: Analysis, minima: Mapping[str, float]) -> tuple[Gate, ...]:
    """Each minimum, by the key of its axis, held against the reading; what is not there meets nothing."""
    return tuple(_gate(axis, minima[axis.key], analysis) for axis in AXES if axis.key in minima)


def _gate(axis: Axis, minimum: float, analysis: Analysis) -> Gate:
    value = axis.read(analysis)
    if value is None:
        return Gate(axis.key, minimum, None, met=False, undecided=not axis.undefined(analysis))
    partial = analysis.interrupted and not axis.static
    return Gate(axis.key, minimum, value, met=value >= minimum and not partial, undecided=partial)
