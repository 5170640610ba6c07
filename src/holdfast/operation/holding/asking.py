"""How likely a solved design holds."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Interval, is_unsafe
from holdfast.operation.holding.best_choices import opening
from holdfast.operation.holding.by_diagrams import followed_by_diagrams
from holdfast.operation.holding.choice_game import choice_game, is_listed
from holdfast.operation.holding.descent import Followed, followed, lucky
from holdfast.operation.holding.exactly import exact_hold
from holdfast.operation.holding.mean_by_diagrams import mean_by_diagrams
from holdfast.operation.holding.result import Hold
from holdfast.operation.holding.sensitivity import sensitivities
from holdfast.operation.holding.slopes import slopes_by_diagrams
from holdfast.operation.holding.time_to_loss import mean_time
from holdfast.solver import Solution

USUAL = 100
"""For so many moves it is asked what matters, if nobody says for how many."""
HALF = 0.5
"""Of the time that is left, what the mean time to loss may take by diagrams, and then what matters."""
MAX_DIGITS = 60
"""A fraction that is longer is not told."""
POINTS = 60
"""So many points of the survival curve are kept."""


def hold(solution: Solution, moves: Sequence[int] = (), budget: Budget = UNLIMITED) -> Hold:
    """The probability that φ_D is kept for so many moves, and for ever, as brackets that are proved.

    >>> import holdfast as hf
    >>> from holdfast.models.network import network_system
    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance={"spread": "0.25"})
    >>> lost = hf.solve(hf.configure(system, ["G (DB = C)"]))
    >>> answer = hold(lost, (1, 2))
    >>> answer.moves[1].low <= 0.75 <= answer.moves[1].high, answer.forever.width < 1e-6
    (True, True)

    Raises:
        LimitError: past the budget; ``known["hold"]`` is what is proved by then.
    """
    began = time.perf_counter()
    configuration = solution.configuration
    if is_unsafe(configuration, configuration.initial):
        return _certain(0.0, moves)
    if solution.defensible:
        return _certain(1.0, moves)
    part, known = budget.part("how likely it holds"), None
    try:
        if not is_listed(solution):
            known = _answer(followed_by_diagrams(solution, moves, True, part), "diagrams", began)
            if known.forever.high == 0.0:
                with suppress(LimitError):  # it is told if there is time, and so is what matters
                    known = replace(known, mean=mean_by_diagrams(solution, part.share(HALF)))
            within = _most_open(known)
            with suppress(LimitError):
                matters = slopes_by_diagrams(solution, within, part.share(HALF))
                known = replace(known, matters=matters, matters_within=within)
        else:
            game = choice_game(solution, part)
            assert game is not None, "v₀ is neither in U nor in W"
            course = followed(game, moves, True, part)
            known = replace(_answer(course, "listed", began), lucky=bool(lucky(game)[game.initial]))
            known = replace(known, mean=mean_time(game, part))
            within = _most_open(known)
            known = replace(known, matters=sensitivities(game, within, part), matters_within=within)
            known = replace(known, opening=opening(solution, game, within, part))
            exact = exact_hold(game, course.values, part)
            if exact is not None:
                told = str(exact) if len(str(exact)) <= MAX_DIGITS else None
                known = replace(known, exact=told, forever=_closest(exact))
    except LimitError as stop:
        so_far = stop.known.get("hold")
        known = _answer(so_far, "", began) if isinstance(so_far, Followed) else known
        stop.known = {**stop.known, "hold": known}
        raise
    return replace(known, seconds=time.perf_counter() - began)


def held_for(solution: Solution, moves: int | None = None, budget: Budget = UNLIMITED) -> Interval[float]:
    """The bracket of :func:`hold` for so many moves, or for ever, and nothing else.

    Raises:
        LimitError: past the budget.
    """
    configuration = solution.configuration
    if is_unsafe(configuration, configuration.initial):
        return Interval(0.0, 0.0)
    if solution.defensible:
        return Interval(1.0, 1.0)
    asked = () if moves is None else (moves,)
    if is_listed(solution):
        game = choice_game(solution, budget)
        assert game is not None, "v₀ is neither in U nor in W"
        course = followed(game, asked, moves is None, budget)
    else:
        course = followed_by_diagrams(solution, asked, moves is None, budget)
    return course.forever if moves is None else course.moves[moves]


def _certain(value: float, moves: Sequence[int]) -> Hold:
    """HOLD where nothing is left to chance."""
    sure, lost = Interval(value, value), None if value else 0
    return Hold(
        sure,
        dict.fromkeys(moves, sure),
        bool(value),
        median=lost,
        mean=None if lost is None else Interval(0.0, 0.0),
        exact=str(int(value)),
        curve=((0, value),),
        method="listed",
        seconds=0.0,
    )


def _answer(found: Followed, method: str, began: float) -> Hold:
    """What iteration from above has come to."""
    return Hold(
        found.forever,
        found.moves,
        found.lucky,
        median=found.median,
        curve=tuple((t, found.curve[t]) for t in _points(len(found.curve))),
        method=method,
        seconds=time.perf_counter() - began,
    )


def _most_open(known: Hold) -> int:
    """Of the numbers of moves that were asked for, that for which holding is closest to one half."""
    return min(known.moves, key=lambda moves: abs(known.moves[moves].low - 0.5), default=USUAL)


def _closest(exact: Fraction) -> Interval[float]:
    """The doubles next to a fraction, or the one that it is."""
    value = float(exact)
    low = value if value <= exact else math.nextafter(value, 0.0)
    high = value if value >= exact else math.nextafter(value, 1.0)
    return Interval(low, high)


def _points(n: int) -> list[int]:
    """The moves at which a curve of n points is kept: all of a short one, else ever fewer."""
    if n <= POINTS:
        return list(range(n))
    return sorted({round((n - 1) ** (i / (POINTS - 1))) for i in range(POINTS)} | {0})
