"""Sets as Boolean arrays over the grid of valuations; sections of a witness as numbers at every point.

A set that looks at few variables has length 1 along the others, so that it costs only what it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdfast.arrays import Bools, UInt32s, distinct
from holdfast.budget import GIB, Budget
from holdfast.certificates.verify.container import FORCED, RANKED, refuse, words
from holdfast.certificates.verify.sets import rules
from holdfast.errors import LimitError
from holdfast.game.actions import State
from holdfast.game.structure import GameStructure
from holdfast.logic.expressions import Expression, Player, Variable

Indices = NDArray[np.integer[Any]]
ArrayRule = tuple[Bools, list[tuple[Variable, dict[int, Bools] | int]]]
"""Where a rule applies, and the valuations by the codes that it assigns."""

OUTSIDE = np.uint32(0xFFFFFFFF)
MAX_AXES = 60
BYTES_PER_NUMBER, BYTES_PER_VALUATION = 16, 64
"""Memory for the witness as it is unpacked, and for what a move does to each valuation."""


class ArraySpace:
    """The space of valuations."""

    def __init__(self, game: GameStructure, n_planes: int, budget: Budget) -> None:
        if game.tallies:
            refuse("its witness is arrays, and its scenario counts alike things")
        self.game, self.budget = game, budget
        n, self.shape = game.n_valuations, game.extents
        need = n * (BYTES_PER_NUMBER * n_planes + BYTES_PER_VALUATION)
        if need > budget.memory or len(self.shape) > MAX_AXES:
            raise LimitError(
                f"arrays over {n:,} valuations of {len(self.shape)} variables are not checked within "
                f"{budget.memory / GIB:.3g} GiB; certify with --engine symbolic"
            )
        self.axis = {variable.name: i for i, variable in enumerate(game.variables)}
        self.true, self.false = (np.full((1,) * len(self.shape), value) for value in (True, False))
        self.terms: dict[Expression, dict[Fraction, Bools]] = {}

    def table(self, variable: Variable, codes: Iterable[int]) -> Bools:
        """Where the variable has one of the codes."""
        mask = np.zeros(len(variable.values), dtype=bool)
        mask[list(codes)] = True
        if self.game.listed is not None:
            return mask[self.game.listed[:, self.axis[variable.name]]]
        return mask.reshape([-1 if i == self.axis[variable.name] else 1 for i in range(len(self.shape))])

    def occurs(self, states: Bools) -> bool:
        """Whether the set is not empty."""
        return self.exists(states)

    def wide(self, variable: Variable) -> bool:
        """No variable is: arrays take numbers value by value."""
        return False

    def compared(self, parts: list[tuple[Variable | Bools, int]], constant: int, op: str) -> Bools | None:
        """Nothing is compared without its values."""
        return None

    def exists(self, states: Bools) -> bool:
        """Whether the set is not empty."""
        return bool(states.any())

    def contains(self, states: Bools, state: State) -> bool:
        """Whether the state is in the set."""
        return bool(np.broadcast_to(states, self.shape)[self.place(state)])

    def first(self, states: Bools) -> State:
        """Some state of a set that is not empty."""
        return self.game.state(int(np.argmax(np.broadcast_to(states, self.shape))))

    def step(self, turn: Player, number: int) -> Indices:
        """At each valuation the index of the one after the action."""
        action = self.game.actions[turn][number]
        if self.game.tables is not None:
            targets = self.game.tables[turn][:, number]
            return (
                targets if targets.min() >= 0 else refuse(f"the action {action.name} cannot always be chosen")
            )
        after = here = np.arange(np.prod(self.shape)).reshape(self.shape)
        for applies, assigned in rules(self, action):
            moved = here
            for variable, parts in assigned:
                assert not isinstance(parts, int), "arrays have no wide variables"
                old = np.arange(len(variable.values)).reshape(self.table(variable, ()).shape)
                new = sum(code * states for code, states in parts.items())
                moved = moved + (new - old) * np.prod(self.shape[self.axis[variable.name] + 1 :], dtype=int)
            after = np.where(applies, moved, after)
        return after

    def place(self, state: State) -> tuple[int, ...]:
        """Where the arrays have a state."""
        return state if self.game.listed is None else (self.game.index(state),)


class ArrayNumbers:
    """One section of a witness: in a set the successor's number may be the same, a rank must be lower."""

    def __init__(
        self, space: ArraySpace, numbers: NDArray[np.uint32], moves: dict[int, UInt32s], ranked: bool
    ) -> None:
        self.space, self.moves, self.slack = space, moves, np.uint32(not ranked)
        if not ranked and numbers.max(initial=0) > 1:
            refuse("a region has no numbers but 0 and 1")
        self.numbers: list[UInt32s] = list(np.where(numbers == 0, OUTSIDE, numbers).reshape(-1, *space.shape))

    def lasting(self) -> ArrayNumbers:
        """The section read so that a move may also lead to a position of the same number."""
        other = copy(self)
        other.slack = np.uint32(1)
        return other

    def members(self, plane: int) -> Bools:
        """Where the witness has a number."""
        inside: Bools = self.numbers[plane] != OUTSIDE
        return inside

    def rank(self, plane: int, state: State) -> int:
        """The number of a member."""
        return int(self.numbers[plane][self.space.place(state)])

    def named(self, plane: int, action: int, name: str) -> Bools:
        """Where the witness names this move."""
        here: Bools = self.moves[plane] == action
        return here

    def goal(self, targets: list[tuple[int, Bools]], free: Bools) -> UInt32s:
        """At each successor valuation the number of the position that it means; 0 where ``free``."""
        numbers = np.full(self.space.shape, OUTSIDE)
        for plane, states in targets:
            numbers = np.where(states, self.numbers[plane], numbers)
        return np.where(free, np.uint32(0), numbers).reshape(-1)

    def escapes(self, plane: int, goal: UInt32s, step: Indices) -> Bools:
        """The members that the move does not take to a lower number (in a set: to a member)."""
        outside: Bools = goal[step] >= self.numbers[plane] + self.slack
        return self.members(plane) & outside


