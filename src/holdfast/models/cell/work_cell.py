"""A robot cell: what stands and moves on a floor plan, checked once.

The robot is the defender's; people, triggers and some doors are the adversary's. The rules of the game are at
the head of :mod:`holdfast.models.cell.game`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from holdfast.errors import ModelError
from holdfast.logic import Player
from holdfast.models.cell.floor_plan import FloorPlan, Passage

ROBOT, BATTERY, CLOCK = "robot", "battery", "clock"
OPEN, SHUT = "open", "shut"

TAKEN = dict.fromkeys((ROBOT, BATTERY, CLOCK), "a variable of every cell")
TAKEN |= dict.fromkeys(("go", "stay", "walk", "wait", "trigger", "stop", OPEN, SHUT), "an action")
TAKEN |= dict.fromkeys(("hit", "near", "struck"), "a definition of every cell")
"""Names that people, hazards and doors cannot have."""

MAX_CLOCK, MAX_BATTERY, MAX_PHASES, MAX_NEAR = 60, 400, 20, 10


@dataclass(frozen=True)
class Walker:
    """A person or vehicle that the adversary moves: where it starts, and the squares that it keeps to."""

    at: str
    within: tuple[str, ...]


@dataclass(frozen=True)
class Hazard:
    """A machine that is dangerous to be in, some of the time.

    Attributes:
        squares: where it strikes.
        phases: what it goes through, one after the other and round again, each time it is triggered.
        danger: the phases in which it strikes.
        closed: for a machine that runs by the clock, when it strikes; it then has no phases.
        curtain: whether it refuses to go into a dangerous phase while somebody is in its squares.
        stop: whether the defender can bring it back to its first phase.
        locked: whether its trigger is out of the adversary's hands, and does nothing.
    """

    squares: tuple[str, ...]
    phases: tuple[str, ...] = ("open", "closed")
    danger: tuple[str, ...] = ("closed",)
    closed: tuple[int, ...] = ()
    curtain: bool = False
    stop: bool = False
    locked: bool = False

    @property
    def timed(self) -> bool:
        """Whether it runs by the clock."""
        return bool(self.closed)


@dataclass(frozen=True)
class Door:
    """A square that can be shut and opened: by whom, whether it is shut at the start.

    A ``secured`` door is out of the adversary's hands, although its actions are still there.
    """

    square: str
    by: tuple[Player, ...]
    shut: bool = False
    secured: bool = False


@dataclass(frozen=True)
class WorkCell:
    """A floor plan with everything on it.

    Attributes:
        plan: the squares.
        robot: where the robot starts.
        people, hazards, doors: by name.
        clock: how many turns a round of the clock has; None where nothing runs by it.
        battery: how many turns the robot runs on a full battery; None where that does not matter.
        chargers: squares where the battery is full again.
        rails: passages that people cannot use, though the robot can.
        near: how many squares away counts as near.
        worth: for a place, μ while the robot is there; 0 elsewhere. Without any, μ is 1.
        chance: how likely actions succeed, by name or type; 1 for others.

    Raises:
        ModelError: when the parts do not fit together.
    """

    plan: FloorPlan
    robot: str
    people: Mapping[str, Walker] = field(default_factory=dict)
    hazards: Mapping[str, Hazard] = field(default_factory=dict)
    doors: Mapping[str, Door] = field(default_factory=dict)
    clock: int | None = None
    battery: int | None = None
    chargers: tuple[str, ...] = ()
    rails: tuple[Passage, ...] = ()
    near: int = 1
    worth: Mapping[str, Fraction] = field(default_factory=dict)
    chance: Mapping[str, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, walker in self.people.items():
            _check_squares(self.plan, name, (walker.at, *walker.within))
            if walker.at not in walker.within:
                raise ModelError(
                    f"{name} starts at {walker.at}, which is not within its bounds; add it there"
                )
        for name, hazard in self.hazards.items():
            _check_squares(self.plan, name, hazard.squares)
            _check_hazard(name, hazard, self.clock)
        _check_doors(self)
        if self.battery is None and self.chargers:
            raise ModelError("there are chargers but no battery; add one, such as battery: 12")
        if self.battery is not None and not self.chargers:
            raise ModelError("the battery cannot be charged anywhere; add chargers, such as chargers: [dock]")
        for place, worth in self.worth.items():
            self.plan.squares_of(place)
            if not 0 <= worth <= 1:
                raise ModelError(f"the worth of {place} is {worth}; expected a number from 0 to 1")

    @property
    def triggered(self) -> dict[str, Hazard]:
        """The hazards that have phases."""
        return {name: hazard for name, hazard in self.hazards.items() if not hazard.timed}


def _check_squares(plan: FloorPlan, name: str, squares: Sequence[str]) -> None:
    for square in squares:
        if square not in plan.at:
            raise ModelError(f"{name}: {square} is no square to stand on")


def _check_hazard(name: str, hazard: Hazard, clock: int | None) -> None:
    if hazard.timed:
        if clock is None:
            raise ModelError(f"{name} closes by the clock, but there is none; add one, such as clock: 6")
        late = next((turn for turn in hazard.closed if not 0 <= turn < clock), None)
        if late is not None:
            raise ModelError(f"{name} closes at {late}; the clock goes from 0 to {clock - 1}")
        for what, wanted in (("curtain", hazard.curtain), ("stop", hazard.stop), ("locked", hazard.locked)):
            if wanted:
                raise ModelError(f"{name} runs by the clock, which nothing holds up; {what} is for phases")
        return
    if len(hazard.phases) < 2 or len(set(hazard.phases)) < len(hazard.phases):
        raise ModelError(f"the phases of {name} must be two or more, each listed once")
    unknown = next((phase for phase in hazard.danger if phase not in hazard.phases), None)
    if unknown is not None:
        raise ModelError(f'"{unknown}" is no phase of {name}; they are {", ".join(hazard.phases)}')


def _check_doors(cell: WorkCell) -> None:
    taken: dict[str, str] = {}
    for name, door in cell.doors.items():
        _check_squares(cell.plan, name, (door.square,))
        if door.square in taken:
            raise ModelError(f"{taken[door.square]} and {name} are doors of one square")
        taken[door.square] = name
        inside = [who for who, at in _starts(cell).items() if at == door.square]
        if door.shut and inside:
            raise ModelError(f"{name} is shut with {inside[0]} inside it; open it, or start elsewhere")


def _starts(cell: WorkCell) -> dict[str, str]:
    return {ROBOT: cell.robot, **{name: walker.at for name, walker in cell.people.items()}}
