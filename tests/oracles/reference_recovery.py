"""The slow twin of recovery: sets of positions, each definition as it is printed; and ranks by a counter.

Nothing is known here of surroundings, of what came last, or of layers by cost.
"""

from __future__ import annotations

import math

from holdfast.logic.expressions import Player
from reference import value


def goal_positions(oracle, goal):
    """The positions whose state satisfies an expression."""
    game = oracle.configuration.game
    named = {}
    for v in oracle.positions:
        if v[0] not in named:
            named[v[0]] = value(goal, {x.name: x.values[c] for x, c in zip(game.variables, v[0])})
    return {v for v in oracle.positions if named[v[0]]}


def cpre(oracle, targets):
    """From where the defender can move into a set, and an adversary that can move cannot but move into it.

    An adversary that cannot move rests where it is for ever.
    """
    found = set()
    for v in oracle.positions:
        moves = list(oracle.admissible(v).values()) or [v]
        inside = [t in targets for t in moves]
        if any(inside) if v[1] is Player.DEFENDER else all(inside):
            found.add(v)
    return found


def ranks(oracle, goal):
    """Rec_k: for each position of W that recovers, the least k."""
    reached = oracle.winning & goal_positions(oracle, goal)
    rank, k = dict.fromkeys(reached, 0), 0
    while True:
        k += 1
        new = (oracle.winning & cpre(oracle, set(rank))) - set(rank)
        if not new:
            return rank
        rank.update(dict.fromkeys(new, k))


def again(oracle, goal):
    """νY. μX. W ∩ ((G ∩ CPre Y) ∪ CPre X)."""
    at_goal, outer = goal_positions(oracle, goal), set(oracle.positions)
    while True:
        visited, inner = oracle.winning & at_goal & cpre(oracle, outer), set()
        while True:
            grown = visited | (oracle.winning & cpre(oracle, inner))
            if grown == inner:
                break
            inner = grown
        if inner == outer:
            return outer
        outer = inner


def efforts(oracle, goal, costs, rank):
    """The least total cost of the defender's moves with which the goal is reached, by value iteration."""
    cost = {v: 0 if rank[v] == 0 else math.inf for v in rank}
    while True:
        before = dict(cost)
        for v in rank:
            if rank[v] == 0:
                continue
            moves = oracle.admissible(v).items()
            if v[1] is Player.DEFENDER:
                cost[v] = min(costs[a] + before.get(t, math.inf) for a, t in moves)
            else:
                cost[v] = max((before.get(t, math.inf) for _, t in moves), default=math.inf)
        if cost == before:
            return cost
