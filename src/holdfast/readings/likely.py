"""HOLD in the table of readings: how likely a design holds, for ever or for so many moves."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.game import Interval, bracket, counted
from holdfast.readings.reading import Reading

if TYPE_CHECKING:
    from holdfast.readings.results import Analysis

CLOSE = 1e-5
"""Ends of HOLD that are so close stand for one number."""


def _held(analysis: Analysis, moves: int | None) -> Interval[float] | None:
    """What is proved of how likely it holds, for ever or for so many moves."""
    if analysis.hold is None:
        return None
    return analysis.hold.forever if moves is None else analysis.hold.moves.get(moves)


def _likely(analysis: Analysis, moves: int | None = None) -> float | None:
    known = _held(analysis, moves)
    return None if known is None or known.width > CLOSE else known.low


def _ends(analysis: Analysis, moves: int | None = None) -> tuple[float, float] | None:
    known = _held(analysis, moves)
    return None if known is None else (known.low, known.high)


def _says(analysis: Analysis, moves: int | None = None) -> str:
    known = _held(analysis, moves)
    so_long = "for ever" if moves is None else f"for {counted(moves, 'move')}"
    return "" if known is None else f"the requirement is kept {so_long} with probability {bracket(*known)}"


HOLD_READING = Reading(
    key="hold",
    group="chance",
    label="HOLD",
    name="probability of holding",
    meaning="how likely the requirement is kept for ever, with the best defender against the worst "
    "adversary, where outcomes are random",
    read=_likely,
    says=_says,
    undefined=lambda analysis: "",
    bounds=_ends,
    bounds_are="certain ends of HOLD",
    certified=True,
    hint="how likely it holds for ever",
    gated=True,
)


def hold_within(moves: int) -> Reading:
    """HOLD for so many moves, under a key such as ``hold@100``."""
    return replace(
        HOLD_READING,
        key=f"{HOLD_READING.key}@{moves}",
        label=f"{HOLD_READING.label} for {counted(moves, 'move')}",
        read=partial(_likely, moves=moves),
        says=partial(_says, moves=moves),
        bounds=partial(_ends, moves=moves),
    )
