"""Sight: both engines against the slow twin, and the proofs that a verdict brings."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from cases import TIMES
from holdfast.budget import UNLIMITED
from holdfast.game.configuration import configure
from holdfast.game.sight import Sight, with_sensors
from holdfast.game.structure import Action, GameStructure, Rule
from holdfast.logic.expressions import Member, Number, Player, Variable, conjunction
from holdfast.logic.parser import parse_predicate
from holdfast.models.network.game import system_of
from holdfast.scenario.reading import configuration, read_scenario
from holdfast.solver.beliefs import SeenMoves, initial_beliefs, solve_beliefs
from holdfast.solver.engines import solve
from paths import SCENARIOS
from reference import Product
from reference_beliefs import TooManyBeliefsError, holds_blindly
from strategies import random_configuration, random_predicate

N_GAMES = 150 * TIMES


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


def random_hidden_game(rng):
    """A game of three variables in which every move leads anywhere, and much depends on what is not seen."""
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

    game = GameStructure(
        variables=variables,
        initial=states[0],
        first=rng.choice(list(Player)),
        actions={
            player: tuple(
                action(f"{player.value[0]}{n}")
                for n in range(rng.choice((2, 3, 4) if player is Player.DEFENDER else (1, 2)))
            )
            for player in Player
        },
        dominance=Number(Fraction(1)),
    )
    safe = " & ".join(f"!(a = {a} & b = {b} & c = {c})" for a, b, c in bad) or "true"
    boundary = [] if rng.random() < 0.5 else ["G (times(a0) <= 2)"]
    return configure(game, [f"G ({safe})"], boundary)


def check_proof(solution, answer):
    """A controller never leaves what it knows; a refutation rests on what was lost before."""
    moves = SeenMoves(solution, answer.sight)
    starts = initial_beliefs(solution, moves, UNLIMITED)
    if answer.defensible:
        assert starts.keys() == answer.start.keys()
        for look, belief in starts.items():
            assert belief <= answer.stances[answer.start[look]].belief
        for stance in answer.stances:
            assert stance.belief and stance.belief <= moves.safe(stance.action)
            after = dict(moves.after(stance.belief, stance.action, UNLIMITED))
            assert after.keys() == stance.after.keys()
            for look, belief in after.items():
                assert belief <= answer.stances[stance.after[look]].belief
        return
    ((look, number),) = answer.start.items()
    assert answer.lost[number].belief <= starts[look]
    for n, lost in enumerate(answer.lost):
        for action, refuted in enumerate(lost.refuted):
            if refuted is None:
                assert not lost.belief <= moves.safe(action)
            else:
                seen, earlier = refuted
                assert earlier < n
                assert answer.lost[earlier].belief <= dict(moves.after(lost.belief, action, UNLIMITED))[seen]


def test_both_engines_against_the_slow_twin():
    """Should agree on every verdict, with a proof that is one."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(seed)
        configuration = random_hidden_game(rng) if seed % 3 else random_configuration(rng, 600)
        sight = random_sight(rng, configuration)
        oracle = Product(configuration)
        try:
            held, _ = holds_blindly(oracle, sight.seen, sight.noticed)
        except TooManyBeliefsError:
            seen["too many"] += 1
            continue
        engines = ["explicit"] if configuration.game.tables is not None else ["explicit", "symbolic"]
        for engine in engines:
            solution = solve(configuration, engine)
            answer = solve_beliefs(solution, sight)
            assert answer.defensible == held, f"seed {seed}, {engine}"
            if solution.defensible:
                check_proof(solution, answer)
        seen[oracle.defensible, held] += 1
    assert seen[True, False] > 0 and seen[True, True] > 0, seen


@pytest.mark.parametrize("detected", [False, True])
def test_the_five_cases_of_the_paper_need_no_sensor(detected):
    """Should hold blind, and so with each single sensor, as docs/how-to/sight.md has it."""
    scenario = read_scenario(SCENARIOS / "paper.yaml")
    for variant in (None, *scenario.variants):
        here = configuration(scenario, variant)
        if detected:
            system = system_of(replace(here.system.rebuild.args[0], isolate_detected=True))
            here = replace(here, system=system)
        solution = solve(here)
        for placed in ((), *((host,) for host in here.system.sight.sensors)):
            assert solve_beliefs(solution, with_sensors(here.system.sight, placed)).defensible
