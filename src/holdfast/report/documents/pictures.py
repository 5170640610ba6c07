"""Which figures a page shows, each with a caption and with words for those who cannot see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from matplotlib.figure import Figure

from holdfast.arrays import Floats
from holdfast.game import (
    CRITICAL,
    ENTRY,
    EXPOSED,
    HARDENED,
    WATCHED,
    Arrow,
    Clause,
    Floor,
    Graph,
    Protocol,
    bracket,
    count,
    counted,
    listed,
    number,
    percent,
)
from holdfast.operation import Hold, crossing
from holdfast.readings import Analysis, Comparison, Entry, fingerprint_readings, intervals_disjoint
from holdfast.report import figures
from holdfast.report.blocks import Block, Illustration, Prose, Row
from holdfast.report.documents.background import difference
from holdfast.report.documents.fingerprint import title_of
from holdfast.running import sha256_of

MAX_DRAWN = 12
MAX_HOSTS = 60
MAX_LINKS = 400
MAX_BREAKERS = 60
"""Designs in a figure, the size of a segment that is still a picture, and what can be told apart on it."""

Graphs = Mapping[str, Graph | None]


def radar_of(analysis: Analysis) -> list[Block]:
    """The fingerprint of an analysis that stands alone."""
    entry = _alone(analysis)
    description = f"Radar of the fingerprint: {_coordinates(entry)}."
    caption = "The scores. Each axis runs from 0 in the middle to 1; DDR needs training."
    return [_drawn("radar", figures.fingerprint_radar(entry), caption, description)]


def parts_of(analysis: Analysis) -> list[Block]:
    """W and the shells of an analysis that stands alone."""
    return [decomposition([_alone(analysis)])]


def sides_of(analysis: Analysis) -> list[Block]:
    """Both sides of the game, where the winning positions were counted by effort."""
    if analysis.layers is None:
        return []
    entry = _alone(analysis)
    caption = (
        "Both sides of the game, from the worst position to the best: lost ones by the moves to a forced "
        "violation, winning ones by the effort it takes to hold them."
    )
    return [_drawn("sides", figures.both_sides(entry), caption, f"Columns. {_both_sides(entry)}")]


def recovery_of(analysis: Analysis) -> list[Block]:
    """The lost positions by depth beside the winning ones by how soon the first goal is reached."""
    goal = next((name for name, profile in analysis.recovery.items() if profile.layers), None)
    if goal is None:
        return []
    layers = analysis.recovery[goal].layers
    caption = (
        "Both sides of the game, from the worst position to the best: lost ones by the moves to a forced "
        f"violation, winning ones by the moves until {goal}, whatever the adversary does."
    )
    held = [f"{count(n)} within {counted(k, 'move')}" for k, n in enumerate(layers[:MAX_DRAWN])]
    held += [f"{count(analysis.winning - sum(layers))} never"] if analysis.winning > sum(layers) else []
    words = f"Columns. {_lost(analysis)} Held, until {goal}: {', '.join(held) or 'none'}."
    return [_drawn("recovery", figures.both_sides_to_goal(_alone(analysis), goal), caption, words)]


def survival_of(analysis: Analysis) -> list[Block]:
    """How likely the requirement is still kept after so many moves."""
    hold = analysis.hold
    if hold is None or len(hold.curve) < 3:
        return []
    caption = "How likely the requirement is still kept, with the best defender against the worst adversary."
    told = ", ".join(
        f"{value:.4f} after {counted(t, 'move')}" for t, value in hold.curve[:: len(hold.curve) // 6 + 1]
    )
    words = f"A falling curve: {told}; for ever {hold.forever.low:.4f}."
    return [_drawn("survival", figures.survival(hold.curve, hold.forever.low), caption, words)]


def survivals(read: Sequence[tuple[str, Hold]]) -> list[Block]:
    """The survival curves of some designs over each other."""
    curves = {label: hold.curve for label, hold in read if len(hold.curve) > 2}
    if not curves:
        return []
    caption = "How likely each design still keeps the requirement, from the start on."
    told = "; ".join(
        f"{label}: " + ", ".join(f"{v:.4f} after {counted(t, 'move')}" for t, v in curve[:: len(curve) // 4])
        for label, curve in curves.items()
    )
    figure = figures.survivals(dict(list(curves.items())[:MAX_DRAWN]))
    return [_drawn("survivals", figure, caption, f"Falling curves. {told}.")]


def sides(comparison: Comparison) -> list[Block]:
    """Both sides of the game in each design, where the winning positions were counted by effort."""
    entries, more = _first(comparison)
    counted_by = [entry for entry in entries if entry.analysis.layers is not None]
    if not counted_by:
        return []
    caption = (
        "Both sides of the game: lost positions by the moves to a forced violation, winning ones by the "
        f"effort it takes to hold them; the hardest next to the border.{more}"
    )
    description = " ".join(f"{entry.label}: {_both_sides(entry)}" for entry in counted_by)
    return [_drawn("sides", figures.both_sides_of_all(counted_by), caption, f"Bars. {description}")]


def _both_sides(entry: Entry) -> str:
    """What the picture of both sides shows, in words."""
    analysis = entry.analysis
    assert analysis.layers is not None
    efforts = analysis.layers.efforts
    held = [f"{count(n)} with effort {m}" for m, n in efforts.finite[:MAX_DRAWN]]
    held += [f"{count(efforts.unbounded)} with unbounded effort"] if efforts.unbounded else []
    return f"{_lost(analysis)} Held: {', '.join(held) or 'none'}."


def _lost(analysis: Analysis) -> str:
    """The lost positions by depth, in words."""
    lost = [f"{count(n)} in {counted(k, 'move')}" for k, n in enumerate(analysis.shells[:MAX_DRAWN], 1)]
    return f"Lost: {', '.join(lost) or 'none'}."


def _alone(analysis: Analysis) -> Entry:
    return Entry(title_of(analysis), analysis, analysis)


def outlined(analyses: Mapping[str, Analysis]) -> list[Block]:
    """The fingerprints of some designs, with the outline of the first."""
    base = next(iter(analyses.values()))
    entries = [Entry(label, own, base) for label, own in analyses.items()]
    each = " ".join(f"{entry.label}: {_coordinates(entry)}." for entry in entries)
    caption = "Fingerprints on one scale, the first outlined in all others. DDR needs training."
    drawing = figures.fingerprint_multiples(entries)
    return [_drawn("changed", drawing, caption, f"One small radar for each design. {each}")]


def overlay(before: Graph, after: Graph, label: str) -> list[Block]:
    """What a change does to the system, drawn over it; in words where there is nothing to draw."""
    return [_difference("the design as it is", label, before, after)]


def fingerprints(comparison: Comparison) -> list[Block]:
    """The fingerprints of all designs, small and on the same scale, then over each other."""
    entries, more = _first(comparison)
    each = " ".join(f"{entry.label}: {_coordinates(entry)}." for entry in entries)
    radars = f"Fingerprints on one scale; {entries[0].label} is outlined in all others.{more}"
    names = listed([entry.label for entry in entries])
    description = f"All fingerprints on one radar: {names}. The table has the numbers."
    overlay = f"The same fingerprints on one radar.{more}"
    return [
        _drawn(
            "radars",
            figures.fingerprint_multiples(entries),
            radars,
            f"One small radar for each design. {each}",
        ),
        _drawn("overlay", figures.fingerprint_overlay(entries), overlay, description),
    ]


def depth(comparison: Comparison) -> list[Block]:
    """Where positions are lost, in shares and rank by rank."""
    entries, more = _first(comparison)
    description = "Lines of shell size against rank, on a logarithmic scale; the table has the numbers."
    caption = f"How many positions are lost in exactly k moves, rank by rank.{more}"
    return [
        decomposition(entries, more),
        _drawn("profile", figures.shell_profile(entries), caption, description),
    ]


def decomposition(entries: Sequence[Entry], more: str = "") -> Illustration:
    """W and the shells as parts of the positions that do not violate yet."""
    parts = []
    for entry in entries:
        analysis = entry.analysis
        n_open = analysis.positions - analysis.unsafe
        share = percent(analysis.winning / n_open) if n_open else "none"
        shells = [f"{count(n)} in {counted(k, 'move')}" for k, n in enumerate(analysis.shells[:MAX_DRAWN], 1)]
        lost = ", ".join(shells) + (", …" if len(analysis.shells) > MAX_DRAWN else "")
        parts.append(f"{entry.label}: {share} winning; lost: {lost or 'none'}.")
    caption = f"The positions that do not violate yet, by how soon a violation can be forced.{more}"
    drawing = figures.decomposition(entries)
    return _drawn("decomposition", drawing, caption, "Stacked bars. " + " ".join(parts))


def operation(comparison: Comparison) -> list[Block]:
    """Box plot and trajectories of the trained designs; nothing where none was trained."""
    entries, more = _first(comparison)
    trained = {e.label: e.analysis.ddr for e in entries if e.analysis.ddr is not None}
    if not trained:
        return []
    spans = {label: f", interval {d.low:.3f} to {d.high:.3f}" for label, d in trained.items() if d.interval}
    doubts = {label: "" if d.settled else f", {d.standing}" for label, d in trained.items()}
    values = " ".join(
        f"{label}: mean {number(d.mean, 3)}{spans.get(label, '')}{doubts[label]}."
        for label, d in trained.items()
    )
    mean = ", its mean and 95% interval" if any(ddr.interval for ddr in trained.values()) else ""
    exact = ", and DDR* where solved" if any(e.analysis.ddr_exact is not None for e in entries) else ""
    box = figures.dominance_box(entries, {label: list(ddr.per_seed) for label, ddr in trained.items()})
    caption = f"Dominance of each trained run{mean}{exact}.{more}"
    pictures: list[Block] = [_drawn("box", box, caption, f"Box plot of DDR by design. {values}")]
    means = {e.label: e.analysis.trajectories for e in entries if e.analysis.trajectories is not None}
    if means:
        protocols = [e.analysis.protocol or Protocol() for e in entries if e.label in means]
        shared = len({(p.window, p.episodes) for p in protocols}) == 1
        window = protocols[0].window if shared else None
        settled = _settled(entries, means)
        drawing = figures.trajectories(means, window, settled, labels=[e.label for e in entries])
        last = f" The last to cross for good are {settled[0]} and {settled[1]}." if settled else ""
        read = f"the last {window:,} episodes" if window else "the last ones, as each protocol says"
        caption = f"Mean dominance by episode, smoothed; DDR is read from {read}.{last}{more}"
        description = f"Lines of mean dominance against episode, one for each design. At the end: {values}"
        pictures.append(_drawn("trajectories", drawing, caption, description))
    return pictures


def _settled(entries: Sequence[Entry], means: Mapping[str, Floats]) -> tuple[str, str] | None:
    """The pair, lower first, whose curves are the last to cross for good: from there the order stands.

    Pairs with overlapping intervals have no order to settle.
    """
    crossings = []
    for low, high in permutations((entry for entry in entries if entry.label in means), 2):
        one, other = means[low.label], means[high.label]
        if intervals_disjoint(low, high) and one.shape[1] == other.shape[1]:
            at = crossing(one.mean(axis=0), other.mean(axis=0))
            crossings += [] if at is None else [(at, (low.label, high.label))]
    return max(crossings)[1] if crossings else None


# -- segments ---------------------------------------------------------------------------------------


def segment(graph: Graph, label: str = "") -> list[Block]:
    """The system of a design."""
    if graph.floor is not None:
        return [_floor(graph, graph.floor, label)]
    (shown,) = figures.folded(graph)
    if not _drawable(shown):
        return [Prose(f"{_sized(graph)} are too many to draw.")]
    marks = [(mark, _named(graph.marked(mark))) for mark in (ENTRY, CRITICAL, EXPOSED, HARDENED, WATCHED)]
    marks = [(mark, names) for mark, names in marks if names]
    arrows = ", ".join(f"{a} to {b}" for a, b in shown.arrows) or "none"
    named = "".join(f" {mark.capitalize()}: {names}." for mark, names in marks)
    described = f"{_sized(graph)}.{named} {graph.relation.capitalize()}s: {arrows}."
    called = "segment" if graph.starts else "system"
    caption = f"The {called}{f' of {label}' if label else ''}"
    caption += f": {', '.join(map(' '.join, marks))}." if marks else "."
    if shown is not graph:
        caption += f" {_sized(graph)}; a box with several {graph.noun}s stands for all of them."
    return [_drawn(f"segment-{_slug(label)}", figures.topology(graph), caption, described)]


def sensor_map(graph: Graph, names: Collection[str]) -> list[Block]:
    """The system of a design with the sensors of one set; empty where it cannot be drawn."""
    if graph.floor is not None or not drawable(graph) or not set(names) <= set(graph.names):
        return []
    nodes = (replace(n, marks=tuple(m for m in n.marks if m != WATCHED)) for n in graph.nodes)
    before = replace(graph, nodes=tuple(nodes))
    caption = f"Sensors at {listed(list(names))} are enough, and no cheaper set is."
    drawing = figures.topology_difference(before, before.with_mark(WATCHED, names))
    return [_drawn("sensors", drawing, caption, f"{_sized(graph)}. {caption}")]


def breakers(graph: Graph, additions: Sequence[Sequence[str]]) -> list[Block]:
    """The system of a design with sets of what must never be added to it; empty where it cannot be drawn."""
    alone: dict[Arrow | str, None] = {}
    together: dict[Arrow | str, None] = {}
    for names in additions:
        places = [place for name in names if (place := _addition(graph, name))]
        (alone if len(names) == 1 else together).update(dict.fromkeys(places))
    every = list({**alone, **together})
    drawable = graph.floor is None and _drawable(figures.folded(graph)[0])
    if not every or not drawable or len(every) > MAX_BREAKERS:
        return []
    named = [place if isinstance(place, str) else f"{place[0]} to {place[1]}" for place in every]
    caption = f"Dashed red: what must never be added or happen ({_named(named)})."
    drawing = figures.breaker_map(graph, list(alone), [place for place in together if place not in alone])
    return [_drawn("breakers", drawing, caption, f"{_sized(graph)}. {caption}")]


def _addition(graph: Graph, text: str) -> Arrow | str | None:
    """Where an addition is drawn: a link between two nodes, or a node; None for what has no place."""
    name = text.partition(" ")[2]
    source, arrow, target = name.partition(" -> ")
    if arrow:
        return (source, target) if source in graph.names and target in graph.names else None
    place = name.rpartition(" ")[2]
    return place if place in graph.names else None


def _floor(graph: Graph, floor: Floor, label: str) -> Block:
    """The floor of a design, with what stands on it."""
    starts = listed([f"{name} at {value}" for name, value in floor.start.items()])
    areas = [f"{name} at {_named(values)}" for name, values in floor.areas.items()]
    barriers = [f"{a} - {b}" for a, b in floor.barriers]
    described = f"A floor of {floor.columns} by {floor.rows} squares. At the start: {starts}."
    described += f" Areas: {'; '.join(areas)}." if areas else ""
    described += f" Barriers: {', '.join(barriers)}." if barriers else ""
    critical = graph.marked(CRITICAL)
    critical_places = f"; the requirement speaks of {_named(critical)}" if critical else ""
    caption = f"The floor{f' of {label}' if label else ''} at the start: {starts}{critical_places}."
    return _drawn(f"floor-{_slug(label)}", figures.topology(graph), caption, described)


def segments(base: str, graphs: Graphs) -> list[Block]:
    """The base's segment, then what each other design adds and removes."""
    before = graphs.get(base)
    if before is None:
        return []
    others = [(label, after) for label, after in graphs.items() if label != base and after is not None]
    pictures = [_difference(base, label, before, after) for label, after in others[:MAX_DRAWN]]
    if len(others) > MAX_DRAWN:
        pictures.append(Prose(f"… {counted(len(others) - MAX_DRAWN, 'more design')}"))
    return [*segment(before, base), *pictures]


