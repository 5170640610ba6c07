"""Laws of solved games, on random configurations and segments."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from holdfast.game.configuration import Configuration, Position, admissible_moves, configure, is_unsafe
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_game
from holdfast.readings.metrics import static_reading
from holdfast.solver.engines import solve
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import is_winning, rank
from strategies import random_configuration, random_game, random_segment
from variations import with_boundary, with_game


def positions(configuration: Configuration):
    """All positions of a small configuration."""
    from itertools import product

    game = configuration.game
    for state in product(*(range(size) for size in game.shape)):
        for turn in Player:
            for qd in product(*(range(a.n_states) for a in configuration.defender)):
                for qa in product(*(range(a.n_states) for a in configuration.adversary)):
                    yield Position(state, turn, qd, qa)


@pytest.mark.parametrize("seed", range(40))
def test_rank_satisfies_its_one_step_equation(seed):
    """Should be one more than the best (adversary) or the worst (defender) successor."""
    configuration = random_configuration(random.Random(10_000 + seed), 400)
    solution = solve(configuration, "explicit")
    for v in positions(configuration):
        here = rank(solution, v)
        below = [rank(solution, t) for t in admissible_moves(configuration, v).values()]
        if is_unsafe(configuration, v):
            assert here == 0
        elif v.turn is Player.ADVERSARY:
            finite = [r for r in below if r is not None]
            assert here == (1 + min(finite) if finite else None)
        else:
            assert here == (None if None in below else 1 + max(below))


@pytest.mark.parametrize("seed", range(40))
def test_shield_is_closed_and_maximal(seed):
    """Should keep play winning with every permitted action and lose with every other one."""
    configuration = random_configuration(random.Random(20_000 + seed), 400)
    solution = solve(configuration)
    for v in positions(configuration):
        if not is_winning(solution, v):
            assert safe_actions(solution, v) == ()
            continue
        permitted = safe_actions(solution, v)
        moves = admissible_moves(configuration, v)
        if v.turn is Player.DEFENDER:
            assert permitted
        else:
            assert permitted == tuple(moves)
        for action, target in moves.items():
            assert (action in permitted) == is_winning(solution, target)


@pytest.mark.parametrize("seed", range(60))
def test_restricting_the_adversary_never_shrinks_the_winning_region(seed):
    """prop:refinement: W without φ_A's filter is contained in W with it."""
    rng = random.Random(30_000 + seed)
    configuration = random_configuration(rng, 600)
    free = [replace(a, accepting=(True,) * a.n_states) for a in configuration.adversary]
    unfiltered = solve(with_boundary(configuration, tuple(free)))
    filtered = solve(configuration)
    assert unfiltered.n_winning <= filtered.n_winning
    for v in rng.sample(list(positions(configuration)), 60) if configuration.n_positions > 60 else []:
        assert not is_winning(unfiltered, v) or is_winning(filtered, v)


@pytest.mark.parametrize("seed", range(40))
def test_removing_a_defender_action_never_enlarges_the_winning_region(seed):
    """rem:refinement, the other direction."""
    rng = random.Random(40_000 + seed)
    while True:
        configuration = random_configuration(rng, 600)
        actions = configuration.game.actions[Player.DEFENDER]
        if configuration.game.tables is None and len(actions) > 1:
            break
    fewer = {**configuration.game.actions, Player.DEFENDER: actions[:-1]}
    smaller = with_game(configuration, replace(configuration.game, actions=fewer))
    one, other = solve(smaller), solve(configuration)
    assert one.n_winning <= other.n_winning
    for v in positions(configuration):
        assert not is_winning(one, v) or is_winning(other, v)


@pytest.mark.parametrize("seed", range(12))
def test_order_and_names_of_hosts_do_not_matter(seed):
    """Should give the same counts and readings for a segment renamed and reordered."""
    rng = random.Random(50_000 + seed)
    hosts = [f"h{i}" for i in range(4)]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.4]
    names = dict(zip(hosts, rng.sample(["GW", "G", "X", "web-1", "DB"], 4)))
    order = rng.sample(hosts, 4)
    specs = ["G !({0} in {{X, D, Z}} & {1} in {{X, D, Z}})", "G (active >= 2)"]

    def reading(rename, order):
        game = network_game(
            [rename[h] for h in order], [(rename[a], rename[b]) for a, b in links], rename["h0"]
        )
        clauses = [text.format(rename["h2"], rename["h3"]) for text in specs]
        solution = solve(configure(game, clauses, ["G (times(destroy) <= 1)"]))
        return solution.shells, solution.defensible, static_reading(solution)

    assert reading({h: h for h in hosts}, hosts) == reading(names, order)


@pytest.mark.parametrize("n_hosts", [3, 4, 5])
@pytest.mark.parametrize("density", [0.2, 0.5, 0.9])
def test_engines_agree_on_random_segments(n_hosts, density):
    """Should agree on networks too, beyond the oracle's size."""
    for seed in range(3):
        game = random_segment(random.Random(seed), n_hosts, density)
        configuration = configure(
            game,
            [f"G !(h0 in {{Z}} & h{n_hosts - 1} in {{X, D, Z}})", f"G (active >= {n_hosts - 2})"],
            ["G (times(destroy) <= 2)"],
        )
        one, other = solve(configuration, "explicit"), solve(configuration, "symbolic")
        assert one.shells == other.shells
        assert one.defensible == other.defensible
        assert static_reading(one) == static_reading(other)


def test_random_games_cover_both_kinds():
    """Should draw factored and tabulated games, so that the comparisons above mean something."""
    kinds = {random_game(random.Random(seed)).tables is None for seed in range(50)}
    assert kinds == {True, False}
