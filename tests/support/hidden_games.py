"""Random games in which much depends on what is not seen, and random sight."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from holdfast.game.actions import Action, Rule
from holdfast.game.configuration import configure
from holdfast.game.sight import Sight
from holdfast.game.structure import GameStructure
from holdfast.logic.expressions import Member, Number, Player, Variable, conjunction
from holdfast.logic.parser import parse_predicate
from strategies import random_predicate


def random_sight(rng, configuration):
    """Some predicates that are seen, and some of the adversary's moves that are noticed."""
    game = configuration.game
    texts = [
        random_predicate(rng, game.vocabulary, 1, moves=False) for _ in range(rng.choice((0, 0, 1, 1, 2)))
    ]
    seen = tuple(parse_predicate(text, game.vocabulary) for text in texts)
    names = [action.name for action in game.actions[Player.ADVERSARY]]
    noticed = frozenset(name for name in names if rng.random() < 0.15)
    return Sight(seen, placed=(), noticed=noticed)


def random_hidden_game(rng, idle=False):
    """A game of three variables in which every move leads anywhere, and much depends on what is not seen.

    The defender may have an idle action besides.
    """
    shape = {"a": rng.choice((2, 3)), "b": rng.choice((2, 3)), "c": 2}
    variables = tuple(Variable(name, range(size)) for name, size in shape.items())
    states = list(product(*(range(size) for size in shape.values())))
    bad = [state for state in states[1:] if rng.random() < 0.12]

    def action(name):
        rules = []
        for state in states:
            if rng.random() < 0.8:
                guard = conjunction(tuple(Member(v, (x,)) for v, x in zip(variables, state, strict=True)))
                target = rng.choice(states)
                rules.append(
                    Rule(
                        guard, tuple((v, Number(Fraction(x))) for v, x in zip(variables, target, strict=True))
                    )
                )
        return Action(name, tuple(rules))

    first = rng.choice(list(Player))
    actions = {
        player: tuple(
            action(f"{player.value[0]}{n}")
            for n in range(rng.choice((2, 3, 4) if player is Player.DEFENDER else (1, 2)))
        )
        for player in Player
    }
    if idle:
        actions[Player.DEFENDER] += (Action("wait", ()),)
    game = GameStructure(
        variables=variables,
        initial=states[0],
        first=first,
        actions=actions,
        dominance=Number(Fraction(1)),
    )
    safe = " & ".join(f"!(a = {a} & b = {b} & c = {c})" for a, b, c in bad) or "true"
    boundary = [] if rng.random() < 0.5 else ["G (times(a0) <= 2)"]
    return configure(game, [f"G ({safe})"], boundary)
