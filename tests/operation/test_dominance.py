"""The exact operating point: the tried figures, a brute-force minimax, and the laws of perfect play."""

from __future__ import annotations

import itertools
import math
import random
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from cases import TIMES
from holdfast.arena import bellman
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.actions import Reset
from holdfast.game.array_games import from_arrays
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol, reset_chance
from holdfast.logic.expressions import Member, Number, Player
from holdfast.operation.dominance import exact_dominance, exploitability, optimal_actions
from holdfast.operation.mean_payoff import long_run
from holdfast.operation.training import grounds
from holdfast.operation.training.minimax_q import greedy_actions, greedy_policies, train
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from interpreters import compiled_and_plain
from paper_cases import PERFECT, VARIANTS
from paths import ROOT
from reference_learning import ShieldPlay
from reference_minimax import Minimax
from stakes import with_stakes
from strategies import random_configuration, random_tables
from variations import with_game

TREMBLING = {"1": 0.7248, "2": 0.3159, "3": 0.5555, "4": 0.7939, "5": 0.7908}
N_ARENAS = 1000 * TIMES


@cache
def arena_of(number: str):
    return shielded_arena(solve(load(ROOT / "scenarios" / "paper.yaml", VARIANTS[number])))


# -- small arenas, drawn at random ----------------------------------------------------------------------


@cache
def defensible(seed: int):
    """A random configuration that is; every fifth is factored, with clauses of all kinds."""
    rng = random.Random(seed)
    while True:
        configuration = random_tables(rng) if seed % 5 else random_configuration(rng, 600)
        if solve(configuration, "explicit").defensible:
            return configuration


