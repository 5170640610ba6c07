"""The situations that a grid can get into, and where each action leads: the game as tables.

A situation is a set of tripped branches, one of damaged branches, and the loads that are shed. It is
written as one whole number, a bit for each of them, so that an action on thousands of situations is one
operation on an array. Tabulated is what can be reached from the whole grid by any actions of either side,
breadth first; each set of outages is settled once (:mod:`holdfast.models.grid.cascades`). Protected
branches are tabulated as if they were not: designs that differ in nothing but protection have the same
states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from holdfast.arrays import Array, distinct
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError, ModelError
from holdfast.logic import Player
from holdfast.models.grid.cascades import SettledGrids, settled
from holdfast.models.grid.power_grid import BUS_STATUSES, DARK, WAIT, PowerGrid

Switch = Callable[[Array], Array]
"""An action as what it switches: the situations after it, before the grid settles."""

MAX_BITS, MAX_SITUATIONS = 62, 500_000
BLACKOUT = -1
"""The situation in which the grid is lost."""


@dataclass(frozen=True)
class Encoding:
    """How situations are written as numbers."""

    grid: PowerGrid

    @property
    def n(self) -> int:
        """How many branches there are."""
        return len(self.grid.branches)

    @property
    def out_mask(self) -> int:
        """The bits of a set of branches."""
        return (1 << self.n) - 1

    @property
    def kinds(self) -> int:
        """In how many ways a branch can be out."""
        return 2 if "damage" in self.grid.types(Player.ADVERSARY) else 1

    def check(self) -> None:
        """Refuse a grid whose situations are no numbers of the machine."""
        bits = self.kinds * self.n + len(self.grid.sheddable)
        if bits > MAX_BITS:
            ways = "tripped or damaged" if self.kinds == 2 else "tripped"
            raise ModelError(
                f"{self.n} branches that can be {ways} and {len(self.grid.sheddable)} loads that can be shed "
                f"are more than can be tabulated (at most {MAX_BITS} switches); leave actions or loads out"
            )

    def tripped(self, keys: Array) -> Array:
        """The sets of tripped branches."""
        return keys & self.out_mask

    def damaged(self, keys: Array) -> Array:
        """The sets of damaged branches."""
        return keys >> self.n & self.out_mask if self.kinds == 2 else keys & 0

    def electrical(self, keys: Array) -> Array:
        """All that the flows depend on: which branches are out, and which loads are shed."""
        return (keys >> self.kinds * self.n << self.n) | self.tripped(keys) | self.damaged(keys)

    def rows(self, electrical: Array) -> tuple[Array, Array]:
        """For each, the branches in service and the buses whose load is shed, as truth values."""
        up = (electrical[:, None] >> np.arange(self.n) & 1) == 0
        shed = np.zeros((len(electrical), len(self.grid.buses)), dtype=bool)
        for i, bus in enumerate(self.grid.sheddable):
            shed[:, self.grid.buses.index(bus)] = electrical >> (self.n + i) & 1
        return up, shed

    def switches(self, player: Player) -> Iterator[tuple[str, str, Switch]]:
        """The actions of a side: type, what it is applied to, and what it switches."""
        for kind in self.grid.types(player):
            if kind == WAIT:
                yield kind, "", lambda keys: keys
            elif kind in ("shed", "restore"):
                for i, bus in enumerate(self.grid.sheddable):
                    yield kind, bus, _to(kind == "shed", 1 << (self.kinds * self.n + i))
            else:
                for i, branch in enumerate(self.grid.branches):
                    yield kind, branch.name, self._on_branch(kind, 1 << i)

    def _on_branch(self, kind: str, bit: int) -> Switch:
        hurt = bit << self.n if self.kinds == 2 else 0
        if kind == "trip":
            return lambda keys: np.where(keys & hurt, keys, keys | bit)
        if kind == "damage":
            return lambda keys: (keys | hurt) & ~bit
        if kind == "repair":
            return lambda keys: np.where(keys & hurt, keys & ~hurt | bit, keys)
        assert kind == "reclose"
        return lambda keys: keys & ~bit


def _to(on: bool, bit: int) -> Switch:
    return (lambda keys: keys | bit) if on else (lambda keys: keys & ~bit)


@dataclass(frozen=True)
class Tabulation:
    """The situations of a grid, ascending, with what each means and where actions lead.

    Attributes:
        encoding: of the situations.
        keys: the situations, :data:`BLACKOUT` first if the grid can be lost.
        settled: what each is like; means nothing for a blackout.
        successors: for each side, for each of its actions and situations the number of the one after it.
    """

    encoding: Encoding
    keys: Array
    settled: SettledGrids
    successors: dict[Player, Array]


class _Settling:
    """Sets of outages that have been settled, kept."""

    def __init__(self, encoding: Encoding, budget: Budget) -> None:
        self.encoding, self.budget = encoding, budget
        self.known = np.zeros(0, dtype=np.int64)
        self.found: SettledGrids | None = None

    def of(self, electrical: Array) -> tuple[SettledGrids, Array]:
        """What is known of all sets, and the row of each of these in it."""
        new = sorted_without(electrical, self.known)
        if len(new):
            fresh = settled(self.encoding.grid, *self.encoding.rows(new), self.budget)
            keys = np.concatenate([self.known, new])
            order = np.argsort(keys)
            self.known = keys[order]
            self.found = fresh if self.found is None else joined(self.found, fresh)
            self.found = taken(self.found, order)
        assert self.found is not None
        return self.found, np.searchsorted(self.known, electrical)

    def after(self, keys: Array) -> Array:
        """The situations that these settle to."""
        electrical, back = np.unique(self.encoding.electrical(keys), return_inverse=True)
        settled, rows = self.of(electrical)
        bits = 1 << np.arange(self.encoding.n, dtype=np.int64)
        out = (~settled.up[rows]) @ bits
        result = keys | (out[back] & ~self.encoding.damaged(keys))
        return np.where(settled.lost[rows][back], BLACKOUT, result)


def sorted_without(numbers: Array, known: Array) -> Array:
    """Those of the numbers that are not known, each once and in order; what is known is in order, too.

    By look-ups in what is sorted anyway, which takes a fraction of the time of NumPy's operations on sets.
    """
    if len(known):
        places = np.searchsorted(known, numbers)
        numbers = numbers[known[np.minimum(places, len(known) - 1)] != numbers]
    return distinct(numbers)


def joined(one: SettledGrids, other: SettledGrids) -> SettledGrids:
    """The rows of both."""
    return SettledGrids(
        *(np.concatenate([getattr(one, n), getattr(other, n)]) for n in SettledGrids.__dataclass_fields__)
    )


def taken(settled: SettledGrids, rows: Array) -> SettledGrids:
    """Some of the rows."""
    return SettledGrids(*(getattr(settled, name)[rows] for name in SettledGrids.__dataclass_fields__))


def tabulated(grid: PowerGrid, budget: Budget = UNLIMITED) -> Tabulation:
    """The situations that can be reached, and the tables over them; kept, whatever is protected.

    Raises:
        ModelError: for a grid with too many switches, or one that is lost as it stands.
        LimitError: past :data:`MAX_SITUATIONS`, or past the budget.
    """
    if grid.physics not in _kept:
        tabulation = _tabulated(grid, budget)
        while len(_kept) >= MOST_KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[grid.physics] = tabulation
    tabulation = _kept[grid.physics]
    successors = tabulation.successors[Player.ADVERSARY].copy()
    for number, (_, name, _) in enumerate(tabulation.encoding.switches(Player.ADVERSARY)):
        if name in grid.protected:
            successors[number] = np.arange(len(tabulation.keys))
    return replace(tabulation, successors={**tabulation.successors, Player.ADVERSARY: successors})


MOST_KEPT = 4
_kept: dict[Hashable, Tabulation] = {}
"""The last grids that were tabulated: to find out what to protect asks for one of them many times."""


def _tabulated(grid: PowerGrid, budget: Budget) -> Tabulation:
    encoding = Encoding(grid)
    encoding.check()
    settling = _Settling(encoding, budget)
    switches = [switch for player in Player for _, _, switch in encoding.switches(player)]
    frontier = settling.after(np.zeros(1, dtype=np.int64))
    if frontier[0]:
        raise ModelError("the grid is overloaded as it is: branches trip with nothing out; raise the ratings")
    keys = frontier
    while len(frontier):
        budget.tick(f"tabulating the grid: {len(keys):,} situations")
        raw = sorted_without(np.concatenate([switch(frontier) for switch in switches]), keys)
        frontier = sorted_without(settling.after(raw), keys) if len(raw) else raw
        keys = np.sort(np.concatenate([keys, frontier]), kind="stable")
        frontier = frontier[frontier != BLACKOUT]
        if len(keys) > MAX_SITUATIONS:
            raise LimitError(
                f"with up to {grid.outages} branches out the grid has more than {MAX_SITUATIONS:,} "
                "situations; lower outages, or leave actions or loads to shed out"
            )
    successors = {player: _successors(encoding, player, keys, settling) for player in Player}
    settled, rows = settling.of(encoding.electrical(keys[keys != BLACKOUT]))
    if keys[0] == BLACKOUT:
        rows = np.append(0, rows)
    return Tabulation(encoding, keys, taken(settled, rows), successors)


def _successors(encoding: Encoding, player: Player, keys: Array, settling: _Settling) -> Array:
    columns = []
    for kind, name, switch in encoding.switches(player):
        settling.budget.tick(f"tabulating {kind}({name})")
        moved = np.where(keys == BLACKOUT, keys, switch(keys))
        changed = moved != keys
        after = keys.copy()
        after[changed] = settling.after(moved[changed])
        columns.append(np.searchsorted(keys, after))
    return np.stack(columns)


def rows_of_codes(tabulation: Tabulation) -> Array:
    """Each situation as the codes of the variables: branches, buses, served, overloaded, islands."""
    encoding, keys, settled = tabulation.encoding, tabulation.keys, tabulation.settled
    bits = np.arange(encoding.n)
    tripped, damaged = (
        (part[:, None] >> bits & 1) for part in (encoding.tripped(keys), encoding.damaged(keys))
    )
    n_buses = len(encoding.grid.buses)
    codes = np.column_stack(
        [tripped + 2 * damaged, settled.status, settled.percent, settled.overloaded, settled.islands - 1]
    )
    dark = [BUS_STATUSES.index(DARK)] * n_buses
    codes[keys == BLACKOUT] = [*[1] * encoding.n, *dark, 0, 0, n_buses - 1]
    return codes.astype(np.int32)
