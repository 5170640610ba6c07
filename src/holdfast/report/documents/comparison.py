"""A comparison as a document: verdicts and a reading in plain sentences, then the tables they rest on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from holdfast.design import Ladder
from holdfast.game import Graph, apart, counted, listed, number, relative, signed
from holdfast.readings import (
    PARTS,
    SPECIFICATIONS,
    TIE,
    Channels,
    Comparison,
    Delta,
    Entry,
    FullInversion,
    Refinement,
    every_reading,
    fingerprint_readings,
    intervals_disjoint,
    reading_of,
)
from holdfast.report.blocks import Aside, Banner, Document, Facts, Points, Section, Warnings
from holdfast.report.documents import differences as tables
from holdfast.report.documents.background import Background, difference
from holdfast.report.documents.fingerprint import as_aside, drawn, question, verdict_of
from holdfast.report.documents.ladder import ladders_table
from holdfast.report.documents.likelihood import likeliest, likely_designs

MAX_PAIRS = 3
"""Pairs that a sentence has room for."""


def comparison_document(
    comparison: Comparison,
    *,
    source: str = "",
    lead: str = "",
    backgrounds: Mapping[str, Background] | None = None,
    reasons: Sequence[Section] = (),
    worse: Sequence[str] = (),
    ladders: Mapping[str, Ladder] | None = None,
) -> Document:
    """The answer of ``compare``: verdicts and reading first, then what they rest on, in the paper's order.

    ``source`` is the file or files, ``lead`` what the designs are; their backgrounds go by label. ``reasons``
    say why designs are lost, where that was looked for, and ``worse`` what is worse than the base, where that
    decides. ``ladders`` say which rungs each design reaches, where that was asked.
    """
    known = backgrounds or {}
    sections = [
        Section(
            "Conclusion",
            (
                *(Banner("bad", "WORSE", f"{text}.") for text in worse),
                *verdicts(comparison.entries),
                Points(tuple(conclusions(comparison))),
            ),
        ),
        *_designs(comparison.base, known),
        *likely_designs(comparison.entries),
        Section("Ladder", (ladders_table(ladders or {}),)),
        *map(as_aside, reasons),
        Section("What each change does to the readings", (Points(tuple(movements(comparison))),)),
        *_sections(comparison, {label: each.graph for label, each in known.items()}),
    ]
    return Document(
        title=f"{len(comparison.entries)} designs against {comparison.base}",
        source=source,
        lead=lead,
        sections=tuple(sections),
        provenance=tuple(tables.shared(comparison.entries).items()),
    )


def verdicts(entries: Sequence[Entry]) -> Iterator[Banner]:
    """The certificates of a comparison: lost ones one by one, held ones that say the same together."""
    yield from (verdict_of(row.analysis, row.label) for row in entries if not row.analysis.defensible)
    held: dict[Banner, list[str]] = {}
    for row in entries:
        if row.analysis.defensible:
            held.setdefault(verdict_of(row.analysis), []).append(row.label)
    yield from (replace(verdict, about=", ".join(labels)) for verdict, labels in held.items())
    for row in entries:
        if row.analysis.undecided:
            yield Banner("open", "NOT READ", row.analysis.undecided, row.label)


def _designs(base: str, backgrounds: Mapping[str, Background]) -> Iterator[Section]:
    """What the designs are: in the words of the file, and which links they change against the base."""
    before = backgrounds[base].graph if base in backgrounds else None
    items = []
    for label, each in backgrounds.items():
        moved = difference(before, each.graph) if before and each.graph and label != base else ""
        sentences = [_ended(each.description), f"Against {base} it {moved}." if moved else ""]
        if any(sentences):
            items.append((label, " ".join(filter(None, sentences))))
    if items:
        yield Section("Designs", (Facts(tuple(items)),))


def _ended(text: str) -> str:
    """A description as a sentence, with the full stop that its writer may have left out."""
    return text if not text or text.rstrip()[-1] in ".!?…" else f"{text.rstrip()}."


def _sections(comparison: Comparison, graphs: Mapping[str, Graph | None]) -> Iterator[Section]:
    base = comparison.base
    checks = Points(tuple(map(refinement, comparison.refinements)))
    fingerprints = (
        tables.fingerprints(comparison),
        Warnings(comparison.warnings),
        Aside((axes_explained(comparison),)),
        drawn("fingerprints", comparison),
    )
    shells = tables.shells(comparison), drawn("depth", comparison)
    yield Section("Fingerprints", fingerprints)
    yield Section("Recovery", (tables.recoveries(comparison),))
    yield Section("Response", (tables.responses(comparison), drawn("sides", comparison)))
    yield Section("Segments", (drawn("segments", base, graphs),))
    yield Section(
        f"How the readings differ from {base}", (tables.movements(comparison),), contents="Differences"
    )
    forced = "Depth: how many positions are lost within how many moves"
    yield Section(forced, shells, detail=True, contents="Depth")
    ranks = "Positions by the moves to a violation, before (rows) and after (columns)"
    yield Section(ranks, tuple(tables.ranks(comparison)), detail=True, contents="Positions by depth")
    opposed = "Stronger on paper, weaker in play (inversions)"
    inverted = tables.inversions(comparison), tables.response_inversions(comparison)
    yield Section(opposed, inverted, contents="Inversions")
    differ = "Where perfect play (DDR*) and training (DDR) disagree"
    yield Section(differ, (tables.disagreements(comparison),), contents="DDR* against DDR")
    yield Section("Operation", (drawn("operation", comparison),))
    menus = "Why the share of safe moves (SLT) changed"
    yield Section(menus, tuple(tables.channels(comparison)), detail=True, contents="What changed SLT")
    above = "Better in one reading and worse in none"
    yield Section(above, (tables.dominances(comparison),), detail=True, contents="Better throughout")
    checked = "A check of the theory: an attacker who may do less is never harder to hold"
    yield Section(checked, (checks,), detail=True, contents="A check of the theory")
    yield Section("Requirement and boundary", (Aside(tuple(_questions(comparison.entries))),), detail=True)
    yield Section("Runs", (Aside((tables.runs(comparison.entries),)),), detail=True)


def axes_explained(comparison: Comparison) -> Facts:
    """What each axis that was read says."""
    rows = [row.analysis for row in comparison.entries]
    read = [axis for axis in every_reading() if any(axis.is_read(row) for row in rows)]
    return Facts(tuple((axis.label, axis.meaning) for axis in read))


def _questions(entries: Sequence[Entry]) -> Iterator[Facts]:
    """Start, requirement and boundary of each design, designs with the same ones together."""
    together: dict[Facts, list[str]] = {}
    for row in entries:
        asked = row.analysis
        facts = question(asked.start, asked.requirement, asked.boundary)
        together.setdefault(facts, []).append(row.label)
    for facts, labels in together.items():
        yield Facts((("design", ", ".join(labels)), *facts.items))


# -- the reading ------------------------------------------------------------------------------------


def sentences(comparison: Comparison) -> list[str]:
    """What the comparison comes to: its conclusions, then how each variant moves the readings."""
    return [*conclusions(comparison), *movements(comparison)]


def conclusions(comparison: Comparison) -> list[str]:
    """Certificates, whether attackers can be driven out, operating range, inversions."""
    sentences = [certificates(comparison), *likeliest(comparison.entries), *_getting_out(comparison)]
    sentences += [*_perfect_range(comparison), *_operating_range(comparison)]
    opposed: dict[tuple[str, str], list[FullInversion]] = {}
    for pair in comparison.full_inversions:
        opposed.setdefault((pair.formal, pair.operational), []).append(pair)
    sentences += [_opposed(comparison, points) for points in list(opposed.values())[: tables.MAX_ROWS]]
    if len(opposed) > tables.MAX_ROWS:
        sentences.append(f"… {counted(len(opposed) - tables.MAX_ROWS, 'more pair')} in opposite orders.")
    return [*sentences, *_disagreements(comparison)]


def movements(comparison: Comparison) -> list[str]:
    """How each variant moves the readings, in the words of those who know them."""
    sentences = [_of_variant(comparison, delta) for delta in comparison.deltas[: tables.MAX_ROWS]]
    if len(comparison.deltas) > tables.MAX_ROWS:
        sentences.append(
            f"… {counted(len(comparison.deltas) - tables.MAX_ROWS, 'more design')} in the tables."
        )
    if any(set(delta.changed or ()) & set(SPECIFICATIONS) for delta in comparison.deltas):
        sentences.append(
            "Where a specification changed, the scores answer a different question, and a larger one "
            "does not by itself mean a better design."
        )
    return sentences


def certificates(comparison: Comparison) -> str:
    """Which of the designs are defensible."""
    lost = [row.label for row in comparison.entries if not row.analysis.defensible]
    n = len(comparison.entries)
    readings = {row.label: row.analysis.sight for row in comparison.entries if row.analysis.defensible}
    unseen = [label for label, sight in readings.items() if sight is not None and not sight.defensible]
    if unseen:
        told = f"Not defensible: {', '.join(lost)}. " if lost else ""
        return f"{told}Not defensible with what the sensors show: {', '.join(unseen)}."
    if not lost:
        return f"All {n} designs are defensible." if n > 2 else "Both designs are defensible."
    if len(lost) == n:
        return "None of the designs is defensible."
    held = n - len(lost)
    return f"Not defensible: {', '.join(lost)}; the other {'one is' if held == 1 else f'{held} are'}."


def _getting_out(comparison: Comparison) -> Iterator[str]:
    """Which of the designs that hold can get the attacker out; nothing where one is not known."""
    rows = [row for row in comparison.entries if row.analysis.defensible]
    moves = {row.label: reading_of("evict").read(row.analysis) for row in rows}
    if len(moves) < 2 or None in moves.values():
        return
    out = {label: f"within {n:.0f}" for label, n in moves.items() if n is not None and math.isfinite(n)}
    hold = f"{'All ' if len(rows) == len(comparison.entries) else ''}{len(rows)} hold"
    hold = "Both hold" if len(rows) == 2 else hold
    if any(row.analysis.sight is not None for row in rows):
        hold += " if everything is seen"
    if not out:
        yield f"{hold}, but in none of them can the attacker be driven out."
    elif len(out) == len(moves):
        yield f"{hold}, and the attacker can be driven out of each: {_each(out)} moves."
    else:
        yield f"{hold}, but only {listed(list(out))} can drive the attacker out: {_each(out)} moves."


def _each(soon: Mapping[str, str]) -> str:
    """How soon in each design; the same number once."""
    if len(set(soon.values())) == 1:
        return next(iter(soon.values()))
    return listed([f"{label} {within}" for label, within in soon.items()])


def _perfect_range(comparison: Comparison) -> Iterator[str]:
    """Who certainly holds least and who most in perfect play; nothing where that is not known."""
    perfect = reading_of("ddr_exact")
    known = [(ends, row) for row in comparison.entries if (ends := perfect.ends(row.analysis)) is not None]
    if len(known) < 2:
        return
    low, high = min(known, key=lambda one: one[0][1]), max(known, key=lambda one: one[0][0])
    if high[0][0] - low[0][1] > TIE:
        least, most = apart(low[0][1], high[0][0])
        bounds = ("at most ", "at least ") if low[0][0] < low[0][1] or high[0][0] < high[0][1] else ("", "")
        yield (
            f"Under perfect play DDR* ranges from {bounds[0]}{least} ({low[1].label}) to {bounds[1]}{most} "
            f"({high[1].label})."
        )
    elif max(ends[1] for ends, _ in known) - min(ends[0] for ends, _ in known) <= TIE:
        yield f"Under perfect play the designs are equal: DDR* {number(known[0][0][0])}."


def _disagreements(comparison: Comparison) -> Iterator[str]:
    """Where training and perfect play differ on who holds more."""
    disagreements = comparison.disagreements
    if disagreements:
        pairs = [f"{one.above} above {one.below}" for one in disagreements[:MAX_PAIRS]]
        more = [f"{len(disagreements) - MAX_PAIRS} more"] if len(disagreements) > MAX_PAIRS else []
        yield f"Training puts {listed(pairs + more)}; perfect play does not (DDR* against DDR)."


def _operating_range(comparison: Comparison) -> Iterator[str]:
    """Who holds least and who most once trained, and how sure that is; nothing on a tie."""
    if comparison.spread is None:
        return
    low, high = comparison.entry(comparison.spread.heaviest), comparison.entry(comparison.spread.lightest)
    held = [row.analysis.ddr.mean for row in (low, high) if row.analysis.ddr is not None]
    if len(held) < 2 or held[1] - held[0] <= TIE:
        return
    least, most = apart(held[0], held[1])
    heavy, light = apart(1 - held[0], 1 - held[1])
    burden = f"{low.label} has a burden of {heavy}, {high.label} {light}"
    if comparison.spread.ratio is not None:
        times = f"{comparison.spread.ratio:.2f} times"
        burden = f"{low.label} has {times} the burden of {high.label} ({heavy} against {light})"
    sure = {True: "", False: ", though their intervals overlap", None: ", with too few seeds for an interval"}
    yield (
        f"After training, dominance ranges from {least} ({low.label}) to {most} ({high.label})"
        f": {burden}{sure[intervals_disjoint(low, high)]}."
    )


def _opposed(comparison: Comparison, points: Sequence[FullInversion]) -> str:
    """A pair that the static axes put in one order and the operating points, one or both, in the other."""
    formal, held = comparison.entry(points[0].formal), comparison.entry(points[0].operational)
    intervals = {True: ", intervals disjoint", False: ", though the intervals overlap", None: ""}
    pairs = []
    for pair in points:
        axis = reading_of(pair.point)
        ends = axis.ends(formal.analysis), axis.ends(held.analysis)
        less, more = apart((ends[0] or (0.0, 0.0))[1], (ends[1] or (0.0, 0.0))[0])
        pairs.append(f"{axis.label} {less} against {more}{intervals[pair.disjoint]}")
    return (
        f"{formal.label} is formally stronger than {held.label} on every static score, yet does worse in "
        f"play: "
        f"{listed(pairs)}."
    )


def _of_variant(comparison: Comparison, delta: Delta) -> str:
    """Which part changed, the certificate, how far the readings moved, at what depth, by which channel."""
    moved = listed(list(_moved(delta)))
    sentence = f"{delta.label} ({_parts(delta)})" + (f" moves {moved}" if moved else "")
    rows = comparison.entry(comparison.base), comparison.entry(delta.label)
    before, after = (row.analysis.defensible for row in rows)
    certificate = [f"{'gains' if after else 'loses'} the certificate"] if before != after else []
    ranks = [str(k) for k in delta.changed_ranks]
    if not ranks:
        depth = "leaves the size of every shell unchanged"
    elif len(ranks) == len(delta.shells):
        depth = "changes the shells at every rank"
    else:
        depth = f"changes the shells of rank{'s' if len(ranks) > 1 else ''} {listed(ranks)} only"
    comparable = delta.channels is not None and delta.same_memory
    channels = [_channel_words(delta.channels)] if comparable and delta.channels else []
    return "; ".join([sentence, *certificate, depth, *channels]) + "."


def _moved(delta: Delta) -> Iterator[str]:
    """The readings that moved."""
    for axis in fingerprint_readings():
        movement = delta.movements[axis.key]
        if movement.absolute is not None and abs(movement.absolute) > TIE:
            by = relative(movement.relative) if movement.relative is not None else signed(movement.absolute)
            yield f"{axis.label} by {by}"


def _channel_words(channels: Channels) -> str:
    counts = (("leave", channels.n_left), ("enter", channels.n_entered))
    moved = [f"{counted(n, 'position', word)} safe play" for word, n in counts if n]
    domain = listed(moved) or "safe play has the same positions"
    if not channels.n_changed:
        return f"no menu changes, {domain}"
    kinds = (("narrow", channels.n_narrowed), ("widen", channels.n_widened), ("change", channels.n_exchanged))
    menus = listed([counted(n, "menu", word) for word, n in kinds if n])
    return f"{menus}, {domain}"


def _parts(delta: Delta) -> str:
    if delta.changed is None:
        return "what changed is not known"
    return f"change of {listed([PARTS[part] for part in delta.changed])}" if delta.changed else "no change"


def refinement(check: Refinement) -> str:
    """What prop:refinement says of a pair, and whether the solved games agree."""
    pair = f"The boundary of {check.restricted} lies inside that of {check.free}"
    if not check.holds:
        return f"{pair}, yet the winning region shrinks. This contradicts a theorem: please report it."
    how = {
        "positions": "and no position loses rank",
        "count": "and the winning region is no smaller",
        "certificate": "and the certificate is not lost",
    }[check.scope]
    gained = f"; {counted(check.n_gained, 'position', 'become')} winning" if check.n_gained else ""
    return f"{pair}, {how}{gained}."
