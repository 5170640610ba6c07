"""Both engines held against the literal oracle."""

from __future__ import annotations

import pytest

from holdfast.game.configuration import Position
from holdfast.game.structure import choices
from holdfast.logic.expressions import Player
from holdfast.readings.metrics import shell_steepness, shield_latitude, winning_fraction
from holdfast.solver.engines import solve
from holdfast.solver.shield import reachable, safe_actions
from reference import Product


def engines_for(configuration):
    return ["explicit"] if configuration.game.tables is not None else ["explicit", "symbolic"]


def effective(oracle, v):
    """The choices of the defender at a position, by their first outcome, that may change the state."""
    after = oracle.successors[v]
    for outcomes in choices(oracle.configuration.game, Player.DEFENDER):
        if all(n in after for n in outcomes) and any(after[n][0] != v[0] for n in outcomes):
            yield outcomes[0]


def compare(configuration, rng, note, product=Product):
    oracle = product(configuration)
    assert configuration.n_positions == len(oracle.positions), note
    assert configuration.n_unsafe == len(oracle.unsafe), note
    assert tuple(configuration.initial) == oracle.initial, note
    reach = oracle.reachable()
    for engine in engines_for(configuration):
        at = f"{note}, engine {engine}"
        solution = solve(configuration, engine)
        assert solution.shells == oracle.shells(), at
        assert solution.n_winning == len(oracle.winning), at
        assert solution.defensible == oracle.defensible, at
        assert winning_fraction(solution) == oracle.win(), at
        assert shell_steepness(solution.shells) == pytest.approx(oracle.stp(), abs=1e-12), at
        found = reachable(solution)
        assert (found is None) == (reach is None), at
        if found is not None:
            assert found.n_positions == len(reach), at
            own = [v for v in reach if v[1] is Player.DEFENDER]
            assert found.n_defender == len(own), at
            changing = [(v, n) for v in own for n in effective(oracle, v)]
            n_both = sum(n in oracle.safe(v) for v, n in changing)
            assert (found.n_effective, found.n_effective_permitted) == (len(changing), n_both), at
        n_actions = len(choices(configuration.game, Player.DEFENDER))
        assert shield_latitude(found, n_actions) == oracle.slt(), at
        for v in rng.sample(oracle.positions, min(12, len(oracle.positions))):
            assert solution.regions.rank(Position(*v)) == oracle.rank.get(v), (at, v)
            assert safe_actions(solution, Position(*v)) == oracle.safe(v), (at, v)
    return oracle
