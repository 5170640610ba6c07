"""How each published number is computed.

A quantity is a function that gives a number, a text, or None where it needs training that was left out. Those
in :data:`DERIVED` follow from readings that the paper prints besides, so they are functions of
:data:`~holdfast.reproduction.evidence.Readings` and can be computed from the printed ones too; those in
:data:`DIRECT` are functions of the whole evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from holdfast.comparison import Channels, combined
from holdfast.comparison.numbers import intervals_disjoint
from holdfast.errors import LimitError
from holdfast.learn.trajectory import SMOOTHING, crossing, smoothed
from holdfast.numerals import listed
from holdfast.reproduction import instance
from holdfast.reproduction.evidence import REFERENCE, Evidence, Readings
from holdfast.reproduction.rounding import Number

Quantity = Callable[..., Number | str | None]

ARENAS = (2, 5)
"""The cases that perturb the arena (tab:cases)."""

STATIC = ("win", "stp", "slt")
"""The static axes of the paper."""

EARLY = 100
"""Episodes at the start of training that sec:demo-trajectory speaks of."""

EXTREMES: dict[str, Callable[..., Any]] = {"least": min, "greatest": max}


# -- readings ---------------------------------------------------------------------------------------


def reading(evidence: Evidence, of: str, case: int = REFERENCE) -> Number | None:
    """A column of the tables by case; a shell past the deepest is empty."""
    return evidence.readings[case].get(of, 0 if of.startswith("shell_") else None)


def shell(evidence: Evidence, k: int, case: int = REFERENCE) -> Number | None:
    """|Sh_k|, 0 past the deepest."""
    return reading(evidence, f"shell_{k}", case)


def iterate(evidence: Evidence, k: int, case: int = REFERENCE) -> int:
    """|Attr_k|."""
    found = evidence.analyses[case]
    return found.unsafe + sum(found.shells[:k])


def depth(evidence: Evidence, case: int = REFERENCE) -> int:
    """k_max, which is how many iterations add something."""
    return len(evidence.analyses[case].shells)


def depth_extreme(evidence: Evidence, extreme: str) -> int:
    """The least or greatest k_max."""
    return int(EXTREMES[extreme](depth(evidence, case) for case in evidence.analyses))


def outside_unsafe(evidence: Evidence, case: int = REFERENCE) -> int:
    """|V| − |U|."""
    return evidence.analyses[case].positions - evidence.analyses[case].unsafe


def near_share(evidence: Evidence, extreme: str) -> Fraction:
    """The share of the first two shells in all shells, the least or greatest of the cases."""
    shares = [Fraction(sum(a.shells[:2]), sum(a.shells)) for a in evidence.analyses.values()]
    return Fraction(EXTREMES[extreme](shares))


def largest_shell(evidence: Evidence) -> str:
    """The rank of the largest shell, if it is the same in every case."""
    ranks = {1 + a.shells.index(max(a.shells)) for a in evidence.analyses.values()}
    return " or ".join(f"rank {k}" for k in sorted(ranks))


def extreme_case(evidence: Evidence, of: str, extreme: str) -> str | None:
    """The case with the least or greatest reading."""
    found = {case: readings.get(of) for case, readings in evidence.readings.items()}
    return None if None in found.values() else f"Case {EXTREMES[extreme](found, key=found.get)}"


def defensible(evidence: Evidence) -> int:
    """How many cases are certified defensible."""
    return sum(found.defensible for found in evidence.analyses.values())


# -- movements --------------------------------------------------------------------------------------


def _pair(readings: Readings, of: str, cases: Sequence[int]) -> tuple[Fraction, Fraction] | None:
    one, other = (readings[case].get(of) for case in cases)
    return None if one is None or other is None else (Fraction(one), Fraction(other))


def difference(readings: Readings, of: str, cases: Sequence[int]) -> Fraction | None:
    """The first case's reading less the second's."""
    pair = _pair(readings, of, cases)
    return pair and pair[0] - pair[1]


def ratio(readings: Readings, of: str, cases: Sequence[int]) -> Fraction | None:
    """The first case's reading over the second's."""
    pair = _pair(readings, of, cases)
    return pair and pair[0] / pair[1]


def relative(readings: Readings, of: str, case: int) -> Fraction | None:
    """How a reading moves against the reference, as a part of the reference's."""
    found = ratio(readings, of, (case, REFERENCE))
    return None if found is None else found - 1


