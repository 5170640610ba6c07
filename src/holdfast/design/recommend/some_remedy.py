"""One set of changes that makes a lost design hold, where the time may be too short for the cheapest.

All changes that can only help, but for those that break a promise together with others, are made at once. If
that holds, they are taken back one by one, the dearest first, as long as it holds. What is left works and no
part of it does; nothing is said about its cost.
"""

from __future__ import annotations

from holdfast.design.cores import AssumptionSet
from holdfast.design.recommend.space import DesignSpace
from holdfast.design.trials import Trials
from holdfast.errors import InputError, LimitError


def some_remedy(space: DesignSpace, trials: Trials) -> AssumptionSet | None:
    """A minimal set of changes that works; None where none is found this way, or not in time."""
    by_cost = sorted(
        (i for i, change in enumerate(space.changes) if change.helps), key=lambda i: space.cost([i])
    )
    try:
        made = frozenset[int]()
        for i in by_cost:
            trials.budget.tick("looking for a set that works")
            made |= {i} if space.keeps(made | {i}) else frozenset()
        if not _works(space, made, trials):
            return None
        for i in reversed(by_cost):
            if i in made and space.keeps(made - {i}) and _works(space, made - {i}, trials):
                made -= {i}
    except LimitError:
        return None
    return made


def _works(space: DesignSpace, chosen: AssumptionSet, trials: Trials) -> bool:
    try:
        return trials.solve(space.changed(chosen, trials.budget)).defensible
    except InputError:  # changes that do not go together
        return False
