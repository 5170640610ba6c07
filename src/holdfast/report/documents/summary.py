"""Several files checked, as one document: a row for each, then what is wrong, place by place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.design import Ladder
from holdfast.game import counted
from holdfast.readings import Analysis, Gate, every_reading
from holdfast.report.blocks import Banner, Cell, CellValue, Column, Document, Points, Section, Table, words
from holdfast.report.pipelines.alerts import CheckCase

MAX_POINTS = 200
"""Alerts that a report lists; the files for pipelines have more."""


@dataclass(frozen=True)
class FileOutcome:
    """What came of one file.

    Attributes:
        file: as it was named, or found in a folder that was.
        code: the exit code that it alone would mean.
        analysis: None where an error came before the verdict; ``error`` is then its text.
        cases: what a pipeline hears of it.
        undecided: whether the error was a limit.
        ladder: the design with a weaker defender, where that was asked for.
    """

    file: str
    code: int
    analysis: Analysis | None = None
    gates: tuple[Gate, ...] = ()
    cases: tuple[CheckCase, ...] = ()
    error: str = ""
    undecided: bool = False
    ladder: Ladder | None = None

    @property
    def result(self) -> str:
        """The outcome in a word or two."""
        if self.analysis is None:
            return "UNDECIDED" if self.undecided else "NOT READ"
        if not self.analysis.defensible:
            return "NOT DEFENSIBLE"
        missed = sum(not gate.met for gate in self.gates)
        return f"DEFENSIBLE, {counted(missed, 'gate')} missed" if missed else "DEFENSIBLE"


def summary_document(outcomes: Sequence[FileOutcome]) -> Document:
    """The answer of ``check`` for several files."""
    held = sum(outcome.code == 0 for outcome in outcomes)
    n = len(outcomes)
    title = f"{counted(n, 'scenario')} checked"
    sentence = "All are defensible and meet every gate."
    if held < n:
        sentence = f"{held} of {n} are defensible and meet every gate."
    banner = Banner(
        "good" if held == n else "bad",
        "ALL HOLD" if held == n else f"{n - held} {'DOES' if n - held == 1 else 'DO'} NOT PASS",
        sentence,
    )
    alerts = [alert for outcome in outcomes for case in outcome.cases for alert in case.alerts]
    lines = [f"{a.file}:{a.place[0]}:{a.place[1]}: {a.rule.level}: {a.message}" for a in alerts[:MAX_POINTS]]
    if len(alerts) > MAX_POINTS:
        lines.append(f"and {len(alerts) - MAX_POINTS:,} more; --sarif has them")
    sections = [Section("Summary", (banner, _table(outcomes)))]
    if lines:
        sections.append(Section("Problems, and where they are", (Points(tuple(lines)),)))
    return Document(title, tuple(sections))


def _table(outcomes: Sequence[FileOutcome]) -> Table:
    axes = [
        axis
        for axis in every_reading()
        if axis.brief and any(o.analysis is not None and axis.is_read(o.analysis) for o in outcomes)
    ]
    rows: list[tuple[CellValue, ...]] = []
    for outcome in outcomes:
        analysis = outcome.analysis
        readings = (None if analysis is None else axis.read(analysis) for axis in axes)
        cells = (
            None if value is None else Cell(axis.written(value), value)
            for axis, value in zip(axes, readings, strict=True)
        )
        rows.append((outcome.file, outcome.result, *cells))
    marks = tuple("met" if outcome.code == 0 else "lost" for outcome in outcomes)
    columns = (words("file"), words("result"), *(Column(axis.label) for axis in axes))
    return Table("The files that were checked, and their scores", columns, tuple(rows), marks)
