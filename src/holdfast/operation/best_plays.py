"""How perfect players open: their best moves, one after the other, and what is still to come after each.

Where safe play can be listed, backward induction gives it exactly; elsewhere value diagrams do, as far as
they go (:mod:`holdfast.operation.brackets.value_plays`). Engagement resets are left to chance and do not
happen in the play; of what a choice may come to, the likeliest happens.
"""

from __future__ import annotations

from holdfast.arena import ShieldedArena, choice_arena, shielded_arena, stages
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Protocol
from holdfast.operation.brackets.value_plays import BestReply, replies_along, value_play
from holdfast.operation.dominance import episode_operator
from holdfast.solver import Solution, is_listable, reachable

N_MOVES = 12
"""Moves of an opening."""

LISTED = 0.3
"""Of the time that there is, what listing safe play may take."""

COUNTED, SECONDS_OF_COUNTING = 0.1, 10.0
"""Of the time that there is, and at most, what counting it may take: what is too long is not begun."""

EQUAL = 1e-9
"""What follows two moves is the same if it differs by no more, as a sum of μ."""


def best_replies(
    solution: Solution,
    protocol: Protocol | None = None,
    n_moves: int = N_MOVES,
    budget: Budget = UNLIMITED,
) -> tuple[BestReply, ...]:
    """The first moves of perfect play on both sides; none where a limit leaves a side without a bound.

    >>> from holdfast.solver import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> first, *_ = best_replies(solve(configure(game, ["G (DB != Z)"])))
    >>> [game.actions[first.position.turn][action].name for action in first.actions], round(first.low, 4)
    (['spread(DB)'], 0.7139)

    Raises:
        InputError: when the configuration is not defensible, or for a protocol that does not fit the game.
        ModelError: for a reset that is refused.
        LimitError: past the budget, for a game whose positions are tabulated.
    """
    protocol = protocol or Protocol()
    try:
        return listed_replies(_listed(solution, budget), protocol, n_moves, budget)
    except LimitError:
        if solution.configuration.game.tables is not None:
            raise
    play = value_play(solution, protocol, budget)
    return () if play is None else replies_along(play, n_moves)


def _listed(solution: Solution, budget: Budget) -> ShieldedArena:
    """Safe play as a list, where it is short or can be counted and is found to be.

    Raises:
        LimitError: where it is long, or past the budget.
    """
    if not is_listable(solution) and solution.configuration.game.tables is None:
        reachable(solution, budget.share(COUNTED, SECONDS_OF_COUNTING))
    return shielded_arena(solution, budget.share(LISTED))


def listed_replies(
    arena: ShieldedArena, protocol: Protocol, n_moves: int, budget: Budget = UNLIMITED
) -> tuple[BestReply, ...]:
    """The first moves of perfect play on both sides, where safe play is listed.

    Raises:
        LimitError: past the budget.
    """
    rest, arena = max(0, protocol.steps - n_moves), choice_arena(arena, budget)
    with episode_operator(arena, protocol, budget) as bellman:
        kept = enumerate(stages(bellman, protocol.steps, rest), rest)
        values = {to_go: worth.copy() for to_go, worth in kept}
    here, replies = arena.initial, []
    for to_go in range(protocol.steps, rest, -1):
        moves = slice(arena.first[here], arena.first[here + 1])
        worth = values[to_go - 1][arena.successor[moves]]
        worth = worth if arena.mover[here] else -worth
        best = (worth <= worth.min(initial=float("inf")) + EQUAL).nonzero()[0]
        mean = float(values[to_go][here]) / to_go
        actions = tuple(arena.action[moves][best].tolist())
        replies.append(BestReply(arena.position(here), actions, mean, mean))
        here = _likeliest(arena, int(arena.successor[moves][best[0]])) if len(best) else here
    return tuple(replies)


def _likeliest(arena: ShieldedArena, after: int) -> int:
    """The position after a move: of a draw the likeliest, and the first of those."""
    if arena.draws is None or after < arena.n_positions:
        return after
    row = after - arena.n_positions
    return int(arena.draws.target[row][arena.draws.share[row].argmax()])
