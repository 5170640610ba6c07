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
from holdfast.game import Position
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

TurnBlock = tuple[Player, int]
"""A turn and a block."""


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
    """The reset of the game, which has one."""
    d, reset = product.diagrams, product.configuration.game.reset
    assert reset is not None
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
    return any(states.satisfiable() for states in _suspects(product, winning, resets).values())


def check_resets(solution: Solution, budget: Budget) -> None:
    """Refuse what :class:`holdfast.solver.resets.Resets` would refuse at some position of play.

    Raises:
        ModelError: with the position and the reason.
    """
    regions, game, refusing = diagrams(solution, budget), solution.configuration.game, Resets(solution)
    product, winning = regions.product, regions.winning()
    resets = reset_sets(product, Fraction(1))
    suspects = _suspects(product, winning, resets)
    for (turn, block), states in _reached(product, winning, resets, budget).items():
        codes = product.diagrams.pick(states & suspects[turn, block])
        if codes is not None:
            state = tuple(codes[variable.name] for variable in game.variables)
            refusing.target(Position(state, turn, *product.blocks.states(block)))


def _suspects(
    product: ProductDiagrams, winning: DiagramPositions, resets: ResetSets
) -> dict[TurnBlock, Diagram]:
    """The winning positions at which a reset would be refused."""
    d, blocks, suspects = product.diagrams, product.blocks, {}
    for turn in Player:
        good = d.false
        for block, states in resets.starts.items():
            good |= states & winning[turn][block]
        lost = resets.when & ~resets.before(good)
        for block in range(blocks.n_blocks):
            erased = resets.before(_erased(product, blocks.states(block)[0]))
            suspects[turn, block] = winning[turn][block] & (lost | erased)
    return suspects


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
) -> dict[TurnBlock, Diagram]:
    """The positions that play can come to, resets included, breadth first."""
    d, blocks, first = product.diagrams, product.blocks, product.configuration.initial
    start = blocks.number(first)
    assert start is not None
    reached: dict[TurnBlock, Diagram] = {(p, b): d.false for p in Player for b in range(blocks.n_blocks)}
    newest = {(first.turn, start): d.state(product.configuration.game.codes(first.state))}
    while newest:
        budget.tick("following play with resets")
        after: dict[TurnBlock, Diagram] = {}
        for lane, states in newest.items():
            reached[lane] |= states
            for target, more in _onward(product, winning, resets, lane, states):
                after[target] = after.get(target, d.false) | more
        fresh = {lane: states & ~reached[lane] for lane, states in after.items()}
        newest = {lane: states for lane, states in fresh.items() if states.satisfiable()}
    return reached


def _onward(
    product: ProductDiagrams, winning: DiagramPositions, resets: ResetSets, lane: TurnBlock, states: Diagram
) -> list[tuple[TurnBlock, Diagram]]:
    """Where one move, or a reset, leads."""
    turn, block = lane
    after = resets.image(states)
    onward = [((turn, start), after & where) for start, where in resets.starts.items()]
    if turn is Player.ADVERSARY and product.blocks.is_sink(block):
        return onward
    for group in product.groups[turn]:
        moved = states & group.stay
        for piece in group.pieces:
            moved |= image(piece, states)
        for target, condition in product.edges[group.kind][block].items():
            if target is not None:
                onward.append(((turn.opponent, target), moved & condition & winning[turn.opponent][target]))
    return onward
