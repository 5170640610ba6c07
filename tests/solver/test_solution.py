"""A solution answers for itself: every form of it from one solving, and nobody asks which engine it was."""

from __future__ import annotations

import gc
import random
import re
import weakref
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from budgets import watched
from holdfast.apps.cli import app
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError
from holdfast.game.array_games import from_arrays
from holdfast.game.configuration import configure
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_game
from holdfast.scenario.reading import configuration, load, read_scenario
from holdfast.solver import explicit, symbolic
from holdfast.solver.engines import solve
from holdfast.solver.shield import reachable, safe_actions
from holdfast.solver.solution import arrays, diagrams
from holdfast.solver.stepper import Stepper
from paths import ROOT
from reference import Product
from strategies import random_configuration

PAPER, FLAT = ROOT / "scenarios" / "paper.yaml", ROOT / "scenarios" / "indefensible.yaml"


def factored(n, max_positions=2000):
    """Random configurations of factored games, which both engines solve."""
    for seed in range(n):
        found = random_configuration(random.Random(seed), max_positions)
        if found.game.tables is None:
            yield seed, found


# -- one solving, every form ----------------------------------------------------------------------------


def test_arrays_are_read_off_the_diagrams():
    """Should have the ranks that the explicit engine finds, and lead where its tables lead."""
    n_lost = 0
    for seed, chosen in factored(80):
        listed, solved = arrays(solve(chosen, "symbolic")), solve(chosen, "explicit").regions
        assert np.array_equal(listed.ranks, solved.ranks), seed
        for turn in Player:
            for one, other in zip(listed.tables.successors[turn], solved.tables.successors[turn]):
                assert np.array_equal(one, other), seed
        n_lost += int((listed.ranks > 1).sum())
    assert n_lost > 100


def test_the_diagrams_of_a_solution_go_with_it():
    """Nothing in it refers back to itself: whoever solves many games one by one holds one at a time."""
    gc.collect()
    gc.disable()
    try:
        solution = solve(load(PAPER), "symbolic")
        held = weakref.ref(diagrams(solution).product.diagrams)
        del solution
        assert held() is None
    finally:
        gc.enable()


def test_diagrams_of_an_explicit_solution():
    """Should have as many winning positions in every block as the arrays; tabulated games are refused."""
    for seed, chosen in factored(20):
        solution = solve(chosen, "explicit")
        found = diagrams(solution)
        sides = (found.winning()[turn] for turn in (Player.DEFENDER, Player.ADVERSARY))
        counts = [[found.product.diagrams.count(own) for own in sets] for sets in sides]
        winning = (arrays(solution).ranks < 0).sum(axis=2)
        assert counts == winning.tolist(), seed
    tabulated = from_arrays([[0], [1]], [[0, 1], [1, 0]], labels={"bad": [False, True]})
    with pytest.raises(InputError, match="factored"):
        diagrams(solve(configure(tabulated, ["G !bad"])))


def test_answers_are_kept_and_limits_are_not():
    """Should give the same object again, and try again after a limit."""
    solution = solve(load(PAPER))

    def stop(doing):
        raise LimitError("no time")

    for ask in (
        lambda budget: arrays(solution, budget),
        lambda budget: reachable(solution, budget),
        lambda budget: shielded_arena(solution, budget, resets=False),
        lambda budget: shielded_arena(solution, budget),
    ):
        with pytest.raises(LimitError, match="no time"):
            ask(watched(stop))
        assert ask(Budget()) is ask(watched(stop))


def test_the_arena_without_resets_is_the_shielded_reachable_set():
    """Should have |R| positions, no reset, and Σ|Safe| moves of the defender."""
    solution = solve(load(PAPER))
    bare, reach = shielded_arena(solution, resets=False), reachable(solution)
    assert (bare.reset < 0).all() and (shielded_arena(solution).reset >= 0).any()
    mine = bare.mover == 0
    assert (bare.n_positions, mine.sum()) == (reach.n_positions, reach.n_defender)
    assert np.diff(bare.first)[mine].sum() == reach.n_permitted
    assert all(bare.number(bare.position(v)) == v for v in range(bare.n_positions))


def test_one_stepper():
    """Should make the moves of the definition, and share a successor among actions that come to the same."""
    for seed in range(40):
        chosen = random_configuration(random.Random(seed), 400)
        oracle, stepper = Product(chosen), Stepper(chosen)
        for v in oracle.positions[::7]:
            position = type(chosen.initial)(*v)
            assert {a: tuple(t) for a, t in stepper.moves(position).items()} == oracle.admissible(v), seed
            outcomes = stepper.outcomes(position)
            assert sorted(a for own in outcomes.values() for a in own) == sorted(oracle.admissible(v))


