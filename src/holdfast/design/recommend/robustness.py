"""What a proposal does to robustness: which single additions would undo it.

For the design as it is, if it has what is asked for, and for the first few proposals: the new links, lifted
filters and newly exposed hosts each of which alone would cost what is asked for
(:mod:`~holdfast.design.fragility`). Each is given few steps, the same on every machine, and what stays open
is said to be unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.cores import AssumptionSet
from holdfast.design.fragility import fragility
from holdfast.design.recommend.space import Change, DesignSpace
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration
from holdfast.solver import Solution, solve_like

UNFILTER = "unfilter"
KINDS = ("link", UNFILTER, "expose")
"""The kinds of additions that are looked at."""

MOST_ASKED, STEPS = 5, 200_000
"""Proposals that are looked at, and steps for each of them."""


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
    found, known = list[UndoneBy](), None
    for chosen in proposals:
        helps = all(_only_helps(space.changes[i]) for i in chosen)
        limited = budget.within(STEPS)
        asked = _asked(space, solution, chosen, wanted, known if helps else None, engine, limited)
        known = known if chosen else asked
        found.append(asked)
    return tuple(found)


def _only_helps(change: Change) -> bool:
    """Whether a change does nothing but make the adversary able to do less, or the defender more."""
    return change.helps and change.written is None


def _asked(
    space: DesignSpace,
    solution: Solution,
    chosen: AssumptionSet,
    wanted: str,
    known: UndoneBy | None,
    engine: str,
    budget: Budget,
) -> UndoneBy:
    """What would undo one proposal; ``known`` is what would undo the design as it is."""
    names, here = space.names(chosen), space.configuration
    try:
        changed = space.changed(chosen, budget) if chosen else here
        solved = solve_like(changed, solution, engine, budget) if chosen else solution
        means: dict[str, Any] = {"engine": engine, "budget": budget}
        means["tolerated"] = _tolerated(here, known, changed)
        found = fragility(changed, wanted, kinds=KINDS, solution=solved, **means)
    except (LimitError, InputError):
        return UndoneBy(names, None, 0)
    n_there = sum(found.kinds.values())
    if found.unfinished or not found.holds:
        return UndoneBy(names, None, n_there)
    return UndoneBy(names, tuple(breaker.additions[0] for breaker in found.breakers), n_there)


def _tolerated(design: Configuration, known: UndoneBy | None, changed: Configuration) -> frozenset[str]:
    """The additions that cannot undo a changed design in which the adversary can do less than in the design.

    They do not undo the design as it is, or take back no more than a filter that the changes put there.
    """
    if known is None or known.additions is None:
        return frozenset()
    there = [each for each in design.system.additions() if each.kind in KINDS]
    least, names = min((each.cost for each in there), default=0), {each.text for each in there}
    asked = {each.text for each in there if each.cost == least}
    lifted = {each.text for each in changed.system.additions() if each.kind == UNFILTER} - names
    return frozenset(asked - {*known.additions} | lifted)


def undone_object(each: UndoneBy) -> dict[str, Any]:
    """What would undo a proposal, as plain data; null where that is not known."""
    undone = None if each.additions is None else list(each.additions)
    return {"changes": list(each.changes), "undone_by": undone, "additions": each.n_looked_at}
