"""How likely a solved design holds."""

from __future__ import annotations

import time
from collections.abc import Sequence

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Interval, is_unsafe
from holdfast.operation.hold.choice_game import choice_game
from holdfast.operation.hold.holding import Followed, followed, lucky, median_of
from holdfast.operation.hold.result import Hold
from holdfast.solver import Solution

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
    game = choice_game(solution, budget)
    assert game is not None, "v₀ is neither in U nor in W"
    try:
        found = followed(game, moves, True, budget.part("how likely it holds"))
    except LimitError as stop:
        known = stop.known.get("hold")
        if isinstance(known, Followed):
            stop.known = {**stop.known, "hold": _answer(known, None, time.perf_counter() - began)}
        raise
    return _answer(found, bool(lucky(game)[game.initial]), time.perf_counter() - began)


def _certain(value: float, moves: Sequence[int]) -> Hold:
    sure = Interval(value, value)
    return Hold(
        sure, dict.fromkeys(moves, sure), bool(value), None if value else 0, ((0, value),), "listed", 0.0
    )


def _answer(found: Followed, luck: bool | None, seconds: float) -> Hold:
    kept = _points(len(found.curve))
    return Hold(
        found.forever,
        found.moves,
        luck,
        median_of(found.curve),
        tuple((t, found.curve[t]) for t in kept),
        "listed",
        seconds,
    )


def _points(n: int) -> list[int]:
    """The moves at which a curve of n points is kept: all of a short one, else ever fewer."""
    if n <= POINTS:
        return list(range(n))
    return sorted({round((n - 1) ** (i / (POINTS - 1))) for i in range(POINTS)} | {0})
