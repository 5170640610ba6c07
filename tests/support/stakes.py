"""Random configurations with something at stake: a dominance μ and a reset."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache

from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.errors import ModelError
from holdfast.game.actions import Reset
from holdfast.game.configuration import Configuration
from holdfast.logic.expressions import Lookup, Member, Number, Symbol
from holdfast.solver.engines import solve
from reference import Product
from strategies import random_configuration
from variations import with_game


def with_stakes(configuration: Configuration, rng: random.Random) -> Configuration:
    """The same configuration with a random μ and, more often than not, a random reset."""
    game = configuration.game
    variable = rng.choice(game.variables)
    values = tuple(Fraction(rng.randint(0, 6), 6) for _ in variable.values)
    chosen, target = rng.choice(game.variables), rng.choice(game.variables)
    new = rng.choice(target.values)
    reset = Reset(
        Member(chosen, tuple(rng.sample(list(chosen.values), 1))),
        Fraction(1, 3),
        ((target, Number(Fraction(new)) if target.numeric else Symbol(new)),),
    )
    changed = replace(
        game, dominance=Lookup("dominance", variable, values), reset=reset if rng.random() < 0.7 else None
    )
    return with_game(configuration, changed)


@cache
def playable(seed: int):
    """A random configuration with stakes, its oracle, and its arena (None if the reset is refused)."""
    rng = random.Random(seed)
    while True:
        configuration = with_stakes(random_configuration(rng, 600), rng)
        oracle = Product(configuration)
        if oracle.defensible:
            break
    try:
        return configuration, oracle, shielded_arena(solve(configuration, "explicit"))
    except ModelError:
        return configuration, oracle, None
