"""The figures of the paper, drawn from our numbers, and a few more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from matplotlib.figure import Figure

from holdfast.apps.reproduce.claims import Published
from holdfast.apps.reproduce.corpus import SIZE, Corpus
from holdfast.apps.reproduce.evidence import REFERENCE, Evidence
from holdfast.apps.reproduce.exhibits import minus
from holdfast.report import PAGE, figures, in_house_style, series

CONNECTED, FREE, CUT = 2, 3, 5

TEXTS = {
    "fig:topology": (
        "The reference segment: five hosts, six directed links, the attacker entering at GW.",
        "The network as boxes for hosts and arrows for links; entry and critical hosts are marked.",
    ),
    "fig:dfa-defender": (
        "The two automata of φ_D. Double circles accept, shaded states are violations that stay.",
        "Two rows of states with guarded arrows: three states that count the bad assets, and two that tell "
        "whether three hosts are active.",
    ),
    "fig:dfa-attacker": (
        "The automaton of φ_A: q_i after i destroys, the third one violates.",
        "Four states in a row; each destroy leads one state on, anything else stays.",
    ),
    "fig:fingerprint": (
        "The fingerprint of the reference configuration, each axis from 0 to 1.",
        "A radar chart with one polygon over the axes WIN, STP, SLT and DDR.",
    ),
    "fig:decomposition": (
        "The 50,000 positions outside U, parted into the winning region and the shells.",
        "One stacked bar for each case: winning region, then the shells by rank.",
    ),
    "fig:dominance": (
        "DDR over the last 200 episodes: every seed a point, with quartiles and the 95% interval.",
        "One box for each case; Case 2 lies far below one half, Cases 4 and 5 well above it.",
    ),
    "fig:trajectories": (
        "Mean share of clean hosts by episode, over ten seeds and smoothed over 25 episodes, with the window "
        "of DDR and the crossing of Cases 3 and 1.",
        "One curve for each case; Case 3 begins highest and falls below the reference.",
    ),
    "fig:five_fingerprints": (
        "The fingerprints of the five configurations on one scale.",
        "Five radar charts side by side.",
    ),
    "fingerprints-overlaid": (
        "The same five fingerprints over each other.",
        "Five polygons in one radar chart.",
    ),
    "shell-profile": (
        "Shell sizes by rank (tab:shells as a picture).",
        "For each case the number of positions at rank 1, 2, 3 and 4.",
    ),
    **{
        f"topology-case-{case}": (
            f"What Case {case} changes in the reference segment.",
            "The network with the links that are added and removed marked.",
        )
        for case in (CONNECTED, CUT)
    },
    "corpus": (
        f"WIN and SLT against edge density, over {SIZE} random arenas.",
        "Two scatter plots; both readings fall as the density of links rises.",
    ),
}
"""Caption and description of every figure there can be, those of the paper first, under its labels."""


def file_stem(label: str) -> str:
    """The file name of a figure without its ending."""
    return label.replace(":", "-").replace("_", "-")


STEMS = tuple(map(file_stem, TEXTS))


@dataclass(frozen=True)
class Drawing:
    """A figure that is to be drawn, under the paper's label or a name of our own.

    ``description`` tells those who do not see it what the caption tells the others.
    """

    label: str
    caption: str
    description: str
    draw: Callable[[], Figure]

    @property
    def in_paper(self) -> bool:
        """Whether the paper has this figure."""
        return self.label.startswith("fig:")

    @property
    def stem(self) -> str:
        """Its file name without ending."""
        return file_stem(self.label)


def drawings(paper: Published, evidence: Evidence) -> list[Drawing]:
    """The figures that the evidence allows, in the order of :data:`TEXTS`."""
    names = {n: f"{n} · {case.name}" for n, case in paper.cases.items()}
    entries = [
        replace(entry, label=names[n]) for n, entry in zip(names, evidence.comparison.entries, strict=True)
    ]
    reference, segments = evidence.configurations[REFERENCE], evidence.topologies
    requirement = [
        (clause.automaton, f"({letter}) {clause.label}")
        for letter, clause in zip("ab", reference.requirement, strict=True)
    ]
    boundary = [(clause.automaton, clause.label) for clause in reference.boundary]
    draw: dict[str, Callable[[], Figure]] = {
        "fig:topology": partial(figures.topology, segments[REFERENCE]),
        "fig:dfa-defender": partial(figures.automata, requirement),
        "fig:dfa-attacker": partial(figures.automata, boundary),
        "fig:fingerprint": partial(figures.fingerprint_radar, entries[0]),
        "fig:decomposition": partial(figures.decomposition, entries),
        "fig:five_fingerprints": partial(figures.fingerprint_multiples, entries),
        "fingerprints-overlaid": partial(figures.fingerprint_overlay, entries),
        "shell-profile": partial(figures.shell_profile, entries),
        "corpus": partial(scatter, evidence.corpus),
    }
    for case in (CONNECTED, CUT):
        changed = partial(figures.topology_difference, segments[REFERENCE], segments[case])
        draw[f"topology-case-{case}"] = changed
    if evidence.means is not None:
        analyses = {names[n]: analysis for n, analysis in evidence.analyses.items()}
        runs = {name: a.trajectories for name, a in analyses.items() if a.trajectories is not None}
        per_seed = {name: a.ddr.per_seed for name, a in analyses.items() if a.ddr is not None}
        crossing = names[FREE], names[REFERENCE]
        draw["fig:dominance"] = partial(figures.dominance_box, entries, per_seed)
        draw["fig:trajectories"] = partial(figures.trajectories, runs, crossing=crossing)
    return [Drawing(label, *texts, draw[label]) for label, texts in TEXTS.items() if label in draw]


@in_house_style
def scatter(corpus: Corpus) -> Figure:
    """WIN and SLT of every arena against its density."""
    figure = Figure(figsize=(PAGE, 2.8), layout="constrained")
    look = series(0)
    for axes, name in zip(figure.subplots(1, 2, sharex=True), ("win", "slt"), strict=True):
        known = [(r.density, getattr(r, name)) for r in corpus.readings if getattr(r, name) is not None]
        axes.plot(*zip(*known, strict=True), ls="", marker=look.marker, ms=4, color=look.colour, alpha=0.75)
        rho = f"{getattr(corpus, name).rho:.3f}"
        axes.set_title(f"ρ = {minus(rho)}", loc="left")
        axes.set_xlabel("edge density")
        axes.set_ylabel(name.upper())
        axes.grid(axis="y")
    return figure
