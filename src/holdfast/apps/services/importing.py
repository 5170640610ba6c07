"""A scenario brought up to date with its source (``import --update``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from holdfast.apps.services import DEFENSIBLE
from holdfast.apps.services.drift import guard as held_to
from holdfast.budget import UNLIMITED, Budget

if TYPE_CHECKING:
    from holdfast.apps.services.drift import DriftAnswer
    from holdfast.models import ImportedNetwork, UpdatedNetwork


@dataclass(frozen=True)
class UpdateAnswer:
    """What was changed in a file, and what a guard says of the result, where one was named."""

    imported: ImportedNetwork
    updated: UpdatedNetwork
    drift: DriftAnswer | None = None

    @property
    def exit_code(self) -> int:
        """That of the guard; a file that was brought up to date is no failure."""
        return DEFENSIBLE if self.drift is None else self.drift.exit_code

    def to_object(self) -> dict[str, Any]:
        """The answer for a program."""
        found = self.updated
        told: dict[str, Any] = {"added": list(found.added), "gone": list(found.gone)}
        told |= {"removed": found.removed, "refused": list(found.refused)}
        told |= {"contradictions": list(self.imported.network.contradictions)}
        return told if self.drift is None else told | {"guard": self.drift.to_object()}

    def lines(self) -> list[str]:
        """The answer for a person, a line for each change."""
        found = self.updated
        lines = [f"  added:    {sentence}" for sentence in found.added]
        lines += [f"  {'removed:' if found.removed else 'gone:   '}  {sentence}" for sentence in found.gone]
        if found.gone and not found.removed:
            lines.append("  entries that the source no longer has were kept; --prune removes them")
        lines += [f"  refused:  {sentence}" for sentence in found.refused]
        return lines if self.drift is None else [*lines, *(f"guard: {line}" for line in self.drift.lines())]


def update(
    imported: ImportedNetwork,
    file: Path,
    output: Path,
    *,
    prune: bool = False,
    guard: Path | None = None,
    budget: Budget = UNLIMITED,
) -> UpdateAnswer:
    """Write a scenario with what its source says now, and hold the result to a guard if one is named.

    Raises:
        InputError: for a scenario that cannot be read, or has no network.
    """
    from holdfast.models import updated_network
    from holdfast.running import write_whole
    from holdfast.scenario import read_scenario

    scenario = read_scenario(file, budget)
    found = updated_network(scenario, imported.network, imported.renamed, prune=prune)
    write_whole(output, found.text)
    files: Sequence[Path] = [output]
    drift = held_to(guard, files, None, budget=budget.share(0.5)) if guard is not None else None
    return UpdateAnswer(imported, found, drift)
