"""DDR* on the quotient: alike values made one, interchangeable variables sorted, safe play listed by compiled loops."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from cases import TIMES
from holdfast.arena.bellman import Chances, bellman_operator
from holdfast.arena.quotient.abstraction import merged_values, value_classes
from holdfast.arena.quotient.lean_arena import lean_arena, merged_solution
from holdfast.arena.quotient.symmetries import interchangeable
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.actions import Action, Rule
from holdfast.game.configuration import Position, admissible_moves, configure, move
from holdfast.game.protocol import Protocol
from holdfast.game.structure import GameStructure
from holdfast.logic.diagrams import Diagrams
from holdfast.logic.expressions import (
    FALSE,
    TRUE,
    Arithmetic,
    Compare,
    Lookup,
    Member,
    Number,
    Player,
    Read,
    Symbol,
    Variable,
)
from holdfast.models.network.game import network_game
from holdfast.operation.dominance import exact_dominance, settled_value
from holdfast.operation.mean_payoff import long_run
from holdfast.operation.point import operating_point, quotient_arena
from holdfast.operation.result import LEVELS
from holdfast.readings.analysis import analyse
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from holdfast.solver.shield import safe_actions
from holdfast.solver.solution import rank
from interpreters import compiled_and_plain
from paths import ROOT
from stakes import with_stakes
from strategies import random_configuration
from variations import with_game

CASES = {None: (0.2520, 0.7248), "fully-connected": (0.2514, 0.3159), "unlimited-destroys": (0.2520, 0.5555),
         "two-active": (0.8169, 0.7939), "no-bypass": (0.8855, 0.7908)}  # fmt: skip
N_GAMES, N_SEGMENTS = 150 * TIMES, 20 * TIMES
CLOSE = 1e-12


@cache
def factored(seed: int):
    """A random factored game with stakes, a random reset and a random episode."""
    rng = random.Random(seed)
    while True:
        configuration = with_stakes(random_configuration(rng, 600), rng)
        game = configuration.game
        if game.tables is None:
            break
    if game.reset is not None:
        reset = replace(game.reset, probability=Fraction(rng.randint(0, 4), 4))
        configuration = with_game(configuration, replace(game, reset=reset))
    steps, epsilon = rng.choice((1, 2, 7, 100, 333, 1000)), rng.choice((0, 0.1, 0.3))
    return configuration, Protocol(steps=steps, epsilon_min=epsilon)


@cache
def twin_segment(seed: int):
    """A random segment of two to five hosts, one of which may have copies beside it, with random clauses."""
    rng = random.Random(seed)
    hosts = [f"h{i}" for i in range(rng.randint(2, 4))]
    links = {(a, b) for a in hosts for b in hosts if a != b and rng.random() < 0.5}
    for copy in range(rng.randint(0, 5 - len(hosts))):
        model, twin = rng.choice(hosts), f"t{copy}"
        links |= {(twin, b) for a, b in links if a == model} | {(a, twin) for a, b in links if b == model}
        if rng.random() < 0.5:
            links |= {(model, twin), (twin, model)}
        hosts.append(twin)
    rng.shuffle(hosts)
    last = rng.choice(hosts)
    kinds = [
        f"G ({last} != Z)",
        f"G (active >= {len(hosts) - 2})",
        "G (count(* in {Z}) <= 1)",
        f"G (isolate({last}) -> active >= 2)",
    ]
    clauses = rng.sample(kinds, 2)
    game = network_game(hosts, sorted(links), rng.choice(hosts))
    boundary = [f"G (times(destroy) <= {rng.randint(0, 2)})"] if rng.random() < 0.7 else []
    return configure(game, clauses, boundary), Protocol(steps=rng.choice((50, 1000)))


def assert_same(solution, protocol, label) -> float:
    """Compare with the whole arena; how many times larger it is."""
    arena = shielded_arena(solution)
    exact, run = exact_dominance(arena, protocol), long_run(arena, protocol)
    found = operating_point(solution, protocol)
    assert found.low == found.value == found.high
    assert abs(found.value - exact.value) <= CLOSE, label
    assert abs(found.tremble - exact.tremble) <= CLOSE, label
    assert abs(found.long_run.low - run.low) <= CLOSE and abs(found.long_run.high - run.high) <= CLOSE, label
    lean = quotient_arena(solution, protocol, UNLIMITED)
    assert lean.n_positions <= arena.n_positions
    return arena.n_positions / lean.n_positions


# -- the same numbers as the whole arena ----------------------------------------------------------------


def test_random_games():
    """Should give DDR*, tremble and long run of the whole arena, and refuse the resets that it refuses."""
    n_refused = n_smaller = n_compared = 0
    for seed in range(N_GAMES):
        configuration, protocol = factored(seed)
        solution = solve(configuration, ("explicit", "symbolic")[seed % 2])
        if not solution.defensible:
            continue
        try:
            shielded_arena(solution)
        except ModelError:
            n_refused += 1
            with pytest.raises(ModelError, match="reset is refused"):
                operating_point(solution, protocol)
            continue
        n_smaller += assert_same(solution, protocol, seed) > 1
        n_compared += 1
    assert n_refused and n_smaller and n_compared > N_GAMES / 4


def test_random_segments():
    """Should give the same numbers where infections are one value and twin hosts are sorted."""
    n_twins, n_compared, saved = 0, 0, 0.0
    for seed in range(N_SEGMENTS):
        configuration, protocol = twin_segment(seed)
        solution = solve(configuration)
        if solution.defensible:
            saved = max(saved, assert_same(solution, protocol, seed))
            n_twins += bool(interchangeable(merged_values(configuration)))
            n_compared += 1
    assert n_twins > 5 and n_compared > N_SEGMENTS / 3 and saved > 5


@pytest.mark.parametrize("variant", CASES)
def test_the_papers_cases(variant):
    """Should give the table of the design without listing the whole arena."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", variant))
    found = operating_point(solution)
    assert (round(found.value, 4), round(found.tremble, 4)) == CASES[variant]
    assert solution.cached_or_none("arena with resets") is None
    assert assert_same(solution, Protocol(), variant) > 2


