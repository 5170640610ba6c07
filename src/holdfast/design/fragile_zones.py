"""What must never be added to one zone of a design that is held zone by zone.

Additions whose places are all in the zone are asked about in its guarded game, on its terms
(:mod:`~holdfast.design.fragility`). What is tolerated there leaves the whole held: the other zones are as
they were. What breaks the zone need not break the whole, which may hold on other terms; so each breaker is
added to the whole. The whole is lost if the zone is lost by itself then, in its open game, and else it is
composed again. A breaker is listed if the whole is lost, and named as undecided if that stays open.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition import Answers, Composition, compose, remade, zone_design, zones_of
from holdfast.design.fragility import Breaker, Fragility, fragility
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, extended, on_system
from holdfast.running import Backend
from holdfast.solver import solve

ZONE_PART = 0.7
"""The part of the time, where it is limited, for what breaks the zone; the rest is for the whole."""


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
    additions = design.system.additions()
    design = replace(design, system=replace(design.system, additions=partial(tuple, additions)))
    offered = {each.kind for each in additions}
    unknown = [kind for kind in kinds if kind not in offered]
    if unknown:
        listed = ", ".join(sorted(offered))
        raise InputError(f'"{unknown[0]}" is asked of the whole, not of a zone; here there are {listed}')
    told = fragility(
        design,
        kinds=sorted(kinds or offered),
        max_cost=max_cost,
        solution=solve(design, budget=budget),
        budget=budget.share(ZONE_PART),
        backend=backend,
    )
    whole, named = found.configuration, {each.text: each for each in additions}
    answers, broken, open_ = Answers(budget, backend), list[Breaker](), list(told.undecided)
    unfinished = told.unfinished
    for breaker in told.breakers:
        try:
            system = extended(whole.system, map(named.__getitem__, breaker.additions))
            verdict = _held(found, zone, on_system(whole, system), answers)
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


def _held(found: Composition, zone: int, changed: Configuration, answers: Answers) -> bool | None:
    """The verdict on the whole with something added to a zone; None where it stays open."""
    assert found.division is not None, "what is held by zones has a division"
    with suppress(InputError):
        alone = remade(found.division, zone, None, changed, answers.budget)
        if not answers.held([alone])[0]:
            return False
    return compose(changed, zones_of(found.configuration)[0], answers=answers).defensible