# -- each design is solved once -------------------------------------------------------------------------


@pytest.fixture
def solved(monkeypatch):
    """The configurations that either engine is asked to solve, in order."""
    asked = []
    for engine in (explicit, symbolic):

        def counting(chosen, *args, honest=engine.solve):
            asked.append(chosen)
            return honest(chosen, *args)

        monkeypatch.setattr(engine, "SOLVER", replace(engine.SOLVER, solve=counting))
    return asked


def apart(solved):
    """The designs, and the quotients in which DDR* tells fewer values apart: smaller games of their own."""
    size = configuration(read_scenario(PAPER)).n_positions
    designs = [c for c in solved if c.n_positions == size]
    return designs, [c for c in solved if c.n_positions < size]


def run(*args):
    result = CliRunner().invoke(app, [str(arg) for arg in args])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic"])
def test_compare_solves_each_design_once(solved, engine):
    """Should solve five configurations for five designs, with DDR*, ranks and menus told of each."""
    result = run("compare", PAPER, "--no-learning", "--no-ladder", "--engine", engine)
    assert result.exit_code == 0 and "DDR*" in result.output
    designs, quotients = apart(solved)
    assert [c.variant for c in designs] == [None, *read_scenario(PAPER).variants]
    assert [c.variant for c in quotients] == [c.variant for c in designs]


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
def test_fingerprint_solves_once(solved, engine):
    """Should train and solve the operating point on what was solved for the certificate."""
    run("fingerprint", PAPER, "--episodes", "3", "--seeds", "2", "--engine", engine)
    designs, quotients = apart(solved)
    assert len(designs) == len(quotients) == 1


@pytest.mark.parametrize(("file", "engine"), [(PAPER, "explicit"), (PAPER, "symbolic"), (FLAT, "auto")])
def test_explain_solves_the_design_once(solved, file, engine):
    """Should solve others only where a number or an assumption is changed."""
    run("explain", file, "--engine", engine)
    chosen = configuration(read_scenario(file))
    assert [c == chosen for c in solved] == [True, *[False] * (len(solved) - 1)]


# -- nobody asks which engine ---------------------------------------------------------------------------

FORBIDDEN = re.compile(
    r"isinstance\([^)]*Regions|\.engine\s*[!=]=|solver\.(?:explicit|symbolic) import [^\n]*\bsolve\b"
    r"|solution\.regions"
)


def test_nobody_asks_which_engine_it_was():
    """Should find no question of the engine outside the engines and the solution's own answers."""
    source = ROOT / "src" / "holdfast"
    asking = [
        str(file.relative_to(source))
        for file in sorted(source.rglob("*.py"))
        if file.parent.name != "solver" and FORBIDDEN.search(file.read_text("utf-8"))
    ]
    assert asking == []


# -- R where s₀ violates φ_A ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["explicit", "symbolic"])
@pytest.mark.parametrize("first", Player)
def test_reach_where_the_boundary_is_broken_at_the_start(engine, first):
    """Should tell apart positions that differ only in what φ_A remembers beside the clause that is broken."""
    game = replace(network_game(["GW", "DB"], [("GW", "DB")], "GW"), first=first)
    chosen = configure(game, ["G (DB != Z)"], ["G false", "G (destroy -> !Y noop)"])
    found, oracle = reachable(solve(chosen, engine)), Product(chosen)
    expected = oracle.reachable()
    assert found.n_positions == len(expected)
    assert found.n_defender == sum(v[1] is Player.DEFENDER for v in expected)
    assert found.n_permitted == sum(len(oracle.safe(v)) for v in expected if v[1] is Player.DEFENDER)
    if first is Player.DEFENDER:
        assert len({v[:3] for v in expected}) < len(expected), "some differ in q_A alone"


def test_sizes_are_told_in_a_unit_that_fits():
    """Should not say "0 GiB"."""
    with pytest.raises(LimitError, match=r"about 1.62 MiB for 3,125 valuations \(at most 1000 bytes\)"):
        solve(load(PAPER), "explicit", Budget(1000))


def test_safe_actions_outside_the_winning_region():
    """Should permit nothing outside W, although the adversary may have moves that lead into it."""
    n_into = 0
    for seed, chosen in factored(60, 300):
        oracle = Product(chosen)
        lost = [v for v in oracle.positions if v not in oracle.winning]
        for engine in ("explicit", "symbolic"):
            solution = solve(chosen, engine)
            assert all(safe_actions(solution, type(chosen.initial)(*v)) == () for v in lost), seed
        n_into += sum(any(t in oracle.winning for t in oracle.admissible(v).values()) for v in lost)
    assert n_into > 0
