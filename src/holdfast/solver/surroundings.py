"""Parts of W in which recovery is decided without looking at the rest of it.

How positions recover in all of W can be far more complicated than W, and what a single one needs of it is
mostly a small part P. It is enough to look at P twice. With everything outside *conceded*, where leaving P
counts as reaching the goal, a position can only recover sooner; with everything outside *denied*, where
leaving P counts as failing, only later. Where both say the same that is the answer; where even the first says
never, what is left of P is a *trap*, in which the adversary holds the play for as long as the defender stays
in W.

Two kinds of parts are tried, smaller ones first.

- *Windows* are about few variables, those that the adversary reaches first from the start. For what is
  conceded the others have values that the defender alone could give them, so that only the adversary, who
  gains nothing by it, can leave; for what is denied they keep their values of the start. An attack that turns
  on a few hosts is decided by these, however large the network is.
- *Balls* are about the goal: from where both sides *together* would reach it within so many moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from holdfast.budget import Budget
from holdfast.game import GameStructure, State, movers
from holdfast.logic import And, Expression, Member, Player, Variable, conjunction, reader, variables_of
from holdfast.solver.position_sets import PositionSet

_Positions = TypeVar("_Positions", bound=PositionSet)

NARROW = 3
"""How many variables the first window has."""


@dataclass(frozen=True)
class Surroundings(Generic[_Positions]):
    """A part of W, and what leaving it counts as.

    Attributes:
        positions: the part.
        goal: what of the goal is in it.
        given: from where the play leaves it, by one move of a defender who wishes to or of an adversary who
            must, if that counts as reaching the goal.
        barred: adversary positions from where the part can be left, if that counts as failing.
    """

    positions: _Positions
    goal: _Positions
    given: _Positions
    barred: _Positions

    @property
    def open(self) -> _Positions:
        """Where the defender still has to show that it reaches the goal."""
        return self.positions - self.goal - self.given - self.barred


def whole(winning: _Positions, goal: _Positions) -> Surroundings[_Positions]:
    """All of W."""
    nothing = goal - goal
    return Surroundings(winning, goal, nothing, nothing)


def denied(part: _Positions, goal: _Positions, budget: Budget) -> Surroundings[_Positions]:
    """A part of W that the defender may not leave."""
    attacking = part.at(Player.ADVERSARY)
    barred = attacking - part.cpre(attacking, budget=budget)
    return Surroundings(part, goal & part, goal - goal, barred)


def conceded(
    part: _Positions, goal: _Positions, winning: _Positions, closed: bool, budget: Budget
) -> Surroundings[_Positions]:
    """A part of W that the adversary may not leave; ``closed`` if no move of the defender does."""
    attacking, nothing = part.at(Player.ADVERSARY), goal - goal
    given = attacking - part.pre(attacking, budget=budget)
    if given:
        given = (winning - part).pre(given, budget=budget)
    if not closed:
        given = given | (winning - part).pre(part.at(Player.DEFENDER), budget=budget)
    return Surroundings(part, goal & part, given, nothing)


# -- windows ----------------------------------------------------------------------------------------


Window = tuple[Expression, Expression]
"""What is true of the variables outside a window: that they have their values of the start; and that they
have values that the defender alone could give them."""


def windows(game: GameStructure, goal: Expression, state: State) -> Iterator[Window]:
    """Windows about a state, smaller ones first; none with all variables, nor of a game without rules."""
    if game.tables is not None:
        return
    order, size = list(_by_distance(game, goal, state)), NARROW
    values = _defended(game, state)
    while size < len(order):
        others = [(variable, game.places[variable.name]) for variable in order[size:]]
        yield (
            conjunction(tuple(Member(v, (v.values[state[i]],)) for v, i in others)),
            conjunction(tuple(Member(v, values[v]) for v, _ in others)),
        )
        size = max(size + 1, size * 5 // 4)


def _by_distance(game: GameStructure, goal: Expression, state: State) -> Iterator[Variable]:
    """The variables, those first that the adversary can do something about first.

    It begins with those on which the goal fails and those that the adversary can change at once, and goes on
    with what the adversary's actions assign that read one of them; of these with those first that have to do
    with many others. What such an action reads and no adversary changes, such as a conduit that could be
    blocked, comes with it.
    """
    parts = goal.args if isinstance(goal, And) else (goal,)
    missed = [v for part in parts if not reader(part, game.places)(state) for v in variables_of(part)]
    changed = [
        game.variables[i]
        for move in movers(game, Player.ADVERSARY)
        for i, (before, after) in enumerate(zip(state, move(state) or state, strict=True))
        if before != after
    ]
    leads: dict[Variable, dict[Variable, None]] = {v: {} for v in game.variables}
    reads: dict[Variable, set[Variable]] = {v: set() for v in game.variables}
    for action in game.actions[Player.ADVERSARY]:
        for rule in action.rules:
            for assigned, value in rule.assign:
                read = variables_of(rule.when) | variables_of(value)
                reads[assigned] |= read
                for variable in read:
                    leads[variable][assigned] = None
    taken: dict[Variable, None] = {}
    ring = dict.fromkeys((*missed, *changed))
    while ring:
        onward: dict[Variable, None] = {}
        for variable in sorted(ring, key=lambda v: (-len(leads[v]) - len(reads[v]), game.places[v.name])):
            controls = (v for v in sorted(reads[variable], key=lambda v: game.places[v.name]) if not reads[v])
            taken |= dict.fromkeys((variable, *controls))
            onward |= leads[variable]
        ring = {variable: None for variable in onward if variable not in taken}
    yield from taken
    yield from (variable for variable in game.variables if variable not in taken)


def _defended(game: GameStructure, state: State) -> dict[Variable, tuple[int | str, ...]]:
    """For each variable the values that the defender's moves alone could give it, or more."""
    moves: dict[Variable, list[int]] = {v: [] for v in game.variables}
    simple: dict[Variable, bool] = dict.fromkeys(game.variables, True)
    for number, action in enumerate(game.actions[Player.DEFENDER]):
        read = {v for rule in action.rules for v in variables_of(rule.when)}
        for rule in action.rules:
            for assigned, value in rule.assign:
                moves[assigned].append(number)
                simple[assigned] &= read | variables_of(value) <= {assigned}
    own, values = movers(game, Player.DEFENDER), {}
    for variable, numbers in moves.items():
        place = game.places[variable.name]
        codes = dict.fromkeys((state[place],) if simple[variable] else range(len(variable.values)))
        queue = list(codes)
        for code in queue if simple[variable] else ():
            here = (*state[:place], code, *state[place + 1 :])
            for after in ((own[number](here) or here)[place] for number in numbers):
                if after not in codes:
                    codes[after] = None
                    queue.append(after)
        values[variable] = tuple(variable.values[code] for code in sorted(codes))
    return values
