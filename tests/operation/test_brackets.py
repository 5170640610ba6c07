"""DDR* by value diagrams: brackets against the plain recursion, the paper's cases, and what a limit leaves."""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

import holdfast.arena.shielded_arenas as arenas
from budgets import watched
from cases import TIMES
from holdfast.arena import lazy_arena
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol
from holdfast.logic.expressions import Arithmetic, Count, Member, Number, Player
from holdfast.models.network.game import network_game
from holdfast.operation import best_plays
from holdfast.operation.best_plays import best_replies, listed_replies
from holdfast.operation.brackets import climbs, layouts, value_brackets
from holdfast.operation.brackets.climbs import Landmark, Reference, SideBound, climb
from holdfast.operation.brackets.strongholds import stronghold
from holdfast.operation.brackets.value_brackets import FINEST, Bracket, chance_of, defended, value_bracket
from holdfast.operation.brackets.value_plays import replies_along, value_play
from holdfast.operation.dominance import exact_dominance
from holdfast.operation.mean_payoff import long_run
from holdfast.scenario.reading import load
from holdfast.solver import product_diagrams
from holdfast.solver.engines import solve
from paper_cases import PERFECT, VARIANTS
from paths import ROOT
from reference_learning import ShieldPlay
from reference_minimax import Minimax
from stakes import with_stakes
from strategies import random_configuration, random_segment, random_tables
from variations import with_game

N_GAMES, N_SEGMENTS = 100 * TIMES, 4 * TIMES


@pytest.fixture(autouse=True)
def small_caches(monkeypatch):
    """Room for an operation cache takes longer to get than a small game takes to solve."""
    monkeypatch.setattr(product_diagrams, "CACHE", 1 << 10)


def random_stakes(configuration, rng: random.Random):
    """The configuration with a μ of one variable or of several, a ratio now and then, and perhaps a reset."""
    configuration = with_stakes(configuration, rng)
    game = configuration.game
    if rng.random() < 0.6:
        picked = tuple(
            Member(v, tuple(rng.sample(list(v.values), rng.randint(1, len(v.values)))))
            for v in game.variables
        )
        count = Count(picked)
        term = Arithmetic("/", count, Number(Fraction(len(picked))))
        if rng.random() < 0.3:
            term = Arithmetic("/", Number(Fraction(1)), Arithmetic("+", count, Number(Fraction(1))))
        game = replace(game, dominance=term)
    if game.reset is not None:
        game = replace(game, reset=replace(game.reset, probability=Fraction(rng.randint(0, 4), 4)))
    return with_game(configuration, game)


def random_solution(rng: random.Random):
    """A defensible configuration that decision diagrams can solve, with stakes."""
    while True:
        configuration = random_configuration(rng, 600)
        if configuration.game.tables is None:
            solution = solve(random_stakes(configuration, rng), "symbolic")
            if solution.defensible:
                return solution


# -- against the plain recursion --------------------------------------------------------------------


SCARCE = Budget(memory=1 << 24)
"""Enough for small games, and quickly got."""


def check_random_game(seed: int) -> dict[str, bool]:
    """One random game: the bracket holds the exact value and is closed; what kind of game it was."""
    rng = random.Random(seed)
    solution = random_solution(rng)
    game, steps = solution.configuration.game, rng.choice((1, 2, 3, 4, 5, 6, 7, 30))
    try:
        arena = shielded_arena(solution)
    except ModelError as refused:
        with pytest.raises(ModelError) as also:
            value_bracket(solution, Protocol(steps=steps), SCARCE)
        assert str(also.value).split(":")[0] == str(refused).split(":")[0], seed
        return {"refused": True}
    found = value_bracket(solution, Protocol(steps=steps), SCARCE)
    play = ShieldPlay(solution)
    p = Fraction(0) if game.reset is None else game.reset.probability
    exact = Minimax(play, p).before_reset(play.initial, steps) / steps
    assert Fraction(found.low) <= exact <= Fraction(found.high), seed
    assert found.value is not None and found.high - found.low < 1e-5, seed
    endless = long_run(arena, Protocol(steps=steps))
    assert found.long_run.low <= endless.high + 1e-12 and endless.low - 1e-12 <= found.long_run.high, seed
    return {
        "reset": bool((arena.reset >= 0).any() and p),
        "rests": bool((arena.first[1:] == arena.first[:-1]).any()),
        "defender first": game.first is Player.DEFENDER,
        "closed": found.long_run.high - found.long_run.low < 1e-5,
    }


