"""What a row of the table of readings says: how a reading is called, taken, written, ranked and shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from holdfast.game import UNBOUNDED, number

if TYPE_CHECKING:  # the command line reads the table when it starts
    from holdfast.readings.results import Analysis

NO_PLAY = "there is no safe play to measure"

Group = Literal["fingerprint", "recovery", "response", "chance", "apart"]
"""The tables of a report: numbers between 0 and 1, how soon it is over, what that asks of people, how likely
it holds, or none: what is shown only where changes are weighed."""

AnalysisStep = Literal["", "latitude", "hold", "recovery", "response", "exact", "learning"]
"""What a reading needs besides the verdict: a field of :class:`~holdfast.readings.analysis.Asked`."""


@dataclass(frozen=True)
class Reading:
    """One quantity that is measured of a design.

    Attributes:
        key, label, name: in JSON, CSV and options; in tables; and what the label stands for.
        meaning: what it measures, for somebody who sees it for the first time.
        read: takes it from an analysis; None where there is none.
        says: what its value says, for an analysis that has one.
        undefined: why an analysis cannot have it, whatever time it is given; empty if it can.
        group: the table it stands in.
        needs: what has to be asked of an analysis to have it.
        bounds: the two ends between which it is known to lie, or is estimated to lie.
        bounds_are: what these ends are.
        certified: whether the ends are certain. ``read`` then gives None while they are too far apart to
            stand for one number; what is ranked and gated are the ends.
        doubt: why it must not be ranked, gated or put into a headline, in a word; empty if it may.
        hint: a remark on how it was found, for the head of a column.
        digits: how many are shown where there is room for few.
        whole: whether it is a whole number, or infinite, and not a part of one.
        less: whether less of it is better for the defender.
        endless: what it is called when it is infinite: ``unbounded``, written ∞, or a word such as ``never``.
        gated: whether :attr:`option` may ask for a minimum (a maximum, where less is better).
        gain: how an improvement is told, with {before} and {after}; empty if changes are not weighed by it.
        burden: whether what a part carries is told by it.
        radar: whether it is a side of the radar.
        solves: the key of a learned reading that it is the exact counterpart of, and whose side it shares.
        brief: whether it is shown where there is room for few readings.
    """

    key: str
    label: str
    name: str
    meaning: str
    read: Callable[[Analysis], float | None]
    says: Callable[[Analysis], str]
    undefined: Callable[[Analysis], str] = lambda analysis: "" if analysis.defensible else NO_PLAY
    group: Group = "fingerprint"
    needs: AnalysisStep = ""
    bounds: Callable[[Analysis], tuple[float, float] | None] | None = None
    bounds_are: str = ""
    certified: bool = False
    doubt: Callable[[Analysis], str] = lambda analysis: ""
    hint: str = ""
    digits: int = 4
    whole: bool = False
    less: bool = False
    endless: str = UNBOUNDED
    gated: bool = False
    gain: str = ""
    burden: bool = False
    radar: bool = False
    solves: str = ""
    brief: bool = False

    @property
    def static(self) -> bool:
        """Whether it follows from the solved game alone, without asking how anybody plays."""
        return self.needs not in ("exact", "learning")

    @property
    def learned(self) -> bool:
        """Whether players have to be trained for it."""
        return self.needs == "learning"

    @property
    def weighed(self) -> bool:
        """Whether a change of a design is judged by it."""
        return bool(self.gain)

    @property
    def option(self) -> str:
        """The option that asks for a minimum, or a maximum."""
        return f"--{'max' if self.less else 'min'}-{self.key.replace('_', '-')}"

    @property
    def skipped_by(self) -> str:
        """The option that leaves it out, where there is one."""
        return f"--no-{self.needs}" if self.needs else ""

    @property
    def sign(self) -> str:
        """What stands between the reading and the bound that was asked for."""
        return "≤" if self.less else "≥"

    def merit(self, analysis: Analysis) -> float | None:
        """The value, turned so that more is better."""
        value = self.read(analysis)
        return -value if self.less and value is not None else value

    def merits(self, analysis: Analysis) -> tuple[float, float] | None:
        """The two ends that may be ranked, turned so that more is better; None where nothing may be."""
        ends = self.ends(analysis)
        return (-ends[1], -ends[0]) if self.less and ends is not None else ends

    def written(self, value: float | None) -> str:
        """A value as tables show it."""
        if value is not None and math.isinf(value):
            return "∞" if self.endless == UNBOUNDED else self.endless
        return f"{value:.0f}" if self.whole and value is not None else number(value, self.digits)

    def plain(self, value: float | None) -> float | str | None:
        """A value as JSON and CSV have it."""
        return plain_number(value, self.whole, self.endless)

    def firm(self, analysis: Analysis) -> float | None:
        """The value where it is one number and not in doubt."""
        return None if self.doubt(analysis) else self.read(analysis)

    def ends(self, analysis: Analysis) -> tuple[float, float] | None:
        """What may be ranked and gated: the certain ends, or the value as both; None where nothing may be."""
        if self.doubt(analysis):
            return None
        if self.certified and self.bounds is not None:
            return self.bounds(analysis)
        value = self.firm(analysis)
        return None if value is None else (value, value)

    def is_read(self, analysis: Analysis) -> bool:
        """Whether there is a value, be it a pair of ends."""
        return self.read(analysis) is not None or self.ends(analysis) is not None

    def described(self, analysis: Analysis) -> str:
        """What the value says or, where there is none, why."""
        if self.is_read(analysis):
            return self.says(analysis)
        return f"{self.name}: {self.undefined(analysis) or 'not computed'}"

    def columns(self, analysis: Analysis) -> dict[str, float | str | None]:
        """The value by its key, with both ends of its interval if the reading has one."""
        columns = {self.key: self.plain(self.read(analysis))}
        if self.bounds is not None:
            low, high = self.bounds(analysis) or (None, None)
            columns |= {f"{self.key}_low": self.plain(low), f"{self.key}_high": self.plain(high)}
        return columns


def plain_number(value: float | None, whole: bool = False, endless: str = UNBOUNDED) -> float | str | None:
    """A value as JSON and CSV have it, which know of nothing infinite.

    >>> plain_number(0.5), plain_number(2.0, whole=True), plain_number(math.inf), plain_number(-math.inf)
    (0.5, 2, 'unbounded', '-unbounded')
    >>> plain_number(math.inf, whole=True, endless="never")
    'never'
    """
    if value is None or math.isfinite(value):
        return int(value) if whole and value is not None else value
    return endless if value > 0 else f"-{endless}"
