"""A comparison as a document: verdicts and reading, then the tables that they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from holdfast import axes
from holdfast.comparison import Comparison
from holdfast.comparison.findings import Entry
from holdfast.report.background import Background, difference
from holdfast.report.blocks import (
    Aside,
    Banner,
    Block,
    Document,
    Facts,
    Illustrations,
    Points,
    Prose,
    Row,
    Section,
    Warnings,
)
from holdfast.report.differences import (
    channels,
    dominances,
    fingerprints,
    inversions,
    movements,
    rank_changes,
    shells,
)
from holdfast.report.fingerprint import drawn, in_passing, question, verdict_of
from holdfast.report.provenance import runs, shared
from holdfast.report.reading import MAX_ROWS, certificates, refinement, sentences
from holdfast.report.tables import counted
from holdfast.system import Graph


def comparison_document(
    comparison: Comparison,
    *,
    source: str = "",
    lead: str = "",
    backgrounds: Mapping[str, Background] | None = None,
    reasons: Sequence[Section] = (),
) -> Document:
    """The answer of ``compare``: verdicts and reading first, then what they rest on, in the paper's order.

    Args:
        comparison: what to show.
        source: the file or files.
        lead: what the designs are.
        backgrounds: of the designs, by label.
        reasons: why designs are lost, where that was looked for.
    """
    known = backgrounds or {}
    said = Points(tuple(sentences(comparison)))
    sections = [
        Section("What it comes to", (*verdicts(comparison.entries), said)),
        *_designs(comparison.base, known),
        *map(in_passing, reasons),
        *_sections(comparison, {label: each.graph for label, each in known.items()}),
    ]
    return Document(
        title=f"{len(comparison.entries)} designs against {comparison.base}",
        source=source,
        lead=f"{lead}\n\n{certificates(comparison)}",
        sections=tuple(sections),
        provenance=tuple(shared(comparison.entries).items()),
    )


def verdicts(entries: Sequence[Entry]) -> Iterator[Banner]:
    """The certificates of a comparison: those lost one by one, those held in one sentence."""
    yield from (verdict_of(row.analysis, row.label) for row in entries if not row.analysis.defensible)
    held = [row for row in entries if row.analysis.defensible]
    if held:
        yield verdict_of(held[0].analysis, ", ".join(row.label for row in held))
    for row in entries:
        if row.analysis.undecided:
            yield Banner("open", "NOT READ", row.analysis.undecided, row.label)


def _designs(base: str, backgrounds: Mapping[str, Background]) -> Iterator[Section]:
    """What the designs are: in the words of the file, and which links they change against the base."""
    before = backgrounds[base].graph if base in backgrounds else None
    items = []
    for label, each in backgrounds.items():
        moved = difference(before, each.graph) if before and each.graph and label != base else ""
        told = [each.description, f"Against {base} it {moved}." if moved else ""]
        if any(told):
            items.append((label, " ".join(filter(None, told))))
    if items:
        yield Section("Designs", (Facts(tuple(items)),))


def _sections(comparison: Comparison, graphs: Mapping[str, Graph | None]) -> Iterator[Section]:
    base = comparison.base
    yield Section("Fingerprints", (
        fingerprints(comparison),
        Warnings(comparison.warnings),
        Aside((axes_explained(comparison),)),
        Illustrations(lambda: drawn().fingerprints(comparison)),
    ))  # fmt: skip
    yield Section(f"ΔF against {base}", (movements(comparison),))
    yield Section(
        "Depth: positions from which violation is forced in k moves",
        (shells(comparison), Illustrations(lambda: drawn().depth(comparison))),
        detail=True,
        contents="Depth",
    )
    yield Section(
        "Positions by rank before (rows) and after (columns)",
        tuple(_ranks(comparison)),
        detail=True,
        contents="Positions by rank",
    )
    yield Section(
        "Inversions: formally stronger, operationally weaker",
        (inversions(comparison),),
        contents="Inversions",
    )
    yield Section("Operation", (Illustrations(lambda: drawn().operation(comparison)),))
    yield Section(
        "What moved SLT, over the defender's positions in safe play",
        tuple(channels(comparison)),
        detail=True,
        contents="What moved SLT",
    )
    yield Section(
        "At least as large on every axis that was read, and larger on one",
        (dominances(comparison),),
        detail=True,
        contents="Uniform dominance",
    )
    checks = Points(tuple(map(refinement, comparison.refinements)))
    yield Section("Monotonicity in φ_A", (checks,), detail=True)
    yield Section("Segments", (Illustrations(lambda: drawn().segments(base, graphs)),))
    yield Section("Requirement and boundary", (Aside(tuple(_questions(comparison.entries))),), detail=True)
    yield Section("Runs", (Aside((runs(comparison.entries),)),), detail=True)


def axes_explained(comparison: Comparison) -> Facts:
    """What each axis that was read says."""
    rows = [row.analysis for row in comparison.entries]
    read = [axis for axis in axes.AXES if any(axis.read(row) is not None for row in rows)]
    return Facts(tuple((axis.label, axis.meaning) for axis in read))


def _ranks(comparison: Comparison) -> Iterator[Block]:
    yield Row(tuple(map(rank_changes, comparison.deltas[:MAX_ROWS])))
    if len(comparison.deltas) > MAX_ROWS:
        yield Prose(f"… {counted(len(comparison.deltas) - MAX_ROWS, 'more design')}")


def _questions(entries: Sequence[Entry]) -> Iterator[Facts]:
    """Start, requirement and boundary of each design, designs with the same ones together."""
    together: dict[Facts, list[str]] = {}
    for row in entries:
        asked = row.analysis
        facts = question(asked.start, asked.requirement, asked.boundary)
        together.setdefault(facts, []).append(row.label)
    for facts, labels in together.items():
        yield Facts((("design", ", ".join(labels)), *facts.items))
