"""Effort, tempo and grace of a defender who does not see everything.

The definitions are those of :mod:`holdfast.solver.response`, and so are the fixpoints. They are asked of the
beliefs that play can come to, which are the positions of a game in which nothing is hidden: the defender
chooses an action, what is then seen is up to the adversary.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdfast.budget import Budget
from holdfast.game import Interventions
from holdfast.solver.response import ResponseProfile, extent


@dataclass(frozen=True)
class BeliefMoves:
    """The moves between the winning beliefs that play comes to, by number.

    Attributes:
        start: the belief that play begins with.
        permitted: for each, by action the beliefs that it may lead to; nothing for one of the adversary.
        answers: for any, those that an answer of the adversary may lead to; nothing for one of the defender.
        before: for any, those from which it may be the next.
        defending: those at which the defender moves.
    """

    start: int
    permitted: Mapping[int, Mapping[int, tuple[int, ...]]]
    answers: Sequence[tuple[int, ...]]
    before: Sequence[Sequence[int]]
    defending: frozenset[int]


Keeps = Callable[[int, set[int]], bool]
"""Whether a belief may stay in a set, given the set."""


def largest(
    among: Iterable[int], keeps: Keeps, before: Callable[[int], Iterable[int]], budget: Budget
) -> set[int]:
    """The largest set that each of its members may stay in.

    ``keeps`` asks only for what comes next; so what comes ``before`` is asked again where one is dropped.
    """
    kept = set(among)
    asked = list(kept)
    while asked:
        number = asked.pop()
        if number in kept and not keeps(number, kept):
            budget.tick("beliefs")
            kept.remove(number)
            asked += before(number)
    return kept


def seen_response(moves: BeliefMoves, actions: Interventions, budget: Budget) -> ResponseProfile:
    """The three readings at the start.

    Raises:
        LimitError: past the budget.
    """
    idle = frozenset(actions.idle)
    graces = _graces(moves, idle, budget)
    effort = _effort(moves, actions.costs, budget)
    tempo = math.inf
    if _effort(moves, actions.counted.costs, budget, most=1) > 1:
        longest = max((grace for grace in graces.values() if math.isfinite(grace)), default=0)
        tempo = 1
        while tempo <= longest and _bears(moves, idle, tempo + 1, budget):
            tempo += 1
    return ResponseProfile(extent(effort), extent(tempo), extent(graces[moves.start]))


def _graces(moves: BeliefMoves, idle: frozenset[int], budget: Budget) -> dict[int, float]:
    """For each belief, how many turns of the defender may be idle first."""
    layer, graces, turns = set(moves.permitted), dict.fromkeys(moves.permitted, 0.0), 0
    while True:
        budget.tick("grace")
        waiting = {
            number
            for number in moves.defending & layer
            if any(layer.issuperset(made) for a, made in moves.permitted[number].items() if a in idle)
        }
        after = waiting | {
            number for number in layer - moves.defending if waiting.issuperset(moves.answers[number])
        }
        if after == layer:
            return graces | dict.fromkeys(layer, math.inf)
        turns, layer = turns + 1, after
        graces |= dict.fromkeys(layer, turns)


def _effort(moves: BeliefMoves, costs: Sequence[int], budget: Budget, most: float = math.inf) -> float:
    """The least sum of costs with which the start is held; infinite if there is none up to ``most``."""
    layers: list[tuple[int, set[int]]] = []
    sums, prices = [0], sorted({cost for cost in costs if cost})

    def within(sum_: int) -> set[int]:
        return next((layer for m, layer in reversed(layers) if m <= sum_), set())

    while sums and sums[0] <= most:
        m = heapq.heappop(sums)
        if layers and layers[-1][0] == m:
            continue
        budget.tick(f"effort {m}")
        cheaper = {price: within(m - price) for price in prices}

        def keeps(number: int, kept: set[int], cheaper: dict[int, set[int]] = cheaper) -> bool:
            if number not in moves.defending:
                return kept.issuperset(moves.answers[number])
            choices = moves.permitted[number].items()
            return any((cheaper[costs[a]] if costs[a] else kept).issuperset(made) for a, made in choices)

        layer = largest(moves.permitted, keeps, moves.before.__getitem__, budget)
        if moves.start in layer:
            return m
        if layer != within(m):
            layers.append((m, layer))
            for price in prices:
                heapq.heappush(sums, m + price)
    return math.inf


def _bears(moves: BeliefMoves, idle: frozenset[int], pace: int, budget: Budget) -> bool:
    """Whether the start is held with at most one intervention in so many turns.

    A belief is taken together with how many turns the defender must still rest.
    """
    n = len(moves.answers)

    def keeps(place: int, kept: set[int]) -> bool:
        rest, number = divmod(place, n)
        if number not in moves.defending:
            return all(rest * n + after in kept for after in moves.answers[number])
        for action, made in moves.permitted[number].items():
            left = max(0, rest - 1) if action in idle else pace - 1
            if (action in idle or not rest) and all(left * n + after in kept for after in made):
                return True
        return False

    def before(place: int) -> Iterator[int]:
        return (rest * n + number for rest in range(pace) for number in moves.before[place % n])

    places = (rest * n + number for rest in range(pace) for number in moves.permitted)
    return moves.start in largest(places, keeps, before, budget)
