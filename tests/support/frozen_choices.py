"""All breakers in one solution: a frozen variable for each addition, which the adversary sets before the first move.

The other way to find breakers, for additions that let a move do more (links, filters, exposed hosts) or that
take one from the defender. The start positions at which what is to be kept is lost say which choices break it.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from holdfast.game.actions import Action, Rule
from holdfast.logic import expressions as ex
from holdfast.logic.expressions import Player, Variable
from holdfast.solver.engines import solve
from holdfast.solver.recovery import recovery_layers
from holdfast.solver.solution import winning_positions


def chosen_at(name):
    return Variable(f"add {name}", ("no", "yes"))


def frozen(configuration, additions):
    """The configuration with a variable for each addition, of which its moves depend."""
    game = configuration.game
    actions = {player: list(game.actions[player]) for player in Player}

    def changed(player, name, rules):
        (place,) = (i for i, action in enumerate(actions[player]) if action.name == name)
        own = actions[player][place]
        actions[player][place] = Action(own.name, (*rules(own), *own.rules))

    for each in additions:
        taken = ex.Member(chosen_at(each.text), ("yes",))
        if each.opens is not None:
            doing, when = each.opens
            more = tuple(Rule(ex.conjunction((taken, when, rule.when)), rule.assign) for rule in doing.rules)
            changed(Player.ADVERSARY, doing.name, lambda own, more=more: more)
        else:
            ability, _, host = each.name.partition(" ")
            changed(Player.DEFENDER, f"{ability}({host})", lambda own, taken=taken: (Rule(taken, ()),))
    variables = (*game.variables, *(chosen_at(each.text) for each in additions))
    start = (*game.initial, *(0 for _ in additions))
    larger = replace(
        game, variables=variables, initial=start, actions={p: tuple(a) for p, a in actions.items()}
    )
    return replace(configuration, system=replace(configuration.system, game=larger))


def breakers_by_frozen_choices(configuration, additions, most, goal=""):
    """All minimal breakers that cost no more than so much, from one solution."""
    here = frozen(configuration, additions)
    solution = solve(here, "symbolic")
    winning = winning_positions(solution)
    layers = recovery_layers(solution, goal) if goal else None
    found = []
    for size in range(1, len(additions) + 1):
        for some in combinations(range(len(additions)), size):
            if sum(additions[i].cost for i in some) > most or any(set(other) <= set(some) for other in found):
                continue
            choice = tuple(int(i in some) for i in range(len(additions)))
            start = here.start((*configuration.game.initial, *choice), configuration.game.first)
            kept = start in winning
            if kept and goal:
                moves = layers.rank(start)
                kept = layers.is_again(start) if moves == 0 else moves is not None
            if not kept:
                found.append(some)
    return {frozenset(additions[i].text for i in some) for some in found}