def array_sections(
    game: GameStructure, witness: dict[str, Any], turns: list[Player], names: Sequence[str], budget: Budget
) -> tuple[ArraySpace, dict[str, ArrayNumbers]]:
    """The space of a game, and the sections of a witness over it."""
    space, n = ArraySpace(game, len(turns) * len(names), budget), game.n_valuations
    sections = {}
    for name in names:
        numbers, moves = words(witness[name], len(turns) * n), dict[int, UInt32s]()
        if name == FORCED:
            adversary = [i for i, turn in enumerate(turns) if turn is Player.ADVERSARY]
            named = words(witness["moves"], len(adversary) * n)
            moves = dict(zip(adversary, named.reshape(-1, *space.shape), strict=True))
        sections[name] = ArrayNumbers(space, numbers, moves, name in RANKED)
    return space, sections


class ArrayBeliefs:
    """Beliefs as the ascending indices of their valuations."""

    def __init__(self, space: ArraySpace) -> None:
        self.space = space
        self.rules: dict[tuple[Player, int], list[ArrayRule]] = {}

    def only(self, state: State) -> Indices:
        """One valuation."""
        return np.array([np.ravel_multi_index(self.space.place(state), self.space.shape)])

    def image(self, members: Indices, turn: Player, number: int) -> Indices:
        """Where an action leads."""
        space, game = self.space, self.space.game
        if game.tables is not None:
            targets = game.tables[turn][members, number]
            name = game.actions[turn][number].name
            if len(targets) and targets.min() < 0:
                refuse(f"the action {name} cannot always be chosen")
            return distinct(targets)
        if (turn, number) not in self.rules:
            self.rules[turn, number] = list(rules(space, game.actions[turn][number]))
        places = np.unravel_index(members, space.shape)
        after = [axis.copy() for axis in places]
        for applies, assigned in self.rules[turn, number]:
            here = _at(applies, places)
            for variable, parts in assigned:
                assert not isinstance(parts, int), "arrays have no wide variables"
                new = sum(code * _at(states, places) for code, states in parts.items())
                after[space.axis[variable.name]] = np.where(here, new, after[space.axis[variable.name]])
        return distinct(np.ravel_multi_index(tuple(after), space.shape))

    def among(self, members: Indices, states: Bools) -> Indices:
        """Those that are in a set."""
        return members[_at(states, np.unravel_index(members, self.space.shape))]

    def joined(self, one: Indices, other: Indices) -> Indices:
        """What is in either."""
        return distinct(np.concatenate([one, other]))

    def some(self, members: Indices) -> bool:
        """Whether there are any."""
        return len(members) > 0

    def covers(self, members: Indices, others: Indices) -> bool:
        """Whether all others are among them."""
        return bool(np.isin(others, members, assume_unique=True).all())

    def states(self, members: Indices) -> Bools:
        """As a set."""
        inside = np.zeros(int(np.prod(self.space.shape)), dtype=bool)
        inside[members] = True
        return inside.reshape(self.space.shape)


def _at(states: Bools, places: tuple[Indices, ...]) -> Bools:
    """The truth of a set at some places; it has length 1 along what it does not look at."""
    own = tuple(axis if n > 1 else np.zeros_like(axis) for axis, n in zip(places, states.shape, strict=True))
    at: Bools = states[own]
    return at


def array_beliefs(witness: dict[str, Any], turns: list[Player], n: int) -> list[dict[int, Indices]]:
    """The beliefs of a witness: in each plane that one has positions in, the indices of their valuations."""
    sizes = witness["beliefs"]
    if not all(type(size) is int and size >= 0 for size in sizes):
        refuse("its beliefs are not numbers of positions")
    numbers, beliefs, end = words(witness["positions"], sum(sizes)).astype(np.int64), [], 0
    for size in sizes:
        own, end = numbers[end : end + size], end + size
        planes, indices = np.divmod(own, n)
        if (np.diff(own) <= 0).any() or (size and planes[-1] >= len(turns)):
            refuse("the positions of a belief do not ascend, or are of no plane")
        beliefs.append({i: indices[planes == i] for i in np.unique(planes).tolist()})
        if any(turns[i] is Player.ADVERSARY for i in beliefs[-1]):
            refuse("a belief has positions at which the adversary is to move")
    return beliefs
