"""The analysis of a design of which safe play is that of one that was analysed before."""

from __future__ import annotations

import time
from dataclasses import replace

from holdfast.budget import Budget
from holdfast.game import has_chance
from holdfast.readings.analysis import of_verdict, recovered
from holdfast.readings.question import Asked
from holdfast.readings.results import Analysis
from holdfast.readings.vacuity import caveats, goal_caveats, undefended
from holdfast.solver import Solution


def can_be_alike(solution: Solution, asked: Asked) -> bool:
    """Whether what is asked of a design is told by its verdict and its safe play."""
    sight = solution.configuration.system.sight
    seen = sight is not None and sight.placed is not None
    drawn = asked.hold is not None or has_chance(solution.configuration.game)
    return asked.latitude and not (asked.layers or asked.learning or seen or drawn)


def analysis_alike(solution: Solution, known: Analysis, asked: Asked, budget: Budget) -> Analysis:
    """The analysis of a solved configuration of which safe play is that of one that was analysed.

    Args:
        solution: of which :meth:`~holdfast.solver.KnownPlay.is_that_of` says so.
        known: the analysis of the other one, whole.
        asked: what was asked of it (:func:`can_be_alike`), and is asked now.
        budget: memory and time.
    """
    started, here, undecided = time.perf_counter(), solution.configuration, list[str]()
    empty = tuple(caveats(here, held=True, budget=budget))
    recovery = known.recovery
    if any(profile.share is not None for profile in recovery.values()):  # that speaks of all of W
        recovery = recovered(solution, asked, budget, undecided)
    if asked.recovery:
        empty = (*empty, *goal_caveats(solution))
    if asked.response:
        empty = (*empty, *undefended(empty, known.response))
    return replace(
        of_verdict(solution),
        slt=known.slt,
        reachable=known.reachable,
        recovery=recovery,
        response=known.response,
        no_response=known.no_response,
        ddr_exact=known.ddr_exact,
        protocol=known.protocol,
        caveats=empty,
        warnings=tuple(caveat.text for caveat in empty),
        undecided="; ".join(undecided) or None,
        seconds=time.perf_counter() - started,
    )
