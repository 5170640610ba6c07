"""Answers that explain themselves.

A negative verdict is explained by the line with which the adversary forces a violation, by all the first
moves that win, and by the smallest sets of assumptions without which it could not. A positive one is
explained by the spots where safe play is tightest, by how near the adversary comes, and by how far each
number of the specifications can be moved. Either is one frozen value of plain data.

The verdict itself always stands: it is asked for in solved form. What a limit of time or size keeps from
being looked at is named in ``partial``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from holdfast.analysis import start_in_words
from holdfast.engines.quotient import MEMORY, Progress, silent
from holdfast.errors import LimitError
from holdfast.explain.board import Board
from holdfast.explain.lines import FirstMove, Line, first_moves, forced_line
from holdfast.explain.margins import Margin, margins
from holdfast.explain.repairs import Repairs, smallest_repairs
from holdfast.explain.what_if import SECONDS, WhatIf
from holdfast.logic.expressions import Player
from holdfast.product import broken_clauses
from holdfast.scenario.assumptions import assumptions, legend
from holdfast.scenario.bounds import Bound, bounds, missing_limits
from holdfast.scenario.load import Scenario
from holdfast.solution import Solution

if TYPE_CHECKING:
    from holdfast.explain.spots import Approach, TightSpots

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
    violated: tuple[str, ...]
    line: Line | None
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
    scenario: Scenario | None = None,
    *,
    engine: str = "auto",
    memory: int = MEMORY,
    progress: Progress = silent,
    what_if_seconds: float = SECONDS,
) -> Explanation:
    """Explain a verdict.

    Args:
        solution: the solved configuration.
        scenario: the file it comes from; without it, links and the guards of automata are not varied.
        engine, memory: for the changed configurations that are solved on the way.
        progress: called often with a few words; a LimitError that it raises ends the part that is being
            looked at, and the explanation says so.
        what_if_seconds: time for the margins, and again for the repairs.

    >>> from holdfast.engines import solve
    >>> from holdfast.models.network import network_game
    >>> from holdfast.product import configure
    >>> game = network_game(["GW", "DB"], [("GW", "DB")], "GW")
    >>> found = explain(solve(configure(game, ["G (DB = C)"])))
    >>> found.rank, found.line.steps[0].action, found.line.steps[0].violates
    (1, 'spread(DB)', ('G (DB = C)',))
    """
    started = time.perf_counter()
    work = _Work(solution, scenario, progress, lambda: WhatIf(engine, memory, progress, what_if_seconds))
    found = work.safe() if solution.defensible else work.lost()
    configuration = solution.configuration
    return Explanation(
        name=configuration.name,
        variant=configuration.variant,
        start=start_in_words(configuration),
        requirement=tuple(a.source for a in configuration.defender),
        boundary=tuple(a.source for a in configuration.adversary),
        legend=legend(scenario),
        defensible=solution.defensible,
        rank=solution.regions.rank(configuration.initial),
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
        scenario: Scenario | None,
        progress: Progress,
        what_if: Callable[[], WhatIf],
    ) -> None:
        self.solution, self.scenario = solution, scenario
        self.progress, self.what_if = progress, what_if
        self.partial: list[str] = []
        self.numbers, self.fixed = bounds(solution.configuration, scenario)

    def part(self, what: str, work: Callable[[], Result], default: Result) -> Result:
        try:
            return work()
        except LimitError as limit:
            self.partial.append(f"{what}: {limit}")
            return default

    def lost(self) -> dict[str, Any]:
        """What explains a negative verdict."""
        solution, board = self.solution, Board(self.solution)
        configuration = solution.configuration
        told = self.part("the forced line", lambda: forced_line(board, progress=self.progress), None)
        none: tuple[tuple[FirstMove, ...], int] = (), 0
        opening = self.part("the first moves", lambda: first_moves(board), none)
        repairs = None
        if told is not None:
            candidates = assumptions(configuration, self.numbers, self.scenario)
            repairs = smallest_repairs(board, told[1], candidates, self.what_if(), self.scenario)
            if repairs.unfinished:
                self.partial.append(f"the assumptions that matter: {repairs.unfinished}")
            if not told[0].complete:
                self.partial.append(
                    f"the forced line: only its first {len(told[1].order):,} positions were followed"
                )
        limits = missing_limits(configuration, self.numbers)
        return {
            "violated": tuple(
                configuration.defender[i].source for i in broken_clauses(configuration, configuration.initial)
            ),
            "line": told[0] if told is not None else None,
            "first_moves": opening[0],
            "n_first_moves": opening[1],
            "repairs": repairs,
            "tight": None,
            "approach": None,
            "margins": self.margins((*self.numbers, *limits)),
        }

    def safe(self) -> dict[str, Any]:
        """What explains a positive verdict."""
        from holdfast.explain.reached import reached
        from holdfast.explain.spots import closest_approach, tight_spots

        solution = self.solution
        found = self.part("safe play", lambda: reached(solution, self.progress), None)
        tight = approach = None
        if found is not None:
            own = [bound for bound in self.numbers if bound.side is Player.DEFENDER]
            tight = tight_spots(solution, found)
            approach = self.part(
                "the closest approach", lambda: closest_approach(solution, found, own, self.progress), None
            )
            if not found.whole:
                self.partial.append(
                    f"safe play is too large to list: {found.n:,} defender positions were looked at, where "
                    "the fewest actions are permitted; others may be tighter or nearer"
                )
        return {
            "violated": (),
            "line": None,
            "first_moves": (),
            "n_first_moves": 0,
            "repairs": None,
            "tight": tight,
            "approach": approach,
            "margins": self.margins(self.numbers),
        }

    def margins(self, numbers: tuple[Bound, ...]) -> tuple[Margin, ...]:
        found = margins(self.solution, numbers, self.what_if())
        stopped: dict[str, list[str]] = {}
        for margin in found:
            if margin.note:
                stopped.setdefault(margin.note, []).append(margin.bound)
        self.partial += [f"the margins of {', '.join(names)}: {note}" for note, names in stopped.items()]
        return found
