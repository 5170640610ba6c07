"""The ``chance:`` of models other than networks: how likely actions succeed, by type or by name.

What fails is as if its player had waited: a plant goes on running, a clock goes on, a breaker stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from pydantic import Field

from holdfast.errors import did_you_mean
from holdfast.game import GameStructure, Premise, with_failures
from holdfast.logic import Player, action_type
from holdfast.scenario import Node, Probability, exact, shortened

MAX_CHANCES = 10_000

FailureTable: Any = Annotated[dict[str, Probability], Field(max_length=MAX_CHANCES)]

TAKEN_TO_SUCCEED = "every action that may fail is assumed to fail or succeed at the worst moment"


def chance_words(example: str) -> str:
    """What a schema says of it."""
    return (
        "how likely actions succeed, by type or by name, else it is as if their player had waited: "
        f"{example}; 1 for all others"
    )


def chances_of(*sections: Node | None) -> dict[str, Fraction]:
    """The chances that sections give, later ones on top."""
    given = (own.get("chance") for own in sections if own is not None)
    return {name: exact(node) for own in given if own is not None for name, node in own.entries.items()}


def gambled(game: GameStructure, chance: Mapping[str, Fraction]) -> GameStructure:
    """The game with its chances; the first action of each player is the one that waits."""
    return with_failures(game, chance, dict.fromkeys(Player, 0)) if chance else game


def check_chances(game: GameStructure, *sections: Node | None) -> None:
    """Say which key of some sections is no action that may fail.

    A name that only an earlier section has is let be, as long as its type is known: a later one may have
    taken away what it was about.

    Raises:
        Problem: for such a key.
    """
    actions = [action for own in game.actions.values() for action in own[1:]]
    types = dict.fromkeys(action.type for action in actions)
    names = dict.fromkeys(action.choice for action in actions)
    given = [own["chance"] for own in sections if own is not None and "chance" in own.entries]
    last = next((own for own in reversed(sections) if own is not None), None)
    for own in given:
        for name in own.entries:
            early = last is None or own is not last.get("chance")
            if name in types or name in names or (early and action_type(name) in types):
                continue
            known = {**types, **names}
            hint = did_you_mean(name, known) or f"; the actions are {', '.join(types)}"
            raise own.keys[name].problem(f'"{shortened(name)}" is not an action that may fail{hint}')


def chance_premise(premise: Premise, chance: Mapping[str, Fraction], option: str) -> Premise:
    """The premise that nothing is left to chance, as it is where something is."""
    return Premise(TAKEN_TO_SUCCEED, option) if chance else premise
