"""A comparison on the terminal: what it comes to in a paragraph, then the tables it rests on."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from holdfast.compare import Channels, Comparison, Delta, FullInversion, Movement, RankMatrix, Refinement
from holdfast.report.terminal import WIDTH, plain

LABELS = {"win": "WIN", "stp": "STP", "slt": "SLT", "ddr": "DDR", "ddr_exact": "DDR*"}
PARTS = {"arena": "arena", "dominance": "μ", "reset": "reset", "requirement": "φ_D", "boundary": "φ_A"}
MISSING = "–"
MAX_ROWS = 20
MAX_RANKS = 12


def comparison_text(comparison: Comparison, source: str) -> str:
    """The answer of ``compare``, styled if standard output is a terminal."""
    text = io.StringIO()
    width = min(shutil.get_terminal_size().columns, WIDTH)
    console = Console(file=text, force_terminal=sys.stdout.isatty(), width=width, highlight=False)
    print_comparison(console, comparison, source)
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def print_comparison(console: Console, comparison: Comparison, source: str) -> None:
    """Print a comparison for a person."""
    console.print()
    console.print(
        Text(f"{len(comparison.entries)} designs against {plain(comparison.base)}", style="bold"),
        Text(f"({plain(source)})", style="dim"),
    )
    console.print()
    console.print(Padding(Text(plain(reading(comparison))), (0, 0, 0, 2)))
    parts: tuple[tuple[str, RenderableType | None], ...] = (
        ("Fingerprints", _fingerprints(comparison)),
        (f"ΔF against {plain(comparison.base)}", _movements(comparison)),
        ("Depth: positions from which violation is forced in k moves", _shells(comparison)),
        ("Positions by rank before (rows) and after (columns)", _ranks(comparison)),
        ("Inversions: formally stronger, operationally weaker", _inversions(comparison)),
        ("What moved SLT, over the defender's positions in safe play", _channels(comparison)),
        ("At least as large on every axis, and larger on one", _dominances(comparison)),
        ("Monotonicity in φ_A", _refinements(comparison)),
    )
    for title, part in parts:
        if part is not None:
            console.print()
            console.print(Text(f"  {title}", style="bold"))
            console.print(Padding(part, (0, 0, 0, 2)))
    for warning in comparison.warnings:
        console.print()
        console.print(Padding(Text(f"warning: {plain(warning)}", style="yellow"), (0, 0, 0, 2)))
    for row in comparison.entries:
        if row.undecided:
            undecided = f"UNDECIDED  {plain(row.label)}: {plain(row.undecided)}"
            console.print()
            console.print(Padding(Text(undecided, style="bold yellow"), (0, 0, 0, 2)))


# -- the reading ------------------------------------------------------------------------------------


def reading(comparison: Comparison) -> str:
    """The comparison in a paragraph of plain sentences, made from its numbers."""
    sentences = [_certificates(comparison), *_operating_range(comparison)]
    learned = {(i.formal, i.operational) for i in comparison.full_inversions if i.point == "ddr"}
    sentences += [
        _opposed(comparison, pair)
        for pair in comparison.full_inversions
        if pair.point == "ddr" or (pair.formal, pair.operational) not in learned
    ]
    for delta in comparison.deltas[:MAX_ROWS]:
        sentences.append(_of_variant(comparison, delta))
    if any(set(delta.changed or ()) & {"requirement", "boundary"} for delta in comparison.deltas):
        sentences.append(
            "Where a specification changed, a larger coordinate means more defensible under the changed "
            "contract and is not by itself a better design."
        )
    return " ".join(sentences)


def _certificates(comparison: Comparison) -> str:
    lost = [row.label for row in comparison.entries if not row.defensible]
    n = len(comparison.entries)
    if not lost:
        return f"All {n} designs are defensible." if n > 2 else "Both designs are defensible."
    if len(lost) == n:
        return "None of the designs is defensible."
    return f"Not defensible: {', '.join(lost)}; the other {n - len(lost)} of {n} are."


def _operating_range(comparison: Comparison) -> list[str]:
    if comparison.spread is None:
        return []
    high, low = comparison.entry(comparison.spread.lightest), comparison.entry(comparison.spread.heaviest)
    burden = "" if comparison.spread.ratio is None else f", {comparison.spread.ratio:.2f} times the burden"
    return [
        f"Once both sides adapt, dominance runs from {_number(low.ddr, 3)} ({low.label}) to "
        f"{_number(high.ddr, 3)} ({high.label}): {low.label} leaves {_number(low.burden, 3)} unheld and "
        f"{high.label} {_number(high.burden, 3)}{burden}."
    ]


def _opposed(comparison: Comparison, pair: FullInversion) -> str:
    formal, held = comparison.entry(pair.formal), comparison.entry(pair.operational)
    intervals = {True: ", intervals disjoint", False: ", though the intervals overlap", None: ""}
    return (
        f"{formal.label} is formally stronger than {held.label} on every static axis, yet holds less: "
        f"{LABELS[pair.point]} {_number(formal.reading(pair.point), 3)} against "
        f"{_number(held.reading(pair.point), 3)}{intervals[pair.disjoint]}."
    )


def _of_variant(comparison: Comparison, delta: Delta) -> str:
    """Which part changed, how far SLT and the operating point moved, at what depth, by which channel."""
    moved = [
        f"{LABELS[axis]} by {_relative(delta.movements[axis])}"
        for axis in ("win", "slt", "ddr")
        if delta.movements[axis].relative is not None
    ]
    said = f"{delta.label} ({_parts(delta)}) moves {_listed(moved)}" if moved else f"{delta.label}"
    ranks = [str(k) for k in delta.changed_ranks]
    if not ranks:
        depth = "leaves every shell as large as it was"
    elif len(ranks) == len(delta.shells):
        depth = "changes the shells of every rank"
    else:
        depth = f"changes the shells of rank{'s' if len(ranks) > 1 else ''} {_listed(ranks)} only"
    told = delta.channels is not None and delta.same_memory
    clauses = [said, depth, *([_channel_words(delta.channels)] if told and delta.channels else [])]
    return "; ".join(clauses) + "."


def _channel_words(channels: Channels) -> str:
    counts = (("leave", channels.n_left), ("enter", channels.n_entered))
    moved = [f"{n:,} positions {word} safe play" for word, n in counts if n]
    domain = _listed(moved) or "safe play keeps its positions"
    if not channels.n_changed:
        return f"no menu changes, {domain}"
    kinds = (("narrow", channels.n_narrowed), ("widen", channels.n_widened), ("change", channels.n_exchanged))
    menus = _listed([f"{n:,} menus {word}" for word, n in kinds if n])
    return f"{menus}, {domain}"


def _parts(delta: Delta) -> str:
    if delta.changed is None:
        return "what changed is not known"
    return f"change of {_listed([PARTS[part] for part in delta.changed])}" if delta.changed else "no change"


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


# -- tables -----------------------------------------------------------------------------------------


def _table(*headers: str, words: int = 1) -> Table:
    """Numbers to the right, the first ``words`` columns to the left."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_edge=False)
    for i, header in enumerate(headers):
        if i < words:
            table.add_column(header, overflow="fold")
        else:
            table.add_column(header, justify="right", no_wrap=True)
    return table