def _difference(base: str, label: str, before: Graph, after: Graph) -> Block:
    moved = difference(before, after)
    if not moved:
        return Prose(f"{label} keeps the segment of {base}.")
    sentence = f"{label} {moved}, against {base}."
    if (before.floor is None) != (after.floor is None):
        return Prose(sentence)
    if not (before.floor or all(map(_drawable, figures.folded(before, after)))):
        return Prose(sentence)
    drawing = figures.topology_difference(before, after)
    description = f"Both segments in one drawing. {sentence}"
    return _drawn(f"difference-{_slug(label)}", drawing, sentence, description)


def _named(names: Sequence[str]) -> str:
    """Names in a row, as many as a caption has room for."""
    more = len(names) - MAX_DRAWN
    return listed([*names[:MAX_DRAWN], f"{more} more"] if more > 0 else names)


def drawable(graph: Graph) -> bool:
    """Whether a graph, alike nodes folded, is small enough for a picture."""
    return _drawable(figures.folded(graph)[0])


def _drawable(graph: Graph) -> bool:
    return len(graph.nodes) <= MAX_HOSTS and len(graph.arrows) <= MAX_LINKS


def _sized(graph: Graph) -> str:
    return f"{len(graph.nodes):,} {graph.noun}s and {len(graph.arrows):,} {graph.relation}s"


