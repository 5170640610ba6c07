"""The game in which some variables keep their values, for operators on sets.

*Frozen* they have those of a state. Moves that write or copy these variables are left out, so that the others
are a game of their own. Nothing in its diagrams is about these variables, and sets of positions that say
nothing of them (:meth:`~holdfast.solver.position_sets.PositionSet.forgetting`) stay such sets: they are as
small as if the game had the other variables alone.

*Staying* they have any, and moves that change nothing else are left out. Those are most of what there is
where few variables are looked at, and lead out of sets in which the others have one value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from oxidd.util import BooleanOperator

from holdfast.game import State
from holdfast.logic import Diagram, Diagrams, Player, Variable
from holdfast.solver.local_moves import LocalMoves
from holdfast.solver.product_diagrams import MoveGroup, ProductDiagrams


def frozen(product: ProductDiagrams, variables: Collection[Variable], state: State) -> ProductDiagrams:
    """The game in which variables keep their values of a state, without moves that write or copy them.

    There are no gambles in it.
    """
    d, game = product.diagrams, product.configuration.game
    bits, values = d.support(variables), d.true
    for variable in reversed(d.variables):
        if variable in variables:
            values = d.cube(variable, state[game.places[variable.name]]) & values

    def here(states: Diagram) -> Diagram:
        return states.apply_exists(BooleanOperator.AND, values, bits)

    groups, fixed = {}, set(variables)
    for player in Player:
        actions = tuple(n for n, action in enumerate(game.actions[player]) if not action.written & fixed)
        narrowed = product.only(actions, player).groups[player]
        groups[player] = tuple(_within(d, group, here) for group in narrowed)
    edges = tuple(
        tuple({target: here(states) for target, states in own.items()} for own in of_class)
        for of_class in product.edges
    )
    return replace(product, groups=groups, edges=edges, gambles=())


def staying(product: ProductDiagrams, variables: Collection[Variable]) -> ProductDiagrams:
    """The game without moves that change variables and none besides; where they change nothing they stay."""
    groups, fixed = {}, set(variables)
    none, _ = LocalMoves.among(product.diagrams, ())
    for player in Player:
        own = enumerate(product.configuration.game.actions[player])
        kept = tuple(n for n, action in own if not action.written or action.written - fixed)
        narrowed = {group.kind: group for group in product.only(kept, player).groups[player]}
        groups[player] = tuple(
            replace(narrowed[still.kind], stay=still.stay)
            if still.kind in narrowed
            else MoveGroup(still.kind, still.stay, (), none, (), ())
            for still in product.waiting.groups[player]
        )
    return replace(product, groups=groups)


def _within(diagrams: Diagrams, group: MoveGroup, here: Callable[[Diagram], Diagram]) -> MoveGroup:
    """The moves of a class with their conditions as they are here."""
    pieces = tuple(
        replace(
            piece,
            guard=here(piece.guard),
            outcomes=tuple((here(where), values) for where, values in piece.outcomes),
        )
        for piece in group.pieces
    )
    local, _ = LocalMoves.among(diagrams, ())
    return MoveGroup(group.kind, here(group.stay), pieces, local, pieces, ())
