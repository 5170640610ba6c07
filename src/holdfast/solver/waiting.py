"""What the adversary draws in against a defender who waits.

Where every free move of the defender leaves the position as it is, the game is none: a position is lost if a
path of adversary moves leads from it to one that is lost, through positions at which waiting is all there is.
Within one block that is a set closed under the adversary's moves backwards. Nearly all that could be lost is
in the end, so that what is still missing is looked at, move by move, each time with what has just been
found. Moves that assign what a clause reads come first, then those that decide about these, and so on: most
attacks end there, so that one round goes back over all of them.
"""

from __future__ import annotations

from dataclasses import replace

from holdfast.budget import Budget
from holdfast.logic import Diagram, Diagrams, Player
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.local_moves import LocalMoves
from holdfast.solver.pieces import Piece
from holdfast.solver.product_diagrams import MoveGroup, ProductDiagrams

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY


def drawn_back(
    lost: DiagramPositions,
    bound: DiagramPositions,
    attackers: DiagramPositions,
    free: ProductDiagrams,
    budget: Budget,
) -> DiagramPositions:
    """The defender's positions among the lost ones, and more of those that are lost, of both players.

    Where the defender waits and is lost, so is an adversary's position of the same state and block.

    Args:
        lost: some of what is lost.
        bound: the defender's positions from which free moves are all there is.
        attackers: the adversary's positions that may be lost.
        free: the game with the defender's free moves alone.
        budget: memory and time.

    Raises:
        LimitError: past the budget.
    """
    product, drawn = lost.product, list(lost.defender)
    drawing = [product.diagrams.false] * len(drawn)
    for block, known in enumerate(lost.defender):
        if product.gambles or product.blocks.is_sink(block) or not known.satisfiable():
            continue
        within = bound.defender[block] & attackers.adversary[block] & _waiting(free, block)
        groups = [group for group in product.groups[ADVERSARY] if _stays(product, group, block, within)]
        pieces = [piece for group in groups for piece in group.pieces]
        pieces.sort(key=lambda piece: product.distances[piece.level])
        drawing[block] = _led_to(known & within, within, pieces, product, budget)
        drawn[block] |= drawing[block]
    return DiagramPositions(product, tuple(drawn), tuple(drawing))


def _led_to(
    found: Diagram, within: Diagram, pieces: list[Piece], product: ProductDiagrams, budget: Budget
) -> Diagram:
    """From where paths of some moves lead to what has been found, without leaving a set."""
    missing, before = within & ~found, None
    while found.satisfiable() and missing.satisfiable() and before != (before := found):
        for piece in pieces:
            budget.tick("against one who waits")
            product.diagrams.tidy()
            new = (missing & piece.guard) & found.substitute(piece.substitution)
            if new.satisfiable():
                found, missing = found | new, missing & ~new
    return found


def loosened(product: ProductDiagrams) -> ProductDiagrams:
    """A game in which the adversary may do more: what it assigns depends on no other variable.

    Sets are closed under such moves at once. Moves that assign several things, or one of several values, are
    as they were.
    """
    groups = []
    for group in product.groups[ADVERSARY]:
        pieces = tuple(_loosened(product.diagrams, piece) for piece in group.pieces)
        local, others = LocalMoves.among(product.diagrams, pieces)
        groups.append(replace(group, pieces=pieces, local=local, others=others))
    return replace(product, groups={**product.groups, ADVERSARY: tuple(groups)})


def _loosened(diagrams: Diagrams, piece: Piece) -> Piece:
    own = next(v for v in diagrams.variables if diagrams.bits[v.name].start == piece.level)
    if piece.back is not None or len(piece.outcomes) != 1 or piece.forgotten != diagrams.support((own,)):
        return piece
    codes = range(len(own.values))
    met = ((piece.guard & diagrams.cube(own, code)).satisfiable() for code in codes)
    guard = diagrams.table(own, met) & diagrams.valid
    return replace(piece, guard=guard, outcomes=((guard, piece.outcomes[0][1]),))


def _waiting(free: ProductDiagrams, block: int) -> Diagram:
    """Where every free move of the defender leaves both state and block as they are."""
    waiting = free.diagrams.valid
    for group in free.groups[DEFENDER]:
        stays = free.edges[group.kind][block].get(block, free.diagrams.false)
        waiting &= free.diagrams.false if group.pieces else stays
    return waiting


def _stays(product: ProductDiagrams, group: MoveGroup, block: int, within: Diagram) -> bool:
    """Whether the moves of a class stay in a block wherever they end in a set."""
    return not (within & ~product.edges[group.kind][block].get(block, product.diagrams.false)).satisfiable()
