"""The operating point: DDR seed by seed (fig:dominance) and the trajectories it is read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from holdfast.compare import Entry
from holdfast.learn.trajectory import SMOOTHING, smoothed
from holdfast.learn.trajectory import crossing as crossing_of
from holdfast.report.figures.style import (
    GRID,
    INK,
    MUTED,
    PAGE,
    PAPER,
    in_house_style,
    series,
    shortened,
)

WINDOW = 200


@in_house_style
def dominance_box(entries: Sequence[Entry], per_seed: Mapping[str, Sequence[float]]) -> Figure:
    """A box for each design with every seed as a point, the mean, its interval, and DDR* where known."""
    figure = Figure(figsize=(PAGE, 2.9))
    axes = figure.add_subplot()
    axes.axhline(0.5, color=MUTED, lw=0.8, ls=(0, (4, 3)))
    for i, entry in enumerate(entries):
        look, values = series(i), list(per_seed.get(entry.label, ()))
        if values:
            axes.boxplot([values], positions=[i], widths=0.4, showfliers=False, manage_ticks=False)
            axes.plot([i + 0.3] * len(values), values, ls="", marker=look.marker, color=look.colour)
        if entry.ddr_exact is not None:
            axes.plot([i], [entry.ddr_exact], ls="", marker="D", mfc=PAPER, mec=INK)
    axes.set_xticks(range(len(entries)), [shortened(entry.label) for entry in entries])
    axes.set_ylim(0, 1)
    axes.set_ylabel("DDR")
    return figure


@in_house_style
def trajectories(
    means: Mapping[str, npt.NDArray[np.float64]],
    smoothing: int = SMOOTHING,
    window: int = WINDOW,
    crossing: tuple[str, str] | None = None,
    *,
    labels: Sequence[str] | None = None,
) -> Figure:
    """The mean of μ by episode, smoothed, with a band over the seeds and the window of DDR shaded.

    Args:
        means: by label, shape (n_seeds, episodes).
        smoothing: episodes in the trailing mean.
        window: how many final episodes DDR is read from.
        crossing: mark where the first of the two falls below the second for good.
        labels: all designs in order, so that each keeps its look from figure to figure.
    """
    figure = Figure(figsize=(PAGE, 3.2))
    axes = figure.add_subplot()
    order = list(labels or means)
    longest = max((runs.shape[1] for runs in means.values()), default=0)
    axes.axvspan(max(longest - window, 0), longest, color=GRID, lw=0)
    for label, runs in means.items():
        look, episodes = series(order.index(label)), np.arange(1, runs.shape[1] + 1)
        smooth = smoothed(runs, smoothing)
        axes.fill_between(
            episodes, smooth.min(axis=0), smooth.max(axis=0), color=look.colour, alpha=0.2, lw=0
        )
        axes.plot(episodes, smooth.mean(axis=0), color=look.colour, ls=look.dashes, label=shortened(label))
    if crossing is not None:
        one, other = (means[label].mean(axis=0) for label in crossing)
        at = crossing_of(one, other, smoothing)
        if at is not None:
            axes.axvline(at, color=INK, lw=0.8, ls=":")
            axes.annotate(f"episode {at:,}", (at, 1.0))
    axes.set_xlim(0, longest)
    axes.set_ylim(0, 1)
    axes.set_xlabel("episode")
    axes.set_ylabel("mean dominance μ")
    axes.legend(loc="lower left", ncols=3)
    return figure
