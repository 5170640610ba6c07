"""The response profile: how much the defender has to do, how slow it may be, how late it may start.

*Effort* of C: the least m such that C stays defensible with interventions that cost at most m in the whole
play (m interventions, where each costs 1). *Tempo*: the largest k such that C stays defensible when the
defender intervenes at most once in any k consecutive turns of its own. *Grace*: the largest d such that C
stays defensible when its first d turns must be idle. Each is *unbounded* where there is no such number, and
undefined for a design that cannot be defended. What an intervention is, and what it costs, stands in
:mod:`holdfast.game.interventions`.

Effort and grace are ranks on W, as the shells are ranks outside of it, and each engine finds them by
fixpoints on the game that it has solved. With V_D, V_A the positions of each player:

- G⁰ = W; v ∈ G^{d+1} if v ∈ V_D and an idle move leads into G^d, or v ∈ V_A and every admissible move leads
  into G^{d+1}. These sets shrink, and grace(v) ≥ d iff v ∈ G^d.
- E^m is the largest set of v such that v ∈ V_D and a free move leads into E^m, or one that costs c > 0 into
  E^{m−c}; or v ∈ V_A and every admissible move leads into E^m. These sets grow, and effort(v) ≤ m iff v ∈
  E^m. They can only grow at an m from which some cost leads back to a layer that is not empty.

Tempo is unbounded iff one intervention is enough, and otherwise at most 1 more than the largest finite grace
in W (docs/theory.md has the proof). Up to there k grows by one at a time: R_0, …, R_{k−1} are the largest
sets such that from R_0 ∩ V_D an idle move leads into R_0, or an intervention into R_{k−1}; from R_{j+1} ∩ V_D
an idle move leads into R_j; and from R_j ∩ V_A every admissible move into R_j. They shrink as k grows, so
each starts from the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import UNBOUNDED, LayerCounts, ResponseLayers, interventions_of
from holdfast.solver.solution import Solution

NO_IDLE = "the defender has no idle action, one that never changes the state"
NOT_HELD = "the design cannot be defended"

Extent = int | Literal["unbounded"] | None
"""A reading of the response: a number, no end, or not defined (or not decided)."""


@dataclass(frozen=True)
class ResponseProfile:
    """What a design demands of those who defend it: each None where it is undefined, or was left open."""

    effort: Extent
    tempo: Extent
    grace: Extent


@dataclass(frozen=True)
class ResponseCounts:
    """The winning positions by effort and by grace; and those of R, where they were asked for."""

    efforts: LayerCounts
    graces: LayerCounts
    reachable_efforts: LayerCounts | None = None
    reachable_graces: LayerCounts | None = None


def response_layers(solution: Solution, budget: Budget = UNLIMITED) -> ResponseLayers | None:
    """Where to ask for the effort and the grace of positions; None where no action is idle.

    Raises:
        LimitError: past the budget.
    """
    return solution.cached("response layers", lambda: _layers(solution, budget))


def _layers(solution: Solution, budget: Budget) -> ResponseLayers | None:
    actions = interventions_of(solution.configuration, budget)
    return None if actions is None else solution.regions.response(actions)


def no_response(solution: Solution, budget: Budget = UNLIMITED) -> str:
    """Why a design has no response profile; empty if it has one."""
    if not solution.defensible:
        return NOT_HELD
    return NO_IDLE if response_layers(solution, budget) is None else ""


def response_profile(
    solution: Solution, budget: Budget = UNLIMITED, undecided: list[str] | None = None
) -> ResponseProfile:
    """Effort, tempo and grace of a solved design; undefined where :func:`no_response` says why.

    Args:
        solution: of the design.
        budget: memory and time.
        undecided: where to name a reading that a limit stopped, which is then None.

    Raises:
        LimitError: past the budget, where nobody wants the names.
    """
    if no_response(solution, budget):
        return ResponseProfile(None, None, None)
    layers, initial = response_layers(solution, budget), solution.configuration.initial
    assert layers is not None
    asked: dict[str, Callable[[], float | None]] = {  # the quickest first
        "grace": lambda: layers.grace(initial, budget),
        "effort": lambda: layers.effort(initial, budget),
        "tempo": lambda: solution.cached("tempo", lambda: layers.tempo(budget)),
    }
    extents: dict[str, Extent] = {}
    for name, ask in asked.items():
        try:
            extents[name] = extent(ask())
        except LimitError as stop:
            if undecided is None:
                raise
            extents[name] = None
            undecided.append(f"{name}: {stop}")
    return ResponseProfile(**extents)


def response_counts(
    solution: Solution, budget: Budget = UNLIMITED, reachable: bool = False
) -> ResponseCounts | None:
    """How many winning positions have each effort and grace, and of those in R; None without an idle action.

    Raises:
        LimitError: past the budget.
    """
    layers = response_layers(solution, budget)
    if layers is None:
        return None
    over_all = layers.efforts(budget), layers.graces(budget)
    if not reachable or not solution.defensible:
        return ResponseCounts(*over_all)
    return ResponseCounts(*over_all, layers.efforts(budget, True), layers.graces(budget, True))


def extent(reading: float | None) -> Extent:
    """A reading as it is written down.

    >>> extent(2.0), extent(math.inf), extent(None)
    (2, 'unbounded', None)
    """
    if reading is None:
        return None
    return UNBOUNDED if math.isinf(reading) else int(reading)


def as_number(reading: Extent) -> float | None:
    """A reading of the response as a number: infinite where it is unbounded."""
    return math.inf if reading == UNBOUNDED else reading
