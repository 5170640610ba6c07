"""A power grid: what it is made of, checked once.

Buses are joined by branches (lines and transformers). Loads and generators stand at buses; a generator has
the power that it is scheduled to give and the most that it can give. A branch has a reactance and a rating,
and is tripped by its protection where it carries more than its rating times the *tolerance* of the grid.
Powers are exact and in MW. The game that a grid means is made in :mod:`holdfast.models.grid.game`.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from holdfast.errors import ModelError, did_you_mean, repeated
from holdfast.logic import Player

UP, TRIPPED, DAMAGED = "up", "tripped", "damaged"
BRANCH_STATUSES = (UP, TRIPPED, DAMAGED)
LIVE, SHORT, DARK, SHED = "live", "short", "dark", "shed"
BUS_STATUSES = (LIVE, SHORT, DARK, SHED)
STATUS_NAMES = {
    UP: "in service",
    TRIPPED: "open",
    DAMAGED: "in need of repair",
    LIVE: "supplied",
    SHORT: "short of generation",
    DARK: "without a generator",
    SHED: "disconnected on purpose",
}
QUANTITIES = ("served", "overloaded", "islands")

WAIT = "wait"
TYPES = {
    Player.DEFENDER: (WAIT, "reclose", "repair", "shed", "restore"),
    Player.ADVERSARY: (WAIT, "trip", "damage"),
}
USUAL = {Player.DEFENDER: TYPES[Player.DEFENDER], Player.ADVERSARY: (WAIT, "trip")}
"""What a side can do where nothing is said."""

DEFAULT_TOLERANCE = Fraction(6, 5)
DEFAULT_OUTAGES = 2


@dataclass(frozen=True)
class PowerSource:
    """A generator: its bus, the power that it is scheduled to give, and the most that it can give."""

    bus: str
    scheduled: Fraction
    most: Fraction


@dataclass(frozen=True)
class GridBranch:
    """A line or transformer; its reactance is per unit (of any base, the same for all branches)."""

    name: str
    source: str
    target: str
    reactance: Fraction
    rating: Fraction


@dataclass(frozen=True)
class PowerGrid:
    """A power grid, and what the two sides may do to it.

    Attributes:
        branches: with them come the buses, in the order in which they are named.
        loads: the demand at a bus; none where a bus is not named.
        sources: the generators.
        tolerance: a branch trips above its rating times this.
        outages: the most branches that can be out; where more are, the grid counts as lost.
        protected: branches that the adversary cannot touch; protection relays still trip them.
        sheddable: buses whose load the operator can shed and restore.
        actions: the types of action that a side has, besides waiting.
        observed: the branches whose status the operator sees; None if everything is seen.
        chance: how likely actions succeed, by name or type; 1 for others.
        places: where buses stand in the usual picture of a case.

    Raises:
        ModelError: when the parts do not fit together.
    """

    branches: tuple[GridBranch, ...]
    loads: Mapping[str, Fraction]
    sources: tuple[PowerSource, ...]
    tolerance: Fraction = DEFAULT_TOLERANCE
    outages: int = DEFAULT_OUTAGES
    protected: frozenset[str] = frozenset()
    sheddable: tuple[str, ...] = ()
    actions: Mapping[Player, tuple[str, ...]] = field(default_factory=lambda: dict(USUAL))
    observed: tuple[str, ...] | None = None
    chance: Mapping[str, Fraction] = field(default_factory=dict)
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not self.branches:
            raise ModelError("a grid needs at least one branch")
        names = [branch.name for branch in self.branches]
        if (twice := repeated([*names, *self.buses])) is not None:
            raise ModelError(f'"{twice}" is listed twice; branches and buses need names of their own')
        for branch in self.branches:
            _check_branch(branch)
        _check_known("load", self.loads, self.buses)
        _check_known("generator", (source.bus for source in self.sources), self.buses)
        _check_known("bus to shed", self.sheddable, self.buses)
        _check_known("protected branch", self.protected, names)
        _check_known("observed branch", self.observed or (), names)
        for bus, power in self.loads.items():
            if power < 0:
                raise ModelError(f"the load at {bus} is {float(power):g} MW; expected none or more")
        if self.demand <= 0:
            raise ModelError("the grid has no load, so there is nothing to serve")
        for source in self.sources:
            if not 0 <= source.scheduled <= source.most:
                raise ModelError(
                    f"the generator at {source.bus} is scheduled to give {float(source.scheduled):g} MW; "
                    f"expected from 0 to its most, {float(source.most):g}"
                )
        for bus in self.sheddable:
            if not self.loads.get(bus):
                raise ModelError(f"there is no load at {bus} to shed")

    @cached_property
    def buses(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(dict.fromkeys(bus for b in self.branches for bus in (b.source, b.target)))

    @cached_property
    def demand(self) -> Fraction:
        """The load of the whole grid."""
        return sum(self.loads.values(), Fraction(0))

    @cached_property
    def physics(self) -> Hashable:
        """All that decides how the grid behaves, whatever is protected."""
        actions = tuple(self.types(player) for player in Player)
        loads = tuple(sorted(self.loads.items()))
        return self.branches, loads, self.sources, self.tolerance, self.outages, self.sheddable, actions

    def types(self, player: Player) -> tuple[str, ...]:
        """The types of action that a side has and that can do something here, waiting first."""
        allowed = {WAIT, *self.actions.get(player, USUAL[player])}
        idle = set() if self.sheddable else {"shed", "restore"}
        if "damage" not in self.actions.get(Player.ADVERSARY, USUAL[Player.ADVERSARY]):
            idle.add("repair")
        return tuple(kind for kind in TYPES[player] if kind in allowed - idle)


def _check_branch(branch: GridBranch) -> None:
    if branch.source == branch.target:
        raise ModelError(f"branch {branch.name} joins {branch.source} to itself; remove it")
    for what, value in (("reactance", branch.reactance), ("rating", branch.rating)):
        if value <= 0:
            raise ModelError(f"branch {branch.name} has a {what} of {float(value):g}; expected more than 0")


def _check_known(what: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise ModelError(f'the {what} "{name}" is not in the grid{did_you_mean(name, known)}')
