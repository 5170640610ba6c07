"""Every published number beside ours, and whether they agree.

- ``agrees``: the printed number is a correct rounding of ours, or its bound holds, or the words are the same;
- ``as given``: it is a setting that Holdfast was told, and no result; any other would be a difference;
- ``agrees from printed inputs``: ours does not round to it, but computing it from the rounded readings that
  the paper prints in its tables gives it exactly: the paper rounded before it calculated;
- ``declared``: it is shown without being compared, and why is said;
- ``differs as declared``: it does not come out of the paper's own figures either. Which number comes out
  instead is on record, with the reason, and is held to: any other is an ordinary difference;
- ``differs``: none of these;
- ``not run``: ours was not computed.

Only ``differs`` makes a reproduction fail: a difference that every run would report again says nothing about
the run. Numbers of the tables have no second chance, since they are the inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from holdfast.reproduce.evidence import Evidence, printed_evidence
from holdfast.reproduce.printed import Number, Printed, agrees, as_number, in_unit, printed_number, rounded
from holdfast.reproduce.published import Figure, Published
from holdfast.reproduce.quantities import DERIVED, QUANTITIES


class Status(StrEnum):
    """How a published number and ours relate."""

    AGREES = "agrees"
    GIVEN = "as given"
    FROM_PRINTED = "agrees from printed inputs"
    DECLARED = "declared"
    KNOWN = "differs as declared"
    DIFFERS = "differs"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Line:
    """A published number and ours.

    Attributes:
        figure: the published one.
        ours: unrounded, a part of one where a percentage is printed; a text where the paper has one; None
            where it was not run.
        rounded: ours as the paper prints it, beside a bound with one digit more.
        difference: ours less the printed number, in the printed unit; None for texts.
        from_printed: the same quantity from the paper's printed readings, where it is derived from them.
        rounded_from_printed: that, as the paper prints it.
        status: how they relate.
        reason: why it does not simply agree.
    """

    figure: Figure
    ours: Number | str | None
    rounded: str
    difference: float | None
    from_printed: Number | None
    rounded_from_printed: str
    status: Status
    reason: str = ""


def compare_all(paper: Published, evidence: Evidence) -> tuple[Line, ...]:
    """Every published number beside ours."""
    inputs = printed_evidence(paper)
    return tuple(_line(figure, evidence, inputs) for figure in paper.figures)


def _line(figure: Figure, evidence: Evidence, inputs: Evidence) -> Line:
    quantity = QUANTITIES[figure.quantity]
    ours = quantity(evidence, **figure.arguments)
    printed = printed_number(figure.stated)
    if ours is None:
        return Line(figure, None, "", None, None, "", Status.NOT_RUN, "this needs what was not run")
    if isinstance(ours, str) or printed is None:
        same = str(ours) == figure.printed
        return Line(figure, ours, str(ours), None, None, "", Status.AGREES if same else Status.DIFFERS)
    again = quantity(inputs, **figure.arguments) if quantity in DERIVED else None
    from_printed = None if isinstance(again, str) else again
    status, reason = _status(figure, printed, ours, from_printed)
    extra = int(figure.relation != "is" and in_unit(ours, printed).denominator != 1)
    return Line(
        figure=figure,
        ours=ours,
        rounded=rounded(ours, printed, extra),
        difference=float(in_unit(ours, printed) - printed.value),
        from_printed=from_printed,
        rounded_from_printed="" if from_printed is None else rounded(from_printed, printed, extra),
        status=status,
        reason=reason,
    )


def _status(figure: Figure, printed: Printed, ours: Number, again: Number | None) -> tuple[Status, str]:
    if figure.incomparable:
        return Status.DECLARED, figure.incomparable
    if _holds(figure, printed, ours):
        return (Status.GIVEN if figure.given else Status.AGREES), ""
    if again is not None and _holds(figure, printed, again):
        return Status.FROM_PRINTED, "the paper computes it from the rounded readings of its tables"
    if figure.known:
        known = printed_number(figure.known)
        if known is not None and agrees(ours, known):
            return Status.KNOWN, figure.because
        return Status.DIFFERS, f"on record is that {figure.known} comes out instead, and this is neither"
    return Status.DIFFERS, ""


def _holds(figure: Figure, printed: Printed, ours: Number) -> bool:
    """Whether the number is what is printed, or on the stated side of it."""
    if figure.relation == "is":
        return agrees(ours, printed)
    gap = in_unit(ours, printed) - printed.value
    return gap < 0 if figure.relation == "below" else gap > 0


NOT_COMPARED = (Status.GIVEN, Status.DECLARED, Status.NOT_RUN)


@dataclass(frozen=True)
class Summary:
    """How the comparison came out.

    Attributes:
        counts: how many lines have each status.
        n_table, n_table_agreeing: those in the paper's tables that were compared, and those that agree.
    """

    counts: dict[Status, int]
    n_table: int
    n_table_agreeing: int

    @property
    def n_compared(self) -> int:
        """Lines on which ours could have come out otherwise than the paper's."""
        return sum(n for status, n in self.counts.items() if status not in NOT_COMPARED)

    @property
    def reproduced(self) -> bool:
        """Whether nothing that was run differs."""
        return self.counts[Status.DIFFERS] == 0

    @property
    def to_the_digit(self) -> bool:
        """Whether nothing differs, the differences on record and rounded inputs not excused."""
        return not any(self.counts[s] for s in (Status.DIFFERS, Status.KNOWN, Status.FROM_PRINTED))


def summary(lines: Sequence[Line]) -> Summary:
    """Count."""
    found = Counter(line.status for line in lines)
    tables = [line for line in lines if line.figure.in_table and line.status not in NOT_COMPARED]
    agreeing = sum(line.status is Status.AGREES for line in tables)
    return Summary({status: found[status] for status in Status}, len(tables), agreeing)


def number_text(value: Number | str | None) -> str:
    """A value of ours, unrounded: counts and fractions that end are exact, other numbers as doubles.

    >>> from fractions import Fraction
    >>> number_text(Fraction(1, 8)), number_text(23730), number_text(None)
    ('0.125', '23730', '')
    """
    if value is None or isinstance(value, str):
        return value or ""
    return repr(as_number(value))
