"""The survival curve: how likely the requirement is still kept after so many moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from holdfast.report.figures.style import MUTED, SERIES, in_house_style

SIZE = (5.0, 2.4)
STYLES = ("-", "--", ":", "-.")
"""Past as many designs as there are colours."""


@in_house_style
def survival(curve: Sequence[tuple[int, float]], forever: float) -> Figure:
    """The probability of holding by the number of moves, and what is left of it for ever.

    Args:
        curve: points, moves ascending.
        forever: the probability of holding for ever, as a line that the curve comes down to.
    """
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.subplots()
    moves, values = zip(*curve, strict=True)
    axes.plot(moves, values, color=SERIES[0], lw=1.6)
    axes.fill_between(moves, values, color=SERIES[0], alpha=0.12, lw=0)
    axes.axhline(forever, color=MUTED, lw=0.9, ls="--")
    axes.annotate(
        f"for ever {forever:.4f}",
        (moves[-1], forever),
        ha="right",
        va="bottom" if forever < 0.9 else "top",
        color=MUTED,
        fontsize=8,
    )
    axes.set_xlim(0, max(1, moves[-1]))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("moves of both sides")
    axes.set_ylabel("probability of holding")
    return figure


@in_house_style
def survivals(curves: Mapping[str, Sequence[tuple[int, float]]]) -> Figure:
    """The probability of holding by the number of moves, of some designs over each other.

    A curve that was not followed as far as another one goes on where it has come to.

    Args:
        curves: by the label of the design; points, moves ascending.
    """
    figure = Figure(figsize=(SIZE[0], SIZE[1] * 1.2), layout="constrained")
    axes = figure.subplots()
    last = max(curve[-1][0] for curve in curves.values())
    for number, (label, curve) in enumerate(curves.items()):
        moves, values = zip(*curve, (last, curve[-1][1]), strict=True)
        color, style = SERIES[number % len(SERIES)], STYLES[number // len(SERIES) % len(STYLES)]
        axes.plot(moves, values, color=color, lw=1.6, ls=style, label=label)
    axes.set_xlim(0, max(1, last))
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("moves of both sides")
    axes.set_ylabel("probability of holding")
    axes.legend(loc="best", fontsize=8, frameon=False)
    return figure


@in_house_style
def held_over(curves: Mapping[str, Sequence[tuple[float, float]]], name: str, least: float) -> Figure:
    """The probability of holding over another probability, of some designs, and a threshold.

    Args:
        curves: by the label of the design; points, ascending.
        name: of what is moved.
        least: the threshold, a dashed line.
    """
    figure = Figure(figsize=(SIZE[0], SIZE[1] * 1.2), layout="constrained")
    axes = figure.subplots()
    for number, (label, curve) in enumerate(curves.items()):
        color, style = SERIES[number % len(SERIES)], STYLES[number // len(SERIES) % len(STYLES)]
        axes.plot(*zip(*curve, strict=True), color=color, lw=1.6, ls=style, marker=".", label=label)
    axes.axhline(least, color=MUTED, lw=0.9, ls="--")
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(name)
    axes.set_ylabel("probability of holding")
    axes.legend(loc="best", fontsize=8, frameon=False)
    return figure
