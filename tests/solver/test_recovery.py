"""Recovery: the paper's cases, both engines against the slow twin, bounded formulas, certified traps and laws."""

from __future__ import annotations

import math
import random
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import product
from unittest.mock import patch

import pytest

from cases import TIMES
from gr1_games import won_again_and_again
from holdfast.game.configuration import Position, configure
from holdfast.game.interventions import interventions_of
from holdfast.game.numerals import NEVER
from holdfast.logic.expressions import Player
from holdfast.logic.parser import parse_predicate
from holdfast.models.network.game import network_system, system_of
from holdfast.scenario.reading import configuration as configuration_of, read_scenario
from holdfast.solver.engines import solve
from holdfast.solver.explicit import ArrayRegions
from holdfast.solver.recovery import RecoveryLayers, recovery_layers, recovery_profile
from holdfast.solver.recovery_search import RankSearch
from holdfast.solver.surroundings import returning
from holdfast.solver.symbolic import DiagramRegions
from reference import Product
from reference_recovery import again, efforts, goal_positions, ranks
from strategies import random_configuration, random_predicate, with_idle_action, with_random_goal

N_GAMES = 100 * TIMES

PAPER = {
    None: (NEVER, NEVER, NEVER, NEVER),
    "fully-connected": (NEVER, NEVER, NEVER, NEVER),
    "unlimited-destroys": (NEVER, NEVER, NEVER, NEVER),
    "two-active": (6, 12, 18, 24),
    "no-bypass": (4, 8, NEVER, NEVER),
}
"""Evicted and recovered within so many moves; and where a compromise must be detected before it is isolated."""


@pytest.mark.parametrize("variant", PAPER)
@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_the_five_cases_of_the_paper(variant, engine):
    """Should have the figures of the prototype, by both engines; and a network's own goals."""
    configuration = configuration_of(read_scenario("scenarios/paper.yaml"), variant)
    segment = configuration.system.rebuild.args[0]
    detecting = replace(configuration, system=system_of(replace(segment, isolate_detected=True)))
    solutions = [solve(one, engine) for one in (configuration, detecting)]
    profiles = [recovery_profile(one, goal) for one in solutions for goal in ("evicted", "recovered")]
    assert tuple(profile.moves for profile in profiles) == PAPER[variant]
    for profile in profiles:
        assert (profile.effort == NEVER) == (profile.moves == NEVER) == (not profile.again)


WAYS = ("listed", "windows", "balls", "clusters", "in turn")


@contextmanager
def forced_way(way):
    """Recovery decided by listing, first by windows, balls or clusters, or by whoever has done least."""
    last, known = 10**9, RankSearch.exactly

    def later(search, forcing, budget):
        yield last
        yield from known(search, forcing, budget)

    listable = patch.multiple(DiagramRegions, listable=way == "listed")
    arrays = patch.multiple(ArrayRegions, listable=way == "listed")
    sizes = patch.multiple("holdfast.solver.recovery", FIRST=1, STRIDE=1, HEAD_START=0)
    with listable, arrays, sizes, patch("holdfast.solver.surroundings.NARROW", 1):
        exactly = known if way in ("listed", "in turn") else later
        parts = {"windows": "_about_start", "balls": "_about_goal", "clusters": "_clusters"}
        with patch.multiple(RankSearch, exactly=exactly), ExitStack() as others:
            for other in parts.values() if way in parts else ():
                if other != parts[way]:
                    others.enter_context(patch.object(RecoveryLayers, other, lambda *words: iter(())))
            yield


def compare(configuration, rng, note, seen):
    """Both engines, by each way to decide it, against the twin; what was seen."""
    oracle, goal = Product(configuration), configuration.goals["goal"]
    rank, visited = ranks(oracle, goal), again(oracle, goal)
    never = oracle.winning - set(rank)
    actions = interventions_of(configuration)
    cost = {} if actions is None else efforts(oracle, goal, actions.costs, rank)
    some = rng.sample(sorted(oracle.winning), min(4, len(oracle.winning)))
    sizes = Counter(rank.values())
    for engine in ["explicit"] if configuration.game.tables is not None else ["explicit", "symbolic"]:
        solution = solve(configuration, engine)
        at = f"{note}, engine {engine}"
        whole = RecoveryLayers(solution, goal)
        assert [layer.count() for layer in whole.ranks()][: len(sizes)] == [
            sizes[k] for k in sorted(sizes)
        ], at
        assert whole.never().count() == len(never), at
        assert whole.again().count() == len(visited), at
        assert all((Position(*v) in whole.again()) == (v in visited) for v in some), at
        assert all((Position(*v) in whole.never()) == (v in never) for v in some), at
        for way in WAYS:
            with forced_way(way):
                for v in some:
                    position, layers = Position(*v), RecoveryLayers(solution, goal)
                    layers._start = position
                    here = (at, way, v)
                    proof = layers.proof(position)
                    assert layers.rank(position) == rank.get(v), here
                    check_proof(oracle, goal, proof, v, here)
                    seen["caught"] += way == "clusters" and v in never and len(layers._all.ranks) == 1
                    if layers._windows and len(layers._all.ranks) == 1:
                        seen[f"{way} without W"] += 1
                    if v in rank:
                        assert layers.is_again(position) == (v in visited), here
                        if cost:
                            assert layers.effort(position) == cost[v], here
    return oracle, rank, never, visited, cost