def test_a_state_of_more_than_one_word():
    """Should list games whose states need more than 64 bits."""
    hosts = [f"h{i}" for i in range(33)]
    game = network_game(hosts, [("h0", "h1"), ("h1", "h2"), ("h2", "h32")], "h0")
    solution = solve(configure(game, ["G (h32 != Z)", "G (active >= 33)"], ["G (times(destroy) <= 0)"]))
    lean = lean_arena(solution)
    assert_same(solution, Protocol(steps=200), "wide")
    assert lean.n_positions * 5 < shielded_arena(solution).n_positions


def test_sorting_changes_nothing(monkeypatch):
    """Should come to the same doubles when positions are sorted, as they are where there are many."""
    for variant in ("two-active", "no-bypass"):
        solution = solve(load(ROOT / "scenarios" / "paper.yaml", variant))
        found = operating_point(solution)
        with monkeypatch.context() as patch:
            patch.setattr("holdfast.arena.quotient.lean_arena.SORTED_FROM", 2)
            again = operating_point(solution)
            merged = lean_arena(solution)
        assert abs(found.tremble - again.tremble) <= CLOSE
        assert replace(again, seconds=0, tremble=0) == replace(found, seconds=0, tremble=0)
        assert (np.diff(merged.mover) >= 0).all()


