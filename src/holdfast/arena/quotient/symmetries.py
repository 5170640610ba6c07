"""Interchangeable variables: two whose values can be swapped in every state and nothing is different.

A swap of two variables with the same domain is a symmetry of a configuration if it maps the actions of each
player onto each other, rule by rule and letter by letter, and leaves every clause, μ and the reset as they
are. Then a position and the swapped one have the same value, and as many safe actions lead to each position
from the one as to its swapped twin from the other. If x can be swapped with y and y with z, then all three
can be put in any order: so interchangeable variables form classes, and in each the values can be sorted.

Swaps are looked for in what is written, in a normal form that knows no order of conjunctions, sums and
counts. Most pairs are told apart before they are tried, by colours: a variable gets as its colour how it
occurs in short expressions, with the colours of the variables beside it, a few times over.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Configuration, Recalled, Reset, Rule, Sight, choices
from holdfast.logic import Expression, Move, Player, SafetyAutomaton, expressions as ex

SHORT, N_ROUNDS = 16, 3
"""Variables that a short fact is about, at most; and how often colours are refined."""

Naming = Callable[[str], Hashable]
"""What a variable is called."""


def interchangeable(configuration: Configuration, budget: Budget = UNLIMITED) -> tuple[tuple[int, ...], ...]:
    """The classes of interchangeable variables, by their places in a state; only those of two or more.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> links = [("GW", "A"), ("GW", "B"), ("A", "DB"), ("B", "DB")]
    >>> game = network_game(["GW", "A", "B", "DB"], links, "GW")
    >>> interchangeable(configure(game, ["G (DB != Z)"], ["G (times(destroy) <= 2)"]))
    ((1, 2),)
    """
    game = configuration.game
    if game.tables is not None:
        return ()
    facts = _facts(configuration)
    about: dict[str, list[_Fact]] = {v.name: [] for v in game.variables}
    for fact in facts:
        for name in fact.names:
            about[name].append(fact)
    colours = _colours(configuration, about, budget)
    classes: list[list[int]] = []
    for place, variable in enumerate(game.variables):
        for own in classes:
            budget.tick("looking for interchangeable variables")
            other = game.variables[own[0]]
            if colours[other.name] == colours[variable.name] and _is_symmetry(
                other.name, variable.name, about
            ):
                own.append(place)
                break
        else:
            classes.append([place])
    return tuple(tuple(own) for own in classes if len(own) > 1)


def is_renamed(one: Configuration, other: Configuration, names: Mapping[str, str]) -> bool:
    """Whether one configuration becomes another when its variables get other names; those not listed stay.

    Then both have the same positions up to these names, the same verdict, the same goals, and a defender who
    sees the same. It is asked of what is written, so that False may be said of two that are alike.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> games = (network_game(["GW", "A", "B"], [("GW", end)], "GW") for end in ("A", "B"))
    >>> one, other = (configure(game, ["G (active >= 2)"]) for game in games)
    >>> is_renamed(one, other, {"A": "B", "B": "A"}), is_renamed(one, other, {})
    (True, False)
    """
    if one.game.tables is not None or other.game.tables is not None or one.game.first != other.game.first:
        return False
    begun = [
        {v.name: (v.values, code) for v, code in zip(c.game.variables, c.game.initial, strict=True)}
        for c in (one, other)
    ]
    if {names.get(name, name): own for name, own in begun[0].items()} != begun[1]:
        return False
    machines = [[_machine(a) for a in (*c.defender, *c.adversary)] for c in (one, other)]
    if machines[0] != machines[1] or len(one.defender) != len(other.defender):
        return False

    def named(name: str) -> str:
        return names.get(name, name)

    goals = [
        {goal: _form(states, own) for goal, states in c.goals.items()}
        for c, own in ((one, named), (other, str))
    ]
    if goals[0] != goals[1] or not _sees_alike(one.system.sight, other.system.sight, names):
        return False
    facts = Counter(fact.said(named) for fact in _facts(one))
    return facts == Counter(fact.said(str) for fact in _facts(other))


def _sees_alike(one: Sight | None, other: Sight | None, names: Mapping[str, str]) -> bool:
    """Whether two defenders see the same, up to the names of variables."""
    placed = [sight for sight in (one, other) if sight is not None and sight.placed is not None]
    if not placed:
        return True
    if len(placed) < 2 or placed[0].noticed != placed[1].noticed or (names and placed[0].noticed):
        return False
    seen = [{part for part in sight.seen if not isinstance(part, Recalled)} for sight in placed]
    recalled = [{part for part in sight.seen if isinstance(part, Recalled)} for sight in placed]
    if recalled[0] != recalled[1] or (names and recalled[0]):
        return False
    forms = {_form(part, lambda name: names.get(name, name)) for part in seen[0]}
    return forms == {_form(part, str) for part in seen[1]}


def _machine(automaton: SafetyAutomaton) -> Hashable:
    """An automaton without the words of its atoms."""
    static = tuple(ex.is_static(atom) for atom in automaton.atoms)
    return automaton.initial, automaton.accepting, automaton.delta, static


@dataclass(frozen=True)
class _Fact:
    """Something that a configuration says of variables: one choice of a player, or one expression.

    Attributes:
        kind: what says it. A swap must map the facts of each kind onto each other. That of a choice has for
            each of its outcomes how likely it is, and how many of the rules are its own.
        rules, atoms: what is said.
    """

    kind: Hashable
    rules: tuple[Rule | Reset, ...]
    atoms: tuple[Expression, ...]

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables that it is about."""
        written = [v for rule in self.rules for v, _ in rule.assign]
        read = [node for rule in self.rules for node in (rule.when, *(value for _, value in rule.assign))]
        names = set(written).union(*map(ex.variables_of, (*read, *self.atoms)))
        return frozenset(variable.name for variable in names)

    @property
    def is_short(self) -> bool:
        """Whether it is about a few variables only."""
        return len(self.names) <= SHORT

    def said(self, names: Naming) -> Hashable:
        """What is said, with the variables called by other names."""
        rules = tuple(
            (
                _form(rule.when, names),
                frozenset((names(target.name), _form(value, names)) for target, value in rule.assign),
            )
            for rule in self.rules
        )
        return self.kind, rules, tuple(_form(atom, names) for atom in self.atoms)


