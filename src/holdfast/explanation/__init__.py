"""Answers that explain themselves.

A negative verdict is explained by the line with which the adversary forces a violation, by all the first
moves that win, and by the smallest sets of assumptions without which it could not. A positive one is
explained by the spots where safe play is tightest, by how near the adversary comes, and by how far each
number of the specifications can be moved. Either is one frozen value of plain data.

The verdict itself always stands: it is asked for in solved form. The time is shared: each part may use a
share of what is left, the cheapest parts first, so that one that would take all of it leaves something to
the others. What a limit of time or size keeps from being looked at is named in ``partial``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.lines import FirstMove, ForcedLine, first_moves, forced_line
from holdfast.logic.expressions import Player
from holdfast.product import warnings
from holdfast.solution import Solution
from holdfast.solved_game import SolvedGame
from holdfast.whatif.assumptions import assumptions
from holdfast.whatif.bounds import Bound, bounds, missing_limits
from holdfast.whatif.margins import Margin, margins
from holdfast.whatif.repairs import Repairs, smallest_repairs
from holdfast.whatif.trials import Trials
from holdfast.words import start_in_words

if TYPE_CHECKING:
    from holdfast.explanation.spots import Approach, TightSpots

SECONDS = 90.0
SHARE = 0.4
"""Of the time that is left, what one part may use while others wait."""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Unmoved:
    """A clause without a number to move, and why."""

    side: str
    clause: str
    reason: str


@dataclass(frozen=True)
class Explanation:
    """Why a configuration is, or is not, defensible.

    Attributes:
        name, variant, start, requirement, boundary: what was explained, in words.
        legend: what the values of the model stand for, where their names do not say it.
        defensible, rank: the verdict; the rank of v₀ where it is lost.
        warnings: ways in which the question may be emptier than it looks.
        violated: the clauses that the initial state itself violates.
        line, first_moves, n_first_moves, repairs: of a configuration that is not defensible; of the
            adversary's ``n_first_moves`` first moves ``first_moves`` win.
        tight, approach: of a defensible one.
        margins, unmoved: how far the numbers of the specifications can be moved, and the clauses without any.
        partial: what was not looked at, or not to its end, and why.
        engine, positions, seconds: how it was found out.
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
    violated: tuple[str, ...]
    line: ForcedLine | None
    first_moves: tuple[FirstMove, ...]
    n_first_moves: int
    repairs: Repairs | None
    tight: TightSpots | None
    approach: Approach | None
    margins: tuple[Margin, ...]
    unmoved: tuple[Unmoved, ...]
    partial: tuple[str, ...]
    engine: str
    positions: int
    seconds: float


def explain(
    solution: Solution,
    *,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
) -> Explanation:
    """Explain a verdict.

    Args:
        solution: the solved configuration.
        engine: for the changed configurations that are solved on the way.
        budget: memory, time and cores; see :mod:`holdfast.budget`.

    >>> from holdfast.engines import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.product import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> found = explain(solve(configure(game, ["G (DB = C)"])))
    >>> found.rank, found.line.steps[0].action, found.line.steps[0].violates
    (1, 'spread(DB)', ('G (DB = C)',))
    """
    started = time.perf_counter()
    work = _Work(solution, engine, budget.share(1.0, SECONDS))
    found = work.safe() if solution.defensible else work.lost()
    configuration = solution.configuration
    return Explanation(
        name=configuration.name,
        variant=configuration.variant,
        start=start_in_words(configuration),
        requirement=tuple(c.label for c in configuration.clauses(Player.DEFENDER)),
        boundary=tuple(c.label for c in configuration.clauses(Player.ADVERSARY)),
        legend=dict(configuration.system.legend),
        defensible=solution.defensible,
        rank=solution.initial_rank,
        warnings=tuple(warnings(configuration)),
        **found,
        unmoved=tuple(Unmoved(str(f.side), f.source, f.reason) for f in work.fixed),
        partial=tuple(work.partial),
        engine=solution.engine,
        positions=configuration.n_positions,
        seconds=time.perf_counter() - started,
    )