def test_counting_before_listing(monkeypatch):
    """Should refuse what diagrams count to be too large, and list on where they cannot count in time."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml"))
    lean, n = lean_arena(solution), []
    monkeypatch.setattr("holdfast.arena.quotient.lean_arena.ESTIMATED_FROM", 1)
    monkeypatch.setattr("holdfast.arena.quotient.lean_arena.ROWS_BETWEEN_TICKS", 10)
    assert lean_arena(solution).n_positions == lean.n_positions
    count = Diagrams.count
    monkeypatch.setattr(Diagrams, "count", lambda self, states: n.append(1) or 10**9 * count(self, states))
    with pytest.raises(LimitError, match=r"at least \d+,000,000,000 positions that are told apart"):
        lean_arena(solution)
    assert n
    with pytest.raises(LimitError, match=r"000,000 positions .* took .* s to list; 9\d\d s are left"):
        lean_arena(solution, Budget.lasting(999, memory=1 << 60))

    def late(*args: object, **kwargs: object) -> None:
        raise LimitError("late")

    monkeypatch.setattr("holdfast.solver.symbolic.DiagramRegions.reached", late)
    assert lean_arena(solution).n_positions == lean.n_positions


def test_rounding_stays_within_dominance():
    """Should never give a mean of μ past the μ that occur, however often a sum of them is rounded."""
    configuration = load(ROOT / "scenarios" / "paper.yaml", "two-active")
    for mu in (Fraction(1), Fraction(1, 3)):
        solution = solve(with_game(configuration, replace(configuration.game, dominance=Number(mu))))
        found, exact = operating_point(solution), exact_dominance(shielded_arena(solution))
        for value in (found.value, found.tremble, exact.value, exact.tremble):
            assert value == float(mu)


def test_compiled_and_plain():
    """Should come to the same numbers with and without the compiler."""
    program = (
        "from holdfast.solver import solve\nfrom holdfast.operation import operating_point\n"
        "from holdfast.models.network import network_game\nfrom holdfast.game.configuration import configure\n"
        "from holdfast.game.protocol import Protocol\n"
        "links = [('A', 'B'), ('A', 'C'), ('B', 'D'), ('C', 'D')]\n"
        "c = configure(network_game(list('ABCD'), links, 'A'), ['G (D != Z)'], ['G (times(destroy) <= 1)'])\n"
        "found = operating_point(solve(c), Protocol(steps=9))\n"
        "print(found.value, found.tremble, found.long_run)\n"
    )
    one, other = compiled_and_plain(program)
    assert one == other and "Interval" in one


def test_stopping_early_changes_nothing():
    """Should stop where all positions gain the same, and come to the value of the whole episode."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", "two-active"))
    arena, lean, ticks = shielded_arena(solution), quotient_arena(solution, Protocol(), UNLIMITED), []
    budget, run = Budget(watch=lambda doing, done: ticks.append(doing)), long_run(arena, precision=1e-9)
    for steps in (999, 1000, 20_000):
        exact = exact_dominance(arena, Protocol(steps=steps))
        for epsilon, value in ((0.0, exact.value), (0.1, exact.tremble)):
            ticks.clear()
            with bellman_operator(lean, Chances(0.1, epsilon), budget) as bellman:
                found = settled_value(bellman, lean.initial, steps)
            assert abs(found.value - value) <= CLOSE and len(ticks) < 20
            if not epsilon:
                low, high = found.long_run
                assert run.low - CLOSE <= low <= high <= run.high + CLOSE


# -- alike values ---------------------------------------------------------------------------------------


