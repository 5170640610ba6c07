"""What it costs the defender to act: idle actions, and the effort of all others.

An *idle* action never changes the state, wherever it can be chosen; it is found on the game, not by its name.
Every other action of the defender is an *intervention*. An intervention costs 1, or what ``effort`` of the
scenario says of it: the entry with its own name, or else the one with the name of its type (what stands
before the bracket).

The layers that an engine finds for a response profile (:mod:`holdfast.solver.response`) are asked through
:class:`ResponseLayers`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from holdfast.budget import UNLIMITED, Budget
from holdfast.game.actions import NO_SUCCESSOR, Action
from holdfast.game.configuration import Configuration, Position
from holdfast.game.structure import GameStructure, choices
from holdfast.logic import (
    Compare,
    Diagram,
    Diagrams,
    Expression,
    Member,
    Player,
    Read,
    Symbol,
    Variable,
    action_name,
    action_type,
)


@dataclass(frozen=True)
class Interventions:
    """The defender's actions by what they cost.

    Attributes:
        idle: the numbers of the idle actions, ascending.
        costs: for each action what it costs; 0 for an idle one.
    """

    idle: tuple[int, ...]
    costs: tuple[int, ...]

    @property
    def free(self) -> tuple[int, ...]:
        """The actions that cost nothing: the idle ones, and what the scenario gives away."""
        return tuple(a for a, cost in enumerate(self.costs) if not cost)

    @property
    def acting(self) -> tuple[int, ...]:
        """The interventions, whatever they cost."""
        return tuple(a for a in range(len(self.costs)) if a not in self.idle)

    @property
    def by_cost(self) -> dict[int, tuple[int, ...]]:
        """The actions that cost something, by what they cost, cheapest first."""
        by_cost: dict[int, list[int]] = {}
        for action, cost in enumerate(self.costs):
            if cost:
                by_cost.setdefault(cost, []).append(action)
        return {cost: tuple(by_cost[cost]) for cost in sorted(by_cost)}

    @property
    def counted(self) -> Interventions:
        """These interventions with a cost of 1 each."""
        return Interventions(self.idle, tuple(int(a not in self.idle) for a in range(len(self.costs))))


@dataclass(frozen=True)
class LayerCounts:
    """How many positions have each value of a reading: the finite values that occur, and the rest."""

    finite: tuple[tuple[int, int], ...]
    unbounded: int

    @property
    def largest(self) -> int | None:
        """The largest finite value that occurs."""
        return self.finite[-1][0] if self.finite else None


class ResponseLayers(Protocol):
    """The winning region by effort and by grace, as an engine keeps it: the contract of both engines.

    The value of a position is infinite where it is unbounded, and None where the position is lost. What a
    limit stops can be asked again, and goes on from there.
    """

    def effort(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """The least total cost with which the requirement can be kept from a position."""

    def grace(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """For how many of its own turns the defender may idle first."""

    def tempo(self, budget: Budget = UNLIMITED) -> float:
        """The tempo of v₀, which must be winning: see :mod:`holdfast.solver.response`."""

    def efforts(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by effort, or those of R, for which v₀ must be winning."""

    def graces(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by grace, or those of R, for which v₀ must be winning."""


def interventions_of(configuration: Configuration, budget: Budget = UNLIMITED) -> Interventions | None:
    """The defender's actions by what they cost; None where none of them is idle."""
    game = configuration.game
    idle = idle_actions(game, budget)
    if not idle:
        return None
    names = [action.choice for action in game.actions[Player.DEFENDER]]
    return Interventions(
        idle, tuple(0 if a in idle else cost_of(name, configuration.costs) for a, name in enumerate(names))
    )


def cost_of(action: str, costs: Mapping[str, int]) -> int:
    """What the action with a name costs.

    >>> costs = {"fix": 5, "fix(DB)": 9}
    >>> cost_of("fix(DB)", costs), cost_of("fix(WS)", costs), cost_of("isolate(DB)", costs)
    (9, 5, 1)
    """
    return costs.get(action_name(action), costs.get(action_type(action), 1))


def idle_actions(game: GameStructure, budget: Budget = UNLIMITED) -> tuple[int, ...]:
    """The defender's actions that leave every state, in which they can be chosen, as it is.

    One of several outcomes is idle if all of them are.
    """
    alone = set(_idle_alone(game, budget))
    return tuple(
        sorted(
            number
            for outcomes in choices(game, Player.DEFENDER)
            if alone.issuperset(outcomes)
            for number in outcomes
        )
    )


def _idle_alone(game: GameStructure, budget: Budget) -> tuple[int, ...]:
    actions = game.actions[Player.DEFENDER]
    if game.tables is not None:
        import numpy as np

        table = game.tables[Player.DEFENDER]
        here, closed = np.arange(len(table))[:, None], table == NO_SUCCESSOR
        idle = ((table == here) | closed).all(axis=0) & ~closed.all(axis=0)
        return tuple(np.flatnonzero(idle).tolist())
    idle_numbers, diagrams = [], None
    for number, action in enumerate(actions):
        budget.tick("looking for idle actions")
        if _changes_plainly(action):
            continue
        if any(rule.assign for rule in action.rules):
            diagrams = diagrams or Diagrams(game.variables, budget=budget, tallies=game.tallies)
            if _changing(diagrams, action).satisfiable():
                continue
        idle_numbers.append(number)
    return tuple(idle_numbers)


def _changes_plainly(action: Action) -> bool:
    """Whether an action gives a variable a value that it may not have there: that needs no diagram."""
    if not action.rules or not isinstance(action.rules[0].when, Member):
        return False
    guard = action.rules[0].when
    return any(
        variable == guard.variable
        and isinstance(value, Symbol)
        and any(old != value.value for old in guard.values)
        for variable, value in action.rules[0].assign
    )


def _changing(diagrams: Diagrams, action: Action) -> Diagram:
    """The states that an action changes."""
    changed, rest = diagrams.false, diagrams.valid
    for rule in action.rules:
        here = rest & diagrams.truth(rule.when)
        rest &= ~diagrams.truth(rule.when)
        for variable, value in rule.assign:
            changed |= here & _differs(diagrams, variable, value)
    return changed


def _differs(diagrams: Diagrams, variable: Variable, value: Expression) -> Diagram:
    """The states in which a variable does not have a value already."""
    if variable.numeric:
        return diagrams.truth(Compare("!=", Read(variable), value))
    if isinstance(value, Symbol):
        return ~diagrams.cube(variable, variable.code(value.value))
    same = diagrams.false
    for code, states in diagrams.by_code(variable, value).items():
        if code >= 0:
            same |= states & diagrams.cube(variable, code)
    return ~same
