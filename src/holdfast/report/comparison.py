"""A comparison as a document: verdicts and reading, then the tables that they rest on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from holdfast import axes
from holdfast.axes import label_of, static_axes
from holdfast.compare import Comparison, Delta, Entry, Inversion, Movement, RankMatrix
from holdfast.compare.findings import PARTS
from holdfast.compare.numbers import DEEP
from holdfast.report.background import Background, difference
from holdfast.report.blocks import (
    Aside,
    Banner,
    Block,
    Document,
    Facts,
    Illustrations,
    Points,
    Prose,
    Row,
    Section,
    Warnings,
)
from holdfast.report.fingerprint import drawn, in_passing, question, verdict_of
from holdfast.report.provenance import runs, shared
from holdfast.report.reading import MAX_ROWS, certificates, refinement, sentences
from holdfast.report.tables import (
    MISSING,
    Cell,
    Column,
    Table,
    Value,
    count,
    counted,
    interval,
    listed,
    moved,
    number,
    relative,
    signed,
    words,
)
from holdfast.system import Graph

MAX_RANKS = 12
DIGITS = 9
"""Of a count; a table of shells is wide enough."""


def comparison_document(
    comparison: Comparison,
    *,
    source: str = "",
    lead: str = "",
    backgrounds: Mapping[str, Background] | None = None,
    reasons: Sequence[Section] = (),
) -> Document:
    """The answer of ``compare``: verdicts and reading first, then what they rest on, in the paper's order.

    Args:
        comparison: what to show.
        source: the file or files.
        lead: what the designs are.
        backgrounds: of the designs, by label.
        reasons: why designs are lost, where that was looked for.
    """
    known = backgrounds or {}
    said = Points(tuple(sentences(comparison)))
    sections = [
        Section("What it comes to", (*verdicts(comparison.entries), said)),
        *_designs(comparison.base, known),
        *map(in_passing, reasons),
        *_sections(comparison, {label: each.graph for label, each in known.items()}),
    ]
    return Document(
        title=f"{len(comparison.entries)} designs against {comparison.base}",
        source=source,
        lead=f"{lead}\n\n{certificates(comparison)}",
        sections=tuple(sections),
        provenance=tuple(shared(comparison.entries).items()),
    )


def verdicts(entries: Sequence[Entry]) -> Iterator[Banner]:
    """The certificates of a comparison: those lost one by one, those held in one sentence."""
    yield from (verdict_of(row.analysis, row.label) for row in entries if not row.analysis.defensible)
    held = [row for row in entries if row.analysis.defensible]
    if held:
        yield verdict_of(held[0].analysis, ", ".join(row.label for row in held))
    for row in entries:
        if row.analysis.undecided:
            yield Banner("open", "NOT READ", row.analysis.undecided, row.label)


def _designs(base: str, backgrounds: Mapping[str, Background]) -> Iterator[Section]:
    """What the designs are: in the words of the file, and which links they change against the base."""
    before = backgrounds[base].graph if base in backgrounds else None
    items = []
    for label, each in backgrounds.items():
        moved = difference(before, each.graph) if before and each.graph and label != base else ""
        told = [each.description, f"Against {base} it {moved}." if moved else ""]
        if any(told):
            items.append((label, " ".join(filter(None, told))))
    if items:
        yield Section("Designs", (Facts(tuple(items)),))


def _sections(comparison: Comparison, graphs: Mapping[str, Graph | None]) -> Iterator[Section]:
    base, some = comparison.base, bool(comparison.deltas)
    yield Section("Fingerprints", (
        fingerprints(comparison),
        Warnings(comparison.warnings),
        Aside((axes_explained(comparison),)),
        Illustrations(lambda: drawn().fingerprints(comparison)),
    ))  # fmt: skip
    yield Section(f"ΔF against {base}", (movements(comparison),) if some else ())
    yield Section(
        "Depth: positions from which violation is forced in k moves",
        (shells(comparison), Illustrations(lambda: drawn().depth(comparison))),
        detail=True,
        contents="Depth",
    )
    yield Section(
        "Positions by rank before (rows) and after (columns)",
        tuple(_ranks(comparison)) if some else (),
        detail=True,
        contents="Positions by rank",
    )
    yield Section(
        "Inversions: formally stronger, operationally weaker",
        (inversions(comparison),) if comparison.inversions else (),
        contents="Inversions",
    )
    yield Section("Operation", (Illustrations(lambda: drawn().operation(comparison)),))
    yield Section(
        "What moved SLT, over the defender's positions in safe play",
        tuple(channels(comparison)),
        detail=True,
        contents="What moved SLT",
    )
    yield Section(
        "At least as large on every axis that was read, and larger on one",
        (dominances(comparison),) if comparison.dominances else (),
        detail=True,
        contents="Uniform dominance",
    )
    checks = Points(tuple(map(refinement, comparison.refinements)))
    yield Section("Monotonicity in φ_A", (checks,), detail=True)
    yield Section("Segments", (Illustrations(lambda: drawn().segments(base, graphs)),))
    yield Section("Requirement and boundary", (Aside(tuple(_questions(comparison.entries))),), detail=True)
    yield Section("Runs", (Aside((runs(comparison.entries),)),), detail=True)


def axes_explained(comparison: Comparison) -> Facts:
    """What each axis that was read says."""
    rows = [row.analysis for row in comparison.entries]
    read = [axis for axis in axes.AXES if any(axis.read(row) is not None for row in rows)]
    return Facts(tuple((axis.label, axis.meaning) for axis in read))


def _ranks(comparison: Comparison) -> Iterator[Block]:
    yield Row(tuple(map(rank_changes, comparison.deltas[:MAX_ROWS])))
    if len(comparison.deltas) > MAX_ROWS:
        yield Prose(f"… {counted(len(comparison.deltas) - MAX_ROWS, 'more design')}")


def _questions(entries: Sequence[Entry]) -> Iterator[Facts]:
    """Start, requirement and boundary of each design, designs with the same ones together."""
    together: dict[Facts, list[str]] = {}
    for row in entries:
        asked = row.analysis
        facts = question(asked.start, asked.requirement, asked.boundary)
        together.setdefault(facts, []).append(row.label)
    for facts, labels in together.items():
        yield Facts((("design", ", ".join(labels)), *facts.items))


def fingerprints(comparison: Comparison) -> Table:
    """The fingerprint of each design; what nobody has is left out."""
    rows = comparison.entries
    columns: list[tuple[Column, list[Value]]] = []
    for axis in axes.AXES:
        columns.append((Column(axis.label, hint=axis.hint), [axis.read(row.analysis) for row in rows]))
        if axis.bounds is not None:
            spans: list[Value] = [_span(axis.bounds(row.analysis)) for row in rows]
            columns.append((Column("interval", hint=axis.bounds_are), spans))
    columns.append((Column("1−DDR", hint="holding burden"), [_digits(row.burden, 3) for row in rows]))
    columns.append((Column("× base", hint="burden, over that of the base"), [
        _digits(row.burden_ratio, 2) for row in rows
    ]))  # fmt: skip
    static = {axis.label for axis in static_axes()}
    shown = [c for c in columns if c[0].title in static or any(v is not None for v in c[1])]
    return Table(
        "WIN, STP, SLT and DDR of each design, between 0 and 1, more being better for the defender",
        (words("design"), *(column for column, _ in shown)),
        tuple((_name(row), *(values[i] for _, values in shown)) for i, row in enumerate(rows)),
        marks=tuple(_mark(row, comparison.base) for row in rows),
    )


def _span(bounds: tuple[float, float] | None) -> Cell | None:
    return None if bounds is None else Cell(interval(*bounds), bounds[0])


def _digits(value: float | None, digits: int) -> Cell | None:
    return None if value is None else Cell(number(value, digits), value)


def _name(row: Entry) -> str:
    return row.label if row.analysis.defensible else f"{row.label} (not defensible)"


def _mark(row: Entry, base: str) -> str:
    return "lost" if not row.analysis.defensible else "base" if row.label == base else ""


def movements(comparison: Comparison) -> Table:
    """The signed vector ΔF, absolute over relative."""
    shown = [
        axis
        for axis in axes.AXES
        if axis.static or any(d.movements[axis.key].absolute is not None for d in comparison.deltas)
    ]
    return Table(
        f"Change of each coordinate against {comparison.base}, absolute and in percent",
        (words("design"), words("changed"), *(Column(axis.label) for axis in shown)),
        tuple(
            (delta.label, _changed(delta), *(moved(delta.movements[axis.key]) for axis in shown))
            for delta in comparison.deltas
        ),
    )


def _changed(delta: Delta) -> str:
    if delta.changed is None:
        return MISSING
    return ", ".join(PARTS[part] for part in delta.changed) or "nothing"


# -- depth ------------------------------------------------------------------------------------------


def shells(comparison: Comparison) -> Table:
    """|W| and |Sh_k| of each design, with the change against the base below."""
    depth = max((len(row.analysis.shells) for row in comparison.entries), default=0)
    ranks = list(range(1, min(depth, MAX_RANKS) + 1))
    deltas = {delta.label: delta for delta in comparison.deltas}
    rows = []
    for row in comparison.entries:
        delta, own = deltas.get(row.label), row.analysis.shells
        sizes = {shell.first: shell.size for shell in delta.shells} if delta is not None else {}
        cells = [_size(own[k - 1] if k <= len(own) else None, sizes.get(k)) for k in ranks]
        if depth > DEEP:
            deep = sum(own[DEEP - 1 :]) if len(own) >= DEEP else None
            cells.append(_size(deep, delta.deep.size if delta is not None and delta.deep else None))
        rows.append((row.label, _size(row.analysis.winning, None), *cells))
    deeper = (Column(f"{DEEP} and up"),) if depth > DEEP else ()
    return Table(
        "Winning positions, and positions from which violation is forced in k moves, with the change "
        f"against {comparison.base}",
        (words("design"), Column("winning"), *(Column(f"k = {k}") for k in ranks), *deeper),
        tuple(rows),
        marks=tuple(_mark(row, comparison.base) for row in comparison.entries),
    )


def _size(n: int | None, change: Movement | None) -> Cell | None:
    note = "" if change is None else _shift(change)
    if n is None:
        return Cell(MISSING, None, note) if note else None
    return Cell(count(n, DIGITS), n, note)


def _shift(size: Movement) -> str:
    """A change of count with its percentage."""
    if size.absolute is None:
        return ""
    if not size.absolute:
        return "="
    percentage = "" if size.relative is None else f"\n{relative(size, 0)}"
    sign = "+" if size.absolute > 0 else ""
    return f"{sign}{count(int(size.absolute), DIGITS)}{percentage}"


def rank_changes(delta: Delta) -> Prose | Table:
    """The matrix of ranks before and after, or why there is none."""
    matrix = delta.ranks
    if matrix is None:
        return Prose(f"{delta.label}: {delta.ranks_unknown or MISSING}")
    if not matrix.n_changed:
        return Prose(f"{delta.label}: every position keeps its rank")
    said = f"{delta.label}: {counted(matrix.n_changed, 'position', 'change')} rank"
    if max(len(matrix.before), len(matrix.after)) > MAX_RANKS:
        return Prose(said)
    return _matrix(said, matrix)


def _matrix(title: str, matrix: RankMatrix) -> Table:
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            _rank(before),
            *(
                Cell("·", 0) if not n else Cell(count(n, DIGITS), n, strong=before != after)
                for after, n in zip(matrix.after, row, strict=True)
            ),
        )
        for before, row in zip(matrix.before, matrix.counts, strict=True)
    )
    columns = (words("before ↓ after →"), *(Column(_rank(rank)) for rank in matrix.after))
    return Table("Positions by rank before and after, W winning", columns, rows, sortable=False, title=title)


def _rank(rank: int | None) -> str:
    return "W" if rank is None else str(rank)


# -- orders and channels ----------------------------------------------------------------------------


def inversions(comparison: Comparison) -> Table:
    """Pair by pair, the axes that disagree with an operating point; the fullest first."""
    pairs: dict[tuple[str, str, str], list[Inversion]] = {}
    for found in comparison.inversions:
        pairs.setdefault((found.formal, found.operational, found.point), []).append(found)
    intervals = {True: "intervals disjoint", False: "intervals overlap", None: ""}
    rows: list[tuple[Value, ...]] = []
    n_static = len(static_axes())
    for (formal, held, point), among in sorted(pairs.items(), key=lambda item: -len(item[1]))[:MAX_ROWS]:
        gap = among[0].operational_gap
        by = "\n".join(f"{label_of(i.axis)} +{i.static_gap:.4f}" for i in among)
        remarks = (intervals[among[0].disjoint], "on every static axis" if len(among) == n_static else "")
        against = Cell(f"{label_of(point)} −{gap:.4f}", gap)
        rows.append((formal, held, by, against, "\n".join(filter(None, remarks))))
    hidden = len(pairs) - len(rows)
    return Table(
        "Pairs that a static axis and an operating point put in opposite orders",
        (words("formally stronger"), words("holds more"), words("by"), words("against"), words("remark")),
        tuple(rows),
        note=f"… {hidden} more" if hidden else "",
    )


def channels(comparison: Comparison) -> Iterator[Table | Prose]:
    """How SLT moved, design by design, and of whom that cannot be said."""
    found = [(delta, delta.channels) for delta in comparison.deltas if delta.channels is not None]
    if found:
        heads = ("kept", "narrower", "wider", "other", "left", "new", "by menus", "by domain")
        yield Table(
            "Menus kept and changed, positions that left and entered safe play, and the part of ΔSLT that "
            "each channel makes",
            (words("design"), *map(Column, heads)),
            tuple(
                (
                    delta.label,
                    *(c.n_shared, c.n_narrowed, c.n_widened, c.n_exchanged, c.n_left, c.n_entered),
                    *(Cell(signed(part), part) for part in (c.by_menus, c.by_domain)),
                )
                for delta, c in found
            ),
        )
    for delta in comparison.deltas:
        if delta.channels is None:
            yield Prose(f"{delta.label}: {delta.channels_unknown or MISSING}")
    others = [delta.label for delta in comparison.deltas if delta.same_memory is False]
    if others:
        yield Prose(
            f"{listed(others)}: the changed automata remember something else in the same state, so matched "
            "positions are alike in name only"
        )


def dominances(comparison: Comparison) -> Table:
    """Which design is at least as large as which others on every axis."""
    under: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for found in comparison.dominances:
        under.setdefault((found.over, found.axes), []).append(found.under)
    return Table(
        "Designs whose fingerprint is uniformly above that of others",
        (words("design"), words("over"), words("on")),
        tuple(
            (over, ", ".join(labels), ", ".join(map(label_of, keys)))
            for (over, keys), labels in under.items()
        ),
    )