def literal_classes(configuration):
    """Values are alike if no play from any position tells them apart: the coarsest partition of that form.

    Classes are parted, from one class for each variable on, by looking at every position and at how many moves
    lead from it to which position, alike values taken for one.
    """
    game = configuration.game
    classes = {v.name: (0,) * len(v.values) for v in game.variables}
    states = list(itertools.product(*(range(len(v.values)) for v in game.variables)))
    qs = [
        (qd, qa)
        for qd in itertools.product(*(range(a.n_states) for a in configuration.defender))
        for qa in itertools.product(*(range(a.n_states) for a in configuration.adversary))
    ]
    onward = {
        (s, turn, q): list(admissible_moves(configuration, Position(s, turn, *q)).values())
        for s in states
        for turn in Player
        for q in qs
    }

    def seen(s):
        after = [
            Counter((v[1:], image(game, classes, v.state)) for v in onward[s, turn, q])
            for turn in Player
            for q in qs
        ]
        return game.mu(s), tuple(frozenset(counts.items()) for counts in after)

    changed = True
    while changed:
        changed, sights = False, {s: seen(s) for s in states}
        for place, variable in enumerate(game.variables):
            views = {}
            for code, own in enumerate(classes[variable.name]):
                contexts = tuple(sights[s] for s in states if s[place] == code)
                views.setdefault((own, contexts), []).append(code)
            parted = {code: number for number, codes in enumerate(views.values()) for code in codes}
            after = tuple(parted[code] for code in range(len(variable.values)))
            changed |= after != classes[variable.name]
            classes[variable.name] = after
    return classes


def image(game, classes, state):
    """A state by the classes of its values."""
    return tuple(classes[v.name][code] for v, code in zip(game.variables, state, strict=True))


def test_alike_values_behave_alike():
    """Should only merge values that no move, no letter and no dominance tells apart."""
    n_merged = n_alike = 0
    for seed in range(N_GAMES):
        configuration, _ = factored(seed)
        game = replace(configuration.game, reset=None)
        configuration = with_game(configuration, game)
        if configuration.n_positions > 200:
            continue
        classes, literal = value_classes(configuration), literal_classes(configuration)
        for variable in game.variables:
            merged, alike = (
                {(a, b) for a, b in itertools.permutations(range(len(own)), 2) if own[a] == own[b]}
                for own in (classes[variable.name], literal[variable.name])
            )
            assert merged <= alike, (seed, variable)
            n_merged, n_alike = n_merged + len(merged), n_alike + len(alike)
    assert n_merged > n_alike / 3 > 0


def test_the_merged_game_is_the_same_game():
    """Should give a position the rank and, but for their names, the safe actions of what stands for it."""
    n_compared = 0
    for seed in range(0, N_GAMES, 2):
        configuration, _ = factored(seed)
        solution = solve(configuration)
        smaller = merged_solution(solution)
        if smaller is solution:
            assert merged_values(configuration) is configuration
            continue
        classes = value_classes(configuration)
        rng, game = random.Random(seed), configuration.game
        assert smaller.defensible == solution.defensible and smaller.initial_rank == solution.initial_rank
        for _ in range(30):
            state = tuple(rng.randrange(len(v.values)) for v in game.variables)
            qs = [
                tuple(rng.randrange(a.n_states) for a in side)
                for side in (configuration.defender, configuration.adversary)
            ]
            here = Position(state, rng.choice(list(Player)), *qs)
            there = here._replace(state=image(game, classes, state))
            assert rank(solution, here) == rank(smaller, there), seed
            targets = [move(configuration, here, action) for action in safe_actions(solution, here)]
            assert Counter(v._replace(state=image(game, classes, v.state)) for v in targets) == Counter(
                move(smaller.configuration, there, action) for action in safe_actions(smaller, there)
            ), seed
            n_compared += 1
    assert n_compared > 300


def a_game(variables, defender, dominance=None, adversary=(), reset=None, initial=None):
    return GameStructure(
        variables=variables,
        initial=initial or (0,) * len(variables),
        first=Player.ADVERSARY,
        actions={
            Player.DEFENDER: tuple(Action(f"d{i}", rules) for i, rules in enumerate(defender)),
            Player.ADVERSARY: tuple(Action(f"a{i}", rules) for i, rules in enumerate(adversary))
            or (Action("wait"),),
        },
        dominance=dominance or Number(Fraction(1)),
        reset=reset,
    )


