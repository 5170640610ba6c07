"""Things that are alike, counted or written out: the same configuration in the other of two forms.

A model may know of its variables which ones it does not tell apart (:attr:`System.alike`). If no clause, goal
or cost tells them apart either, all that matters of them is how many have each value, and they can be counted
(:mod:`holdfast.logic.tallies`): an exact quotient, in which every reading is what it was. Clauses keep their
automata, state by state; only what these read is said of numbers instead of single variables. A class that
some expression treats one by one is left as it is.

The other way round, what a file counts is written out, a variable for each, where somebody asks for single
members and there are few of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.game.clauses import Clause
from holdfast.game.configuration import Configuration
from holdfast.game.structure import GameStructure
from holdfast.game.system import System
from holdfast.logic import (
    Expression,
    Move,
    Player,
    Tally,
    action_target,
    action_type,
    added,
    expressions as ex,
    spelled_short,
)

PAYS = 12
"""Members from which on a class is counted by itself; below, a number is more work than a few statuses."""

FEW = 10
"""Members that are written out, all groups together, where somebody asks for single ones."""

AlikeClass = tuple[str, ...]
"""The names of variables that nothing tells apart."""


def with_counters(
    configuration: Configuration, budget: Budget = UNLIMITED, least: int | None = None, n_apart: int = 0
) -> Configuration | None:
    """The configuration with its interchangeable variables counted; None where that does not pay.

    Args:
        configuration: one in which nothing is counted yet.
        budget: time for putting the parts together.
        least: members that a class must have; :data:`PAYS` if None.
        n_apart: how many of each class keep a variable of their own, the first of them.
    """
    system = configuration.system
    if system.count is None or system.game.tallies:
        return None
    classes = [own[n_apart:] for own in system.alike() if len(own) >= (least or PAYS) + n_apart]
    if not classes:
        return None
    budget.tick("looking for interchangeable variables")
    parts = list(_expressions(configuration))
    named = frozenset(configuration.costs)
    kept = [own for own in classes if _is_spared(own, parts, named, system.game)]
    if not kept:
        return None
    counted = system.count(tuple(kept))
    gathered = tuple(f"{tally.size:,} {tally.name}" for tally in counted.game.tallies)
    counted = replace(counted, gathered=gathered)
    return _translated(configuration, counted, _Merged(kept, system.game, counted.game).form, budget)


def gathered(configuration: Configuration, engine: str = "auto", budget: Budget = UNLIMITED) -> Configuration:
    """The configuration as it is solved soonest: with counters where they pay and no engine is named."""
    return (with_counters(configuration, budget) if engine == "auto" else None) or configuration


def written_out(
    configuration: Configuration, what: str, budget: Budget = UNLIMITED, most: int = FEW
) -> Configuration:
    """The configuration with a variable for each of the things that it counts; itself where it counts none.

    Args:
        configuration: what may count something.
        what: what asks for single members, for the message.
        budget: time for putting the parts together.
        most: how many may be written out.

    Raises:
        InputError: where they are too many, with what to do.
    """
    system = configuration.system
    tallies = system.game.tallies
    if not tallies:
        return configuration
    if system.write_out is None or sum(tally.size for tally in tallies) > most:
        raise _counted_error(system.game, what, most)
    written = system.write_out()
    return _translated(configuration, written, _WrittenOut(system.game, written.game).form, budget)


def refuse_counted(game: GameStructure, what: str) -> None:
    """Say that something is not there for games in which alike things are counted.

    Raises:
        InputError: where some are.
    """
    if game.tallies:
        raise _counted_error(game, what)


def _counted_error(game: GameStructure, what: str, most: int = 0) -> InputError:
    """That single members are asked for; where up to ``most`` are written out, they are more."""
    names = ", ".join(f"{tally.size:,} {tally.name}" for tally in game.tallies)
    few = f" Up to {most} of them are written out by themselves." if most else ""
    return InputError(
        f"{what} asks for single members, and some are counted here ({names}).{few} Leave out alike: "
        "yes, or ask it of a smaller system, with count and requirement scaled down"
    )


# -- what a configuration says ------------------------------------------------------------------------


def _expressions(configuration: Configuration) -> Iterable[Expression]:
    """What is said besides the system: the atoms of all clauses, and the goals."""
    for side in Player:
        for clause in configuration.clauses(side):
            yield from clause.automaton.atoms
    yield from configuration.recovery.values()


def _is_spared(
    own: AlikeClass, parts: Sequence[Expression], named: Collection[str], game: GameStructure
) -> bool:
    """Whether nothing that is said tells the members of a class apart."""
    if any(action_target(name) in own for name in named):
        return False
    merged = _Merged([own], game, None)
    try:
        for part in parts:
            merged.form(part)
    except _ToldApartError:
        return False
    return True


def _translated(
    configuration: Configuration, system: System, form: Callable[[Expression], Expression], budget: Budget
) -> Configuration:
    """The configuration on another form of its system, which brings clauses and goals of its own."""
    tallies = system.game.tallies

    def said(clause: Clause) -> Clause:
        atoms = tuple(spelled_short(form(atom), tallies) for atom in clause.automaton.atoms)
        automaton = replace(clause.automaton, atoms=atoms)
        formula = None if clause.formula is None else form(clause.formula)
        edges = tuple(
            edge if isinstance(edge.when, str) else replace(edge, when=form(edge.when))
            for edge in clause.edges
        )
        return replace(clause, automaton=automaton, formula=formula, edges=edges)

    return replace(
        configuration,
        system=system,
        requirement=tuple(map(said, configuration.requirement)),
        boundary=tuple(map(said, configuration.boundary)),
        recovery={name: form(goal) for name, goal in configuration.recovery.items()},
        budget=budget,
    )


# -- from single variables to numbers -----------------------------------------------------------------


class _ToldApartError(Exception):
    """An expression that says something of a single member."""


@dataclass(frozen=True)
class _Merged:
    """Expressions about all members of some classes, said of numbers.

    Attributes:
        classes: what is counted.
        game: with single variables.
        counted: with numbers; None to find out only whether an expression can be said so.
    """

    classes: Sequence[AlikeClass]
    game: GameStructure
    counted: GameStructure | None

    def form(self, node: Expression) -> Expression:
        """The expression, of numbers.

        Raises:
            _ToldApartError: for one that treats members differently.
        """
        if isinstance(node, ex.Did):
            return ex.Did(node.text, self._moves(node.moves))
        if isinstance(node, ex.Defined):
            definitions = (self.counted or self.game).definitions  # which tell no member apart
            if node.name in definitions:
                return ex.Defined(node.name, definitions[node.name])
            body = self.form(node.body)
            return node if body == node.body else body
        if isinstance(node, ex.Count):
            return self._sum(node)
        if isinstance(node, ex.And | ex.Or):
            return self._joined(node)
        if self._class_of(getattr(node, "variable", None)) is not None:
            raise _ToldApartError
        return ex.rebuild(node, self.form) if ex.children(node) else node

    @property
    def _tallies(self) -> tuple[Tally, ...]:
        return () if self.counted is None else self.counted.tallies

    def _class_of(self, variable: ex.Variable | None) -> AlikeClass | None:
        if variable is None:
            return None
        return next((own for own in self.classes if variable.name in own), None)

    def _tally(self, own: AlikeClass) -> Tally | None:
        """The counters of a class; None where it is only asked whether an expression can be said of them."""
        if self.counted is None:
            return None
        return self._tallies[self.classes.index(own)]

    def _members(
        self, items: Sequence[Expression]
    ) -> tuple[list[tuple[AlikeClass, tuple[ex.Value, ...], int]], list[Expression]]:
        """Which classes are among the items as a whole, with which values and how often; and other items."""
        groups: dict[tuple[AlikeClass, tuple[ex.Value, ...]], Counter[str]] = {}
        others: list[Expression] = []
        for item in items:
            own = self._class_of(item.variable) if isinstance(item, ex.Member) else None
            if own is None:
                others.append(self.form(item))
            else:
                assert isinstance(item, ex.Member)
                groups.setdefault((own, item.values), Counter())[item.variable.name] += 1
        whole = []
        for (own, values), names in groups.items():
            if len(names) != len(own) or len(set(names.values())) != 1:
                raise _ToldApartError
            whole.append((own, values, names[own[0]]))
        return whole, others

    def _sum(self, node: ex.Count) -> Expression:
        whole, others = self._members(node.items)
        if not whole:
            return node if tuple(others) == node.items else replace(node, items=tuple(others), written="")
        terms: list[Expression] = [ex.Count(tuple(others))] if others else []
        texts = [str(terms[0]).removeprefix("count(").removesuffix(")")] if others else []
        for own, values, times in whole:
            tally = self._tally(own)
            if tally is not None:
                terms += [tally.total([str(v) for v in values])] * times
                texts += [f"{tally.name} in {{{', '.join(map(str, values))}}}"] * times
        return ex.Defined(f"count({node.written or ', '.join(texts)})", added(terms))

    def _joined(self, node: ex.And | ex.Or) -> Expression:
        whole, others = self._members(node.args)
        if not whole and tuple(others) == node.args:
            return node
        parts: list[Expression] = []
        for own, values, _ in whole:
            tally = self._tally(own)
            if tally is not None and isinstance(node, ex.Or):
                parts.append(tally.some([str(v) for v in values]))
            elif tally is not None:
                parts.append(tally.none([v for v in tally.values if v not in values]))
        join = ex.conjunction if isinstance(node, ex.And) else ex.disjunction
        return join((*parts, *others))

    def _moves(self, moves: frozenset[Move]) -> frozenset[Move]:
        """The moves, of which one to a member stands for those to all."""
        single: set[Move] = set()
        merged: dict[tuple[AlikeClass, Player, str], int] = {}
        for player, name in moves:
            own = next((own for own in self.classes if action_target(name) in own), None)
            if own is None:
                single.add((player, name))
            else:
                key = own, player, action_type(name)
                merged[key] = merged.get(key, 0) + 1
        for (own, player, kind), n in merged.items():
            if n != len(own):
                raise _ToldApartError
            tally = self._tally(own)
            if tally is not None and self.counted is not None:
                single |= _moves_to(self.counted, player, kind, (tally.name,))
        return frozenset(single)


# -- from numbers to single variables -----------------------------------------------------------------


@dataclass(frozen=True)
class _WrittenOut:
    """Expressions about numbers, said of the variables that these count."""

    counted: GameStructure
    game: GameStructure

    def form(self, node: Expression) -> Expression:
        """The expression, of single variables."""
        if isinstance(node, ex.Did):
            return ex.Did(node.text, self._moves(node.moves))
        if isinstance(node, ex.Defined) and node.name in self.game.definitions:
            return ex.Defined(node.name, self.game.definitions[node.name])
        found = self._counter(getattr(node, "variable", None))
        if found is None:
            return ex.rebuild(node, self.form) if ex.children(node) else node
        tally, value = found
        variables = self.game.vocabulary.by_name
        number = ex.Count(tuple(ex.Member(variables[name], (value,)) for name in self._members(tally)))
        if isinstance(node, ex.Member):
            equal = (ex.Compare("=", number, ex.Number(Fraction(int(n)))) for n in node.values)
            return ex.disjunction(equal)
        return number

    def _members(self, tally: Tally) -> tuple[str, ...]:
        """What the things of a group are called: ``ws1``, ``ws2``, … without one that stands apart."""
        before, after = self.counted.vocabulary.by_name, self.game.vocabulary.by_name
        numbered = (f"{tally.name}{n}" for n in range(1, tally.size + 2))
        return tuple(name for name in numbered if name in after and name not in before)

    def _counter(self, variable: ex.Variable | None) -> tuple[Tally, str] | None:
        for tally in self.counted.tallies if variable is not None else ():
            if variable in tally.counters:
                return tally, tally.values[tally.counters.index(variable)]
        return None

    def _moves(self, moves: frozenset[Move]) -> frozenset[Move]:
        tallies = {tally.name: tally for tally in self.counted.tallies}
        single: set[Move] = set()
        for player, name in moves:
            tally = tallies.get(action_target(name))
            if tally is None:
                single.add((player, name))
            else:
                single |= _moves_to(self.game, player, action_type(name), self._members(tally))
        return frozenset(single)


def _moves_to(game: GameStructure, player: Player, kind: str, targets: Collection[str]) -> set[Move]:
    return {
        (player, action.choice)
        for action in game.actions[player]
        if action.type == kind and action.target in targets
    }
