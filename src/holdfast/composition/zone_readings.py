"""Readings of the whole from those of its zones, as bounds that are proved; exact where they meet.

Every zone is held on its terms in its guarded game, and is easier to hold in its open game
(:mod:`.zone_game`). The defender that is proved to exist answers in the zone in which the adversary moved,
and whatever the adversary can force by staying in one zone it can force in the whole. So

- *effort*: a zone that is held with m interventions takes no more in the whole; together they take the sum of
  all at most, and as many as any one of them needs in its open game at least;
- *grace*: if every zone can be held by a defender that first idles for d turns of its own in it, so can the
  whole, of whose first d turns no zone has more; and no later than the open game of any zone allows;
- *tempo*: turns are shared among zones, so nothing follows from what each of them can do by itself but that
  the whole allows no slower a defender than the open game of any zone;
- *a goal of recovery* is reached in the whole no sooner than in the open game of any zone, and never if it is
  never reached there: in the whole it is asked for everywhere at once. How soon it is reached at the latest
  does not follow, since the adversary may come back in one zone while the defender is busy in another. Where
  the adversary cannot wait in a zone nothing is said: it would rest there, and cannot in the whole.

The *weakest* zone is the one with the least grace, and among those the one that takes most effort, in their
guarded games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.composition.division import Division, Zone
from holdfast.composition.questions import question_key
from holdfast.composition.result import Composition
from holdfast.composition.scope import ZoneScope, bounded
from holdfast.composition.zone_game import can_wait, guarded_game, open_game
from holdfast.errors import LimitError
from holdfast.game import Configuration, admissible_moves
from holdfast.logic import Truth
from holdfast.running import Backend, run_tasks, sha256_of
from holdfast.solver import (
    Extent,
    MoveCount,
    as_number,
    extent,
    no_response,
    recovery_layers,
    response_layers,
    response_profile,
    solve,
)

NEVER = "never"

MOST_STEPS = 200_000
"""Steps that the readings of one game of a zone may take: some seconds to a minute. Zones of 25 to 50 hosts
took less than a tenth of it."""

MOST_NAMES = 3
"""Zones that are named where some were not read."""


@dataclass(frozen=True)
class Between:
    """A reading of the whole: from ``low`` to ``high``; None where an end is not known."""

    low: Extent
    high: Extent

    @property
    def exact(self) -> bool:
        """Whether both ends are one number."""
        return self.low is not None and self.low == self.high


@dataclass(frozen=True)
class ZoneReading:
    """What was read of one zone; None where it was not, or is not defined.

    Attributes:
        effort, grace: in its guarded game.
        effort_alone, grace_alone, tempo_alone: in its open game.
        goals: in its open game, for each goal of recovery the moves within which it is reached.
    """

    effort: Extent = None
    grace: Extent = None
    effort_alone: Extent = None
    grace_alone: Extent = None
    tempo_alone: Extent = None
    goals: Mapping[str, MoveCount] = field(default_factory=dict)


@dataclass(frozen=True)
class ComposedReadings:
    """Readings of a system that is held, from those of its zones.

    Attributes:
        zones: for each zone what was read of it.
        effort, tempo, grace: of the whole.
        goals: for each goal of recovery the moves that it takes at least; "never" if it is never reached.
        weakest: the number of the weakest zone; None where some grace was not read.
        unread: which zones were not read in full, and why; empty where all were.
    """

    zones: tuple[ZoneReading, ...]
    effort: Between
    tempo: Between
    grace: Between
    goals: Mapping[str, MoveCount]
    weakest: int | None
    unread: str = ""


def composed_readings(
    found: Composition, budget: Budget = UNLIMITED, backend: Backend | None = None
) -> ComposedReadings | None:
    """The readings of a composition that is held; None for any other.

    What a limit stops is left out, and with it what would follow from it.
    """
    division = found.division
    if not found.defensible or division is None:
        return None
    asked: dict[str, tuple[Configuration, bool]] = {}
    guarded, alone = dict[int, str](), dict[int, str]()
    known, why = dict[str, dict[str, Any]](), ""
    scoped = None if backend is None else backend.with_scope("readings")
    try:
        for number, zone in enumerate(division.zones):  # these first: they say which is weak
            game = _with_costs(division, guarded_game(division, zone, found.terms[number], budget))
            guarded[number] = _key(game, False)
            asked.setdefault(guarded[number], (game, False))
        for number, zone in enumerate(division.zones):
            easier = open_game(division, zone, budget)
            alone[number] = ""
            if easier is not None and _begins(easier):
                easier = _with_goals(division, zone, easier)
                alone[number] = _key(easier, True)
                asked.setdefault(alone[number], (easier, True))
        for key, result in run_tasks(read_zone, asked, budget, scoped):
            why = why or result.failure or result.value.get("stopped", "")
            if not result.failure:
                known[key] = result.value
    except LimitError as limit:
        why = str(limit)
    keys = [(guarded.get(number), alone.get(number)) for number in range(len(division.zones))]
    rows = tuple(_row(known.get(one or "", {}), known.get(other or "", {})) for one, other in keys)
    short = [
        zone.name
        for zone, pair in zip(division.zones, keys, strict=True)
        if any(key is None or (key and "stopped" in known.get(key, ("stopped",))) for key in pair)
    ]
    return _composed(rows, division, f"{_some(short)} ({why})" if short else "")


def _some(names: Sequence[str]) -> str:
    """Some names, not too many."""
    more = f" and {len(names) - MOST_NAMES} more zones" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


def _with_costs(division: Division, game: Configuration) -> Configuration:
    return replace(game, costs=division.configuration.costs)


def _with_goals(division: Division, zone: Zone, game: Configuration) -> Configuration:
    """The open game with what the goals of the whole ask of the zone, where its adversary can wait."""
    tallies = division.configuration.game.tallies
    scope = ZoneScope(frozenset(zone.variables), {}, stays=True, tallies=tallies)
    goals = {name: bounded(goal, scope, True) for name, goal in division.configuration.goals.items()}
    goals = {name: goal for name, goal in goals.items() if not isinstance(goal, Truth)}
    if not can_wait(game):
        goals = {}
    return replace(_with_costs(division, game), recovery=goals)


def _begins(game: Configuration) -> bool:
    """Whether the adversary can do anything at the start; where it cannot, bounds say nothing."""
    start = game.initial
    return any(after.state != start.state for after in admissible_moves(game, start).values())


def _key(game: Configuration, alone: bool) -> str:
    """What decides the readings: the game but for names, unless goals or costs have names."""
    named = [str(goal) for goal in game.recovery.values()] if game.recovery else []
    more = [alone, sorted(game.costs.items()), named]
    return sha256_of(f"{question_key(game)} {more}")


def read_zone(task: tuple[Configuration, bool], budget: Budget) -> dict[str, Any]:
    """The readings of one game of a zone; what takes too many steps is left out, and "stopped" says so."""
    game, alone = task
    whole, budget = budget, budget.within(MOST_STEPS)
    found = dict[str, Any]()
    try:
        solution = solve(game, budget=budget)
        if alone:
            profile = response_profile(solution, budget)
            found |= {"effort": profile.effort, "grace": profile.grace, "tempo": profile.tempo, "goals": {}}
            for name in game.recovery:
                rank = recovery_layers(solution, name).rank(game.initial, budget)
                found["goals"][name] = "never" if rank is None else rank
        elif no_response(solution, budget):
            found |= {"effort": None, "grace": None}
        else:
            layers = response_layers(solution, budget)
            assert layers is not None
            found["grace"] = extent(layers.grace(game.initial, budget))
            found["effort"] = extent(layers.effort(game.initial, budget))
    except LimitError as limit:
        whole.tick("reading zones")  # a limit of the whole leaves nothing that would stand another time
        found["stopped"] = str(limit)
    return found


def _row(guarded: Mapping[str, Any], alone: Mapping[str, Any]) -> ZoneReading:
    return ZoneReading(
        guarded.get("effort"),
        guarded.get("grace"),
        alone.get("effort"),
        alone.get("grace"),
        alone.get("tempo"),
        alone.get("goals", {}),
    )


def _composed(rows: Sequence[ZoneReading], division: Division, unread: str) -> ComposedReadings:
    efforts, graces = [row.effort for row in rows], [row.grace for row in rows]
    effort = Between(_largest(row.effort_alone for row in rows), _sum(efforts))
    grace = Between(_least_of_all(graces), _least(row.grace_alone for row in rows))
    tempo = Between(1, _least(row.tempo_alone for row in rows))
    goals = {name: _latest(row.goals.get(name) for row in rows) for name in division.configuration.goals}
    return ComposedReadings(tuple(rows), effort, tempo, grace, goals, _weakest(rows), unread)


def _weakest(rows: Sequence[ZoneReading]) -> int | None:
    if not rows or any(row.grace is None for row in rows):
        return None
    return min(
        range(len(rows)), key=lambda i: (as_number(rows[i].grace), -(as_number(rows[i].effort) or 0), i)
    )


def _numbers(extents: Iterable[Extent]) -> list[float]:
    return [number for each in extents if (number := as_number(each)) is not None]


def _largest(extents: Iterable[Extent]) -> Extent:
    return extent(max(_numbers(extents), default=None))


def _least(extents: Iterable[Extent]) -> Extent:
    return extent(min(_numbers(extents), default=None))


def _least_of_all(extents: Sequence[Extent]) -> Extent:
    """The least of all, which nobody knows where one is not known."""
    return _least(extents) if all(each is not None for each in extents) else None


def _sum(extents: Sequence[Extent]) -> Extent:
    """The sum of all, which is not known where one is not; one without bound bounds nothing."""
    if any(each is None for each in extents):
        return None
    total = math.fsum(_numbers(extents))
    return extent(total)


def _latest(counts: Iterable[MoveCount]) -> MoveCount:
    """The largest number of moves that is known; never, if that is so anywhere."""
    known = [each for each in counts if each is not None]
    if NEVER in known:
        return NEVER
    return max((each for each in known if isinstance(each, int)), default=None)


def readings_object(read: ComposedReadings) -> dict[str, Any]:
    """The readings of the whole as plain data for JSON."""
    return {
        "effort": {"low": read.effort.low, "high": read.effort.high},
        "tempo": {"low": read.tempo.low, "high": read.tempo.high},
        "grace": {"low": read.grace.low, "high": read.grace.high},
        "recovery": {name: {"at_least": moves} for name, moves in read.goals.items()},
        "undecided": read.unread or None,
    }