def test_which_values_are_told_apart():
    """Should part values by thresholds, by what is copied to where it matters, and by nothing else."""
    level, colour, copy = (
        Variable("level", range(10)),
        Variable("colour", tuple("RGB")),
        Variable("copy", tuple("RGB")),
    )
    up = Rule(Compare("<", Read(level), Number(Fraction(9))), ((level, Number(Fraction(9))),))
    down = Rule(Compare(">", Read(level), Number(Fraction(4))), ((level, Number(Fraction(0))),))
    game = a_game((level,), [(up,), (down,), ()])
    assert value_classes(configure(game, ["G (level < 8)"]))["level"] == (0,) * 8 + (1,) * 2
    smaller = merged_values(configure(game, ["G (level < 8)"]))
    assert smaller.game.variables[0].values == range(2) and smaller.initial.state == (0,)

    paint = [(Rule(TRUE, ((colour, Symbol(c)),)),) for c in "RGB"]
    keep = (Rule(TRUE, ((copy, Read(colour)),)),)
    game = a_game((colour, copy), [*paint, keep])
    assert value_classes(configure(game, ["G (copy != B)"])) == {"colour": (0, 0, 1), "copy": (0, 0, 1)}
    smaller = merged_values(configure(game, ["G (copy != B)"]))
    assert [v.values for v in smaller.game.variables] == [range(2), range(2)]
    assert solve(smaller).shells == solve(smaller, "explicit").shells
    assert value_classes(configure(game)) == {"colour": (0, 0, 0), "copy": (0, 0, 0)}

    other = Variable("other", range(10))
    add = Rule(
        Compare("=", Read(level), Read(other)), ((other, Arithmetic("-", Number(Fraction(9)), Read(level))),)
    )
    game = a_game((level, other), [(add,)])
    assert len(set(value_classes(configure(game))["level"])) == 10
    never = Rule(FALSE, ((level, Number(Fraction(12))),))
    assert value_classes(configure(a_game((level,), [(never,)])))["level"] == (0,) * 10
    worth = Lookup("worth", level, tuple(Fraction(i // 5, 2) for i in range(10)))
    assert value_classes(configure(a_game((level,), [()], worth)))["level"] == (0,) * 5 + (1,) * 5


def test_a_rule_that_changes_nothing_tells_nothing_apart():
    """Should merge a value with the one that an action turns it into, unless more depends on it."""
    host = Variable("host", ("C", "X", "D"))
    find = Rule(Member(host, ("X",)), ((host, Symbol("D")),))
    spread = Rule(Member(host, ("C",)), ((host, Symbol("X")),))
    assert value_classes(configure(a_game((host,), [(find,)], adversary=[(spread,)]), ["G (host = C)"]))[
        "host"
    ] == (0, 1, 1)
    both = Variable("seen", ("no", "yes"))
    note = Rule(Member(host, ("X",)), ((host, Symbol("D")), (both, Symbol("yes"))))
    game = a_game((host, both), [(note,)], adversary=[(spread,)])
    assert value_classes(configure(game, ["G (seen = no)"]))["host"] == (0, 1, 2)
    twice = (find, Rule(Member(host, ("D",)), ((host, Symbol("C")),)))
    assert len(set(value_classes(configure(a_game((host,), [twice]), ["G (host != C)"]))["host"])) == 3


def test_what_does_it_may_differ():
    """Should merge values that as many actions turn into alike ones, if no clause reads the actions apart."""
    hosts, links = ["GW", "A", "DB"], [("GW", "A"), ("A", "DB")]
    game = network_game(hosts, links, "GW")
    plain = value_classes(configure(game, ["G (DB != Z)"], ["G (times(destroy) <= 1)"]))
    assert plain == {"GW": (0, 1, 1, 2, 2), "A": (0, 1, 1, 2, 2), "DB": (0, 1, 1, 2, 3)}
    told = value_classes(configure(game, ["G (DB != Z)", "G !fix(A)"]))
    assert told == {"GW": (0, 1, 1, 2, 2), "A": (0, 1, 1, 2, 3), "DB": (0, 1, 1, 2, 3)}
    weak = network_game(hosts, links, "GW", cannot={"A": ["fix"]})
    assert value_classes(configure(weak, ["G (DB != Z)"]))["A"] == (0, 1, 1, 2, 3)
    own = game.actions[Player.DEFENDER]
    again = replace(next(action for action in own if action.name == "fix(A)"), name="mend(A)")
    more = replace(game, actions={**game.actions, Player.DEFENDER: (*own, again)})
    assert value_classes(configure(more, ["G (DB != Z)"]))["A"] == (0, 1, 1, 2, 3)


# -- interchangeable variables --------------------------------------------------------------------------


def test_swaps_are_symmetries():
    """Should find only swaps that map moves onto moves at every position, and twin hosts among them."""
    n_found = 0
    for seed in range(N_SEGMENTS):
        configuration = merged_values(twin_segment(seed)[0])
        game, rng = configuration.game, random.Random(seed)
        for own in interchangeable(configuration):
            for i, j in itertools.combinations(own, 2):
                n_found += 1

                def swapped(v, i=i, j=j):
                    state = list(v.state)
                    state[i], state[j] = state[j], state[i]
                    return v._replace(state=tuple(state))

                for _ in range(20):
                    state = tuple(rng.randrange(len(v.values)) for v in game.variables)
                    qs = [
                        tuple(rng.randrange(a.n_states) for a in side)
                        for side in (configuration.defender, configuration.adversary)
                    ]
                    here = Position(state, rng.choice(list(Player)), *qs)
                    ones = sorted(map(swapped, admissible_moves(configuration, here).values()))
                    assert ones == sorted(admissible_moves(configuration, swapped(here)).values()), seed
                    assert game.mu(here.state) == game.mu(swapped(here).state)
    assert n_found > N_SEGMENTS / 2


def test_which_hosts_are_interchangeable():
    """Should find the leaves of a star, and part those that a clause, the entry or the reset singles out."""
    hosts, links = [*"ABCDE"], [("A", "B"), ("A", "C"), ("A", "D"), ("A", "E")]

    def found(clauses, boundary=(), entry="A", game=None):
        configuration = configure(game or network_game(hosts, links, entry), clauses, boundary)
        return [[hosts[i] for i in own] for own in interchangeable(merged_values(configuration))]

    assert found(["G (active >= 3)"]) == [[*"BCDE"]]
    assert found(["G (D != Z)"]) == [[*"BCE"]]
    assert found(["G !(D in {Z} & E in {Z})"]) == [["B", "C"], ["D", "E"]]
    assert found(["G (active >= 3)"], entry="B") == [[*"CDE"]]
    assert found(["G (active >= 3)"], ["G (times(destroy) <= 1)"]) == [[*"BCDE"]]
    assert found(["G (active >= 3)"], ["G !destroy(C)"]) == [[*"BDE"]]
    assert found(["G (B in {Z} -> C in {Z})"]) == [["D", "E"]]
    assert found([], game=network_game(hosts, [], "A")) == [[*"BCDE"]]
    ring = [("A", "B"), ("B", "C"), ("C", "D"), ("D", "E"), ("E", "A")]
    assert found([], game=network_game(hosts, ring, "A")) == []


def test_large_symmetric_networks_become_small():
    """Should list few positions of a star with many leaves."""
    hosts = ["GW", *(f"w{i}" for i in range(9)), "DB"]
    links = [link for w in hosts[1:-1] for link in (("GW", w), (w, "DB"))]
    solution = solve(
        configure(
            network_game(hosts, links, "GW"), ["G (DB != Z)", "G (active >= 8)"], ["G (times(destroy) <= 2)"]
        )
    )
    assert lean_arena(solution).n_positions < 20_000


# -- limits ---------------------------------------------------------------------------------------------


def test_memory_and_time():
    """Should say what it came to when the memory ends, then give a bracket, and stop at a deadline."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml"))
    merged_solution(solution)
    with pytest.raises(
        LimitError, match=r"safe play has at least [\d,]+ positions that are told apart, which take"
    ):
        lean_arena(solution, Budget(70_000))
    exact, told = operating_point(solution), []
    found = operating_point(solution, budget=Budget(70_000), left_out=told.append)
    assert found.method == LEVELS and found.low <= exact.value <= found.high
    if found.value is None:
        assert "DDR*: known to lie between" in told[0] and "positions that are told apart" in told[0]
    with pytest.raises(LimitError, match="stopped after 0 s"):
        operating_point(solve(load(ROOT / "scenarios" / "paper.yaml")), budget=Budget.lasting(0))


def test_a_limit_after_the_value(monkeypatch):
    """Should keep DDR* once it is there, and say what a limit kept from being found after it."""
    solution, told = solve(load(ROOT / "scenarios" / "paper.yaml")), []

    def stopped(bellman, initial, steps):
        if bellman.chances.epsilon:
            raise LimitError("the time ran out")
        return settled_value(bellman, initial, steps)

    monkeypatch.setattr("holdfast.operation.point.settled_value", stopped)
    found = operating_point(solution, left_out=told.append)
    assert round(found.value, 4) == 0.2520 and found.low == found.value == found.high
    assert found.tremble is None and told == ["DDR* of players who err: the time ran out"]
    assert found.long_run.low <= found.long_run.high < found.value + 0.01


def test_where_diagrams_fail(monkeypatch):
    """Should list the whole arena of a small game, and say so where there are too many positions."""

    def refused(*args: object, **kwargs: object) -> None:
        raise LimitError("enough")

    solution = solve(load(ROOT / "scenarios" / "paper.yaml"))
    expected = operating_point(solution)
    monkeypatch.setattr("holdfast.operation.point.lean_arena", refused)
    found = operating_point(solution)
    assert abs(found.value - expected.value) <= CLOSE and found.long_run == expected.long_run
    monkeypatch.setattr("holdfast.operation.point.is_listable", lambda solution: False)
    with pytest.raises(LimitError, match="enough"):
        operating_point(solution)


def test_refusals():
    """Should refuse what has no operating point, with the reason."""
    tank = solve(load(ROOT / "scenarios" / "water-tank.yaml", "no-drain"))
    with pytest.raises(InputError, match="not defensible"):
        operating_point(tank)
    bare = solve(load(ROOT / "scenarios" / "patrol-robot.yaml"))
    if bare.configuration.game.reset is None:
        with pytest.raises(InputError, match="has no reset"):
            operating_point(bare, Protocol(reset_probability=0.5))


def test_the_whole_arena_is_listed_only_for_learning(monkeypatch):
    """Should not list the arena for DDR* alone."""

    def refused(*args: object, **kwargs: object) -> None:
        raise AssertionError("listed")

    monkeypatch.setattr("holdfast.arena.shielded_arenas._enumerated", refused)
    found = analyse(load(ROOT / "scenarios" / "paper.yaml"), exact=True)
    assert round(found.ddr_exact.value, 4) == 0.2520 and found.undecided is None


def test_rows_are_sound():
    """Should have rows in order, successors of the other player, and counts that add up to Safe(v)."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml"))
    merged = lean_arena(solution)
    assert (np.diff(merged.first) > 0).all() and merged.first[-1] == len(merged.successor)
    source = np.repeat(np.arange(len(merged.mover)), np.diff(merged.first))
    assert (merged.mover[source] != merged.mover[merged.successor]).all()
    n_safe = np.add.reduceat(merged.times, merged.first[:-1])
    assert n_safe[merged.mover == 0].max() == 25 and n_safe.min() >= 1
    assert len(merged.reset_from) == len(merged.reset_to) > 0
    assert (merged.mover[merged.reset_from] == merged.mover[merged.reset_to]).all()
