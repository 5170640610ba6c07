"""The moves of a game as value diagrams make them: constants assigned where a guard holds."""

from __future__ import annotations

from holdfast.errors import LimitError
from holdfast.logic import Diagrams
from holdfast.operation.brackets.value_diagrams import ALWAYS, GuardedMove, ValueDiagrams
from holdfast.solver import MoveGroup, Piece

GuardedMoves = tuple[GuardedMove, ...]


def guarded_moves(table: ValueDiagrams, d: Diagrams, group: MoveGroup) -> GuardedMoves:
    """The moves of a class: one that changes nothing, those of single variables together, the others.

    Where some move changes nothing, what leaves a code as it is does no harm, and needs no guard.
    """
    free = not (d.valid & ~group.stay).satisfiable()
    moves: list[GuardedMove] = [(table.set_of(group.stay), table.stay)]
    for level, changes in enumerate(group.local.changes):
        for turn in range(max(map(len, changes.values()), default=0)):
            move, own = table.stay.copy(), d.false
            for code, targets in changes.items():
                if turn < len(targets):
                    move[level, code] = list(targets)[turn]
                    own |= d.cube(d.variables[level], code)
            moves.append((ALWAYS if free else table.set_of(own), move))
    for piece in group.others:
        moves += piece_moves(table, d, piece)
    return tuple(moves)


def piece_moves(table: ValueDiagrams, d: Diagrams, piece: Piece) -> GuardedMoves:
    """A piece as moves that assign constants.

    Raises:
        LimitError: for one that changes numbers by more values than are listed.
    """
    if piece.back is not None:
        raise LimitError(
            "an action assigns too many values for diagrams of values; where alike things are counted, ask "
            "with a smaller count"
        )
    assigned = [
        (level, variable)
        for level, variable in enumerate(d.variables)
        if not (piece.forgotten & d.manager.not_var(d.bits[variable.name].start)).satisfiable()
    ]
    moves = []
    for states, values in piece.outcomes:
        move = table.stay.copy()
        for level, variable in assigned:
            codes = range(len(variable.values))
            move[level] = next(c for c in codes if (values & d.cube(variable, c)).satisfiable())
        moves.append((table.set_of(states & piece.guard), move))
    return tuple(moves)
