"""When training counts as settled: what is accused, what is not, and what that means for the answer."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import mean, median, stdev

import numpy as np
import pytest

from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol
from holdfast.models.network.game import network_game
from holdfast.operation.dominance import exact_dominance
from holdfast.operation.training import training_kernels as kernels
from holdfast.operation.training.interval import defender_dominance
from holdfast.operation.training.minimax_q import new_run, rule_of, train
from holdfast.operation.training.quantile import student_quantile
from holdfast.operation.training.settling import contradiction, settling_of
from holdfast.readings.analysis import _confronted
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from paths import ROOT
from samples import learned, solved

PAPER = ROOT / "scenarios" / "paper.yaml"
SEEDS = tuple(range(1, 11))


def series(rng, level, *, noise=0.05, drift=0.0, episodes=3000, correlation=0.2):
    """A run that is at ``level`` at its end: noise that remembers a little, and a drift for 200 episodes."""
    shocks, noisy = rng.normal(0, noise * math.sqrt(1 - correlation**2), episodes), np.empty(episodes)
    last = 0.0
    for i, shock in enumerate(shocks):
        last = noisy[i] = correlation * last + shock
    return (level + noisy + drift * (np.arange(episodes) - episodes + 100) / 200).tolist()


# -- the literal twin -----------------------------------------------------------------------------------


def literal(runs, window):
    """The four conditions as the head of the module has them, with NumPy and without a shortcut."""
    h = min(window, len(runs[0]) // 2)
    late = [np.array(run[-h:]) for run in runs]
    early = [np.array(run[-2 * h : -h]) for run in runs]
    n = min(10, h)

    def error(stretch):
        batches = [mean(stretch[i * (h // n) : (i + 1) * (h // n)].tolist()) for i in range(n)]
        return stdev(batches) / math.sqrt(n)

    moved = [one.mean() - other.mean() for one, other in zip(late, early, strict=True)]
    errors = [math.sqrt(error(one) ** 2 + error(other) ** 2) for one, other in zip(late, early, strict=True)]
    drift, noise = mean(moved), math.sqrt(sum(e * e for e in errors)) / len(runs)
    trend = abs(drift) > 0.02 and abs(drift) > student_quantile(0.95, 2 * (n - 1) * len(runs)) * noise
    unrest = max(abs(d) + student_quantile(0.95, 2 * (n - 1)) * e for d, e in zip(moved, errors, strict=True))
    levels = [mean(run[-window:]) for run in runs]
    apart = max(abs(level - median(levels)) for level in levels)
    return drift, unrest, apart, not trend and unrest <= 0.1 and apart <= 0.1


def test_the_criterion_is_what_it_says():
    """Should agree with its literal reading on random runs of all kinds."""
    rng = np.random.default_rng(5)
    n_settled = 0
    for _ in range(300):
        episodes, window = int(rng.integers(40, 300)), int(rng.integers(20, 40))
        noise, drift, apart = (
            rng.choice([0.0, 0.02, 0.1]),
            rng.choice([0.0, 0.05, 0.3]),
            rng.choice([0.0, 0.2]),
        )
        runs = [
            series(rng, 0.5 + apart * rng.random(), noise=noise, drift=drift, episodes=episodes)
            for _ in range(int(rng.integers(1, 6)))
        ]
        found, reason = settling_of(runs, window, SEEDS)
        wanted = literal(runs, window)
        assert (found.drift, found.unrest, found.apart) == pytest.approx(wanted[:3], abs=1e-12)
        assert (not reason) == wanted[3]
        n_settled += not reason
    assert 50 < n_settled < 250


# -- synthetic runs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.0, 0.03, 0.08, 0.14])
def test_what_stands_still_is_not_accused(noise):
    """Should find settled what is noise around one level, as loud as real runs are, every time."""
    rng = np.random.default_rng(11)
    for _ in range(40):
        runs = [series(rng, 0.5 + rng.normal(0, 0.015), noise=noise, episodes=500) for _ in SEEDS]
        assert settling_of(runs, 200, SEEDS)[1] == ""


@pytest.mark.parametrize("drift", [-0.05, -0.03, 0.03, 0.05, 0.2])
def test_a_common_drift_is_seen(drift):
    """Should see a trend of a few hundredths in 200 episodes, through the noise of real runs, every time."""
    rng = np.random.default_rng(12)
    for _ in range(40):
        runs = [series(rng, 0.5, noise=0.05, drift=drift, episodes=500) for _ in SEEDS]
        found, reason = settling_of(runs, 200, SEEDS)
        assert "the mean of the runs moved by" in reason and found.drift * drift > 0


def test_a_single_run_that_jumps_is_seen():
    """Should name the seed whose level changed although the mean of all hardly moves."""
    rng = np.random.default_rng(13)
    runs = [series(rng, 0.5, episodes=500) for _ in SEEDS]
    runs[3] = [x - 0.15 for x in runs[3][:-200]] + runs[3][-200:]
    found, reason = settling_of(runs, 200, SEEDS)
    assert reason.startswith("seed 4 may have moved by 0.1") and abs(found.drift) < 0.02


def test_runs_that_settle_apart_are_seen():
    """Should name the run that stands far from the middle one."""
    rng = np.random.default_rng(14)
    runs = [series(rng, 0.7 if i == 6 else 0.5, noise=0.02, episodes=500) for i in range(10)]
    assert settling_of(runs, 200, SEEDS)[1].startswith("seed 7 is at 0.7")


@pytest.mark.parametrize(("episodes", "noise"), [(1, 0.0), (3, 0.0), (8, 0.1), (30, 0.3)])
def test_what_is_too_short_or_too_loud_is_not_settled(episodes, noise):
    """Should not take ignorance for rest."""
    rng = np.random.default_rng(15)
    for _ in range(20):
        assert settling_of([series(rng, 0.5, noise=noise, episodes=episodes)], episodes, (1,))[1]


def test_learners_that_go_on_trying_have_not_settled():
    """Should see moves of which nothing was known, however flat the curves are."""
    flat = [[0.5] * 400] * 2
    assert settling_of(flat, 200, (1, 2), (0.001, 0.002))[1] == ""
    found, reason = settling_of(flat, 200, (1, 2), (0.1, 0.12))
    assert found.fresh == pytest.approx(0.11)
    assert reason == "11.0% of the moves behind it had never been learned"


# -- against perfect play -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interval", "perfect", "tremble", "epsilon", "contradicted"),
    [
        ((0.20, 0.34), (0.93, 0.93), 0.88, 0.1, True),
        ((0.20, 0.34), (0.90, 0.95), 0.88, 0.1, True),
        ((0.52, 0.55), (0.25, 0.25), 0.72, 0.1, False),
        ((0.52, 0.55), (0.25, 0.25), 0.30, 0.1, True),
        ((0.52, 0.55), (0.25, 0.45), 0.30, 0.1, False),
        ((0.22, 0.24), (0.25, 0.25), 0.31, 0.1, False),
        ((0.20, 0.34), (0.93, 0.93), None, 0.1, False),
        ((0.20, 0.34), (0.93, 0.93), None, 0.0, True),
    ],
)
def test_what_perfect_play_contradicts(interval, perfect, tremble, epsilon, contradicted):
    """Should be contradicted only where the whole interval is far from all that perfect play keeps."""
    assert bool(contradiction(*interval, perfect, tremble, epsilon)) == contradicted


def test_the_word_for_a_contradicted_reading():
    """Should be called contradicted where it had settled, and stay unsettled where it had not."""
    far, near = solved(0.93, tremble=0.88), solved(0.3, tremble=0.25)
    ddr = learned(0.27, 0.20, 0.34)
    assert _confronted(ddr, near) == ddr
    found = _confronted(ddr, far)
    assert (found.standing, found.reason) == ("contradicted", "perfect play keeps 0.880 to 0.930")
    found = _confronted(replace(ddr, standing="unsettled", reason="it moved"), far)
    assert (found.standing, found.reason) == ("unsettled", "it moved; perfect play keeps 0.880 to 0.930")


# -- real training --------------------------------------------------------------------------------------


def test_the_papers_runs_had_not_settled_half_way():
    """Should see the decline of case 3 while it goes on (sec:demo-trajectory)."""
    arena = shielded_arena(solve(load(PAPER, "unlimited-destroys")))
    training = train(arena, budget=Budget(jobs=2), tables=False)
    found = defender_dominance(training.means[:, :2400], 200)
    assert found.standing == "unsettled" and "the mean of the runs moved by -0.0" in found.reason


def test_fresh_moves_are_counted():
    """Should be the entries of the table that the window changes for the first time, over its moves."""
    arena = shielded_arena(solve(load(PAPER)))
    protocol = Protocol(episodes=12, window=5, steps=100, seeds=(3,))
    whole = train(arena, protocol)
    known = []
    run, rule = new_run(3, protocol, arena), rule_of(protocol, arena.initial, 0.1)
    for episode in (7, 12):
        kernels.train(arena.view, arena.move_draws, rule, run, episode)
        known.append(int((run.table != 5.0).sum()))
    assert whole.fresh == ((known[1] - known[0]) / 500,)
    assert known[0] > 0 and run.means.tolist() == whole.means[0].tolist()


def eight_hosts():
    """NASim's ``small`` network: a link where the firewall lets a service through that the target runs."""
    users = [f"user{i}" for i in range(5)]
    links = [("DMZ", "files"), ("files", "user1")]
    links += [(user, target) for user in users for target in ("files", "vault")]
    links += [("vault", user) for user in users]
    links += [(one, other) for one in users for other in users if one != other]
    game = network_game(["DMZ", "files", *users, "vault"], links, "DMZ")
    bad = "{X, D, Z}"
    requirement = [f"G !(files in {bad} & vault in {bad})", "G (active >= 5)"]
    return configure(game, requirement, ["G (times(destroy) <= 2)"])


def test_the_eight_host_segment_is_recognised():
    """Should see that runs on NASim's small network have not settled, where perfect play keeps 0.93."""
    solution = solve(eight_hosts())
    arena, protocol = shielded_arena(solution), Protocol(seeds=2)
    training = train(arena, protocol, tables=False)
    ddr = defender_dominance(training.means, protocol.window, training.seeds, training.fresh)
    assert ddr.standing == "unsettled" and min(training.fresh) > 0.05
    exact = exact_dominance(arena, protocol)
    assert round(exact.value, 4) == 0.9285 and ddr.high < 0.5
    against = _confronted(ddr, solved(exact.value, tremble=exact.tremble))
    assert against.standing == "unsettled" and against.reason.endswith("perfect play keeps 0.876 to 0.928")
