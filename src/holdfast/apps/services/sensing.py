"""Where sensors are needed (``sensors``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.apps.services import DEFENSIBLE, REFUSED, UNDECIDED
from holdfast.budget import UNLIMITED, Budget

if TYPE_CHECKING:
    from holdfast.design import SensorSets
    from holdfast.running import Backend
    from holdfast.scenario import Scenario
    from holdfast.solver import Solution


@dataclass(frozen=True)
class SensorAnswer:
    """The minimal sets of sensors."""

    found: SensorSets

    @property
    def exit_code(self) -> int:
        """Whether sensors can make it hold, and all sets that were asked for are known."""
        if self.found.enough is False:
            return REFUSED
        return UNDECIDED if self.found.unfinished or not self.found.minimal else DEFENSIBLE


def sensors(
    scenario: Scenario,
    variant: str | None,
    *,
    costs: Mapping[str, int] | None = None,
    max_cost: int | None = None,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    backend: Backend | None = None,
    budget: Budget = UNLIMITED,
) -> SensorAnswer:
    """All minimal sets of sensors with which a design holds; the arguments are those of ``sensor_sets``."""
    from holdfast.design import sensor_sets
    from holdfast.scenario import configuration

    return SensorAnswer(
        sensor_sets(
            configuration(scenario, variant, budget),
            costs,
            max_cost=max_cost,
            engine=engine,
            solved=solved,
            budget=budget,
            backend=backend,
        )
    )
