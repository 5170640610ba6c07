"""Changed designs beside the design as it is: the changes drawn over its topology, and fingerprints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdfast.design import ChangedDesign, DesignSpace
from holdfast.errors import InputError
from holdfast.game import Graph, drawn_graph, listed
from holdfast.report.blocks import Block, Illustrations, Section

if TYPE_CHECKING:  # drawing takes longer to load than all the rest
    from matplotlib.figure import Figure

SHORT = 20
"""Characters over a small picture."""


def before_and_after(space: DesignSpace, proposed: Sequence[ChangedDesign]) -> Iterator[Section]:
    """A section of pictures, if there is more than the design as it is."""
    if len(proposed) > 1:
        yield Section("Before and after", (Illustrations(lambda: _drawn(space, proposed)),))


def _drawn(space: DesignSpace, proposed: Sequence[ChangedDesign]) -> Iterator[Block]:
    from holdfast.report.documents.pictures import outlined, overlay

    before = drawn_graph(space.configuration)
    if before is not None:
        for i, (design, after) in enumerate(_changed(space, proposed), 1):
            yield from overlay(before, after, f"Change {i}, {listed(design.changes)},")
    known = [(i, design) for i, design in enumerate(proposed) if design.analysis is not None]
    if len(known) > 1 and known[0][0] == 0:
        read = {_label(i, design): design.analysis for i, design in known}
        yield from outlined({label: own for label, own in read.items() if own is not None})


def overlay_figures(space: DesignSpace, proposed: Sequence[ChangedDesign]) -> dict[str, Figure]:
    """The topologies before and after each change as figures, each under a name for its file."""
    from holdfast.report.documents.pictures import drawable
    from holdfast.report.figures.topologies import topology_difference

    before = drawn_graph(space.configuration)
    if before is None or not drawable(before):
        return {}
    graphs = (after for _, after in _changed(space, proposed))
    return {f"change-{i}": topology_difference(before, after) for i, after in enumerate(graphs, 1)}


def _changed(space: DesignSpace, proposed: Sequence[ChangedDesign]) -> Iterator[tuple[ChangedDesign, Graph]]:
    for design in proposed[1:]:
        try:
            after = drawn_graph(space.changed(design.chosen))
        except InputError:  # changes that do not go together
            continue
        if after is not None:
            yield design, after


def _label(number: int, design: ChangedDesign) -> str:
    """What a small picture has room for."""
    changes = listed(design.changes) or "as it is"
    return changes if len(changes) <= SHORT else f"change {number}"
