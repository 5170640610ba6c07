"""One configuration analysed whole: certificate, static reading, DDR and DDR*.

A limit met on the way costs the reading it concerned, never what was found before it: the reading is left out
and named in ``undecided``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import (
    NEVER,
    Configuration,
    Protocol,
    Sight,
    gathered,
    has_chance,
    n_choices,
    written_out,
)
from holdfast.logic import Player
from holdfast.readings.metrics import latitude_reading, static_reading
from holdfast.readings.question import USUAL, Asked, steps
from holdfast.readings.results import Analysis, Provenance, SightReading
from holdfast.readings.vacuity import caveats, goal_caveats, undefended
from holdfast.solver import (
    RecoveryProfile,
    Solution,
    no_response,
    recovery_profile,
    response_counts,
    response_profile,
    solve,
    start_in_words,
)

if TYPE_CHECKING:
    from holdfast.arena import ShieldedArena
    from holdfast.operation import DefenderDominance, GreedyBracket, Hold, OperatingPoint, Training as Trained
    from holdfast.running import Backend


SIGHT_SECONDS = 60.0
"""What the verdict for a defender who does not see everything may take."""

PROFILE_SECONDS, MOST_BELIEFS = 30.0, 6_000
"""What recovery, latitude and response with what is seen may take, and how many beliefs are listed."""

SHARE = 0.5
"""Of the time that is left, what one reading may use while others wait: none takes all of it."""

RECOVERY_SECONDS = 20.0
"""What all goals together may take: beside the verdict it is one reading of several."""

HOLD_MOVES = (10, 100, 1000)
"""For how many moves it is asked how likely a design holds, where nobody says otherwise."""

HOLD_SECONDS = 20.0
"""What that may take."""

UNCERTIFIED = "certificate"
"""How ``undecided`` begins to tell that ``solved`` met a limit."""


def analyse(
    configuration: Configuration,
    protocol: Protocol | None = None,
    *,
    engine: str = "auto",
    latitude: bool = True,
    recovery: bool = True,
    response: bool = True,
    layers: bool = False,
    learning: bool = False,
    exact: bool = False,
    hold: Sequence[int] | None = None,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    provenance: Provenance | None = None,
    solution: Solution | None = None,
    solved: Callable[[Solution], object] | None = None,
    so_far: Callable[[Analysis, tuple[str, ...]], object] | None = None,
    count_alike: bool = False,
) -> Analysis:
    """Solve a configuration and take the readings that are asked for.

    Args:
        configuration: what to analyse.
        protocol: of the adaptive layer; the paper's by default.
        engine: see :func:`holdfast.solver.engines.solve`.
        latitude: whether to follow safe play, for SLT.
        recovery: whether to find how soon the goals of the design can be forced.
        response: whether to find effort, tempo and grace.
        layers: whether to count the winning positions by effort and by grace.
        learning: whether to train, for DDR.
        exact: whether to solve the operating point, for DDR*.
        hold: for how many moves to ask how likely it holds; by default the usual ones, where outcomes are
            drawn.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        backend: where seeds are trained, and their log; see :mod:`holdfast.running.tasks`.
        provenance: see :func:`holdfast.readings.archive.provenance_of`.
        solution: of the configuration, where it is solved already.
        solved: called with the solution before the readings are taken, for instance to certify it.
        so_far: called after each step with the analysis as far as it goes, and what is still to come.
        count_alike: whether interchangeable variables may be counted where that pays and no engine is named.
            The readings are the same; the solution is then one of numbers
            (:func:`holdfast.game.alike.with_counters`).

    Raises:
        LimitError: when a limit leaves the certificate undecided. A limit met later leaves the reading
            it concerned out, and ``undecided`` says so.
    """
    started = time.perf_counter()
    try:
        if solution is None:
            chosen = gathered(configuration, engine, budget) if count_alike else configuration
            solution = solve(chosen, engine, budget)
    except LimitError as error:
        error.known |= {"name": configuration.name, "variant": configuration.variant}
        error.known |= {"positions": configuration.n_positions, "unsafe": configuration.n_unsafe}
        raise
    refused: list[str] = []
    with _naming(UNCERTIFIED, refused):
        if solved is not None:
            solved(solution)
    moves = None if hold is None else tuple(hold)
    asked = Asked(latitude, response, layers, learning, exact, recovery, moves)
    stages = iter_analysis(
        solution,
        protocol,
        asked,
        budget=budget,
        backend=backend,
        provenance=provenance,
        refused=refused,
        started=started,
        given=configuration,
    )
    coming = steps(asked, held=solution.defensible, drawn=has_chance(solution.configuration.game))
    for number, analysis in enumerate(stages):
        if so_far is not None:
            so_far(analysis, coming[number:])
    return analysis


def iter_analysis(
    solution: Solution,
    protocol: Protocol | None = None,
    asked: Asked = USUAL,
    *,
    budget: Budget = UNLIMITED,
    backend: Backend | None = None,
    provenance: Provenance | None = None,
    refused: Sequence[str] = (),
    started: float | None = None,
    given: Configuration | None = None,
) -> Iterator[Analysis]:
    """Analyse a solved configuration step by step.

    Yields an analysis after each step, with everything that is known by then: first what the verdict alone
    says, then what is left of it where not everything is seen, with SLT and the warnings, then how likely it
    holds, where there is chance, then recovery, then the response, and last DDR* and DDR. Steps that were
    not asked for after the second are left out. The last analysis is what :func:`analyse` returns.

    Args:
        solution: the solved configuration.
        protocol: of the adaptive layer; the paper's by default.
        asked: which readings to take.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
        backend: where seeds are trained, and their log; see :mod:`holdfast.running.tasks`.
        provenance: see :func:`holdfast.readings.archive.provenance_of`.
        refused: what a limit stopped before this began, for ``undecided``.
        started: when the work began, on the clock of :func:`time.perf_counter`; now if None.
        given: the configuration in whose words it is told, where the solution is one of numbers
            (:func:`holdfast.game.alike.gathered`); that of the solution if None.
    """
    began = time.perf_counter() if started is None else started
    undecided: list[str] = []
    named = solution.configuration if given is None else given
    analysis = replace(of_verdict(solution), provenance=provenance, start=start_in_words(named))

    def grown(**fields: Any) -> Analysis:
        nonlocal analysis
        missing = "; ".join(undecided) or None
        analysis = replace(analysis, **fields, undecided=missing, seconds=time.perf_counter() - began)
        return analysis

    yield grown()
    sight = solution.configuration.system.sight
    if sight is not None and sight.placed is not None:
        grown(sight=_seeing(solution, sight, budget, undecided))
    with _naming("SLT", undecided):
        if asked.latitude:
            reach, slt = latitude_reading(solution, budget.share(SHARE))
            grown(slt=slt, reachable=reach)
    undecided += refused
    held = solution.defensible
    empty = tuple(caveats(named, held=held, budget=budget))
    yield grown(caveats=empty, warnings=tuple(caveat.text for caveat in empty))
    if asked.hold is not None or has_chance(solution.configuration.game):
        likely = _written_out(solution, "how likely it holds", MOST_DRAWN, budget)
        yield grown(hold=_likely(likely, asked.hold, budget, undecided))
    if asked.recovery:
        profiles = recovered(solution, asked, budget, undecided)
        empty = (*empty, *goal_caveats(solution))
        fair = _fairly(solution, profiles, budget, undecided)
        yield grown(
            recovery=profiles,
            almost_surely=fair,
            caveats=empty,
            warnings=tuple(caveat.text for caveat in empty),
        )
    if asked.response:
        reached = asked.latitude and analysis.reachable is not None
        responded = _responded(solution, asked.layers, reached, budget.share(SHARE), undecided)
        empty = (*empty, *undefended(empty, responded.get("response")))
        yield grown(**responded, caveats=empty, warnings=tuple(caveat.text for caveat in empty))
    if held and (asked.learning or asked.exact):
        yield grown(**_operation(solution, protocol or Protocol(), asked, budget, backend, undecided))


def of_verdict(solution: Solution) -> Analysis:
    """What a solution says by itself."""
    configuration, reading = solution.configuration, static_reading(solution, latitude=False)
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
        warnings=(),
        requirement=configuration.required,
        boundary=tuple(c.label for c in configuration.clauses(Player.ADVERSARY)),
        start=start_in_words(configuration),
        defender_actions=n_choices(configuration.game, Player.DEFENDER),
        engine=solution.engine,
        seconds=0.0,
        costs=dict(configuration.costs),
        pace=configuration.pace,
        assumptions=configuration.system.premises,
        counted=configuration.system.gathered,
    )


def _likely(
    solution: Solution, moves: tuple[int, ...] | None, budget: Budget, undecided: list[str]
) -> Hold | None:
    """How likely the design holds, or what a limit left of that."""
    from holdfast.operation import hold

    try:
        usual = HOLD_MOVES if moves is None else moves
        return hold(solution, usual, budget.share(1.0, HOLD_SECONDS))
    except LimitError as error:
        undecided.append(f"how likely it holds: {error}")
        known = error.known.get("hold")
        return known if isinstance(known, Hold) else None


def _seeing(solution: Solution, sight: Sight, budget: Budget, undecided: list[str]) -> SightReading:
    """The verdict for a defender who sees what its sensors show."""
    from holdfast.solver import solve_beliefs

    placed = sight.placed or ()
    with _naming("what is seen", undecided):
        found = solve_beliefs(solution, sight, budget.share(0.5, SIGHT_SECONDS))
        if not found.defensible:
            return SightReading(placed, False, found.n_beliefs)
        needs, stances = found.sight.placed or (), len(found.stances)
        held = SightReading(placed, True, found.n_beliefs, stances, needs)
        return _profiled(held, solution, sight, budget)
    return SightReading(placed)


def _profiled(held: SightReading, solution: Solution, sight: Sight, budget: Budget) -> SightReading:
    """What is left of latitude, recovery and response, where all that may be held possible can be listed."""
    from holdfast.solver import seen_profile

    try:
        profile = seen_profile(solution, sight, budget.share(0.2, PROFILE_SECONDS), MOST_BELIEFS)
    except LimitError:
        budget.tick()
        return held
    latitude = None if profile.latitude is None else float(profile.latitude)
    return replace(held, latitude=latitude, recovery=profile.recovery, response=profile.response)


def recovered(
    solution: Solution, asked: Asked, budget: Budget, undecided: list[str]
) -> dict[str, RecoveryProfile]:
    """How soon each goal can be forced."""
    profiles, limited = {}, budget.share(SHARE, RECOVERY_SECONDS)
    for name in solution.configuration.goals:
        with _naming(name, undecided):
            profiles[name] = recovery_profile(
                solution,
                name,
                limited,
                whole=None,
                reachable=asked.latitude,
                undecided=undecided,
            )
    return profiles


def _fairly(
    solution: Solution, profiles: Mapping[str, RecoveryProfile], budget: Budget, undecided: list[str]
) -> dict[str, bool]:
    """For goals that cannot be forced for sure, where outcomes are drawn: whether with probability one."""
    fair: dict[str, bool] = {}
    if not solution.defensible or not has_chance(solution.configuration.game):
        return fair
    from holdfast.operation import almost_surely

    for name, profile in profiles.items():
        if profile.moves == NEVER:
            with _naming(f"{name} with probability one", undecided):
                fair[name] = almost_surely(solution, name, budget.share(1.0, RECOVERY_SECONDS))
    return fair


def _responded(
    solution: Solution, layers: bool, reachable: bool, budget: Budget, undecided: list[str]
) -> dict[str, Any]:
    """Effort, tempo and grace, and the layers that are asked for, as fields of the analysis."""
    readings: dict[str, Any] = {}
    with _naming("effort, tempo and grace", undecided):
        readings["no_response"] = no_response(solution, budget)
        readings["response"] = response_profile(solution, budget, undecided)
    if layers:
        with _naming("positions by effort and grace", undecided):
            readings["layers"] = response_counts(solution, budget, reachable)
    return readings


@contextmanager
def _naming(
    what: str, undecided: list[str], stops: tuple[type[Exception], ...] = (LimitError,)
) -> Iterator[None]:
    """Work that a limit, or something else, may stop: it is then left out, and named."""
    try:
        yield
    except stops as error:
        undecided.append(f"{what}: {error}")


MOST_PLAYED = 60
"""Counted things up to which DDR* and DDR are found with a variable for each: listing those is quicker."""


MOST_DRAWN = 10
"""Counted things up to which how likely a design holds is found with a variable for each; of more, bounds."""


def _written_out(solution: Solution, what: str, most: int, budget: Budget) -> Solution:
    """The solution with counted things written out, where they are not many."""
    if not 0 < sum(tally.size for tally in solution.configuration.game.tallies) <= most:
        return solution
    return solve(written_out(solution.configuration, what, budget, most), budget=budget)


def _operation(
    solution: Solution,
    protocol: Protocol,
    asked: Asked,
    budget: Budget,
    backend: Backend | None,
    undecided: list[str],
) -> dict[str, Any]:
    """DDR* and DDR, as fields of the analysis."""
    readings: dict[str, Any] = {"protocol": protocol}
    solution = _written_out(solution, "DDR*", MOST_PLAYED, budget)
    game = solution.configuration.game
    drawn = has_chance(game)
    # How likely a design holds is the main thing where there is chance, and is told in any case.
    stops = (LimitError, InputError) if drawn else (LimitError,)
    if asked.exact:
        from holdfast.operation import operating_point

        with _naming("DDR*", undecided, stops):
            readings["ddr_exact"] = operating_point(
                solution, protocol, budget, endless=asked.endless, left_out=undecided.append
            )
    if asked.learning:
        # That many counted things cannot be trained for is no reason to tell nothing of them.
        stops = (LimitError, InputError) if game.tallies else stops
        with _naming("DDR", undecided, stops):
            budget.tick("training")
            # What the learned policies are worth, beside DDR*, is found on the whole arena.
            arena = _whole_arena(solution, budget) if "ddr_exact" in readings else None
            readings |= _learned(arena or solution, protocol, budget, backend, arena is not None, undecided)
    if readings.get("ddr") and readings.get("ddr_exact"):
        readings["ddr"] = _confronted(readings["ddr"], readings["ddr_exact"])
    return readings


def _whole_arena(solution: Solution, budget: Budget) -> ShieldedArena | None:
    """The shielded arena; None where it has too many positions."""
    from holdfast.arena import shielded_arena

    try:
        return shielded_arena(solution, budget)
    except LimitError:
        return None


def _learned(
    where: Solution | ShieldedArena,
    protocol: Protocol,
    budget: Budget,
    backend: Backend | None,
    exact: bool,
    undecided: list[str],
) -> dict[str, Any]:
    """DDR and its runs; with DDR* at hand, also what the learned policies are worth."""
    from holdfast.operation import defender_dominance, train

    trained = train(where, protocol, budget=budget, tables=exact, backend=backend)
    if trained.unfinished:
        left = ", ".join(map(str, trained.unfinished))
        undecided.append(f"DDR: stopped before the seeds {left} had finished")
    readings: dict[str, Any] = {"interrupted": bool(trained.unfinished)}
    if not trained.seeds:
        return readings
    ddr = _within(defender_dominance(trained.means, protocol.window, trained.seeds, trained.fresh))
    with _naming("what the learned policies guarantee", undecided):
        ddr = replace(ddr, bracket=_bracket(trained, protocol, budget) if exact else None)
    return {**readings, "ddr": ddr, "trajectories": trained.means}


def _within(ddr: DefenderDominance) -> DefenderDominance:
    """DDR with the part of its interval that can be: a mean of μ lies between 0 and 1."""
    if ddr.low is None or ddr.high is None:
        return ddr
    return replace(ddr, low=max(0.0, ddr.low), high=min(1.0, ddr.high))


def _confronted(ddr: DefenderDominance, exact: OperatingPoint) -> DefenderDominance:
    """DDR with what perfect play says of it."""
    from holdfast.operation import CONTRADICTED, contradiction

    low, high = ddr.interval or (ddr.mean, ddr.mean)
    against = contradiction(low, high, (exact.low, exact.high), exact.tremble, exact.epsilon)
    if not against:
        return ddr
    standing = CONTRADICTED if ddr.settled else ddr.standing
    return replace(ddr, standing=standing, reason="; ".join(filter(None, [ddr.reason, against])))


def _bracket(trained: Trained, protocol: Protocol, budget: Budget) -> GreedyBracket:
    """What the greedy policies are worth against perfect opponents, averaged over the seeds."""
    from holdfast.operation import GreedyBracket, greedy_actions, greedy_policies, guarantees, shortchanged

    arena = trained.arena
    policies = (greedy_actions(arena, greedy_policies(trained, seed)) for seed in trained.seeds)
    worth = guarantees(arena, policies, protocol, budget=budget)
    guaranteed = math.fsum(worth.guaranteed) / len(worth.guaranteed)
    conceded = math.fsum(worth.conceded) / len(worth.conceded)
    gaps = worth.value - guaranteed, conceded - worth.value
    return GreedyBracket(guaranteed, conceded, shortchanged(*gaps))
