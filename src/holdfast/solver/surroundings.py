"""Parts of W in which recovery is decided without looking at the rest of it.

How positions recover in all of W can be far more complicated than W, and what a single one needs of it is
mostly a small part P. It is enough to look at P twice. With everything outside *conceded*, where leaving P
counts as reaching the goal, a position can only recover sooner; with everything outside *denied*, where
leaving P counts as failing, only later. Where both say the same that is the answer; where even the first says
never, what is left of P is a *trap*, in which the adversary holds the play for as long as the defender stays
in W.

Three kinds of parts are tried, smaller ones first.

- *Windows* are about few variables, those that the adversary reaches first from the start. For what is
  conceded the others have values that the defender alone could give them, so that only the adversary, who
  gains nothing by it, can leave; for what is denied they keep their values of the start. An attack that turns
  on a few hosts is decided by these, however large the network is.
- *Clusters* are windows of variables that have much to do with one another, in which the adversary may hold
  out. They are looked at with nobody doing anything outside, which is a game of few variables; what it says
  is then held against all of W.
- *Balls* are about the goal: from where both sides *together* would reach it within so many moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product as cartesian
from typing import Generic, TypeVar

from holdfast.budget import Budget
from holdfast.game import GameStructure, State, movers
from holdfast.logic import (
    And,
    Expression,
    Member,
    Player,
    SafetyAutomaton,
    Variable,
    conjunction,
    reader,
    variables_of,
)
from holdfast.solver.position_sets import PositionSet

_Positions = TypeVar("_Positions", bound=PositionSet)

NARROW = 3
"""How many variables the first window has."""


@dataclass(frozen=True)
class Surroundings(Generic[_Positions]):
    """A part of W, and what leaving it counts as.

    Attributes:
        positions: the part.
        goal: what of the goal is in it.
        given: from where the play leaves it, by one move of a defender who wishes to or of an adversary who
            must, if that counts as reaching the goal.
        barred: adversary positions from where the part can be left, if that counts as failing.
    """

    positions: _Positions
    goal: _Positions
    given: _Positions
    barred: _Positions

    @property
    def open(self) -> _Positions:
        """Where the defender still has to show that it reaches the goal."""
        return self.positions - self.goal - self.given - self.barred


def whole(winning: _Positions, goal: _Positions) -> Surroundings[_Positions]:
    """All of W."""
    nothing = goal - goal
    return Surroundings(winning, goal, nothing, nothing)


def denied(part: _Positions, goal: _Positions, budget: Budget) -> Surroundings[_Positions]:
    """A part of W that the defender may not leave."""
    attacking = part.at(Player.ADVERSARY)
    barred = attacking - part.cpre(attacking, budget=budget)
    return Surroundings(part, goal & part, goal - goal, barred)


def conceded(
    part: _Positions, goal: _Positions, winning: _Positions, closed: bool, budget: Budget
) -> Surroundings[_Positions]:
    """A part of W that the adversary may not leave; ``closed`` if no move of the defender does."""
    attacking, nothing = part.at(Player.ADVERSARY), goal - goal
    given = attacking - part.pre(attacking, budget=budget)
    if given:
        given = (winning - part).pre(given, budget=budget)
    if not closed:
        given = given | (winning - part).pre(part.at(Player.DEFENDER), budget=budget)
    return Surroundings(part, goal & part, given, nothing)


def returning(automata: Iterable[SafetyAutomaton], memory: Iterable[int]) -> frozenset[tuple[int, ...]]:
    """The states of some clauses together, each of which can come back from there to where it is."""
    own = []
    for automaton, q in zip(automata, memory, strict=True):
        ahead = {p: _ahead(automaton, p) for p in _ahead(automaton, q)}
        own.append([p for p, onward in ahead.items() if q in onward])
    return frozenset(cartesian(*own))


def _ahead(automaton: SafetyAutomaton, q: int) -> dict[int, None]:
    """The states that an automaton can come to, the first included."""
    ahead = {q: None}
    queue = [q]
    for p in queue:
        fresh = dict.fromkeys(target for target in automaton.delta[p] if target not in ahead)
        ahead |= fresh
        queue += fresh
    return ahead


# -- windows ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Window:
    """Few variables, and what is true of the others.

    Attributes:
        others: the variables outside.
        kept: that they have their values of the start.
        defended: that they have values that the defender alone could give them.
    """

    others: tuple[Variable, ...]
    kept: Expression
    defended: Expression


def windows(game: GameStructure, goal: Expression, state: State) -> Iterator[Window]:
    """Windows about a state, smaller ones first; none with all variables, nor of a game without rules.

    They have those variables first that the adversary can do something about first.
    """
    if game.tables is None:
        missed, changed = _at_stake(game, goal, state)
        yield from _growing(game, state, _Attacks.of(game).by_distance((*missed, *changed)))


def clusters(game: GameStructure, goal: Expression, state: State) -> tuple[Iterator[Window], ...]:
    """Windows of variables that have much to do with one another, smaller ones first, in two orders.

    The adversary can hold out where there is always some way back to what it has lost. One order has each
    time the variable that has to do with most of those before it; the other one begins with a ring.
    """
    missed, changed = _at_stake(game, goal, state)
    if game.tables is not None or game.tallies or not missed or not changed:
        return ()
    attacks, first = _Attacks.of(game), missed if len(missed) <= NARROW else changed[:1]
    ring = attacks.ring(first[0])
    beside = _growing(game, state, attacks.beside(ring), len(ring) + 1) if ring else iter(())
    return _growing(game, state, attacks.by_density(first)), beside


def _growing(
    game: GameStructure, state: State, order: list[Variable], size: int | None = None
) -> Iterator[Window]:
    values, size = _defended(game, state), NARROW if size is None else size
    while size < len(order):
        others = tuple(order[size:])
        kept = (Member(v, (v.values[state[game.places[v.name]]],)) for v in others)
        defended = (Member(v, values[v]) for v in others)
        yield Window(others, conjunction(tuple(kept)), conjunction(tuple(defended)))
        size = max(size + 1, size * 5 // 4)


def _at_stake(
    game: GameStructure, goal: Expression, state: State
) -> tuple[tuple[Variable, ...], tuple[Variable, ...]]:
    """The variables on which the goal fails in a state; and those that the adversary can change at once."""
    parts = goal.args if isinstance(goal, And) else (goal,)
    missed = {v for part in parts if not reader(part, game.places)(state) for v in variables_of(part)}
    changed = [
        game.variables[i]
        for move in movers(game, Player.ADVERSARY)
        for i, (before, after) in enumerate(zip(state, move(state) or state, strict=True))
        if before != after
    ]
    return tuple(v for v in game.variables if v in missed), tuple(dict.fromkeys(changed))


@dataclass(frozen=True)
class _Attacks:
    """Which variables the adversary's actions read when they assign others.

    Attributes:
        places: of the variables.
        reads: for each, what is read where it is assigned.
        leads: for each, what is assigned where it is read.
    """

    places: Mapping[str, int]
    reads: dict[Variable, dict[Variable, None]]
    leads: dict[Variable, dict[Variable, None]]

    @classmethod
    def of(cls, game: GameStructure) -> _Attacks:
        """The attacks of a game."""
        reads, leads = ({v: dict[Variable, None]() for v in game.variables} for _ in range(2))
        for action in game.actions[Player.ADVERSARY]:
            for rule in action.rules:
                for assigned, value in rule.assign:
                    read = sorted(
                        variables_of(rule.when) | variables_of(value), key=lambda v: game.places[v.name]
                    )
                    reads[assigned] |= dict.fromkeys(read)
                    for variable in read:
                        leads[variable][assigned] = None
        return cls(game.places, reads, leads)

    def by_distance(self, first: Iterable[Variable]) -> list[Variable]:
        """The variables, those first that the adversary can do something about first.

        It goes on with what the adversary's actions assign that read one of them; of these with those first
        that have to do with many others.
        """
        taken: dict[Variable, None] = {}
        ring = dict.fromkeys(first)
        while ring:
            onward: dict[Variable, None] = {}
            for variable in sorted(ring, key=lambda v: (-self._degree(v), self._place(v))):
                taken |= self._with_controls(variable)
                onward |= self.leads[variable]
            ring = {variable: None for variable in onward if variable not in taken}
        return [*taken, *(variable for variable in self.reads if variable not in taken)]

    def by_density(self, first: Iterable[Variable]) -> list[Variable]:
        """The variables, each time the one that has to do with most of those before it, or of all."""
        taken, near = dict[Variable, None](), dict.fromkeys(self.reads, 0)

        def take(variable: Variable) -> None:
            for own in self._with_controls(variable):
                if own not in taken:
                    taken[own] = None
                    for other in (*self.reads[own], *self.leads[own]):
                        near[other] += 1

        for variable in first:
            take(variable)
        while rest := [v for v in near if v not in taken]:
            take(max(rest, key=lambda v: (near[v], self._degree(v), -self._place(v))))
        return list(taken)

    def ring(self, start: Variable) -> list[Variable]:
        """The variables of a shortest ring through one, each of which has to do with the next; or none."""
        way: dict[Variable, list[Variable]] = {start: []}
        reached = [start]
        for variable in reached:
            for other in (*self.leads[variable], *self.reads[variable]):
                if other not in way:
                    way[other] = [*way[variable], other]
                    reached.append(other)
                elif way[other] and way[variable] and way[other][0] is not way[variable][0]:
                    return [start, *way[variable], *reversed(way[other])]
        return []

    def beside(self, ring: list[Variable]) -> list[Variable]:
        """A ring, then in turn for each on it, the start first, one more that has to do with it; the rest."""
        taken = dict.fromkeys(own for variable in ring for own in self._with_controls(variable))
        around = sorted(range(len(ring)), key=lambda place: min(place, len(ring) - place))
        near = [
            sorted({**self.leads[v], **self.reads[v]}, key=lambda v: (-self._degree(v), self._place(v)))
            for v in (ring[place] for place in around)
        ]
        while any(near):
            for others in near:
                fresh = next((v for v in others if v not in taken), None)
                taken |= {} if fresh is None else self._with_controls(fresh)
                others[:] = [v for v in others if v not in taken]
        return [*taken, *(variable for variable in self.by_distance(ring) if variable not in taken)]

    def _with_controls(self, variable: Variable) -> dict[Variable, None]:
        """A variable, and what is read where it is assigned and no adversary changes, such as a conduit."""
        return dict.fromkeys((variable, *(v for v in self.reads[variable] if not self.reads[v])))

    def _degree(self, variable: Variable) -> int:
        return len(self.leads[variable]) + len(self.reads[variable])

    def _place(self, variable: Variable) -> int:
        return self.places[variable.name]


def _defended(game: GameStructure, state: State) -> dict[Variable, tuple[int | str, ...]]:
    """For each variable the values that the defender's moves alone could give it, or more."""
    moves: dict[Variable, list[int]] = {v: [] for v in game.variables}
    simple: dict[Variable, bool] = dict.fromkeys(game.variables, True)
    for number, action in enumerate(game.actions[Player.DEFENDER]):
        read = {v for rule in action.rules for v in variables_of(rule.when)}
        for rule in action.rules:
            for assigned, value in rule.assign:
                moves[assigned].append(number)
                simple[assigned] &= read | variables_of(value) <= {assigned}
    own, values = movers(game, Player.DEFENDER), {}
    for variable, numbers in moves.items():
        place = game.places[variable.name]
        codes = dict.fromkeys((state[place],) if simple[variable] else range(len(variable.values)))
        queue = list(codes)
        for code in queue if simple[variable] else ():
            here = (*state[:place], code, *state[place + 1 :])
            for after in ((own[number](here) or here)[place] for number in numbers):
                if after not in codes:
                    codes[after] = None
                    queue.append(after)
        values[variable] = tuple(variable.values[code] for code in sorted(codes))
    return values