def automata(clauses: Sequence[tuple[str, Clause]]) -> list[Block]:
    """The automata that the clauses become."""
    pictures: list[Block] = [
        _drawn(
            f"automaton-{number}",
            figures.automata([(clause.automaton, "")]),
            f"{name.capitalize()}: {clause.label}.",
            f"{name.capitalize()}, {clause.label}, as an automaton: {clause.automaton}",
        )
        for number, (name, clause) in enumerate(clauses[:MAX_DRAWN])
    ]
    more = len(clauses) - MAX_DRAWN
    return [Row(tuple(pictures)), *([Prose(f"… {counted(more, 'more clause')}")] if more > 0 else [])]


# -- words ------------------------------------------------------------------------------------------


def _drawn(name: str, drawing: Figure, caption: str, description: str) -> Illustration:
    return Illustration(figures.svg_text(drawing, f"{name}-"), caption, description)


def _slug(label: str) -> str:
    """Something that is different for different labels and fit for an id."""
    return sha256_of(label)[:8]


def _first(comparison: Comparison) -> tuple[list[Entry], str]:
    """The base and as many others as a figure has room for, and a remark on the rest."""
    base = comparison.entry(comparison.base)
    entries = [base, *(entry for entry in comparison.entries if entry is not base)]
    more = len(entries) - MAX_DRAWN
    return entries[:MAX_DRAWN], f" The first {MAX_DRAWN} of {len(entries)} designs." if more > 0 else ""


def _coordinates(entry: Entry) -> str:
    coordinates = []
    for axis in fingerprint_readings():
        reading, ends = axis.read(entry.analysis), axis.ends(entry.analysis)
        doubt = axis.doubt(entry.analysis)
        if reading is not None:
            coordinates.append(f"{axis.label} {number(reading, 3)}" + (f" ({doubt})" if doubt else ""))
        elif ends is not None:
            coordinates.append(f"{axis.label} {bracket(*ends)}")
    return ", ".join(coordinates) or "no reading"
