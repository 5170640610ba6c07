"""The operating point: DDR seed by seed (fig:dominance) and the trajectories it is read from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

from holdfast.arrays import Floats
from holdfast.errors import InputError
from holdfast.operation import SMOOTHING, crossing as crossing_of, smoothed
from holdfast.readings import Entry
from holdfast.report.drawing.text import shortened
from holdfast.report.figures import style
from holdfast.report.figures.style import GRID, INK, MUTED, PAPER, Series, in_house_style, series

WINDOW = 200
"""Final episodes that DDR is read from (tab:hyperparams)."""

STEPS = 600
"""Points along the band of a trajectory."""


_BESIDE: dict[str, Any] = {"textcoords": "offset points", "fontsize": 7}
_DOTTED: dict[str, Any] = {"color": INK, "lw": 0.9, "ls": (0, (1, 1.5)), "zorder": 2.5}
_EVEN: dict[str, Any] = {"color": MUTED, "lw": 0.8, "ls": (0, (4, 3)), "zorder": 0.6}
_EXACT: dict[str, Any] = {"color": INK, "lw": 1.4, "marker": "D", "mfc": PAPER, "ms": 5.0, "mew": 1.0}
_MEAN: dict[str, Any] = {"ls": "", "marker": "_", "color": INK, "ms": 11.0, "mew": 1.6}


@in_house_style
def dominance_box(entries: Sequence[Entry], per_seed: Mapping[str, Sequence[float]]) -> Figure:
    """A box for each design with every seed as a point, the mean, its 95% interval, and DDR* where known.

    ``per_seed`` has DDR of each seed, by label; a design without has no box.
    """
    if not entries:
        return style.no_data("no design to draw")
    width = min(style.PAGE, max(style.COLUMN, 1.0 + 1.3 * len(entries)))
    figure = Figure(figsize=(width, 3.0), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(0.5, **_EVEN)
    for i, entry in enumerate(entries):
        values = list(per_seed.get(entry.label, ()))
        if values:
            _seeds(axes, i, values, series(i))
        _summary(axes, i, entry, width=min(_MEAN["ms"], 66 / len(entries)))
        if not values and entry.analysis.ddr is None and entry.analysis.ddr_exact is None:
            reason = "not read" if entry.analysis.defensible else "not defensible"
            axes.text(i, 0.03, reason, ha="center", va="bottom", color=MUTED, fontsize=7, rotation=90)
    _names(axes, entries)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.5, len(entries) - 0.5)
    axes.set_ylim(0, 1)
    axes.set_ylabel("defender dominance, DDR")
    axes.grid(axis="y")
    style.legend_below(figure, list(_box_key(entries, per_seed)), columns=5 if width == style.PAGE else 2)
    return figure


def _names(axes: Axes, entries: Sequence[Entry]) -> None:
    """The designs under their boxes, on a slant where there are many."""
    n = len(entries)
    if n > 8:
        names = [shortened(entry.label, 18) for entry in entries]
        axes.set_xticks(range(n), names, rotation=35, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticks(range(n), [style.wrapped(entry.label, 100 // n, lines=2) for entry in entries])


def _seeds(axes: Axes, i: int, values: Sequence[float], look: Series) -> None:
    """Box and whiskers on the left of the place, the seeds on its right, in order and side by side."""
    line: dict[str, Any] = {"color": look.colour, "lw": 1.0}
    if len(values) > 1:
        looks: dict[str, Any] = dict.fromkeys(("medianprops", "whiskerprops", "capprops"), line)
        looks["boxprops"] = {"facecolor": look.colour, "alpha": 0.35, "edgecolor": look.colour}
        place: dict[str, Any] = {"positions": [i - 0.18], "widths": 0.18, "manage_ticks": False}
        axes.boxplot([list(values)], whis=(0, 100), patch_artist=True, **place, **looks)
    spread = np.linspace(0.1, 0.3, len(values)) if len(values) > 1 else [0.2]
    mark: dict[str, Any] = {"marker": look.marker, "ms": 3.6, "mec": PAPER, "mew": 0.4}
    axes.plot(i + np.asarray(spread), values, ls="", color=look.colour, zorder=3, label="_seeds", **mark)


def _summary(axes: Axes, i: int, entry: Entry, width: float) -> None:
    """The mean, ``width`` points wide, with its interval as a narrow box, and DDR* or its two ends."""
    ddr, exact = entry.analysis.ddr, entry.marks("ddr_exact")
    if ddr is not None and ddr.interval is not None:
        low, high = ddr.interval
        box = Rectangle((i - 0.035, low), 0.07, high - low, facecolor=PAPER, edgecolor=INK, lw=0.8)
        box.set_zorder(3.5)
        axes.add_patch(box)
    if ddr is not None:
        axes.plot([i], [ddr.mean], zorder=4, label="_mean", **(_MEAN | {"ms": width}))
        # The number goes above, unless DDR* is there.
        above = not any(ddr.mean < end < ddr.mean + 0.15 for end in exact)
        end = max(ddr.mean, ddr.high or 0) if above else min(ddr.mean, ddr.low or 1)
        text: dict[str, Any] = {"ha": "center", "va": "bottom" if above else "top", "fontweight": "bold"}
        label = f"{ddr.mean:.3f}" if ddr.settled else f"{ddr.mean:.3f}\n{ddr.standing}"
        axes.annotate(label, (i, end), (0, 6 if above else -6), **_BESIDE, **text)
    for end in exact:
        axes.plot([i - 0.37, i + 0.32], [end] * 2, **(_DOTTED | {"lw": 0.7}), label="_level")
    if exact:
        axes.plot([i - 0.37] * len(exact), exact, zorder=4, label="_exact", **_EXACT)


def _box_key(entries: Sequence[Entry], per_seed: Mapping[str, Sequence[float]]) -> Iterator[Any]:
    if any(len(values) for values in per_seed.values()):
        yield Line2D([], [], ls="", marker="o", color=MUTED, ms=3.6, label="one seed")
    if any(len(values) > 1 for values in per_seed.values()):
        yield Patch(facecolor=GRID, edgecolor=MUTED, label="quartiles and range")
    learned = [entry.analysis.ddr for entry in entries if entry.analysis.ddr is not None]
    if learned:
        boxed = any(ddr.interval is not None for ddr in learned)
        yield Line2D([], [], **_MEAN, label="mean, boxed: 95% interval" if boxed else "mean")
    if any(entry.marks("ddr_exact") for entry in entries):
        yield Line2D([], [], **(_EXACT | {"ls": ""}), label="DDR*, solved")
    yield Line2D([], [], **_EVEN, label="even split")


# -- trajectories -----------------------------------------------------------------------------------


@in_house_style
def trajectories(
    means: Mapping[str, Floats],
    window: int | None = WINDOW,
    crossing: tuple[str, str] | None = None,
    *,
    labels: Sequence[str] | None = None,
) -> Figure:
    """The mean of μ by episode, smoothed, with a band over the seeds and the window of DDR shaded.

    Args:
        means: by label, shape (n_seeds, episodes).
        window: how many final episodes DDR is read from; None where that is not one number.
        crossing: mark where the first of the two falls below the second for good, if it does.
        labels: all designs in order, so that each keeps its look from figure to figure.

    Raises:
        InputError: for a crossing of a design that is not drawn, or of curves of different lengths.
    """
    drawn = {label: np.atleast_2d(runs) for label, runs in means.items() if np.size(runs)}
    if not drawn:
        return style.no_data("no trajectory to draw")
    figure = Figure(figsize=(style.PAGE, 3.3), layout="constrained")
    axes = figure.add_subplot()
    order = list(labels or means)
    longest = max(runs.shape[1] for runs in drawn.values())
    if window is not None:
        _window(axes, longest, window)
    axes.axhline(0.5, **_EVEN)
    handles = []
    for label, runs in drawn.items():
        look = series(order.index(label) if label in order else len(order))
        _curve(axes, runs, look, longest)
        handles.append(look.line(shortened(label, 28), ls="-"))
    if crossing is not None:
        _mark_crossing(axes, drawn, crossing)
    axes.set_xlim(0, longest)
    axes.set_ylim(0, 1)
    axes.set_xlabel(
        f"episode (curves: mean over the seeds and the last {SMOOTHING} episodes; bands: all seeds)"
    )
    axes.set_ylabel("mean dominance μ")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    lengths = [9 + len(str(handle.get_label())) for handle in handles]
    columns = len(handles) if sum(lengths) <= 120 else max(1, 108 // max(lengths))
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, columnspacing=1.4)
    return figure


def _window(axes: Axes, longest: int, window: int) -> None:
    start = max(longest - window, 0)
    axes.axvspan(start, longest, facecolor=GRID, alpha=0.6, lw=0, zorder=0.4)
    text: dict[str, Any] = {"color": MUTED, "ha": "right", "va": "bottom", **_BESIDE}
    axes.annotate(f"last {longest - start:,}: DDR", (longest, 1), (0, 2), **text)


def _curve(axes: Axes, runs: Floats, look: Series, longest: int) -> None:
    """Band over the seeds and curve of their mean, with a mark now and then."""
    episodes = np.arange(1, runs.shape[1] + 1)
    if len(runs) > 1:
        band = axes.fill_between(*_envelope(smoothed(runs)), color=look.colour)
        band.set(alpha=0.16, linewidth=0)
    every = max(1, longest // 9)
    mark: dict[str, Any] = {"marker": look.marker, "markevery": (every // 2, every), "mec": PAPER, "mew": 0.5}
    mean = smoothed(runs.mean(axis=0))
    axes.plot(episodes, mean, color=look.colour, lw=1.2, zorder=3, label="_mean", **mark)


def _envelope(smooth: Floats) -> tuple[Floats, Floats, Floats]:
    """Episodes, and the lowest and the highest seed there: in steps of a few episodes in a long run.

    A page shows no more, and a file of every episode would be ten times as large; extremes are kept.
    """
    episodes = smooth.shape[1]
    starts = np.arange(0, episodes, -(-episodes // STEPS))
    ends = np.append(starts[1:], episodes)
    low = np.minimum.reduceat(smooth.min(axis=0), starts)
    high = np.maximum.reduceat(smooth.max(axis=0), starts)
    return (starts + 1 + ends) / 2, low, high


def _mark_crossing(axes: Axes, drawn: Mapping[str, Floats], pair: tuple[str, str]) -> None:
    for label in pair:
        if label not in drawn:
            raise InputError(f'there is no trajectory of "{label}" that could cross another')
    one, other = (drawn[label].mean(axis=0) for label in pair)
    at = crossing_of(one, other)
    if at is None:
        return
    axes.axvline(at, **_DOTTED, label="_crossing")
    level = float(smoothed(one)[at - 1])
    axes.plot([at], [level], ls="", marker="o", ms=8, mfc="none", mec=INK, mew=0.9, zorder=4)
    left = at > len(one) / 2
    below, above = (shortened(label, 22) for label in pair)
    said = f"{below} stays below\n{above} after episode {at:,}"
    place: dict[str, Any] = {"ha": "right" if left else "left", "va": "bottom", **_BESIDE}
    axes.annotate(said, (at, 0.02), (-4 if left else 4, 0), **place)
