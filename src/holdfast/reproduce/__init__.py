"""The paper, reproduced: every published number beside ours, its tables and figures, and a corpus.

:func:`reproduce` runs the five cases and the corpus and compares; :func:`~holdfast.reproduce.files.write`
puts tables, figures, ``reproduction.json`` and ``reproduction.html`` into a directory.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, dataclass, replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.reproduce.corpus import run_corpus
from holdfast.reproduce.evidence import Evidence, gather
from holdfast.reproduce.published import Published, paper_resource, published
from holdfast.reproduce.verdicts import Line, Status, Summary, compare_all, summary

__all__ = ["Line", "Reproduction", "Status", "Summary", "reproduce"]


@dataclass(frozen=True)
class Reproduction:
    """What was found.

    Attributes:
        paper: the published numbers.
        evidence: what ours were computed from.
        lines: each published number beside ours, in the paper's order.
        quick: whether training was left out.
        seconds: how long it took.
    """

    paper: Published
    evidence: Evidence
    lines: tuple[Line, ...]
    quick: bool
    seconds: float

    @property
    def summary(self) -> Summary:
        """How the comparison came out."""
        return summary(self.lines)

    @property
    def durations(self) -> dict[str, float | None]:
        """Seconds, of the whole and of its parts; None for those that include training and went without."""
        seconds, n_cases = self.evidence.seconds, len(self.evidence.cases)
        trained = {"cases": seconds["cases"], "case": seconds["cases"] / n_cases}
        trained["case_cpu"] = seconds["cpu"] / n_cases
        return {"all": self.seconds, **(dict.fromkeys(trained) if self.quick else trained)}

    @property
    def provenance(self) -> dict[str, str]:
        """Where the numbers come from."""
        assert self.evidence.analyses is not None
        origin = self.evidence.analyses[1].provenance
        found = asdict(origin) if origin else {}
        found.pop("key", None)
        published_hash = hashlib.sha256(paper_resource("published.toml").encode()).hexdigest()
        return {"published_sha256": published_hash, **found}


def reproduce(
    *,
    quick: bool = False,
    budget: Budget = UNLIMITED,
    paper: Published | None = None,
) -> Reproduction:
    """Run the paper and compare.

    Args:
        quick: leave the training out; what needs it has the status ``not run``.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        paper: published numbers to compare with; the paper's by default.

    Raises:
        KeyboardInterrupt: when training was interrupted.
        LimitError: when the budget left a reading out.
    """
    started = time.perf_counter()
    paper = paper or published()
    evidence = gather(paper, learn=not quick, budget=budget)
    assert evidence.configurations is not None
    corpus = run_corpus(evidence.configurations[1], budget)
    evidence = replace(evidence, corpus=corpus)
    lines = compare_all(paper, evidence)
    return Reproduction(paper, evidence, lines, quick, time.perf_counter() - started)
