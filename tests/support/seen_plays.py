"""Every play under a machine that defends by what it sees, position by position, from the definitions."""

from __future__ import annotations

from holdfast.game import Recalled, is_admissible, is_unsafe, move
from holdfast.logic.expressions import Player
from reference import value


def look_of(configuration, sight):
    """A function that gives what is seen of a position: a bit for each thing that is."""
    game, automata = configuration.game, configuration.defender

    def holds(part, position):
        if isinstance(part, Recalled):
            return position.q_defender[automata.index(part.clause.automaton)] in part.states
        named = {x.name: x.values[c] for x, c in zip(game.variables, position.state, strict=True)}
        return bool(value(part, named))

    return lambda position: sum(holds(part, position) << i for i, part in enumerate(sight.seen))


def answers(configuration, position, sight):
    """The adversary's moves: what is noticed of each (-1 for nothing), and where it leads."""
    for number, action in enumerate(configuration.game.actions[Player.ADVERSARY]):
        target = move(configuration, position, number)
        if target is not None and is_admissible(configuration, target):
            yield (number if action.name in sight.noticed else -1), target


def every_play(configuration, sight, begin, go_on, limit=200_000):
    """Follow every play: ``begin(look)`` and ``go_on(memory, between, look)`` give an action and a memory.

    Returns how many pairs of a position and a memory there are; nothing of them is in U, and every action can
    be chosen where it is.
    """
    look = look_of(configuration, sight)
    start = configuration.initial
    firsts = [(-1, start)] if start.turn is Player.DEFENDER else answers(configuration, start, sight)
    stack = [(position, *begin((look(position), noticed))) for noticed, position in firsts]
    done = set(stack)
    while stack:
        position, action, memory = stack.pop()
        assert not is_unsafe(configuration, position)
        made = move(configuration, position, action)
        assert made is not None, "an action that cannot be chosen"
        assert not is_unsafe(configuration, made)
        for noticed, after in answers(configuration, made, sight):
            item = (after, *go_on(memory, look(made), (look(after), noticed)))
            if item not in done:
                done.add(item)
                stack.append(item)
                assert len(done) < limit
    return len(done)
