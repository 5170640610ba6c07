"""Results made by hand, for tests that need no game behind them."""

from __future__ import annotations

from dataclasses import replace

from holdfast.operation.result import OperatingPoint
from holdfast.operation.training.interval import DefenderDominance
from holdfast.readings.compare.findings import Entry
from holdfast.readings.results import Analysis


def learned(mean: float, low: float | None = None, high: float | None = None) -> DefenderDominance:
    return DefenderDominance(mean, low, high, per_seed=(mean,), seeds=(1,))


def solved(value: float, /, **others) -> OperatingPoint:
    point = OperatingPoint(
        value, low=value, high=value, tremble=value, epsilon=0.1, long_run=None, method="episode", seconds=0.0
    )
    return replace(point, **others)


def golden_analysis(case: dict) -> Analysis:
    """A case of the paper, with half its DDR for DDR*."""
    return Analysis(
        name="Paper",
        variant=case["variant"],
        defensible=True,
        positions=case["positions"],
        unsafe=case["unsafe"],
        winning=case["winning"],
        attractor=case["positions"] - case["winning"],
        shells=tuple(case["shells"]),
        initial_rank=None,
        win=case["win"],
        stp=case["stp"],
        slt=case["slt"],
        reachable=None,
        warnings=(),
        requirement=(),
        boundary=(),
        start="",
        defender_actions=25,
        engine="explicit",
        seconds=0.0,
        ddr=learned(case["ddr"], *case["ddr_interval"]),
        ddr_exact=solved(round(case["ddr"] / 2, 3)),
    )


def changed(entry: Entry, label: str | None = None, **readings) -> Entry:
    """The entry with other readings, and another label where one is given."""
    return replace(entry, label=label or entry.label, analysis=replace(entry.analysis, **readings))