def to_object(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain data for JSON."""
    return asdict(explanation)


class _Work:
    """The parts of an explanation; a part that a limit stops is left out and named."""

    def __init__(
        self,
        solution: Solution,
        engine: str,
        budget: Budget,
    ) -> None:
        self.solution, self.engine, self.budget = solution, engine, budget
        self.partial: list[str] = []
        self.numbers, self.fixed = bounds(solution.configuration)

    def trials(self, share: float) -> Trials:
        """A solver of changed configurations that lasts as long."""
        return Trials(self.engine, self.budget.share(share))

    def part(self, what: str, work: Callable[[], Result], default: Result) -> Result:
        try:
            return work()
        except LimitError as limit:
            self.partial.append(f"{what}: {limit}")
            return default

    # -- not defensible -----------------------------------------------------------------------------------

    def lost(self) -> dict[str, Any]:
        """What explains a negative verdict."""
        solution, solved = self.solution, SolvedGame(self.solution)
        configuration = solution.configuration
        opening = first_moves(solved)
        line, strategy = forced_line(solved, budget=self.budget.share(SHARE))
        if not line.complete:
            why = f": {strategy.stopped}" if strategy.stopped else ""
            self.partial.append(
                f"the forced line: only its first {len(strategy.order):,} positions were followed{why}"
            )
        found = self.margins((*self.numbers, *missing_limits(configuration, self.numbers)), SHARE)
        candidates = assumptions(configuration, self.numbers)
        repairs = smallest_repairs(solved, strategy, candidates, self.trials(1.0))
        if repairs.unfinished:
            self.partial.append(f"the assumptions that matter: {repairs.unfinished}")
        return {
            "violated": configuration.broken(configuration.initial),
            "line": line,
            "first_moves": opening[0],
            "n_first_moves": opening[1],
            "repairs": repairs,
            "tight": None,
            "approach": None,
            "margins": found,
        }

    # -- defensible ---------------------------------------------------------------------------------------

    def safe(self) -> dict[str, Any]:
        """What explains a positive verdict."""
        found = self.margins(self.numbers, SHARE)
        tight, approach = self.safe_play()
        return {
            "violated": (),
            "line": None,
            "first_moves": (),
            "n_first_moves": 0,
            "repairs": None,
            "tight": tight,
            "approach": approach,
            "margins": found,
        }

    def safe_play(self) -> tuple[TightSpots | None, Approach | None]:
        """Exact answers, from a list of R if the game can be listed, else from R as diagrams."""
        from holdfast.explanation.safe_positions import safe_positions
        from holdfast.explanation.spots import closest_approach, tight_spots

        own = [bound for bound in self.numbers if bound.side is Player.DEFENDER]
        none: tuple[TightSpots | None, Approach | None] = (None, None)
        try:
            found = safe_positions(self.solution, self.budget.share(SHARE))
        except LimitError as limit:
            if self.solution.configuration.game.tables is None:
                return self.part("safe play", lambda: self.safe_sets(own), none)
            self.partial.append(f"safe play: {limit}")
            return none
        return tight_spots(self.solution, found), self.part(
            "the closest approach",
            lambda: closest_approach(self.solution, found, own, self.budget.share(1.0)),
            None,
        )

    def safe_sets(self, own: list[Bound]) -> tuple[TightSpots | None, Approach | None]:
        """The answers from decision diagrams."""
        from holdfast.explanation.safe_sets import safe_sets
        from holdfast.explanation.spots import approach_of_sets, spots_of_sets

        whole = safe_sets(self.solution, self.budget.share(SHARE))
        tight = replace(whole, budget=self.budget.share(SHARE))
        spots = self.part("the tightest spots", lambda: spots_of_sets(tight), None)
        near = replace(whole, budget=self.budget.share(SHARE))
        approach = self.part("the closest approach", lambda: approach_of_sets(near, own), None)
        if spots is not None and spots.examples[0].play is None:
            self.partial.append("a play to the tightest spots: its time was over")
        if approach is not None and approach.example is not None and approach.example.play is None:
            self.partial.append("a play to where the adversary comes nearest: its time was over")
        return spots, approach

    def margins(self, numbers: tuple[Bound, ...], share: float) -> tuple[Margin, ...]:
        found = margins(self.solution, numbers, self.trials(share))
        stopped: dict[str, list[str]] = {}
        for margin in found:
            if margin.note:
                stopped.setdefault(margin.note, []).append(margin.bound)
        self.partial += [f"the margins of {', '.join(names)}: {note}" for note, names in stopped.items()]
        return found
