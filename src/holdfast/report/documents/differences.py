"""The tables of a comparison: fingerprints, ΔF, shells, ranks, inversions, channels, dominance, runs; CSV.

The fingerprint table also comes as CSV (RFC 4180), one row a design, counts exact and readings with all
digits. A spreadsheet takes a cell that starts with ``=``, ``+``, ``-`` or ``@`` for a formula, so a name that
does is given an apostrophe in front, which spreadsheets read as "this is text".
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence

from holdfast.game import MISSING, UNBOUNDED, count, counted, listed, number, relative, signed
from holdfast.readings import (
    DEEP,
    PARTS,
    Comparison,
    Delta,
    Entry,
    Inversion,
    Movement,
    RankMatrix,
    Reading,
    fingerprint_readings,
    label_of,
    reading_of,
    recovery_readings,
    response_readings,
    static_readings,
)
from holdfast.report.blocks import Block, Cell, CellValue, Column, Prose, Row, Table, words
from holdfast.report.documents.background import facts_of
from holdfast.report.documents.fingerprint import reading_on
from holdfast.report.renderers.terminal import plain

MAX_ROWS, MAX_RANKS = 20, 12
DIGITS = 9
"""Of a count; a table of shells is wide enough."""

OWN = ("engine", "seconds", "key")
"""What each analysis has of its own, shown in a table."""

FORMULA = re.compile(r"\s*[=+\-@|%＝＋－＠]|[\t\r\n]")


def fingerprints(comparison: Comparison) -> Table:
    """The fingerprint of each design; what nobody has is left out."""
    rows = comparison.entries
    columns: list[tuple[Column, list[CellValue]]] = []
    for axis in fingerprint_readings():
        columns.append((Column(axis.label, hint=axis.hint), [reading_on(axis, row.analysis) for row in rows]))
        if axis.bounds is not None and not axis.certified:
            ends = [axis.bounds(row.analysis) for row in rows]
            spans = [None if e is None else Cell(f"{e[0]:.3f} … {e[1]:.3f}", e[0]) for e in ends]
            columns.append((Column("interval", hint=axis.bounds_are), [*spans]))
    burdens = [_digits(row.burden, 3) for row in rows], [_digits(row.burden_ratio, 2) for row in rows]
    columns.append((Column("1−DDR", hint="holding burden"), [*burdens[0]]))
    columns.append((Column("× base", hint="burden, over that of the base"), [*burdens[1]]))
    names = [row.label + ("" if row.analysis.defensible else " (not defensible)") for row in rows]
    static = {axis.label for axis in static_readings()}
    shown = [c for c in columns if c[0].title in static or any(v is not None for v in c[1])]
    return Table(
        "The fingerprint of each design: readings between 0 and 1, more being better for the defender",
        (words("design"), *(column for column, _ in shown)),
        tuple((name, *(values[i] for _, values in shown)) for i, name in enumerate(names)),
        marks=tuple(_mark(row, comparison.base) for row in rows),
    )


def _digits(value: float | None, digits: int) -> Cell | None:
    return None if value is None else Cell(number(value, digits), value)


def _mark(row: Entry, base: str) -> str:
    return "lost" if not row.analysis.defensible else "base" if row.label == base else ""


def movements(comparison: Comparison) -> Table:
    """The signed vector ΔF, absolute over relative."""
    shown = [
        axis
        for axis in fingerprint_readings()
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


def moved(movement: Movement) -> Cell:
    """A change of a reading, absolute over relative."""
    note = relative(movement.relative) if movement.relative else ""
    return Cell(signed(movement.absolute), movement.absolute, note)


def _changed(delta: Delta) -> str:
    parts = None if delta.changed is None else [PARTS[part] for part in delta.changed]
    return MISSING if parts is None else ", ".join(parts) or "nothing"


def recoveries(comparison: Comparison) -> Table:
    """How soon each design gets the attacker out, with the change against the base; empty if none says."""
    caption = "Number of moves, counting both sides, until the attacker is out and until everything is clean"
    return _whole_readings(comparison, recovery_readings(), caption)


def responses(comparison: Comparison) -> Table:
    """Effort, tempo and grace of each design, with the change against the base; empty if nobody has any."""
    caption = (
        "What each design demands of its defenders: interventions needed, turns per intervention, idle "
        "turns at the start"
    )
    return _whole_readings(comparison, response_readings(), caption)


def _whole_readings(comparison: Comparison, axes: Sequence[Reading], caption: str) -> Table:
    """Readings that are whole numbers, or without end, of each design; empty if nobody has any."""
    rows, deltas = [], {delta.label: delta for delta in comparison.deltas}
    read = any(axis.read(row.analysis) is not None for axis in axes for row in comparison.entries)
    for row in comparison.entries if read else ():
        cells: list[Cell | None] = []
        for axis in axes:
            value = axis.read(row.analysis)
            change = deltas[row.label].movements[axis.key] if row.label in deltas else None
            note = "" if change is None else _moved_by(change, axis)
            cells.append(None if value is None else Cell(axis.written(value), value, note))
        rows.append((row.label, *cells))
    return Table(
        caption,
        (words("design"), *(Column(axis.label, hint=axis.hint) for axis in axes)),
        tuple(rows),
        marks=tuple(_mark(row, comparison.base) for row in comparison.entries) if rows else (),
    )


def _moved_by(moved: Movement, axis: Reading) -> str:
    """A change of a whole number; from never to a number, and back, what it was."""
    if moved.absolute is None:
        return ""
    if math.isinf(moved.absolute) and axis.endless != UNBOUNDED:
        return f"was {axis.written(moved.before)}"
    return _step(moved.absolute)


def _step(change: float) -> str:
    """A change of a whole number, which may be without bound."""
    if not change:
        return "="
    return ("+" if change > 0 else "−") + ("∞" if math.isinf(change) else f"{abs(change):.0f}")


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
    percentage = "" if size.relative is None else f"\n{relative(size.relative, 0)}"
    sign = "+" if size.absolute > 0 else ""
    return f"{sign}{count(int(size.absolute), DIGITS)}{percentage}"


def ranks(comparison: Comparison) -> Iterator[Block]:
    """The matrices of ranks, side by side, and why some have none."""
    known = [(delta, delta.ranks) for delta in comparison.deltas if delta.ranks is not None]
    yield Row(tuple(rank_changes(*ranking) for ranking in known[:MAX_ROWS]))
    if len(known) > MAX_ROWS:
        yield Prose(f"… {counted(len(known) - MAX_ROWS, 'more design')}")
    yield from _unknown({d.label: d.ranks_unknown for d in comparison.deltas if d.ranks is None})


def _unknown(reasons: dict[str, str | None]) -> Iterator[Prose]:
    """What is not known of some designs, and why; designs with the same reason together."""
    for reason in dict.fromkeys(reasons.values()):
        designs = [label for label, own in reasons.items() if own == reason]
        hidden = len(designs) - MAX_ROWS
        shown = [*designs[:MAX_ROWS], *([counted(hidden, "other")] if hidden > 0 else [])]
        yield Prose(f"{listed(shown)}: {reason or MISSING}")


def rank_changes(delta: Delta, matrix: RankMatrix) -> Prose | Table:
    """The matrix of ranks before and after."""
    if not matrix.n_changed:
        return Prose(f"{delta.label}: every position keeps its rank")
    sentence = f"{delta.label}: {counted(matrix.n_changed, 'position', 'change')} rank"
    if max(len(matrix.before), len(matrix.after)) > MAX_RANKS:
        return Prose(sentence)
    return _matrix(sentence, matrix)


def _matrix(title: str, matrix: RankMatrix) -> Table:
    rows: list[tuple[CellValue, ...]] = []
    for before, counts in zip(matrix.before, matrix.counts, strict=True):
        moved_to = zip(matrix.after, counts, strict=True)
        cells = [Cell(count(n, DIGITS), n, strong=k != before) if n else Cell("·", 0) for k, n in moved_to]
        rows.append((_rank(before), *cells))
    columns = (words("before ↓ after →"), *(Column(_rank(rank)) for rank in matrix.after))
    caption = "Positions by rank before and after, W winning"
    return Table(caption, columns, tuple(rows), sortable=False, title=title)


def _rank(rank: int | None) -> str:
    return "W" if rank is None else str(rank)


# -- orders and channels ----------------------------------------------------------------------------


def inversions(comparison: Comparison) -> Table:
    """Pair by pair, the axes that disagree with an operating point; the fullest first."""
    title = "Pairs that a static score and an operating score rank in opposite orders"
    return _inversions(title, comparison.inversions, ("formally stronger", "holds more"))


def response_inversions(comparison: Comparison) -> Table:
    """Pair by pair, the readings that disagree where one of the two is of recovery or of the response."""
    title = "Pairs that a recovery or response score and another score rank in opposite orders"
    return _inversions(title, comparison.response_inversions, ("stronger on one", "stronger on the other"))


def _inversions(caption: str, inversions: Sequence[Inversion], heads: tuple[str, str]) -> Table:
    pairs: dict[tuple[str, str, str], list[Inversion]] = {}
    for each in inversions:
        pairs.setdefault((each.formal, each.operational, each.point), []).append(each)
    intervals = {True: "intervals disjoint", False: "intervals overlap", None: ""}
    rows: list[tuple[CellValue, ...]] = []
    for (formal, held, point), among in sorted(pairs.items(), key=lambda item: -len(item[1]))[:MAX_ROWS]:
        gap = among[0].operational_gap
        by = "\n".join(_better(i.axis, i.static_gap) for i in among)
        whole = {i.axis for i in among} == {axis.key for axis in static_readings()}
        remarks = (intervals[among[0].disjoint], "on every static axis" if whole else "")
        against = Cell(_better(point, -gap), gap)
        rows.append((formal, held, by, against, "\n".join(filter(None, remarks))))
    hidden = len(pairs) - len(rows)
    return Table(
        caption,
        (words(heads[0]), words(heads[1]), words("by"), words("against"), words("remark")),
        tuple(rows),
        note=f"… {hidden} more" if hidden else "",
    )


def _better(key: str, gap: float) -> str:
    """How far apart two designs are on an axis, signed as the readings are."""
    axis = reading_of(key)
    if axis.whole:
        if math.isinf(gap) and axis.endless != UNBOUNDED:
            return f"{axis.label}, {axis.endless} in the {'second' if gap > 0 else 'first'}"
        return f"{axis.label} {_step(-gap if axis.less else gap)}"
    return f"{axis.label} {'+' if gap > 0 else '−'}{abs(gap):.4f}"


def disagreements(comparison: Comparison) -> Table:
    """The pairs that training and perfect play order differently."""
    rows: list[tuple[CellValue, ...]] = []
    for pair in comparison.disagreements[:MAX_ROWS]:
        held = f"DDR* +{pair.perfect_gap:.4f}" if pair.perfect_gap else "DDR* equal"
        learned = Cell(f"DDR +{pair.learned_gap:.4f}", pair.learned_gap)
        rows.append((pair.above, learned, pair.below, Cell(held, pair.perfect_gap)))
    hidden = len(comparison.disagreements) - len(rows)
    return Table(
        "Pairs in which the design that does better after training does not do better under perfect play",
        (words("trained, holds more"), words("by"), words("than"), words("which under perfect play has")),
        tuple(rows),
        note=f"… {hidden} more" if hidden else "",
    )


def channels(comparison: Comparison) -> Iterator[Table | Prose]:
    """The change of SLT for each design, and the designs for which it is not known."""
    read = [(delta, delta.channels) for delta in comparison.deltas if delta.channels is not None]
    if read:
        heads = ("kept", "narrower", "wider", "other", "left", "new", "by menus", "by domain")
        rows: list[tuple[CellValue, ...]] = []
        for delta, c in read:
            counts = c.n_shared, c.n_narrowed, c.n_widened, c.n_exchanged, c.n_left, c.n_entered
            parts = [Cell(signed(part), part) for part in (c.by_menus, c.by_domain)]
            rows.append((delta.label, *counts, *parts))
        yield Table(
            "Menus kept and changed, positions that left and entered safe play, and how much of ΔSLT "
            "each accounts for",
            (words("design"), *map(Column, heads)),
            tuple(rows),
        )
    yield from _unknown({d.label: d.channels_unknown for d in comparison.deltas if d.channels is None})
    others = [delta.label for delta in comparison.deltas if delta.same_memory is False]
    if others:
        yield Prose(
            f"{listed(others)}: the changed automata store different information in the same state, so "
            f"matched positions share only a name"
        )


def dominances(comparison: Comparison) -> Table:
    """Which design is at least as large as which others on every axis."""
    under: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for dominance in comparison.dominances:
        under.setdefault((dominance.over, dominance.axes), []).append(dominance.under)
    return Table(
        "Designs that score at least as high as others on every axis",
        (words("design"), words("over"), words("on")),
        tuple(
            (over, ", ".join(labels), ", ".join(map(label_of, keys)))
            for (over, keys), labels in under.items()
        ),
    )


# -- provenance, CSV --------------------------------------------------------------------------------


def runs(entries: Sequence[Entry]) -> Table:
    """What each analysis took and the key of all that decides its numbers."""
    rows: list[tuple[CellValue, ...]] = []
    for entry in entries:
        one = entry.analysis
        key = one.provenance.key if one.provenance else MISSING
        rows.append((entry.label, one.engine, Cell(f"{one.seconds:.2f}", one.seconds), key))
    return Table(
        "How each design was analysed; the key is a hash of everything that decides the numbers",
        (words("design"), words("engine"), Column("seconds"), Column("key", "code")),
        tuple(rows),
    )


def shared(entries: Sequence[Entry]) -> dict[str, str]:
    """The provenance that all designs have in common; what differs is named with its design."""
    each = [(row.label, facts_of(row.analysis)) for row in entries]
    common: dict[str, str] = {}
    for name in dict.fromkeys(name for _, facts in each for name in facts):
        values = {label: facts.get(name, MISSING) for label, facts in each}
        if name in OWN:
            continue
        if len(set(values.values())) == 1:
            common[name] = next(iter(values.values()))
        else:
            common |= {f"{name}, {label}": value for label, value in values.items()}
    return common


def comparison_csv(comparison: Comparison) -> str:
    """The table with a header; an undefined reading is an empty field, shells stand apart by blanks."""
    text = io.StringIO()
    sheet = csv.writer(text)
    rows = [_fields(row, comparison.base) for row in comparison.entries]
    heads = max(rows, key=len)  # a design without chance lacks how likely it holds
    sheet.writerow(heads)
    sheet.writerows([row.get(head) for head in heads] for row in rows)
    return text.getvalue()


def _fields(row: Entry, base: str) -> dict[str, str | int | float | None]:
    answer = {True: "yes", False: "no"}
    fields = {"design": inert(row.label), "is_base": answer[row.label == base]} | row.columns()
    del fields["label"]
    return fields | {
        "defensible": answer[row.analysis.defensible],
        "shells": " ".join(map(str, row.analysis.shells)),
        "undecided": inert(row.analysis.undecided or ""),
    }


def inert(text: str) -> str:
    """Text that no spreadsheet computes.

    >>> inert("=1+1"), inert("base"), inert("-v"), inert(" @SUM(A1)")
    ("'=1+1", 'base', "'-v", "' @SUM(A1)")
    """
    safe = plain(text)
    return f"'{safe}" if FORMULA.match(text) else safe
