"""``reproduction.html``: the whole comparison on one page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from holdfast.report.blocks import Banner, Block, Document, Illustration, Points, Prose, Section
from holdfast.reproduction import Reproduction
from holdfast.reproduction.exhibits import (
    case_table,
    certificate_table,
    corpus_table,
    numbers_table,
    seeds_table,
    times_table,
    words_table,
)
from holdfast.reproduction.gallery import Drawing
from holdfast.reproduction.outcome import ARENAS, closeness, exceptions, headline, verdict

RULE = (
    "A printed number stands for every number within half a unit of its last place; ours agrees if it is one "
    "of them. Some numbers of the text follow from the rounded readings of the tables and not from unrounded "
    "ones; these are computed both ways and marked “agrees from printed inputs”. Numbers that stand in a "
    "table are never given that second chance. Beside a bound ours has one digit more. What is “as given” "
    "is a setting that Holdfast was told."
)


def document(reproduction: Reproduction, pictures: Mapping[str, str], drawn: Sequence[Drawing]) -> Document:
    """The report; ``pictures`` are the figures as SVG, by their stems."""
    paper = reproduction.paper
    shown = {d.stem: Illustration(pictures[d.stem], _caption(d), d.description) for d in drawn}
    sections = [
        Section("Outcome", tuple(_outcome(reproduction))),
        Section("Tables of the paper", tuple(_tables(reproduction))),
        Section("Figures of the paper", tuple(shown[d.stem] for d in drawn if d.in_paper)),
        Section(
            "Further figures", tuple(shown[d.stem] for d in drawn if not d.in_paper and d.stem != "corpus")
        ),
        Section("Random arenas", tuple(_corpus(reproduction, shown))),
        Section("Every number", tuple(_numbers(reproduction))),
        Section("Durations", (times_table(paper, reproduction.durations),)),
    ]
    return Document(
        title="The paper, reproduced",
        lead=f"{paper.title} ({paper.authors}).",
        sections=tuple(sections),
        provenance=tuple(reproduction.provenance.items()),
    )


def _caption(drawing: Drawing) -> str:
    return f"{drawing.caption} ({drawing.label})" if drawing.in_paper else drawing.caption


def _outcome(reproduction: Reproduction) -> list[Block]:
    found = reproduction.summary
    outcome = Banner("good" if found.reproduced else "bad", verdict(reproduction), headline(found))
    points = tuple(exceptions(reproduction.assessments))
    return [outcome, Prose("What does not simply agree:"), Points(points)] if points else [outcome]


def _tables(reproduction: Reproduction) -> list[Block]:
    paper, evidence = reproduction.paper, reproduction.evidence
    found: list[Block] = [case_table(table, paper, reproduction.assessments) for table in paper.tables]
    found.append(certificate_table(evidence))
    seeds = seeds_table(paper, evidence)
    return [*found, *([seeds] if seeds is not None else [])]


def _numbers(reproduction: Reproduction) -> list[Block]:
    in_tables = [one for one in reproduction.assessments if one.claim.in_table]
    elsewhere = [one for one in reproduction.assessments if not one.claim.in_table]
    return [
        Prose(RULE),
        numbers_table(elsewhere, "Numbers in the text and in figures"),
        words_table(elsewhere, "Statements in the text"),
        numbers_table(in_tables, "Numbers in tables"),
        words_table(in_tables, "Tables in letters: transitions and a short play"),
    ]


def _corpus(reproduction: Reproduction, shown: Mapping[str, Illustration]) -> list[Block]:
    table = corpus_table(reproduction.evidence.corpus, reproduction.paper)
    return [Prose(ARENAS), table, Prose(closeness(reproduction)), shown["corpus"]]
