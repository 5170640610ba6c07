"""Gates: bounds that somebody asked readings to keep, and whether they do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.game import bracket
from holdfast.readings.reading import Reading
from holdfast.readings.table import chance_readings, every_reading, reading_of

if TYPE_CHECKING:
    from holdfast.readings.results import Analysis


@dataclass(frozen=True)
class Gate:
    """A bound that was asked for, the value of the reading with that key, and whether the bound is kept.

    The bound is a minimum, or a maximum where less is better. A gate is ``undecided`` where a limit kept the
    reading from being taken, where the bound lies between the ends that are all that is known, and where the
    reading is in doubt. ``reading`` says in words what there is instead of a plain value. ``asked`` says what
    was asked for where that is no bound of a reading but a verdict; its value is then 1 or 0.
    """

    axis: str
    minimum: float
    value: float | None
    met: bool
    undecided: bool = False
    reading: str = ""
    asked: str = ""


def asks_less(gates: Iterable[Gate]) -> bool:
    """Whether a gate asks how likely a design holds, so that it may be lost."""
    keys = {reading.key for reading in chance_readings()}
    return any(gate.axis.partition("@")[0] in keys for gate in gates)


def gates_of(analysis: Analysis, minima: Mapping[str, float]) -> tuple[Gate, ...]:
    """Each bound, by the key of its reading, held against the value; a value that is not there meets none.

    An infinite bound asks that there be a number at all, where a reading may be ``never``.
    """
    asked = [reading for reading in (*every_reading(), *chance_readings()) if reading.key in minima]
    asked += [reading_of(key) for key in minima if "@" in key]
    return tuple(_gate(reading, minima[reading.key], analysis) for reading in asked)


def _gate(reading: Reading, minimum: float, analysis: Analysis) -> Gate:
    value, ends, doubt = reading.read(analysis), reading.ends(analysis), reading.doubt(analysis)
    if ends is None:
        undecided = bool(doubt) or not reading.undefined(analysis)
        words = f"{value:.8g}, {doubt}" if doubt and value is not None else ""
        return Gate(reading.key, minimum, value, met=False, undecided=undecided, reading=words)
    if math.isinf(minimum):  # any number will do, as long as there is one
        can = not math.isinf(ends[1])
        words = "it can be done" if can else "it cannot be done"
        return Gate(reading.key, minimum, float(can), can, reading=words, asked=reading.name)
    met, missed = ends[0] >= minimum, ends[1] < minimum
    if reading.less:
        met, missed = ends[1] <= minimum, ends[0] > minimum
    words = "" if value is not None else bracket(*ends)
    return Gate(reading.key, minimum, value, met=met, undecided=not (met or missed), reading=words)


def gate_columns(gate: Gate) -> dict[str, object]:
    """A gate as plain data for JSON."""
    if gate.asked:
        value = None if gate.value is None else bool(gate.value)
        return {"axis": gate.axis, "value": value, "met": gate.met, "undecided": gate.undecided}
    reading = reading_of(gate.axis)
    return {
        "axis": gate.axis,
        "maximum" if reading.less else "minimum": reading.plain(gate.minimum),
        "value": reading.plain(gate.value),
        "met": gate.met,
        "undecided": gate.undecided,
    }
