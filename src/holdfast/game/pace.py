"""Pace: how long a move takes, so that numbers of moves can be told in hours and days."""

from __future__ import annotations

import re

from holdfast.errors import InputError

UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
"""Seconds of each unit."""

_NAMES = {
    "s": ("s", "sec", "second", "seconds"),
    "min": ("min", "mins", "minute", "minutes"),
    "h": ("h", "hour", "hours"),
    "d": ("d", "day", "days"),
}
_UNIT_OF = {name: unit for unit, names in _NAMES.items() for name in names}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*")
MAX_SECONDS = 1e9

EXPECTED = "a duration such as 30 min, 2 h, 1 d or 45 s"


def seconds_of(duration: str) -> float:
    """A duration in seconds.

    >>> seconds_of("30 min"), seconds_of("1.5 h")
    (1800.0, 5400.0)

    Raises:
        InputError: for anything else.
    """
    match = _DURATION.fullmatch(duration)
    seconds = float(match[1]) * UNITS[_UNIT_OF[match[2]]] if match and match[2] in _UNIT_OF else 0.0
    if not 0 < seconds <= MAX_SECONDS:
        raise InputError(f'"{duration[:40]}" is no duration; expected {EXPECTED}')
    return seconds


def lasting(moves: float, pace: float | None) -> str:
    """How long so many moves take, in the largest unit that fits, in brackets; empty without a pace.

    >>> lasting(4, 1800), lasting(3, 1800), lasting(100, 60), lasting(4, None)
    (' (2 h)', ' (1.5 h)', ' (1.7 h)', '')
    """
    if pace is None:
        return ""
    seconds = moves * pace
    unit = next((u for u in ("d", "h", "min") if seconds >= UNITS[u]), "s")
    return (
        f" ({seconds / UNITS[unit]:.2g} {unit})"
        if seconds < 100 * UNITS[unit]
        else f" ({seconds / UNITS[unit]:.0f} {unit})"
    )
