"""How likely a design holds: brackets against exact fractions, closed forms, and laws."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from cases import TIMES
from holdfast.budget import Budget
from holdfast.design.probabilities import with_probability
from holdfast.errors import LimitError
from holdfast.game.configuration import configure
from holdfast.game.structure import has_chance
from holdfast.models.network.game import network_system
from holdfast.operation.holding.asking import hold
from holdfast.operation.holding.by_diagrams import followed_by_diagrams
from holdfast.operation.holding.choice_game import choice_game
from holdfast.operation.holding.descent import followed
from holdfast.operation.holding.likely_loss import likeliest_loss
from holdfast.operation.holding.result import Hold
from holdfast.operation.holding.slopes import slopes_by_diagrams
from holdfast.solver.engines import solve
from reference_chance import ChanceProduct
from strategies import random_configuration, random_gambles, with_chance

HOSTS = ["GW", "Web", "WS", "DB", "BK"]
LINKS = [("GW", "Web"), ("GW", "WS"), ("Web", "WS"), ("Web", "DB"), ("WS", "DB"), ("DB", "BK")]
BOTH = "G !(DB in {X, D, Z} & BK in {X, D, Z})"


def segment(active, budget, **chance):
    """The paper's reference segment with another number of hosts in service, and chances."""
    system = network_system(HOSTS, LINKS, "GW", None, chance=chance)
    return configure(system, [BOTH, f"G (active >= {active})"], [f"G (times(destroy) <= {budget})"])


def test_brackets_contain_the_exact_values():
    """Should contain HOLD_T and HOLD of the fractions, and be narrow, on games in which most is drawn."""
    seen, within = Counter(), (0, 1, 2, 3, 5, 8)
    for seed in range(200 * TIMES):
        configuration = random_gambles(random.Random(seed))
        oracle = ChanceProduct(configuration)
        found, curve, value = hold(solve(configuration), within), oracle.hold_within(8), oracle.hold()
        assert all(curve[t] in found.moves[t] for t in within), seed
        assert all(found.moves[t].width < 1e-13 for t in within), seed
        assert value in found.forever and found.forever.width < 1e-8, (seed, found.forever, value)
        seen["certain" if value in (0, 1) else "drawn"] += 1
        seen["luck"] += found.lucky is True and not value
        n_pairs = np.prod([max(1, len(oracle.groups(v))) for v in oracle.met()])
        if n_pairs <= 40:
            assert oracle.tried() == value, seed
            seen["tried"] += 1
        if n_pairs <= 40 and oracle.met():
            mean = oracle.mean_tried()
            assert (found.mean is None) == (mean is None), (seed, found.mean, mean)
            assert mean is None or (mean in found.mean and found.mean.width <= 1e-4 * mean), seed
            seen["mean"] += mean is not None
        assert found.exact == str(value), (seed, found.exact, value)
        assert found.lucky == (oracle.initial in oracle.lucky()), seed
    assert min(seen[kind] for kind in ("certain", "drawn", "luck", "tried", "mean")) > 10, seen


def test_diagrams_contain_the_exact_values():
    """Should contain HOLD_T and HOLD of the fractions, and be narrow, by value diagrams too."""
    seen, within = Counter(), (1, 2, 3, 8)
    for seed in range(60 * TIMES):
        rng = random.Random(seed)
        configuration = random_gambles(rng) if seed % 2 else _factored(rng)
        solution, oracle = solve(configuration, "symbolic"), ChanceProduct(configuration)
        if oracle.initial in oracle.unsafe:
            continue
        curve, found = oracle.hold_within(8), followed_by_diagrams(solution, within)
        assert found.lucky == (oracle.initial in oracle.lucky()), seed
        assert all(curve[t] in found.moves[t] and found.moves[t].width < 1e-12 for t in within), seed
        if len(oracle.met()) <= 30:
            value = oracle.hold()
            assert value in found.forever and found.forever.width < 1e-7, (seed, found.forever, value)
            seen["certain" if value in (0, 1) else "drawn"] += 1
    assert min(seen.values()) > 5, seen


