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
from holdfast.solver.recovery import recovery_layers
from holdfast.solver.seen_profile import seen_profile
from paths import ROOT, SCENARIOS
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


CASES = {
    "1, reference": None,
    "2, fully connected": "fully-connected",
    "3, unlimited destroys": "unlimited-destroys",
    "4, two active": "two-active",
    "5, no bypass": "no-bypass",
}


def documented_cells():
    """The table of docs/how-to/sight.md: by case, game and column what it says."""
    lines = (ROOT / "docs/how-to/sight.md").read_text().splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("| case | game |"))
    columns = [cell.strip() for cell in lines[head].strip("|").split("|")][2:]
    cells = {}
    for line in lines[head + 2 : head + 12]:
        case, game, *row = [cell.strip() for cell in line.strip("|").split("|")]
        cells |= {(case, game, column): said for column, said in zip(columns, row, strict=True)}
    return cells


@pytest.mark.parametrize("game", ["the paper's", "detection first"])
def test_the_five_cases_of_the_paper(game):
    """Should hold blind and with each single sensor, and evict within the moves that the docs tell."""
    scenario, said = read_scenario(SCENARIOS / "paper.yaml"), documented_cells()
    for case, variant in CASES.items():
        here = configuration(scenario, variant)
        if game == "detection first":
            system = system_of(replace(here.system.rebuild.args[0], isolate_detected=True))
            here = replace(here, system=system)
        solution = solve(here)
        evicted = recovery_layers(solution, "evicted").proof(here.initial).moves
        assert said.pop((case, game, "all seen")) == f"held, {evicted}"
        for column in ("none", *here.system.sight.sensors):
            sight = with_sensors(here.system.sight, () if column == "none" else (column,))
            assert solve_beliefs(solution, sight).defensible
            words, _, moves = said.pop((case, game, column)).partition(", ")
            assert words == "held"
            quick = (variant, column) in (("unlimited-destroys", "none"), ("two-active", "Web"))
            if TIMES > 1 or (quick and game == "the paper's"):  # all beliefs of the others take minutes
                assert moves == str(seen_profile(solution, sight).recovery["evicted"]), (case, column)
    assert all(other != game for _, other, _ in said), said
