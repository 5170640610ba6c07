"""What a rule may look at, and how it says so: traits of a position, and conditions on them.

A *trait* is a variable of the game, a count that the requirement speaks of (``active``), or the memory of a
clause: the state of its automaton, which says what has happened so far. A *condition* is a trait with some
of its values, and an *instruction* is an action with conditions that must all hold. A condition on the state
is a predicate of Holdfast's own language, so that a file can carry it; in words it uses the legend.

A condition uses *plain* sets of values only, those that people can say in one breath: one value, all but
one, at most, at least, and the sets that the clauses themselves name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from holdfast.game import Configuration, Position, listed
from holdfast.logic import (
    Compare,
    Count,
    Defined,
    Expression,
    Member,
    Number,
    Player,
    Reader,
    SafetyAutomaton,
    Variable,
    conjunction,
    disjunction,
    reader,
    walk,
)

TraitCodes = frozenset[int]
"""Some values of a trait, by their numbers."""

NOW, BETWEEN = "now", "between"
"""When something is seen: after the adversary's move, or between the defender's and the adversary's."""

MAX_SPAN = 40
"""Counts with more values than that are left out, and of longer numeric domains only bounds are used."""


@dataclass(frozen=True)
class Trait:
    """Something that a position has.

    Attributes:
        name: the variable, the count, or the label of the clause.
        spoken: for each value what follows the name: ``compromised``, ``3``.
        of: a variable, a term over the state, or a side and the number of one of its clauses; for what a
            defender sees that does not see everything, when it does (:data:`NOW`, :data:`BETWEEN`).
        ordered: whether the values are numbers, so that bounds make sense.
        named: sets of values that the clauses name.
    """

    name: str
    spoken: tuple[str, ...]
    of: Variable | Expression | tuple[Player, int] | str
    ordered: bool = False
    named: tuple[TraitCodes, ...] = field(default=(), compare=False)

    @property
    def n_values(self) -> int:
        """How many values it has."""
        return len(self.spoken)

    @property
    def is_memory(self) -> bool:
        """Whether it is what a clause remembers, or what was seen before, and so has to be kept in mind."""
        return isinstance(self.of, tuple) or self.of == BETWEEN

    @property
    def is_count(self) -> bool:
        """Whether it is a number of several things, and not one that has a name."""
        return isinstance(self.of, Expression)

    @property
    def weight(self) -> int:
        """How much it asks of a reader: to look at one thing, to count several, or to remember."""
        return 2 if self.is_memory else int(self.is_count)

    @cached_property
    def plain(self) -> tuple[TraitCodes, ...]:
        """The sets of values that a condition may use, none of them empty or whole; simplest first."""
        every, n = frozenset(range(self.n_values)), self.n_values
        choices: dict[TraitCodes, None] = {}
        if self.ordered:
            choices |= dict.fromkeys(frozenset(range(c)) for c in range(1, n))
            choices |= dict.fromkeys(frozenset(range(c, n)) for c in range(1, n))
        if not self.ordered or n <= MAX_SPAN:
            choices |= dict.fromkeys(frozenset((c,)) for c in range(n))
            choices |= dict.fromkeys(every - {c} for c in range(n))
        for codes in self.named:
            choices |= dict.fromkeys((codes, every - codes))
        return tuple(codes for codes in choices if codes and codes != every)


@dataclass(frozen=True)
class Condition:
    """A trait has one of some values."""

    trait: Trait
    codes: TraitCodes

    @cached_property
    def predicate(self) -> Expression | None:
        """The condition in the expression language; None for memory, and for what is seen."""
        of = self.trait.of
        if isinstance(of, tuple | str):
            return None
        if isinstance(of, Variable):
            return Member(of, tuple(of.values[code] for code in sorted(self.codes)))
        n, codes = self.trait.n_values, self.codes
        if codes == frozenset(range(max(codes) + 1)):
            return Compare("<=", of, Number(Fraction(max(codes))))
        if codes == frozenset(range(min(codes), n)):
            return Compare(">=", of, Number(Fraction(min(codes))))
        return disjunction(Compare("=", of, Number(Fraction(code))) for code in sorted(codes))

    def __str__(self) -> str:
        """In words: ``DB is compromised``, ``active is at most 3``."""
        trait, others = self.trait, frozenset(range(self.trait.n_values)) - self.codes
        values = [trait.spoken[code] for code in sorted(self.codes)]
        other_values = [trait.spoken[code] for code in sorted(others)]
        if len(values) == 1:
            clause = f"is {values[0]}"
        elif len(other_values) == 1:
            clause = f"is not {other_values[0]}"
        elif trait.ordered and max(self.codes) < min(others):
            clause = f"is at most {values[-1]}"
        elif trait.ordered and min(self.codes) > max(others):
            clause = f"is at least {values[0]}"
        elif len(values) > len(other_values):
            clause = f"is neither {listed(other_values, 'nor')}"
        else:
            clause = f"is {listed(values, 'or')}"
        return f"{trait.name} {clause}"