@cache
def small(seed: int):
    """(The shield, the arena) of a defensible configuration with random μ and, if not refused, a random reset."""
    rng = random.Random(-seed - 1)
    configuration = with_stakes(defensible(seed // 8), rng)
    game = configuration.game
    if game.reset is not None:
        reset = replace(game.reset, probability=Fraction(rng.randint(1, 4), 4))
        configuration = with_game(configuration, replace(game, reset=reset))
    solution = solve(configuration, "explicit")
    try:
        return ShieldPlay(solution), shielded_arena(solution)
    except ModelError:
        solution = solve(with_game(configuration, replace(game, reset=None)), "explicit")
        return ShieldPlay(solution), shielded_arena(solution)


def some_arenas(start: int, count: int, least: int = 2):
    """Arenas with at least so many positions, with their seeds."""
    found = ((seed, small(seed)[1]) for seed in itertools.count(start))
    return itertools.islice(((seed, arena) for seed, arena in found if arena.n_positions >= least), count)


# -- the tried figures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", VARIANTS)
def test_tried_figures(number):
    """Should give the table of the design to four digits, both without and with trembling."""
    found = exact_dominance(arena_of(number), Protocol())
    assert round(found.value, 4) == PERFECT[number]
    assert round(found.tremble, 4) == TREMBLING[number]
    assert (found.epsilon, found.steps, found.reset_probability) == (0.1, 1000, 0.1)
    assert found.n_positions == arena_of(number).n_positions
    assert exact_dominance(arena_of(number), epsilon=0).tremble == found.value


@pytest.mark.parametrize("number", VARIANTS)
def test_long_run_of_the_paper(number):
    """Should close the gap, near what an episode ten times as long is worth."""
    found = long_run(arena_of(number))
    assert found.reached and 0 <= found.gap <= 1e-6
    longer = exact_dominance(arena_of(number), Protocol(steps=10_000), epsilon=0).value
    assert abs(longer - found.low) < 1e-3


# -- brute force ----------------------------------------------------------------------------------------


def test_brute_force_minimax():
    """Should agree with the recursion to 1e-12 on thousands of arenas, with resets, rests and trembles."""
    n_resets = n_resting = 0
    for seed in range(N_ARENAS):
        play, arena = small(seed)
        rng = random.Random(-seed - 1)
        steps, epsilon = rng.randint(1, 6), Fraction(rng.randint(1, 9), 10)
        protocol = Protocol(steps=steps)
        p = reset_chance(protocol, arena.configuration.game)
        found = exact_dominance(arena, protocol, epsilon=float(epsilon))
        exact = Minimax(play, p)
        trembling = Minimax(play, p, epsilon)
        assert abs(found.value - exact.before_reset(play.initial, steps) / steps) < 1e-12, seed
        assert abs(found.tremble - trembling.before_reset(play.initial, steps) / steps) < 1e-12, seed
        check_opening(exact, found, play, steps)
        n_resets += bool((arena.reset >= 0).any())
        n_resting += bool((np.diff(arena.first) == 0).any())
    assert n_resets > N_ARENAS / 4 and n_resting > N_ARENAS / 20


def check_opening(exact, found, play, steps):
    """The opening is the least action of the best."""
    safe = play.safe(play.initial)
    if not safe:
        assert found.opening is None
        return
    worth = {a: exact.before_reset(play.move(play.initial, a), steps - 1) for a in safe}
    best = max(worth.values()) if play.initial[1] is Player.DEFENDER else min(worth.values())
    assert abs(worth[found.opening] - best) < 1e-12


def test_brute_force_responses():
    """Should agree with the recursion when one player, or both, follow a policy."""
    for seed, arena in some_arenas(0, 250):
        play = small(seed)[0]
        rng = random.Random(seed)
        chosen = [rng.choice(arena.safe(v) or (-1,)) for v in range(arena.n_positions)]
        number = {tuple(arena.position(v)): v for v in range(arena.n_positions)}
        if len(number) < arena.n_positions or play.initial not in number:
            continue

        def follow(v, chosen=chosen, number=number):
            return chosen[number[v]]

        protocol, epsilon = Protocol(steps=rng.randint(1, 5)), Fraction(rng.choice((0, 1, 5)), 10)
        p = reset_chance(protocol, arena.configuration.game)
        found = exploitability(arena, chosen, protocol, epsilon=float(epsilon))
        fixed = {
            "guaranteed": (Player.DEFENDER,), "conceded": (Player.ADVERSARY,), "played": tuple(Player), "value": (),
        }  # fmt: skip
        for name, players in fixed.items():
            exact = Minimax(play, p, epsilon, dict.fromkeys(players, follow))
            try:
                expected = exact.before_reset(play.initial, protocol.steps) / protocol.steps
            except KeyError:  # rejecting states of φ_A, which the arena does not tell apart
                break
            assert abs(getattr(found, name) - expected) < 1e-12, (seed, name)


def chain_gain(arena, p, choice):
    """The long-run mean of μ from v₀ when both players follow ``choice``, by the limit of a lazy chain."""
    n = arena.n_positions
    reset = np.eye(n)
    for v in np.flatnonzero(arena.reset >= 0):
        reset[v] = (1 - p) * reset[v]
        reset[v, arena.reset[v]] += p
    step = np.zeros((n, n))
    for v in range(n):
        step[v, arena.successor[choice[v]] if choice[v] >= 0 else v] = 1
    limit = (np.eye(n) + step @ reset) / 2
    for _ in range(40):
        limit = limit @ limit
        limit /= limit.sum(axis=1, keepdims=True)
    return (reset @ limit @ arena.mu[arena.state])[arena.initial]


def test_brute_force_long_run():
    """Should enclose the best of all stationary policies against the best of all others."""
    n_played = n_resets = 0
    for seed, arena in some_arenas(0, 280, least=3):
        options = [
            range(arena.first[v], arena.first[v + 1]) if arena.safe(v) else (-1,) for v in range(arena.n_positions)
        ]  # fmt: skip
        if not 2 <= math.prod(map(len, options)) <= 150:
            continue
        p = reset_chance(Protocol(), arena.configuration.game)
        worst = {}
        for choice in itertools.product(*options):
            defender = tuple(c for v, c in enumerate(choice) if arena.mover[v] == 0)
            gain = chain_gain(arena, p, choice)
            worst[defender] = min(worst.get(defender, 1.0), gain)
        found = long_run(arena)
        assert found.low - 1e-9 <= max(worst.values()) <= found.high + 1e-9, seed
        assert found.reached, seed
        n_played += 1
        n_resets += bool((arena.reset >= 0).any())
    assert n_played > 60 and n_resets > 20


def test_long_run_stopped_early():
    """Should still give bounds that hold, and say that they are wide."""
    full = long_run(arena_of("4"))
    for max_sweeps in (1, 10, 64, 100, 300):
        found = long_run(arena_of("4"), precision=1e-9, max_sweeps=max_sweeps)
        assert 0 <= found.low <= full.high and full.low <= found.high <= 1
        assert not found.reached or found.gap <= 1e-9
    assert not long_run(arena_of("4"), max_sweeps=1).reached
    with pytest.raises(InputError, match="precision of 0"):
        long_run(arena_of("4"), precision=0)


# -- exploitability -------------------------------------------------------------------------------------


def played_mean(arena, chosen, protocol, seed):
    """The mean of μ over one episode in which both players do what was chosen, move by move."""
    rng, v, total = random.Random(seed), arena.initial, 0.0
    p = reset_chance(protocol, arena.configuration.game)
    for _ in range(protocol.steps):
        if arena.reset[v] >= 0 and rng.random() < p:
            v = int(arena.reset[v])
        total += arena.mu[arena.state[v]]
        v = int(arena.successor[arena.first[v] + arena.safe(v).index(chosen[v])])
    return total / protocol.steps


@pytest.mark.parametrize("number", VARIANTS)
def test_learned_policies_bracket_the_value(number):
    """Should enclose DDR* and what the policies play, and agree with episodes of play."""
    protocol = Protocol(episodes=60, window=10, seeds=1)
    training = train(arena_of(number), protocol)
    chosen = greedy_actions(arena_of(number), greedy_policies(training, 1))
    found = exploitability(arena_of(number), chosen, protocol)
    assert found.guaranteed <= found.value <= found.conceded
    assert found.guaranteed <= found.played <= found.conceded
    assert found.defender_gap >= 0 and found.adversary_gap >= 0
    assert found.value == exact_dominance(arena_of(number), protocol).value
    gaps = {"defender": found.defender_gap, "adversary": found.adversary_gap}
    even = abs(found.defender_gap - found.adversary_gap) <= 1e-4
    assert found.shortchanged == ("neither" if even else max(gaps, key=gaps.get))
    means = [played_mean(arena_of(number), chosen, protocol, seed) for seed in range(60)]
    assert abs(np.mean(means) - found.played) <= 5 * np.std(means) / math.sqrt(60) + 1e-9


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_optimal_policies_are_not_exploitable(epsilon):
    """Should lose nothing at all, on the paper's cases and on random arenas."""
    arenas = [arena_of("3"), *(arena for _, arena in some_arenas(0, 60))]
    for arena in arenas:
        protocol = Protocol(steps=30)
        actions = optimal_actions(arena, protocol, epsilon=epsilon)
        assert actions.shape == (30, arena.n_positions)
        found = exploitability(arena, actions, protocol, epsilon=epsilon)
        assert found.guaranteed == found.value == found.conceded == found.played
        assert found.shortchanged == "neither" and found.defender_gap == found.adversary_gap == 0
        value = exact_dominance(arena, protocol, epsilon=epsilon)
        assert (value.tremble if epsilon else value.value) == found.value
        if value.opening is not None and not epsilon:
            assert actions[0, arena.initial] == value.opening


def test_exploitability_is_never_negative():
    """Should hold for any policies, in doubles too."""
    for seed, arena in some_arenas(0, 120):
        rng = random.Random(seed)
        chosen = [rng.choice(arena.safe(v) or (-1,)) for v in range(arena.n_positions)]
        found = exploitability(arena, chosen, Protocol(steps=57), epsilon=rng.choice((0.0, 0.3)))
        assert found.guaranteed <= found.played <= found.conceded
        assert found.defender_gap >= 0 and found.adversary_gap >= 0


# -- laws -----------------------------------------------------------------------------------------------


def with_move(arena, v, target):
    """The arena with one more move, from v to a position of the other side."""
    at = int(arena.first[v + 1])
    first = arena.first.copy()
    first[v + 1 :] += 1
    return replace(
        arena,
        first=first,
        action=np.insert(arena.action, at, 10_000),
        successor=np.insert(arena.successor, at, target),
    )


@pytest.mark.parametrize("side", [0, 1])
def test_another_move_helps_its_owner(side):
    """Should never lower the values for a defender's move, nor raise them for an adversary's."""
    n_helped = 0
    for seed, arena in some_arenas(0, 150, least=4):
        rng = random.Random(seed)
        sources = [v for v in range(arena.n_positions) if arena.mover[v] == side and arena.safe(v)]
        targets = np.flatnonzero(arena.mover != side).tolist()
        if not sources or not targets:
            continue
        richer = with_move(arena, rng.choice(sources), rng.choice(targets))
        protocol = Protocol(steps=rng.randint(2, 60))
        one, other = (exact_dominance(a, protocol, epsilon=0).value for a in (arena, richer))
        runs = [long_run(a, max_sweeps=2000) for a in (arena, richer)]
        assert one <= other if side == 0 else one >= other
        assert runs[0].low <= runs[1].high if side == 0 else runs[0].high >= runs[1].low
        n_helped += one != other
    assert n_helped > 10


def test_another_move_on_the_reference():
    """Should hold on the paper's reference too."""
    arena, rng = arena_of("1"), random.Random(1)
    value = exact_dominance(arena, epsilon=0).value
    for side in (0, 1) * 3:
        v = rng.choice(np.flatnonzero(arena.mover == side).tolist())
        target = rng.choice(np.flatnonzero(arena.mover != side).tolist())
        found = exact_dominance(with_move(arena, v, target), epsilon=0).value
        assert found >= value if side == 0 else found <= value


def test_any_number_of_threads(monkeypatch):
    """Should not change a single bit, nor should sharing itself."""
    arena, protocol = arena_of("4"), Protocol(steps=83)
    chosen = [arena.safe(v)[-1] for v in range(arena.n_positions)]

    def everything(jobs):
        return (
            exact_dominance(arena, protocol, budget=Budget(jobs=jobs)),
            exploitability(arena, chosen, protocol, budget=Budget(jobs=jobs)),
            long_run(arena, protocol, budget=Budget(jobs=jobs)),
            optimal_actions(arena, protocol, budget=Budget(jobs=jobs)).tobytes(),
        )

    alone = everything(None)
    monkeypatch.setattr(bellman, "PARALLEL_FROM", 1)
    assert everything(1) == everything(2) == everything(3) == alone
    with pytest.raises(InputError, match="jobs is 0"):
        exact_dominance(arena, protocol, budget=Budget(jobs=0))


def test_jit_and_plain_python_agree():
    """Should give the same numbers with NUMBA_DISABLE_JIT=1."""
    script = (
        "from test_dominance import *\n"
        "protocol = Protocol(steps=12)\n"
        "for arena in (arena_of('3'), small(8)[1], small(9)[1]):\n"
        "    print(exact_dominance(arena, protocol), long_run(arena, max_sweeps=20))\n"
        "    print(optimal_actions(arena, protocol).tobytes().hex())\n"
        "    print(exploitability(arena, optimal_actions(arena, protocol)[0], protocol, epsilon=0.25))\n"
    )

    compiled, plain = compiled_and_plain(script)
    assert compiled == plain != ""


def test_numba_is_not_imported_beforehand():
    """Should wait for the first question."""
    script = "import sys, holdfast.operation; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


# -- limits and refusals --------------------------------------------------------------------------------


def test_limits_say_what_is_needed():
    """Should be undecided, with positions and bytes, before anything is allocated."""
    arena = arena_of("1")
    for question in (exact_dominance, long_run, optimal_actions):
        with pytest.raises(LimitError, match=r"1,906 positions with 28,982 safe moves need [\d,]+ bytes"):
            question(arena, budget=Budget(100_000))
    with pytest.raises(LimitError, match="undecided: exact values of 1,906 positions"):
        optimal_actions(arena, Protocol(steps=10**7))


def test_unfinished_arenas_are_refused(monkeypatch):
    """Should not take the part that play has met for the whole."""
    monkeypatch.setattr(grounds, "is_listable", lambda solution: False)
    met = train(
        solve(arena_of("1").configuration, "symbolic"), Protocol(episodes=2, steps=50, window=1, seeds=1)
    )
    assert not met.arena.complete
    with pytest.raises(LimitError, match="no exact value; enumerate it"):
        exact_dominance(met.arena)


def test_what_does_not_fit_is_refused():
    """Should name the position, the action and what is safe."""
    arena = arena_of("1")
    with pytest.raises(InputError, match=r"action 999 is not safe at GW = .* Safe\(v\) is \["):
        exploitability(arena, [999] * arena.n_positions)
    with pytest.raises(InputError, match=r"shape \(3,\); expected"):
        exploitability(arena, [0, 1, 2])
    with pytest.raises(InputError, match=r"shape \(2, 1906\); expected .* 1,000 rows"):
        exploitability(arena, np.zeros((2, 1906), dtype=int))
    with pytest.raises(InputError, match=r"epsilon is 1\.5"):
        exact_dominance(arena, epsilon=1.5)
    game = replace(arena.configuration.game, reset=None)
    bare = replace(arena, configuration=with_game(arena.configuration, game))
    with pytest.raises(InputError, match="the game has no reset"):
        exact_dominance(bare, Protocol(reset_probability=0.5))
    assert exact_dominance(bare).reset_probability == 0


def test_play_at_rest_goes_on_counting():
    """Should count μ of the position at rest until a reset ends it."""
    game = from_arrays([[0], [1]], [[-1], [1]], dominance=[0.5, 0.0], first=Player.ADVERSARY)
    arena = shielded_arena(solve(configure(game)))
    found = exact_dominance(arena, Protocol(steps=7))
    assert (found.value, found.tremble, found.opening) == (0.5, 0.5, None)
    assert (long_run(arena).low, long_run(arena).high) == (0.5, 0.5)
    state = game.variables[0]
    reset = Reset(Member(state, (0,)), Fraction(1, 2), ((state, Number(Fraction(1))),))
    arena = shielded_arena(solve(configure(replace(game, reset=reset))))
    found = exact_dominance(arena, Protocol(steps=7))
    assert found.value == pytest.approx(0.5 * sum(0.5**k for k in range(1, 8)) / 7, abs=1e-15)
    run = long_run(arena)
    assert run.low <= 0 <= run.high and run.reached