def _fingerprints(comparison: Comparison) -> Table:
    rows = comparison.entries
    columns: list[tuple[str, list[str]]] = [
        (LABELS[axis], [_number(row.reading(axis)) for row in rows]) for axis in ("win", "stp", "slt", "ddr")
    ]
    columns.append(("interval", [_interval(row.ddr_low, row.ddr_high) for row in rows]))
    columns.append(("DDR*", [_number(row.ddr_exact) for row in rows]))
    columns.append(("1−DDR", [_number(row.burden, 3) for row in rows]))
    columns.append(("× base", [_number(row.burden_ratio, 2) for row in rows]))
    shown = [c for c in columns if c[0] in ("WIN", "STP", "SLT") or any(cell != MISSING for cell in c[1])]
    table = _table("", *(header for header, _ in shown))
    for i, row in enumerate(rows):
        label = Text(plain(row.label), style="" if row.defensible else "red")
        if not row.defensible:
            label.append(" (not defensible)")
        table.add_row(label, *(cells[i] for _, cells in shown))
    return table


def _movements(comparison: Comparison) -> Table:
    axes = [
        axis
        for axis in LABELS
        if axis in ("win", "stp", "slt")
        or any(d.movements[axis].absolute is not None for d in comparison.deltas)
    ]
    table = _table("", "changed", *(LABELS[axis] for axis in axes), words=2)
    for delta in comparison.deltas:
        cells = [_moved(delta.movements[axis]) for axis in axes]
        parts = MISSING if delta.changed is None else ", ".join(PARTS[p] for p in delta.changed) or "nothing"
        table.add_row(Text(plain(delta.label)), parts, *cells)
    return table


