"""Answers that explain themselves.

A negative verdict is explained by the line with which the adversary forces a violation, by all the first
moves that win, and by the smallest sets of assumptions without which it could not. A positive one is
explained by the spots where safe play is tightest, by how near the adversary comes, by what it takes to hold
and what breaks one step beyond, and by how far each number of the specifications can be moved. Either is one
frozen value of plain data.

The verdict itself always stands: it is asked for in solved form. The time is shared: each part may use a
share of what is left, the cheapest parts first, so that one that would take all of it leaves something to
the others. Where perfect play is asked for, the reasons keep to a smaller share, and all that they leave is
its. What a limit of time or size keeps from being looked at is named in ``partial``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.design import (
    Bound,
    Margin,
    Repairs,
    Trials,
    Unmoved,
    assumptions,
    bounds,
    margins,
    missing_limits,
    smallest_repairs,
)
from holdfast.errors import LimitError, ModelError
from holdfast.explanation.lines import FirstMove, ForcedLine, first_moves, forced_line
from holdfast.game import Displayed, Protocol, has_chance, refuse_chance
from holdfast.logic import Player
from holdfast.readings import SightReading, warnings
from holdfast.solver import (
    ResponseProfile,
    Solution,
    SolvedGame,
    extent,
    recovery_layers,
    response_layers,
    solve_beliefs,
    start_in_words,
)

if TYPE_CHECKING:
    from holdfast.explanation.best_play import BestPlay
    from holdfast.explanation.demands import Demands
    from holdfast.explanation.fog import Fog
    from holdfast.explanation.getting_out import GettingOut
    from holdfast.explanation.likely_way import LikelyWay
    from holdfast.explanation.safe_play import SafePlay
    from holdfast.explanation.spots import Approach, TightSpots

SECONDS, SECONDS_OF_PLAY = 90.0, 240.0
"""What an explanation may take, and what perfect play may take beside it, where it is asked for."""
BESIDE_PLAY = 0.25
"""Of the time that there is, what the reasons may use where perfect play is asked for too."""
SHARE = 0.4
"""Of the time that is left, what one part may use while others wait."""

_Result = TypeVar("_Result")


@dataclass(frozen=True, kw_only=True)
class Explanation(Displayed):
    """Why a configuration is, or is not, defensible.

    Attributes:
        legend: what the values of the model stand for, where their names do not say it.
        rank: of v₀, where it is lost.
        warnings: ways in which the question may be emptier than it looks.
        violated: the clauses that the initial state itself violates.
        likely: of a configuration that is not defensible, where outcomes are drawn: how it is likely lost.
        line, first_moves, n_first_moves, repairs: of a configuration that is not defensible; of the
            adversary's ``n_first_moves`` first moves ``first_moves`` win.
        sight: of a configuration that is defensible: what becomes of it where not everything is seen.
        fog: why it is lost with these sensors.
        recovery: of a configuration that is defensible: how each goal is reached, or why it never is.
        demands: of a configuration that is defensible: what it takes to hold it, and what breaks beyond.
        best_play: of a configuration that is defensible: how perfect players begin, where that was asked for.
        margins, unmoved: how far the numbers of the specifications can be moved, and the clauses without any.
        partial: what was not looked at, or not to its end, and why.
    """

    name: str
    variant: str | None
    start: str
    requirement: tuple[str, ...]
    boundary: tuple[str, ...]
    legend: dict[str, str]
    defensible: bool
    rank: int | None
    warnings: tuple[str, ...]
    violated: tuple[str, ...] = ()
    likely: LikelyWay | None = None
    line: ForcedLine | None = None
    first_moves: tuple[FirstMove, ...] = ()
    n_first_moves: int = 0
    repairs: Repairs | None = None
    tight: TightSpots | None = None
    approach: Approach | None = None
    sight: SightReading | None = None
    fog: Fog | None = None
    recovery: tuple[GettingOut, ...] = ()
    demands: Demands | None = None
    best_play: BestPlay | None = None
    margins: tuple[Margin, ...]
    unmoved: tuple[Unmoved, ...]
    partial: tuple[str, ...]
    engine: str
    positions: int
    seconds: float

    @property
    def held(self) -> bool | None:
        """Whether it is held with what is seen; None where that is not decided."""
        return self.defensible if self.sight is None else self.sight.defensible


def explain(
    solution: Solution, *, engine: str = "auto", best_play: Protocol | None = None, budget: Budget = UNLIMITED
) -> Explanation:
    """Explain a verdict.

    Args:
        solution: the solved configuration.
        engine: for the changed configurations that are solved on the way.
        best_play: also how perfect players begin an episode of this protocol, which takes as long as DDR*.
        budget: memory, time and cores; see :mod:`holdfast.budget`.

    >>> from holdfast.solver import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> found = explain(solve(configure(game, ["G (DB = C)"])))
    >>> found.rank, found.line.steps[0].action, found.line.steps[0].violates
    (1, 'spread(DB)', ('G (DB = C)',))
    """
    if solution.defensible:
        refuse_chance(solution.configuration.game, "the explanation of a design that holds", Player.DEFENDER)
    started = time.perf_counter()
    configuration, played = solution.configuration, solution.defensible and best_play is not None
    work = _Work(solution, engine, budget.share(BESIDE_PLAY if played else 1.0, SECONDS))
    reasons = work.safe() if solution.defensible else work.lost()
    held, response = solution.defensible, work.idleness()
    reasons["warnings"] = tuple(warnings(configuration, held=held, response=response, budget=work.budget))
    if best_play is not None and played:
        reasons["best_play"] = work.best_play(best_play, budget.share(1.0, SECONDS_OF_PLAY))
    return Explanation(
        name=configuration.name,
        variant=configuration.variant,
        start=start_in_words(configuration),
        requirement=configuration.required,
        boundary=tuple(c.label for c in configuration.clauses(Player.ADVERSARY)),
        legend=dict(configuration.system.legend),
        defensible=solution.defensible,
        rank=solution.initial_rank,
        **reasons,
        unmoved=work.unmoved,
        partial=tuple(work.partial),
        engine=solution.engine,
        positions=configuration.n_positions,
        seconds=time.perf_counter() - started,
    )


def explanation_object(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain data for JSON."""
    return asdict(explanation)


