"""One set of changes that gives a design what it lacks, where the time may be too short for the cheapest.

All changes that can only help, but for those that break a promise together with others, are made at once. If
that works, they are taken back one by one, the dearest first, as long as it works. What is left works, and
none of it can be left out; nothing is said about its cost.
"""

from __future__ import annotations

from holdfast.design.cores import AssumptionSet
from holdfast.design.properties import Property
from holdfast.design.recommend.space import DesignSpace
from holdfast.design.trials import Trials
from holdfast.errors import InputError, LimitError


def some_remedy(space: DesignSpace, wanted: Property, trials: Trials) -> AssumptionSet | None:
    """A minimal set of changes that works; None where none is found this way, or not in time."""
    by_cost = sorted(
        (i for i, change in enumerate(space.changes) if change.helps), key=lambda i: space.cost([i])
    )
    try:
        made = frozenset[int]()
        for i in by_cost:
            trials.budget.tick("looking for a set that works")
            made |= {i} if space.keeps(made | {i}) else frozenset()
        if not _works(space, made, wanted, trials):
            return None
        for i in reversed(by_cost):
            if i in made and space.keeps(made - {i}) and _works(space, made - {i}, wanted, trials):
                made -= {i}
    except LimitError:
        return None
    return made


def _works(space: DesignSpace, chosen: AssumptionSet, wanted: Property, trials: Trials) -> bool:
    try:
        return wanted.holds(trials.solve(space.changed(chosen, trials.budget)), trials.budget)
    except InputError:  # changes that do not go together
        return False
