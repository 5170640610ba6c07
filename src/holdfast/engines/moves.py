"""Moves as diagrams: pieces of actions, going back by composition and forward by images.

An action is cut into *pieces*, one for each rule: where the rule applies, and what it assigns there. Pieces
of one class of letters with the same assignment are joined. What is left of an action changes nothing: it
*stays*.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from oxidd.bcdd import BCDDSubstitution
from oxidd.util import BooleanOperator

from holdfast.errors import LimitError
from holdfast.game import Action
from holdfast.logic.diagrams import Assignments, Diagram, Diagrams

MAX_OUTCOMES = 100_000


@dataclass(frozen=True)
class Piece:
    """Where one rule of some action applies, and what it assigns there.

    Attributes:
        guard: where the rule applies.
        substitution: its assignment, for going back.
        forgotten: the bits it assigns, for going forward.
        outcomes: the guard split by the values assigned, each part with the cube of those values.
    """

    guard: Diagram
    substitution: BCDDSubstitution
    forgotten: Diagram
    outcomes: tuple[tuple[Diagram, Diagram], ...]
    level: int


@dataclass(frozen=True)
class MoveGroup:
    """The moves of one player that look alike to every automaton: one class of letters.

    Attributes:
        kind: number of the class.
        stay: where some move of the class changes nothing.
        pieces: the moves that may change something, one for each assignment.
        actions: for each action of the class, its pieces (number and own guard) and where it changes nothing.
    """

    kind: int
    stay: Diagram
    pieces: tuple[Piece, ...]
    actions: tuple[tuple[tuple[tuple[int, Diagram], ...], Diagram], ...]


def group_moves(
    diagrams: Diagrams, actions: tuple[Action, ...], kinds: tuple[int, ...], tick: Callable[[], None]
) -> tuple[MoveGroup, ...]:
    """The actions by class; pieces with the same assignment are one, with their guards joined."""
    groups = []
    for kind in dict.fromkeys(kinds):
        guards: dict[Assignments, Diagram] = {}
        listed = []
        for action in (a for a, k in zip(actions, kinds, strict=True) if k == kind):
            tick()
            stay, rest, own = diagrams.false, diagrams.valid, []
            for rule in action.rules:
                guard = rest & diagrams.truth(rule.when)
                rest &= ~diagrams.truth(rule.when)
                if not guard.satisfiable():
                    continue
                if rule.assign:
                    guards[rule.assign] = guards.get(rule.assign, diagrams.false) | guard
                    own.append((list(guards).index(rule.assign), guard))
                else:
                    stay |= guard
            listed.append((tuple(own), stay | rest))
        stay = diagrams.false
        for _, unchanged in listed:
            stay |= unchanged
        pieces = tuple(_piece(diagrams, guard, assign) for assign, guard in guards.items())
        groups.append(MoveGroup(kind, stay, pieces, tuple(listed)))
    return tuple(groups)


def _piece(diagrams: Diagrams, guard: Diagram, assign: Assignments) -> Piece:
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


def image(piece: Piece, start: Diagram) -> Diagram:
    """The valuations that the piece leads to from ``start``."""
    result = None
    for condition, values in piece.outcomes:
        moved = start.apply_exists(BooleanOperator.AND, condition, piece.forgotten) & values
        result = moved if result is None else result | moved
    assert result is not None
    return result


def can_enter(group: MoveGroup, goal: Diagram, tick: Callable[[], None]) -> Diagram:
    """Where some move of the group leads into the goal."""
    result = goal & group.stay
    for piece in group.pieces if goal.satisfiable() else ():
        tick()
        result |= piece.guard & goal.substitute(piece.substitution)
    return result


def must_enter(group: MoveGroup, goal: Diagram, tick: Callable[[], None]) -> Diagram:
    """Where every move of the group leads into the goal."""
    result = group.stay.imp(goal)
    for piece in group.pieces:
        tick()
        if not result.satisfiable():
            break
        result &= piece.guard.imp(goal.substitute(piece.substitution))
    return result
