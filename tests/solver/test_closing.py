"""Closures with a look from behind: the literal closure of random games' moves, and R by way of it."""

import itertools
import random
from collections import Counter

import pytest

from cases import TIMES
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import movers
from holdfast.logic import Player
from holdfast.solver import closing, events, saturation, solve
from holdfast.solver.closing import Closing
from holdfast.solver.product_diagrams import ProductDiagrams
from holdfast.solver.shield import reachable
from strategies import random_budgeted, random_configuration, with_idle_action

N_CLOSURES, N_GAMES = 24 * TIMES, 24 * TIMES
WAYS = {"sweeps": (90, 12), "one round": (90, 1), "saturation": (0, 12), "saturation of the rest": (0, 1)}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """How local moves are closed, and how many rounds there may be."""
    bits, rounds = WAYS[request.param]
    monkeypatch.setattr(events, "MANY_BITS", bits)
    monkeypatch.setattr(closing, "MOST_ROUNDS", rounds)
    monkeypatch.setattr(saturation, "FIRST_NODES", 1 << 10)
    return request.param


def literal_closure(game, states, within):
    """Every state that single moves of either player reach within a set."""
    reached, queue = set(states), list(states)
    for state in queue:
        for move in (move for player in Player for move in movers(game, player)):
            after = move(state)
            if after in within and after not in reached:
                reached.add(after)
                queue.append(after)
    return reached


def test_closures_are_those_of_single_moves(way):
    """Should find what single moves reach within a set, or some of it and say so."""
    rng, seen = random.Random(f"closings {way}"), Counter()
    for number in range(N_CLOSURES):
        configuration = random_configuration(rng, 4000) if number % 2 else random_budgeted(rng)
        game = configuration.game
        if game.tables is not None or game.tallies:
            continue
        product = ProductDiagrams.build(configuration, game.variables, 1 << 20, lambda: None)
        if product.gambles:
            continue
        d, states = product.diagrams, list(itertools.product(*map(range, game.shape)))
        within = {state for state in states if rng.random() < rng.choice((0.5, 0.9, 1.0))} | {states[0]}
        start = set(rng.sample(sorted(within), min(len(within), rng.randint(1, 3))))

        def as_set(some, d=d, game=game):
            found = d.false
            for state in some:
                found |= d.state(dict(zip((v.name for v in game.variables), state, strict=True)))
            return found

        groups = tuple(group for player in Player for group in product.groups[player])
        found, complete = Closing(d, groups, UNLIMITED.memory).closed(
            as_set(start), as_set(within), UNLIMITED
        )
        expected = literal_closure(game, start, within)
        assert found == as_set(expected) if complete else not (found & ~as_set(expected)).satisfiable()
        seen["complete"] += complete
        seen["grown"] += complete and len(expected) > len(start)
    assert seen["grown"] > N_CLOSURES // 8, seen


def test_safe_play_is_that_of_the_explicit_engine(way):
    """Should find the R of random games that arrays find."""
    rng, held = random.Random(f"safe play {way}"), 0
    for number in range(N_GAMES):
        configuration = (
            random_budgeted(rng) if number % 2 else random_configuration(rng, 72, with_idle_action)
        )
        if configuration.game.tables is None:
            expected, found = solve(configuration, "explicit"), solve(configuration, "symbolic")
            assert reachable(found) == reachable(expected), number
            held += found.defensible
    assert held > N_GAMES // 10


def test_limits_hold():
    """Should stop where the time is over."""
    configuration = random_budgeted(random.Random(1))
    product = ProductDiagrams.build(configuration, configuration.game.variables, 1 << 20, lambda: None)
    start = product.diagrams.state(configuration.game.codes(configuration.initial.state))
    way = Closing(product.diagrams, product.groups[Player.DEFENDER], UNLIMITED.memory)
    with pytest.raises(LimitError):
        way.closed(start, product.diagrams.valid, Budget.lasting(0.0))
