"""A small plant: tanks with whole-number levels, lines between them, sensors; checked once.

How water runs and who may touch what is at the head of :mod:`holdfast.models.plant.game`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from holdfast.errors import ModelError, did_you_mean
from holdfast.logic import Expression, Player

SOURCE, DRAIN = "source", "drain"
"""Where lines may come from and lead to besides tanks: neither is ever empty or full."""

VALVE, PUMP, PIPE, DOSE = "valve", "pump", "pipe", "dose"
WORKING = {VALVE: ("open", "shut"), PUMP: ("on", "off")}
"""For a line with a device, its values: the one that lets water through first."""

FLIP, JAM, BLIND = "flip", "jam", "blind"
JAMMED = "jammed-"

TAKEN = dict.fromkeys((SOURCE, DRAIN), "an end of lines")
TAKEN |= dict.fromkeys(
    ("open", "shut", "start", "stop", "run", "repair", "wait", FLIP, JAM, BLIND), "an action"
)
TAKEN |= dict.fromkeys(("overflow", "dry"), "a definition of every plant")
"""Names that tanks, lines and sensors cannot have."""

MAX_LEVEL, MAX_RATE, MAX_PARTS, MAX_SHARING = 1_000, 50, 40, 5


@dataclass(frozen=True)
class Tank:
    """How many units a tank holds, and how many are in it at the start."""

    holds: int
    level: int


@dataclass(frozen=True)
class Trip:
    """An interlock: the line does not pass while the sensor sees the level at or past a bound."""

    sensor: str
    op: str
    bound: int


@dataclass(frozen=True)
class FlowLine:
    """A line between two ends.

    Attributes:
        source, target: a tank, or :data:`SOURCE` or :data:`DRAIN`.
        rate: units in a round, at most.
        kind: ``valve``, ``pump``, ``pipe`` (always open) or ``dose`` (passes in the turn in which it is run).
        passing: whether it lets water through at the start.
        by: who runs a dose.
        trips: its interlocks.
        behind: other lines whose device must let water through as well.
        sabotage: what the adversary can do to its device.
        denied: of these, and of running a dose, what the adversary can no longer do.
    """

    source: str
    target: str
    rate: int = 1
    kind: str = PIPE
    passing: bool = True
    by: Player | None = None
    trips: tuple[Trip, ...] = ()
    behind: tuple[str, ...] = ()
    sabotage: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()

    @property
    def values(self) -> tuple[str, ...]:
        """The values of its device; none for a pipe or a dose."""
        own = WORKING.get(self.kind, ())
        return (*own, *(JAMMED + value for value in own)) if JAM in self.sabotage else own


@dataclass(frozen=True)
class LevelSensor:
    """A sensor of a tank's level; one that can be blinded trips nothing while it is."""

    of: str
    sabotage: bool = False
    denied: bool = False


@dataclass(frozen=True)
class FlowPlant:
    """A plant.

    Attributes:
        tanks, lines, sensors: by name; the order of the lines is the order in which they are served.
        repair: whether the defender can repair what was jammed or blinded.
        dominance: μ; 1 if left out.
        observed: the tanks whose level the operator sees, as long as one of their sensors is not blind; None
            if everything is seen.
        chance: how likely actions succeed, by name or type; 1 for others.

    Raises:
        ModelError: when the parts do not fit together.
    """

    tanks: Mapping[str, Tank]
    lines: Mapping[str, FlowLine]
    sensors: Mapping[str, LevelSensor] = field(default_factory=dict)
    repair: bool = True
    dominance: Expression | None = None
    observed: tuple[str, ...] | None = None
    chance: Mapping[str, Fraction] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.observed or ():
            _check_known("observes", name, self.tanks)
        for name, tank in self.tanks.items():
            if not 0 <= tank.level <= tank.holds:
                raise ModelError(f"{name} starts at {tank.level}; it holds 0 to {tank.holds}")
        for name, sensor in self.sensors.items():
            _check_known(f"the sensor {name}", sensor.of, self.tanks)
        for name, line in self.lines.items():
            _check_line(self, name, line)
        for name in self.tanks:
            for ends in (self.out_of(name), self.into(name)):
                if len(ends) > MAX_SHARING:
                    raise ModelError(
                        f"{len(ends)} lines share one end at {name}; at most {MAX_SHARING} can be served"
                    )

    def out_of(self, tank: str) -> tuple[str, ...]:
        """The lines that leave a tank, in the order in which they are served: doses come last."""
        return self._served([name for name, line in self.lines.items() if line.source == tank])

    def into(self, tank: str) -> tuple[str, ...]:
        """The lines that lead to a tank, in the same order."""
        return self._served([name for name, line in self.lines.items() if line.target == tank])

    def _served(self, names: list[str]) -> tuple[str, ...]:
        return tuple(sorted(names, key=lambda name: self.lines[name].kind == DOSE))

    @cached_property
    def attacked(self) -> dict[str, frozenset[str]]:
        """What the adversary can do to each device and sensor to which it can do anything."""
        lines = {name: line.sabotage for name, line in self.lines.items() if line.sabotage}
        return {**lines, **{name: frozenset({BLIND}) for name, s in self.sensors.items() if s.sabotage}}


def _check_known(where: str, name: str, known: Mapping[str, object]) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"; there are {', '.join(known) or 'none'}"
        raise ModelError(f'{where}: unknown "{name}"{hint}')


def _check_line(plant: FlowPlant, name: str, line: FlowLine) -> None:
    where = f"the line {name}"
    for end, other in ((line.source, SOURCE), (line.target, DRAIN)):
        if end != other:
            _check_known(where, end, {**plant.tanks, other: None})
    if line.source == line.target or (line.source, line.target) == (SOURCE, DRAIN):
        raise ModelError(
            f"{where} leads from {line.source} to {line.target}; it must join a tank to something else"
        )
    if line.sabotage and line.kind not in WORKING:
        raise ModelError(f"{where} has no device to sabotage; give it a valve or a pump")
    for trip in line.trips:
        _check_known(f"a trip of {where}", trip.sensor, plant.sensors)
    for other in line.behind:
        _check_known(f"behind in {where}", other, plant.lines)
        if plant.lines[other].kind not in WORKING:
            raise ModelError(f"{where} is behind {other}, which has no valve or pump")
