"""One game asked from other initial states.

A rank is a property of a position, and the initial state decides only which position is asked about. So a
game that is solved once answers for every start.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.solver import Solution, rank


@dataclass(frozen=True)
class StartVerdict:
    """What holds from one start: within ``rank`` moves a violation is forced; None if it is defensible."""

    start: str
    rank: int | None

    @property
    def defensible(self) -> bool:
        """Whether the start is winning."""
        return self.rank is None


def start_verdicts(solution: Solution) -> tuple[StartVerdict, ...]:
    """The verdict from each of the starts that the system names; for a network, any one host as the entry.

    >>> from holdfast import configure, network_system, solve
    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW")
    >>> [(v.start, v.rank) for v in start_verdicts(solve(configure(system, ["G (DB != Z)"])))]
    [('GW', None), ('DB', 1)]
    """
    configuration = solution.configuration
    first = configuration.game.first
    return tuple(
        StartVerdict(name, rank(solution, configuration.start(state, first)))
        for name, state in configuration.system.starts.items()
    )
