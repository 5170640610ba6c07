"""The network model with every option, against the literal transcription of tests/segments.py."""

import random
from collections import Counter

import pytest

from holdfast.engines import solve
from holdfast.game import after_reset, successor
from holdfast.logic.expressions import Player
from holdfast.scenario.load import configuration, scenario_from_text
from segments import Literal, actions, after, dominance, random_design, reset, scenario, start, states
from test_engines import compare

N_GAMES, N_SOLVED, N_COMPARED = 150, 150, 30


def built(seed, n_hosts=None):
    """A design, its text and its configuration."""
    rng = random.Random(seed)
    design = random_design(rng, n_hosts)
    text = scenario(design, rng)
    return design, text, configuration(scenario_from_text(text))


def freeze(game, state):
    return tuple(v.values.index(state[v.name]) for v in game.variables)


def test_the_game_is_what_the_words_say():
    """Should have the actions, moves, dominance, start and resets of the literal transcription."""
    seen = Counter()
    for seed in range(N_GAMES):
        design, text, found = built(seed)
        game, note = found.game, f"seed {seed}: {text}"
        assert game.initial == freeze(game, start(design)), note
        for player in Player:
            named = [f"{kind}({target})" for kind, target in actions(design, player)]
            assert [action.name for action in game.actions[player]] == named, note
        for state in states(design):
            here = freeze(game, state)
            assert game.mu(here) == dominance(design, state), note
            again = reset(design, state)
            assert after_reset(game, here) == (None if again is None else freeze(game, again)), note
            for player in Player:
                for number, (kind, target) in enumerate(actions(design, player)):
                    new = freeze(game, after(design, state, kind, target))
                    assert successor(game, player, number, here) == new, (note, state, kind, target)
        seen.update(
            key for key in ("cannot", "values", "actions", "tempo", "conduits", "exposed") if design[key]
        )
        seen["detected"] += design["isolate"] == "detected"
        seen["several entries"] += len(design["entries"]) > 1
        seen["no entry"] += not design["entries"]
        seen["reset"] += game.reset is not None
    assert all(seen[kind] > N_GAMES / 20 for kind in seen), seen
    assert len(seen) == 10


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_verdict_is_that_of_the_literal_game(engine):
    """Should find the same verdict and the same rank at the start, tempo and budgets counted by hand."""
    seen = Counter()
    for seed in range(1000, 1000 + N_SOLVED):
        design, text, found = built(seed, n_hosts=2)
        literal = Literal(design)
        solution = solve(found, engine)
        assert solution.initial_rank == literal.rank.get(literal.first), f"seed {seed}: {text}"
        seen["slow"] += bool(design["tempo"])
        seen["deep"] += (solution.initial_rank or 0) >= 2
        seen[solution.defensible] += 1
    assert all(seen[kind] > N_SOLVED / 4 for kind in (True, False, "slow")), seen
    assert seen["deep"] >= 3, seen


def test_both_engines_equal_the_oracle():
    """Should agree on counts, shells, ranks, Safe, R and readings, all options mixed."""
    n = 0
    for seed in range(2000, 4000):
        _, text, found = built(seed)
        if found.n_positions <= 6000:
            compare(found, random.Random(seed), f"seed {seed}: {text}")
            n += 1
        if n == N_COMPARED:
            return
    raise AssertionError("too few designs are small enough")
