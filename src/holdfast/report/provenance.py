"""Where the numbers of a report come from: hashes, versions, protocol, time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from holdfast.report.tables import MISSING, Cell, Column, Table, words
from holdfast.results import Analysis, Provenance

if TYPE_CHECKING:  # numpy comes with it, and ``check`` does without
    from holdfast.comparison.findings import Entry

OWN = ("engine", "seconds", "key")
"""What each analysis has of its own, shown in a table."""


def facts_of(analysis: Analysis) -> dict[str, str]:
    """Where the numbers come from: versions, hashes, protocol, time."""
    protocol = asdict(analysis.protocol) if analysis.protocol else {}
    played = ", ".join(f"{name} {value}" for name, value in protocol.items() if value is not None)
    return {
        "engine": analysis.engine,
        "seconds": f"{analysis.seconds:.2f}",
        **({"protocol": played} if played else {}),
        **origin_of(analysis.provenance),
    }


def origin_of(provenance: Provenance | None) -> dict[str, str]:
    """Hashes and versions, by their names in words."""
    found = asdict(provenance) if provenance is not None else {}
    return {name.replace("_", " "): value for name, value in found.items()}


def runs(entries: Sequence[Entry]) -> Table:
    """What each analysis took and the key of all that decides its numbers."""
    return Table(
        "How each design was analysed; the key is a hash of everything that decides the numbers",
        (words("design"), words("engine"), Column("seconds"), Column("key", "code")),
        tuple(
            (
                row.label,
                row.analysis.engine,
                Cell(f"{row.analysis.seconds:.2f}", row.analysis.seconds),
                row.analysis.provenance.key if row.analysis.provenance else MISSING,
            )
            for row in entries
        ),
    )


def shared(entries: Sequence[Entry]) -> dict[str, str]:
    """The provenance that all designs have in common; what differs is named with its design."""
    each = [(row.label, facts_of(row.analysis)) for row in entries]
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
