"""What the adversary draws in against a defender who waits, by saturation.

Where every free move of the defender leaves the position as it is, the game is none: a position is lost if a
path of adversary moves leads from it to one that is lost, through positions at which waiting is all there is.
Within one block that is a set closed under the adversary's moves backwards, which saturation finds at once
where rank after rank would go back step by step.
"""

from __future__ import annotations

from holdfast.budget import Budget
from holdfast.logic import Diagram, Player
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.events import reversed_events, saturating
from holdfast.solver.product_diagrams import MoveGroup, ProductDiagrams

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY


def drawn_back(
    lost: DiagramPositions,
    bound: DiagramPositions,
    attackers: DiagramPositions,
    free: ProductDiagrams,
    budget: Budget,
) -> DiagramPositions:
    """The defender's positions among the lost ones, and more of those that are lost.

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
    if not saturating(product.diagrams) or product.gambles:
        return lost.at(DEFENDER)
    from holdfast.solver.saturation import Saturation

    for block, known in enumerate(lost.defender):
        if product.blocks.is_sink(block) or not known.satisfiable():
            continue
        within = bound.defender[block] & attackers.adversary[block] & _waiting(free, block)
        groups = [group for group in product.groups[ADVERSARY] if _stays(product, group, block, within)]
        key = tuple(group.kind for group in groups)
        if key not in product.saturations:
            events = reversed_events(product.diagrams, groups)
            product.saturations[key] = Saturation(product.diagrams, events, budget.memory) if events else None
        saturation = product.saturations[key]
        states = known & within
        if saturation is not None and states.satisfiable():
            closed = saturation.closed(states, within, budget)
            drawn[block] |= closed if closed is not None else states
    return DiagramPositions(product, tuple(drawn), lost.at(DEFENDER).adversary)


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
