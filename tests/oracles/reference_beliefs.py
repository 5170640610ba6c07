"""The slow twin of sight: every belief that play can come to, and a greatest fixpoint over all of them.

A belief is a set of positions of one turn. Nothing is known here of W, of covered beliefs, or of any order.
"""

from __future__ import annotations

from functools import cache

from holdfast.game.sight import Recalled
from holdfast.logic.expressions import Player
from reference import value


class TooManyBeliefsError(Exception):
    """There are more beliefs than a test has time for."""


def looks(oracle, seen):
    """What is seen of each position: the truth of every predicate, and of what is recalled."""
    game, automata = oracle.configuration.game, oracle.configuration.defender

    @cache
    def look(state, memory):
        named = {x.name: x.values[c] for x, c in zip(game.variables, state)}
        return tuple(
            memory[automata.index(part.clause.automaton)] in part.states
            if isinstance(part, Recalled)
            else bool(value(part, named))
            for part in seen
        )

    return lambda position: look(position[0], position[2])


def alike(positions, look):
    """Positions, by what is seen of each."""
    parts = {}
    for position in positions:
        parts.setdefault(look(position), set()).add(position)
    return [frozenset(part) for part in parts.values()]


def answers(oracle, belief, look, noticed):
    """What the defender may hold possible after the adversary's move."""
    names = [action.name for action in oracle.configuration.game.actions[Player.ADVERSARY]]
    by_notice = {}
    for position in belief:
        for action, after in oracle.admissible(position).items():
            by_notice.setdefault(action if names[action] in noticed else None, set()).add(after)
    return [part for after in by_notice.values() for part in alike(after, look)]


def beliefs_after(oracle, belief, action, look, noticed):
    """What the defender may hold possible after an action and its answer; None if it cannot be chosen."""
    moved = [oracle.admissible(position).get(action) for position in belief]
    if None in moved:
        return None
    if oracle.unsafe.intersection(moved):
        return [frozenset(moved)]
    made = alike(moved, look)
    return [after for part in made for after in answers(oracle, part, look, noticed)]


def holds_blindly(oracle, seen, noticed=(), limit=3000):
    """Whether the defender can hold with what it sees; and how many beliefs play can come to."""
    look = looks(oracle, seen)
    initial = oracle.initial
    if initial in oracle.unsafe:
        return False, 1
    if initial[1] is Player.DEFENDER:
        starts = [frozenset([initial])]
    else:
        starts = answers(oracle, frozenset([initial]), look, noticed)
    n_actions = len(oracle.configuration.game.actions[Player.DEFENDER])
    after, queue = {}, list(starts)
    while queue:
        belief = queue.pop()
        if belief in after:
            continue
        if len(after) > limit:
            raise TooManyBeliefsError
        if oracle.unsafe & belief:
            after[belief] = None
            continue
        choices = (beliefs_after(oracle, belief, a, look, noticed) for a in range(n_actions))
        after[belief] = [choice for choice in choices if choice is not None]
        queue += [below for choice in after[belief] for below in choice]
    good = {belief for belief, choices in after.items() if choices is not None}
    while True:
        kept = {b for b in good if any(good.issuperset(choice) for choice in after[b])}
        if kept == good:
            return set(starts) <= good, len(after)
        good = kept
