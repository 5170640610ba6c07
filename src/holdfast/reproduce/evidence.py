"""What the published numbers are computed from: five cases, their comparison, their training, a corpus.

The same numbers can be computed twice: from what Holdfast finds, and from the rounded readings that the
paper prints in its tables. :class:`Case` holds either.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from holdfast.analysis import analyse
from holdfast.archive import provenance_of
from holdfast.budget import UNLIMITED, Budget
from holdfast.compare import Comparison, Subject, compare
from holdfast.errors import LimitError
from holdfast.product import Configuration, drawn_graph
from holdfast.protocol import Protocol
from holdfast.reproduce.printed import Number, printed_number
from holdfast.reproduce.published import Published, paper_resource
from holdfast.results import Analysis
from holdfast.scenario.load import configuration, learning, scenario_from_text
from holdfast.system import Graph

if TYPE_CHECKING:
    import numpy.typing as npt

    from holdfast.reproduce.corpus import Corpus

"""What :func:`~holdfast.analysis.analyse` says of a training that Ctrl-C ended."""

REFERENCE = 1
"""The case that movements are relative to (tab:cases)."""


@dataclass(frozen=True)
class Case:
    """The readings of one case; those of DDR are None where it was not trained."""

    win: Number
    stp: Number
    slt: Number
    positions: int
    unsafe: int
    winning: int
    shells: tuple[int, ...]
    ddr: Number | None = None
    ddr_low: Number | None = None
    ddr_high: Number | None = None

    @property
    def attractor(self) -> int:
        """|Attr*|."""
        return self.unsafe + sum(self.shells)

    @property
    def winning_share(self) -> Fraction:
        """|W| / |V|."""
        return Fraction(self.winning, self.positions)


@dataclass(frozen=True)
class Evidence:
    """All that a quantity may ask for; what is None was not run, or cannot be had from printed numbers."""

    cases: Mapping[int, Case]
    configurations: Mapping[int, Configuration] | None = None
    topologies: Mapping[int, Graph] | None = None
    protocol: Protocol | None = None
    analyses: Mapping[int, Analysis] | None = None
    comparison: Comparison | None = None
    labels: Mapping[int, str] = field(default_factory=dict)
    means: Mapping[int, npt.NDArray[np.float64]] | None = None
    corpus: Corpus | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


def printed_evidence(paper: Published) -> Evidence:
    """The readings of tab:results and tab:shells as exact decimals; |V| and |U| follow from them."""
    cells: dict[int, dict[str, Fraction]] = {}
    for table in paper.tables:
        for case, row in table.rows.items():
            found = cells.setdefault(case, {})
            for column, text in zip(table.columns, row, strict=True):
                printed = printed_number(text)
                if printed is not None:
                    found[column] = printed.value / printed.scale
    return Evidence({case: _printed_case(found) for case, found in cells.items()})


def _printed_case(cells: Mapping[str, Fraction]) -> Case:
    shells = tuple(int(cells[f"shell_{k}"]) for k in range(1, 5))
    winning, attractor = int(cells["winning"]), int(cells["attractor"])
    return Case(
        win=cells["win"],
        stp=cells["stp"],
        slt=cells["slt"],
        positions=winning + attractor,
        unsafe=attractor - sum(shells),
        winning=winning,
        shells=shells,
        ddr=cells["ddr"],
        ddr_low=cells["ddr_low"],
        ddr_high=cells["ddr_high"],
    )


def gather(
    paper: Published,
    *,
    learn: bool = True,
    budget: Budget = UNLIMITED,
) -> Evidence:
    """Analyse the paper's five cases and compare them.

    Args:
        paper: which cases there are.
        learn: whether to train.
        budget: memory, time and cores; see :mod:`holdfast.budget`.

    Raises:
        KeyboardInterrupt: when training was interrupted; a paper reproduced in part is not reproduced.
        LimitError: when a limit left a reading out.
    """
    started, cpu = time.perf_counter(), time.process_time()
    scenario = scenario_from_text(paper_resource("paper.yaml"), "paper.yaml")
    chosen = {n: configuration(scenario, case.variant) for n, case in paper.cases.items()}
    protocol = learning(scenario)
    labels = {n: f"Case {n}" for n in paper.cases}
    subjects: dict[int, Subject] = {}
    for n, game in chosen.items():
        found = analyse(
            game,
            protocol,
            learning=learn,
            budget=budget.part(labels[n], len(subjects) / len(chosen), (len(subjects) + 1) / len(chosen)),
            provenance=provenance_of(scenario.text, game.variant, {"learning": learn}),
        )
        if found.undecided:
            raise _stopped(found)
        subjects[n] = Subject(labels[n], found, game)
    budget.tick("comparing the cases")
    comparison = compare(list(subjects.values()), budget=budget)
    analyses = {n: subject.analysis for n, subject in subjects.items()}
    drawn = {n: drawn_graph(game) for n, game in chosen.items()}
    return Evidence(
        cases={n: _case(analysis) for n, analysis in analyses.items()},
        configurations=chosen,
        topologies={n: segment for n, segment in drawn.items() if segment is not None},
        protocol=protocol,
        analyses=analyses,
        comparison=comparison,
        labels=labels,
        means=_means(analyses),
        seconds={"cases": time.perf_counter() - started, "cpu": time.process_time() - cpu},
    )


def _stopped(found: Analysis) -> BaseException:
    """What to raise for an analysis that is not whole."""
    return KeyboardInterrupt() if found.interrupted else LimitError(found.undecided or "")


def _means(analyses: Mapping[int, Analysis]) -> Mapping[int, npt.NDArray[np.float64]] | None:
    """The mean of μ over the seeds, episode by episode."""
    found = {n: a.trajectories.mean(axis=0) for n, a in analyses.items() if a.trajectories is not None}
    return found or None


def _case(analysis: Analysis) -> Case:
    ddr = analysis.ddr
    assert analysis.win is not None and analysis.slt is not None  # all five are defensible
    return Case(
        win=analysis.win,
        stp=analysis.stp,
        slt=analysis.slt,
        positions=analysis.positions,
        unsafe=analysis.unsafe,
        winning=analysis.winning,
        shells=analysis.shells,
        ddr=ddr.mean if ddr else None,
        ddr_low=ddr.low if ddr else None,
        ddr_high=ddr.high if ddr else None,
    )
