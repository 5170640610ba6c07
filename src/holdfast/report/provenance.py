"""Where the numbers of a report come from: hashes, versions, protocol, time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from holdfast.compare import Subject
from holdfast.report.tables import MISSING, Cell, Column, Table, words
from holdfast.results import Analysis

OWN = ("engine", "seconds", "key")
"""What each analysis has of its own, shown in a table."""


def facts_of(analysis: Analysis) -> dict[str, str]:
    """Where the numbers come from: versions, hashes, protocol, time."""
    protocol = asdict(analysis.protocol) if analysis.protocol else {}
    played = ", ".join(f"{name} {value}" for name, value in protocol.items() if value is not None)
    origin = asdict(analysis.provenance) if analysis.provenance else {}
    return {
        "engine": analysis.engine,
        "seconds": f"{analysis.seconds:.2f}",
        **({"protocol": played} if played else {}),
        **{name.replace("_", " "): value for name, value in origin.items()},
    }


def runs(subjects: Sequence[Subject]) -> Table:
    """What each analysis took and the key of all that decides its numbers."""
    return Table(
        "How each design was analysed; the key is a hash of everything that decides the numbers",
        (words("design"), words("engine"), Column("seconds"), Column("key", "code")),
        tuple(
            (
                subject.label,
                subject.analysis.engine,
                Cell(f"{subject.analysis.seconds:.2f}", subject.analysis.seconds),
                subject.analysis.provenance.key if subject.analysis.provenance else MISSING,
            )
            for subject in subjects
        ),
    )


def shared(subjects: Sequence[Subject]) -> dict[str, str]:
    """The provenance that all designs have in common; what differs is named with its design."""
    each = [(subject.label, facts_of(subject.analysis)) for subject in subjects]
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for _, facts in each for name in facts):
        values = {label: facts.get(name, MISSING) for label, facts in each}
        if name in OWN:
            continue
        if len(set(values.values())) == 1:
            found[name] = next(iter(values.values()))
        else:
            found |= {f"{name}, {label}": value for label, value in values.items()}
    return found
