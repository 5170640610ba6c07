"""The shielded arena: closed, canonical, the same by every road, with resets checked."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from cases import TIMES
from holdfast.arena import lazy_arena
from holdfast.arena.form import ShieldedArena
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.actions import Reset
from holdfast.game.configuration import configure, is_admissible
from holdfast.game.protocol import Protocol
from holdfast.logic.expressions import Member, Player, Symbol
from holdfast.models.network.game import network_game
from holdfast.operation.dominance import exact_dominance
from holdfast.scenario.reading import load
from holdfast.solver import symbolic
from holdfast.solver.engines import solve
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import is_winning
from holdfast.solver.stepper import Stepper
from paths import ROOT
from reference import Product
from reference_learning import OraclePlay, after_reset, closure, mu
from stakes import playable

N_GAMES = 120 * TIMES


def sink_blind(oracle: Product, v):
    """A position with all rejecting states of φ_A made one, as the arena does."""
    return v if v[3] in oracle.accepting_adversary else (*v[:3], None)


def test_random_arenas():
    """Should have exactly the positions that play reaches, with Safe, successors, resets and μ."""
    n_refused = n_resets = n_resting = 0
    for seed in range(N_GAMES):
        configuration, oracle, arena = playable(seed)
        play = OraclePlay(oracle)
        if arena is None:
            n_refused += 1
            continue
        reached = closure(play)
        by_number = [sink_blind(oracle, tuple(arena.position(v))) for v in range(arena.n_positions)]
        number = {v: i for i, v in enumerate(by_number)}
        assert number.keys() == {sink_blind(oracle, v) for v in reached}, seed
        assert by_number[arena.initial] == sink_blind(oracle, oracle.initial)
        for v in reached:
            i = number[sink_blind(oracle, v)]
            assert arena.safe(i) == play.safe(v), seed
            targets = arena.successor[arena.first[i] : arena.first[i + 1]]
            assert [by_number[t] for t in targets] == [
                sink_blind(oracle, play.move(v, a)) for a in play.safe(v)
            ], seed
            reset = after_reset(configuration, v)
            assert (arena.reset[i] >= 0) == (reset is not None)
            if reset is not None:
                n_resets += 1
                assert by_number[arena.reset[i]] == sink_blind(oracle, reset), seed
            n_resting += not play.safe(v)
            exact = mu(configuration.game, v[0])
            assert arena.mu[arena.state[i]] == float(exact)
            assert arena.reward[arena.state[i]] == float(2 * exact - 1)
    assert min(n_refused, n_resets, n_resting) > 0


def test_refusals_are_right():
    """Should refuse a reset exactly when some reachable one leaves W or changes what φ_D remembers."""
    seen = {"losing target": 0, "memory": 0, "allowed": 0}
    for seed in range(N_GAMES):
        configuration, oracle, arena = playable(seed)
        if configuration.game.reset is None:
            continue
        reasons = set()
        for v in closure(OraclePlay(oracle)):
            reset = after_reset(configuration, v)
            if reset is None or v not in oracle.winning:
                continue
            if reset not in oracle.winning:
                reasons.add("losing target")
            codes = configuration.game.codes(reset[0])
            for clause, q in enumerate(v[2]):
                automaton = configuration.defender[clause]
                if not same_language(automaton, automaton.read(q, codes, None), reset[2][clause]):
                    reasons.add("memory")
        assert (arena is None) == bool(reasons), seed
        for reason in reasons or {"allowed"}:
            seen[reason] += 1
    assert all(seen.values()), seen


def same_language(automaton, one, other):
    """By trying all words of letters: two states differ iff some pair reached together does."""
    pairs, stack = {(one, other)}, [(one, other)]
    while stack:
        a, b = stack.pop()
        if automaton.accepting[a] != automaton.accepting[b]:
            return False
        for pair in zip(automaton.delta[a], automaton.delta[b]):
            if pair not in pairs:
                pairs.add(pair)
                stack.append(pair)
    return True


def arrays_of(arena: ShieldedArena) -> dict[str, np.ndarray]:
    return {name: value for name, value in vars(arena).items() if isinstance(value, np.ndarray)}


def assert_same(one: ShieldedArena, other: ShieldedArena) -> None:
    assert one.initial == other.initial
    for name, value in arrays_of(one).items():
        found = getattr(other, name)
        assert found.dtype == value.dtype and np.array_equal(found, value), name


def test_walking_and_searching_agree(monkeypatch):
    """Should give the same arrays position by position as on the explicit engine's tables."""
    for seed in range(60):
        configuration, _, arena = playable(seed)
        if arena is None or configuration.game.tables is not None:
            continue
        solution = solve(configuration, "symbolic")
        assert_same(shielded_arena(solution), arena)
        monkeypatch.setattr(symbolic, "MAX_LISTED", 0)
        assert_same(shielded_arena(solve(configuration, "symbolic")), arena)
        monkeypatch.undo()


def test_without_resets_by_either_road():
    """Should be the same arrays, enumerated or cut out of the arena with resets."""
    n_smaller = 0
    for seed in range(60):
        configuration, _, arena = playable(seed)
        if arena is None or configuration.game.reset is None:
            continue
        enumerated = shielded_arena(solve(configuration, "explicit"), resets=False)
        solution = solve(configuration, "explicit")
        shielded_arena(solution)
        assert_same(shielded_arena(solution, resets=False), enumerated)
        n_smaller += enumerated.n_positions < arena.n_positions
    assert n_smaller > 0


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_permitted_is_the_shield(engine):
    """Should answer as the literal oracle does, with either engine."""
    for seed in range(60):
        configuration, oracle, _ = playable(seed)
        if configuration.game.tables is not None and engine == "symbolic":
            continue
        solution, stepper = solve(configuration, engine), Stepper(configuration)
        for v in sorted(oracle.winning)[::3]:
            position = type(configuration.initial)(*v)
            assert safe_actions(solution, position) == oracle.safe(v)
            moves = stepper.moves(position)
            assert {a: tuple(t) for a, t in moves.items()} == oracle.admissible(v)


