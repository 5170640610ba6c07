"""OutcomeGroups whose outcome is drawn: how rules with probabilities become the outcomes of one choice.

A rule of such a choice has alternatives, each with a probability; what is left of 1 leaves the state as it
is. One number from 0 to 1 is thought to be drawn, whatever the state, and every rule splits the line in its
own way. Cut at all places where some rule cuts it, each piece says for every rule what happens: that is one
outcome, a list of rules with a probability that does not depend on the state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from holdfast.errors import InputError
from holdfast.game.actions import NO_SUCCESSOR, Action, Rule
from holdfast.game.structure import GameStructure, has_chance
from holdfast.logic import Assignments, Expression, Player

if TYPE_CHECKING:  # ``check`` does without numpy
    from holdfast.arrays import Array

FAILS = "fails"


class DrawnRule(NamedTuple):
    """``when`` a predicate holds, one of some assignments, each with its probability, or no change."""

    when: Expression
    alternatives: Sequence[tuple[Fraction, Assignments]]


def drawn_actions(choice: str, rules: Sequence[DrawnRule]) -> tuple[Action, ...]:
    """The outcomes of a choice, likeliest cuts first; one action where nothing is left to chance.

    >>> from holdfast.logic import TRUE, Symbol, Variable
    >>> lamp = Variable("lamp", ("off", "on"))
    >>> lit = DrawnRule(TRUE, [(Fraction(3, 10), ((lamp, Symbol("on")),))])
    >>> [(action.name, str(action.probability)) for action in drawn_actions("light", [lit])]
    [('light', '3/10'), ('light fails', '7/10')]
    """
    cuts = {Fraction(0), Fraction(1)}
    for rule in rules:
        reached = Fraction(0)
        for share, _ in rule.alternatives:
            reached += share
            cuts.add(reached)
    outcomes: dict[tuple[Rule, ...], Fraction] = {}
    for low, high in pairwise(sorted(cuts)):
        happening = [Rule(rule.when, _at(rule, low)) for rule in rules]
        while happening and not happening[-1].assign:
            happening.pop()
        key = tuple(happening)
        outcomes[key] = outcomes.get(key, Fraction(0)) + high - low
    if len(outcomes) == 1:
        return (Action(choice, next(iter(outcomes))),)
    effects = sorted(outcomes, key=lambda own: not own)
    return tuple(
        Action(_name(choice, i, own), own, outcome_of=choice, probability=outcomes[own])
        for i, own in enumerate(effects)
    )


def _at(rule: DrawnRule, place: Fraction) -> Assignments:
    """What a rule assigns where the number drawn is just above ``place``."""
    reached = Fraction(0)
    for share, assign in rule.alternatives:
        reached += share
        if place < reached:
            return assign
    return ()


def _name(choice: str, place: int, rules: tuple[Rule, ...]) -> str:
    if place == 0:
        return choice
    return f"{choice} {place + 1 if rules else FAILS}"


def with_failures(
    game: GameStructure, chance: Mapping[str, Fraction], idle: Mapping[Player, int]
) -> GameStructure:
    """The game in which some actions succeed with a probability, and else do what waiting does.

    Args:
        game: in which nothing is left to chance.
        chance: by the name of an action, or for those that have none of their own by its type.
        idle: for each player the action that waits, by its number.
    """
    actions, columns = dict(game.actions), dict[Player, list[tuple[int, bool]]]()
    for player, own in game.actions.items():
        wait, made = own[idle[player]], list[Action]()
        columns[player] = []
        for number, action in enumerate(own):
            likely = chance.get(action.name, chance.get(action.type, Fraction(1)))
            fails = replace(action, rules=wait.rules)
            ways = {True: action} if likely == 1 else {False: fails}
            if 0 < likely < 1:
                lucky = replace(action, outcome_of=action.name, probability=likely)
                unlucky = replace(fails, name=f"{action.name} {FAILS}", outcome_of=action.name)
                ways = {True: lucky, False: replace(unlucky, probability=1 - likely)}
            made += ways.values()
            columns[player] += ((number, succeeds) for succeeds in ways)
        actions[player] = tuple(made)
    if game.tables is None:
        return replace(game, actions=actions)
    import numpy as np  # only games that are given as tables need it

    tables = {
        player: np.stack([_column(own, idle[player], *each) for each in columns[player]], axis=1)
        for player, own in game.tables.items()
    }
    return replace(game, actions=actions, tables=tables)


def _column(table: Array, idle: int, number: int, succeeds: bool) -> Array:
    """Where an action leads, or where it fails; it fails where it could be made."""
    import numpy as np

    column = table[:, number]
    return column if succeeds else np.where(column == NO_SUCCESSOR, column, table[:, idle])


def refuse_chance(game: GameStructure, what: str, player: Player | None = None) -> None:
    """Say that something is not there yet for games in which outcomes are drawn.

    Raises:
        InputError: where a choice, of one player if it is given, has several outcomes.
    """
    if has_chance(game, player):
        whose = "" if player is None else f" of the {player}"
        raise InputError(
            f"{what} does not support chance yet, and this scenario has random outcomes{whose}; leave "
            f"its chances out (chance: or outcomes:) to ask about the game in which everything succeeds"
        )
