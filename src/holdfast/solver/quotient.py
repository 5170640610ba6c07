"""The quotient on which both engines solve, counted with multiplicity.

Positions with q_D ∉ F_D are all unsafe: they are counted and never visited. Positions with q_A ∉ F_A differ
in nothing that matters: the adversary has no admissible move there and rejection is absorbing, so they
are one, the *sink*. What is left of (q_D, q_A) is a *block*: an accepting tuple of φ_D's clauses with an
accepting tuple of φ_A's, or with the sink.

Moves that look alike to every automaton form a *class*; within a class an automaton reads the successor
state alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product as cartesian
from typing import Any

from holdfast.errors import LimitError
from holdfast.game import Configuration, Position, Recalled, Seen
from holdfast.logic import Expression, Player, SafetyAutomaton, after_move, is_static

MAX_BLOCKS = 20_000


@dataclass(frozen=True)
class Side:
    """The accepting states of one side's synchronous product, numbered."""

    automata: tuple[SafetyAutomaton, ...]

    @cached_property
    def local(self) -> tuple[tuple[int, ...], ...]:
        """For each clause, the number of each accepting state, -1 for the others."""
        return tuple(
            tuple(sum(a.accepting[:q]) if a.accepting[q] else -1 for q in range(a.n_states))
            for a in self.automata
        )

    @cached_property
    def accepting(self) -> tuple[tuple[int, ...], ...]:
        """All tuples of accepting states, in order of their number."""
        return tuple(cartesian(*([q for q in range(a.n_states) if a.accepting[q]] for a in self.automata)))

    @property
    def n_rejecting(self) -> int:
        """How many states of the product are not accepting."""
        return math.prod(a.n_states for a in self.automata) - len(self.accepting)

    def number(self, states: tuple[int, ...]) -> int:
        """Number of an accepting tuple; -1 for any other."""
        number = 0
        for automaton, table, q in zip(self.automata, self.local, states, strict=True):
            if table[q] < 0:
                return -1
            number = number * automaton.n_accepting + table[q]
        return number


@dataclass(frozen=True)
class Blocks:
    """The pairs (accepting q_D, accepting q_A or sink), numbered with q_A running fastest."""

    defender: Side
    adversary: Side

    @classmethod
    def of(cls, configuration: Configuration) -> Blocks:
        """The blocks of a configuration.

        Raises:
            LimitError: past :data:`MAX_BLOCKS`.
        """
        sides = (configuration.defender, configuration.adversary)
        n_defender, n_adversary = (math.prod(a.n_accepting for a in side) for side in sides)
        if n_defender * (n_adversary + 1) > MAX_BLOCKS:
            sizes = [" · ".join(str(a.n_accepting) for a in side) or "1" for side in sides]
            raise LimitError(
                f"the clauses of φ_D have {sizes[0]} accepting automaton states and those of φ_A {sizes[1]}; "
                f"at most {MAX_BLOCKS:,} combinations are solved: lower a bound or drop a clause"
            )
        return cls(Side(configuration.defender), Side(configuration.adversary))

    @cached_property
    def planes(self) -> tuple[tuple[int, ...] | None, ...]:
        """The states of φ_A: accepting tuples, and None for the sink if anything rejects."""
        return (*self.adversary.accepting, *((None,) if self.adversary.n_rejecting else ()))

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.defender.accepting) * len(self.planes)

    def is_sink(self, block: Any) -> Any:
        """Whether q_A ∉ F_A in this block, or in each of an array of them."""
        return block % len(self.planes) == len(self.adversary.accepting)

    def multiplicity(self, block: int) -> int:
        """How many pairs (q_D, q_A) the block stands for."""
        return self.adversary.n_rejecting if self.is_sink(block) else 1

    def number(self, position: Position) -> int | None:
        """The block of a position; None when it is unsafe."""
        q_defender = self.defender.number(position.q_defender)
        q_adversary = self.adversary.number(position.q_adversary)
        if q_defender < 0:
            return None
        return q_defender * len(self.planes) + (q_adversary if q_adversary >= 0 else len(self.planes) - 1)

    def states(self, block: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The automaton states (q_D, q_A) of a block; for the sink, some rejecting q_A."""
        q_adversary = self.planes[block % len(self.planes)]
        if q_adversary is None:
            q_adversary = tuple(
                next((q for q in range(a.n_states) if not a.accepting[q]), 0) for a in self.adversary.automata
            )
        return self.defender.accepting[block // len(self.planes)], q_adversary

    def recalling(self, memories: Collection[tuple[int, ...]]) -> tuple[bool, ...]:
        """For each block whether φ_A is in one of some states there."""
        return tuple(self.planes[block % len(self.planes)] in memories for block in range(self.n_blocks))

    def recalled(self, seen: Seen) -> tuple[int, ...]:
        """For each block a bit for each part of what is seen that is recalled there; 0 for all others."""
        bits = [0] * self.n_blocks
        for i, part in enumerate(seen):
            if isinstance(part, Recalled):
                clause = self.defender.automata.index(part.clause.automaton)
                for block in range(self.n_blocks):
                    bits[block] |= (self.states(block)[0][clause] in part.states) << i
        return tuple(bits)


ClauseAtoms = tuple[tuple[Expression, ...], ...]
"""For each clause of a side, its atoms with the move already read."""

MoveClass = tuple[ClauseAtoms, ClauseAtoms]
"""What a move leaves for φ_D and for φ_A to read."""


def classify_moves(configuration: Configuration) -> tuple[list[MoveClass], dict[Player, tuple[int, ...]]]:
    """The classes of moves, and for each player the class of each action.

    Moves differ in what is left of the atoms that name moves; the others, which may be long, are the same
    for all and not compared.
    """
    sides = (configuration.defender, configuration.adversary)
    told = [atom for side in sides for a in side for atom in a.atoms if not is_static(atom)]
    numbers: dict[tuple[Expression, ...], int] = {}
    of_action: dict[Player, tuple[int, ...]] = {}
    for player in Player:
        left = (
            tuple(after_move(atom, (player, action.choice)) for atom in told)
            for action in configuration.game.actions[player]
        )
        of_action[player] = tuple(numbers.setdefault(atoms, len(numbers)) for atoms in left)
    return [_filled(sides, atoms) for atoms in numbers], of_action


def _filled(sides: Iterable[Sequence[SafetyAutomaton]], told: tuple[Expression, ...]) -> MoveClass:
    """All atoms of both sides, those that name moves as a move leaves them."""
    rest = iter(told)
    defender, adversary = (
        tuple(tuple(atom if is_static(atom) else next(rest) for atom in a.atoms) for a in side)
        for side in sides
    )
    return defender, adversary
