"""Games up to renaming: a text that says what a game is but for names and order, and who is who in it.

Variables are told apart by what they do, round by round (colour refinement): at first by their domain and
initial value, then by the colours of what stands with them in rules and clauses. They are numbered in the
order of their colours, and so are the actions by what their rules then say; the text is the game with these
numbers. Two games with one text are one game with other names, whatever the numbers were, so nothing
depends on how well colours tell things apart. Where they do not, the order of the game decides: of hosts
that can be exchanged any order gives one text, and otherwise two equal games may be taken for different.

Clauses keep their order, so that the parts of a witness stay where they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.game import Action, Configuration
from holdfast.logic import (
    Compare,
    Count,
    Did,
    Expression,
    Member,
    Move,
    Number,
    Player,
    Read,
    Symbol,
    Temporal,
    Truth,
    children,
    expressions as ex,
    variables_of,
    walk,
)
from holdfast.running import sha256_of

ROUNDS = 8
"""Rounds of refinement at most; a zone of fifty hosts seldom takes more than five."""

Told = Callable[[str], Any]
Numbered = Callable[[Move], Any]


@dataclass(frozen=True)
class CanonicalGame:
    """What a game is but for names, with its variables and its actions in the order of the text."""

    text: str
    variables: tuple[str, ...]
    actions: Mapping[Player, tuple[str, ...]]


def canonical(configuration: Configuration) -> CanonicalGame:
    """The text of a configuration that others share which are equal but for names."""
    game = configuration.game
    colours = _refined(configuration)
    order = sorted(game.variables, key=lambda v: colours[v.name])  # stable: ties as they stand
    places = {variable.name: i for i, variable in enumerate(order)}
    roles = _roles(configuration)
    numbers, names, acts = dict[Move, int](), dict[Player, tuple[str, ...]](), list[Any]()
    for player in Player:
        told = [
            (json.dumps([_rules(action, places.__getitem__), roles.get((player, action.choice), [])]), action)
            for action in game.actions[player]
        ]
        told.sort(key=lambda pair: pair[0])
        for _, action in told:
            numbers.setdefault((player, action.choice), len(numbers))
        names[player] = tuple(action.name for _, action in told)
        acts.append([[numbers[player, action.choice], text] for text, action in told])
    sides = [
        [
            [
                [_text(atom, places.__getitem__, numbers.__getitem__) for atom in automaton.atoms],
                automaton.masks,
                automaton.delta,
                automaton.accepting,
                automaton.initial,
            ]
            for automaton in side
        ]
        for side in (configuration.defender, configuration.adversary)
    ]
    start = [game.initial[game.places[variable.name]] for variable in order]
    domains = [list(map(str, variable.values)) for variable in order]
    alike = sorted([sorted(places[counter.name] for counter in tally.counters) for tally in game.tallies])
    whole = [domains, start, game.first, acts, sides, *([alike] if alike else [])]
    text = json.dumps(whole, separators=(",", ":"))
    return CanonicalGame(text, tuple(variable.name for variable in order), names)


def _refined(configuration: Configuration) -> dict[str, str]:
    """A colour for each variable, by what it does."""
    game = configuration.game
    colours = {
        variable.name: _digest([list(map(str, variable.values)), value])
        for variable, value in zip(game.variables, game.initial, strict=True)
    }
    roles = _roles(configuration)
    n_colours = len(set(colours.values()))
    for _ in range(ROUNDS):
        seen: dict[str, list[str]] = {name: [] for name in colours}
        for player in Player:
            for action in game.actions[player]:
                said = _digest([_rules(action, colours.__getitem__), roles.get((player, action.choice), [])])
                for rule in action.rules:
                    for variable, _ in rule.assign:
                        seen[variable.name].append(f"{player.value} writes {said}")
                    for variable in variables_of(rule.when):
                        seen[variable.name].append(f"{player.value} reads {said}")
        for where, atom in _atoms(configuration):
            _look(atom, [where], colours, seen)
        colours = {name: _digest([colour, sorted(seen[name])]) for name, colour in colours.items()}
        if len(set(colours.values())) == n_colours:
            break
        n_colours = len(set(colours.values()))
    return colours


def _look(node: Expression, path: list[Any], colours: Mapping[str, str], seen: dict[str, list[str]]) -> None:
    """Note for each variable of a clause where it stands, in which company."""
    here = [*path, type(node).__name__, _digest(_text(node, colours.__getitem__, lambda move: 0))]
    if isinstance(node, Member | Read):
        seen[node.variable.name].append(_digest(here))
    for child in children(node):
        _look(child, here, colours, seen)


def _atoms(configuration: Configuration) -> list[tuple[str, Expression]]:
    return [
        (f"{side} {i} {j}", atom)
        for side, automata in (("ours", configuration.defender), ("theirs", configuration.adversary))
        for i, automaton in enumerate(automata)
        for j, atom in enumerate(automaton.atoms)
    ]


def _roles(configuration: Configuration) -> dict[Move, list[str]]:
    """For each move that clauses read where they do."""
    found: dict[Move, list[str]] = {}
    for where, atom in _atoms(configuration):
        for place, part in enumerate(walk(atom)):
            if isinstance(part, Did):
                for move in part.moves:
                    found.setdefault(move, []).append(f"{where} {place}")
    return found


def _rules(action: Action, told: Told) -> Any:
    return [
        [_text(rule.when, told, _no_move), sorted(([told(v.name), _text(to, told, _no_move)]
         for v, to in rule.assign), key=json.dumps)]
        for rule in action.rules
    ]  # fmt: skip


def _no_move(move: Move) -> Any:
    raise TypeError("a rule reads states, not moves")


def _text(node: Expression, told: Told, numbered: Numbered) -> Any:
    """An expression with variables and moves as they are told; what may be exchanged is sorted."""
    match node:
        case Member(variable, values):
            return ["in", told(variable.name), *map(str, values)]
        case Read(variable):
            return ["read", told(variable.name)]
        case Did(_, moves):
            return ["did", sorted(map(numbered, moves))]
        case Number(value):
            return str(value)
        case Symbol(name):
            return ["symbol", name]
        case Truth(value):
            return value
        case ex.Defined(_, body):
            return _text(body, told, numbered)
        case Compare(op, _, _) | ex.Arithmetic(op, _, _) | Temporal(op, _, _):
            bound = node.bound if isinstance(node, Temporal) else None
            return [op, bound, *(_text(child, told, numbered) for child in children(node))]
        case Count() | ex.And() | ex.Or():
            inside = [_text(child, told, numbered) for child in children(node)]
            return [type(node).__name__, *sorted(inside, key=json.dumps)]
        case ex.Not() | ex.Implies() | ex.Iff():
            return [type(node).__name__, *(_text(child, told, numbered) for child in children(node))]
    raise TypeError(f"{type(node).__name__} does not occur in a factored game")


def _digest(said: Any) -> str:
    return sha256_of(json.dumps(said))[:16]
