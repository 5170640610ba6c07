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

from holdfast.apps.reproduce.claims import Claim, Published
from holdfast.apps.reproduce.evidence import Evidence, Readings, printed_readings
from holdfast.apps.reproduce.quantities import DERIVED, QUANTITIES, Untrained
from holdfast.apps.reproduce.rounding import PlainNumber, Printed, agrees, in_unit, printed_number, rounded


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
class Assessment:
    """A published number and ours.

    Attributes:
        claim: the published one.
        ours: unrounded, a part of one where a percentage is printed; a text where the paper has one; None
            where it was not run.
        rounded: ours as the paper prints it, beside a bound with one digit more.
        difference: ours less the printed number, in the printed unit; None for texts.
        from_printed: the same quantity from the paper's printed readings, where it is derived from them.
        rounded_from_printed: that, as the paper prints it.
        status: how they relate.
        reason: why it does not simply agree.
    """

    claim: Claim
    ours: PlainNumber | str | None
    rounded: str
    difference: float | None
    from_printed: PlainNumber | None
    rounded_from_printed: str
    status: Status
    reason: str = ""


def assess(paper: Published, evidence: Evidence) -> tuple[Assessment, ...]:
    """Every published number beside ours."""
    printed = printed_readings(paper)
    return tuple(_assessment(claim, evidence, printed) for claim in paper.claims)


def _assessment(claim: Claim, evidence: Evidence, inputs: Readings) -> Assessment:
    quantity = QUANTITIES[claim.quantity]
    derived = quantity in DERIVED
    try:
        ours = quantity(evidence.readings if derived else evidence, **claim.arguments)
    except Untrained:
        ours = None
    printed = printed_number(claim.stated)
    if ours is None:
        return Assessment(claim, None, "", None, None, "", Status.NOT_RUN, "this needs what was not run")
    if isinstance(ours, str) or printed is None:
        same = str(ours) == claim.printed
        return Assessment(claim, ours, str(ours), None, None, "", Status.AGREES if same else Status.DIFFERS)
    again = quantity(inputs, **claim.arguments) if derived else None
    from_printed = None if isinstance(again, str) else again
    status, reason = _status(claim, printed, ours, from_printed)
    extra = int(claim.relation != "is" and in_unit(ours, printed).denominator != 1)
    return Assessment(
        claim=claim,
        ours=ours,
        rounded=rounded(ours, printed, extra),
        difference=float(in_unit(ours, printed) - printed.value),
        from_printed=from_printed,
        rounded_from_printed="" if from_printed is None else rounded(from_printed, printed, extra),
        status=status,
        reason=reason,
    )


def _status(
    claim: Claim, printed: Printed, ours: PlainNumber, again: PlainNumber | None
) -> tuple[Status, str]:
    if claim.incomparable:
        return Status.DECLARED, claim.incomparable
    if _holds(claim, printed, ours):
        return (Status.GIVEN if claim.given else Status.AGREES), ""
    if again is not None and _holds(claim, printed, again):
        return Status.FROM_PRINTED, "the paper computes it from the rounded readings of its tables"
    if claim.known:
        known = printed_number(claim.known)
        if known is not None and agrees(ours, known):
            return Status.KNOWN, claim.because
        return Status.DIFFERS, f"on record is that {claim.known} comes out instead, and this is neither"
    return Status.DIFFERS, ""


def _holds(claim: Claim, printed: Printed, ours: PlainNumber) -> bool:
    """Whether the number is what is printed, or on the stated side of it."""
    if claim.relation == "is":
        return agrees(ours, printed)
    gap = in_unit(ours, printed) - printed.value
    return gap < 0 if claim.relation == "below" else gap > 0


NOT_COMPARED = (Status.GIVEN, Status.DECLARED, Status.NOT_RUN)


@dataclass(frozen=True)
class Summary:
    """How the comparison came out.

    Attributes:
        counts: how many assessments have each status.
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


def summary(assessments: Sequence[Assessment]) -> Summary:
    """Count."""
    counts = Counter(one.status for one in assessments)
    tables = [one for one in assessments if one.claim.in_table and one.status not in NOT_COMPARED]
    agreeing = sum(one.status is Status.AGREES for one in tables)
    return Summary({status: counts[status] for status in Status}, len(tables), agreeing)
