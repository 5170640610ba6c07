"""A variable order from the structure of the game.

Variables that one rule or one small atom reads together should be neighbours in the diagrams. Each such
group is an edge of a hypergraph, and the cost of an order is the sum of its edges' spans. The candidates
are the declared order and breadth-first orders (Cuthill and McKee's) from several starts; the cheapest
wins, the declared one on a tie. Counts over many variables bind no two of them closely and are left out.
An order costs as much as its reverse; the end that the adversary touches first is put on top.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdfast.game import GameStructure
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.evaluate import reader
from holdfast.logic.expressions import Count, Expression, Member, Player, Read, Variable, children

MAX_STARTS = 12


def variable_orders(game: GameStructure, automata: tuple[SafetyAutomaton, ...]) -> list[tuple[Variable, ...]]:
    """Candidate orders, the cheapest first."""
    names = [variable.name for variable in game.variables]
    edges = {edge for edge in _edges(game, automata) if len(edge) > 1}
    near: dict[str, set[str]] = {name: set() for name in names}
    for edge in edges:
        for name in edge:
            near[name] |= edge - {name}
    starts = sorted(names, key=lambda name: len(near[name]))[:MAX_STARTS]
    touched = _touched_first(game)
    found = (_breadth_first(names, near, start) for start in dict.fromkeys((names[0], *starts)))
    oriented = (tuple(_oriented(order, touched)) for order in found)
    candidates = list(dict.fromkeys((tuple(names), *oriented)))
    by_name = {variable.name: variable for variable in game.variables}
    ranked = sorted(range(len(candidates)), key=lambda i: (_cost(candidates[i], edges), i))
    return [tuple(by_name[name] for name in candidates[i]) for i in ranked]


def _oriented(order: list[str], touched: set[str]) -> list[str]:
    """The order or its reverse: what the adversary touches first on top, where the search of R begins."""
    places = [i for i, name in enumerate(order) if name in touched]
    late = bool(places) and 2 * sum(places) > len(places) * (len(order) - 1)
    return order[::-1] if late else order


def _touched_first(game: GameStructure) -> set[str]:
    """The variables that an adversary move can assign in s₀."""
    return {
        variable.name
        for action in game.actions[Player.ADVERSARY]
        for rule in action.rules
        if reader(rule.when, game.places)(game.initial)
        for variable, _ in rule.assign
    }


def _breadth_first(names: list[str], near: dict[str, set[str]], start: str) -> list[str]:
    """Every component from a start of its own, neighbours of low degree first."""
    place = {name: i for i, name in enumerate(names)}
    order: dict[str, None] = {}
    for first in (start, *names):
        queue = [] if first in order else [first]
        order |= dict.fromkeys(queue)
        for name in queue:
            fresh = sorted((n for n in near[name] if n not in order), key=lambda n: (len(near[n]), place[n]))
            order |= dict.fromkeys(fresh)
            queue += fresh
    return list(order)


def _cost(order: tuple[str, ...], edges: set[frozenset[str]]) -> int:
    place = {name: i for i, name in enumerate(order)}
    return sum(max(place[n] for n in edge) - min(place[n] for n in edge) for edge in edges)


def _edges(game: GameStructure, automata: tuple[SafetyAutomaton, ...]) -> Iterator[frozenset[str]]:
    """The groups of variables that belong together."""
    for player in Player:
        for action in game.actions[player]:
            for rule in action.rules:
                read = _names(rule.when) | {name for _, value in rule.assign for name in _names(value)}
                for variable, _ in rule.assign:
                    for name in read:
                        yield frozenset((variable.name, name))
    for automaton in automata:
        for atom in automaton.atoms:
            yield frozenset(_names(atom))


def _names(node: Expression) -> set[str]:
    """The variables an expression reads, large counts left out."""
    match node:
        case Member(variable, _) | Read(variable):
            return {variable.name}
        case Count(items) if len(items) > 4:
            return set()
    return {name for child in children(node) for name in _names(child)}
