"""The forced line: what the adversary plays, and what it plays after each reply.

A line is a table of *steps*. A step is a move of the adversary and the replies to it; each reply leads to
another step, of lower rank. Replies are *folded*: those after which the same continuation follows, move for
move and reply for reply, stand together, and positions with the same continuation are one step. A play
along the line therefore ends in a violation after at most as many moves as the rank of its first step.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.storyboard import move_sentence
from holdfast.game import Position, broken_clauses
from holdfast.logic import Player
from holdfast.solver import (
    MAX_FOLLOWED,
    SolvedGame,
    Strategy,
    names_of,
    outcome_in_words,
    state_in_words,
    winning_strategy,
)


@dataclass(frozen=True)
class Reply:
    """Replies of the defender after which the same follows.

    Attributes:
        rank: within how many moves the violation is then forced; 0 if the reply itself violates.
        state: where it violates, in words; else empty.
        step: the number of the step that follows; None after a violation, or where the line is cut.
        sooner: whether it loses sooner than leaving the state as it is would: it hurts the defender alone.
    """

    actions: tuple[str, ...]
    rank: int
    violates: tuple[str, ...] = ()
    state: str = ""
    step: int | None = None
    sooner: bool = False


@dataclass(frozen=True)
class AttackStep:
    """A move of the adversary.

    Attributes:
        number: from 1, in the order of the line.
        rank: within how many moves, this one included, the violation is forced.
        state: where it is played, in words; one of ``n_positions`` that are continued alike.
        action, change: the move and what it changes there.
        sentence: both in the words of the model.
        violates: the clauses that the move violates; then there are no replies.
        after: the state after a violation, in words; else empty.
        replies: the quickest to lose first, the longest resistance last.
    """

    number: int
    rank: int
    state: str
    n_positions: int
    action: str
    change: str
    sentence: str
    violates: tuple[str, ...]
    after: str
    replies: tuple[Reply, ...]


@dataclass(frozen=True)
class ForcedLine:
    """A forced line.

    Attributes:
        opening: the defender's first moves, where it moves first; else empty.
        steps: in the order in which a reader meets them; without an opening, step 1 comes first of all.
        complete: whether every reply was followed to its end.
    """

    opening: tuple[Reply, ...]
    steps: tuple[AttackStep, ...]
    complete: bool


@dataclass(frozen=True)
class FirstMove:
    """First moves of the adversary that lead to the same position and win."""

    actions: tuple[str, ...]
    rank: int
    change: str


def forced_line(
    solved: SolvedGame, max_followed: int = MAX_FOLLOWED, budget: Budget = UNLIMITED
) -> tuple[ForcedLine, Strategy]:
    """The line from a lost v₀, and the strategy that it tells; no steps where v₀ violates already."""
    strategy = winning_strategy(solved, max_followed, budget)
    return _Folded(solved, strategy).line(), strategy


def first_moves(solved: SolvedGame) -> tuple[tuple[FirstMove, ...], int]:
    """The adversary's winning first moves, the quickest first, and how many moves it has in all.

    Where the defender moves first, they follow the opening that resists longest.
    """
    here = solved.initial
    if here.turn is Player.DEFENDER:
        here = max(solved.replies(here), key=lambda target: solved.rank(target) or 0)
    moves = solved.moves(here) if solved.rank(here) else {}
    winning = [
        FirstMove(
            names_of(solved.game, Player.ADVERSARY, actions),
            1 + rank,
            outcome_in_words(solved.configuration.system, here, actions[0], target),
        )
        for target, actions in moves.items()
        if (rank := solved.rank(target)) is not None
    ]
    return tuple(sorted(winning, key=lambda move: move.rank)), sum(map(len, moves.values()))


class _Folded:
    """Positions of a strategy, those with the same continuation taken together."""

    def __init__(self, solved: SolvedGame, strategy: Strategy) -> None:
        self.solved, self.strategy = solved, strategy
        self.classes: dict[Position, int] = {}
        self.example: dict[int, Position] = {}
        numbers: dict[Any, int] = {}
        for position in sorted(strategy.order, key=lambda p: solved.rank(p) or 0):
            self.classes[position] = numbers.setdefault(self.continuation(position), len(numbers))
        for position in strategy.order:
            self.example.setdefault(self.classes[position], position)
        self.sizes = Counter(self.classes.values())

    def continuation(self, position: Position) -> Any:
        """What follows, as something to compare; the classes of later positions are known."""
        if position.turn is Player.ADVERSARY:
            action, target = self.strategy.choice[position]
            return action, self.outcome(target)
        return frozenset((outcome, actions) for outcome, _, actions in self.grouped(position))

    def outcome(self, target: Position) -> Any:
        """How a position goes on: its class, the clauses it violates, or that it was not followed."""
        if self.solved.rank(target) == 0:
            return "violates", broken_clauses(self.solved.configuration, target)
        if target not in self.classes:
            return "cut", self.solved.rank(target)
        return "class", self.classes[target]

    def line(self) -> ForcedLine:
        """Number the steps as a reader meets them, what loses sooner than doing nothing last; in words."""
        start, complete = self.solved.initial, not self.strategy.cut
        if start not in self.classes:
            return ForcedLine((), (), complete)
        numbers: dict[int, int] = {}
        stack, later = [self.classes[start]], list[int]()
        while stack or later:
            group = stack.pop() if stack else later.pop(0)
            if group in numbers:
                continue
            position = self.example[group]
            if position.turn is Player.ADVERSARY:
                numbers[group] = len(numbers) + 1
                position = self.strategy.choice[position][1]
            idle = self.idle_rank(position)
            for (kind, which), target, _ in reversed(self.grouped(position)):
                if kind == "class":
                    (later if (self.solved.rank(target) or 0) < idle else stack).append(which)
        opening = self.replies(start, numbers) if start.turn is Player.DEFENDER else ()
        return ForcedLine(opening, tuple(self.step(group, numbers) for group in numbers), complete)

    def grouped(self, position: Position) -> list[tuple[Any, Position, tuple[int, ...]]]:
        """The replies at a position by outcome: the quickest to lose first, small groups before large.

        Each group is the outcome, one position that has it, and all actions that lead to it, ascending.
        """
        groups: dict[Any, tuple[Position, list[int]]] = {}
        for target, actions in self.strategy.replies.get(position, {}).items():
            groups.setdefault(self.outcome(target), (target, []))[1].extend(actions)
        outcomes = [(outcome, target, tuple(sorted(own))) for outcome, (target, own) in groups.items()]
        return sorted(outcomes, key=lambda group: (self.solved.rank(group[1]) or 0, len(group[2])))

    def idle_rank(self, position: Position) -> int:
        """Within how many moves a violation is forced if the reply leaves the state as it is."""
        same = [t for t in self.strategy.replies.get(position, {}) if t.state == position.state]
        return max((self.solved.rank(target) or 0 for target in same), default=0)

    def step(self, group: int, numbers: dict[int, int]) -> AttackStep:
        solved, position = self.solved, self.example[group]
        action, target = self.strategy.choice[position]
        rank = solved.rank(position)
        assert rank is not None
        violates = solved.configuration.broken(target)
        return AttackStep(
            number=numbers[group],
            rank=rank,
            state=state_in_words(solved.game, position.state),
            n_positions=self.sizes[group],
            action=solved.game.actions[Player.ADVERSARY][action].name,
            change=outcome_in_words(solved.configuration.system, position, action, target),
            sentence=move_sentence(solved.configuration.system, position, action, target),
            violates=violates,
            after=state_in_words(solved.game, target.state) if violates else "",
            replies=() if violates else self.replies(target, numbers),
        )

    def replies(self, position: Position, numbers: dict[int, int]) -> tuple[Reply, ...]:
        """The replies at a position, in words."""
        game, rank, idle = self.solved.game, self.solved.rank, self.idle_rank(position)
        return tuple(
            Reply(
                actions=names_of(game, Player.DEFENDER, actions),
                rank=rank(target) or 0,
                violates=self.solved.configuration.broken(target),
                state=state_in_words(game, target.state) if kind == "violates" else "",
                step=numbers[which] if kind == "class" else None,
                sooner=(rank(target) or 0) < idle,
            )
            for (kind, which), target, actions in self.grouped(position)
        )
