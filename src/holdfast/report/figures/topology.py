"""A segment as a picture, and what changed between two (fig:topology)."""

from __future__ import annotations

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from holdfast.models.network import Topology
from holdfast.report.figures.layout import layers
from holdfast.report.figures.style import INK, MUTED, PAGE, PAPER, in_house_style, shortened


@in_house_style
def topology(topology: Topology) -> Figure:
    """Hosts in layers by their distance from the entry, which is marked, as are the critical assets."""
    return _drawn(topology, topology)


@in_house_style
def topology_difference(before: Topology, after: Topology) -> Figure:
    """Both segments in one picture: links and hosts that were added, removed and kept."""
    return _drawn(before, after)


def _drawn(before: Topology, after: Topology) -> Figure:
    hosts = tuple(dict.fromkeys((*before.hosts, *after.hosts)))
    links = tuple(dict.fromkeys((*before.links, *after.links)))
    places = {
        host: (float(x), -float(y))
        for x, layer in enumerate(layers(hosts, links, after.entry))
        for y, host in enumerate(layer)
    }
    figure = Figure(figsize=(PAGE, 3.0))
    axes = figure.add_subplot()
    axes.set_axis_off()
    for source, target in links:
        kept = (source, target) in before.links and (source, target) in after.links
        removed = (source, target) not in after.links
        axes.add_patch(
            FancyArrowPatch(
                places[source],
                places[target],
                arrowstyle="-|>",
                mutation_scale=8,
                shrinkA=12,
                shrinkB=12,
                color=MUTED if kept else INK,
                lw=1 if kept else 1.8,
                ls="--" if removed else "-",
            )
        )
    for host, (x, y) in places.items():
        box = {"boxstyle": "round", "fc": PAPER, "ec": INK, "lw": 2 if host in after.critical else 0.8}
        axes.text(x, y, shortened(host, 12), ha="center", va="center", bbox=box)
    axes.set_xlim(-0.5, max(x for x, _ in places.values()) + 0.5)
    axes.set_ylim(min(y for _, y in places.values()) - 0.5, 0.5)
    return figure
