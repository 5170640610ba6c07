"""DDR* of a solved game, by the first solver that fits the limits; see :mod:`holdfast.operation`.

:data:`LISTED_PLAY` lists safe play as far as it has to be told apart
(:mod:`holdfast.arena.quotient.lean_arena`) and solves it exactly; a tabulated game, whose positions are few,
on its shielded arena, and so is one whose outcomes are drawn (:mod:`holdfast.arena.draws`). Where the
list does not fit the memory or would take most of the time, :data:`VALUE_DIAGRAMS` give a certified bracket
(:mod:`holdfast.operation.brackets.value_brackets`), on the same quotient or, where outcomes are drawn, on the
whole game.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import suppress

from holdfast.arena import (
    PARALLEL_FROM,
    Chances,
    MergedArena,
    OutOfRoomError,
    bellman_operator,
    counted_arena,
    drawn_arena,
    lean_arena,
    merged_arena,
    merged_solution,
    shielded_arena,
)
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import GameStructure, Interval, Protocol, has_chance, reset_chance
from holdfast.operation.brackets.value_brackets import value_bracket
from holdfast.operation.dominance import settled_value, trembling
from holdfast.operation.mean_payoff import MAX_SWEEPS, PRECISION, bounds_at
from holdfast.operation.result import EPISODE, LEVELS, OperatingPoint
from holdfast.solver import AUTO, Solution, Solver, is_listable, solver_of

LISTED = 0.5
"""Of the time that there is, what the list and DDR* on it may take; a list that would not end stops early."""

LONG_RUN_WORK = 10_000_000_000
"""So many look-ups the bounds of the long run may cost, where there are many positions."""


def _not_told(what: str) -> None:
    """For who does not ask what was left out."""


def operating_point(
    solution: Solution,
    protocol: Protocol | None = None,
    budget: Budget = UNLIMITED,
    *,
    method: str = AUTO,
    endless: bool = True,
    left_out: Callable[[str], object] = _not_told,
) -> OperatingPoint:
    """DDR* with its trembling variant and the long run: exact, or between certified bounds.

    Args:
        solution: the solved game.
        protocol: how long an episode is, and what chance does in it; the paper's by default.
        budget: memory, time and cores.
        method: the name of a solver; ``auto`` takes the first that fits the limits.
        endless: whether the long run is asked for, where the solver is left to be chosen.
        left_out: is told what a limit kept from being found once DDR* was there.

    >>> from holdfast.solver import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> point = operating_point(solve(configure(game, ["G (DB != Z)"])))
    >>> round(point.value, 4), round(point.tremble, 4), point.method
    (0.7139, 0.6985, 'episode')

    Raises:
        InputError: when the configuration is not defensible, for a protocol that does not fit the game, or
            for a method that is unknown or cannot solve such a game.
        ModelError: for a reset that is refused.
        LimitError: past the budget.
    """
    protocol = protocol or Protocol()
    if method != AUTO:
        return _by(solver_of("operation", method, "method"), solution, protocol, budget, left_out)
    try:
        return _listed(solution, protocol, budget, left_out, endless)
    except LimitError as error:
        late = not math.isinf(budget.deadline) and VALUE_DIAGRAMS.can(solution)
        if not (late or isinstance(error, OutOfRoomError)):
            raise
        point = _bracketed(solution, protocol, budget, _not_told)
        if point.value is None:
            left_out(f"DDR*: known to lie between {point.low:.4f} and {point.high:.4f}; {error}")
        return point


def _by(
    solver: Solver,
    solution: Solution,
    protocol: Protocol,
    budget: Budget,
    left_out: Callable[[str], object],
) -> OperatingPoint:
    """DDR* by one solver, whatever the limits."""
    if not solver.can(solution):
        raise InputError(
            f'the method "{solver.key}" cannot solve this game: it is {solver.description}; '
            f'leave the choice to "{AUTO}"'
        )
    point: OperatingPoint = solver.solve(solution, protocol, budget, left_out)
    return point


def _bracketed(
    solution: Solution, protocol: Protocol, budget: Budget, left_out: Callable[[str], object]
) -> OperatingPoint:
    """By diagrams of values; what they leave open is in the bracket itself."""
    whole = has_chance(solution.configuration.game)  # alike values are told by where single actions lead
    return value_bracket(solution if whole else merged_solution(solution, budget), protocol, budget)


def _listed(
    solution: Solution,
    protocol: Protocol,
    budget: Budget,
    left_out: Callable[[str], object],
    endless: bool = True,
) -> OperatingPoint:
    """By backward induction over positions; what a limit then leaves of the rest does not take DDR* away."""
    started, epsilon, steps = time.perf_counter(), protocol.epsilon_min, protocol.steps
    perfect, listing = Chances(reset_chance(protocol, solution.configuration.game), 0.0), budget.share(LISTED)
    arena = quotient_arena(solution, protocol, listing)
    with bellman_operator(arena, perfect, listing) as bellman:
        settled = settled_value(bellman, arena.initial, steps)
    tremble: float | None = settled.value
    if epsilon:
        try:
            with bellman_operator(arena, perfect, budget) as bellman:
                tremble = settled_value(trembling(bellman, epsilon), arena.initial, steps).value
        except LimitError as error:
            left_out(f"DDR* of players who err: {error}")
            tremble = None
    if arena.n_positions >= PARALLEL_FROM and settled.long_run.width <= PRECISION:
        bounds: Interval[float] | None = settled.long_run
    else:
        bounds = _long_run(arena, perfect, budget, left_out) if endless else None
    return OperatingPoint(
        value=settled.value,
        low=settled.value,
        high=settled.value,
        tremble=tremble,
        epsilon=epsilon,
        long_run=bounds,
        method=EPISODE,
        seconds=time.perf_counter() - started,
    )


def quotient_arena(solution: Solution, protocol: Protocol, budget: Budget) -> MergedArena:
    """The quotient of the shielded arena, enumerated.

    The whole arena where the game is tabulated, where outcomes are drawn, or where there are few positions
    and diagrams fail.
    """
    game = solution.configuration.game
    resets = reset_chance(protocol, game) > 0
    if has_chance(game):
        return drawn_arena(solution, budget, resets=resets)
    if game.tables is not None:
        return _whole_arena(solution, resets, budget)
    if game.tallies:
        return counted_arena(solution, budget, resets=resets)
    try:
        return lean_arena(solution, budget, resets=resets)
    except LimitError:
        if is_listable(solution):
            with suppress(LimitError):
                return _whole_arena(solution, resets, budget)
        raise


def _whole_arena(solution: Solution, resets: bool, budget: Budget) -> MergedArena:
    """The shielded arena itself, in the form of its quotient."""
    arena = shielded_arena(solution, budget)
    return merged_arena(arena, resets=resets, budget=budget)


def _long_run(
    arena: MergedArena, perfect: Chances, budget: Budget, left_out: Callable[[str], object]
) -> Interval[float] | None:
    """Bounds of what endless play keeps; None where a limit is met before there are any."""
    max_sweeps = max(1, min(MAX_SWEEPS, LONG_RUN_WORK // len(arena.successor)))
    try:
        with bellman_operator(arena, perfect, budget) as bellman:
            bounds = bounds_at(bellman, arena.initial, PRECISION, max_sweeps)
    except LimitError as error:
        left_out(f"long run: {error}")
        return None
    return Interval(bounds.low, bounds.high)


def _is_factored(game: GameStructure) -> bool:
    """Whether a game is given by variables and rules, and counts no alike things."""
    return game.tables is None and not game.tallies


LISTED_PLAY = Solver(
    key=EPISODE,
    question="operation",
    description="backward induction over the positions of safe play, those that nothing tells apart as one; "
    "exact, with errors of the players and the long run",
    can=lambda solution: True,
    solve=_listed,
)

VALUE_DIAGRAMS = Solver(
    key=LEVELS,
    question="operation",
    description="decision diagrams of values; bounds that are certain, for factored games "
    "whose safe play is too large to list",
    can=lambda solution: _is_factored(solution.configuration.game),
    solve=_bracketed,
)
