"""Answers that explain themselves.

A negative verdict is explained by the line with which the adversary forces a violation, by all the first
moves that win, and by the smallest sets of assumptions without which it could not. A positive one is
explained by the spots where safe play is tightest, by how near the adversary comes, by what it takes to hold
and what breaks one step beyond, and by how far each number of the specifications can be moved. Either is one
frozen value of plain data.

It comes part by part, what people need first: the attack, the smallest repair, then the rest
(:func:`iter_explanation`). ``awaited`` names what is still to come.

The verdict itself always stands: it is asked for in solved form. The time is shared: each part may use a
share of what is left, so that one that would take all of it leaves something to
the others. Where perfect play is asked for, the reasons keep to a smaller share, and all that they leave is
its. What a limit of time or size keeps from being looked at is named in ``partial``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
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
from holdfast.game import Displayed, Protocol, has_chance
from holdfast.logic import Player
from holdfast.readings import SightReading, warnings
from holdfast.solver import (
    ResponseProfile,
    Solution,
    SolvedGame,
    Strategy,
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
SHARE, SHARE_OF_REPAIRS = 0.4, 0.6
"""Of the time that is left, what one part may use while others wait; and what the repairs may use."""

AWAITED = {
    "attack": "the forced attack",
    "likely": "how it is likely lost",
    "repairs": "the smallest repair",
    "sight": "what is seen",
    "warnings": "whether the question is empty",
    "margins": "how far each number can be moved",
    "recovery": "how the attacker is got out",
    "tight": "the tightest spots of safe play",
    "approach": "how near the adversary comes",
    "demands": "what it takes to hold",
    "best_play": "how perfect players begin",
}
"""The parts of an explanation, in the order in which they are worked out, each in words."""

Reasons = dict[str, Any]
Reasoning = Callable[[], Reasons | Iterator[Reasons]]
"""Fields of an explanation; and what works them out, at once or bit by bit."""


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
        awaited: the parts that are still being worked out (:data:`AWAITED`); none of a whole explanation.
    """

    name: str
    variant: str | None
    start: str
    requirement: tuple[str, ...]
    boundary: tuple[str, ...]
    legend: dict[str, str]
    defensible: bool
    rank: int | None
    warnings: tuple[str, ...] = ()
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
    margins: tuple[Margin, ...] = ()
    unmoved: tuple[Unmoved, ...]
    partial: tuple[str, ...]
    engine: str
    positions: int
    seconds: float
    awaited: tuple[str, ...] = ()

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
    *_, whole = iter_explanation(solution, engine=engine, best_play=best_play, budget=budget)
    return whole


def iter_explanation(
    solution: Solution, *, engine: str = "auto", best_play: Protocol | None = None, budget: Budget = UNLIMITED
) -> Iterator[Explanation]:
    """What is known of an explanation after each of its parts; the last is what :func:`explain` returns.

    Of a lost design the attack comes first, then the smallest repair, then the rest.
    """
    started = time.perf_counter()
    configuration, played = solution.configuration, solution.defensible and best_play is not None
    work = _Work(solution, engine, budget.share(BESIDE_PLAY if played else 1.0, SECONDS))
    parts = dict(work.safe() if solution.defensible else work.lost())
    if best_play is not None and played:
        parts["best_play"] = lambda: work.best_play(best_play, budget.share(1.0, SECONDS_OF_PLAY))
    waiting, reasons = list(parts), Reasons()

    def known() -> Explanation:
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
            awaited=tuple(waiting),
        )

    yield known()
    for name, part in parts.items():
        found = part()
        for more in [found] if isinstance(found, dict) else found:
            reasons |= more
            if not isinstance(found, dict):
                yield known()
        waiting.remove(name)
        yield known()


