"""A design with one clause more on φ_D, which holds the defender to a number of interventions, a pace or a
start.

Effort, tempo and grace are verdicts on such designs: with effort m the design under "interventions cost at
most m" is defensible, and under m − 1 it is not. So each reading has its certificates, and the line that
shows what breaks one step further. The clause is a small automaton over the defender's moves:

- *effort* m: its states count what has been spent, 0 to m;
- *tempo* k: its states count the turns to rest, 0 to k − 1;
- *grace* d: its states count the idle turns still due, 0 to d.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import Clause, Configuration, GameStructure, Interventions, counted, interventions_of
from holdfast.logic import Did, Edge, Expression, Not, Player, Truth, build_automaton
from holdfast.solver.response import Extent, ResponseProfile

Kind = Literal["effort", "tempo", "grace"]
BROKEN = "broken"
MAX_NUMBER = 1_000
"""Past so many states a clause is not worth its room."""


@dataclass(frozen=True)
class Restriction:
    """What the defender is held to: its effort, its tempo or its grace is to be a number."""

    kind: Kind
    number: int

    def __str__(self) -> str:
        """In words.

        >>> print(Restriction("tempo", 2), Restriction("grace", 1), Restriction("effort", 0), sep="; ")
        one intervention in any 2 turns; the first turn is idle; no intervention
        """
        if self.kind == "tempo":
            return f"one intervention in any {counted(self.number, 'turn')}"
        if self.kind == "grace":
            first = "turn is" if self.number == 1 else f"{self.number} turns are"
            return f"the first {first} idle"
        return f"an effort of at most {self.number}" if self.number else "no intervention"


def claims(profile: ResponseProfile) -> list[tuple[Restriction, bool]]:
    """What a profile says, as restrictions that are borne and restrictions that are not.

    A tempo of 1 and a grace of 0 say no more than that the design is defensible. What is unbounded is said by
    others: any pace where an effort of 1 is borne, any number of idle turns where an effort of 0 is; that no
    effort is enough is not said by any one clause.

    >>> for restriction, borne in claims(ResponseProfile(2, 1, 1)):
    ...     print(restriction, borne, sep=": ")
    an effort of at most 2: True
    an effort of at most 1: False
    one intervention in any 2 turns: False
    the first turn is idle: True
    the first 2 turns are idle: False
    """
    claimed: list[tuple[Restriction, bool]] = []
    read: tuple[tuple[Kind, Extent, int], ...] = (
        ("effort", profile.effort, -1),
        ("tempo", profile.tempo, 1),
        ("grace", profile.grace, 0),
    )
    past = {restriction.kind: restriction for restriction in steps_past(profile)}
    for kind, value, trivial in read:
        if isinstance(value, int) and value != trivial:
            claimed.append((Restriction(kind, value), True))
        claimed += [(past[kind], False)] if kind in past else []
    return claimed


def steps_past(profile: ResponseProfile) -> list[Restriction]:
    """One intervention fewer, one turn slower, one turn later; where there is such a step."""
    steps = []
    if isinstance(profile.effort, int) and profile.effort:
        steps.append(Restriction("effort", profile.effort - 1))
    if isinstance(profile.tempo, int):
        steps.append(Restriction("tempo", profile.tempo + 1))
    if isinstance(profile.grace, int):
        steps.append(Restriction("grace", profile.grace + 1))
    return steps


def restricted(
    configuration: Configuration, restriction: Restriction, budget: Budget = UNLIMITED
) -> Configuration:
    """The configuration with the restriction as one more clause on φ_D.

    Raises:
        InputError: where no action of the defender is idle.
        LimitError: past :data:`MAX_NUMBER`, or the budget.
    """
    game, actions = configuration.game, _interventions(configuration, restriction, budget)
    edges = [
        Edge(edge.source, edge.target, _guard(game, edge.actions, edge.negated))
        for edge in _edges(restriction, actions)
    ]
    states, words = _states(restriction), str(restriction)
    automaton = build_automaton(
        states, _initial(restriction), states[:-1], edges, game.vocabulary, words, budget
    )
    clause = Clause(automaton, words, edges=tuple(edges))
    return replace(configuration, requirement=(*configuration.requirement, clause), budget=budget)


def _interventions(configuration: Configuration, restriction: Restriction, budget: Budget) -> Interventions:
    actions = interventions_of(configuration, budget)
    if actions is None:
        raise InputError("the defender has no idle action, so nothing can be asked of its interventions")
    if restriction.number > MAX_NUMBER:
        raise LimitError(f"{restriction}: more than {MAX_NUMBER:,} is not written out as a clause")
    return actions


# -- the automaton ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _GuardedEdge:
    """An edge that is taken after some actions of the defender or, negated, after any other letter."""

    source: str
    target: str
    actions: tuple[int, ...]
    negated: bool = False


def _states(restriction: Restriction) -> list[str]:
    last = restriction.number - 1 if restriction.kind == "tempo" else restriction.number
    return [*(f"n{i}" for i in range(last + 1)), BROKEN]


def _initial(restriction: Restriction) -> str:
    return f"n{restriction.number}" if restriction.kind == "grace" else "n0"


def _edges(restriction: Restriction, actions: Interventions) -> Iterator[_GuardedEdge]:
    number = restriction.number
    yield _GuardedEdge(BROKEN, BROKEN, (), negated=True)
    if restriction.kind == "effort":
        priced = tuple(a for own in actions.by_cost.values() for a in own)
        for spent in range(number + 1):
            for cost, own in actions.by_cost.items():
                yield _GuardedEdge(f"n{spent}", f"n{spent + cost}" if spent + cost <= number else BROKEN, own)
            yield _GuardedEdge(f"n{spent}", f"n{spent}", priced, negated=True)
        return
    rest = number - 1 if restriction.kind == "tempo" else 0
    if rest:
        yield _GuardedEdge("n0", f"n{rest}", actions.acting)
    yield _GuardedEdge("n0", "n0", actions.acting if rest else (), negated=True)
    for due in range(1, len(_states(restriction)) - 1):
        yield _GuardedEdge(f"n{due}", BROKEN, actions.acting)
        yield _GuardedEdge(f"n{due}", f"n{due - 1}", actions.idle)
        yield _GuardedEdge(f"n{due}", f"n{due}", (*actions.acting, *actions.idle), negated=True)


def _guard(game: GameStructure, actions: tuple[int, ...], negated: bool) -> Expression:
    if not actions:
        return Truth(negated)
    names = [game.actions[Player.DEFENDER][a].name for a in actions]
    did = Did(_text(game, actions), frozenset((Player.DEFENDER, name) for name in names))
    return Not(did) if negated else did


def _text(game: GameStructure, actions: tuple[int, ...]) -> str:
    """A guard as it is written: actions by their type where all of that type are among them."""
    own, chosen = game.actions[Player.DEFENDER], set(actions)
    by_type: dict[str, list[int]] = {}
    for number, action in enumerate(own):
        by_type.setdefault(action.type, []).append(number)
    words: list[str] = []
    for kind, numbers in by_type.items():
        if chosen.issuperset(numbers):
            words.append(f"{Player.DEFENDER}.{kind}")
        else:
            words += [f"{Player.DEFENDER}.{own[number].name}" for number in numbers if number in chosen]
    return " | ".join(words)