def _factored(rng):
    """A game with clauses of both sides, not given as arrays."""
    while True:
        configuration = random_configuration(rng, max_positions=300, change=with_chance)
        if configuration.game.tables is None:
            return configuration


def test_brackets_contain_the_exact_values_of_games_with_memory():
    """Should hold with clauses of both sides, several variables and either engine."""
    seen = Counter()
    for seed in range(120 * TIMES):
        rng = random.Random(seed)
        configuration = random_configuration(rng, max_positions=400, change=with_chance)
        oracle = ChanceProduct(configuration)
        curve = oracle.hold_within(6)
        for engine in ("explicit", "symbolic") if configuration.game.tables is None else ("explicit",):
            found = hold(solve(configuration, engine), (1, 2, 6))
            assert all(curve[t] in found.moves[t] for t in (1, 2, 6)), (seed, engine)
            assert (found.forever.high == 1) == oracle.defensible, (seed, engine)
            if len(oracle.met()) <= 30:
                assert oracle.hold() in found.forever, (seed, engine)
        seen["drawn"] += has_chance(configuration.game)
    assert seen["drawn"] > 60


@pytest.mark.parametrize("p", ["0.9", "0.7", "0.5", "0.3", "0.1", "0.05"])
def test_a_lost_segment_holds_for_ever_with_what_one_exploit_leaves(p):
    """Should be exactly 1 − p where four hosts have to stay in service."""
    found = hold(solve(segment(4, 2, spread=p)))
    assert 1 - Fraction(p) in found.forever
    assert found.forever.width < 1e-9


def test_a_segment_that_falls_in_the_end_holds_for_a_while():
    """Should hold 100 moves with 0.54 where every host has to stay in service, and never for ever."""
    found = hold(solve(segment(5, 0, spread="0.05")), (10, 50, 100))
    assert found.moves[100].low == pytest.approx(0.5405331227, abs=1e-9)
    assert found.forever == type(found.forever)(0.0, 0.0)
    assert found.lucky is True
    assert found.median is not None and found.median > 100
    likely = [value for _, value in found.curve]
    assert all(later <= earlier for earlier, later in pairwise(likely))


def test_the_likeliest_loss_is_a_best_play():
    """Should end in U by choices that are best for whoever makes them, and be empty where nothing is lost."""
    seen = Counter()
    for seed in range(150 * TIMES):
        configuration = random_gambles(random.Random(seed))
        solution, oracle = solve(configuration), ChanceProduct(configuration)
        play, stages = likeliest_loss(solution, 6), oracle.stages(6)
        if oracle.initial in oracle.unsafe or stages[6][oracle.initial] == 1:
            assert not play, seed
            continue
        for left, step in zip(range(6, 0, -1), play):
            v = tuple(step.position)
            own = next(g for g in oracle.groups(v) if step.action in [number for number, _, _ in g])
            worth = sum(p * stages[left - 1].get(target, 0) for _, target, p in own)
            assert worth == stages[left][v], (seed, left)
            seen["drawn"] += step.probability < 1
        assert not play or tuple(play[-1].target) in oracle.unsafe, seed
        seen["lost"] += bool(play)
    assert min(seen["drawn"], seen["lost"]) > 20, seen


def test_what_matters_is_what_mending_it_would_change():
    """Should be the same listed and by diagrams, and nothing where another exploit does as well."""
    for active, budget, chance in ((4, 2, {"spread": "0.05"}), (4, 0, {"spread": "0.2", "isolate": "0.7"})):
        solution = solve(segment(active, budget, **chance), "symbolic")
        listed, drawn = hold(solution, (60,)).matters, slopes_by_diagrams(solution, 60)
        assert max(map(abs, listed.values()), default=0) > 1e-3 or solution.defensible
        for name in {*listed, *drawn}:
            assert listed.get(name, 0.0) == pytest.approx(drawn.get(name, 0.0), abs=2e-3), name
    assert hold(solve(segment(4, 2, spread="0.05")), (60,)).matters["spread(Web)"] == 0.0  # WS does as well


