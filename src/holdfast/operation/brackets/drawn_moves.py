"""Choices with several outcomes, for value diagrams: what comes of one is worth the mean of its outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from holdfast.game import Action
from holdfast.logic import Diagrams
from holdfast.operation.brackets.guarded_moves import GuardedMoves, piece_moves
from holdfast.operation.brackets.value_diagrams import NEVER, SECOND, ValueDiagrams
from holdfast.solver import group_moves


@dataclass(frozen=True)
class DrawnMove:
    """A choice with several outcomes.

    Attributes:
        choice: its name.
        kind: the class of its letters.
        outcomes: what each of them does and how likely it is, those that change nothing first.
    """

    choice: str
    kind: int
    outcomes: tuple[tuple[Fraction, GuardedMoves], ...]

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """With which weight each outcome is mixed in after those before it: its part of all so far."""
        parts, so_far = [], Fraction(0)
        for share, _ in self.outcomes:
            so_far += share
            parts.append(share / so_far)
        return tuple(parts)


def drawn_move(table: ValueDiagrams, d: Diagrams, kind: int, outcomes: Sequence[Action]) -> DrawnMove:
    """The outcomes of a choice, those that change nothing first."""
    parts = []
    for outcome in sorted(outcomes, key=lambda own: bool(own.rules)):
        (group,) = group_moves(d, (outcome,), (kind,), lambda: None)
        own = [move for piece in group.pieces for move in piece_moves(table, d, piece)]
        kept = tuple((guard, move) for guard, move in own if guard != NEVER)
        parts.append((Fraction(outcome.probability), kept))
    return DrawnMove(outcomes[0].choice, kind, tuple(parts))


def mixed_outcomes(table: ValueDiagrams, gamble: DrawnMove, goal: int, kind: int) -> int:
    """What the outcomes of a gamble make of a goal together, put together by an operation of this kind."""
    combined, mixed = table.combined, goal
    for i, (weight, (_, moves)) in enumerate(zip(gamble.weights, gamble.outcomes, strict=True)):
        low, high = weight.as_integer_ratio()
        if len(moves) == 1 and i:  # the state that stays is mixed with itself, exactly
            ((guard, move),) = moves
            if mixed == goal:
                mixed = combined(kind, mixed, goal, guard=guard, move=move, low=low, high=high)
                continue
        led = goal
        for guard, move in moves:
            led = combined(SECOND, led, goal, guard=guard, move=move)
        mixed = led if not i else combined(kind, mixed, led, low=low, high=high)
    return mixed