def _facts(configuration: Configuration) -> list[_Fact]:
    game = configuration.game
    automata = (*configuration.defender, *configuration.adversary)
    static = [atom for a in automata for atom in a.atoms if ex.is_static(atom)]
    facts = [_Fact(("clause", i), (), (atom,)) for i, atom in enumerate(static)]
    facts.append(_Fact("dominance", (), (game.dominance,)))
    facts.append(_Fact("start", (), _letters(automata, None)))
    if game.reset is not None:
        facts.append(_Fact("reset", (game.reset,), ()))
    for player in Player:
        for numbers in choices(game, player):
            outcomes = [game.actions[player][number] for number in numbers]
            shares = tuple((action.probability, len(action.rules)) for action in outcomes)
            rules = tuple(rule for action in outcomes for rule in action.rules)
            facts.append(_Fact((player, shares), rules, _letters(automata, (player, outcomes[0].choice))))
    return facts


def _letters(automata: Iterable[SafetyAutomaton], move: Move | None) -> tuple[Expression, ...]:
    """What is left to read for the atoms that read the move."""
    return tuple(ex.after_move(atom, move) for a in automata for atom in a.atoms if not ex.is_static(atom))


def _is_symmetry(one: str, other: str, about: dict[str, list[_Fact]]) -> bool:
    """Whether a swap maps all facts onto each other; the short ones, which mostly decide, come first."""
    swap = {one: other, other: one}
    touched = dict.fromkeys((*about[one], *about[other]))
    for short in (True, False):
        facts = [fact for fact in touched if fact.is_short is short]
        before = Counter(fact.said(str) for fact in facts)
        if before != Counter(fact.said(lambda name: swap.get(name, name)) for fact in facts):
            return False
    return True


def _colours(configuration: Configuration, about: dict[str, list[_Fact]], budget: Budget) -> dict[str, int]:
    """How each variable occurs in short facts, with the colours of its neighbours."""
    kinds: dict[Hashable, int] = {}
    variables = configuration.game.variables
    colours = {v.name: kinds.setdefault(v.values, len(kinds)) for v in variables}
    for _ in range(N_ROUNDS):
        numbered: dict[Hashable, int] = {}
        after: dict[str, int] = {}
        for name, facts in about.items():
            budget.tick("looking for interchangeable variables")
            seen = Counter(
                fact.said(lambda other: ("own",) if other == name else colours[other])  # noqa: B023
                for fact in facts
                if fact.is_short
            )
            after[name] = numbered.setdefault((colours[name], frozenset(seen.items())), len(numbered))
        colours = after
    return colours


def _form(node: Expression, names: Naming) -> Hashable:
    """The normal form of a static expression: the same for those that differ in the order of their parts."""
    match node:
        case ex.Defined(_, body):
            return _form(body, names)
        case ex.Member(variable, _):
            return "in", names(variable.name), node.codes
        case ex.Read(variable):
            return "read", names(variable.name)
        case ex.Label(_, variable, mask):
            return "label", names(variable.name), mask
        case ex.Lookup(_, variable, values):
            return "lookup", names(variable.name), values
        case ex.And(args) | ex.Or(args):
            return type(node).__name__, frozenset(_form(arg, names) for arg in args)
        case ex.Not(of):
            return "not", _form(of, names)
        case ex.Implies(left, right):
            return "implies", _form(left, names), _form(right, names)
        case ex.Iff(left, right):
            return "iff", frozenset((_form(left, names), _form(right, names)))
        case ex.Compare(op, left, right):
            return op, _sum(ex.Arithmetic("-", left, right), names)
        case ex.Arithmetic() | ex.Count():
            return "sum", _sum(node, names)
    return node


def _sum(term: Expression, names: Naming) -> Hashable:
    """A sum by what is added up: each summand with its weight, in no order."""
    total: dict[Hashable, Fraction] = {}
    for part, weight in ex.addends(term).items():
        for leaf in part.items if isinstance(part, ex.Count) else (part,):
            if isinstance(leaf, ex.Arithmetic):  # a product or a quotient, which could not be taken apart
                key: Hashable = leaf.op, _form(leaf.left, names), _form(leaf.right, names)
            else:
                key = _form(leaf, names)
            total[key] = total.get(key, Fraction(0)) + weight
    return frozenset(total.items())