def loss(readings: Readings, of: str, case: int) -> Fraction | None:
    """What a case costs of a reading."""
    found = relative(readings, of, case)
    return None if found is None else -found


def loss_ratio(readings: Readings, of: Sequence[str], case: int) -> Fraction | None:
    """What a case costs of one reading over what it costs of another."""
    return _over(*(loss(readings, axis, case) for axis in of))


def movement_ratio(readings: Readings, of: str, cases: Sequence[int]) -> Fraction | None:
    """How far the first case moves a reading over how far the second does."""
    found = _over(*(relative(readings, of, case) for case in cases))
    return None if found is None else abs(found)


def _over(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else one / other


def smallest_relative(readings: Readings, of: str) -> Fraction | None:
    """The smallest relative movement of a reading in an arena case."""
    moved = [relative(readings, of, case) for case in ARENAS]
    return None if None in moved else min(abs(m) for m in moved if m is not None)


def mean_relative(readings: Readings, of: str) -> Fraction | None:
    """The mean size of the relative movement of a reading, over the arena cases."""
    return _mean_size([relative(readings, of, case) for case in ARENAS])


def mean_movement(readings: Readings, of: str) -> Fraction | None:
    """The mean size of the movement of a reading, over the arena cases."""
    return _mean_size([difference(readings, of, (case, REFERENCE)) for case in ARENAS])


def _mean_size(moved: Sequence[Fraction | None]) -> Fraction | None:
    known = [abs(m) for m in moved if m is not None]
    return sum(known, Fraction(0)) / len(known) if len(known) == len(moved) else None


def mean_movement_extreme(readings: Readings, extreme: str) -> Fraction:
    """The least or greatest mean movement of a static axis, over the arena cases."""
    return Fraction(EXTREMES[extreme](mean_movement(readings, axis) for axis in STATIC))


def largest_static_movement(readings: Readings) -> Fraction:
    """The largest relative movement of a static reading in an arena case."""
    return max(abs(relative(readings, axis, case) or Fraction(0)) for axis in STATIC for case in ARENAS)


def burden(readings: Readings, case: int) -> Fraction | None:
    """The holding burden 1 − DDR."""
    ddr = readings[case].get("ddr")
    return None if ddr is None else 1 - Fraction(ddr)


def burden_ratio(readings: Readings, cases: Sequence[int]) -> Fraction | None:
    """The first case's holding burden over the second's."""
    return _over(*(burden(readings, case) for case in cases))


def static_lead(evidence: Evidence, cases: Sequence[int]) -> str:
    """The static axes on which the first case exceeds the second."""
    leads = [axis for axis in STATIC if (difference(evidence.readings, axis, cases) or 0) > 0]
    return ", ".join(axis.upper() for axis in leads)


def intervals(evidence: Evidence, cases: Sequence[int]) -> str | None:
    """Whether two intervals of DDR have a point in common."""
    disjoint = intervals_disjoint(*(evidence.comparison.entry(evidence.labels[case]) for case in cases))
    return None if disjoint is None else "disjoint" if disjoint else "overlapping"


# -- depth and attribution --------------------------------------------------------------------------


def changed_ranks(evidence: Evidence, case: int) -> str:
    """The ranks whose shell has another size than in the reference."""
    return ", ".join(map(str, evidence.comparison.delta(evidence.labels[case]).changed_ranks))


def shell_mass(evidence: Evidence, ranks: Sequence[int], case: int) -> int:
    """The positions of some ranks together."""
    return sum(evidence.analyses[case].shells[ranks[0] - 1 : ranks[1]])


def shell_loss(evidence: Evidence, ranks: Sequence[int], case: int) -> Fraction:
    """What a case removes of some ranks, as a part of the reference's."""
    before, after = evidence.analyses[REFERENCE].shells, evidence.analyses[case].shells
    size = combined(before, after, ranks[0], ranks[1]).size
    return Fraction(-(size.absolute or 0)) / Fraction(size.before or 0)


def channel(evidence: Evidence, of: str, case: int) -> int:
    """A count of SLT's two channels, menus and domain."""
    return int(getattr(_channels(evidence, case), of))


def leaving(evidence: Evidence, case: int) -> str | None:
    """Whether the positions that leave the domain permit less than the reference's do in the mean."""
    latitude = _channels(evidence, case).latitude_left
    if latitude is None:
        return None
    below = latitude < evidence.readings[REFERENCE]["slt"]
    return f"comparatively {'restricted' if below else 'free'}"


def _channels(evidence: Evidence, case: int) -> Channels:
    """What moved SLT.

    Raises:
        LimitError: where the positions of a case could not be listed.
    """
    delta = evidence.comparison.delta(evidence.labels[case])
    if delta.channels is None:
        raise LimitError(delta.channels_unknown or f"the positions of {delta.label} were not listed")
    return delta.channels


# -- trajectories -----------------------------------------------------------------------------------


def highest_at_first(evidence: Evidence) -> str | None:
    """The case with the highest mean of μ at the start of training."""
    if evidence.means is None:
        return None
    early = {case: float(means[:EARLY].mean()) for case, means in evidence.means.items()}
    return f"Case {max(early, key=early.__getitem__)}"


def early_peak(evidence: Evidence, case: int) -> float | None:
    """The highest point of the smoothed curve at the start of training."""
    if evidence.means is None:
        return None
    return float(smoothed(evidence.means[case])[:EARLY].max())


def smoothing(evidence: Evidence) -> int:
    """Over how many episodes the curves are smoothed."""
    return SMOOTHING


def lowest_throughout(evidence: Evidence) -> str | None:
    """The case whose smoothed curve lies below every other in every episode."""
    if evidence.means is None:
        return None
    cases = list(evidence.means)
    curves = smoothed(np.array([evidence.means[case] for case in cases]))
    for i, case in enumerate(cases):
        if (curves[i] < np.delete(curves, i, axis=0)).all():
            return f"Case {case}"
    return "none"


def highest_settled(evidence: Evidence, n: int) -> str | None:
    """The n cases with the highest DDR."""
    settled = {case: found["ddr"] for case, found in evidence.readings.items() if "ddr" in found}
    if len(settled) < len(evidence.readings):
        return None
    highest = sorted(sorted(settled, key=settled.__getitem__)[-n:])
    return f"Cases {listed([str(case) for case in highest])}"


def crossing_episode(evidence: Evidence, cases: Sequence[int]) -> int | None:
    """The first episode, counted from 0, from which one smoothed curve stays below another.

    :func:`~holdfast.learn.trajectory.crossing` gives the last one not below, counted from 1: the same number.
    """
    if evidence.means is None:
        return None
    one, other = (evidence.means[case] for case in cases)
    return crossing(one, other)


def crossing_share(evidence: Evidence, cases: Sequence[int]) -> Fraction | None:
    """The part of training before that."""
    episode = crossing_episode(evidence, cases)
    if episode is None or evidence.means is None:
        return None
    return Fraction(episode, len(evidence.means[cases[0]]))


# -- the corpus -------------------------------------------------------------------------------------


def corpus_size(evidence: Evidence) -> int:
    """How many arenas were drawn."""
    return len(evidence.corpus.readings)


def corpus_defensible(evidence: Evidence) -> int:
    """How many of them are defensible."""
    return evidence.corpus.n_defensible


def corpus_correlation(evidence: Evidence, of: str) -> float:
    """Spearman's ρ of density and WIN or SLT."""
    return evidence.corpus.win.rho if of == "win" else evidence.corpus.slt.rho


DERIVED: tuple[Quantity, ...] = (
    burden,
    burden_ratio,
    difference,
    largest_static_movement,
    loss,
    loss_ratio,
    mean_movement,
    mean_movement_extreme,
    mean_relative,
    movement_ratio,
    ratio,
    relative,
    smallest_relative,
)

DIRECT: tuple[Quantity, ...] = (
    changed_ranks,
    channel,
    corpus_correlation,
    corpus_defensible,
    corpus_size,
    crossing_episode,
    crossing_share,
    defensible,
    depth,
    depth_extreme,
    early_peak,
    extreme_case,
    highest_at_first,
    highest_settled,
    intervals,
    iterate,
    largest_shell,
    leaving,
    lowest_throughout,
    near_share,
    outside_unsafe,
    reading,
    shell,
    shell_loss,
    shell_mass,
    smoothing,
    static_lead,
    instance.admissible,
    instance.accepting_states,
    instance.automaton_states,
    instance.links,
    instance.play,
    instance.reached,
    instance.setting,
    instance.size,
    instance.spread_increase,
    instance.spread_part,
    instance.transition,
)

QUANTITIES = {quantity.__name__: quantity for quantity in (*DERIVED, *DIRECT)}
