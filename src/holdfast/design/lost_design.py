"""A configuration that lacks a property, and what may be taken away from it so that it has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from holdfast.design.assumption import Assumption, without
from holdfast.design.cores import AssumptionSet
from holdfast.design.properties import HELD, Property
from holdfast.design.trials import SolvedDesign
from holdfast.game import Configuration


@dataclass(frozen=True)
class LostDesign:
    """A configuration that lacks a property, and what may be taken away from it.

    Attributes:
        candidates: in the order in which they are to be told.
        engine: for what is left.
        opaque: candidates that change more than what an attack can be replayed on; any attack needs their
            absence, and one on what they leave says nothing about the rest.
        rebuild: the configuration without some candidates, where that is more than taking parts away.
        wanted: the property; by default that the design holds.
        base: the configuration, solved.
    """

    configuration: Configuration
    candidates: tuple[Assumption, ...]
    engine: str = "auto"
    opaque: AssumptionSet = frozenset()
    rebuild: Callable[[AssumptionSet], Configuration] | None = None
    wanted: Property = HELD
    base: SolvedDesign = field(default_factory=SolvedDesign, compare=False, repr=False)

    def without(self, chosen: AssumptionSet) -> Configuration:
        """What is left when some candidates are taken away."""
        if self.rebuild is not None:
            return self.rebuild(chosen)
        return without(self.configuration, [self.candidates[i] for i in sorted(chosen)])
