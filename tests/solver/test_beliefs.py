"""Sight: both engines against the slow twin, and the proofs that a verdict brings."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from cases import TIMES
from hidden_games import random_hidden_game, random_sight
from holdfast.budget import UNLIMITED
from holdfast.game.configuration import Position
from holdfast.game.sight import with_sensors
from holdfast.logic.expressions import Player
from holdfast.models.network.game import system_of
from holdfast.scenario.reading import configuration, read_scenario
from holdfast.solver.beliefs import NOBODY, SeenMoves, initial_beliefs, solve_beliefs
from holdfast.solver.engines import solve
from paths import SCENARIOS
from reference import Product
from reference_beliefs import TooManyBeliefsError, holds_blindly, looks
from sights import random_watched_scenario, whole_game
from strategies import random_configuration

N_GAMES = 150 * TIMES


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
    print(seen)


def executed(oracle, answer):
    """Every admissible play against a controller that is told what is seen alone; how many places it comes to."""
    names = [action.name for action in oracle.configuration.game.actions[Player.ADVERSARY]]
    look = looks(oracle, answer.sight.seen)

    def bits(position):
        return sum(bit << i for i, bit in enumerate(look(position)))

    def replies(position):
        """What is seen after each answer, and where it leads."""
        for action, after in oracle.admissible(position).items():
            noticed = action if names[action] in answer.sight.noticed else NOBODY
            yield (bits(after), noticed), after

    v = oracle.initial
    starts = [((bits(v), NOBODY), v)] if v[1] is Player.DEFENDER else list(replies(v))
    queue = [(answer.start[seen], after) for seen, after in starts]
    reached = set(queue)
    for number, position in queue:
        stance = answer.stances[number]
        assert position not in oracle.unsafe and Position(*position) in stance.belief
        made = oracle.admissible(position)[stance.action]
        assert made not in oracle.unsafe
        for seen, after in replies(made):
            assert after not in oracle.unsafe
            place = stance.after[bits(made), seen], after
            if place not in reached:
                reached.add(place)
                queue.append(place)
    return len(reached)


def test_the_controller_against_every_play():
    """Should never come to a violation, with nothing to go by but what is seen."""
    n_games = n_places = 0
    for seed in range(N_GAMES // 3):
        rng = random.Random(f"played {seed}")
        chosen = random_hidden_game(rng) if seed % 3 else random_configuration(rng, 600)
        sight, solution = random_sight(rng, chosen), solve(chosen)
        answer = solve_beliefs(solution, sight)
        if answer.defensible:
            n_games, n_places = n_games + 1, n_places + executed(Product(chosen), answer)
    for seed in range(4 * TIMES):
        text = random_watched_scenario(random.Random(f"watched {seed}"))
        chosen = whole_game(text).configuration
        answer = solve_beliefs(solve(chosen), chosen.system.sight)
        if answer.defensible:
            n_games, n_places = n_games + 1, n_places + executed(whole_game(text), answer)
    assert n_games > 20 and n_places > 5 * n_games


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