def test_slopes_are_those_of_the_fractions():
    """Should be what HOLD_T loses as one choice succeeds a little less often, in exact fractions."""
    seen, little = Counter(), Fraction(1, 10**9)
    for seed in range(5 * TIMES):
        rng = random.Random(seed)
        chance = {"spread": "0.5", "isolate": "0.7", "destroy": rng.choice(["0.3", "0.9"]), "restore": "0.4"}
        system = network_system(["GW", "DB"], [("GW", "DB")], "GW", chance=chance)
        wanted = rng.choice(["G (DB = C)", "G (DB != Z)", "G (active >= 1)", "G (active >= 2)"])
        configuration = configure(system, [wanted], rng.choice([[], ["G (times(destroy) <= 1)"]]))
        found = slopes_by_diagrams(solve(configuration, "symbolic"), 6)
        as_it_is = ChanceProduct(configuration).hold_within(6)[-1]
        for name in ("spread(DB)", "destroy(DB)", "isolate(GW)", "isolate(DB)"):
            p = Fraction(chance[name.partition("(")[0]])
            less = ChanceProduct(with_probability(configuration, name, p - little)).hold_within(6)[-1]
            assert found[name] == pytest.approx(float((as_it_is - less) / little), abs=2e-6), (seed, name)
            seen["slope" if found[name] else "none"] += 1
    assert min(seen["slope"], seen["none"]) > 2, seen


def test_certain_games_are_certain():
    """Should be what the verdict says where everything succeeds, and where nothing does."""
    for chance, value in (({}, 0.0), ({"spread": "1"}, 0.0), ({"spread": "0"}, 1.0)):
        solution = solve(segment(4, 2, **chance))
        assert solution.configuration.game.actions == segment(4, 2, **chance).game.actions
        found = hold(solution, (1, 4, 5, 100))
        assert (found.forever.low, found.forever.high) == (value, value)
        if not value:
            kept = {t: ends.low for t, ends in found.moves.items()}
            assert kept == {1: 1.0, 4: 1.0, 5: 0.0, 100: 0.0}  # the violation is forced within 5 moves


def test_success_is_the_game_without_chance():
    """Should be the same actions, and so the same game, where every chance is 1."""
    plain, sure = segment(3, 2).game, segment(3, 2, spread="1", monitor="1.0").game
    assert plain.actions == sure.actions
    failing = segment(3, 2, spread="0").game.actions
    assert all(not a.rules for side in failing.values() for a in side if a.type == "spread")


def test_likelier_attacks_never_help_the_defender():
    """Should fall, or stay, when an exploit becomes likelier; and rise when a defense does."""
    for active, budget in ((4, 2), (5, 0), (4, 0)):
        ends = [hold(solve(segment(active, budget, spread=p)), (20, 60)) for p in ("0.1", "0.3", "0.6")]
        for less, more in pairwise(ends):
            assert more.forever.low <= less.forever.high
            assert all(more.moves[t].low <= less.moves[t].high for t in (20, 60))
        surer = [hold(solve(segment(active, budget, spread="0.3", isolate=p)), (60,)) for p in ("0.5", "0.9")]
        assert surer[0].moves[60].low <= surer[1].moves[60].high


def test_a_limit_gives_what_is_known_by_then():
    """Should have the bracket so far in what the limit knows."""

    def watch(doing, done):
        if "move 30" in doing:
            raise LimitError("enough")

    solution = solve(segment(4, 2, spread="0.05"))
    with pytest.raises(LimitError) as stop:
        hold(solution, (20, 1000), replace(Budget(), watch=watch))
    known = stop.value.known["hold"]
    assert isinstance(known, Hold)
    assert 20 in known.moves and 1000 not in known.moves
    assert 0.95 in known.forever


def test_only_values_that_are_kept_are_lower_bounds():
    """Should refuse values that one move lowers, and keep those that it does not."""
    game = choice_game(solve(segment(4, 2, spread="0.3")))
    found = followed(game)
    assert (found.lower <= game.best(game.at_least(found.lower))).all()
    raised = np.minimum(found.lower * 1.001, 1.0)
    raised[game.n :] = 0.0, 1.0
    assert (raised > game.best(game.at_least(raised))).any()
