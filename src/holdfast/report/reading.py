"""A comparison in plain sentences, made from its numbers."""

from __future__ import annotations

from holdfast.compare import Channels, Comparison, Delta, FullInversion, Refinement
from holdfast.report.tables import listed, number, relative

LABELS = {"win": "WIN", "stp": "STP", "slt": "SLT", "ddr": "DDR", "ddr_exact": "DDR*"}
PARTS = {"arena": "arena", "dominance": "μ", "reset": "reset", "requirement": "φ_D", "boundary": "φ_A"}
MAX_ROWS = 20


def reading(comparison: Comparison) -> str:
    """The comparison in a paragraph."""
    return " ".join(sentences(comparison))


def sentences(comparison: Comparison) -> list[str]:
    """What the comparison comes to: certificates, operating range, inversions, then each variant."""
    found = [certificates(comparison), *_operating_range(comparison)]
    learned = {(i.formal, i.operational) for i in comparison.full_inversions if i.point == "ddr"}
    opposed = [
        pair
        for pair in comparison.full_inversions
        if pair.point == "ddr" or (pair.formal, pair.operational) not in learned
    ]
    found += [_opposed(comparison, pair) for pair in opposed[:MAX_ROWS]]
    if len(opposed) > MAX_ROWS:
        found.append(f"{len(opposed) - MAX_ROWS:,} more pairs are ordered in opposite ways.")
    found += [_of_variant(delta) for delta in comparison.deltas[:MAX_ROWS]]
    if len(comparison.deltas) > MAX_ROWS:
        found.append(f"{len(comparison.deltas) - MAX_ROWS:,} more designs are in the tables.")
    if any(set(delta.changed or ()) & {"requirement", "boundary"} for delta in comparison.deltas):
        found.append(
            "Where a specification changed, a larger coordinate means more defensible under the changed "
            "contract and is not by itself a better design."
        )
    return found


def certificates(comparison: Comparison) -> str:
    """Which of the designs are defensible."""
    lost = [row.label for row in comparison.entries if not row.defensible]
    n = len(comparison.entries)
    if not lost:
        return f"All {n} designs are defensible." if n > 2 else "Both designs are defensible."
    if len(lost) == n:
        return "None of the designs is defensible."
    held = n - len(lost)
    return f"Not defensible: {', '.join(lost)}; the other {'one is' if held == 1 else f'{held} are'}."


def _operating_range(comparison: Comparison) -> list[str]:
    if comparison.spread is None:
        return []
    high, low = comparison.entry(comparison.spread.lightest), comparison.entry(comparison.spread.heaviest)
    burden = "" if comparison.spread.ratio is None else f", {comparison.spread.ratio:.2f} times the burden"
    return [
        f"Once both sides adapt, dominance runs from {number(low.ddr, 3)} ({low.label}) to "
        f"{number(high.ddr, 3)} ({high.label}): {low.label} leaves {number(low.burden, 3)} unheld and "
        f"{high.label} {number(high.burden, 3)}{burden}."
    ]


def _opposed(comparison: Comparison, pair: FullInversion) -> str:
    formal, held = comparison.entry(pair.formal), comparison.entry(pair.operational)
    intervals = {True: ", intervals disjoint", False: ", though the intervals overlap", None: ""}
    return (
        f"{formal.label} is formally stronger than {held.label} on every static axis, yet holds less: "
        f"{LABELS[pair.point]} {number(formal.reading(pair.point), 3)} against "
        f"{number(held.reading(pair.point), 3)}{intervals[pair.disjoint]}."
    )


def _of_variant(delta: Delta) -> str:
    """Which part changed, how far SLT and the operating point moved, at what depth, by which channel."""
    moved = [
        f"{LABELS[axis]} by {relative(delta.movements[axis])}"
        for axis in ("win", "slt", "ddr")
        if delta.movements[axis].relative
    ]
    said = f"{delta.label} ({_parts(delta)})" + (f" moves {listed(moved)}" if moved else "")
    ranks = [str(k) for k in delta.changed_ranks]
    if not ranks:
        depth = "leaves every shell as large as it was"
    elif len(ranks) == len(delta.shells):
        depth = "changes the shells of every rank"
    else:
        depth = f"changes the shells of rank{'s' if len(ranks) > 1 else ''} {listed(ranks)} only"
    told = delta.channels is not None and delta.same_memory
    clauses = [said, depth, *([_channel_words(delta.channels)] if told and delta.channels else [])]
    return "; ".join(clauses) + "."


def _channel_words(channels: Channels) -> str:
    counts = (("leave", channels.n_left), ("enter", channels.n_entered))
    moved = [f"{n:,} positions {word} safe play" for word, n in counts if n]
    domain = listed(moved) or "safe play keeps its positions"
    if not channels.n_changed:
        return f"no menu changes, {domain}"
    kinds = (("narrow", channels.n_narrowed), ("widen", channels.n_widened), ("change", channels.n_exchanged))
    menus = listed([f"{n:,} menus {word}" for word, n in kinds if n])
    return f"{menus}, {domain}"


def _parts(delta: Delta) -> str:
    if delta.changed is None:
        return "what changed is not known"
    return f"change of {listed([PARTS[part] for part in delta.changed])}" if delta.changed else "no change"


def refinement(check: Refinement) -> str:
    """What prop:refinement says of a pair, and whether the solved games agree."""
    pair = f"The boundary of {check.restricted} lies inside that of {check.free}"
    if not check.holds:
        return f"{pair}, and yet the winning region shrinks: please report this, it contradicts a theorem."
    how = {
        "positions": "and no position loses rank",
        "count": "and the winning region is no smaller",
        "certificate": "and the certificate is not lost",
    }[check.scope]
    gained = f"; {check.n_gained:,} positions become winning" if check.n_gained else ""
    return f"{pair}, {how}{gained}."