class _Work:
    """The parts of an explanation; a part that a limit stops is left out and named."""

    def __init__(self, solution: Solution, engine: str, budget: Budget) -> None:
        self.solution, self.engine, self.budget = solution, engine, budget
        self.partial: list[str] = []
        self.numbers, self.unmoved = bounds(solution.configuration)

    def part(self, what: str, work: Callable[[], _Result]) -> _Result | None:
        try:
            return work()
        except (LimitError, ModelError) as reason:
            self.partial.append(f"{what}: {reason}")
            return None

    def idleness(self) -> ResponseProfile | None:
        """For how long the defender may idle, as far as that is found; None for a lost design."""
        solution, budget = self.solution, self.budget.share(SHARE)
        if solution.defensible:
            with suppress(LimitError):
                layers = response_layers(solution, budget)
                grace = None if layers is None else layers.grace(solution.configuration.initial, budget)
                return ResponseProfile(None, None, extent(grace))
        return None

    def lost(self) -> dict[str, Any]:
        """What explains a negative verdict."""
        solved, configuration = SolvedGame(self.solution), self.solution.configuration
        opening, n_opening = first_moves(solved)
        line, strategy = forced_line(solved, budget=self.budget.share(SHARE))
        if not line.complete:
            why = f": {strategy.stopped}" if strategy.stopped else ""
            self.partial.append(
                f"the forced line: only its first {len(strategy.order):,} positions were followed{why}"
            )
        likely = self.likely() if has_chance(configuration.game) else None
        margins = self.margins((*self.numbers, *missing_limits(configuration, self.numbers)))
        trials = Trials(self.engine, self.budget.share(1.0))
        repairs = smallest_repairs(solved, strategy, assumptions(configuration, self.numbers), trials)
        if repairs.unfinished:
            self.partial.append(f"the assumptions that matter: {repairs.unfinished}")
        return {
            "violated": configuration.broken(configuration.initial),
            "likely": likely,
            "line": line,
            "first_moves": opening,
            "n_first_moves": n_opening,
            "repairs": repairs,
            "margins": margins,
        }

    def likely(self) -> LikelyWay | None:
        """How the design is likely lost."""
        from holdfast.explanation.likely_way import MOVES, likely_way
        from holdfast.operation import hold, likeliest_loss

        budget, solution = self.budget.share(SHARE), self.solution
        known = self.part("how likely it holds", lambda: hold(solution, (MOVES,), budget))
        if known is None:
            return None
        way = "the most likely way to lose"
        found = self.part(way, lambda: likeliest_loss(solution, MOVES, self.budget.share(SHARE)))
        return likely_way(solution, known, found or ())

    def safe(self) -> dict[str, Any]:
        """What explains a positive verdict; what it takes to hold comes last, with the time that is left."""
        seen = self.seen()
        out = self.recovery()
        tightness = self.tightness()
        return {
            **tightness,
            **seen,
            "recovery": out,
            "demands": self.part("effort, tempo and grace", self.demands),
        }

    def seen(self) -> dict[str, Any]:
        """The verdict where not everything is seen and, if the design is lost then, why."""
        from holdfast.explanation.fog import fog

        sight, budget = self.solution.configuration.system.sight, self.budget.share(SHARE)
        if sight is None or sight.placed is None:
            return {}
        answer = self.part("what is seen", lambda: solve_beliefs(self.solution, sight, budget))
        if answer is None:
            return {"sight": SightReading(sight.placed)}
        if answer.defensible:
            return {"sight": SightReading(sight.placed, True, answer.n_beliefs, len(answer.stances),
                                          answer.sight.placed or ())}  # fmt: skip
        why = self.part("why it is lost with these sensors", lambda: fog(self.solution, answer, budget))
        return {"sight": SightReading(sight.placed, False, answer.n_beliefs), "fog": why}

    def recovery(self) -> tuple[GettingOut, ...]:
        """How each goal is reached, or why it never is; a trap is told once, for the first of its goals."""
        from holdfast.explanation.getting_out import getting_out

        solution, budget = self.solution, self.budget.share(SHARE)
        ways: dict[int, GettingOut] = {}
        for goal in solution.configuration.goals:
            if (one := self.part(goal, partial(getting_out, solution, goal, budget))) is not None:
                proof = recovery_layers(solution, goal).proof(solution.configuration.initial, budget)
                ways.setdefault(id(proof), one)
        return tuple(ways.values())

    def best_play(self, episode: Protocol, budget: Budget) -> BestPlay | None:
        """How perfect players begin."""
        from holdfast.explanation.best_play import best_play

        return self.part("perfect play", lambda: best_play(self.solution, episode, budget))

    def tightness(self) -> dict[str, Any]:
        """How far the numbers can be moved, where safe play is tight, and how near the adversary comes."""
        from holdfast.explanation.spots import closest_approach, tight_spots

        reasons: dict[str, Any] = {"margins": self.margins(self.numbers)}
        whole = self.part("safe play", self.safe_play)
        if whole is None:
            return reasons
        requirements = [bound for bound in self.numbers if bound.side is Player.DEFENDER]
        early = replace(whole, budget=self.budget.share(SHARE))
        tight = self.part("the tightest spots", lambda: tight_spots(early))
        late = replace(whole, budget=self.budget.share(1.0))
        approach = self.part("the closest approach", lambda: closest_approach(late, requirements))
        if tight is not None and tight.examples[0].play is None:
            self.partial.append("a play to where the defender has the least choice: its time ran out")
        if approach is not None and approach.example is not None and approach.example.play is None:
            self.partial.append("a play to where the adversary gets closest: its time ran out")
        return {**reasons, "tight": tight, "approach": approach}

    def demands(self) -> Demands | None:
        """What it takes to hold the design, and what breaks beyond."""
        from holdfast.explanation.demands import demands

        return demands(self.solution, self.engine, self.budget.share(1.0), self.partial.append)

    def safe_play(self) -> SafePlay:
        """R as a list if the game can be listed, else as diagrams; the answers are exact either way."""
        from holdfast.explanation.safe_play import diagram_safe_play, listed_safe_play

        try:
            return listed_safe_play(self.solution, self.budget.share(SHARE))
        except LimitError:
            if self.solution.configuration.game.tables is not None:
                raise
            return diagram_safe_play(self.solution, self.budget.share(SHARE))

    def margins(self, numbers: tuple[Bound, ...]) -> tuple[Margin, ...]:
        searched = margins(self.solution, numbers, Trials(self.engine, self.budget.share(SHARE)))
        stopped: dict[str, list[str]] = {}
        for margin in searched:
            if margin.note:
                stopped.setdefault(margin.note, []).append(margin.bound)
        self.partial += [f"the margins of {', '.join(names)}: {note}" for note, names in stopped.items()]
        return searched
