"""The adaptive layer: the laws its runs obey; tests/apps/test_reproduce.py holds them to the published figures."""

from __future__ import annotations

import math
import random
import signal
import subprocess
import sys
import threading
import tomllib
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from budgets import watched
from cases import TIMES
from holdfast.arena.shielded_arenas import shielded_arena
from holdfast.budget import Budget
from holdfast.errors import InputError, LimitError, ModelError
from holdfast.game.configuration import configure
from holdfast.game.protocol import Protocol, reset_chance, with_runs
from holdfast.logic.expressions import Player
from holdfast.models.network.game import network_game
from holdfast.operation.training import grounds, training_kernels as kernels
from holdfast.operation.training.interval import defender_dominance
from holdfast.operation.training.minimax_q import (
    SeedRun,
    greedy_actions,
    greedy_policies,
    new_run,
    rule_of,
    run_seed,
    train,
)
from holdfast.operation.training.quantile import _central, student_quantile
from holdfast.running.tasks import Backend, run_tasks
from holdfast.scenario.reading import load
from holdfast.solver.engines import solve
from interpreters import compiled_and_plain
from paths import ROOT
from reference_learning import OraclePlay, ShieldPlay, assert_same_run, learn
from stakes import playable

GOLDEN = tomllib.loads((ROOT / "tests" / "golden" / "paper.toml").read_text())["case"]
VARIANTS = {number: case["variant"] for number, case in GOLDEN.items()}
SHORT = Protocol(episodes=6, steps=150, window=2, seeds=2)


@cache
def arena_of(number: str):
    variant = VARIANTS[number]
    return shielded_arena(solve(load(ROOT / "scenarios" / "paper.yaml", None if number == "1" else variant)))


# -- the slow twin --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", GOLDEN, ids=list(VARIANTS.values()))
def test_paper_cases_against_the_twin(number):
    """Should agree with the transcription in every episode and every table entry."""
    arena = arena_of(number)
    training = train(arena, replace(SHORT, seeds=(5, 77)))
    twin = ShieldPlay(solve(arena.configuration, "explicit"))
    for seed in training.seeds:
        assert_same_run(training, seed, *learn(twin, training.protocol, seed, 0.1))


def test_random_games_against_the_twin():
    """Should agree on small games of all kinds, never leaving W and F_A; seeds are printed."""
    n_played = n_resting = 0
    for seed in range(60):
        _, oracle, arena = playable(seed)
        if arena is None:
            continue
        protocol = Protocol(
            alpha=0.3, gamma=0.8, epsilon=0.7, epsilon_min=0.2, episodes=5, steps=37, window=1, seeds=(seed,),
            q_initial=-0.5,
        )  # fmt: skip
        p = reset_chance(protocol, oracle.configuration.game)

        def watch(v, oracle=oracle):
            assert v in oracle.winning
            assert v[3] in oracle.accepting_adversary or oracle.initial[3] not in oracle.accepting_adversary

        means, tables = learn(OraclePlay(oracle), protocol, seed, p, watch)
        assert_same_run(train(arena, protocol), seed, means, tables)
        n_played += 1
        n_resting += bool((np.diff(arena.first) == 0).any())
    assert n_played > 30 and n_resting > 3


def test_jit_and_plain_python_agree():
    """Should give the same numbers with NUMBA_DISABLE_JIT=1."""
    script = (
        "from test_training import *\n"
        "training = train(arena_of('4'), SHORT)\n"
        "print(training.means.tobytes().hex(), training.tables[1].tobytes().hex()[:4000])\n"
    )

    compiled, plain = compiled_and_plain(script)
    assert compiled == plain != ""


# -- random numbers -------------------------------------------------------------------------------------


def test_stream_is_numpys():
    """Should draw the doubles and choices of RandomState, through many renewals of its words."""
    for seed in (0, 1, 7, 2**32 - 1):
        rng = np.random.RandomState(seed)
        words = new_run(seed, SHORT, arena_of("1")).words
        sizes = [*np.random.RandomState(99).randint(1, 60, size=3000).tolist(), 1, 2, 64, 65, 2**20]
        for n in sizes:
            assert kernels.uniform(words) == rng.random_sample()
            assert kernels.below(n, words) == rng.choice(n)
            menu = list(range(100, 100 + n)) if n < 100 else [0]
            assert menu[kernels.below(len(menu), words)] == rng.choice(menu)


# -- jobs, interruption, discovery ----------------------------------------------------------------------


