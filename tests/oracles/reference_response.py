"""The slow twin of the response profile: the game with one more counter, enumerated and solved as it is printed.

A requirement on the defender's own moves is a counter that they move; a move that the counter forbids is a
violation. Nothing is known here of layers, ranks on W, or bounds of the tempo.
"""

from __future__ import annotations

import math

from holdfast.logic.expressions import Player
from reference import delta, freeze, states


def idle_moves(game):
    """The numbers of the defender's actions that change no state, and can be chosen in some."""
    found = set()
    for number in range(len(game.actions[Player.DEFENDER])):
        after = [(s, delta(game, Player.DEFENDER, number, s)) for s in states(game)]
        chosen = [(s, t) for s, t in after if t is not None]
        if chosen and all(freeze(game, s) == freeze(game, t) for s, t in chosen):
            found.add(number)
    return found


def winning_with(oracle, counters, step):
    """The pairs (v, c) from which φ_D can be kept if the defender's move a turns c into step(c, a), or None."""
    winning = {(v, c) for v in oracle.winning for c in counters}
    listed = [(v, c) for c in counters for v in oracle.winning]
    while True:
        before = len(winning)
        for v, c in listed:
            if v[1] is Player.ADVERSARY:
                kept = all((t, c) in winning for t in oracle.admissible(v).values())
            else:
                kept = any((t, step(c, a)) in winning for a, t in oracle.successors[v].items())
            if not kept:
                winning.discard((v, c))
        if len(winning) == before:
            return winning
        listed = [pair for pair in listed if pair in winning]


class Response:
    """Effort and grace of every winning position, and the tempo of the first, by their definitions."""

    def __init__(self, oracle, costs):
        self.oracle, self.costs = oracle, costs
        self.idle = idle_moves(oracle.configuration.game)
        self.n = len(oracle.winning)

    def efforts(self):
        """For each winning position the least sum that suffices, by a counter of what is left to spend."""
        most, price = 2, [0 if a in self.idle else cost for a, cost in enumerate(self.costs)]
        widest = max(price, default=0)
        while True:
            found = winning_with(
                self.oracle, range(most + 1), lambda c, a: c - price[a] if c >= price[a] else None
            )
            least = {
                v: min((c for c in range(most + 1) if (v, c) in found), default=math.inf)
                for v in self.oracle.winning
            }
            # A sum that makes a difference is a cost more than another that does.
            if all(value <= most - widest for value in least.values() if value < math.inf):
                return least
            most = 2 * most + widest

    def graces(self):
        """For each winning position how many opening turns may be idle, by a counter of those to come."""
        most = self.n + 1
        found = winning_with(
            self.oracle, range(most + 1), lambda c, a: None if c and a not in self.idle else max(0, c - 1)
        )
        longest = {v: max(c for c in range(most + 1) if (v, c) in found) for v in self.oracle.winning}
        return {v: math.inf if d == most else d for v, d in longest.items()}

    def keeps(self, turns):
        """Whether C stays defensible with one intervention in any so many turns, by a counter of rests to come."""

        def step(c, a):
            if a in self.idle:
                return max(0, c - 1)
            return None if c else turns - 1

        return (self.oracle.initial, 0) in winning_with(self.oracle, range(turns), step)

    def tempo(self):
        """The largest such number; past all the positions there are, it makes no difference."""
        if self.keeps(self.n + 2):
            return math.inf
        return next(turns for turns in range(1, self.n + 2) if not self.keeps(turns + 1))
