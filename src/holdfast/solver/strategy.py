"""A winning strategy of the adversary, followed against every reply.

At a lost position of rank k > 0 the adversary has a move to rank k − 1, and every move of the defender
leads to a rank below k (alg:attractor). So any choice of such moves wins, and wins in rank(v₀) moves at
most. Where it is to be told, the choice is taken that answers as many replies as possible with the same
action.

A *holding* strategy keeps the play in a trap (:class:`~holdfast.solver.recovery.RecoveryProof`) for as long
as the defender stays in W, and wins where it does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Position
from holdfast.logic import Player
from holdfast.solver.position_sets import PositionSet
from holdfast.solver.solved_game import SolvedGame
from holdfast.solver.stepper import Outcomes

MAX_FOLLOWED = 5_000
N_RECENT = 6


@dataclass(frozen=True)
class Strategy:
    """What was followed of a strategy, from v₀ on.

    Attributes:
        choice: at each position of the adversary the action, and where it leads.
        replies: at each position of the defender all its moves.
        order: the positions followed, the longest resistance first.
        cut: positions that are reached but were not followed any further.
        stopped: why a limit ended it; else empty.
    """

    choice: dict[Position, tuple[int, Position]] = field(default_factory=dict)
    replies: dict[Position, Outcomes] = field(default_factory=dict)
    order: list[Position] = field(default_factory=list)
    cut: set[Position] = field(default_factory=set)
    stopped: str = ""


def winning_strategy(
    solved: SolvedGame, max_followed: int = MAX_FOLLOWED, budget: Budget = UNLIMITED, *, brief: bool = True
) -> Strategy:
    """Follow a winning strategy from a lost v₀; the defender's longest resistance is followed first.

    Past ``max_followed`` positions, or past the budget, what is left is cut. A ``brief`` one is looked for at
    the price of weighing every best move.
    """
    chosen: dict[Position, int] = {}

    def answer(here: Position) -> tuple[int, Position]:
        _answer([here], solved, chosen)
        target = solved.best(here, chosen[here])
        assert target is not None
        return chosen[here], target

    def weigh(replies: Outcomes) -> None:
        lost = [target for target in replies if solved.rank(target)]
        if not brief:
            _repeat(lost, solved, chosen)
        _answer(lost, solved, chosen)

    return _followed(solved, answer, max_followed, budget, weigh)


def holding_strategy(
    solved: SolvedGame, trap: PositionSet, max_followed: int = MAX_FOLLOWED, budget: Budget = UNLIMITED
) -> Strategy:
    """Follow a strategy that keeps the play in a trap that v₀ is in, or wins.

    The adversary has a move at every position of the trap. It waits where it can, and else plays what it has
    played before where that will do. Past ``max_followed`` positions, or past the budget, what is left is
    cut.
    """
    played = Counter[int]()

    def answer(here: Position) -> tuple[int, Position]:
        options = _holding(solved, trap, here)
        action = min(options, key=lambda a: (options[a].state != here.state, -played[a], a))
        played[action] += 1
        return action, options[action]

    def ease(position: Position) -> float:
        """How far a position is from where the adversary wants it: lost, or in the trap."""
        rank = solved.rank(position)
        return rank if rank is not None else inf if position not in trap else 1e9

    return _followed(solved, answer, max_followed, budget, ease=ease)


def _followed(
    solved: SolvedGame,
    answer: Callable[[Position], tuple[int, Position]],
    max_followed: int,
    budget: Budget,
    weigh: Callable[[Outcomes], None] | None = None,
    ease: Callable[[Position], float] | None = None,
) -> Strategy:
    """Follow a strategy from v₀ against every reply.

    Args:
        answer: the adversary's action at a position, and where it leads.
        weigh: for a strategy that wins: is shown the replies before they are answered. The longest resistance
            is then followed first, and a move that is told is told with its replies.
        ease: by which outcomes of a reply are worse than others, where they are drawn; see ``replies``.
    """
    strategy, stopped = Strategy(), ""
    stack, seen = [solved.initial], {solved.initial}
    while stack:
        here = stack.pop()
        if solved.rank(here) == 0:
            continue
        try:
            if not stopped:
                budget.tick(f"following the attack: {len(strategy.order):,} positions")
        except LimitError as limit:
            stopped = str(limit)
        attacks = here.turn is Player.ADVERSARY
        if (attacks or weigh is None) and (stopped or len(strategy.order) >= max_followed):
            strategy.cut.add(here)
            continue
        strategy.order.append(here)
        if attacks:
            action, target = strategy.choice[here] = answer(here)
            targets: Outcomes = {target: (action,)}
        else:
            targets = strategy.replies[here] = solved.replies(here, ease)
            if weigh is not None:
                weigh(targets)
        new = [target for target in targets if target not in seen]
        seen.update(new)
        new.reverse()
        if weigh is not None:
            new.sort(key=lambda target: solved.rank(target) or 0)
        stack += new
    return replace(strategy, stopped=stopped)


def _holding(solved: SolvedGame, trap: PositionSet, here: Position) -> dict[int, Position]:
    """The adversary's moves that stay in a trap or, at a lost position, its best ones."""
    if solved.rank(here) is not None:
        return solved.options(here)
    return {a: target for target, actions in solved.moves(here).items() if target in trap for a in actions}


def _answer(positions: list[Position], solved: SolvedGame, chosen: dict[Position, int]) -> None:
    """Choose best moves, as few different ones as a greedy cover finds; earlier choices stand."""
    settled = Counter(chosen[position] for position in positions if position in chosen)
    options = {position: solved.options(position) for position in positions if position not in chosen}
    while options:
        counts = Counter(action for own in options.values() for action in own)
        best = min(counts, key=lambda action: (-counts[action] - settled[action], action))
        for position in [p for p, own in options.items() if best in own]:
            chosen[position] = best
            del options[position]


def _repeat(positions: list[Position], solved: SolvedGame, chosen: dict[Position, int]) -> None:
    """Choose what was played last wherever it is a best move: a few moves are tried instead of all."""
    recent = list(dict.fromkeys(reversed(chosen.values())))[:N_RECENT]
    for position in positions:
        again = (action for action in recent if solved.best(position, action) is not None)
        if position not in chosen and (action := next(again, None)) is not None:
            chosen[position] = action
