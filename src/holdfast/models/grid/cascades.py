"""What a grid does by itself after a switch: islands, redispatch, flows, and overloads that trip in cascade.

For a set of branches that are out, and the loads that the operator has shed:

1. The buses fall into *islands*, joined by the branches that are left.
2. In each island the generators are redispatched. Where the load is above what is scheduled, each generator
   gives its schedule and, of what is missing, a share in proportion to its room up to its most; where it is
   below, all give less in proportion to their schedule. An island whose generators together cannot carry
   its load runs them at their most, and all its loads get the same share of what they ask for: the island,
   and every bus in it, with a load or without, is *short*. An island without any generation is *dark*.
3. Flows follow the DC power flow: B θ = P, and a branch from i to j with reactance x carries (θ_i − θ_j) /
   x. No losses, voltages or reactive power.
4. All branches that carry more than their rating times the tolerance trip together, and it begins again,
   until none does. As soon as more branches are out than the grid is asked for (``outages``) it counts as
   lost: a *blackout*, from which nothing returns. That is no help to the defender, so that whoever holds
   the tabulated grid holds the real one.

Nothing of this depends on how the outages came about, so that it is computed once for each set of them.
Many sets are computed at once: their matrices B are stacked, each island with one bus pinned, and solved
together. Powers are whole watts, so that islands are balanced, and the share of load that is served is
found, exactly; only flows are floating point, and a branch within a watt of its limit does not trip.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from holdfast.arrays import Array
from holdfast.budget import UNLIMITED, Budget
from holdfast.models.grid.power_grid import BUS_STATUSES, DARK, LIVE, SHED, SHORT, PowerGrid

WATTS = 1_000_000
"""In a MW."""

AT_ONCE = 1 << 22
"""Entries of the stacked matrices that are held at the same time."""


@dataclass(frozen=True)
class GridArrays:
    """A grid as arrays, by the numbers of its buses and branches; powers in watts."""

    ends: Array
    susceptance: Array
    rating: Array
    limit: Array
    load: Array
    scheduled: Array
    most: Array

    @property
    def n_buses(self) -> int:
        """How many buses there are."""
        return len(self.load)


@dataclass(frozen=True)
class Balances:
    """What several grids that are cut in different ways do before any branch trips, a row each.

    Attributes:
        island: for each bus the lowest number of a bus of its island.
        flow: what each branch carries, in watts, signed by its direction; 0 where it is out.
        served: the load that is served, in watts.
        status: for each bus, as an index of :data:`BUS_STATUSES`.
    """

    island: Array
    flow: Array
    served: Array
    status: Array


@dataclass(frozen=True)
class SettledGrids:
    """What the grids do after their cascades, a row each.

    Attributes:
        up: the branches that are left in service.
        lost: where more went out than was asked for; the rest of such a row means nothing.
        percent: the share of the load of the whole grid that is served, rounded down.
        islands, overloaded: their number; a branch above its rating that does not trip is overloaded.
        status: of the buses.
    """

    up: Array
    lost: Array
    percent: Array
    islands: Array
    overloaded: Array
    status: Array


@dataclass(frozen=True)
class CascadeStep:
    """One round of a cascade: the branches that trip together, with what they carried, in MW."""

    tripped: tuple[str, ...]
    carried: tuple[float, ...]


def grid_arrays(grid: PowerGrid) -> GridArrays:
    """The grid as arrays."""
    number = {bus: i for i, bus in enumerate(grid.buses)}

    def watts(powers: Sequence[tuple[str, Fraction]]) -> Array:
        totals = np.zeros(len(number), dtype=np.int64)
        for bus, power in powers:
            totals[number[bus]] += round(power * WATTS)
        return totals

    rating = np.array([float(b.rating) * WATTS for b in grid.branches])
    return GridArrays(
        np.array([(number[b.source], number[b.target]) for b in grid.branches]),
        np.array([1 / float(b.reactance) for b in grid.branches]),
        rating,
        np.array([float(b.rating * grid.tolerance) * WATTS for b in grid.branches]),
        watts(list(grid.loads.items())),
        watts([(source.bus, source.scheduled) for source in grid.sources]),
        watts([(source.bus, source.most) for source in grid.sources]),
    )


def islands(ends: Array, up: Array, n_buses: int) -> Array:
    """For each row of branches in service and each bus, the lowest number of a bus that it is joined to.

    >>> islands(np.array([(0, 1), (1, 2)]), np.array([[True, True], [False, True]]), 3).tolist()
    [[0, 0, 0], [0, 1, 1]]
    """
    island = np.tile(np.arange(n_buses), (len(up), 1))
    while True:
        before = island.copy()
        for branch, (i, j) in enumerate(ends.tolist()):
            lower = np.minimum(island[:, i], island[:, j])
            for bus in (i, j):
                island[:, bus] = np.where(up[:, branch], lower, island[:, bus])
        if np.array_equal(before, island):
            return island


def balanced(arrays: GridArrays, up: Array, shed: Array) -> Balances:
    """Islands, redispatch and flows, for each row of branches in service and of buses whose load is shed."""
    island = islands(arrays.ends, up, arrays.n_buses)
    together = (island[:, :, None] == island[:, None, :]).astype(np.int64)
    wanted = np.where(shed, 0, arrays.load)
    load, scheduled, most = (
        np.einsum("mij,mj->mi", together, np.broadcast_to(power, wanted.shape))
        for power in (wanted, arrays.scheduled, arrays.most)
    )
    got = np.minimum(load, most)
    first = island == np.arange(arrays.n_buses)
    given = _dispatched(arrays, got, scheduled, most)
    injected = given - wanted * _ratio(got, load)
    status = np.select(
        [shed, most == 0, got < load],
        [*map(BUS_STATUSES.index, (SHED, DARK, SHORT))],
        BUS_STATUSES.index(LIVE),
    )
    return Balances(island, _flows(arrays, up, first, injected), (got * first).sum(axis=1), status)


def _ratio(part: Array, whole: Array) -> Array:
    """Of two arrays, 0 where the second is 0."""
    return np.divide(part, whole, out=np.zeros(whole.shape), where=whole != 0)


def _dispatched(arrays: GridArrays, wanted: Array, scheduled: Array, most: Array) -> Array:
    """What the generators at each bus give, of an island that wants so much."""
    room = arrays.most - arrays.scheduled
    more = arrays.scheduled + room * _ratio(wanted - scheduled, most - scheduled)
    less = arrays.scheduled * _ratio(wanted, scheduled)
    return np.where(wanted > scheduled, more, less)


def _flows(arrays: GridArrays, up: Array, first: Array, injected: Array) -> Array:
    """The DC power flow; in each island the angle of the first bus is 0."""
    n, (i, j) = arrays.n_buses, arrays.ends.T
    pattern = np.zeros((len(i), n, n))
    rows = np.arange(len(i))
    for one, other in ((i, j), (j, i)):
        pattern[rows, one, one] += 1
        pattern[rows, one, other] -= 1
    weight = up * arrays.susceptance
    matrix = (weight @ pattern.reshape(len(i), n * n)).reshape(-1, n, n)
    # The powers of an island add up to nothing, so that what is pinned carries none of them.
    matrix[:, np.arange(n), np.arange(n)] += first
    angle = np.linalg.solve(matrix, injected[:, :, None])[:, :, 0]
    return weight * (angle[:, i] - angle[:, j])


def settled(grid: PowerGrid, up: Array, shed: Array, budget: Budget = UNLIMITED) -> SettledGrids:
    """What each row of branches in service, with the loads of some buses shed, comes to."""
    arrays = grid_arrays(grid)
    size = max(1, AT_ONCE // arrays.n_buses**2)
    parts = []
    for at in range(0, len(up), size):
        budget.tick(f"settling the grid: {at:,} of {len(up):,} sets of outages")
        parts.append(_settled(arrays, grid, up[at : at + size], shed[at : at + size]))
    return SettledGrids(
        *(np.concatenate([getattr(p, name) for p in parts]) for name in SettledGrids.__annotations__)
    )


def _settled(arrays: GridArrays, grid: PowerGrid, up: Array, shed: Array) -> SettledGrids:
    up = up.copy()
    n, total = len(up), round(grid.demand * WATTS)
    percent, n_islands, overloaded = (np.zeros(n, dtype=np.int64) for _ in range(3))
    status = np.zeros((n, arrays.n_buses), dtype=np.int64)
    rows = np.arange(n)
    while len(rows := rows[(~up[rows]).sum(axis=1) <= grid.outages]):
        balances = balanced(arrays, up[rows], shed[rows])
        trips = np.abs(balances.flow) > arrays.limit + 1
        up[rows] &= ~trips
        rests = ~trips.any(axis=1)
        done = rows[rests]
        percent[done] = balances.served[rests] * 100 // total
        n_islands[done] = (balances.island[rests] == np.arange(arrays.n_buses)).sum(axis=1)
        overloaded[done] = (np.abs(balances.flow[rests]) > arrays.rating + 1).sum(axis=1)
        status[done] = balances.status[rests]
        rows = rows[~rests]
    return SettledGrids(up, (~up).sum(axis=1) > grid.outages, percent, n_islands, overloaded, status)


def cascade(grid: PowerGrid, out: Sequence[str], shed: Sequence[str] = ()) -> tuple[CascadeStep, ...]:
    """The cascade after some branches are out, round by round, to its end or until the grid is lost."""
    arrays = grid_arrays(grid)
    names = [branch.name for branch in grid.branches]
    up = np.array([[name not in out for name in names]])
    off = np.array([[bus in shed for bus in grid.buses]])
    steps = []
    while (~up).sum() <= grid.outages:
        flow = balanced(arrays, up, off).flow[0]
        trips = np.abs(flow) > arrays.limit + 1
        if not trips.any():
            break
        which = np.flatnonzero(trips).tolist()
        steps.append(
            CascadeStep(tuple(names[b] for b in which), tuple(float(flow[b]) / WATTS for b in which))
        )
        up &= ~trips
    return tuple(steps)
