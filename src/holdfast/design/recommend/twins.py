"""Changed designs that are alike up to the names of interchangeable places: one is read for all."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from holdfast.budget import Budget
from holdfast.design.alike_places import AlikePlaces
from holdfast.design.cores import AssumptionSet
from holdfast.design.recommend.space import DesignSpace
from holdfast.errors import InputError, LimitError

MOST_CHANGES = 3
"""Changes of a set up to which it is compared with others, in every order of them."""


def twins(
    space: DesignSpace, sets: Iterable[AssumptionSet], budget: Budget
) -> dict[AssumptionSet, AssumptionSet]:
    """The sets whose designs are proved to be that of an earlier set with other names, with that set."""
    found: dict[AssumptionSet, AssumptionSet] = {}
    with suppress(LimitError):  # as far as there is time: what is not found is read by itself
        places = AlikePlaces(space.configuration, budget)
        if not places.class_of:
            return found
        first: dict[tuple[str, ...], tuple[AssumptionSet, list[str]]] = {}
        for chosen in sets:
            if len(chosen) > MOST_CHANGES:
                continue
            key, names = places.canonical(space.names(chosen))
            one, others = first.setdefault(key, (chosen, names))
            if one != chosen and _is_renamed(space, places, (one, others), (chosen, names), budget):
                found[chosen] = one
    return found


def _is_renamed(
    space: DesignSpace,
    places: AlikePlaces,
    one: tuple[AssumptionSet, list[str]],
    other: tuple[AssumptionSet, list[str]],
    budget: Budget,
) -> bool:
    """Whether two sets of changes, each with the places it names, make designs that differ by names only."""
    budget.tick("looking for changes that are alike")
    try:
        before, after = (space.changed(chosen, budget) for chosen, _ in (one, other))
    except InputError:  # they do not go together
        return False
    return places.is_renamed(before, after, places.renaming(one[1], other[1]))