def explanation_object(explanation: Explanation) -> dict[str, Any]:
    """The explanation as plain data for JSON, as far as it is known."""
    data = asdict(explanation)
    del data["awaited"]
    for out in data["recovery"]:
        if not out["risky"]:  # only where moves of the defender may fail there is something to say
            del out["risky"]
    return data


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

    def lost(self) -> Iterator[tuple[str, Reasoning]]:
        """What explains a negative verdict."""
        yield "attack", self.attack
        if has_chance(self.solution.configuration.game):
            yield "likely", self.likely
        yield "repairs", self.repairs
        configuration = self.solution.configuration
        yield "margins", lambda: self.margins((*self.numbers, *missing_limits(configuration, self.numbers)))

    def safe(self) -> Iterator[tuple[str, Reasoning]]:
        """What explains a positive verdict; what it takes to hold comes last, with the time that is left."""
        sight = self.solution.configuration.system.sight
        if sight is not None and sight.placed is not None:
            yield "sight", self.seen
        yield "warnings", self.warnings
        yield "margins", lambda: self.margins(self.numbers)
        if self.solution.configuration.goals:
            yield "recovery", self.recovery
        yield "tight", self.tightest
        yield "approach", self.nearest
        yield "demands", self.demands

    def attack(self) -> Reasons:
        """How the adversary forces a violation."""
        configuration = self.solution.configuration
        opening, n_opening = first_moves(self.solved)
        line, strategy = self.line_of_attack
        if not line.complete:
            why = f": {strategy.stopped}" if strategy.stopped else ""
            self.partial.append(
                f"the forced line: only its first {len(strategy.order):,} positions were followed{why}"
            )
        return {
            "violated": configuration.broken(configuration.initial),
            "line": line,
            "first_moves": opening,
            "n_first_moves": n_opening,
            "warnings": tuple(warnings(configuration, held=False, budget=self.budget)),
        }

    @cached_property
    def solved(self) -> SolvedGame:
        """The game, to be asked about positions."""
        return SolvedGame(self.solution)

    @cached_property
    def line_of_attack(self) -> tuple[ForcedLine, Strategy]:
        """The forced line, and the strategy that it follows."""
        return forced_line(self.solved, budget=self.budget.share(SHARE))

    def repairs(self) -> Iterator[Reasons]:
        """What the attack depends on: the first repair as soon as it is found, then all of that size."""
        trials = Trials(self.engine, self.budget.share(SHARE_OF_REPAIRS))
        candidates = assumptions(self.solution.configuration, self.numbers)
        for found in smallest_repairs(self.solved, self.line_of_attack[1], candidates, trials):
            if found.unfinished:
                self.partial.append(f"the assumptions that matter: {found.unfinished}")
            yield {"repairs": found}

    def likely(self) -> Reasons:
        """How the design is likely lost."""
        from holdfast.explanation.likely_way import MOVES, likely_way
        from holdfast.operation import hold, likeliest_loss

        budget, solution = self.budget.share(SHARE), self.solution
        known = self.part("how likely it holds", lambda: hold(solution, (MOVES,), budget))
        if known is None:
            return {}
        way = "the most likely way to lose"
        line = self.part(way, lambda: likeliest_loss(solution, MOVES, self.budget.share(SHARE)))
        return {"likely": likely_way(solution, known, line or ())}

    def warnings(self) -> Reasons:
        """Ways in which the question is emptier than it looks, of a design that holds."""
        idle, budget = self.idleness(), self.budget
        return {"warnings": tuple(warnings(self.solution.configuration, response=idle, budget=budget))}

    def idleness(self) -> ResponseProfile | None:
        """For how long the defender may idle, as far as that is found."""
        solution, budget = self.solution, self.budget.share(SHARE)
        with suppress(LimitError):
            layers = response_layers(solution, budget)
            grace = None if layers is None else layers.grace(solution.configuration.initial, budget)
            return ResponseProfile(None, None, extent(grace))
        return None

    def seen(self) -> Reasons:
        """The verdict where not everything is seen and, if the design is lost then, why."""
        from holdfast.explanation.fog import fog

        sight, budget = self.solution.configuration.system.sight, self.budget.share(SHARE)
        assert sight is not None and sight.placed is not None
        answer = self.part("what is seen", lambda: solve_beliefs(self.solution, sight, budget))
        if answer is None:
            return {"sight": SightReading(sight.placed)}
        if answer.defensible:
            return {"sight": SightReading(sight.placed, True, answer.n_beliefs, len(answer.stances),
                                          answer.sight.placed or ())}  # fmt: skip
        why = self.part("why it is lost with these sensors", lambda: fog(self.solution, answer, budget))
        return {"sight": SightReading(sight.placed, False, answer.n_beliefs), "fog": why}

    def recovery(self) -> Reasons:
        """How each goal is reached, or why it never is; a trap is told once, for the first of its goals."""
        from holdfast.explanation.getting_out import getting_out

        solution, budget = self.solution, self.budget.share(SHARE)
        ways: dict[int, GettingOut] = {}
        for goal in solution.configuration.goals:
            if (one := self.part(goal, partial(getting_out, solution, goal, budget))) is not None:
                proof = recovery_layers(solution, goal).proof(solution.configuration.initial, budget)
                ways.setdefault(id(proof), one)
        return {"recovery": tuple(ways.values())}

    def best_play(self, episode: Protocol, budget: Budget) -> Reasons:
        """How perfect players begin."""
        from holdfast.explanation.best_play import best_play

        return {"best_play": self.part("perfect play", lambda: best_play(self.solution, episode, budget))}

    def tightest(self) -> Reasons:
        """Where safe play is tight."""
        from holdfast.explanation.spots import tight_spots

        if (whole := self.safe_play) is None:
            return {}
        early = replace(whole, budget=self.budget.share(SHARE))
        tight = self.part("the tightest spots", lambda: tight_spots(early))
        if tight is not None and tight.examples[0].play is None:
            self.partial.append("a play to where the defender has the least choice: its time ran out")
        return {"tight": tight}

    def nearest(self) -> Reasons:
        """How close the adversary gets."""
        from holdfast.explanation.spots import closest_approach

        if (whole := self.safe_play) is None:
            return {}
        requirements = [bound for bound in self.numbers if bound.side is Player.DEFENDER]
        late = replace(whole, budget=self.budget.share(SHARE))
        approach = self.part("the closest approach", lambda: closest_approach(late, requirements))
        if approach is not None and approach.example is not None and approach.example.play is None:
            self.partial.append("a play to where the adversary gets closest: its time ran out")
        return {"approach": approach}

    def demands(self) -> Reasons:
        """What it takes to hold the design, and what breaks beyond."""
        from holdfast.explanation.demands import demands

        def asked() -> Demands | None:
            return demands(self.solution, self.engine, self.budget.share(1.0), self.partial.append)

        return {"demands": self.part("effort, tempo and grace", asked)}

    @cached_property
    def safe_play(self) -> SafePlay | None:
        """R, unless a limit stops it."""
        return self.part("safe play", self.listed_or_drawn)

    def listed_or_drawn(self) -> SafePlay:
        """R as a list if the game can be listed, else as diagrams; the answers are exact either way."""
        from holdfast.explanation.safe_play import diagram_safe_play, listed_safe_play

        try:
            return listed_safe_play(self.solution, self.budget.share(SHARE))
        except LimitError:
            if self.solution.configuration.game.tables is not None:
                raise
            return diagram_safe_play(self.solution, self.budget.share(SHARE))

    def margins(self, numbers: tuple[Bound, ...]) -> Reasons:
        """How far numbers can be moved."""
        searched = margins(self.solution, numbers, Trials(self.engine, self.budget.share(SHARE)))
        stopped: dict[str, list[str]] = {}
        for margin in searched:
            if margin.note:
                stopped.setdefault(margin.note, []).append(margin.bound)
        self.partial += [f"the margins of {', '.join(names)}: {note}" for note, names in stopped.items()]
        return {"margins": searched}
