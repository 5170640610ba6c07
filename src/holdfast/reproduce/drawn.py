"""The figures of the paper, drawn from our numbers, and the corpus as a scatter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from holdfast.compare import Entry
from holdfast.report import figures
from holdfast.report.figures.style import PAGE, in_house_style, legend_below, series
from holdfast.reproduce.corpus import Corpus, Correlation, Sample
from holdfast.reproduce.evidence import Evidence
from holdfast.reproduce.published import Published
from holdfast.reproduce.tables import minus

FREE, REFERENCE, CONNECTED, CUT = 3, 1, 2, 5


@dataclass(frozen=True)
class Drawing:
    """A figure that is to be drawn.

    Attributes:
        stem: its file name without ending.
        label: the paper's label for it; empty for one that the paper does not have.
        caption: what it shows.
        description: the same for those who do not see it.
        draw: makes it.
    """

    stem: str
    label: str
    caption: str
    description: str
    draw: Callable[[], Figure]


STEMS = (
    "fig-topology",
    "fig-fingerprint",
    "fig-decomposition",
    "fig-dominance",
    "fig-trajectories",
    "fig-five-fingerprints",
    "fingerprints-overlaid",
    "shell-profile",
    "topology-case-2",
    "topology-case-5",
    "corpus",
)
"""Every figure there can be."""


def drawings(paper: Published, evidence: Evidence) -> Iterator[Drawing]:
    """The figures that the evidence allows, those of the paper first, in its order."""
    assert evidence.comparison is not None and evidence.topologies is not None
    names = {n: f"{n} · {case.name}" for n, case in paper.cases.items()}
    entries = [
        replace(entry, label=names[n]) for n, entry in zip(names, evidence.comparison.entries, strict=True)
    ]
    segments = evidence.topologies
    yield Drawing(
        "fig-topology",
        "fig:topology",
        "The reference segment: five hosts, six directed links, the attacker entering at GW.",
        "The network as boxes for hosts and arrows for links; entry and critical hosts are marked.",
        partial(figures.topology, segments[REFERENCE]),
    )
    yield from _shapes(entries)
    if evidence.means is not None:
        yield from _operation(evidence, entries, names)
    yield from _more(entries)
    for case in (CONNECTED, CUT):
        yield Drawing(
            f"topology-case-{case}",
            "",
            f"What Case {case} changes in the reference segment.",
            "The network with the links that are added and removed marked.",
            partial(figures.topology_difference, segments[REFERENCE], segments[case]),
        )
    if evidence.corpus is not None:
        yield Drawing(
            "corpus",
            "",
            "WIN and SLT against edge density, over 90 random arenas of each of two generators.",
            "Two scatter plots; both readings fall as the density of links rises.",
            partial(scatter, evidence.corpus),
        )


def _shapes(entries: list[Entry]) -> Iterator[Drawing]:
    yield Drawing(
        "fig-fingerprint",
        "fig:fingerprint",
        "The fingerprint of the reference configuration, each axis from 0 to 1.",
        "A radar chart with one polygon over the axes WIN, STP, SLT and DDR.",
        partial(figures.fingerprint_radar, entries[0]),
    )
    yield Drawing(
        "fig-decomposition",
        "fig:decomposition",
        "The 50,000 positions outside U, parted into the winning region and the shells.",
        "One stacked bar for each case: winning region, then the shells by rank.",
        partial(figures.decomposition, entries),
    )


def _operation(evidence: Evidence, entries: list[Entry], names: dict[int, str]) -> Iterator[Drawing]:
    assert evidence.analyses is not None
    runs = {names[n]: a.trajectories for n, a in evidence.analyses.items() if a.trajectories is not None}
    per_seed = {names[n]: a.ddr.per_seed for n, a in evidence.analyses.items() if a.ddr is not None}
    yield Drawing(
        "fig-dominance",
        "fig:dominance",
        "DDR over the last 200 episodes: every seed a point, with quartiles and the 95 % interval.",
        "One box for each case; Case 2 lies far below one half, Cases 4 and 5 well above it.",
        partial(figures.dominance_box, entries, per_seed),
    )
    yield Drawing(
        "fig-trajectories",
        "fig:trajectories",
        "Mean share of clean hosts by episode, over ten seeds and smoothed over 25 episodes, with the window "
        "of DDR and the crossing of Cases 3 and 1.",
        "One curve for each case; Case 3 begins highest and falls below the reference.",
        partial(figures.trajectories, runs, crossing=(names[FREE], names[REFERENCE])),
    )


def _more(entries: list[Entry]) -> Iterator[Drawing]:
    yield Drawing(
        "fig-five-fingerprints",
        "fig:five_fingerprints",
        "The fingerprints of the five configurations on one scale.",
        "Five radar charts side by side.",
        partial(figures.fingerprint_multiples, entries),
    )
    yield Drawing(
        "fingerprints-overlaid",
        "",
        "The same five fingerprints over each other.",
        "Five polygons in one radar chart.",
        partial(figures.fingerprint_overlay, entries),
    )
    yield Drawing(
        "shell-profile",
        "",
        "Shell sizes by rank (tab:shells as a picture).",
        "For each case the number of positions at rank 1, 2, 3 and 4.",
        partial(figures.shell_profile, entries),
    )


# -- the corpus -------------------------------------------------------------------------------------


@in_house_style
def scatter(corpus: Corpus) -> Figure:
    """WIN and SLT against density, the second generator's arenas hollow."""
    figure = Figure(figsize=(PAGE, 3.1), layout="constrained")
    win, slt = figure.subplots(1, 2, sharex=True)
    _panel(win, corpus, "WIN", lambda sample: sample.win)
    _panel(slt, corpus, "SLT", lambda sample: sample.slt)
    legend_below(figure, win.get_lines(), 2)
    return figure


def _panel(axes: Axes, corpus: Corpus, name: str, correlated: Callable[[Sample], Correlation]) -> None:
    for i, sample in enumerate((corpus.main, corpus.second)):
        read = [(r.density, r.win if name == "WIN" else r.slt) for r in sample.readings]
        known = [(density, value) for density, value in read if value is not None]
        look = series(i)
        axes.plot(
            [density for density, _ in known],
            [value for _, value in known],
            label=f"{sample.generator} links",
            ls="",
            marker=look.marker,
            ms=4,
            mec=look.colour,
            mfc="none" if i else look.colour,
            alpha=0.75,
        )
    both = (corpus.main, corpus.second)
    rhos = ", ".join(f"{minus(f'{correlated(s).rho:.3f}')} ({s.generator})" for s in both)
    axes.set_title(f"ρ = {rhos}", loc="left")
    axes.set_xlabel("edge density")
    axes.set_ylabel(name)
    axes.grid(axis="y")
