"""The paper, reproduced: every published number beside ours, its tables and figures, and a corpus.

:func:`reproduce` runs the five cases and the corpus and compares; :func:`reproduction_object` gives what was
found as plain data; :func:`~holdfast.apps.reproduce.folder.write` puts figures, ``reproduction.json`` and
``reproduction.html`` into a directory.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any

from holdfast.apps.reproduce.claims import Published, paper_resource, published
from holdfast.apps.reproduce.evidence import REFERENCE, Evidence, gather
from holdfast.apps.reproduce.rounding import PlainNumber, as_number
from holdfast.apps.reproduce.verdicts import Assessment, Status, Summary, assess, summary
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Displayed
from holdfast.running import Backend, sha256_of

__all__ = ["Assessment", "Reproduction", "Status", "Summary", "reproduce", "reproduction_object"]

FORMAT = 2


@dataclass(frozen=True)
class Reproduction(Displayed):
    """What was found.

    Attributes:
        paper: the published numbers.
        evidence: what ours were computed from.
        assessments: each published number beside ours, in the paper's order.
        quick: whether training was left out.
        seconds: how long it took.
    """

    paper: Published
    evidence: Evidence
    assessments: tuple[Assessment, ...]
    quick: bool
    seconds: float

    @property
    def summary(self) -> Summary:
        """How the comparison came out."""
        return summary(self.assessments)

    def with_status(self, status: Status) -> list[Assessment]:
        """The assessments that came out so."""
        return [one for one in self.assessments if one.status is status]

    @property
    def durations(self) -> dict[str, float | None]:
        """Seconds, of the whole and of its parts; None for those that include training and went without."""
        seconds, n_cases = self.evidence.seconds, len(self.evidence.analyses)
        trained = {"cases": seconds["cases"], "case": seconds["cases"] / n_cases}
        trained["case_cpu"] = seconds["cpu"] / n_cases
        return {"all": self.seconds, **(dict.fromkeys(trained) if self.quick else trained)}

    @property
    def provenance(self) -> dict[str, str]:
        """Where the numbers come from."""
        origin = self.evidence.analyses[REFERENCE].provenance
        fields = asdict(origin) if origin else {}
        fields.pop("key", None)
        published_hash = sha256_of(paper_resource("claims.toml"))
        return {"published_sha256": published_hash, **fields}


def reproduce(
    *,
    quick: bool = False,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    paper: Published | None = None,
) -> Reproduction:
    """Run the paper and compare.

    Args:
        quick: leave the training out; what needs it has the status ``not run``.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        backend: where seeds are trained and arenas solved; see :mod:`holdfast.running.tasks`.
        paper: published numbers to compare with; the paper's by default.

    Raises:
        KeyboardInterrupt: when training was interrupted.
        LimitError: when the budget left a reading out.
    """
    started = time.perf_counter()
    paper = paper or published()
    evidence = gather(paper, learn=not quick, budget=budget, backend=backend)
    return Reproduction(paper, evidence, assess(paper, evidence), quick, time.perf_counter() - started)


def reproduction_object(reproduction: Reproduction) -> dict[str, Any]:
    """The reproduction as plain data for JSON; docs/how-to/reproduce.md says what each field is."""
    totals = reproduction.summary
    return {
        "holdfast_reproduction": FORMAT,
        "paper": {"title": reproduction.paper.title, "authors": reproduction.paper.authors},
        "quick": reproduction.quick,
        "reproduced": totals.reproduced,
        "summary": {
            "compared": totals.n_compared,
            "in_tables": totals.n_table,
            "in_tables_agreeing": totals.n_table_agreeing,
            "status": {str(status): n for status, n in totals.counts.items()},
        },
        "numbers": [_number(one) for one in reproduction.assessments],
        "corpus": asdict(reproduction.evidence.corpus),
        "durations": reproduction.durations,
        "not_compared": [asdict(t) for t in reproduction.paper.times],
        "provenance": reproduction.provenance,
    }


def _number(one: Assessment) -> dict[str, Any]:
    claim = one.claim
    return {
        "where": list(claim.where),
        "what": claim.what,
        "in_table": claim.in_table,
        "relation": claim.relation,
        "published": claim.printed,
        "numeral": claim.numeral,
        "ours": _plain(one.ours),
        "rounded": one.rounded,
        "difference": one.difference,
        "from_printed": _plain(one.from_printed),
        "rounded_from_printed": one.rounded_from_printed,
        "status": str(one.status),
        "reason": one.reason,
    }


def _plain(value: PlainNumber | str | None) -> int | float | str | None:
    return value if value is None or isinstance(value, str) else as_number(value)
