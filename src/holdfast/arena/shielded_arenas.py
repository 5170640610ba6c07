"""The shielded arena: what play can reach once both players are confined to W (sec:marl, sec:respawn).

Its positions are those reached from v₀ through Safe(v) and, unless they are left out, through engagement
resets (:mod:`holdfast.solver.resets`); without them they are R (sec:slt). Learners, the exact operating point
and explanations play here, so everything they read at a position is one array look-up away.

At an adversary position of W every admissible move stays in W, so Safe(v) = Λ(v), and it may be empty. The
adversary is then out of moves and the play *rests*: μ of the position goes on counting, and only a reset
can end it.
"""

from __future__ import annotations

from holdfast.arena.form import ShieldedArena
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game import refuse_counted
from holdfast.solver import Solution, is_listable

__all__ = ["ShieldedArena", "require_defensible", "shielded_arena"]

WITH_RESETS, WITHOUT_RESETS = "arena with resets", "arena without resets"


def shielded_arena(solution: Solution, budget: Budget = UNLIMITED, *, resets: bool = True) -> ShieldedArena:
    """The shielded arena of a solved, defensible configuration, enumerated once and kept.

    A game whose positions can be listed is searched breadth first on arrays; any other is walked by compiled
    code. Without ``resets`` the positions are R. Where outcomes are drawn, each outcome of a safe choice is a
    move; :func:`~holdfast.arena.draws.choice_arena` puts them together.

    >>> from holdfast.solver import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> arena = shielded_arena(solve(configure(game, ["G (DB != Z)"])))
    >>> arena.n_positions, arena.n_states, arena.position(arena.initial).state
    (22, 12, (1, 0))

    Raises:
        InputError: when the configuration is not defensible: then there is no shield to play in.
        ModelError: for a reset whose target is not winning, or that would erase the memory of φ_D.
        LimitError: past the budget, or where there are too many positions to walk.
    """
    require_defensible(solution)
    refuse_counted(solution.configuration.game, "safe play laid out for DDR and learners")
    resets = resets and solution.configuration.game.reset is not None
    return solution.cached(
        WITH_RESETS if resets else WITHOUT_RESETS, lambda: _enumerated(solution, resets, budget)
    )


def _enumerated(solution: Solution, resets: bool, budget: Budget) -> ShieldedArena:
    from holdfast.arena.form import without_resets
    from holdfast.arena.listing import listed_arena

    larger: ShieldedArena | None = None if resets else solution.cached_or_none(WITH_RESETS)
    if larger is not None:
        return without_resets(larger)
    if is_listable(solution):
        return listed_arena(solution, resets, budget)
    from holdfast.arena.lazy_arena import walked_arena  # brings numba

    return walked_arena(solution, resets, budget)


def require_defensible(solution: Solution) -> None:
    """Refuse a configuration that has no shield."""
    if not solution.defensible:
        raise InputError(
            f"the configuration is not defensible: v0 has rank {solution.initial_rank}, so there is no "
            "shield to play in and DDR is undefined; strengthen the design first"
        )