def _shells(comparison: Comparison) -> Table:
    depth = max((len(row.shells) for row in comparison.entries), default=0)
    ranks = list(range(1, min(depth, MAX_RANKS) + 1))
    table = _table("", "winning", *(f"k = {k}" for k in ranks), *(["3 and up"] if depth > 3 else []))
    for row in comparison.entries:
        cells = [_count(row.shells[k - 1]) if k <= len(row.shells) else MISSING for k in ranks]
        deep = [_count(sum(row.shells[2:])) if len(row.shells) > 2 else MISSING] if depth > 3 else []
        table.add_row(Text(plain(row.label)), _count(row.winning), *cells, *deep)
        delta = next((d for d in comparison.deltas if d.label == row.label), None)
        if delta is not None:
            sizes = {shell.first: shell.size for shell in delta.shells}
            changes = [_shift(sizes.get(k)) for k in ranks]
            deeper = [_shift(delta.deep.size if delta.deep else None)] if depth > 3 else []
            table.add_row("", "", *changes, *deeper, style="dim")
    return table


def _ranks(comparison: Comparison) -> Group | None:
    """One small matrix for each variant whose positions can be matched; the reason for each other."""
    parts: list[RenderableType] = []
    for delta in comparison.deltas:
        matrix = delta.ranks
        if matrix is None:
            parts.append(Text(f"{plain(delta.label)}: {plain(delta.ranks_unknown or MISSING)}", style="dim"))
        elif not matrix.n_changed:
            parts.append(Text(f"{plain(delta.label)}: every position keeps its rank"))
        else:
            parts.append(Text(f"{plain(delta.label)}: {matrix.n_changed:,} positions change rank"))
            if max(len(matrix.before), len(matrix.after)) <= MAX_RANKS:
                parts.append(Padding(_matrix(matrix), (0, 0, 0, 2)))
    return Group(*parts) if parts else None


def _matrix(matrix: RankMatrix) -> Table:
    name: Callable[[int | None], str] = lambda rank: "W" if rank is None else str(rank)  # noqa: E731
    table = _table("", *map(name, matrix.after))
    for rank, row in zip(matrix.before, matrix.counts, strict=True):
        table.add_row(name(rank), *(_count(n) if n else "·" for n in row))
    return table


def _inversions(comparison: Comparison) -> Table | None:
    """Pair by pair, the axes that disagree with an operating point."""
    pairs: dict[tuple[str, str, str], list[str]] = {}
    gaps: dict[tuple[str, str, str], tuple[float, bool | None]] = {}
    for found in comparison.inversions:
        key = (found.formal, found.operational, found.point)
        pairs.setdefault(key, []).append(f"{LABELS[found.axis]} +{found.static_gap:.4f}")
        gaps[key] = (found.operational_gap, found.disjoint)
    if not pairs:
        return None
    table = _table("formally stronger", "holds more", "by", "against", "", words=5)
    intervals = {True: "intervals disjoint", False: "intervals overlap", None: ""}
    for key, axes in sorted(pairs.items(), key=lambda item: -len(item[1]))[:MAX_ROWS]:
        gap, disjoint = gaps[key]
        every = "\non every static axis" if len(axes) == 3 else ""
        table.add_row(
            Text(plain(key[0])),
            Text(plain(key[1])),
            "\n".join(axes),
            f"{LABELS[key[2]]} −{gap:.4f}",
            f"{intervals[disjoint]}{every}".lstrip(),
        )
    if len(pairs) > MAX_ROWS:
        table.add_row(f"… {len(pairs) - MAX_ROWS} more")
    return table


