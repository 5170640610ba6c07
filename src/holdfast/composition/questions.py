"""Questions about zones, asked of the solver once each: zones that are equal but for names have one answer.

A question is a configuration; its *key* is what it is but for names (:mod:`.canonical`). Games with one key
are one game with other names, so they have the same winner, and the witness of one is, renamed, that of the
other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.budget import Budget
from holdfast.certificates import proof_of
from holdfast.composition.canonical import CanonicalGame, canonical
from holdfast.errors import LimitError
from holdfast.game import Configuration
from holdfast.logic import Player
from holdfast.running import Backend, run_tasks, sha256_of
from holdfast.solver import solve


def question_key(configuration: Configuration) -> str:
    """What decides the answer, whatever things are called."""
    return sha256_of(canonical(configuration).text)


def answer_question(configuration: Configuration, budget: Budget) -> dict[str, Any]:
    """Whether the defender wins."""
    return {"held": solve(configuration, budget=budget).defensible}


class Answers:
    """Who wins which game, asked once each; with a log, once for all runs."""

    def __init__(self, budget: Budget, backend: Backend | None = None) -> None:
        self.budget, self.backend = budget, backend
        self.known: dict[str, dict[str, Any]] = {}
        self.n_asked = 0

    def told(self, questions: Sequence[Configuration]) -> tuple[list[bool | None], str]:
        """For each game whether the defender wins it, None where a limit left that open; and which limit."""
        keys = [question_key(question) for question in questions]
        self.n_asked += len(keys)
        fresh: Mapping[str, Configuration] = {
            key: question for key, question in zip(keys, questions, strict=True) if key not in self.known
        }
        stopped = ""
        try:
            for key, result in run_tasks(answer_question, fresh, self.budget, self.backend):
                stopped = stopped or result.failure
                if not result.failure:
                    self.known[key] = result.value
        except LimitError as limit:
            stopped = str(limit)
        return [self.known[key]["held"] if key in self.known else None for key in keys], stopped

    def held(self, questions: Sequence[Configuration]) -> list[bool]:
        """For each game whether the defender wins it.

        Raises:
            LimitError: where a limit stopped one of them.
        """
        known, stopped = self.told(questions)
        if stopped:
            raise LimitError(stopped)
        return [bool(each) for each in known]


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
    games = [canonical(question) for question in questions]
    keys = [sha256_of(game.text) for game in games]
    first = dict[str, int]()
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    found = dict[str, str]()
    scoped = None if backend is None else backend.with_scope("proof")
    asked = {key: questions[number] for key, number in first.items()}
    for key, result in run_tasks(prove_question, asked, budget, scoped):
        if result.failure:
            raise LimitError(result.failure)
        found[key] = result.value["witness"]
    return [
        _renamed(json.loads(found[key]), games[first[key]], game)
        for key, game in zip(keys, games, strict=True)
    ]


def _renamed(witness: dict[str, Any], one: CanonicalGame, other: CanonicalGame) -> dict[str, Any]:
    """The witness of a game as that of one that is equal but for names."""
    if one is other:
        return witness
    if "dddmp" in witness:
        names = dict(zip(one.variables, other.variables, strict=True))
        head, nodes, rest = witness["dddmp"].partition("\n.nodes\n")
        lines = [_renamed_line(line, names) for line in head.split("\n")]
        witness["dddmp"] = "\n".join(lines) + nodes + rest
    if isinstance(witness.get("moves"), list):
        theirs = (game.actions[Player.ADVERSARY] for game in (one, other))
        called = dict(zip(*theirs, strict=True))
        witness["moves"] = [[plane, called[name]] for plane, name in witness["moves"]]
    return witness


def _renamed_line(line: str, names: Mapping[str, str]) -> str:
    """A line of the head of diagrams; those that list bits call them by variable and number."""
    key, *bits = line.split(" ")
    if key not in (".suppvarnames", ".orderedvarnames"):
        return line
    pairs = (bit.rpartition(".") for bit in bits)
    return " ".join((key, *(f"{names[name]}.{number}" for name, _, number in pairs)))
