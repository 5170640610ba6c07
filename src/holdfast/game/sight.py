"""What the defender sees: of a state, and of the adversary's moves.

The adversary sees everything. The defender sees whose turn it is, what it does itself, and of every position
the truth of some predicates over its state. Positions in which all of these are alike look alike. A sensor
that is late shows something of the past, which a clause recalls.

Some predicates are always seen. Others are what a *sensor* shows, and a design has some of the sensors that
it could have: more of them never hurt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from holdfast.errors import InputError, ModelError, did_you_mean
from holdfast.game.clauses import Clause
from holdfast.logic import (
    TRUE,
    Edge,
    Expression,
    Member,
    Not,
    Variable,
    Vocabulary,
    build_automaton,
    conjunction,
)


@dataclass(frozen=True)
class Recalled:
    """What is shown of the past: whether a clause that never rejects is in some states of its automaton.

    The clause belongs to the requirement of the system, where it only remembers.
    """

    clause: Clause
    states: frozenset[int]


Seen = tuple[Expression | Recalled, ...]
"""What the defender sees: the truth of predicates over states, and of what is recalled."""


@dataclass(frozen=True)
class Sight:
    """What the defender of a system sees.

    Attributes:
        always: what is seen without any sensor.
        sensors: for each sensor that there is or could be, what it shows.
        placed: the sensors that there are, in the order of ``sensors``; None if everything is seen, as in the
            paper, whatever sensors could show.
        noticed: actions of the adversary, by name, that the defender notices as such.
        costs: what a sensor costs; 1 where none is given.
    """

    always: Seen
    sensors: Mapping[str, Seen] = field(default_factory=dict)
    placed: tuple[str, ...] | None = None
    noticed: frozenset[str] = frozenset()
    costs: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a sensor that nobody has heard of.

        Raises:
            ModelError: for one.
        """
        for name in self.placed or ():
            if name not in self.sensors:
                raise ModelError(f'there is no sensor "{name}"' + did_you_mean(name, self.sensors))

    @property
    def seen(self) -> Seen:
        """The predicates that are seen with the sensors that there are, each once."""
        assert self.placed is not None, "whoever sees everything needs no predicates"
        shown = (predicate for name in self.placed for predicate in self.sensors[name])
        return tuple(dict.fromkeys((*self.always, *shown)))


def limited_sight(sight: Sight | None) -> Sight:
    """What a defender sees that does not see everything.

    Raises:
        InputError: for one that does.
    """
    if sight is None or sight.placed is None:
        raise InputError(
            "the defender of this design sees everything; say in the file what it sees, as in sensors: [DB] "
            "or sensors: none in a network"
        )
    return sight


def value_bits(variable: Variable, where: Expression = TRUE) -> tuple[Expression, ...]:
    """Predicates that tell the values of a variable apart, and all of them from where nothing is shown.

    >>> len(value_bits(Variable("level", range(10))))
    4
    """
    codes = range(len(variable.values))
    places = range(max(codes[-1].bit_length(), 0))
    bits = (Member(variable, tuple(variable.values[c] for c in codes if c >> i & 1)) for i in places)
    if where == TRUE:
        return tuple(bits)
    return (where, *(conjunction((where, bit)) for bit in bits))


def lasting_clause(predicate: Expression, moves: int, vocabulary: Vocabulary, label: str) -> Recalled:
    """Whether a predicate has held for at least so many moves, as something that is recalled.

    The automaton counts the moments in a row at which the predicate holds, this one included; it never
    rejects.
    """
    names = [f"{n} moments" for n in range(moves + 2)]
    edges = []
    for n, name in enumerate(names):
        edges.append(Edge(name, names[min(n + 1, moves + 1)], predicate))
        edges.append(Edge(name, names[0], Not(predicate)))
    automaton = build_automaton(names, names[0], names, edges, vocabulary, label)
    return Recalled(Clause(automaton, label, edges=tuple(edges)), frozenset({moves + 1}))


def memories(sight: Sight | None) -> frozenset[Clause]:
    """The clauses that only remember, for sensors that are late; they require nothing."""
    shown = () if sight is None else (part for seen in sight.sensors.values() for part in seen)
    return frozenset(part.clause for part in shown if isinstance(part, Recalled))


def with_sensors(sight: Sight, names: Iterable[str]) -> Sight:
    """The sight of a design that has just these sensors.

    >>> with_sensors(Sight((), {"DB": (), "GW": ()}), ["GW"]).placed
    ('GW',)
    """
    chosen = frozenset(names)
    unknown = sorted(chosen - set(sight.sensors))
    if unknown:
        raise ModelError(f'there is no sensor "{unknown[0]}"' + did_you_mean(unknown[0], sight.sensors))
    return replace(sight, placed=tuple(name for name in sight.sensors if name in chosen))