@pytest.mark.parametrize(
    "variant", [None, "fully-connected", "unlimited-destroys", "two-active", "no-bypass"]
)
def test_paper_arenas_stay_inside(variant):
    """Should hold only positions of W and F_A, and R itself, since a reset only leads back to s0."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", variant))
    arena = shielded_arena(solution)
    assert arena.complete and not arena.mu.flags.writeable
    for v in range(arena.n_positions):
        position = arena.position(v)
        assert is_winning(solution, position) and is_admissible(solution.configuration, position)
    assert (np.diff(arena.first) > 0).all()
    (where,) = {tuple(arena.codes[arena.state[v]]) for v in np.flatnonzero(arena.reset >= 0)}
    assert where == (0,) * 5
    targets = {arena.position(arena.reset[v]) for v in np.flatnonzero(arena.reset >= 0)}
    assert {t.state for t in targets} == {(1, 0, 0, 0, 0)}
    assert {t.q_adversary for t in targets} == {(0,)}


def test_reward_is_rounded_once():
    """Should be the double nearest to 2μ − 1, which doubling a rounded μ misses."""
    arena = shielded_arena(solve(load(ROOT / "scenarios" / "paper.yaml")))
    assert set(arena.reward) == {(2 * k - 5) / 5 for k in range(6)}
    assert 2 * (4 / 5) - 1 != 3 / 5


def reset_game(reset: Reset | None):
    return replace(network_game(["GW", "DB"], [("GW", "DB")], "GW"), reset=reset)


def test_losing_target_is_refused():
    """Should say where the reset leads and with what rank."""
    game = reset_game(None)
    entry, base = game.variables
    reset = Reset(Member(entry, ("C",)), Fraction(1, 10), ((base, Symbol("X")),))
    with pytest.raises(ModelError, match=r"lead to GW = C, DB = X; .*not winning \(rank 1\)"):
        shielded_arena(solve(configure(reset_game(reset), ["G (DB != Z)"])))


@pytest.mark.parametrize(
    ("clause", "kept"),
    [
        ("G (DB != Z)", True),
        ("G (DB != Z | GW != Z)", True),
        ("G (times(isolate) <= 3)", False),
        ("G (H (DB = C) | GW != Z)", False),
        ("G (fix -> !Y fix)", True),
    ],
)
def test_memory_of_the_defender(clause, kept):
    """Should let through what looks at the present, and refuse counters and pasts with the clause's text.

    The last clause remembers the previous move only, and no move has just been made after a reset, so that
    what it remembers is the same as at a start.
    """
    game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    solution = solve(configure(game, [clause], ["G (times(destroy) <= 1)"]))
    assert solution.defensible
    if kept:
        assert (shielded_arena(solution).reset >= 0).any()
    else:
        with pytest.raises(ModelError, match="erase what defender clause 1"):
            shielded_arena(solution)
        assert (shielded_arena(solve(configure(reset_game(None), [clause]))).reset < 0).all()


def test_limits_and_indefensible(monkeypatch):
    """Should say how large it got, and refuse what has no shield."""
    solution, listed = (solve(load(ROOT / "scenarios" / "paper.yaml"), e) for e in ("symbolic", "explicit"))
    with pytest.raises(LimitError, match=r"positions and [\d,]+ safe moves.*the limit is 97.7 KiB"):
        shielded_arena(listed, Budget(100_000))
    monkeypatch.setattr(symbolic, "MAX_LISTED", 0)
    monkeypatch.setattr(lazy_arena, "MAX_WALKED", 50)
    with pytest.raises(LimitError, match="more than 50 positions"):
        shielded_arena(solution)
    with pytest.raises(InputError, match="not defensible: v0 has rank 3"):
        shielded_arena(solve(load(ROOT / "scenarios" / "water-tank.yaml", "no-drain")))


def test_adversary_out_of_moves():
    """Should keep a position without safe moves, where play rests."""
    game = network_game(["GW", "DB"], [("GW", "DB")], "GW", reset_probability=None)
    arena = shielded_arena(solve(configure(game, [], ["G !(noop & adversary.noop | spread | destroy)"])))
    assert arena.n_positions == 1
    assert arena.safe(arena.initial) == ()
    assert arena.position(arena.initial).turn is Player.ADVERSARY


def test_a_reset_that_never_happens_is_not_refused():
    """Should let a chance of 0 stand where a real reset would erase memory or lead out of W."""
    entry, base = reset_game(None).variables
    game = reset_game(Reset(Member(entry, ("C",)), Fraction(0), ((base, Symbol("X")),)))
    for clause in ("G (times(isolate) <= 3)", "G (DB != Z)"):
        solution = solve(configure(game, [clause]))
        arena = shielded_arena(solution)
        resetting = np.flatnonzero(arena.reset >= 0)
        assert (arena.reset[resetting] == resetting).all()
        assert exact_dominance(arena).value == exact_dominance(shielded_arena(solution, resets=False)).value
    with pytest.raises(InputError, match="the game has no reset"):
        exact_dominance(arena, Protocol(reset_probability=0.5))
