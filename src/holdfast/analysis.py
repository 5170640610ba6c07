"""One configuration analysed whole: certificate, static reading, DDR and DDR*.

A limit met on the way costs the reading it concerned, never what was found before it: the reading is left out
and named in ``undecided``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines import solve
from holdfast.errors import LimitError
from holdfast.logic.expressions import Player
from holdfast.metrics import static_reading
from holdfast.product import Configuration, warnings
from holdfast.protocol import Protocol
from holdfast.results import EPISODE, Analysis, LongRunBounds, OperatingPoint, Provenance
from holdfast.solution import Solution
from holdfast.words import start_in_words

if TYPE_CHECKING:
    from holdfast.arena import ShieldedArena
    from holdfast.learn.interval import DefenderDominance, GreedyBracket
    from holdfast.learn.minimax_q import Training as Trained


UNCERTIFIED = "certificate: "
"""How ``undecided`` begins to tell that ``solved`` met a limit."""


def analyse(
    configuration: Configuration,
    protocol: Protocol | None = None,
    *,
    engine: str = "auto",
    latitude: bool = True,
    learning: bool = False,
    exact: bool = False,
    budget: Budget = UNLIMITED,
    provenance: Provenance | None = None,
    solved: Callable[[Solution], object] | None = None,
) -> Analysis:
    """Solve a configuration and take the readings that are asked for.

    Args:
        configuration: what to analyse.
        protocol: of the adaptive layer; the paper's by default.
        engine: see :func:`holdfast.engines.solve`.
        latitude: whether to follow safe play, for SLT.
        learning: whether to train, for DDR.
        exact: whether to solve the operating point, for DDR*.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        provenance: see :func:`holdfast.archive.provenance_of`.
        solved: called with the solution before the readings are taken, for instance to certify it.

    Raises:
        LimitError: when a limit leaves the certificate undecided. A limit met later leaves the reading
            it concerned out, and ``undecided`` says so.
    """
    started = time.perf_counter()
    try:
        solution = solve(configuration, engine, budget)
    except LimitError as error:
        error.known |= {"name": configuration.name, "variant": configuration.variant}
        error.known |= {"positions": configuration.n_positions, "unsafe": configuration.n_unsafe}
        raise
    refused = None
    try:
        if solved is not None:
            solved(solution)
    except LimitError as error:
        refused = f"{UNCERTIFIED}{error}"
    found = _static(solution, latitude, budget, provenance)
    if refused is not None:
        found = _also_undecided(found, refused)
    if solution.defensible and (learning or exact):
        found = _adaptive(found, solution, protocol, learning, exact, budget)
    return replace(found, seconds=time.perf_counter() - started)


def _static(solution: Solution, latitude: bool, budget: Budget, provenance: Provenance | None) -> Analysis:
    configuration, undecided = solution.configuration, None
    try:
        reading = static_reading(solution, latitude, budget)
    except LimitError as error:
        reading, undecided = static_reading(solution, latitude=False), f"SLT: {error}"
    return Analysis(
        name=configuration.name,
        variant=configuration.variant,
        defensible=solution.defensible,
        positions=configuration.n_positions,
        unsafe=configuration.n_unsafe,
        winning=solution.n_winning,
        attractor=solution.n_attractor,
        shells=solution.shells,
        initial_rank=solution.initial_rank,
        win=reading.winning_fraction,
        stp=reading.shell_steepness,
        slt=reading.shield_latitude,
        reachable=reading.reach,
        warnings=tuple(warnings(configuration)),
        requirement=tuple(c.label for c in configuration.clauses(Player.DEFENDER)),
        boundary=tuple(c.label for c in configuration.clauses(Player.ADVERSARY)),
        start=start_in_words(configuration),
        defender_actions=len(configuration.game.actions[Player.DEFENDER]),
        engine=solution.engine,
        seconds=0.0,
        undecided=undecided,
        provenance=provenance,
    )


def _adaptive(
    found: Analysis,
    solution: Solution,
    protocol: Protocol | None,
    learning: bool,
    exact: bool,
    budget: Budget,
) -> Analysis:
    """DDR* and DDR; what a limit stops is left out and named."""
    from holdfast.arena import shielded_arena

    protocol = protocol or Protocol()
    found, arena = replace(found, protocol=protocol), None
    if exact:
        try:
            arena = shielded_arena(solution, budget)
            found = _exact(found, arena, protocol, budget)
        except LimitError as error:
            found = _also_undecided(found, f"DDR*: {error}")
    if learning:
        found = _learned(found, arena or solution, protocol, budget)
    return found


def _exact(found: Analysis, arena: ShieldedArena, protocol: Protocol, budget: Budget) -> Analysis:
    from holdfast.exact import exact_dominance, long_run

    started = time.perf_counter()
    exact = exact_dominance(arena, protocol, budget=budget)
    bounds = None
    try:
        run = long_run(arena, protocol, budget=budget)
        bounds = LongRunBounds(run.low, run.high)
    except LimitError as error:
        found = _also_undecided(found, f"long run: {error}")
    point = OperatingPoint(
        value=exact.value,
        low=exact.value,
        high=exact.value,
        tremble=exact.tremble,
        epsilon=exact.epsilon,
        long_run=bounds,
        method=EPISODE,
        seconds=time.perf_counter() - started,
    )
    return replace(found, ddr_exact=point)


def _learned(
    found: Analysis,
    where: Solution | ShieldedArena,
    protocol: Protocol,
    budget: Budget,
) -> Analysis:
    from holdfast.learn.interval import defender_dominance
    from holdfast.learn.minimax_q import train

    exact = found.ddr_exact is not None
    try:
        budget.tick("training")
        trained = train(where, protocol, budget=budget, tables=exact)
    except LimitError as error:
        return _also_undecided(found, f"DDR: {error}")
    if trained.unfinished:
        left = ", ".join(map(str, trained.unfinished))
        found = _also_undecided(found, f"DDR: stopped before the seeds {left} had finished")
        found = replace(found, interrupted=True)
    if not trained.seeds:
        return found
    ddr = replace(_within(defender_dominance(trained.means, protocol.window)), seeds=trained.seeds)
    try:
        ddr = replace(ddr, bracket=_bracket(trained, protocol, budget) if exact else None)
    except LimitError as error:
        found = _also_undecided(found, f"what the learned policies guarantee: {error}")
    return replace(found, ddr=ddr, trajectories=trained.means)


def _within(ddr: DefenderDominance) -> DefenderDominance:
    """DDR with the part of its interval that can be: a mean of μ lies between 0 and 1."""
    if ddr.low is None or ddr.high is None:
        return ddr
    return replace(ddr, low=max(0.0, ddr.low), high=min(1.0, ddr.high))


def _bracket(trained: Trained, protocol: Protocol, budget: Budget) -> GreedyBracket:
    """What the greedy policies are worth against perfect opponents, averaged over the seeds."""
    from holdfast.exact.dominance import exploitability, shortchanged
    from holdfast.learn.interval import GreedyBracket
    from holdfast.learn.minimax_q import greedy_actions, greedy_policies

    found = [
        exploitability(
            trained.arena,
            greedy_actions(trained.arena, greedy_policies(trained, seed)),
            protocol,
            budget=budget,
        )
        for seed in trained.seeds
    ]
    guaranteed = math.fsum(e.guaranteed for e in found) / len(found)
    conceded = math.fsum(e.conceded for e in found) / len(found)
    value = found[0].value
    return GreedyBracket(guaranteed, conceded, shortchanged(value - guaranteed, conceded - value))


def _also_undecided(found: Analysis, reason: str) -> Analysis:
    return replace(found, undecided=f"{found.undecided}; {reason}" if found.undecided else reason)
