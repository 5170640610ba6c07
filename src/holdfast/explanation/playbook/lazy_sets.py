"""The lazy strategy, and play under it, as decision diagrams: for games whose play cannot be listed.

A set of defender positions is a set of states for each block of automaton states. Where an idle action is
safe the safe idle actions are right, and elsewhere every safe action is. Play under a list is followed by
chaining (:mod:`holdfast.solver.chaining`), where each action of the defender moves only from where the list
says it. The list is learned on what play reached so far, until play under it reaches nothing at which it is
wrong; positions at which it is wrong are not followed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.playbook.decision_list import decision_list, meets
from holdfast.explanation.playbook.lazy_play import LazyStrategy
from holdfast.explanation.playbook.proof import region_witness
from holdfast.explanation.playbook.traits import Instruction, RuleList, Trait, TraitCodes, observer, traits_of
from holdfast.game import Position, preimage
from holdfast.logic import Diagram, Player, Variable
from holdfast.solver import (
    DiagramRegions,
    MoveGroup,
    ProductDiagrams,
    Sets,
    WitnessPlane,
    classify_moves,
    diagrams,
    group_moves,
    reachable_sets,
    within_memory,
)

DEFENDER = Player.DEFENDER


class BlockSets:
    """A set of defender positions: its states block by block."""

    __slots__ = ("states",)

    def __init__(self, states: Iterable[Diagram]) -> None:
        self.states = tuple(states)

    def __and__(self, other: BlockSets) -> BlockSets:
        return BlockSets(a & b for a, b in zip(self.states, other.states, strict=True))

    def __or__(self, other: BlockSets) -> BlockSets:
        return BlockSets(a | b for a, b in zip(self.states, other.states, strict=True))

    def __invert__(self) -> BlockSets:
        return BlockSets(~states for states in self.states)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BlockSets) and self.states == other.states

    def __hash__(self) -> int:
        return hash(self.states)

    def __bool__(self) -> bool:
        return any(states.satisfiable() for states in self.states)


@dataclass
class SetGround:
    """Positions that are followed as sets, for the learner."""

    product: ProductDiagrams
    traits: tuple[Trait, ...]
    everywhere: BlockSets
    listed: bool = False
    _where: dict[tuple[int, TraitCodes], BlockSets] = field(default_factory=dict, init=False)

    def where(self, trait: int, codes: TraitCodes) -> BlockSets:
        """The positions at which a trait has one of these values."""
        if (trait, codes) not in self._where:
            self._where[trait, codes] = BlockSets(self._states(self.traits[trait], codes))
        return self._where[trait, codes]

    def _states(self, trait: Trait, codes: TraitCodes) -> Iterable[Diagram]:
        d, blocks, of = self.product.diagrams, self.product.blocks, trait.of
        if isinstance(of, tuple):
            side, number = of
            for block in range(blocks.n_blocks):
                own = blocks.states(block)[side is Player.ADVERSARY]
                yield d.true if own[number] in codes else d.false
            return
        if isinstance(of, Variable):
            states = d.table(of, [code in codes for code in range(trait.n_values)])
        else:
            states = d.false
            for value, reached in d.term(of).items():
                states |= reached if value in codes else d.false
        yield from [states] * blocks.n_blocks

    def count(self, positions: BlockSets) -> int:
        """How many positions a set has."""
        self.product.diagrams.tidy()
        return sum(map(self.product.diagrams.count, positions.states))

    def member(self, positions: BlockSets, rng: random.Random) -> tuple[int, ...]:
        """The codes of all traits at some position of a set, drawn variable by variable."""
        d, game = self.product.diagrams, self.product.configuration.game
        block = rng.choice([b for b, states in enumerate(positions.states) if states.satisfiable()])
        states = positions.states[block]
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


@dataclass(frozen=True)
class SetPlay:
    """Play under a list: the list, at how many positions each rule decides, and every position as sets."""

    rules: RuleList
    decides: tuple[int, ...]
    product: ProductDiagrams
    reached: Sets

    def witness(self, budget: Budget) -> dict[str, Any]:
        """The positions, as a certificate has them."""
        budget.tick("writing the certificate")
        blocks = self.product.blocks
        sets = {
            WitnessPlane(turn, *blocks.states(block), block): states
            for turn in Player
            for block, states in enumerate(self.reached[turn])
            if states.satisfiable()
        }
        with within_memory("the certificate"):
            return region_witness(self.product.diagrams, sets)


def set_play(strategy: LazyStrategy, budget: Budget = UNLIMITED) -> SetPlay:
    """A list that idles where that is safe and is safe elsewhere, wherever play under it comes.

    Raises:
        LimitError: for a game given as tables, where the list does not get short, and past the budget.
    """
    configuration = strategy.solution.configuration
    if configuration.game.tables is not None:
        raise LimitError("play under the rules reaches too many positions to list, and a table is no diagram")
    regions = diagrams(strategy.solution, budget)
    with within_memory("the playbook"):
        return _Search(strategy, regions, budget).found()


class _Search:
    """A list in the making, and what play under it reaches."""

    def __init__(self, strategy: LazyStrategy, regions: DiagramRegions, budget: Budget) -> None:
        self.regions, self.product, self.budget = regions, regions.product, budget
        self.configuration = strategy.solution.configuration
        self.traits = traits_of(self.configuration)
        self.actions = self.configuration.game.actions[DEFENDER]
        self.kinds = classify_moves(self.configuration)[1][DEFENDER]
        self.winning = regions.winning()
        self.right = self._right(strategy.idle)
        self.default = strategy.idle[0] if strategy.idle else 0

    def found(self) -> SetPlay:
        """Learn and follow, until the list is right wherever play comes."""
        empty = [self.product.diagrams.false] * self.product.blocks.n_blocks
        known, instructions = BlockSets(empty), tuple[Instruction, ...]()
        while True:
            says = self._says(instructions)
            reached = self._followed({a: here & self.right[a] for a, here in says.items()})
            own = BlockSets(reached[DEFENDER])
            if not any(own & here & ~self.right[a] for a, here in says.items()):
                break
            known = known | own
            ground = SetGround(self.product, self.traits, known)
            right = {a: known & states for a, states in self.right.items()}
            instructions = decision_list(ground, right, self.default, self.budget)
        rules = RuleList(self.configuration, instructions, self.default)
        return SetPlay(rules, self._decides(instructions, own), self.product, reached)

    def _right(self, idle: tuple[int, ...]) -> dict[int, BlockSets]:
        """For each action where it is right: idle ones where they are safe, others where no idle one is."""
        d, blocks = self.product.diagrams, range(self.product.blocks.n_blocks)
        safe: dict[int, BlockSets] = {}
        for number, (action, kind) in enumerate(zip(self.actions, self.kinds, strict=True)):
            self.budget.tick(f"where {action.name} is safe")
            goals = [self.product.goal(kind, b, self.winning[Player.ADVERSARY], unsafe=False) for b in blocks]
            into = partial(self._before, number, goals)
            safe[number] = d.tidied(into)
        at_rest = BlockSets([d.false] * len(blocks))
        for action_number in idle:
            at_rest = at_rest | safe[action_number]
        return {a: own if a in idle else own & ~at_rest for a, own in safe.items()}

    def _before(self, action: int, goals: list[Diagram]) -> BlockSets:
        d, winning = self.product.diagrams, self.winning[DEFENDER]
        known: dict[Diagram, Diagram] = {}
        for goal in goals:
            if goal not in known:
                known[goal] = preimage(d, self.actions[action], goal)
        return BlockSets(own & known[goal] for own, goal in zip(winning, goals, strict=True))

    def _says(self, instructions: tuple[Instruction, ...]) -> dict[int, BlockSets]:
        """For each action that the list names, where it says it."""
        found: dict[int, BlockSets] = {}
        for action, here in self._parts(instructions, BlockSets(self.winning[DEFENDER])):
            found[action] = found[action] | here if action in found else here
        return found

    def _parts(
        self, instructions: tuple[Instruction, ...], left: BlockSets
    ) -> Iterable[tuple[int, BlockSets]]:
        """For each instruction, and the last resort, what it says and where it decides."""
        ground = SetGround(self.product, self.traits, left)
        for instruction in instructions:
            here = meets(ground, instruction) & left
            yield instruction.action, here
            left = left & ~here
        yield self.default, left

    def _decides(self, instructions: tuple[Instruction, ...], own: BlockSets) -> tuple[int, ...]:
        count = self.product.diagrams.count
        return tuple(sum(map(count, here.states)) for _, here in self._parts(instructions, own))

    def _followed(self, moving: Mapping[int, BlockSets]) -> Sets:
        """Every position that play reaches if each action is made where it is said to be."""
        product, tick = self.product, partial(self.budget.tick, "following play")
        groups, edges = list[MoveGroup](), list(product.edges)
        only: dict[tuple[Player, int, int], Diagram] = {}
        for action, here in moving.items():
            kind = len(edges)
            edges.append(product.edges[self.kinds[action]])
            groups.append(self._group(action, kind, tick))
            only |= {(DEFENDER, kind, block): states for block, states in enumerate(here.states)}
        moves = {DEFENDER: tuple(groups), Player.ADVERSARY: product.groups[Player.ADVERSARY]}
        narrowed = replace(product, groups=moves, edges=tuple(edges))
        return reachable_sets(narrowed, self.winning, self.budget, only)

    def _group(self, action: int, kind: int, tick: Callable[[], None]) -> MoveGroup:
        """One action as a class of moves of its own."""
        (group,) = group_moves(self.product.diagrams, (self.actions[action],), (kind,), tick)
        return group
