"""What can be made harder besides the numbers of the clauses: how people may act, and where trouble begins.

- ``tempo >= k``: the defender acts at most once in any k turns of its own. Who acts at most once in k + 1
  turns does so in k, so a larger k asks more.
- ``effort <= m``: its interventions cost at most m in the whole play. A smaller m asks more.
- ``grace >= d``: its first d turns are idle. A larger d asks more.
- ``entries <= n``: trouble begins at up to n places at once, wherever: from each of these starts the design
  has to hold. With a larger n there are more starts, so n is harder by what it means; that one start with
  more trouble is harder than another is not assumed, and need not be true. Places that the requirement
  singles out are left out, unless the design has them as entries: trouble that begins there has mostly won.
- ``sensors <= s``: the design has at most s sensors, and they stand where they help most. Fewer ask more.

The first three are one more clause on φ_D (:mod:`holdfast.solver.restrictions`). The last two change no
clause and no move: one solution answers for every start, and for every set of sensors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.knobs import PLACE
from holdfast.errors import InputError
from holdfast.game import CRITICAL, ENTRY, Configuration, Position, drawn_graph, interventions_of
from holdfast.solver import Restriction, Solution, rank, restricted

ENTRIES: Literal["entries"] = "entries"
SENSORS: Literal["sensors"] = "sensors"

MOST_STARTS = 100_000
"""Starts that are asked about at once."""


@dataclass(frozen=True)
class Circumstance:
    """A circumstance with a number.

    Attributes:
        kind: see the module.
        template: in words, with a sign in place of the number.
        harder: +1 if larger numbers are harder on the defender, −1 if smaller ones are.
        low, high: the numbers that make sense; None for a range without an upper end.
        value: what the design has; None where it sets none.
    """

    kind: Literal["tempo", "effort", "grace", "entries", "sensors"]
    template: str
    harder: int
    low: int
    high: int | None = None
    value: int | None = None

    def text(self, k: int | str) -> str:
        """In words, with a number."""
        return self.template.replace(PLACE, str(k))

    def at(self, configuration: Configuration, number: int, budget: Budget = UNLIMITED) -> Configuration:
        """The configuration under this circumstance; where trouble begins and what is seen is asked of its
        solution.
        """
        if self.kind in (ENTRIES, SENSORS):
            return configuration
        return restricted(configuration, Restriction(self.kind, number), budget)


def circumstances(configuration: Configuration, budget: Budget = UNLIMITED) -> tuple[Circumstance, ...]:
    """Those that a configuration has: the first three with an idle action, others with something to choose.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.reading import configuration, scenario_from_text
    >>> [c.text("k") for c in circumstances(configuration(scenario_from_text(STUB)))]
    ['tempo >= k', 'effort <= k', 'grace >= k', 'entries <= k', 'sensors <= k']
    """
    offered: list[Circumstance] = []
    if interventions_of(configuration, budget) is not None:
        offered += [
            Circumstance("tempo", f"tempo >= {PLACE}", 1, 1),
            Circumstance("effort", f"effort <= {PLACE}", -1, 0),
            Circumstance("grace", f"grace >= {PLACE}", 1, 0),
        ]
    places, graph = entry_places(configuration), configuration.system.graph
    if places and graph is not None:
        n_entries = len(graph.marked(ENTRY)) or None
        offered.append(Circumstance(ENTRIES, f"entries <= {PLACE}", 1, 1, len(places), n_entries))
    sight = configuration.system.sight
    if sight is not None and sight.sensors:
        placed = None if sight.placed is None else len(sight.placed)
        offered.append(Circumstance(SENSORS, f"sensors <= {PLACE}", -1, 0, len(sight.sensors), placed))
    return tuple(offered)


def entry_places(configuration: Configuration) -> tuple[str, ...]:
    """Where trouble may begin; nowhere in a system that does not say what that means."""
    graph = drawn_graph(configuration)
    if graph is None or configuration.system.started is None:
        return ()
    critical, entries = graph.marked(CRITICAL), graph.marked(ENTRY)
    return tuple(name for name in graph.names if name not in critical or name in entries)


def holds_from_all(solution: Solution, n_entries: int, budget: Budget = UNLIMITED) -> bool:
    """Whether the design holds wherever trouble begins, at up to so many places at once.

    Raises:
        InputError: where these are too many starts.
    """
    configuration = solution.configuration
    n_places = len(entry_places(configuration))
    n_starts = sum(comb(n_places, size) for size in range(1, n_entries + 1))
    if n_starts > MOST_STARTS:
        raise InputError(
            f"up to {n_entries} of {n_places} entries make {n_starts:,} starts; at most {MOST_STARTS:,} are "
            "asked about, so name fewer"
        )
    for start in starts_of(configuration, n_entries):
        budget.tick()
        if rank(solution, start) is not None:
            return False
    return True


def starts_of(configuration: Configuration, n_entries: int) -> Iterator[Position]:
    """The initial positions with trouble at up to so many places."""
    system, places = configuration.system, entry_places(configuration)
    assert system.started is not None or not places
    for size in range(1, n_entries + 1):
        for chosen in combinations(places, size):
            assert system.started is not None
            yield configuration.start(system.started(chosen), configuration.game.first)
