"""Engagement resets as decision diagrams: where they happen, where they lead, and which are refused.

The rules are those of :mod:`holdfast.solver.resets`, for all positions at once. What that module would refuse
is first looked for in all of W; only if something is found there, play is followed to see whether it can come
to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product as cartesian

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagram, Diagrams, Player, SafetyAutomaton, after_move, languages
from holdfast.solver import (
    Blocks,
    DiagramPositions,
    Piece,
    ProductDiagrams,
    Resets,
    Solution,
    diagrams,
    image,
    mask_sets,
    one_piece,
)


@dataclass(frozen=True)
class ResetSets:
    """The engagement reset as diagrams.

    Attributes:
        chance: p, above 0.
        when: where it can happen.
        piece: what it assigns; None if it assigns nothing.
        starts: the states after a reset by the block in which both automata start again.
    """

    chance: Fraction
    when: Diagram
    piece: Piece | None
    starts: dict[int, Diagram]

    def before(self, after: Diagram) -> Diagram:
        """The states in which a reset leads into a set."""
        return self.when & (after if self.piece is None else after.substitute(self.piece.substitution))

    def image(self, states: Diagram) -> Diagram:
        """The states that resets lead to."""
        here = states & self.when
        return here if self.piece is None else image(self.piece, here)


def reset_sets(product: ProductDiagrams, chance: Fraction) -> ResetSets:
    """The reset of the game, which has one.

    Raises:
        LimitError: where it keeps what φ_D remembers.
    """
    d, reset = product.diagrams, product.configuration.game.reset
    assert reset is not None
    if reset.kept:
        raise LimitError("value diagrams do not follow a reset that keeps what the requirement remembers")
    when = d.truth(reset.when) & d.valid
    piece = one_piece(d, when, reset.assign) if reset.assign and when.satisfiable() else None
    return ResetSets(chance, when, piece, start_sets(product))


def start_sets(product: ProductDiagrams) -> dict[int, Diagram]:
    """The states by the block in which an engagement starts there; those that start in U are left out."""
    d, blocks, configuration = product.diagrams, product.blocks, product.configuration
    ones = _side_starts(d, configuration.defender)
    others = _side_starts(d, configuration.adversary)
    starts: dict[int, Diagram] = {}
    for (q_defender, one), (q_adversary, other) in cartesian(ones.items(), others.items()):
        block = _block(blocks, q_defender, q_adversary)
        if block is not None and (one & other).satisfiable():
            starts[block] = starts.get(block, d.false) | one & other
    return starts


def _side_starts(d: Diagrams, automata: tuple[SafetyAutomaton, ...]) -> dict[tuple[int, ...], Diagram]:
    """The states by where the automata of one side come to by reading them first."""
    joint: dict[tuple[int, ...], Diagram] = {(): d.valid}
    for automaton in automata:
        longer: dict[tuple[int, ...], Diagram] = {}
        for mask, q in zip(_first_letters(d, automaton), automaton.delta[automaton.initial], strict=True):
            for before, states in joint.items():
                both = states & mask
                if both.satisfiable():
                    longer[*before, q] = longer.get((*before, q), d.false) | both
        joint = longer
    return joint


def _first_letters(d: Diagrams, automaton: SafetyAutomaton) -> list[Diagram]:
    """The states by the letter they are where no action was taken."""
    return mask_sets(automaton, [d.truth(after_move(atom, None)) for atom in automaton.atoms], d.valid)


def _block(blocks: Blocks, q_defender: tuple[int, ...], q_adversary: tuple[int, ...]) -> int | None:
    """The block of accepting states of φ_D and any states of φ_A."""
    one, other = blocks.defender.number(q_defender), blocks.adversary.number(q_adversary)
    if one < 0:
        return None
    return one * len(blocks.planes) + (other if other >= 0 else len(blocks.planes) - 1)


# -- what is refused --------------------------------------------------------------------------------


def suspicious(product: ProductDiagrams, winning: DiagramPositions, resets: ResetSets) -> bool:
    """Whether a reset would be refused at some winning position, be it one that play comes to or not."""
    return bool(_suspects(product, winning, resets))


def check_resets(solution: Solution, budget: Budget) -> None:
    """Refuse what :class:`holdfast.solver.resets.Resets` would refuse at some position of play.

    Raises:
        ModelError: with the position and the reason.
    """
    regions = diagrams(solution, budget)
    product, winning = regions.product, regions.winning()
    resets = reset_sets(product, Fraction(1))
    refused = _suspects(product, winning, resets) & _reached(product, winning, resets, budget)
    position = refused.some()
    if position is not None:
        Resets(solution).target(position)


def _suspects(product: ProductDiagrams, winning: DiagramPositions, resets: ResetSets) -> DiagramPositions:
    """The winning positions at which a reset would be refused."""
    d, blocks, sides = product.diagrams, product.blocks, {}
    erased = [resets.before(_erased(product, blocks.states(b)[0])) for b in range(blocks.n_blocks)]
    for turn in Player:
        good = d.false
        for block, states in resets.starts.items():
            good |= states & winning[turn][block]
        lost = resets.when & ~resets.before(good)
        sides[turn] = tuple(
            here & (lost | forgotten) for here, forgotten in zip(winning[turn], erased, strict=True)
        )
    return DiagramPositions(product, sides[Player.DEFENDER], sides[Player.ADVERSARY])


def _erased(product: ProductDiagrams, states: tuple[int, ...]) -> Diagram:
    """The states after a reset in which some clause of φ_D, started again, has forgotten something."""
    d, result = product.diagrams, product.diagrams.false
    for automaton, q in zip(product.configuration.defender, states, strict=True):
        language = languages(automaton)
        rows = zip(
            _first_letters(d, automaton), automaton.delta[q], automaton.delta[automaton.initial], strict=True
        )
        for mask, remembered, restarted in rows:
            result |= mask if language[remembered] != language[restarted] else d.false
    return result


def _reached(
    product: ProductDiagrams, winning: DiagramPositions, resets: ResetSets, budget: Budget
) -> DiagramPositions:
    """The positions that play can come to, resets included, breadth first."""
    reached = newest = DiagramPositions.of(product, product.configuration.initial)
    while newest:
        budget.tick("following play with resets")
        after = newest.post(budget=budget.part("following play with resets")) & winning
        newest = (after | _restarted(newest, resets)) - reached
        reached |= newest
    return reached


def _restarted(positions: DiagramPositions, resets: ResetSets) -> DiagramPositions:
    """Where resets lead from a set."""
    product, false = positions.product, positions.product.diagrams.false
    sides = {}
    for turn in Player:
        states = false
        for here in positions[turn]:
            states |= here
        after = resets.image(states)
        blocks = range(product.blocks.n_blocks)
        sides[turn] = tuple(after & resets.starts.get(block, false) for block in blocks)
    return DiagramPositions(product, sides[Player.DEFENDER], sides[Player.ADVERSARY])
