"""The axes of the fingerprint, one row each: all that is said of an axis anywhere is said here.

Tables, figures, sheets, sentences and gates go over :data:`AXES`. A new metric is its computation, a row here
(which reads it off an :class:`~holdfast.readings.results.Analysis`), and its test.

The *static* axes follow from the solved game alone (WIN, STP, SLT). The others are *operating points*: what
the defender holds while both sides play, learned (DDR) or solved (DDR*). :data:`RESPONSE` has the readings of
the response profile, which are whole numbers or unbounded (infinite, to reckon with), in rows of the same
form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.game import UNBOUNDED, bracket, counted, number, percent

if TYPE_CHECKING:  # the command line reads the table when it starts
    from holdfast.readings.results import Analysis

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
        bounds: the two ends between which it is known to lie, or is estimated to lie.
        bounds_are: what these ends are.
        certified: whether the ends are certain. The reading is then None while they are too far apart to
            stand for one number; what is ranked and gated are the ends.
        doubt: why the reading must not be ranked, gated or put into a headline, in a word; empty if it may.
        hint: a remark on how it was found.
        digits: how many are shown where there is room for few.
        bearing: where the radar draws it, as a unit vector; None for an axis that has no side of its own.
        gated: whether :attr:`option` may ask for a minimum (a maximum, where less is better).
        whole: whether it is a whole number, or unbounded, and not a part of one.
        less: whether less of it is better for the defender.
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
    certified: bool = False
    doubt: Callable[[Analysis], str] = lambda analysis: ""
    hint: str = ""
    digits: int = 4
    bearing: tuple[int, int] | None = None
    gated: bool = False
    skipped_by: str = ""
    whole: bool = False
    less: bool = False

    @property
    def option(self) -> str:
        """The option that asks for a minimum, or a maximum."""
        return f"--{'max' if self.less else 'min'}-{self.key.replace('_', '-')}"

    @property
    def sign(self) -> str:
        """What stands between the axis and the bound that was asked for."""
        return "≤" if self.less else "≥"

    def merit(self, analysis: Analysis) -> float | None:
        """The reading such that more is better."""
        value = self.read(analysis)
        return -value if self.less and value is not None else value

    def written(self, value: float | None) -> str:
        """A reading as tables show it."""
        if not self.whole or value is None:
            return number(value, self.digits)
        return "∞" if math.isinf(value) else f"{value:.0f}"

    def firm(self, analysis: Analysis) -> float | None:
        """The reading where it is one number and not in doubt."""
        return None if self.doubt(analysis) else self.read(analysis)

    def ends(self, analysis: Analysis) -> tuple[float, float] | None:
        """What may be ranked and gated: the certain ends, or the reading as both; None where nothing may."""
        if self.doubt(analysis):
            return None
        if self.certified and self.bounds is not None:
            return self.bounds(analysis)
        reading = self.firm(analysis)
        return None if reading is None else (reading, reading)

    def is_read(self, analysis: Analysis) -> bool:
        """Whether there is a reading, be it a pair of ends."""
        return self.read(analysis) is not None or self.ends(analysis) is not None

    def described(self, analysis: Analysis) -> str:
        """What the reading says or, where there is none, why."""
        if self.is_read(analysis):
            return self.says(analysis)
        return f"{self.name}: {self.undefined(analysis) or 'not computed'}"

    def columns(self, analysis: Analysis) -> dict[str, float | str | None]:
        """The reading by its key, with both ends of its interval if the axis has one."""
        found: dict[str, float | str | None] = {self.key: plain_number(self.read(analysis), self.whole)}
        if self.bounds is not None:
            low, high = self.bounds(analysis) or (None, None)
            found |= {f"{self.key}_low": low, f"{self.key}_high": high}
        return found


def plain_number(value: float | None, whole: bool = False) -> float | str | None:
    """A reading as JSON and CSV have it, which know of nothing infinite.

    >>> plain_number(0.5), plain_number(2.0, whole=True), plain_number(math.inf), plain_number(-math.inf)
    (0.5, 2, 'unbounded', '-unbounded')
    """
    if value is None or math.isfinite(value):
        return int(value) if whole and value is not None else value
    return UNBOUNDED if value > 0 else f"-{UNBOUNDED}"


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
    doubt = "" if ddr.settled else f"; {ddr.standing}: {ddr.reason}"
    return f"defender dominance: {runs}{between}{doubt}"


def _solved(analysis: Analysis) -> str:
    exact = analysis.ddr_exact
    if exact is None:
        return ""
    how = "solved exactly" if exact.value is not None else f"certainly {bracket(exact.low, exact.high)}"
    said = f"perfect play: {how}"
    if exact.tremble is None:
        return said
    return f"{said}; {exact.tremble:.4f} if both err in {percent(exact.epsilon)} of their moves"


def _no_response(analysis: Analysis) -> str:
    return analysis.no_response or ("" if analysis.defensible else NO_PLAY)


def _response(analysis: Analysis, name: str) -> float | None:
    found = None if analysis.response is None else getattr(analysis.response, name)
    return math.inf if found == UNBOUNDED else found


def _effort(analysis: Analysis) -> str:
    value = _response(analysis, "effort")
    if value is None:
        return ""
    if not value:
        return "nothing has to be done; idling for ever is safe"
    if math.isinf(value):
        return "no number of interventions is enough for ever"
    if analysis.costs:
        return f"interventions that cost {value:.0f} in all are enough, less is not"
    enough = f"{counted(int(value), 'intervention')} in all {'is' if value == 1 else 'are'} enough"
    return f"{enough}, fewer are not"


def _tempo(analysis: Analysis) -> str:
    value = _response(analysis, "tempo")
    if value is None:
        return ""
    if math.isinf(value):
        return "any pace will do, however long the defender rests between interventions"
    if value == 1:
        return "the defender must be ready to act in every turn"
    return f"one intervention in any {value:.0f} turns is enough, a slower pace is not"


def _grace(analysis: Analysis) -> str:
    value = _response(analysis, "grace")
    if value is None:
        return ""
    if math.isinf(value):
        return "the defender never has to begin"
    if not value:
        return "the defender must act in its first turn"
    return f"the defender may let {counted(int(value), 'turn')} pass before it acts, and not one more"


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
        key="ddr_exact",
        label="DDR*",
        name="dominance of perfect play",
        meaning="what the defender holds on average when both sides play perfectly; solved, not learned",
        static=False,
        read=lambda analysis: None if analysis.ddr_exact is None else analysis.ddr_exact.value,
        says=_solved,
        bounds=lambda analysis: (
            None if analysis.ddr_exact is None else (analysis.ddr_exact.low, analysis.ddr_exact.high)
        ),
        bounds_are="certain ends of DDR*",
        certified=True,
        hint="in perfect play",
        gated=True,
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
        doubt=lambda analysis: "" if analysis.ddr is None or analysis.ddr.settled else analysis.ddr.standing,
        digits=3,
        bearing=(-1, 0),
        gated=True,
        skipped_by="--no-learning",
    ),
)


RESPONSE: tuple[Axis, ...] = (
    Axis(
        key="effort",
        label="effort",
        name="effort",
        meaning="how many interventions hold the design for ever, or what they cost, where the "
        "scenario says what an action costs",
        read=lambda analysis: _response(analysis, "effort"),
        says=_effort,
        undefined=_no_response,
        hint="interventions that are enough",
        gated=True,
        skipped_by="--no-response",
        whole=True,
        less=True,
    ),
    Axis(
        key="tempo",
        label="tempo",
        name="tempo",
        meaning="the most turns of the defender in which one intervention is enough, time and again",
        read=lambda analysis: _response(analysis, "tempo"),
        says=_tempo,
        undefined=_no_response,
        hint="turns to each intervention",
        gated=True,
        skipped_by="--no-response",
        whole=True,
    ),
    Axis(
        key="grace",
        label="grace",
        name="grace",
        meaning="for how many turns the defender may idle at first",
        read=lambda analysis: _response(analysis, "grace"),
        says=_grace,
        undefined=_no_response,
        hint="idle turns at first",
        gated=True,
        skipped_by="--no-response",
        whole=True,
    ),
)
"""What a design demands of those who defend it (:mod:`holdfast.solver.response`)."""


def every_axis() -> tuple[Axis, ...]:
    """The fingerprint, and the response."""
    return (*AXES, *RESPONSE)


def axis_of(key: str) -> Axis:
    """The row with this key."""
    return next(axis for axis in every_axis() if axis.key == key)


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
    """A bound that was asked for on the axis with a key, the reading, and whether it is met.

    The bound is a minimum, or a maximum where less is better. A gate is ``undecided`` where a limit kept the
    reading from being taken, where the bound lies between the ends that are all that is known, and where the
    reading is in doubt. ``reading`` says in words what there is instead of a plain value.
    """

    axis: str
    minimum: float
    value: float | None
    met: bool
    undecided: bool = False
    reading: str = ""


def gates_of(analysis: Analysis, minima: Mapping[str, float]) -> tuple[Gate, ...]:
    """Each bound, by the key of its axis, held against the reading; what is not there meets nothing."""
    return tuple(_gate(axis, minima[axis.key], analysis) for axis in every_axis() if axis.key in minima)


def _gate(axis: Axis, minimum: float, analysis: Analysis) -> Gate:
    value, ends, doubt = axis.read(analysis), axis.ends(analysis), axis.doubt(analysis)
    if ends is None:
        undecided = bool(doubt) or not axis.undefined(analysis)
        reading = f"{value:.8g}, {doubt}" if doubt and value is not None else ""
        return Gate(axis.key, minimum, value, met=False, undecided=undecided, reading=reading)
    met, missed = ends[0] >= minimum, ends[1] < minimum
    if axis.less:
        met, missed = ends[1] <= minimum, ends[0] > minimum
    reading = "" if value is not None else bracket(*ends)
    return Gate(axis.key, minimum, value, met=met, undecided=not (met or missed), reading=reading)


def gate_columns(gate: Gate) -> dict[str, object]:
    """A gate as plain data for JSON."""
    axis = axis_of(gate.axis)
    return {
        "axis": gate.axis,
        "maximum" if axis.less else "minimum": plain_number(gate.minimum, axis.whole),
        "value": plain_number(gate.value, axis.whole),
        "met": gate.met,
        "undecided": gate.undecided,
    }