def test_random_games():
    """Should hold the exact value, closed, on random games with resets, rests and either first mover."""
    found = [check_random_game(seed) for seed in range(N_GAMES)]
    kinds = {kind: sum(f.get(kind, False) for f in found) for kind in ("refused", "reset", "rests", "closed")}
    first = sum(f.get("defender first", False) for f in found)
    assert kinds["reset"] > N_GAMES // 10 and kinds["rests"] > N_GAMES // 10 and kinds["refused"] > 1, kinds
    assert N_GAMES // 4 < first < N_GAMES and kinds["closed"] > 0.7 * N_GAMES, (kinds, first)


def test_random_games_laid_out_anew(monkeypatch):
    """Should hold the exact value also where a game gets diagrams of its own, in an order of its own."""
    monkeypatch.setattr(layouts, "SMALL", 0)
    for seed in range(N_GAMES, N_GAMES + N_GAMES // 4):
        check_random_game(seed)


@pytest.fixture
def beside(monkeypatch):
    """Deep windows are tried beside wider ones from the first moves on."""
    monkeypatch.setattr(value_brackets, "FIRST_TURN", 1)
    monkeypatch.setattr(value_brackets, "FAR", -1)


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("jobs", [1, 2])
def test_random_games_with_deep_windows_beside(monkeypatch, jobs):
    """Should hold the exact value, closed, where two threads take turns from the first moves on."""
    monkeypatch.setitem(globals(), "SCARCE", replace(SCARCE, jobs=jobs))
    before = threading.active_count()
    for seed in range(N_GAMES // 4):
        check_random_game(seed)
    assert threading.active_count() == before


@pytest.mark.usefixtures("beside")
def test_what_ends_one_thread_ends_both():
    """Should leave no thread behind where somebody interrupts, whatever the other is doing."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", "no-bypass"), "symbolic")
    left, before = [300], threading.active_count()

    def interrupted(doing: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        value_bracket(solution, budget=watched(interrupted))
    assert threading.active_count() == before


@pytest.mark.usefixtures("beside")
def test_mistakes_of_the_other_thread_are_told(monkeypatch):
    """Should not hide what goes wrong beside."""

    def mistaken(game, budget):
        raise ZeroDivisionError

    monkeypatch.setattr(value_brackets, "stronghold", mistaken)
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", "no-bypass"), "symbolic")
    with pytest.raises(ZeroDivisionError):
        value_bracket(solution)


def check_stronghold(seed: int, steps: int = 12) -> str:
    """The bounds of a random game by what can be held are bounds: how good they were."""
    rng = random.Random(seed)
    solution = random_solution(rng)
    try:
        arena = shielded_arena(solution)
    except ModelError:
        return "refused"
    protocol, reset = Protocol(steps=steps), solution.configuration.game.reset
    game = layouts.laid_out(solution, chance_of(solution, protocol), FINEST, SCARCE)
    least = game.range_of_mu.low
    bracket = Bracket(game.range_of_mu, game.range_of_mu)
    for _ in defended(bracket, game, steps):
        pass
    play = ShieldPlay(solution)
    exact = Minimax(play, Fraction(0) if reset is None else reset.probability).before_reset(
        play.initial, steps
    )
    endless = long_run(arena, protocol)
    assert exact / steps in bracket.value, seed
    assert bracket.run.low <= endless.high + 1e-12 and endless.low - 1e-12 <= bracket.run.high, seed
    if bracket.value.low == least:
        return "none"
    return "tight" if exact / steps - bracket.value.low < 1e-5 else "better"


def test_strongholds():
    """Should bound the exact value on random games, and often say something."""
    kinds = Counter(check_stronghold(seed) for seed in range(N_GAMES))
    assert kinds["tight"] > N_GAMES // 20, kinds


@pytest.fixture
def eager(monkeypatch):
    """Growth at v₀ is looked for often, and after few moves; what was found is kept here."""
    found, sustained = [], climbs._sustained

    def recorded(*words):
        found.append((yield from sustained(*words)))
        return found[-1]

    monkeypatch.setattr(climbs, "MOVES_BETWEEN_CHECKS", 1)
    monkeypatch.setattr(climbs, "PERIODS", (2,))
    monkeypatch.setattr(climbs, "STEADY", 2)
    monkeypatch.setattr(climbs, "PATIENCE", 0)
    monkeypatch.setattr(climbs, "_sustained", recorded)
    return found


def test_growth_at_the_start(eager):
    """Should bound the exact value where positions that do not keep up with v₀ are given up."""
    check_on_the_way(120)
    for seed in range(2 * N_SEGMENTS):
        solution, steps = segment_solution(seed)
        exact = exact_dominance(shielded_arena(solution), Protocol(steps=steps), epsilon=0).value
        game = layouts.laid_out(solution, chance_of(solution, Protocol()), FINEST, SCARCE)
        for window in ((1 << 40, 1 << 40), (1 << 40, 1 << 17), (1 << 19, 1 << 19)):
            for lower in (True, False):
                for bound in filter(
                    None, climb(Reference.of(game), SideBound(game, lower, window), steps, 25)
                ):
                    if bound.total(steps) is not None:
                        mean = float(bound.mean(steps))
                        assert mean <= exact + 1e-12 if lower else mean >= exact - 1e-12, (seed, window)
    assert sum(bound is not None for bound in eager) > N_GAMES


def test_on_the_way():
    """Should bound the exact value at any time, whatever is cut off."""
    assert check_on_the_way(30) > N_GAMES


def check_on_the_way(steps: int) -> int:
    """All that is certain on climbs of random games is so; how often something is."""
    n_bounds = 0
    for seed in range(N_GAMES // 2):
        rng = random.Random(seed)
        solution = random_solution(rng)
        reset, play = solution.configuration.game.reset, ShieldPlay(solution)
        try:
            shielded_arena(solution)
        except ModelError:
            continue
        game = layouts.laid_out(solution, chance_of(solution, Protocol()), FINEST, SCARCE)
        exact = Minimax(play, 0 if reset is None else reset.probability).before_reset(play.initial, steps)
        for window in ((1, 1), (1 << 40, 1 << 19), (1 << 19, 1 << 40), (1 << 40, 1 << 40)):
            for lower in (True, False):
                fresh, horizon = SideBound(game, lower, window), rng.randint(3, 25)
                for bound in filter(None, climb(Reference.of(game), fresh, steps, horizon)):
                    total = bound.total(steps)
                    if total is not None:
                        n_bounds += 1
                        worth = total * game.unit
                        assert worth <= exact if lower else worth >= exact, (seed, window)
    return n_bounds


def completed(search):
    """What a search comes to that is not left before its end."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            return end.value


BEHIND = [("GW", "A"), ("A", "B"), ("B", "C"), ("C", "D")]
TWO_WAYS = [("GW", "A"), ("GW", "B"), ("A", "C"), ("B", "C"), ("C", "D")]


@pytest.mark.parametrize(("links", "kept"), [(BEHIND, {"B", "C", "D"}), (TWO_WAYS, {"D"})])
def test_stronghold_of_a_network(links, kept):
    """Should keep clean what lies behind the host that is isolated, once there is only one way on."""
    configuration = configure(network_game(["GW", "A", "B", "C", "D"], links, "GW"), ["G (active >= 3)"])
    game = layouts.laid_out(solve(configuration, "symbolic"), Fraction(1, 10), FINEST, SCARCE)
    held, d = completed(stronghold(game, SCARCE)), game.product.diagrams
    turn, block = Landmark.of(game, configuration.initial).lane
    clean = {v.name: d.cube(v, v.values.index("C")) for v in configuration.game.variables}
    assert {name for name in clean if not (held[turn][block] & ~clean[name]).satisfiable()} == kept
    assert completed(stronghold(game, Budget.lasting(0.0))) is None


def segment_solution(seed: int):
    """A defensible segment of three to six hosts, either side to move first."""
    rng = random.Random(seed)
    while True:
        n = rng.randint(3, 6)
        game = random_segment(rng, n, rng.choice((0.2, 0.4, 0.7)))
        game = replace(game, first=rng.choice(list(Player)))
        clauses = rng.choice(
            ([f"G !(h{n - 2} in {{X, D, Z}} & h{n - 1} in {{X, D, Z}})"], [f"G (active >= {n - 2})"])
        )
        boundary = rng.choice(([], [f"G (times(destroy) <= {rng.randint(0, 2)})"]))
        solution = solve(configure(game, clauses, boundary), "symbolic")
        if solution.defensible:
            return solution, rng.choice((9, 100, 1000))


def check_segment(seed: int) -> None:
    solution, steps = segment_solution(seed)
    found = value_bracket(solution, Protocol(steps=steps))
    exact = exact_dominance(shielded_arena(solution), Protocol(steps=steps), epsilon=0).value
    assert found.low - 1e-12 <= exact <= found.high + 1e-12, seed
    assert found.value is not None and abs(found.value - exact) < 1e-5, seed


def check_segment_held(seed: int) -> bool:
    """The bound of a segment by what can be held is a bound; whether it says something."""
    solution, steps = segment_solution(seed)
    game = layouts.laid_out(solution, chance_of(solution, Protocol()), FINEST, SCARCE)
    bracket = Bracket(game.range_of_mu, game.range_of_mu)
    for _ in defended(bracket, game, steps):
        pass
    exact = exact_dominance(shielded_arena(solution), Protocol(steps=steps), epsilon=0).value
    assert bracket.value.low - 1e-12 <= exact <= bracket.value.high + 1e-12, seed
    return bracket.value.low > game.range_of_mu.low


def test_strongholds_of_segments():
    """Should bound backward induction on random segments, and say something."""
    assert sum(check_segment_held(seed) for seed in range(2 * N_SEGMENTS)) > N_SEGMENTS // 2


def test_random_segments():
    """Should hold the value of backward induction on random segments."""
    for seed in range(N_SEGMENTS):
        check_segment(seed)


# -- the paper --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", VARIANTS)
def test_paper(number):
    """Should give the five cases to their digits, and the long run within its own bounds."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", VARIANTS[number]), "symbolic")
    found, arena = value_bracket(solution), shielded_arena(solution)
    exact, endless = exact_dominance(arena, epsilon=0).value, long_run(arena)
    assert found.low - 1e-12 <= exact <= found.high + 1e-12
    assert round(found.value, 4) == PERFECT[number]
    assert (found.method, found.tremble) == ("levels", None)
    assert found.long_run.low - 1e-6 <= endless.high and endless.low <= found.long_run.high + 1e-6
    assert found.long_run.high - found.long_run.low < 1e-5


def test_protocol_reset():
    """Should follow the protocol's reset probability, and its absence."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", "no-bypass"), "symbolic")
    arena = shielded_arena(solution)
    for p in (0.0, 0.5, 1.0):
        protocol = Protocol(steps=60, reset_probability=p)
        found = value_bracket(solution, protocol)
        exact = exact_dominance(arena, protocol, epsilon=0).value
        assert found.low - 1e-12 <= exact <= found.high + 1e-12 and found.value is not None
    assert found.low <= found.value <= found.high


# -- perfect play -----------------------------------------------------------------------------------


def value_replies(solution, protocol, n_moves):
    """By value diagrams also where positions could be listed."""
    play = value_play(solution, protocol, SCARCE)
    assert play is not None
    return replies_along(play, n_moves)


def list_replies(solution, protocol, n_moves):
    """By backward induction, all best moves and exact values."""
    replies = listed_replies(shielded_arena(solution), protocol, n_moves)
    assert replies == best_replies(solution, protocol, n_moves) and all(r.low == r.high for r in replies)
    return replies


@pytest.mark.parametrize("replies_of", [value_replies, list_replies])
def test_best_replies(replies_of):
    """Should play moves that are best by the plain recursion, from the first to the last."""
    n_replies = 0
    for seed in range(40):
        rng = random.Random(seed)
        solution, steps = random_solution(rng), rng.randint(1, 7)
        play, game = ShieldPlay(solution), solution.configuration.game
        exact = Minimax(play, 0 if game.reset is None else game.reset.probability)
        try:
            replies = replies_of(solution, Protocol(steps=steps), steps)
        except ModelError:
            continue
        assert len(replies) == steps and replies[0].position == solution.configuration.initial
        for to_go, reply in zip(range(steps, 0, -1), replies):
            v, safe = tuple(reply.position), play.safe(tuple(reply.position))
            worth = {a: exact.before_reset(play.move(v, a), to_go - 1) for a in safe}
            best = (max if v[1] is Player.DEFENDER else min)(worth.values(), default=None)
            assert all(abs(worth[a] - best) < 1e-4 for a in reply.actions), seed
            assert bool(reply.actions) == bool(safe), seed
            mean = exact.before_reset(v, to_go) / to_go
            assert reply.low is None or reply.low <= mean + 1e-9, seed
            assert reply.high is None or mean - 1e-9 <= reply.high, seed
            n_replies += len(safe) > 1
    assert n_replies > 50


def test_best_replies_of_the_paper():
    """Should open as backward induction does, with the bracket of DDR* at the start."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml"), "symbolic")
    replies = value_replies(solution, Protocol(), 6)
    exact = exact_dominance(shielded_arena(solution), epsilon=0)
    assert len(replies) == 6 and exact.opening in replies[0].actions
    assert replies[0].low - 1e-12 <= exact.value <= replies[0].high + 1e-12
    listed = best_replies(solution, n_moves=6)
    assert [reply.actions[0] for reply in listed] == [reply.actions[0] for reply in replies]
    assert listed[0].low == exact.value and all(
        set(a.actions) <= set(b.actions) for a, b in zip(replies, listed)
    )


def test_long_lists_are_not_begun(monkeypatch):
    """Should count safe play before it is walked position by position, and go by value diagrams if there is too much."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", "no-bypass"), "symbolic")
    expected = value_replies(solution, Protocol(), 6)
    monkeypatch.setattr(best_plays, "is_listable", lambda solution: False)
    monkeypatch.setattr(arenas, "is_listable", lambda solution: False)
    walked = best_replies(solution, n_moves=6, budget=SCARCE)
    assert all(r.low == r.high for r in walked)
    solution = solve(solution.configuration, "symbolic")  # one that keeps no list
    monkeypatch.setattr(lazy_arena, "MAX_WALKED", 100)
    monkeypatch.setattr(lazy_arena, "LazyArena", None)
    assert best_replies(solution, n_moves=6, budget=SCARCE) == expected
    assert [r.position for r in walked] == [r.position for r in expected]