def _channels(comparison: Comparison) -> Group | None:
    table = _table("", "kept", "narrower", "wider", "other", "left", "new", "by menus", "by domain")
    unknown: list[RenderableType] = []
    for delta in comparison.deltas:
        c = delta.channels
        if c is None:
            unknown.append(
                Text(f"{plain(delta.label)}: {plain(delta.channels_unknown or MISSING)}", style="dim")
            )
            continue
        counts = (c.n_shared, c.n_narrowed, c.n_widened, c.n_exchanged, c.n_left, c.n_entered)
        table.add_row(
            Text(plain(delta.label)), *map(_count, counts), _signed(c.by_menus), _signed(c.by_domain)
        )
    parts = [*([table] if table.row_count else []), *unknown]
    others = [delta.label for delta in comparison.deltas if delta.same_memory is False]
    if others:
        note = (
            f"{_listed(others)}: the changed automata remember something else in the same state, so matched"
        )
        parts.append(Text(plain(f"{note} positions are alike in name only"), style="dim"))
    return Group(*parts) if parts else None


def _dominances(comparison: Comparison) -> Table | None:
    if not comparison.dominances:
        return None
    table = _table("", "", "", words=3)
    table.show_header = False
    under: dict[tuple[str, int], list[str]] = {}
    for found in comparison.dominances:
        under.setdefault((found.over, len(found.axes)), []).append(found.under)
    for (over, n_axes), labels in under.items():
        axes = "WIN, STP, SLT, DDR" if n_axes == 4 else "WIN, STP, SLT"
        table.add_row(Text(plain(over)), Text(plain(f"over {', '.join(labels)}")), Text(axes, style="dim"))
    return table


def _refinements(comparison: Comparison) -> Group | None:
    lines = [Text(plain(_refinement(check))) for check in comparison.refinements]
    return Group(*lines) if lines else None


def _refinement(check: Refinement) -> str:
    pair = f"the boundary of {check.restricted} lies inside that of {check.free}"
    if not check.holds:
        return f"{pair}, and yet the winning region shrinks: please report this, it contradicts a theorem"
    how = {
        "positions": "and no position loses rank",
        "count": "and the winning region is no smaller",
        "certificate": "and the certificate is not lost",
    }[check.scope]
    gained = f"; {check.n_gained:,} positions become winning" if check.n_gained else ""
    return f"{pair}, {how}{gained}"


# -- numbers ----------------------------------------------------------------------------------------


def _number(value: float | None, digits: int = 4) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _signed(value: float | None, digits: int = 4) -> str:
    if value is None:
        return MISSING
    return f"{value:+.{digits}f}".replace("-", "−") if value else "0"


def _interval(low: float | None, high: float | None) -> str:
    return MISSING if low is None or high is None else f"{low:.3f} … {high:.3f}"


def _relative(movement: Movement) -> str:
    return MISSING if movement.relative is None else f"{100 * movement.relative:+.1f} %".replace("-", "−")


def _moved(movement: Movement) -> str:
    """Absolute over relative, in one cell."""
    if movement.absolute is None:
        return MISSING
    relative = f"\n{_relative(movement)}" if movement.relative else ""
    return _signed(movement.absolute) + relative


def _shift(size: Movement | None) -> str:
    """A change of count with its percentage."""
    if size is None or size.absolute is None:
        return MISSING
    if not size.absolute:
        return "="
    relative = "" if size.relative is None else f"\n{100 * size.relative:+.0f} %"
    sign = "+" if size.absolute > 0 else "−"
    return f"{sign}{_count(abs(int(size.absolute)))}{relative.replace('-', '−')}"


def _count(number: int) -> str:
    """Exact up to nine digits, in scientific notation past that."""
    if number < 10**9:
        return f"{number:,}"
    digits = str(number)
    return f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