def check_proof(oracle, goal, proof, v, note):
    """Should be what its words say, position by position."""
    if proof.trap is None:
        assert Position(*v) in proof.ranks[-1], note
        return
    trap = {w for w in oracle.winning if Position(*w) in proof.trap}
    assert v in trap, note
    for w in trap:
        moves = [t for t in oracle.admissible(w).values() if t in oracle.winning]
        if w[1] is Player.DEFENDER:
            assert all(t in trap for t in moves), note
        else:
            assert not moves or any(t in trap for t in moves), note


def test_recovery_equals_the_slow_twin_on_random_games():
    """Should agree in counts, in ranks, in Büchi sets and in effort; first movers and resting included."""
    seen = Counter()
    for seed in range(N_GAMES):
        rng = random.Random(f"recovery {seed}")
        configuration = random_configuration(
            rng, 72, with_idle_action if rng.random() < 0.7 else lambda r, g: g
        )
        configuration = with_random_goal(rng, configuration)
        costs = {a.name: rng.choice((0, 1, 2, 3)) for a in configuration.game.actions[Player.DEFENDER]}
        costs = costs if rng.random() < 0.4 else {}
        configuration = replace(configuration, costs=costs)
        oracle, rank, never, visited, cost = compare(configuration, rng, f"seed {seed}", seen)
        seen["rank 2 or more"] += max(rank.values(), default=0) > 1
        seen["rank 4 or more"] += max(rank.values(), default=0) > 3
        seen["never"] += bool(never)
        seen["not again"] += bool(set(rank) - visited)
        seen["effort 2 or more"] += any(1 < x < math.inf for x in cost.values())
        seen["resting"] += any(not oracle.admissible(v) for v in oracle.winning)
        seen["defender first"] += configuration.game.first is Player.DEFENDER
        seen["tabulated"] += configuration.game.tables is not None
    assert len(seen) == 11 and min(seen.values()) > 0, seen


