"""What players can do, as it is declared: actions of guarded assignments, outcomes of a choice, the reset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import groupby

from holdfast.errors import ModelError, expect, expect_all
from holdfast.logic import Expression, Variable, action_target, action_type, expressions as ex

State = tuple[int, ...]
"""Codes of the variables, in their declared order; the turn is kept beside it."""

NO_SUCCESSOR = -1
"""Stands in a table of successors where an action cannot be chosen."""


@dataclass(frozen=True)
class Rule:
    """``when`` a static predicate holds, assign all these values at once."""

    when: Expression
    assign: tuple[tuple[Variable, Expression], ...]

    def __post_init__(self) -> None:
        _check_parts("a rule", self.when, self.assign)


@dataclass(frozen=True)
class Action:
    """A named action: the first rule whose guard holds applies; none, and nothing changes.

    Attributes:
        outcome_of: the choice of which this is one outcome; empty for a choice that has no other.
        probability: of this outcome, once the choice is made.
        members: counters; the action stands for as many as they add up to: one for each of some alike things.
            Without any it stands for itself. Where they are all 0 it does what another one does.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    outcome_of: str = field(default="", kw_only=True)
    probability: Fraction = field(default=Fraction(1), kw_only=True)
    members: tuple[Variable, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        expect(self.name, str, "the name of an action", 'text, such as "wait"')
        expect_all(self.rules, Rule, f'the rules of the action "{self.name}"', "a tuple of Rules")
        expect(
            self.outcome_of, str, f'the choice that "{self.name}" is an outcome of', "the name of a choice"
        )
        expect(self.probability, (int, Fraction), f'the probability of "{self.name}"', "a Fraction")

    @property
    def choice(self) -> str:
        """What the player chose, which is what automata read: its name, or whose outcome it is."""
        return self.outcome_of or self.name

    @property
    def type(self) -> str:
        """What it does: ``spread`` for ``spread(DB)``, and for a name without brackets all of it."""
        return action_type(self.choice)

    @property
    def written(self) -> frozenset[Variable]:
        """The variables that it may assign, and those of which it may assign the values."""
        assigned = [pair for rule in self.rules for pair in rule.assign]
        return frozenset(v for v, _ in assigned).union(*(ex.variables_of(value) for _, value in assigned))

    @property
    def target(self) -> str:
        """What it does it to: ``DB`` for ``spread(DB)``; empty for a name without brackets."""
        return action_target(self.choice)


@dataclass(frozen=True)
class Reset:
    """An engagement reset (sec:respawn): where ``when`` holds, with this probability, ``assign``.

    What φ_D remembers goes on where it is *kept*; else a reset that would erase it is refused.
    """

    when: Expression
    probability: Fraction
    assign: tuple[tuple[Variable, Expression], ...]
    kept: bool = False

    def __post_init__(self) -> None:
        expect(self.probability, (int, float, Fraction), "the probability of a reset", "a number from 0 to 1")
        _check_parts("a reset", self.when, self.assign)


OutcomeGroups = tuple[tuple[int, ...], ...]
"""For each choice of a player the numbers of its outcomes; one where chance has no part in it."""


def outcome_groups(actions: Sequence[Action]) -> OutcomeGroups:
    """The numbers of the actions that are outcomes of one choice, for each choice, in order."""
    return tuple(
        tuple(number for number, _ in outcomes)
        for _, outcomes in groupby(enumerate(actions), lambda each: each[1].choice)
    )


def _check_parts(where: str, when: object, assign: object) -> None:
    expect(when, Expression, f"the guard of {where}", "a predicate")
    expect_all(assign, tuple, f"the assignments of {where}", "pairs of a Variable and an expression")
    for pair in assign:  # type: ignore[attr-defined]
        if len(pair) != 2 or not isinstance(pair[0], Variable) or not isinstance(pair[1], Expression):
            raise ModelError(f"{where} assigns {pair!r}; expected a pair of a Variable and an expression")