def test_any_number_of_jobs():
    """Should not change a single number."""
    protocol = Protocol(episodes=40, steps=200, window=10, seeds=4)
    one, two = (train(arena_of("1"), protocol, budget=Budget(jobs=jobs)) for jobs in (1, 2))
    assert np.array_equal(one.means, two.means)
    assert all(np.array_equal(a, b) for a, b in zip(one.tables, two.tables, strict=True))
    alone = train(arena_of("1"), replace(protocol, seeds=(3,)), budget=Budget(jobs=1), tables=False)
    assert np.array_equal(alone.means[0], one.means[2]) and alone.tables == ()


def test_seeds_from_a_log_and_from_processes(tmp_path):
    """Should be the same bit for bit, and a seed that is in the log is not trained again."""
    protocol, log = Protocol(episodes=40, steps=200, window=10, seeds=3), tmp_path / "seeds.jsonl"
    whole = train(arena_of("1"), protocol, backend=Backend(log=log))
    kept = log.read_text().splitlines()
    assert len(kept) == 3
    log.write_text("\n".join(kept[:2]) + "\n")
    seen = []
    again = train(arena_of("1"), protocol, budget=watched(seen.append, jobs=1), backend=Backend(log=log))
    trained = {word.split(",")[0] for word in seen if word.startswith("training seed")}
    assert len(trained) == 1 and len(log.read_text().splitlines()) == 3
    ground = grounds.ground_of(arena_of("1"), 3)
    rule = rule_of(protocol, ground.initial, 0.1)
    tasks = {str(seed): SeedRun(seed, ground, rule, protocol, True) for seed in (1, 2, 3)}
    apart = dict(run_tasks(run_seed, tasks, Budget(jobs=2), Backend(patience=-1.0)))
    for number, seed in enumerate(whole.seeds):
        assert whole.means[number].tobytes() == again.means[number].tobytes()
        assert whole.means[number].tobytes() == apart[str(seed)].value["means"].tobytes()
        assert whole.tables[number].tobytes() == again.tables[number].tobytes()
        assert whole.tables[number].tobytes() == apart[str(seed)].value["table"].tobytes()
    assert whole.fresh == again.fresh == tuple(apart[str(seed)].value["fresh"] for seed in whole.seeds)


def test_progress_and_interruption():
    """Should report every run, and keep the finished seeds when interrupted."""
    protocol, seen = Protocol(episodes=1200, steps=1000, window=10, seeds=3), []

    def progress(doing, done):
        seen.append((doing, done))
        if doing == "training seed 1, episode 1,200 of 1,200":
            assert done == 1200 / 3600
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    training = train(arena_of("3"), protocol, budget=Budget(jobs=1, watch=progress))
    assert training.seeds == (1,) and training.unfinished == (2, 3)
    assert training.means.shape == (1, 1200) and len(training.tables) == 1
    told = [(doing, done * 3600) for doing, done in seen if doing.startswith("training seed 1,")]
    assert told == [(f"training seed 1, episode {n:,} of 1,200", n) for n in (200, 400, 600, 800, 1000, 1200)]
    assert defender_dominance(training.means, 10).low is None
    full = train(arena_of("3"), replace(protocol, seeds=1))
    assert np.array_equal(full.means, training.means)


def test_errors_in_callbacks_go_through():
    """Should not swallow what is not an interruption."""

    def progress(doing):
        raise RuntimeError("broken bar")

    with pytest.raises(RuntimeError, match="broken bar"):
        train(arena_of("1"), SHORT, budget=watched(progress))


def test_discovered_arena_gives_the_same_run(monkeypatch):
    """Should not matter whether the arena is enumerated or met on the way."""
    monkeypatch.setattr(grounds, "is_listable", lambda solution: False)
    protocol = replace(SHORT, episodes=12, seeds=3)
    met = train(solve(arena_of("3").configuration, "symbolic"), protocol)
    assert not met.arena.complete and met.arena.initial == 0
    known = train(arena_of("3"), protocol)
    assert np.array_equal(met.means, known.means)
    rows = {tuple(row): i for i, row in enumerate(known.arena.codes.tolist())}
    order = [rows[tuple(row)] for row in met.arena.codes.tolist()]
    for one, other in zip(met.tables, known.tables, strict=True):
        assert np.array_equal(one, other[order])
    for v, action in enumerate(greedy_actions(met.arena, greedy_policies(met, 2)).tolist()):
        same = known.arena.number(met.arena.position(v))
        assert greedy_actions(known.arena, greedy_policies(known, 2))[same] == action
    with pytest.raises(LimitError, match="give the solution instead"):
        train(met.arena, replace(protocol, seeds=(99,)))


