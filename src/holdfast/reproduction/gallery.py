"""The figures of the paper, drawn from our numbers, and a few more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from matplotlib.figure import Figure

from holdfast.comparison.findings import Entry
from holdfast.report import figures
from holdfast.report.figures.style import PAGE, in_house_style, series
from holdfast.reproduction.claims import Published
from holdfast.reproduction.corpus import Corpus
from holdfast.reproduction.evidence import REFERENCE, Evidence
from holdfast.reproduction.exhibits import minus

CONNECTED, FREE, CUT = 2, 3, 5

STEMS = (
    "fig-topology",
    "fig-dfa-defender",
    "fig-dfa-attacker",
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


@dataclass(frozen=True)
class Drawing:
    """A figure that is to be drawn.

    Attributes:
        label: the paper's label for it, which begins with ``fig:``, or a name of our own.
        caption: what it shows.
        description: the same for those who do not see it.
        draw: makes it.
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
        return self.label.replace(":", "-").replace("_", "-")


def drawings(paper: Published, evidence: Evidence) -> Iterator[Drawing]:
    """The figures that the evidence allows, those of the paper first, in its order."""
    names = {n: f"{n} · {case.name}" for n, case in paper.cases.items()}
    entries = [
        replace(entry, label=names[n]) for n, entry in zip(names, evidence.comparison.entries, strict=True)
    ]
    yield from _instance(evidence)
    yield Drawing(
        "fig:fingerprint",
        "The fingerprint of the reference configuration, each axis from 0 to 1.",
        "A radar chart with one polygon over the axes WIN, STP, SLT and DDR.",
        partial(figures.fingerprint_radar, entries[0]),
    )
    yield Drawing(
        "fig:decomposition",
        "The 50,000 positions outside U, parted into the winning region and the shells.",
        "One stacked bar for each case: winning region, then the shells by rank.",
        partial(figures.decomposition, entries),
    )
    if evidence.means is not None:
        yield from _operation(evidence, entries, names)
    yield Drawing(
        "fig:five_fingerprints",
        "The fingerprints of the five configurations on one scale.",
        "Five radar charts side by side.",
        partial(figures.fingerprint_multiples, entries),
    )
    yield from _further(evidence, entries)


def _instance(evidence: Evidence) -> Iterator[Drawing]:
    reference = evidence.configurations[REFERENCE]
    yield Drawing(
        "fig:topology",
        "The reference segment: five hosts, six directed links, the attacker entering at GW.",
        "The network as boxes for hosts and arrows for links; entry and critical hosts are marked.",
        partial(figures.topology, evidence.topologies[REFERENCE]),
    )
    clauses = zip("ab", reference.requirement, strict=True)
    panels = [(clause.automaton, f"({letter}) {clause.label}") for letter, clause in clauses]
    yield Drawing(
        "fig:dfa-defender",
        "The two automata of φ_D. Double circles accept, shaded states are violations that stay.",
        "Two rows of states with guarded arrows: three states that count the bad assets, and two that tell "
        "whether three hosts are active.",
        partial(figures.automata, panels),
    )
    yield Drawing(
        "fig:dfa-attacker",
        "The automaton of φ_A: q_i after i destroys, the third one violates.",
        "Four states in a row; each destroy leads one state on, anything else stays.",
        partial(figures.automata, [(clause.automaton, clause.label) for clause in reference.boundary]),
    )


def _operation(evidence: Evidence, entries: list[Entry], names: dict[int, str]) -> Iterator[Drawing]:
    runs = {names[n]: a.trajectories for n, a in evidence.analyses.items() if a.trajectories is not None}
    per_seed = {names[n]: a.ddr.per_seed for n, a in evidence.analyses.items() if a.ddr is not None}
    yield Drawing(
        "fig:dominance",
        "DDR over the last 200 episodes: every seed a point, with quartiles and the 95 % interval.",
        "One box for each case; Case 2 lies far below one half, Cases 4 and 5 well above it.",
        partial(figures.dominance_box, entries, per_seed),
    )
    yield Drawing(
        "fig:trajectories",
        "Mean share of clean hosts by episode, over ten seeds and smoothed over 25 episodes, with the window "
        "of DDR and the crossing of Cases 3 and 1.",
        "One curve for each case; Case 3 begins highest and falls below the reference.",
        partial(figures.trajectories, runs, crossing=(names[FREE], names[REFERENCE])),
    )


def _further(evidence: Evidence, entries: list[Entry]) -> Iterator[Drawing]:
    yield Drawing(
        "fingerprints-overlaid",
        "The same five fingerprints over each other.",
        "Five polygons in one radar chart.",
        partial(figures.fingerprint_overlay, entries),
    )
    yield Drawing(
        "shell-profile",
        "Shell sizes by rank (tab:shells as a picture).",
        "For each case the number of positions at rank 1, 2, 3 and 4.",
        partial(figures.shell_profile, entries),
    )
    segments = evidence.topologies
    for case in (CONNECTED, CUT):
        yield Drawing(
            f"topology-case-{case}",
            f"What Case {case} changes in the reference segment.",
            "The network with the links that are added and removed marked.",
            partial(figures.topology_difference, segments[REFERENCE], segments[case]),
        )
    yield Drawing(
        "corpus",
        f"WIN and SLT against edge density, over {len(evidence.corpus.readings)} random arenas.",
        "Two scatter plots; both readings fall as the density of links rises.",
        partial(scatter, evidence.corpus),
    )


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
