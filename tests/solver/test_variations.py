"""Games that differ from a solved one in what moves do: solved in its diagrams, and played alike or not."""

import random

import pytest

from additions import random_segment, scenario_text
from cases import TIMES
from holdfast import load
from holdfast.budget import UNLIMITED
from holdfast.errors import InputError
from holdfast.game import NEVER, on_system
from holdfast.readings import Asked, analysis_alike, iter_analysis
from holdfast.scenario import configuration, scenario_from_text
from holdfast.solver import rank, recovery_profile, safe_play_of, solve, solve_like
from holdfast.solver.variations import is_variation
from paths import ROOT

FULL = Asked(exact=True)
PLAYED = "slt", "reachable", "recovery", "response", "no_response"


def changed(rng, design):
    """A design with some of its parts taken away."""
    parts = [*design.system.parts, *design.system.hardenable]
    return on_system(design, design.system.without(rng.sample(parts, min(len(parts), rng.choice((1, 1, 2))))))


def pairs(seed, n):
    """Random segments, each with a changed one."""
    rng = random.Random(seed)
    while n:
        try:
            design = configuration(scenario_from_text(scenario_text(random_segment(rng))))
            if design.system.parts:
                yield rng, design, changed(rng, design)
                n -= 1
        except InputError:
            continue


def whole(solution):
    *_, last = iter_analysis(solution, None, FULL)
    return last


def test_a_variation_is_solved_as_by_itself():
    n_varied = 0
    for _, design, other in pairs(1, 25 * TIMES):
        base = solve(design)
        alone, along = solve(other), solve_like(other, base)
        assert alone.shells == along.shells and alone.n_winning == along.n_winning
        assert rank(alone, other.initial) == rank(along, other.initial)
        n_varied += along.regions.product.diagrams is base.regions.product.diagrams
    assert n_varied > 15 * TIMES


@pytest.mark.parametrize("listed", [True, False])
def test_what_a_variation_inherits_changes_no_recovery(listed, monkeypatch):
    if not listed:
        monkeypatch.setattr("holdfast.solver.symbolic.MAX_LISTED", -1)
    design = load(ROOT / "scenarios" / "paper.yaml")
    base = solve(design)
    never = [recovery_profile(base, name, whole=False).moves for name in design.goals]
    assert never == [NEVER, NEVER]
    told = []
    for part in design.system.parts:
        other = on_system(design, design.system.without([part]))
        along, alone = solve_like(other, base), solve(other)
        for name in design.goals:
            profiles = [recovery_profile(each, name, whole=False) for each in (along, alone)]
            assert profiles[0] == profiles[1]
            told.append(profiles[0].moves == NEVER)
    assert any(told) and not all(told)


def test_what_is_played_alike_has_the_readings_of_the_other():
    n_alike = n_other = 0
    for _, design, other in pairs(2, 15 * TIMES):
        base = solve(design)
        if not base.defensible or not is_variation(design, other):
            continue
        play, along = safe_play_of(base), solve_like(other, base)
        if play is None or not play.is_that_of(along):
            n_other += 1
            continue
        n_alike += 1
        known, alone = analysis_alike(along, whole(base), FULL, UNLIMITED), whole(solve(other))
        assert known.ddr_exact.value == pytest.approx(alone.ddr_exact.value, rel=1e-12)
        assert known.ddr_exact.tremble == pytest.approx(alone.ddr_exact.tremble, rel=1e-12)
        for name in (*PLAYED, "win", "stp", "shells", "warnings"):
            assert getattr(known, name) == getattr(alone, name), name
    assert n_alike > 2 * TIMES and n_other > 1 * TIMES
