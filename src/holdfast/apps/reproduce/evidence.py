"""What the published numbers are computed from: five cases, their comparison, their training, a corpus.

A number that follows from readings that the paper prints besides can be computed twice: from the readings
that Holdfast finds, and from the rounded ones of the paper's tables. :data:`Readings` holds either.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from holdfast.apps.reproduce.claims import Published, paper_resource
from holdfast.apps.reproduce.corpus import Corpus, run_corpus
from holdfast.apps.reproduce.rounding import PlainNumber, printed_number
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Configuration, Graph, Protocol, drawn_graph
from holdfast.readings import Analysis, Comparison, Subject, analyse, compare_subjects, provenance_of
from holdfast.running import Backend
from holdfast.scenario import configuration, learning, scenario_from_text

REFERENCE = 1
"""The case that movements are relative to (tab:cases)."""

Readings = Mapping[int, Mapping[str, PlainNumber]]
"""For each case the columns of the paper's tables by case; those of DDR are missing without training."""


@dataclass(frozen=True)
class Evidence:
    """All that a quantity may ask for, by case.

    Attributes:
        readings: of our analyses.
        configurations, topologies, analyses: of the cases.
        protocol: the adaptive protocol that was, or would be, followed.
        comparison: of all cases with the reference.
        means: the mean of μ over the seeds, episode by episode; None without training.
        corpus: random arenas.
        seconds: how long the cases took, by the clock and of the processor.
    """

    readings: Readings
    configurations: Mapping[int, Configuration]
    topologies: Mapping[int, Graph]
    analyses: Mapping[int, Analysis]
    protocol: Protocol
    comparison: Comparison
    means: Mapping[int, npt.NDArray[np.float64]] | None
    corpus: Corpus
    seconds: Mapping[str, float]


def case_label(case: int) -> str:
    """What a case is called in the comparison."""
    return f"Case {case}"


def printed_readings(paper: Published) -> Readings:
    """The readings of tab:results and tab:shells, as exact decimals."""
    cells: dict[int, dict[str, PlainNumber]] = {case: {} for case in paper.cases}
    for table in paper.tables:
        for case, row in table.rows.items():
            for column, text in zip(table.columns, row, strict=True):
                printed = printed_number(text)
                assert printed is not None  # these tables hold numbers alone
                cells[case][column] = printed.value / printed.scale
    return cells


def readings_of(analysis: Analysis) -> Mapping[str, PlainNumber]:
    """The columns of the tables, unrounded, and some counts that follow from them.

    ``iterate_k`` is |Attr_k|, ``depth`` is k_max, and ``near_share`` the part of the first two shells in all.
    """
    names = ("win", "stp", "slt", "positions", "unsafe", "winning", "attractor")
    readings: dict[str, PlainNumber] = {name: getattr(analysis, name) for name in names}
    readings["winning_share"] = Fraction(analysis.winning, analysis.positions)
    readings["outside_unsafe"] = analysis.positions - analysis.unsafe
    readings["depth"] = len(analysis.shells)
    readings["near_share"] = Fraction(sum(analysis.shells[:2]), sum(analysis.shells))
    readings |= {f"shell_{k}": size for k, size in enumerate(analysis.shells, 1)}
    iterates = accumulate(analysis.shells, initial=analysis.unsafe)
    readings |= {f"iterate_{k}": size for k, size in enumerate(iterates)}
    ddr = analysis.ddr
    if ddr is not None and ddr.low is not None and ddr.high is not None:
        readings |= {"ddr": ddr.mean, "ddr_low": ddr.low, "ddr_high": ddr.high}
    return readings


def gather(
    paper: Published,
    *,
    learn: bool = True,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    corpus: Corpus | None = None,
) -> Evidence:
    """Analyse the paper's five cases, compare them, and draw the corpus.

    Args:
        paper: which cases there are.
        learn: whether to train.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        backend: where seeds are trained and arenas solved; see :mod:`holdfast.running.tasks`.
        corpus: one that was drawn before.

    Raises:
        KeyboardInterrupt: when training was interrupted; a paper reproduced in part is not reproduced.
        LimitError: when a limit left a reading out.
    """
    started, cpu, backend = time.perf_counter(), time.process_time(), backend or Backend()
    scenario = scenario_from_text(paper_resource("paper.yaml"), "paper.yaml", budget)
    chosen = {n: configuration(scenario, case.variant) for n, case in paper.cases.items()}
    protocol = learning(scenario)
    subjects: dict[int, Subject] = {}
    for n, game in chosen.items():
        read = analyse(
            game,
            protocol,
            learning=learn,
            budget=budget.part(case_label(n), len(subjects) / len(chosen), (len(subjects) + 1) / len(chosen)),
            backend=backend.with_scope(case_label(n)),
            provenance=provenance_of(scenario.text, game.variant, {"learning": learn}),
        )
        if read.undecided:
            raise KeyboardInterrupt if read.interrupted else LimitError(read.undecided)
        subjects[n] = Subject(case_label(n), read, game)
    budget.tick("comparing the cases")
    comparison = compare_subjects(list(subjects.values()), budget=budget)
    seconds = {"cases": time.perf_counter() - started, "cpu": time.process_time() - cpu}
    analyses = {n: subject.analysis for n, subject in subjects.items()}
    means = {n: a.trajectories.mean(axis=0) for n, a in analyses.items() if a.trajectories is not None}
    return Evidence(
        readings={n: readings_of(analysis) for n, analysis in analyses.items()},
        configurations=chosen,
        topologies={n: graph for n, game in chosen.items() if (graph := drawn_graph(game)) is not None},
        analyses=analyses,
        protocol=protocol,
        comparison=comparison,
        means=means or None,
        corpus=corpus or run_corpus(chosen[REFERENCE], budget, backend),
        seconds=seconds,
    )
