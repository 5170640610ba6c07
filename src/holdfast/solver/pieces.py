"""Pieces: one rule of an action as diagrams, for going back over it and forward.

Going back is composition: the states from which a rule leads into a set are the set with what is assigned put
in place of the variables. Going forward is an image: what is assigned is listed value by value. Where numbers
are changed by constants, and have many values, going forward is going back over what undoes the change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from oxidd.bcdd import BCDDSubstitution
from oxidd.util import BooleanOperator

from holdfast.errors import LimitError
from holdfast.logic import Assignments, Diagram, Diagrams, expressions as ex, shift_of

MAX_OUTCOMES = 100_000
FEW_OUTCOMES = 64
"""Up to so many, what counters are assigned is listed value by value."""


@dataclass(frozen=True)
class Piece:
    """Where one rule of some action applies, and what it assigns there.

    Attributes:
        guard: where the rule applies.
        substitution: its assignment, for going back.
        forgotten: the bits it assigns, for going forward.
        outcomes: the guard split by the values assigned, each part with the cube of those values; none of a
            piece that has a way back.
        back: of a piece that changes large numbers by constants, the assignment that undoes it, for going
            forward too, and where it can have led.
    """

    guard: Diagram
    substitution: BCDDSubstitution
    forgotten: Diagram
    outcomes: tuple[tuple[Diagram, Diagram], ...]
    level: int
    back: tuple[BCDDSubstitution, Diagram] | None = None


def one_piece(diagrams: Diagrams, guard: Diagram, assign: Assignments) -> Piece:
    """An assignment where a guard holds, ready for going back and forward."""
    n_values = math.prod(len(variable.values) for variable, _ in assign)
    many = n_values > (FEW_OUTCOMES if diagrams.tallies else MAX_OUTCOMES)
    if many and all(shift_of(variable, value) for variable, value in assign):
        return _shifting_piece(diagrams, guard, assign)
    n_outcomes = math.prod(len(diagrams.by_code(variable, value)) for variable, value in assign)
    if n_outcomes > MAX_OUTCOMES:
        names = ", ".join(variable.name for variable, _ in assign)
        raise LimitError(
            f"assigning {names} at once has {n_outcomes:,} outcomes, too many for decision diagrams "
            f"(at most {MAX_OUTCOMES:,}); try the explicit engine"
        )
    outcomes = [(guard, diagrams.true)]
    for variable, value in assign:
        outcomes = [
            (here & states, after & diagrams.cube(variable, code))
            for here, after in outcomes
            for code, states in diagrams.by_code(variable, value).items()
            if code >= 0 and (here & states).satisfiable()
        ]
    return Piece(
        guard=guard,
        substitution=diagrams.assignment(assign),
        forgotten=diagrams.support(variable for variable, _ in assign),
        outcomes=tuple(outcomes),
        level=min(diagrams.bits[variable.name].start for variable, _ in assign),
    )


def _shifting_piece(diagrams: Diagrams, guard: Diagram, assign: Assignments) -> Piece:
    """Numbers changed by constants: what undoes it leads forward, where it does not leave a domain."""
    undoing = []
    reached = diagrams.valid
    for variable, value in assign:
        change = shift_of(variable, value)
        assert change is not None
        undone = ex.Arithmetic("-", ex.Read(variable), ex.Number(Fraction(change)))
        undoing.append((variable, undone))
        reached &= ~diagrams.outside(variable, undone)
    return Piece(
        guard=guard,
        substitution=diagrams.assignment(assign),
        forgotten=diagrams.support(variable for variable, _ in assign),
        outcomes=(),
        level=min(diagrams.bits[variable.name].start for variable, _ in assign),
        back=(diagrams.assignment(tuple(undoing)), reached),
    )


def unchanged_by(diagrams: Diagrams, piece: Piece) -> Diagram:
    """Where the piece assigns what is there already."""
    states = diagrams.false
    for condition, values in piece.outcomes:
        states |= condition & values
    return states


def image(piece: Piece, start: Diagram) -> Diagram:
    """The valuations that the piece leads to from ``start``."""
    if piece.back is not None:
        undone, reached = piece.back
        return (start & piece.guard).substitute(undone) & reached
    result = None
    for condition, values in piece.outcomes:
        moved = start.apply_exists(BooleanOperator.AND, condition, piece.forgotten) & values
        result = moved if result is None else result | moved
    assert result is not None
    return result
