"""What a proposal does to robustness: which single additions would undo it.

For the design as it is, if it has what is asked for, and for the first few proposals: the new links, lifted
filters and newly exposed hosts each of which alone would cost what is asked for
(:mod:`~holdfast.design.fragility`). Each is given little time, and what stays open is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.fragility import fragility
from holdfast.design.recommend.space import DesignSpace
from holdfast.errors import InputError, LimitError
from holdfast.solver import Solution

KINDS = ("link", "unfilter", "expose")
"""The kinds of additions that are looked at."""

MOST_ASKED, SECONDS = 5, 2.0
"""Proposals that are looked at, and seconds for each of them."""


@dataclass(frozen=True)
class UndoneBy:
    """What would undo a proposal.

    Attributes:
        changes: the proposal; nothing for the design as it is.
        additions: those of which each alone would undo it; None where a limit left that open.
        n_looked_at: how many additions were looked at.
    """

    changes: tuple[str, ...]
    additions: tuple[str, ...] | None
    n_looked_at: int


def undone_by(
    space: DesignSpace,
    solution: Solution,
    proposals: Iterable[AssumptionSet],
    wanted: str,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> tuple[UndoneBy, ...]:
    """What would undo each of some proposals, as far as there is time; empty for a system without additions.

    Args:
        space: of the changes.
        solution: of the design as it is.
        proposals: sets of changes, each of which gives the design what is asked for.
        wanted: what that is, by its name.
        engine, budget: as elsewhere.
    """
    if not any(each.kind in KINDS for each in space.configuration.system.additions()):
        return ()
    return tuple(
        _asked(space, solution, chosen, wanted, engine, budget.share(1.0, SECONDS)) for chosen in proposals
    )


def _asked(
    space: DesignSpace, solution: Solution, chosen: AssumptionSet, wanted: str, engine: str, budget: Budget
) -> UndoneBy:
    names = space.names(chosen)
    try:
        changed = space.changed(chosen, budget) if chosen else space.configuration
        known = None if chosen else solution
        found = fragility(changed, wanted, kinds=KINDS, solution=known, engine=engine, budget=budget)
    except (LimitError, InputError):
        return UndoneBy(names, None, 0)
    n_there = sum(found.kinds.values())
    if found.unfinished or not found.holds:
        return UndoneBy(names, None, n_there)
    return UndoneBy(names, tuple(breaker.additions[0] for breaker in found.breakers), n_there)


def undone_object(each: UndoneBy) -> dict[str, Any]:
    """What would undo a proposal, as plain data; null where that is not known."""
    undone = None if each.additions is None else list(each.additions)
    return {"changes": list(each.changes), "undone_by": undone, "additions": each.n_looked_at}
