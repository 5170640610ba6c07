"""What an attack needs: the assumptions without which one winning strategy no longer wins.

A strategy that keeps the play away from a goal for ever, and wins where the defender does not let it, needs
what it needs in the same sense: it *wins* against somebody who has to hold and to reach the goal.

The *core* of a strategy that wins although some assumptions are gone is a set of others. As long as the whole
core is there the strategy wins, so every repair takes something of every core away.

What a strategy needs is read off its positions: the links, one of which each move needs to do what it does;
the actions it plays; a unit of a budget if φ_A one unit lower forbids one of its moves; for each violation
that it ends in, one of the clauses violated there. Where the strategy was not followed to its end, the core
is everything that is not gone: taking away less than is gone helps the defender even less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from holdfast.design.assumption import Assumption
from holdfast.game import Configuration, GameStructure, State, broken_clauses, mover_of, successor
from holdfast.logic import Player, SafetyAutomaton
from holdfast.solver import SolvedGame, Strategy

AssumptionSet = frozenset[int]
"""Some of the assumptions, by their number."""

UNASKED, ALIKE = "unasked", "alike"
"""What is known of a set that nobody has asked about, and of one that is like another that is being tried."""


def core(
    board: SolvedGame,
    strategy: Strategy,
    original: Configuration,
    candidates: Sequence[Assumption],
    gone: AssumptionSet,
) -> AssumptionSet:
    """Assumptions one of which every repair takes away.

    Args:
        board, strategy: what is left of the original without ``gone``, solved, and what wins there.
        original: the configuration with all assumptions.
        candidates: the assumptions; those that come last are spared first.
    """
    spared = set(gone)
    if not strategy.cut:
        needs = Needs(board, strategy, original, candidates, gone)
        # Most are not needed, so they are tried in halves, those of a half that is needed apart again.
        halves = [[i for i in range(len(candidates)) if i not in gone]]
        while halves:
            some = halves.pop()
            if needs.wins_without(frozenset(spared | set(some))):
                spared.update(some)
            elif len(some) > 1:
                halves += [some[: len(some) // 2], some[len(some) // 2 :]]
    return frozenset(range(len(candidates))) - spared


class Needs:
    """What one strategy needs; asked whether it still wins without a set of assumptions."""

    def __init__(
        self,
        board: SolvedGame,
        strategy: Strategy,
        original: Configuration,
        candidates: Sequence[Assumption],
        gone: AssumptionSet,
    ) -> None:
        self.board, self.strategy = board, strategy
        self.original, self.candidates = original, candidates
        moves = strategy.choice.items()
        self.moves: dict[int, dict[State, State]] = {}
        for v, (action, target) in moves:
            self.moves.setdefault(action, {})[v.state] = target.state
        dropped = {self.candidates[i].clause for i in gone}
        kept = [n for n in range(len(self.original.defender)) if n not in dropped]
        targets = chain((target for _, target in strategy.choice.values()), *strategy.replies.values())
        ends = [v for v in (board.initial, *targets) if board.rank(v) == 0]
        violated = (broken_clauses(board.configuration, end) for end in ends)
        self.violated = {frozenset(kept[number] for number in numbers) for numbers in violated}
        self.admitted: dict[int | str, bool] = {}

    def wins_without(self, taken: AssumptionSet) -> bool:
        """Whether the strategy, move for move, still forces a violation."""
        clauses = {self.candidates[i].clause for i in taken}
        if any(violated <= clauses for violated in self.violated):
            return False
        bounds = ((i, self.candidates[i].bound) for i in taken)
        if not all(self.admits(i, bound.eased()) for i, bound in bounds if bound is not None):
            return False
        cut = [part for i in taken if (part := self.candidates[i].part) is not None]
        if not cut:
            return True
        left = self.original.system.without(cut)
        return all(self.admits(clause.label, clause.automaton) for clause in left.boundary) and all(
            self._moves_in(left.game, action) for action in self.moves
        )

    def _moves_in(self, game: GameStructure, number: int) -> bool:
        """Whether one of the strategy's actions does in another game what it does in this one."""
        after: Callable[[State], State | None] = partial(successor, game, Player.ADVERSARY, number)
        if game.tables is None:  # where all others need not be compiled
            after = mover_of(game, game.actions[Player.ADVERSARY][number])
        return all(after(here) == there for here, there in self.moves[number].items())

    def admits(self, name: int | str, automaton: SafetyAutomaton) -> bool:
        """Whether an automaton of φ_A accepts every play along the strategy; found out once for a name."""
        if name not in self.admitted:
            self.admitted[name] = self._accepted(automaton)
        return self.admitted[name]

    def _accepted(self, automaton: SafetyAutomaton) -> bool:
        game, start, strategy = self.board.game, self.board.initial, self.strategy
        q = automaton.read(automaton.initial, game.codes(start.state), None)
        stack, seen = [(start, q)], {(start, q)}
        while stack:
            here, q = stack.pop()
            if not automaton.accepting[q]:
                return False
            moves = strategy.replies.get(here, {})
            if here in strategy.choice:
                action, target = strategy.choice[here]
                moves = {target: (action,)}
            for target, actions in moves.items():
                codes = game.codes(target.state)
                for action in actions:
                    name = game.actions[here.turn][action].name
                    after = target, automaton.read(q, codes, (here.turn, name))
                    if after not in seen:
                        seen.add(after)
                        stack.append(after)
        return True
