"""Questions about zones, asked of the solver once each: zones that are equal but for names have one answer.

A question is a configuration; its *key* is what it is but for names: domains, initial state, what each action
does, and the tables of the automata, with variables and actions by their numbers. Games with one key are one
game with other names, so they have the same winner.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.budget import Budget
from holdfast.certificates import proof_of
from holdfast.errors import LimitError
from holdfast.game import Configuration
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
    SafetyAutomaton,
    Symbol,
    Temporal,
    Truth,
    children,
    expressions as ex,
)
from holdfast.running import Backend, run_tasks, sha256_of
from holdfast.solver import solve


def question_key(configuration: Configuration) -> str:
    """What decides the answer, whatever things are called."""
    game = configuration.game
    places, numbers = game.places, dict[Move, int]()
    for player in Player:
        choices = dict.fromkeys(action.choice for action in game.actions[player])
        numbers |= {(player, choice): i for i, choice in enumerate(choices)}

    def text(node: Expression) -> Any:
        match node:
            case Member(variable, values):
                return ["in", places[variable.name], *map(str, values)]
            case Read(variable):
                return ["read", places[variable.name]]
            case Did(_, moves):
                return ["did", sorted((player.value, numbers[player, name]) for player, name in moves)]
            case Number(value):
                return str(value)
            case Symbol(name):
                return ["symbol", name]
            case Truth(value):
                return value
            case ex.Defined(_, body):
                return text(body)
            case Compare(op, _, _) | ex.Arithmetic(op, _, _) | Temporal(op, _, _):
                return [op, *map(text, children(node))]
            case Count() | ex.And() | ex.Or() | ex.Not() | ex.Implies() | ex.Iff():
                return [type(node).__name__, *map(text, children(node))]
        raise TypeError(f"{type(node).__name__} does not occur in a factored game")

    def table(automaton: SafetyAutomaton) -> Any:
        atoms = [text(atom) for atom in automaton.atoms]
        return [atoms, automaton.masks, automaton.delta, automaton.accepting, automaton.initial]

    actions = [
        [
            [
                numbers[player, action.choice],
                [[text(r.when), [[places[v.name], text(to)] for v, to in r.assign]] for r in action.rules],
            ]
            for action in game.actions[player]
        ]
        for player in Player
    ]
    sides = [[table(a) for a in side] for side in (configuration.defender, configuration.adversary)]
    domains = [list(map(str, variable.values)) for variable in game.variables]
    return sha256_of(json.dumps([domains, game.initial, game.first, actions, sides], separators=(",", ":")))


def answer_question(configuration: Configuration, budget: Budget) -> dict[str, Any]:
    """Whether the defender wins."""
    return {"held": solve(configuration, budget=budget).defensible}


class Answers:
    """Who wins which game, asked once each; with a log, once for all runs."""

    def __init__(self, budget: Budget, backend: Backend | None = None) -> None:
        self.budget, self.backend = budget, backend
        self.known: dict[str, dict[str, Any]] = {}
        self.n_asked = 0

    def held(self, questions: Sequence[Configuration]) -> list[bool]:
        """For each game whether the defender wins it.

        Raises:
            LimitError: where a limit stopped one of them.
        """
        keys = [question_key(question) for question in questions]
        self.n_asked += len(keys)
        fresh: Mapping[str, Configuration] = {
            key: question for key, question in zip(keys, questions, strict=True) if key not in self.known
        }
        for key, result in run_tasks(answer_question, fresh, self.budget, self.backend):
            if result.failure:
                raise LimitError(result.failure)
            self.known[key] = result.value
        return [self.known[key]["held"] for key in keys]


def prove_question(configuration: Configuration, budget: Budget) -> dict[str, Any]:
    """The witness of who wins a game."""
    return {"witness": json.dumps(proof_of(solve(configuration, budget=budget), budget))}


def proofs(
    questions: Sequence[Configuration], budget: Budget, backend: Backend | None = None
) -> list[dict[str, Any]]:
    """For each game the witness of who wins it; games that are equal but for names are solved once.

    Raises:
        LimitError: where a limit stopped one of them.
    """
    keys = [question_key(question) for question in questions]
    first = dict[str, Configuration]()
    for key, question in zip(keys, questions, strict=True):
        first.setdefault(key, question)
    found = dict[str, str]()
    scoped = None if backend is None else backend.with_scope("proof")
    for key, result in run_tasks(prove_question, first, budget, scoped):
        if result.failure:
            raise LimitError(result.failure)
        found[key] = result.value["witness"]
    return [
        _renamed(json.loads(found[key]), first[key], question)
        for key, question in zip(keys, questions, strict=True)
    ]


def _renamed(witness: dict[str, Any], one: Configuration, other: Configuration) -> dict[str, Any]:
    """The witness of a game as that of one that is equal but for names."""
    if one is other:
        return witness
    if "dddmp" in witness:
        names = {a.name: b.name for a, b in zip(one.game.variables, other.game.variables, strict=True)}
        head, nodes, rest = witness["dddmp"].partition("\n.nodes\n")
        lines = [_renamed_line(line, names) for line in head.split("\n")]
        witness["dddmp"] = "\n".join(lines) + nodes + rest
    if isinstance(witness.get("moves"), list):
        theirs = [config.game.actions[Player.ADVERSARY] for config in (one, other)]
        called = {a.name: b.name for a, b in zip(*theirs, strict=True)}
        witness["moves"] = [[plane, called[name]] for plane, name in witness["moves"]]
    return witness


def _renamed_line(line: str, names: Mapping[str, str]) -> str:
    """A line of the head of diagrams; those that list bits call them by variable and number."""
    key, *bits = line.split(" ")
    if key not in (".suppvarnames", ".orderedvarnames"):
        return line
    pairs = (bit.rpartition(".") for bit in bits)
    return " ".join((key, *(f"{names[name]}.{number}" for name, _, number in pairs)))
