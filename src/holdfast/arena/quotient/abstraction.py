"""Values that nothing tells apart are one value, for the operating point.

Two values of a variable are alike if every clause, μ and the reset read the same from them and the actions
make alike values of them. Then no play and no reading depends on which of the two stands somewhere: states
that differ only in such values have as many safe actions that lead to states that differ only so. (On the
network, an infection that has been found and one that has not are such values.)

Which action does it may differ. Actions that read and change one variable alone are *local*: of those that
every clause reads alike it only counts how many make which class of a value. (A host that is isolated is made
clean by ``restore`` and one that is destroyed by ``fix``; where no clause tells them apart they are alike.)

The classes are found by refinement. At first all values of a variable are one. A *view* is what an expression
reads from one variable, for each of its values: the truth of a predicate that reads nothing else, or the
variable's share of a sum; for an assignment, the class of the value that it gives. Values with different
views are parted, until nothing changes, for classes that are parted may change the views of assignments. A
guard's view counts only where its rule changes something: a rule that gives a variable a value alike to the
one it has may as well not apply. An expression in which variables do not come apart is viewed through its
smallest parts, which may leave two alike values apart but never joins two that differ.

The result is a configuration of the same kind with smaller domains, on which everything runs unchanged:
automata keep their numbers, and so do actions, of which the local ones do what they do to the first value of
a class. A merged variable has one value for each class: the name of the first
value in it, or, where values are numbers or are copied from one variable to another, the number of the class.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Clause, Configuration, GameStructure, Reset, Rule, System, successor
from holdfast.logic import Expression, Player, Variable, expressions as ex, reader
from holdfast.solver import classify_moves

MAX_VALUES = 4096
"""A variable with more values than this is left as it is."""

View = tuple[Hashable, ...]
"""What is read from a variable, for each of its values."""

Classes = dict[str, tuple[int, ...]]
"""For each variable the class of each value; classes are numbered by their first values."""

OUTSIDE = -1
"""In place of a class: the value that an assignment gives is not in the domain, so that it is never made."""


def merged_values(configuration: Configuration, budget: Budget = UNLIMITED) -> Configuration:
    """The configuration with alike values made one; itself where there are none, or the game is tabulated.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> pair = configure(network_game(["GW", "DB"], [("GW", "DB")], "GW"), ["G (DB != Z)"])
    >>> [variable.values for variable in merged_values(pair).game.variables]
    [('C', 'X', 'I'), ('C', 'X', 'I', 'Z')]
    """
    classes = value_classes(configuration, budget)
    if all(len(set(own)) == len(own) for own in classes.values()):
        return configuration
    return _Merging.of(configuration.game, classes).configuration(configuration, budget)


def value_classes(configuration: Configuration, budget: Budget = UNLIMITED) -> Classes:
    """The coarsest classes of alike values that refinement finds, for each variable."""
    game = configuration.game
    if game.tables is not None:
        return {v.name: tuple(range(len(v.values))) for v in game.variables}
    classes: Classes = {
        v.name: tuple(range(len(v.values))) if _is_large(v) else (0,) * len(v.values) for v in game.variables
    }

    def parted(variable: Variable, view: View) -> bool:
        """Part the values with different views; whether there were any in one class."""
        numbers: dict[tuple[int, Hashable], int] = {}
        before = classes[variable.name]
        after = tuple(numbers.setdefault(pair, len(numbers)) for pair in zip(before, view, strict=True))
        classes[variable.name] = after
        return after != before

    local = _local_actions(configuration)
    counted = _alike_to_clauses(local.values())
    assigned = dict.fromkeys(assign for rule in _rules(game, local) for assign in rule.assign)
    several = [(target, value) for target, value in assigned if len(ex.variables_of(value)) > 1]
    for target, _ in several:
        parted(target, tuple(range(len(target.values))))
    observers, settings = _observers(configuration, local)
    for node in dict.fromkeys((*observers, *(value for _, value in several))):
        budget.tick("telling values apart")
        for variable, view in _views(node):
            parted(variable, view)
    copies = [(_only(value), target, value) for target, value in assigned if len(ex.variables_of(value)) == 1]
    copies = [(source, target, value) for source, target, value in copies if not _is_large(source)]
    changing = True
    while changing:
        budget.tick("telling values apart")
        changing = False
        for source, target, value in copies:
            changing |= parted(source, _given(target, value, classes))
        for rule in settings:
            changing |= parted(rule.variable, rule.view(classes[rule.variable.name]))
        for actions in counted:
            variable = actions[0].variable
            changing |= parted(variable, _counted(actions, classes[variable.name]))
    return classes


@dataclass(frozen=True)
class _LocalAction:
    """An action that reads and changes one variable alone: its letter, and the code that it makes of each."""

    variable: Variable
    letter: tuple[Player, int]
    after: tuple[int, ...]


LocalActions = dict[tuple[Player, int], _LocalAction]
"""By player and number."""


def _local_actions(configuration: Configuration) -> LocalActions:
    """The local actions of a game."""
    game, kinds = configuration.game, classify_moves(configuration)[1]
    local: LocalActions = {}
    for player in Player:
        for number, action in enumerate(game.actions[player]):
            used = {v for rule in action.rules for v in ex.variables_of(rule.when)}
            used |= {v for rule in action.rules for v, _ in rule.assign}
            used |= {v for rule in action.rules for _, value in rule.assign for v in ex.variables_of(value)}
            if len(used) == 1 and not _is_large(variable := used.pop()):
                with suppress(ZeroDivisionError):
                    after = _codes_after(game, player, number, variable)
                    local[player, number] = _LocalAction(variable, (player, kinds[player][number]), after)
    return local


def _codes_after(game: GameStructure, player: Player, action: int, variable: Variable) -> tuple[int, ...]:
    """What an action makes of each code of the only variable that it reads."""
    place, codes = game.places[variable.name], []
    for code in range(len(variable.values)):
        before = (*game.initial[:place], code, *game.initial[place + 1 :])
        after = successor(game, player, action, before)
        assert after is not None, "a game with rules has a successor everywhere"
        codes.append(after[place])
    return tuple(codes)


def _alike_to_clauses(local: Iterable[_LocalAction]) -> list[list[_LocalAction]]:
    """Local actions of one variable that every clause reads alike, together."""
    groups: dict[Hashable, list[_LocalAction]] = {}
    for action in local:
        groups.setdefault((action.variable.name, action.letter), []).append(action)
    return list(groups.values())


def _counted(actions: list[_LocalAction], classes: tuple[int, ...]) -> View:
    """For each value, how many of some actions make which class of it."""
    return tuple(
        tuple(sorted(classes[action.after[code]] for action in actions)) for code in range(len(classes))
    )


@dataclass(frozen=True)
class _Setting:
    """A rule that gives one variable one value, and what its guard reads from that variable."""

    variable: Variable
    code: int
    guard: View

    def view(self, classes: tuple[int, ...]) -> View:
        """What the guard reads, but where the rule would change nothing."""
        same = classes[self.code]
        return tuple(None if own == same else read for own, read in zip(classes, self.guard, strict=True))


def _is_large(variable: Variable) -> bool:
    return len(variable.values) > MAX_VALUES


def _rules(game: GameStructure, but: Container[tuple[Player, int]] = ()) -> Iterator[Rule | Reset]:
    """The rules of all actions but some, and the reset."""
    for player in Player:
        for number, action in enumerate(game.actions[player]):
            yield from action.rules if (player, number) not in but else ()
    if game.reset is not None:
        yield game.reset


def _observers(configuration: Configuration, local: LocalActions) -> tuple[list[Expression], list[_Setting]]:
    """What looks at a state but local actions; apart from it, what rules that set a variable read from it."""
    game = configuration.game
    observers, settings = [game.dominance], []
    if game.reset is not None:
        observers.append(game.reset.when)
    for automaton in (*configuration.defender, *configuration.adversary):
        observers += automaton.atoms
    numbered = ((player, i, a) for player in Player for i, a in enumerate(game.actions[player]))
    for action in (action for player, i, action in numbered if (player, i) not in local):
        observers += [rule.when for rule in action.rules[:-1]]
        for rule in action.rules[-1:]:  # where it does not apply, nothing else does
            setting, others = _taken_apart(rule)
            settings += [] if setting is None else [setting]
            observers += others
    return observers, settings


def _taken_apart(rule: Rule) -> tuple[_Setting | None, list[Expression]]:
    """What the guard of a rule reads from the variable that it sets, and the rest of the guard."""
    if len(rule.assign) != 1 or ex.variables_of(rule.assign[0][1]):
        return None, [rule.when]
    ((variable, value),) = rule.assign
    parts = rule.when.args if isinstance(rule.when, ex.And) else (rule.when,)
    own = [part for part in parts if ex.variables_of(part) == {variable}]
    views = [_view(part, variable) for part in own]
    if not own or any(view is None for view in views):
        return None, [rule.when]
    code, guard = _constant(variable, value), tuple(zip(*filter(None, views), strict=True))
    rest = [part for part in parts if part not in own]
    return (_Setting(variable, code, guard), rest) if code != OUTSIDE else (None, [rule.when])


def _constant(variable: Variable, value: Expression) -> int:
    """The code of the value that an assignment gives, which reads no variable."""
    exact = value.value if isinstance(value, ex.Symbol) else reader(value, {})(())
    return variable.code(exact) if exact in variable.values else OUTSIDE


def _only(value: Expression) -> Variable:
    (variable,) = ex.variables_of(value)
    return variable


def _given(target: Variable, value: Expression, classes: Classes) -> tuple[int, ...]:
    """For each value of the one variable that is read, the class that an assignment gives its target."""
    source = _only(value)
    read, codes = reader(value, {source.name: 0}), []
    for code in range(len(source.values)):
        try:
            given = read((code,))
        except ZeroDivisionError:
            given = None
        exact = int(given) if isinstance(given, Fraction) and given.denominator == 1 else given
        inside = exact in target.values
        codes.append(classes[target.name][target.code(exact)] if inside else OUTSIDE)
    return tuple(codes)


# -- views ------------------------------------------------------------------------------------------


def _views(node: Expression) -> Iterator[tuple[Variable, View]]:
    """What an expression reads from each of its variables; large ones are left out."""
    variables = ex.variables_of(node)
    view = _view(node, next(iter(variables))) if len(variables) == 1 else None
    if view is not None:
        yield next(iter(variables)), view
        return
    match node:
        case ex.Compare(_, left, right):
            yield from _shares(ex.Arithmetic("-", left, right))
        case ex.Arithmetic() | ex.Count():
            yield from _shares(node)
        case _:
            for child in ex.children(node):
                yield from _views(child)


def _shares(term: Expression) -> Iterator[tuple[Variable, View]]:
    """What each variable adds to a sum; products and quotients of several variables are taken apart."""
    shares: dict[Variable, list[Fraction]] = {}
    for part, weight in ex.addends(term).items():
        for leaf in part.items if isinstance(part, ex.Count) else (part,):
            variables = ex.variables_of(leaf)
            view = _view(leaf, next(iter(variables))) if len(variables) == 1 else None
            if view is None:
                for child in ex.children(leaf):
                    yield from _views(child)
                continue
            total = shares.setdefault(next(iter(variables)), [Fraction(0)] * len(view))
            for code, value in enumerate(view):
                assert isinstance(value, int | Fraction)
                total[code] += weight * value
    for variable, total in shares.items():
        yield variable, tuple(total)


def _view(node: Expression, variable: Variable) -> View | None:
    """A static expression at each value of its only variable; None if it cannot be had so simply.

    A predicate of the move, a division by zero and a large domain are such cases.
    """
    if not ex.is_static(node) or _is_large(variable):
        return None
    read = reader(node, {variable.name: 0})
    try:
        return tuple(read((code,)) for code in range(len(variable.values)))
    except ZeroDivisionError:
        return None


# -- the smaller configuration ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Merging:
    """The variables before and after, and how expressions are written anew.

    Attributes:
        classes: for each variable the class of each value.
        firsts: for each variable the code of the first value in each class, which stands for it.
        after: the new variables by name, those that stay as they are included.
    """

    classes: Classes
    firsts: dict[str, tuple[int, ...]]
    after: dict[str, Variable]

    @classmethod
    def of(cls, game: GameStructure, classes: Classes) -> _Merging:
        firsts = {name: tuple(own.index(k) for k in range(max(own) + 1)) for name, own in classes.items()}
        merged = {v for v in game.variables if len(firsts[v.name]) < len(v.values)}
        copies = [
            {target, *ex.variables_of(value)}
            for rule in _rules(game)
            for target, value in rule.assign
            if isinstance(value, ex.Read) and not target.numeric
        ]
        copied = set().union(*copies)
        numbered = copied if copied & merged else set()
        after = {}
        for v in game.variables:
            if v in numbered or (v in merged and v.numeric):
                after[v.name] = Variable(v.name, range(len(firsts[v.name])))
            elif v in merged:
                after[v.name] = Variable(v.name, tuple(str(v.values[code]) for code in firsts[v.name]))
            else:
                after[v.name] = v
        return cls(classes, firsts, after)

    def configuration(self, before: Configuration, budget: Budget) -> Configuration:
        game = self.game(before.game, budget)
        requirement = tuple(map(self.clause, before.clauses(Player.DEFENDER)))
        boundary = tuple(map(self.clause, before.clauses(Player.ADVERSARY)))
        return Configuration(System(game), requirement, boundary, before.name, before.variant, budget=budget)

    def game(self, before: GameStructure, budget: Budget) -> GameStructure:
        reset = before.reset
        return GameStructure(
            variables=tuple(self.after[v.name] for v in before.variables),
            initial=tuple(
                self.classes[v.name][c] for v, c in zip(before.variables, before.initial, strict=True)
            ),
            first=before.first,
            actions={
                player: tuple(
                    replace(action, rules=tuple(replace(rule, **self.parts(rule)) for rule in action.rules))
                    for action in before.actions[player]
                )
                for player in Player
            },
            dominance=self.rewritten(before.dominance),
            reset=None if reset is None else replace(reset, **self.parts(reset)),
            budget=budget,
        )

    def clause(self, before: Clause) -> Clause:
        atoms = tuple(map(self.rewritten, before.automaton.atoms))
        return replace(before, automaton=replace(before.automaton, atoms=atoms))

    def parts(self, rule: Rule | Reset) -> dict[str, Any]:
        assign = tuple(
            (self.after[target.name], self.assigned(target, value)) for target, value in rule.assign
        )
        return {"when": self.rewritten(rule.when), "assign": assign}

    def assigned(self, target: Variable, value: Expression) -> Expression:
        """What gives the class of a value where the value was given."""
        after = self.after[target.name]
        if after == target:
            return self.rewritten(value)
        if not ex.variables_of(value):
            code = _constant(target, value)
            number = self.classes[target.name][code] if code != OUTSIDE else OUTSIDE
            return ex.Number(Fraction(number)) if after.numeric else ex.Symbol(str(after.values[number]))
        source, given = _only(value), _given(target, value, self.classes)
        values = tuple(Fraction(given[code]) for code in self.firsts[source.name])
        return ex.Lookup(str(value), self.after[source.name], values)

    def rewritten(self, node: Expression) -> Expression:
        """A static expression that reads from a class what the old one reads from the first value in it."""
        match node:
            case ex.Member(variable, _):
                return self.member(node)
            case ex.Read(variable) if self.changed(variable):
                values = tuple(Fraction(variable.values[code]) for code in self.firsts[variable.name])
                return ex.Lookup(variable.name, self.after[variable.name], values)
            case ex.Lookup(name, variable, values) if self.changed(variable):
                firsts = self.firsts[variable.name]
                return ex.Lookup(name, self.after[variable.name], tuple(values[code] for code in firsts))
            case ex.Label(name, variable, mask) if self.changed(variable):
                firsts = self.firsts[variable.name]
                return ex.Label(name, self.after[variable.name], bytes(mask[code] for code in firsts))
            case ex.Defined(_, body):
                return self.rewritten(body)
        return ex.rebuild(node, self.rewritten)

    def member(self, node: ex.Member) -> ex.Member:
        """A predicate on classes that holds where the old one holds for their first value, in counts too."""
        if not self.changed(node.variable):
            return node
        after, held = self.after[node.variable.name], set(node.codes)
        firsts = enumerate(self.firsts[node.variable.name])
        return ex.Member(after, tuple(after.values[number] for number, code in firsts if code in held))

    def changed(self, variable: Variable) -> bool:
        return self.after[variable.name] != variable