def test_discovery_comes_to_the_whole_arena():
    """Should end, however moves are made, with the arena that is enumerated, or refuse the same resets."""
    n_moves = n_resets = n_refused = 0
    for seed in range(60 * TIMES):
        configuration, _, arena = playable(seed)
        solution, rng = solve(configuration), random.Random(seed)
        try:
            ground = grounds.discovered(solution, 1)
            while open_moves := np.flatnonzero(ground.view.successor[: ground.n_moves] < 0).tolist():
                move, n = rng.choice(open_moves), ground.n_positions
                v = int(np.searchsorted(ground.view.first[: n + 1], move, "right")) - 1
                ground.resolve(v, move)
                assert ground.view.successor[move] >= 0
                assert ground.n_positions <= n + 1 + (ground.view.reset[n : ground.n_positions] >= 0).sum()
        except ModelError:
            assert arena is None
            n_refused += 1
            continue
        met = ground.arena()
        assert met.complete and met.n_positions == arena.n_positions and met.n_states == arena.n_states
        same = [arena.number(met.position(v)) for v in range(met.n_positions)]
        assert met.position(0) == ground.position(0) and same[0] == arena.initial
        for v, w in enumerate(same):
            assert met.safe(v) == arena.safe(w)
            moves = zip(
                met.successor[slice(*met.first[v : v + 2])], arena.successor[slice(*arena.first[w : w + 2])]
            )
            assert all(same[one] == other for one, other in moves)
            assert (same[met.reset[v]] if met.reset[v] >= 0 else -1) == arena.reset[w]
            assert met.mu[met.state[v]] == arena.mu[arena.state[w]] == ground.view.mu[v]
            assert met.reward[met.state[v]] == arena.reward[arena.state[w]]
            n_moves, n_resets = n_moves + len(met.safe(v)), n_resets + (met.reset[v] >= 0)
    assert n_moves > 300 and n_resets > 20 and n_refused > 0


def test_twelve_hosts():
    """Should train a segment of twelve hosts in bounded memory, and stop at the bound."""
    hosts = ["GW", "Web", *(f"ws{i}" for i in range(8)), "DB", "BK"]
    links = [*pairwise(hosts), ("GW", "ws0"), ("Web", "DB")]
    clauses = ["G !(DB in {X, D, Z} & BK in {X, D, Z})", "G (active >= 9)"]
    solution = solve(configure(network_game(hosts, links, "GW"), clauses, ["G (times(destroy) <= 2)"]))
    training = train(solution, Protocol(episodes=4, steps=250, window=2, seeds=2))
    assert training.means.shape == (2, 4) and (training.means > 0).all() and (training.means < 1).all()
    assert training.arena.n_positions < 2000
    assert training.tables[0].shape == (training.arena.n_states, 96)
    with pytest.raises(LimitError, match=r"visited [\d,]+ positions .* limit of 1 MiB"):
        train(solution, Protocol(episodes=50, steps=250, window=2, seeds=2), budget=Budget(2**20))


def test_tables_are_bounded():
    """Should say beforehand what they take."""
    arena = arena_of("1")
    assert grounds.table_bytes(arena, 10) - grounds.table_bytes(arena, 9) == arena.n_states * 40 * 8
    with pytest.raises(LimitError, match=r"10 tables of 614 states would take 2 MiB; the limit is 1 MiB"):
        train(arena, Protocol(), budget=Budget(2**20))


def test_more_episodes_than_can_be_kept_are_a_limit():
    """Should be said before anything is allocated."""
    words = r"the means of 1,000,000,000,000 episodes with 1 seeds take 7,450 GiB; the limit is 4 GiB"
    with pytest.raises(LimitError, match=words):
        train(arena_of("1"), Protocol(episodes=10**12, steps=1, seeds=(1,)))


# -- policies -------------------------------------------------------------------------------------------


def test_policies_are_greedy():
    """Should choose the first maximiser of Q within Safe(v), and what is fresh where Q is not known."""
    training = train(arena_of("5"), Protocol(episodes=300, window=20, seeds=1))
    arena, policies = training.arena, greedy_policies(training, 1)
    chosen = greedy_actions(arena, policies)
    q = {0: training.q(1, Player.DEFENDER), 1: training.q(1, Player.ADVERSARY)}
    for v in range(arena.n_positions):
        values = {a: q[int(arena.mover[v])][arena.state[v], a] for a in arena.safe(v)}
        assert chosen[v] == next(a for a in arena.safe(v) if values[a] == max(values.values()))
    assert policies.q_initial == 5.0
    unknown = replace(policies, codes=policies.codes[:0], table=policies.table[:0])
    assert greedy_actions(arena, unknown).tolist() == [arena.safe(v)[0] for v in range(arena.n_positions)]
    with pytest.raises(InputError, match="no table of seed 9"):
        greedy_policies(training, 9)


