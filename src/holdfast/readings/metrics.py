"""The static readings WIN, STP, SLT (sec:win, sec:stp, sec:slt).

Counts stay integers; a ratio is computed once, from exact fractions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import n_choices
from holdfast.logic import Player
from holdfast.solver import Reach, Solution, reachable


@dataclass(frozen=True)
class StaticReading:
    """The three static axes of the fingerprint; None where an axis is not defined or not asked for."""

    winning_fraction: float | None
    shell_steepness: float
    shield_latitude: float | None
    reach: Reach | None


def winning_fraction(solution: Solution) -> Fraction | None:
    """WIN = |W| / (|V| − |U|); None when every position is unsafe."""
    n_open = solution.configuration.n_positions - solution.configuration.n_unsafe
    return Fraction(solution.n_winning, n_open) if n_open else None


def shell_steepness(shells: tuple[int, ...]) -> float:
    """STP = 1 − H / ln k_max, the normalised entropy deficit of the shells; 1 when k_max ≤ 1.

    >>> round(shell_steepness((19238, 6392, 256, 384)), 4)
    0.5102
    >>> shell_steepness(()), shell_steepness((7,)), shell_steepness((5, 5))
    (1.0, 1.0, 0.0)
    """
    if len(shells) <= 1:
        return 1.0
    total = sum(shells)
    masses = [float(Fraction(size, total)) for size in shells if size]
    entropy = -math.fsum(p * math.log(p) for p in masses if p > 0)
    return min(1.0, max(0.0, 1.0 - entropy / math.log(len(shells))))


def shield_latitude(reach: Reach | None, n_actions: int) -> Fraction | None:
    """SLT: the mean of |Safe(v)| / |Act_D| over the defender positions of R; None without any."""
    if reach is None or reach.n_defender == 0:
        return None
    return Fraction(reach.n_permitted, n_actions * reach.n_defender)


def static_reading(solution: Solution, latitude: bool = True, budget: Budget = UNLIMITED) -> StaticReading:
    """WIN, STP and, unless ``latitude`` is off, R and SLT.

    Raises:
        LimitError: when R outgrows the engine's memory, or past the budget.
    """
    win = winning_fraction(solution)
    reach, slt = latitude_reading(solution, budget) if latitude else (None, None)
    return StaticReading(
        winning_fraction=None if win is None else float(win),
        shell_steepness=shell_steepness(solution.shells),
        shield_latitude=slt,
        reach=reach,
    )


def latitude_reading(solution: Solution, budget: Budget = UNLIMITED) -> tuple[Reach | None, float | None]:
    """R, or None where the defender has lost at the start; and SLT.

    Raises:
        LimitError: when R outgrows the engine's memory, or past the budget.
    """
    reach = reachable(solution, budget)
    slt = shield_latitude(reach, n_choices(solution.configuration.game, Player.DEFENDER))
    return reach, None if slt is None else float(slt)
