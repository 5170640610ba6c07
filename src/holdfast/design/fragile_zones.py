"""What must never be added to one zone of a design that is held zone by zone.

Additions whose places are all in the zone are asked about in its guarded game, on its terms
(:mod:`~holdfast.design.fragility`). What is tolerated there leaves the whole held: the other zones are as
they were. What breaks the zone need not break the whole, which may hold on other terms; so each breaker is
added to the whole, which is composed again. It is listed if the whole is lost then, and named as undecided
if that stays open.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition import Answers, Composition, compose, zone_design, zones_of
from holdfast.design.additions import fragile_design
from holdfast.design.fragility import Breaker, Fragility, fragility
from holdfast.errors import InputError, LimitError
from holdfast.running import Backend
from holdfast.solver import solve


def zone_fragility(
    found: Composition,
    zone: int,
    *,
    kinds: Collection[str] = (),
    max_cost: int | None = None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
) -> Fragility:
    """What must never be added to a zone, by its number; see the module.

    Raises:
        InputError: for a kind of additions that the zone does not have.
        LimitError: when a limit leaves even the zone itself open.
    """
    design = zone_design(found, zone, budget)
    offered = {each.kind for each in design.system.additions()}
    unknown = [kind for kind in kinds if kind not in offered]
    if unknown:
        listed = ", ".join(sorted(offered))
        raise InputError(f'"{unknown[0]}" is asked of the whole, not of a zone; here there are {listed}')
    told = fragility(
        design,
        kinds=sorted(kinds or offered),
        max_cost=max_cost,
        solution=solve(design, budget=budget),
        budget=budget,
        backend=backend,
    )
    whole = found.configuration
    universe = fragile_design(whole, None, sorted(kinds or offered), "auto", budget)
    numbers = {each.text: i for i, each in enumerate(universe.additions)}
    partition, _ = zones_of(whole)
    answers, broken, open_ = Answers(budget, backend), list[Breaker](), list(told.undecided)
    unfinished = told.unfinished
    for breaker in told.breakers:
        try:
            more = universe.extended(numbers[name] for name in breaker.additions)
            verdict = compose(more, partition, answers=answers).defensible
        except InputError:
            verdict = None
        except LimitError as limit:
            unfinished, verdict = str(limit), None
        if verdict is False:
            broken.append(breaker)
        elif verdict is None:
            open_.append(" and ".join(breaker.additions))
    return replace(
        told,
        configuration=whole,
        breakers=tuple(broken),
        undecided=tuple(open_),
        unfinished=unfinished,
        solution=None,
    )