# -- protocols and intervals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"epsilon": 1.5}, "epsilon is 1.5; expected a probability"),
        ({"epsilon": -0.1}, "epsilon is -0.1"),
        ({"epsilon": float("nan")}, "epsilon is nan"),
        ({"epsilon_min": 2}, "epsilon_min is 2; expected a probability"),
        ({"epsilon": 0.05}, "epsilon_min 0.1 is above epsilon 0.05"),
        ({"alpha": 0}, "alpha is 0; expected above 0"),
        ({"alpha": 1.1}, "alpha is 1.1"),
        ({"gamma": 1}, "gamma is 1; expected at least 0 and below 1"),
        ({"episodes": 0, "window": 1}, "episodes is 0; expected a whole number of at least 1"),
        ({"episodes": 2.5}, "episodes is 2.5"),
        ({"steps": True}, "steps is True"),
        ({"window": 0}, "window is 0"),
        ({"episodes": 100}, "a window of 200 is longer than the run of 100 episodes; shorten it"),
        ({"episodes": 10**12}, "too many"),
        ({"seeds": 0}, "seeds is 0"),
        ({"seeds": ()}, "seeds is empty"),
        ({"seeds": (1, -2)}, "seed 2 of the list is -2; expected a whole number"),
        ({"seeds": (1, 3, 1)}, "seed 1 is listed twice"),
        ({"q_initial": float("inf")}, "q_initial is inf; expected a finite number"),
        ({"reset_probability": -1}, "reset_probability is -1"),
    ],
)
def test_bad_protocols_are_refused(settings, reason):
    """Should say which value is wrong and what would be right."""
    with pytest.raises(InputError) as refused:
        Protocol(**settings)
    assert reason in str(refused.value)


def test_protocols_that_do_not_fit():
    """Should refuse p without a reset, an undefensible game, and no jobs at all."""
    quiet = configure(network_game(["A", "B"], [("A", "B")], "A", reset_probability=None), ["G (B != Z)"])
    with pytest.raises(InputError, match="the game has no reset"):
        train(solve(quiet), replace(SHORT, reset_probability=0.2))
    with pytest.raises(InputError, match="not defensible"):
        train(solve(load(ROOT / "scenarios" / "water-tank.yaml", "no-drain")), SHORT)
    with pytest.raises(InputError, match="jobs is 0"):
        train(arena_of("1"), SHORT, budget=Budget(jobs=0))
    assert train(solve(quiet), SHORT).means.shape == (2, 6)


def test_reset_probability_of_the_protocol():
    """Should override the game's own; the game's own is the default."""
    own, same, never = (
        train(arena_of("1"), replace(SHORT, reset_probability=p)).means for p in (None, 0.1, 0.0)
    )
    assert np.array_equal(own, same) and not np.array_equal(own, never)


def test_protocol_of_a_scenario():
    """Should carry every setting over, and shorten the window with the run."""
    assert with_runs(Protocol()) == Protocol()
    assert with_runs(Protocol(), episodes=30, seeds=4) == Protocol(episodes=30, window=30, seeds=4)
    with pytest.raises(InputError, match="episodes is 0"):
        with_runs(Protocol(), episodes=0)


@pytest.mark.parametrize(
    ("df", "t95", "t99"),
    [
        (1, 12.7062, 63.6567), (2, 4.3027, 9.9248), (3, 3.1824, 5.8409), (4, 2.7764, 4.6041),
        (9, 2.2622, 3.2498), (10, 2.2281, 3.1693), (29, 2.0452, 2.7564), (30, 2.0423, 2.7500),
        (120, 1.9799, 2.6174), (9999, 1.9602, 2.5763),
    ],
)  # fmt: skip
def test_student_quantiles(df, t95, t99):
    """Should be those of the printed tables."""
    assert round(student_quantile(0.95, df), 4) == pytest.approx(t95, abs=1e-4)
    assert round(student_quantile(0.99, df), 4) == pytest.approx(t99, abs=1e-4)
    theta = math.atan(student_quantile(0.95, df) / math.sqrt(df))
    assert _central(theta, df) == pytest.approx(0.95, abs=1e-14)


def test_interval():
    """Should be x̄ ± t s/√n over the seeds, and none for a single seed."""
    means = np.array([[0.0, 0.4], [0.0, 0.5], [0.0, 0.6]])
    reading = defender_dominance(means, 1)
    half = student_quantile(0.95, 2) * 0.1 / 3**0.5
    assert reading.per_seed == (0.4, 0.5, 0.6)
    assert (reading.low, reading.high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-12)
    assert defender_dominance(means[:1], 2).low is None
    with pytest.raises(InputError, match="no seed has finished"):
        defender_dominance(means[:0], 1)
    with pytest.raises(InputError, match="does not fit"):
        defender_dominance(means, 3)


def test_numba_is_not_imported_by_a_check():
    """Should keep the certificate's cold start free of the learners' libraries."""
    script = (
        "import sys, holdfast.apps.cli, holdfast.game.protocol, holdfast.operation.training.interval, holdfast.arena\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "False"
