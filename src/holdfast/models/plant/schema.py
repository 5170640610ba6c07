"""The shape of the ``plant:`` section, and of what a variant may change in it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, PlainValidator, Tag, WithJsonSchema

from holdfast.models.failures import FailureTable, chance_words
from holdfast.models.plant.flow_network import BLIND, FLIP, JAM, MAX_LEVEL, MAX_PARTS, MAX_RATE
from holdfast.scenario import ExpressionText, FileSection, Name, Text, YesNo, by_kind, one_of


def _word(*words: str) -> Any:
    return Annotated[str, PlainValidator(one_of(*words)), WithJsonSchema({"enum": list(words)})]


_Sabotage: Any = _word(FLIP, JAM)
_Denied: Any = _word(FLIP, JAM, "run")
_Valve: Any = _word("open", "shut")
# Editors that read YAML 1.1 take these two words for true and false.
_Pump: Any = Annotated[
    str, PlainValidator(one_of("on", "off")), WithJsonSchema({"enum": ["on", "off", True, False]})
]
_Side: Any = _word("defender", "adversary")
_Blind: Any = _word(BLIND)


class TankSettings(FileSection):
    """A tank."""

    called = "a tank"
    holds: int = Field(ge=1, le=MAX_LEVEL, description="how many units it holds")
    level: int = Field(default=0, ge=0, le=MAX_LEVEL, description="how many are in it at the start")


class LineSettings(FileSection):
    """A line that water runs through: with a valve, a pump, a dose, or none of them."""

    called = "a line"
    source: Name = Field(alias="from", description="the tank that it leaves, or source")
    target: Name = Field(alias="to", description="the tank that it leads to, or drain")
    rate: int = Field(default=1, ge=1, le=MAX_RATE, description="how many units a round, at most")
    valve: _Valve = Field(default="open", description="it has a valve: open or shut at the start")
    pump: _Pump = Field(default="on", description="it has a pump: on or off at the start")
    dose: _Side = Field(
        default="defender", description="it moves water when this side runs it, and only then"
    )
    trips: list[Text] = Field(
        default=[],
        description="interlocks that hold it shut, such as LIT101 >= 8",
        examples=[["LIT101 >= 8"]],
    )
    behind: list[Name] = Field(
        default=[], description="other lines whose valve or pump must let water through as well"
    )
    sabotage: list[_Sabotage] = Field(
        default=[], description="what the adversary can do to its valve or pump: flip, jam"
    )
    denied: list[_Denied] = Field(default=[], description="of that, or of run, what it no longer can")


class LineChange(LineSettings):
    """What a variant changes in a line."""

    called = "a line"
    source: Name = Field(default="", alias="from", description="another beginning")
    target: Name = Field(default="", alias="to", description="another end")


class SensorSettings(FileSection):
    """A sensor of a level."""

    called = "a sensor"
    of: Name = Field(default="", description="the tank whose level it sees")
    sabotage: list[_Blind] = Field(default=[], description="[blind] if the adversary can blind it")
    denied: list[_Blind] = Field(default=[], description="[blind] if it no longer can")


class TankChange(TankSettings):
    """What a variant changes in a tank."""

    called = "a tank"
    holds: int = Field(default=1, ge=1, le=MAX_LEVEL, description="another size")


_Seeing: Any = _word("all", "sensors")
_Observes = Annotated[
    Annotated[_Seeing, Tag("~scalar")] | Annotated[list[Name], Tag("~list")],
    by_kind("all, sensors, or a list of tanks such as [T101]", "~scalar", "~list"),
]
_OBSERVES = (
    "which levels the operator sees: all, sensors (those of tanks with a sensor, while it is not blind), or "
    "a list of tanks; all if left out"
)


_CHANCE = chance_words("{repair: 0.9, blind(LIT101): 0.2}")


class PlantSection(FileSection):
    """Tanks, lines and sensors."""

    called = "plant"
    tanks: Annotated[dict[str, TankSettings], Field(min_length=1, max_length=MAX_PARTS)] = Field(
        description="the tanks", examples=[{"T101": {"holds": 10, "level": 5}}]
    )
    lines: Annotated[dict[str, LineSettings], Field(min_length=1, max_length=MAX_PARTS)] = Field(
        description="what water runs through, in the order in which it is served",
        examples=[{"MV101": {"from": "source", "to": "T101", "rate": 2, "valve": "open"}}],
    )
    sensors: Annotated[dict[str, SensorSettings], Field(max_length=MAX_PARTS)] = Field(
        default={}, description="sensors that interlocks listen to"
    )
    repair: YesNo = Field(
        default="yes", description="no if the defender cannot repair what is jammed or blind"
    )
    observes: _Observes | None = Field(default=None, description=_OBSERVES, examples=["sensors", ["T101"]])
    dominance: ExpressionText = Field(
        default=1, description="μ, from 0 to 1 in every state", examples=["T101 / 10"]
    )
    chance: FailureTable = Field(
        default={}, description=_CHANCE, examples=[{"repair": 0.9, "blind(LIT101)": 0.2}]
    )


def _or_null(of: Any, what: str) -> Any:
    branches = Annotated[of, Tag("~mapping")] | Annotated[None, Tag("~null")]
    return Annotated[branches, by_kind(f"settings of {what}, or null to remove it", "~mapping", "~null")]


_TankChange: Any = _or_null(TankChange, "a tank")
_LineChange: Any = _or_null(LineChange, "a line")
_SensorChange: Any = _or_null(SensorSettings, "a sensor")


class PlantChange(FileSection):
    """What a variant changes in a plant; settings that are not named stay, and null removes an entry."""

    called = "the plant of a variant"
    tanks: dict[str, _TankChange] = Field(default={}, description="tanks to add, change or remove")
    lines: dict[str, _LineChange] = Field(default={}, description="lines to add, change or remove")
    sensors: dict[str, _SensorChange] = Field(default={}, description="sensors to add, change or remove")
    repair: YesNo = Field(default="yes", description="whether the defender can repair")
    observes: _Observes | None = Field(default=None, description="in place of the base's: " + _OBSERVES)
    dominance: ExpressionText = Field(default=1, description="another μ")
    chance: FailureTable = Field(default={}, description="more chances, or other ones: " + _CHANCE)