def segment(seed, n_hosts=4, entry="h0", **options):
    rng = random.Random(f"segment {seed}")
    hosts = [f"h{i}" for i in range(n_hosts)]
    links = [(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.4] or [("h0", "h1")]
    system = network_system(hosts, links, entry, None, **options)
    lost = f"G !({hosts[-1]} in {{X, D, Z}} & {hosts[-2]} in {{X, D, Z}})"
    return configure(system, [lost, f"G (active >= {rng.choice((1, 2))})"], ["G (times(destroy) <= 1)"])


@pytest.mark.parametrize("seed", range(6 * TIMES))
def test_a_bounded_formula_holds_from_the_rank_on(seed):
    """Should agree with F[<=k], which compiles and solves another game: k from the rank on, and none before."""
    configuration = segment(seed)
    solution = solve(configuration)
    if not solution.defensible:
        return
    for goal, formula in (("evicted", "count(* in {X, D}) = 0"), ("recovered", "count(* in {C}) = 4")):
        moves = recovery_profile(solution, goal).moves
        for k in range(1, 11):
            bounded = [c.automaton for c in configuration.requirement] + [f"F[<={k}] ({formula})"]
            asked = configure(configuration.system, bounded, [c.automaton for c in configuration.boundary])
            assert solve(asked).defensible == (moves != NEVER and moves <= k), (goal, k)


def test_windows_of_networks_say_what_all_of_w_says():
    """Should find the moves, the effort and the Büchi verdict of the start, entries exposed or not, seen first or not."""
    seen = Counter()
    for seed in range(10 * TIMES):
        exposed = ("h1",) if seed % 3 == 0 else ()
        solution = solve(segment(seed, 4, isolate_detected=seed % 2 == 0, exposed=exposed), "symbolic")
        if not solution.defensible:
            continue
        initial = solution.configuration.initial
        for goal in solution.configuration.goals.values():
            answers = []
            for way in ("listed", "windows"):
                with forced_way(way):
                    layers = RecoveryLayers(solution, goal)
                    moves = layers.proof(initial).moves
                    answers.append((moves,))
                    if moves != NEVER:
                        answers[-1] += (layers.effort(initial), layers.is_again(initial))
            assert answers[0] == answers[1], (seed, goal)
            seen["never" if moves == NEVER else "forced"] += 1
            seen["by windows"] += len(layers._all.ranks) == 1
    assert len(seen) == 3 and min(seen.values()) > 0, seen


def test_a_trap_of_one_goal_decides_again_and_again_for_the_next():
    """Should say what each goal alone says, where nobody is inside at the start."""
    seen = Counter()
    for seed in range(12 * TIMES):
        slow = seed % 2 == 0
        solution = solve(segment(seed, entry=None, exposed=("h0", "h1"), isolate_detected=slow), "symbolic")
        initial = solution.configuration.initial
        for name, goal in solution.configuration.goals.items() if solution.defensible else ():
            with forced_way("listed"):
                expected = RecoveryLayers(solution, goal).is_again(initial)
            with forced_way("windows"):
                layers = recovery_layers(solution, name)
                assert layers.is_again(initial) == expected, (seed, name)
            seen["again" if expected else "not again"] += 1
            seen["by the other goal"] += not expected and not layers._traps
    assert len(seen) == 3 and min(seen.values()) > 0, seen


def test_laws_on_random_segments():
    """Should be evicted no later than recovered; and never later with fewer links, or with a defender that can more."""
    order = {NEVER: math.inf}
    compared = 0
    for seed in range(25 * TIMES):
        solution = solve(segment(seed), "symbolic")
        if not solution.defensible:
            continue
        evicted, recovered = (recovery_profile(solution, goal) for goal in ("evicted", "recovered"))
        assert order.get(evicted.moves, evicted.moves) <= order.get(recovered.moves, recovered.moves)
        assert evicted.share >= recovered.share
        assert (evicted.longest != NEVER) == evicted.everywhere
        system = solution.configuration.system
        fewer = replace(solution.configuration, system=system.without(system.parts[:1]))
        lesser = replace(
            solution.configuration, system=system_of(replace(system.rebuild.args[0], isolate_detected=True))
        )
        soon = recovery_profile(solve(fewer), "evicted").moves
        assert order.get(soon, soon) <= order.get(evicted.moves, evicted.moves)
        late = solve(lesser)
        if late.defensible:
            moves = recovery_profile(late, "evicted").moves
            assert order.get(moves, moves) >= order.get(evicted.moves, evicted.moves)
            compared += 1
    assert compared > 5


def test_a_known_trap_serves_the_next_goal():
    """Should not look for what is proved already: who cannot be evicted cannot be recovered from either."""
    solution = solve(configuration_of(read_scenario("scenarios/paper.yaml")))
    initial = solution.configuration.initial
    first = recovery_layers(solution, "evicted").proof(initial)
    assert recovery_layers(solution, "recovered").proof(initial) is first


def test_memories_from_which_one_can_come_back():
    """Should be those on a walk of the clauses from where they are to there, however long."""
    seen = Counter()
    for seed in range(200 * TIMES):
        rng = random.Random(f"memories {seed}")
        automata = random_configuration(rng, 60).adversary
        memory = tuple(rng.randrange(a.n_states) for a in automata)
        found = returning(automata, memory)
        for other in product(*(range(a.n_states) for a in automata)):
            there_and_back = all(
                t in walked(a, s) and s in walked(a, t) for a, s, t in zip(automata, memory, other)
            )
            assert (other in found) == there_and_back, (seed, other)
            seen["alone" if len(found) == 1 else "several"] += other == memory
            seen["not back"] += not there_and_back
    assert len(seen) == 3 and min(seen.values()) > 0, seen


def walked(automaton, state):
    """Where walks of an automaton lead, of any length up to the number of its states."""
    met = {state}
    for _ in range(automaton.n_states):
        met |= {target for own in met for target in automaton.delta[own]}
    return met


def test_again_and_again_equals_a_solver_from_outside():
    """Should be the winning set that gr1py finds, position by position, by both engines."""
    seen = Counter()
    for seed in range(100 * TIMES):
        rng = random.Random(f"outside {seed}")
        configuration = random_configuration(rng, 60)
        oracle, vocabulary = Product(configuration), configuration.game.vocabulary
        if not oracle.winning:
            continue
        engines = ["explicit"] if configuration.game.tables is not None else ["explicit", "symbolic"]
        solutions = [solve(configuration, engine) for engine in engines]
        for _ in range(3):
            goal = parse_predicate(random_predicate(rng, vocabulary, moves=False), vocabulary)
            expected = won_again_and_again(oracle, goal_positions(oracle, goal))
            for solution in solutions:
                visited = RecoveryLayers(solution, goal).again()
                assert {v for v in oracle.positions if Position(*v) in visited} == expected, (seed, goal)
            reached = set(ranks(oracle, goal))
            seen["some"] += 0 < len(expected) < len(oracle.winning)
            seen["once and not again"] += expected < reached
            seen["resting"] += any(not oracle.admissible(v) for v in oracle.winning)
            seen["compared"] += 1
    assert seen["compared"] > 200 * TIMES and len(seen) == 4 and min(seen.values()) > 15, seen
