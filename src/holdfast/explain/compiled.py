"""Static expressions and moves compiled to functions of a state, for games that are asked often.

A state is the tuple of its codes, so that reading a variable is one look-up. The functions say the same as
:mod:`holdfast.logic.evaluate` and :func:`holdfast.game.successor`, which they are tested against.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from holdfast.game import GameStructure, State, successor
from holdfast.logic.evaluate import ARITHMETIC, COMPARE
from holdfast.logic.expressions import (
    And,
    Arithmetic,
    Compare,
    Count,
    Defined,
    Expression,
    Iff,
    Implies,
    Label,
    Lookup,
    Member,
    Not,
    Number,
    Or,
    Player,
    Read,
    Symbol,
    Truth,
    Variable,
)

Reader = Callable[[State], Any]
Mover = Callable[[State], State | None]


def reader(node: Expression, places: dict[str, int]) -> Reader:
    """A static expression as a function of the state; ``places`` are the variables' places in it."""

    def inner(part: Expression) -> Reader:
        return reader(part, places)

    match node:
        case Truth(value):
            return lambda s: value
        case Number(value):
            exact = int(value) if value.denominator == 1 else value
            return lambda s: exact
        case Member(variable, _):
            at, codes = places[variable.name], frozenset(node.codes)
            return lambda s: s[at] in codes
        case Count(items):
            return _count(items, places)
        case Read(variable):
            at, values = places[variable.name], variable.values
            return lambda s: values[s[at]]
        case Label(_, variable, mask):
            at = places[variable.name]
            return lambda s: bool(mask[s[at]])
        case Lookup(_, variable, table):
            at = places[variable.name]
            return lambda s: table[s[at]]
        case Defined(_, body):
            return inner(body)
        case Not(of):
            one = inner(of)
            return lambda s: not one(s)
        case And(args):
            parts = [inner(arg) for arg in args]
            return lambda s: all(part(s) for part in parts)
        case Or(args):
            parts = [inner(arg) for arg in args]
            return lambda s: any(part(s) for part in parts)
        case Implies(left, right):
            one, other = inner(left), inner(right)
            return lambda s: not one(s) or other(s)
        case Iff(left, right):
            one, other = inner(left), inner(right)
            return lambda s: bool(one(s)) == bool(other(s))
        case Compare(op, left, right):
            one, other, compare = inner(left), inner(right), COMPARE[op]
            return lambda s: compare(one(s), other(s))
        case Arithmetic("/", left, right):
            one, other = inner(left), inner(right)
            return lambda s: Fraction(one(s)) / other(s)
        case Arithmetic(op, left, right):
            one, other, combine = inner(left), inner(right), ARITHMETIC[op]
            return lambda s: combine(one(s), other(s))
    raise TypeError(f"not a static expression: {node}")


def _count(items: tuple[Member, ...], places: dict[str, int]) -> Reader:
    tables = [
        (places[item.variable.name], [code in item.codes for code in range(len(item.variable.values))])
        for item in items
    ]
    return lambda s: sum([table[s[at]] for at, table in tables])


def movers(game: GameStructure, player: Player) -> list[Mover]:
    """For each action of a player, δ(s, a) as a function of the state."""
    if game.tables is not None:
        return [_tabulated(game, player, action) for action in range(len(game.actions[player]))]
    places = {variable.name: i for i, variable in enumerate(game.variables)}
    return [
        _mover([(reader(r.when, places), _assigned(r.assign, places)) for r in action.rules])
        for action in game.actions[player]
    ]


def _tabulated(game: GameStructure, player: Player, action: int) -> Mover:
    return lambda s: successor(game, player, action, s)


def _mover(rules: list[tuple[Reader, list[tuple[int, Reader]]]]) -> Mover:
    def after(s: State) -> State:
        for guard, assign in rules:
            if guard(s):
                new = list(s)
                for at, code in assign:
                    new[at] = code(s)
                return tuple(new)
        return s

    return after


def _assigned(
    assign: tuple[tuple[Variable, Expression], ...], places: dict[str, int]
) -> list[tuple[int, Reader]]:
    return [(places[variable.name], _code(variable, value, places)) for variable, value in assign]


def _code(variable: Variable, value: Expression, places: dict[str, int]) -> Reader:
    """The code that a variable gets."""
    if isinstance(value, Symbol):
        fixed = variable.code(value.value)
        return lambda s: fixed
    read = reader(value, places)
    return lambda s: variable.code(read(s))
