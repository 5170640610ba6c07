"""Play under a list of rules as decision diagrams: for games whose play cannot be listed.

A set of defender positions is a set of states for each block of automaton states. Play under a list is
followed by chaining (:mod:`holdfast.solver.chaining`), where each action of the defender moves only from
where the list says it. The list is learned on what play reached so far, until play under it reaches nothing
at which it is wrong; positions at which it is wrong are not followed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.playbook.decision_list import decision_list, length, meets, tidied
from holdfast.explanation.playbook.losses import fallen
from holdfast.explanation.playbook.proof import ProvedRules, region_witness
from holdfast.explanation.playbook.strategies import PlaybookStrategy
from holdfast.explanation.playbook.traits import Instruction, RuleList, Trait, TraitCodes, observer
from holdfast.game import Position
from holdfast.logic import Compare, Number, Player, Variable
from holdfast.solver import (
    DiagramPositions,
    DiagramRegions,
    ProductDiagrams,
    WitnessPlane,
    diagrams,
    reachable_sets,
    within_memory,
)

DEFENDER = Player.DEFENDER


@dataclass
class SetGround:
    """Positions that are followed as sets, for the learner."""

    product: ProductDiagrams
    traits: tuple[Trait, ...]
    everywhere: DiagramPositions
    listed: bool = False
    _where: dict[tuple[int, TraitCodes], DiagramPositions] = field(default_factory=dict, init=False)

    def where(self, trait: int, codes: TraitCodes) -> DiagramPositions:
        """The defender positions at which a trait has one of these values."""
        if (trait, codes) not in self._where:
            self._where[trait, codes] = self._positions(self.traits[trait], codes).at(DEFENDER)
        return self._where[trait, codes]

    def _positions(self, trait: Trait, codes: TraitCodes) -> DiagramPositions:
        d, blocks, of = self.product.diagrams, self.product.blocks, trait.of
        assert not isinstance(of, str), "what is seen is no part of a position"
        if isinstance(of, tuple):
            side, number = of
            memories = (blocks.states(block)[side is Player.ADVERSARY] for block in range(blocks.n_blocks))
            sets = tuple(d.valid if own[number] in codes else d.false for own in memories)
            return DiagramPositions(self.product, sets, sets)
        if isinstance(of, Variable):
            states = d.table(of, [code in codes for code in range(trait.n_values)])
        else:
            states = d.false
            for value, reached in d.term(of).items():
                states |= reached if value in codes else d.false
        return DiagramPositions.where(self.product, states)

    def count(self, positions: DiagramPositions) -> int:
        """How many positions a set has."""
        self.product.diagrams.tidy()
        return positions.count(multiplicity=False)

    def member(self, positions: DiagramPositions, rng: random.Random) -> tuple[int, ...]:
        """The codes of all traits at some position of a set, drawn variable by variable."""
        d, game = self.product.diagrams, self.product.configuration.game
        block = rng.choice([b for b, states in enumerate(positions.defender) if states.satisfiable()])
        states = positions.defender[block]
        for variable in game.variables:
            codes = list(range(len(variable.values)))
            rng.shuffle(codes)
            parts = (states & d.cube(variable, code) & d.valid for code in codes)
            states = next(part for part in parts if part.satisfiable())
        codes_of = d.pick(states)
        assert codes_of is not None
        state = tuple(codes_of[variable.name] for variable in game.variables)
        position = Position(state, DEFENDER, *self.product.blocks.states(block))
        configuration = self.product.configuration
        return tuple(observer(configuration, trait)(position) for trait in self.traits)


def set_play(
    strategy: PlaybookStrategy, traits: tuple[Trait, ...], budget: Budget = UNLIMITED, most: int | None = None
) -> ProvedRules:
    """A list that says what the strategy does wherever play under it comes; ``traits`` may be looked at.

    Raises:
        LimitError: for a game given as tables, past the budget, and past the ``most`` rules there may be.
    """
    configuration = strategy.solution.configuration
    if configuration.game.tables is not None:
        raise LimitError("play under the rules reaches too many positions to list, and a table is no diagram")
    regions = diagrams(strategy.solution, budget)
    with within_memory("the playbook"):
        return _Search(strategy, traits, regions, budget).proved(most)


class _Search:
    """A list in the making, and what play under it reaches."""

    def __init__(
        self, strategy: PlaybookStrategy, traits: tuple[Trait, ...], regions: DiagramRegions, budget: Budget
    ) -> None:
        self.product, self.traits, self.budget = regions.product, traits, budget
        self.configuration = strategy.solution.configuration
        self.home, self.right = strategy.in_sets(regions.winning())
        self.mine = self.home.at(DEFENDER)
        self.default = strategy.idle[0] if strategy.idle else 0

    def proved(self, most: int | None) -> ProvedRules:
        """Learn and follow, until the list is right wherever play comes."""
        known, instructions = DiagramPositions.nothing(self.product), tuple[Instruction, ...]()
        reached, is_right = self._followed(instructions)
        while not is_right:
            known |= reached.at(DEFENDER)
            instructions = decision_list(*self._ground(known), self.default, self.budget, most)
            reached, is_right = self._followed(instructions)
        while is_right:  # of what only positions needed that an earlier list reached
            shorter = tidied(*self._ground(reached.at(DEFENDER)), instructions)
            if length(shorter) >= length(instructions):
                break
            after, is_right = self._followed(shorter)
            if is_right:
                instructions, reached = shorter, after
        rules = RuleList(self.configuration, instructions, self.default)
        decides = self._decides(instructions, reached.at(DEFENDER))
        return ProvedRules(rules, decides, "diagrams", partial(_region, reached), self._most_lost(reached))

    def _ground(self, positions: DiagramPositions) -> tuple[SetGround, dict[int, DiagramPositions]]:
        """Positions to learn on, and for each action at which of them it is right."""
        right = {action: positions & here for action, here in self.right.items()}
        return SetGround(self.product, self.traits, positions), right

    def _followed(self, instructions: tuple[Instruction, ...]) -> tuple[DiagramPositions, bool]:
        """What play under a list reaches where it is right, and whether it is wrong nowhere there."""
        says = self._says(instructions)
        made = {action: here & self.right[action] for action, here in says.items()}
        reached = reachable_sets(self.home, self.budget, made)
        own = reached.at(DEFENDER)
        return reached, not any((own & here) - self.right[action] for action, here in says.items())

    def _most_lost(self, reached: DiagramPositions) -> int | None:
        """How many nodes have fallen at most."""
        lost = fallen(self.configuration)
        if lost is None:
            return None
        numbers = range(len(lost.items), 0, -1)
        more = (n for n in numbers if reached.satisfying(Compare(">=", lost, Number(Fraction(n)))))
        return next(more, 0)

    def _says(self, instructions: tuple[Instruction, ...]) -> dict[int, DiagramPositions]:
        """For each action that the list names, where it says it."""
        said: dict[int, DiagramPositions] = {}
        for action, here in self._parts(instructions, self.mine):
            said[action] = said[action] | here if action in said else here
        return said

    def _parts(
        self, instructions: tuple[Instruction, ...], left: DiagramPositions
    ) -> Iterable[tuple[int, DiagramPositions]]:
        """For each instruction, and the last resort, what it says and where it decides."""
        ground = SetGround(self.product, self.traits, left)
        for instruction in instructions:
            here = meets(ground, instruction) & left
            yield instruction.action, here
            left -= here
        yield self.default, left

    def _decides(self, instructions: tuple[Instruction, ...], own: DiagramPositions) -> tuple[int, ...]:
        return tuple(here.count(multiplicity=False) for _, here in self._parts(instructions, own))


def _region(reached: DiagramPositions, budget: Budget) -> dict[str, Any]:
    """Positions as a certificate has them."""
    budget.tick("writing the certificate")
    blocks = reached.product.blocks
    sets = {
        WitnessPlane(turn, *blocks.states(block), block): states
        for turn in Player
        for block, states in enumerate(reached[turn])
        if states.satisfiable()
    }
    with within_memory("the certificate"):
        return region_witness(reached.product.diagrams, sets)
