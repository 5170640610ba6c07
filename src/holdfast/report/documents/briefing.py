"""A design on two printed pages, for those who decide: the answer, why, what to do, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdfast.design import Ladder, Recommendation
from holdfast.explanation import Explanation, Scene, Storyboard
from holdfast.game import listed
from holdfast.readings import Analysis, recovery_readings, response_readings
from holdfast.report.blocks import (
    Banner,
    Block,
    Column,
    Document,
    Points,
    Prose,
    Section,
    Span,
    Table,
    Warnings,
    quiet,
    words,
)
from holdfast.report.documents.attack_tree import numbered
from holdfast.report.documents.background import NOWHERE, Background
from holdfast.report.documents.fingerprint import (
    assumption_table,
    drawn,
    meaning,
    question,
    taken,
    title_of,
    verdict_of,
)
from holdfast.report.documents.ladder import lamp
from holdfast.report.documents.recommendation import reason

MOST = 5
"""Options that are shown."""

MOST_MOVES = 9
"""Moves of the attack that are told; of a longer one the last, and the first ones."""

MAX_NODES = 40
"""Places of a picture past which it would take the page of the text."""


def briefing_document(
    analysis: Analysis,
    explanation: Explanation,
    ladder: Ladder | None = None,
    recommendation: Recommendation | None = None,
    background: Background = NOWHERE,
    unfinished: str = "",
    story: Storyboard | None = None,
) -> Document:
    """The answer of ``report``.

    Args:
        analysis: the verdict and the readings.
        explanation: why a design is lost or held.
        ladder: the design with weaker defenders, where there was time.
        recommendation: what could be changed, where there was time.
        background: the design as its file tells it.
        unfinished: why there is no recommendation, if there is none.
        story: the attack on a lost design, move by move.
    """
    asked = {rung.rung: rung.words for rung in ladder.rungs} if ladder is not None else {}
    sections = [
        Section("Verdict", tuple(_verdict(analysis, background))),
        _picture(background),
        _demands(analysis) if analysis.defensible else _attack(explanation, story),
        *([_ladder(ladder)] if ladder is not None else []),
        Section("What could be changed", tuple(_options(recommendation, unfinished, asked))),
        Section("What was assumed", (assumption_table(analysis.assumptions),)),
    ]
    return Document(
        title=title_of(analysis) or background.source,
        source=background.source if title_of(analysis) else "",
        lead=background.lead,
        sections=tuple(sections),
        closing=(taken(analysis),),
        brief=True,
    )


def _verdict(analysis: Analysis, background: Background) -> Iterator[Block]:
    yield verdict_of(analysis)
    if analysis.undecided:
        yield Banner("open", "LEFT OPEN", analysis.undecided)
    yield Prose(meaning(analysis))
    yield Warnings(analysis.warnings)
    yield question(analysis.start, analysis.requirement, analysis.boundary, background)


def _picture(background: Background) -> Section:
    graph = background.graph
    if graph is None:
        return Section("", ())
    if len(graph.nodes) > MAX_NODES:
        text = f"With {len(graph.nodes)} {graph.noun}s the picture needs a page of its own: see check --html."
        return Section("The system", (Prose(quiet(text)),))
    return Section("The system", (drawn("segment", graph),))


def _attack(explanation: Explanation, story: Storyboard | None) -> Section:
    if story is None or not story.scenes:
        text = "The start violates the requirement already; no move is needed."
        return Section(
            "The attack", (Prose(text if explanation.rank == 0 else "The attack was not found in time."),)
        )
    moves = [(Span(scene.sentence), *_aside(scene)) for scene in story.scenes]
    left_out = f"… {len(moves) - MOST_MOVES + 1} more moves: holdfast explain lists them …"
    shown = numbered(moves, MOST_MOVES, MOST_MOVES - 2, 1, left_out)
    lead = Prose("Whatever the defenders do, this or something quicker happens:")
    return Section("The attack", (lead, *shown, Prose((Span(story.ending, "bad"),))))


def _aside(scene: Scene) -> tuple[Span, ...]:
    return (Span(f" {scene.aside}", "quiet"),) if scene.aside else ()


def _demands(analysis: Analysis) -> Section:
    """Effort, tempo, grace and recovery, a sentence each."""
    readings = [axis for axis in (*response_readings(), *recovery_readings()) if axis.is_read(analysis)]
    items = [(Span(f"{axis.name}: ", "strong"), Span(axis.described(analysis))) for axis in readings]
    missing = Prose("What it takes to defend it was not computed in time.")
    return Section("What it takes to defend it", (Points(tuple(items)) if items else missing,))


def _ladder(ladder: Ladder) -> Section:
    """What the design stands besides, in words: whoever decides knows no rung by its name."""
    asked = [rung for rung in ladder.rungs if rung.defensible is not None]
    if not ladder.defensible:
        asked = [rung for rung in asked if rung.defensible or rung.within is not None]
    if not asked:
        lost = "Nothing harder was asked: a design that is lost as it is does not stand more."
        return Section("Ladder", (Prose(lost),) if ladder.rungs else ())
    items = [(lamp(rung), Span(f" {rung.words}")) for rung in asked]
    lead = Prose("The same question made harder, one thing at a time: ✓ the design stands it, ✗ it does not.")
    return Section("Ladder", (lead, Points(tuple(items))))


def _options(
    recommendation: Recommendation | None, unfinished: str, asked: Mapping[str, str]
) -> Iterator[Block]:
    if recommendation is None:
        yield Prose(unfinished or "Nothing in this design can be changed.")
        return
    columns = words("change"), Column("cost"), words("effect")
    if recommendation.remedies is not None:
        remedies = recommendation.remedies
        rows = [(listed(one.changes), one.cost, "it holds") for one in remedies.sets[:MOST]]
        n_ways, known = len(remedies.sets), remedies.unfinished
        if not rows:
            yield Prose(f"No set of changes that costs up to {remedies.complete_to} makes it hold.")
    else:
        assert recommendation.improvements is not None
        better = recommendation.improvements
        rows = [
            (listed(one.changes), one.cost, reason(one, better.base, asked)) for one in better.front[:MOST]
        ]
        n_ways, known = len(better.front), ""
        if not rows:
            yield Prose("None of the changes is certain to improve it.")
    more = f"{n_ways - MOST} more: holdfast recommend lists them. " if n_ways > MOST else ""
    note = more + (f"The search was not finished: {known}." if known else "")
    yield Table("Changes to choose from, and their costs", columns, tuple(rows), note=note, sortable=False)
