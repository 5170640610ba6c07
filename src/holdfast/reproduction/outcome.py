"""The outcome in sentences, for the terminal and for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from holdfast.numerals import listed
from holdfast.report.blocks import Banner, Column, CommandLine, Document, Prose, Section, Table, Tone, words
from holdfast.report.terminal import terminal
from holdfast.reproduction import Reproduction
from holdfast.reproduction.exhibits import minus, published_rho, published_text
from holdfast.reproduction.verdicts import Assessment, Status, Summary

ARENAS = (
    "The paper reports these correlations over 90 random arenas under the reference specifications and does "
    "not say how they were drawn, so ours are other arenas and the figures cannot agree digit by digit. Ours "
    "keep hosts, entry, requirement and boundary, and choose among the 20 directed links between distinct "
    "hosts: ten arenas for each of p = 0.1, 0.2, …, 0.9, each link present with probability p, independently "
    "of the others. This was fixed, with the seed 1, before the correlations were known.\n\n"
    "Every arena is defensible, as in the paper, and it could not be otherwise: adding a link can only "
    "shrink the winning region, and the arena with all 20 links is defensible."
)


def headline(found: Summary) -> str:
    """How many numbers and statements agree, and what was not compared, in sentences."""
    counts = found.counts
    parts = [f"{counts[Status.AGREES]} agree to the last printed digit"]
    if counts[Status.FROM_PRINTED]:
        parts.append(f"{counts[Status.FROM_PRINTED]} only from the paper's own rounded readings")
    if counts[Status.KNOWN]:
        parts.append(_verb(counts[Status.KNOWN], "differs as declared", "differ as declared"))
    parts.append(_verb(counts[Status.DIFFERS], "differs", "differ"))
    compared = f"{found.n_compared} published numbers and statements were compared: {listed(parts)}."
    all_agree = found.n_table == found.n_table_agreeing
    tables = f"Of the {found.n_table} in its tables {'all' if all_agree else found.n_table_agreeing} agree."
    return f"{compared} {tables} {_not_compared(counts)}".rstrip()


def _not_compared(counts: Mapping[Status, int]) -> str:
    parts = [
        f"{counts[status]} {why}"
        for status, why in (
            (Status.GIVEN, "are settings taken from it"),
            (Status.DECLARED, "cannot be compared"),
            (Status.NOT_RUN, "need training and were not run"),
        )
        if counts[status]
    ]
    return f"Not compared: {listed(parts)}." if parts else ""


def _verb(n: int, one: str, many: str) -> str:
    return f"{n} {one}" if n == 1 else f"{n or 'none'} {many}"


EXCEPTIONS = (Status.DIFFERS, Status.KNOWN, Status.FROM_PRINTED, Status.DECLARED)
"""What was run and does not simply agree, worst first."""


def exceptions(assessments: Sequence[Assessment]) -> Iterator[str]:
    """A sentence for every claim that was assessed and does not simply agree."""
    for status in EXCEPTIONS:
        yield from (sentence(one) for one in assessments if one.status is status)


def sentence(one: Assessment) -> str:
    """One assessment in words."""
    places = ", ".join(one.claim.where)
    both = f"the paper has {published_text(one)}, Holdfast {minus(one.rounded)}"
    found = f"{one.claim.what} ({places}): {both}"
    if one.status is Status.FROM_PRINTED:
        return f"{found}, and {published_text(one)} from the rounded readings of the paper's tables"
    return f"{found}. {one.reason}" if one.reason else found


def closeness(reproduction: Reproduction) -> str:
    """How near the correlations come."""
    corpus, parts = reproduction.evidence.corpus, []
    for name, rho in (("win", corpus.win), ("slt", corpus.slt)):
        published = published_rho(reproduction.paper, name)
        inside = "inside" if rho.low <= published.value <= rho.high else "outside"
        parts.append(
            f"{name.upper()} {minus(f'{rho.rho:.3f}')} against the paper's {minus(published.text)}, "
            f"{abs(rho.rho - float(published.value)):.3f} apart and {inside} our 95 % interval"
        )
    return f"{listed(parts)}."


# -- on the terminal --------------------------------------------------------------------------------

TITLES = {
    Status.DIFFERS: "Differ from the paper",
    Status.KNOWN: "Differ from the paper, as declared",
    Status.FROM_PRINTED: "Come out only from the paper's own rounded readings",
    Status.DECLARED: "Cannot be compared",
}


def outcome_text(reproduction: Reproduction, page: Path) -> str:
    """The outcome in short, with every number that does not simply agree, and where the report is."""
    found = reproduction.summary
    tone: Tone = "good" if found.reproduced else "bad"
    sections = [Section("Outcome", (Banner(tone, verdict(reproduction), ""), Prose(headline(found))))]
    for status in EXCEPTIONS:
        assessments = [one for one in reproduction.assessments if one.status is status]
        if assessments:
            sections.append(Section(TITLES[status], (outcome_table(assessments),)))
    took = f"Solved and compared in {reproduction.seconds:.1f} s. The report"
    return terminal(Document("", (*sections, Section("Files", (CommandLine(took, str(page)),)))))


def outcome_table(assessments: Sequence[Assessment]) -> Table:
    """Numbers that do not simply agree, in short."""
    reasons = dict.fromkeys(
        one.reason for one in assessments if one.status in (Status.DECLARED, Status.KNOWN)
    )
    columns = (words("number"), Column("paper"), Column("ours"))
    rows = tuple((one.claim.what, published_text(one), minus(one.rounded)) for one in assessments)
    return Table("", columns, rows, note=" ".join(reasons))


def verdict(reproduction: Reproduction) -> str:
    """The outcome in a word or two."""
    if not reproduction.summary.reproduced:
        return "DIFFERS"
    return "REPRODUCED IN PART" if reproduction.quick else "REPRODUCED"