@dataclass(frozen=True)
class Instruction:
    """What to do where all conditions hold.

    Attributes:
        conditions: what must hold; nothing if it always applies.
        action: the number of the defender's action.
    """

    conditions: tuple[Condition, ...]
    action: int

    @property
    def predicate(self) -> Expression:
        """The conditions on the state as one predicate."""
        predicates = (condition.predicate for condition in self.conditions)
        return conjunction(predicate for predicate in predicates if predicate is not None)

    @property
    def memory(self) -> dict[tuple[Player, int], TraitCodes]:
        """The conditions on what clauses remember, by side and number of the clause."""
        return {c.trait.of: c.codes for c in self.conditions if isinstance(c.trait.of, tuple)}

    @property
    def condition(self) -> str:
        """The conditions in words."""
        return listed([str(condition) for condition in self.conditions])


@dataclass(frozen=True)
class RuleList:
    """Instructions in order, of which the first that applies decides, and a last resort.

    Attributes:
        configuration: of the game that they are about.
        instructions: in order.
        default: the action of last resort.
    """

    configuration: Configuration
    instructions: tuple[Instruction, ...]
    default: int

    def deciding(self, position: Position) -> int:
        """The place of the instruction that decides at a position, from 0; past the end, the last resort."""
        for place, conditions in enumerate(self._compiled):
            if all(read(position) in codes for read, codes in conditions):
                return place
        return len(self.instructions)

    def action(self, place: int) -> int:
        """What the instruction at a place says."""
        return self.instructions[place].action if place < len(self.instructions) else self.default

    def answer(self, position: Position) -> int:
        """What the list says at a position."""
        return self.action(self.deciding(position))

    @cached_property
    def _compiled(self) -> list[list[tuple[Reader, TraitCodes]]]:
        return [
            [(observer(self.configuration, c.trait), c.codes) for c in instruction.conditions]
            for instruction in self.instructions
        ]


def traits_of(configuration: Configuration) -> tuple[Trait, ...]:
    """What rules may look at: variables, counts of the requirement, and memory of more than one state."""
    atoms = [
        part
        for side in (configuration.defender, configuration.adversary)
        for automaton in side
        for atom in automaton.atoms
        for part in walk(atom)
    ]
    members = [m for part in atoms for m in (part.items if isinstance(part, Count) else (part,))]
    sets: dict[str, dict[TraitCodes, None]] = {}
    for member in members:
        if isinstance(member, Member):
            sets.setdefault(member.variable.name, {})[frozenset(member.codes)] = None
    legend = configuration.system.legend
    states = (
        Trait(
            v.name,
            tuple(legend.get(str(value), str(value)) for value in v.values),
            v,
            v.numeric,
            tuple(sets.get(v.name, ())),
        )
        for v in configuration.game.variables
    )
    return (*states, *_counts(atoms), *_memories(configuration))


def _counts(atoms: Iterable[Expression]) -> Iterator[Trait]:
    """The counts that clauses compare with something."""
    sides = (side for atom in atoms if isinstance(atom, Compare) for side in (atom.left, atom.right))
    for term in dict.fromkeys(sides):
        body = term.body if isinstance(term, Defined) else term
        if isinstance(body, Count) and len(body.items) <= MAX_SPAN:
            yield Trait(str(term), tuple(map(str, range(len(body.items) + 1))), term, ordered=True)


def _memories(configuration: Configuration) -> Iterator[Trait]:
    for side in Player:
        for number, clause in enumerate(configuration.clauses(side)):
            automaton = clause.automaton
            if automaton.n_accepting < 2:
                continue
            counted = _counted(automaton)
            if counted:
                numbers = tuple(map(str, range(automaton.n_states)))
                yield Trait(f"the number of “{counted}” so far", numbers, (side, number), ordered=True)
            else:
                spoken = tuple(f"“{state}”" for state in automaton.states)
                yield Trait(f"the memory of “{clause.label}”", spoken, (side, number))


def _counted(automaton: SafetyAutomaton) -> str:
    """What an automaton counts, if state k means that it has happened k times; else the empty string."""
    n = automaton.n_accepting
    if automaton.initial != 0 or not all(automaton.accepting[:n]) or n == automaton.n_states:
        return ""
    steps = set()
    for q in range(n):
        if not set(automaton.delta[q]) <= {q, q + 1} or automaton.n_states != n + 1:
            return ""
        steps.add(str(automaton.guard(q, q + 1)))
    only = steps.pop() if len(steps) == 1 else ""
    return "" if only in ("true", "false") else only


def observer(configuration: Configuration, trait: Trait) -> Reader:
    """A function that gives the code of a trait at a position."""
    places, of = configuration.game.places, trait.of
    assert not isinstance(of, str), "what is seen is no part of a position"
    if isinstance(of, Variable):
        place = places[of.name]
        return lambda position: position.state[place]
    if isinstance(of, tuple):
        side, number = of
        if side is Player.DEFENDER:
            return lambda position: position.q_defender[number]
        return lambda position: position.q_adversary[number]
    term = reader(of, places)
    return lambda position: int(term(position.state))