# -- limits -----------------------------------------------------------------------------------------


def stopping(n_ticks: int) -> Budget:
    """A budget whose time is over after so many ticks."""
    left = [n_ticks]

    def progress(doing: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise LimitError("the time ran out")

    return watched(progress)


def test_bracket_so_far():
    """Should give what is known at a limit, a wider bracket the earlier it comes, never nothing."""
    solution = solve(load(ROOT / "scenarios" / "paper.yaml", "no-bypass"), "symbolic")
    exact = exact_dominance(shielded_arena(solution), epsilon=0).value
    widths = []
    for n_ticks in (0, 10, 1_000, 10_000, 1_000_000):
        found = value_bracket(solution, budget=stopping(n_ticks))
        assert 0 <= found.low <= exact + 1e-12 and exact - 1e-12 <= found.high <= 1
        assert (found.value is None) == (found.high - found.low >= 1e-5)
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True) and widths[0] == 1 and widths[-1] < 1e-5
    assert any(1e-5 < width < 1 for width in widths)


def test_out_of_nodes():
    """Should give the bracket so far where the memory for diagrams is full."""
    hosts = [f"h{i}" for i in range(9)]
    links = [(a, b) for a in hosts for b in hosts if a < b]
    configuration = configure(
        network_game(hosts, links, "h0"), ["G (active >= 6)"], ["G (times(destroy) <= 2)"]
    )
    scarce = Budget(memory=1 << 22)
    found = value_bracket(solve(configuration, "symbolic", scarce), budget=scarce)
    assert found.value is None and 0 <= found.low < found.high <= 1


def test_refusals():
    """Should refuse a game without diagrams, and one that is lost."""
    rng = random.Random(0)
    with pytest.raises(InputError, match="factored"):
        while True:
            solution = solve(random_tables(rng))
            if solution.defensible:
                value_bracket(solution)
    lost = solve(load(ROOT / "scenarios" / "indefensible.yaml"))
    with pytest.raises(InputError, match="not defensible"):
        value_bracket(lost)
