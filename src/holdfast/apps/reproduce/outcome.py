"""The comparison as a document: in full for the page, in short for the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from holdfast.apps.reproduce import exhibits
from holdfast.apps.reproduce.exhibits import minus, published_rho, published_text
from holdfast.apps.reproduce.gallery import Drawing
from holdfast.apps.reproduce.reproducing import Reproduction
from holdfast.apps.reproduce.verdicts import Assessment, Status, Summary
from holdfast.game import listed
from holdfast.report import (
    Banner,
    Block,
    Column,
    CommandLine,
    Document,
    Illustration,
    Points,
    Prose,
    Section,
    Table,
    terminal,
    words,
)

ARENAS = (
    "The paper reports these correlations over 90 random arenas under the reference specifications and does "
    "not say how they were drawn, so ours are other arenas and the figures cannot agree digit by digit. Ours "
    "keep hosts, entry, requirement and boundary, and choose among the 20 directed links between distinct "
    "hosts: ten arenas for each of p = 0.1, 0.2, …, 0.9, each link present with probability p, independently "
    "of the others. This was fixed, with the seed 1, before the correlations were known.\n\n"
    "Every arena is defensible, as in the paper, and it could not be otherwise: adding a link can only "
    "shrink the winning region, and the arena with all 20 links is defensible."
)

COMPANIONS = (
    "Which exact reading goes with DDR*? The paper has no DDR* to set one beside. On the same arenas, drawn "
    "before this was asked, as it comes out: DDR* is what perfect play keeps, solved and not learned. Less "
    "effort is better, so that its negative ρ means agreement."
)

RULE = (
    "A printed number stands for every number within half a unit of its last place; ours agrees if it is one "
    "of them. Some numbers of the text follow from the rounded readings of the tables and not from unrounded "
    "ones; these are computed both ways and marked “agrees from printed inputs”. Numbers that stand in a "
    "table are never given that second chance. Beside a bound ours has one digit more. What is “as given” "
    "is a setting that Holdfast was told."
)


TITLES = {
    Status.DIFFERS: "Differ from the paper",
    Status.KNOWN: "Differ from the paper, as declared",
    Status.FROM_PRINTED: "Come out only from the paper's own rounded readings",
    Status.DECLARED: "Cannot be compared",
}
"""What was run and does not simply agree, worst first."""


def verdict(reproduction: Reproduction) -> str:
    """The outcome in a word or two."""
    if not reproduction.summary.reproduced:
        return "DIFFERS"
    return "REPRODUCED IN PART" if reproduction.quick else "REPRODUCED"


def _banner(reproduction: Reproduction, text: str) -> Banner:
    return Banner("good" if reproduction.summary.reproduced else "bad", verdict(reproduction), text)


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
    reasons = {
        Status.GIVEN: "are settings taken from it",
        Status.DECLARED: "cannot be compared",
        Status.NOT_RUN: "need training and were not run",
    }
    parts = [f"{counts[status]} {why}" for status, why in reasons.items() if counts[status]]
    return f"Not compared: {listed(parts)}." if parts else ""


def _verb(n: int, one: str, many: str) -> str:
    return f"{n} {one}" if n == 1 else f"{n or 'none'} {many}"


def sentence(one: Assessment) -> str:
    """One assessment in words."""
    places = ", ".join(one.claim.where)
    both = f"the paper has {published_text(one)}, Holdfast {minus(one.rounded)}"
    line = f"{one.claim.what} ({places}): {both}"
    if one.status is Status.FROM_PRINTED:
        return f"{line}, and {published_text(one)} from the rounded readings of the paper's tables"
    return f"{line}. {one.reason}" if one.reason else line


def closeness(reproduction: Reproduction) -> str:
    """How near the correlations come."""
    corpus, parts = reproduction.evidence.corpus, []
    for name, rho in (("win", corpus.win), ("slt", corpus.slt)):
        published = published_rho(reproduction.paper, name)
        inside = "inside" if rho.low <= published.value <= rho.high else "outside"
        parts.append(
            f"{name.upper()} {minus(f'{rho.rho:.3f}')} against the paper's {minus(published.text)}, "
            f"{abs(rho.rho - float(published.value)):.3f} apart and {inside} our 95% interval"
        )
    return f"{listed(parts)}."


# -- the page ---------------------------------------------------------------------------------------


def document(reproduction: Reproduction, pictures: Mapping[Drawing, str]) -> Document:
    """The report; ``pictures`` are the figures as SVG."""
    paper, evidence, assessments = reproduction.paper, reproduction.evidence, reproduction.assessments
    shown = {d: Illustration(svg, _caption(d), d.description) for d, svg in pictures.items()}
    *further, scatter = (picture for drawing, picture in shown.items() if not drawing.in_paper)
    in_tables = [one for one in assessments if one.claim.in_table]
    elsewhere = [one for one in assessments if not one.claim.in_table]
    seeds = exhibits.seeds_table(paper, evidence)
    sections: dict[str, Sequence[Block]] = {
        "Outcome": _outcome(reproduction),
        "Tables of the paper": [
            *(exhibits.case_table(table, paper, assessments) for table in paper.tables),
            exhibits.certificate_table(evidence),
            *([] if seeds is None else [seeds]),
        ],
        "Figures of the paper": [shown[drawing] for drawing in shown if drawing.in_paper],
        "Further figures": further,
        "Random arenas": [
            Prose(ARENAS),
            exhibits.corpus_table(evidence.corpus, paper),
            Prose(closeness(reproduction)),
            scatter,
            Prose(COMPANIONS),
            exhibits.companions_table(evidence.corpus),
        ],
        "Every number": [
            Prose(RULE),
            exhibits.numbers_table(elsewhere, "Numbers in the text and in figures"),
            exhibits.words_table(elsewhere, "Statements in the text"),
            exhibits.numbers_table(in_tables, "Numbers in tables"),
            exhibits.words_table(in_tables, "Tables in letters: transitions and a short play"),
        ],
        "Durations": [exhibits.times_table(paper, reproduction.durations)],
    }
    return Document(
        title="The paper, reproduced",
        lead=f"{paper.title} ({paper.authors}).",
        sections=tuple(Section(title, tuple(blocks)) for title, blocks in sections.items()),
        provenance=tuple(reproduction.provenance.items()),
    )


def _caption(drawing: Drawing) -> str:
    return f"{drawing.caption} ({drawing.label})" if drawing.in_paper else drawing.caption


def _outcome(reproduction: Reproduction) -> list[Block]:
    banner = _banner(reproduction, headline(reproduction.summary))
    points = [sentence(one) for status in TITLES for one in reproduction.with_status(status)]
    return [banner, Prose("What does not simply agree:"), Points(tuple(points))] if points else [banner]


# -- on the terminal --------------------------------------------------------------------------------


def outcome_text(reproduction: Reproduction, page: Path) -> str:
    """The outcome in short, with every number that does not simply agree, and where the report is."""
    blocks = (_banner(reproduction, ""), Prose(headline(reproduction.summary)))
    sections = [Section("Outcome", blocks)]
    for status, title in TITLES.items():
        if claims := reproduction.with_status(status):
            sections.append(Section(title, (outcome_table(claims),)))
    took = f"Solved and compared in {reproduction.seconds:.1f} s. The report"
    return terminal(Document("", (*sections, Section("Files", (CommandLine(took, str(page)),)))))


def outcome_table(assessments: Sequence[Assessment]) -> Table:
    """Numbers that do not simply agree, in short."""
    declared = (Status.DECLARED, Status.KNOWN)
    reasons = dict.fromkeys(one.reason for one in assessments if one.status in declared)
    columns = (words("number"), Column("paper"), Column("ours"))
    rows = tuple((one.claim.what, published_text(one), minus(one.rounded)) for one in assessments)
    return Table("", columns, rows, note=" ".join(reasons))
