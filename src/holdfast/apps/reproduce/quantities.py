"""How each published number is computed.

A quantity is a public function of this module or of :mod:`~holdfast.apps.reproduce.instance` that gives a
number or a text. Those in :data:`DERIVED` follow from readings that the paper prints besides, so they are
functions of :data:`~holdfast.apps.reproduce.evidence.Readings` and can be computed from the printed ones too;
the others are functions of the whole evidence. What needs training that was left out raises
:class:`Untrained`, or gives None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from inspect import isfunction, signature
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.apps.reproduce import instance
from holdfast.apps.reproduce.evidence import REFERENCE, Evidence, Readings, case_label
from holdfast.apps.reproduce.rounding import PlainNumber
from holdfast.errors import LimitError
from holdfast.game import listed
from holdfast.operation import SMOOTHING, crossing, smoothed
from holdfast.readings import Channels, combined, intervals_disjoint

Quantity = Callable[..., PlainNumber | str | None]

ARENAS = (2, 5)
"""The cases that perturb the arena (tab:cases)."""

STATIC = ("win", "stp", "slt")
"""The static axes of the paper."""

EARLY = 100
"""Episodes at the start of training that sec:demo-trajectory speaks of."""

EXTREMES: dict[str, Callable[..., Any]] = {"least": min, "greatest": max}


# -- readings ---------------------------------------------------------------------------------------


def reading(evidence: Evidence, of: str, case: int = REFERENCE) -> PlainNumber | None:
    """A column of the tables by case, or what follows from one; a shell past the deepest is empty."""
    return evidence.readings[case].get(of, 0 if of.startswith("shell_") else None)


def extreme_reading(evidence: Evidence, of: str, extreme: str) -> Fraction:
    """The least or greatest reading of the cases."""
    return Fraction(EXTREMES[extreme](_exact(evidence.readings, of, case) for case in evidence.readings))


def largest_shell(evidence: Evidence) -> str:
    """The rank of the largest shell, if it is the same in every case."""
    ranks = {1 + a.shells.index(max(a.shells)) for a in evidence.analyses.values()}
    return " or ".join(f"rank {k}" for k in sorted(ranks))


def extreme_case(evidence: Evidence, of: str, extreme: str) -> str:
    """The case with the least or greatest reading."""
    values = {case: _exact(evidence.readings, of, case) for case in evidence.readings}
    return f"Case {EXTREMES[extreme](values, key=values.__getitem__)}"


def defensible(evidence: Evidence) -> int:
    """How many cases are certified defensible."""
    return sum(analysis.defensible for analysis in evidence.analyses.values())


# -- movements --------------------------------------------------------------------------------------


class Untrained(LookupError):  # noqa: N818  not a mistake
    """What was asked for comes out of the training, and that was left out."""


def _exact(readings: Readings, of: str, case: int) -> Fraction:
    value = readings[case].get(of)
    if value is None:
        raise Untrained(of)
    return Fraction(value)


def difference(readings: Readings, of: str, cases: Sequence[int]) -> Fraction:
    """The first case's reading less the second's."""
    return _exact(readings, of, cases[0]) - _exact(readings, of, cases[1])


def ratio(readings: Readings, of: str, cases: Sequence[int]) -> Fraction:
    """The first case's reading over the second's."""
    return _exact(readings, of, cases[0]) / _exact(readings, of, cases[1])


def relative(readings: Readings, of: str, case: int) -> Fraction:
    """How a reading moves against the reference, as a part of the reference's."""
    return ratio(readings, of, (case, REFERENCE)) - 1


def loss(readings: Readings, of: str, case: int) -> Fraction:
    """What a case costs of a reading."""
    return -relative(readings, of, case)


def loss_ratio(readings: Readings, of: Sequence[str], case: int) -> Fraction:
    """What a case costs of one reading over what it costs of another."""
    return loss(readings, of[0], case) / loss(readings, of[1], case)


def movement_ratio(readings: Readings, of: str, cases: Sequence[int]) -> Fraction:
    """How far the first case moves a reading over how far the second does."""
    return abs(relative(readings, of, cases[0]) / relative(readings, of, cases[1]))


def smallest_relative(readings: Readings, of: str) -> Fraction:
    """The smallest relative movement of a reading in an arena case."""
    return min(abs(relative(readings, of, case)) for case in ARENAS)


def mean_relative(readings: Readings, of: str) -> Fraction:
    """The mean size of the relative movement of a reading, over the arena cases."""
    return sum((abs(relative(readings, of, case)) for case in ARENAS), Fraction()) / len(ARENAS)


def mean_movement(readings: Readings, of: str) -> Fraction:
    """The mean size of the movement of a reading, over the arena cases."""
    moved = (abs(difference(readings, of, (case, REFERENCE))) for case in ARENAS)
    return sum(moved, Fraction()) / len(ARENAS)


def mean_movement_extreme(readings: Readings, extreme: str) -> Fraction:
    """The least or greatest mean movement of a static axis, over the arena cases."""
    return Fraction(EXTREMES[extreme](mean_movement(readings, axis) for axis in STATIC))


def largest_static_movement(readings: Readings) -> Fraction:
    """The largest relative movement of a static reading in an arena case."""
    return max(abs(relative(readings, axis, case)) for axis in STATIC for case in ARENAS)


def burden(readings: Readings, case: int) -> Fraction:
    """The holding burden 1 − DDR."""
    return 1 - _exact(readings, "ddr", case)


def burden_ratio(readings: Readings, cases: Sequence[int]) -> Fraction:
    """The first case's holding burden over the second's."""
    return burden(readings, cases[0]) / burden(readings, cases[1])


def static_lead(evidence: Evidence, cases: Sequence[int]) -> str:
    """The static axes on which the first case exceeds the second."""
    return ", ".join(axis.upper() for axis in STATIC if difference(evidence.readings, axis, cases) > 0)


def intervals(evidence: Evidence, cases: Sequence[int]) -> str | None:
    """Whether two intervals of DDR have a point in common."""
    disjoint = intervals_disjoint(*(evidence.comparison.entry(case_label(case)) for case in cases))
    return None if disjoint is None else "disjoint" if disjoint else "overlapping"


# -- depth and attribution --------------------------------------------------------------------------


def changed_ranks(evidence: Evidence, case: int) -> str:
    """The ranks whose shell has another size than in the reference."""
    return ", ".join(map(str, evidence.comparison.delta(case_label(case)).changed_ranks))


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
    delta = evidence.comparison.delta(case_label(case))
    if delta.channels is None:
        raise LimitError(delta.channels_unknown or f"the positions of {delta.label} were not listed")
    return delta.channels


# -- trajectories -----------------------------------------------------------------------------------


def _means(evidence: Evidence) -> Mapping[int, npt.NDArray[np.float64]]:
    if evidence.means is None:
        raise Untrained("trajectories")
    return evidence.means


def highest_at_first(evidence: Evidence) -> str:
    """The case with the highest mean of μ at the start of training."""
    early = {case: float(means[:EARLY].mean()) for case, means in _means(evidence).items()}
    return f"Case {max(early, key=early.__getitem__)}"


def early_peak(evidence: Evidence, case: int) -> float:
    """The highest point of the smoothed curve at the start of training."""
    return float(smoothed(_means(evidence)[case])[:EARLY].max())


def smoothing(evidence: Evidence) -> int:
    """Over how many episodes the curves are smoothed."""
    return SMOOTHING


def lowest_throughout(evidence: Evidence) -> str:
    """The case whose smoothed curve lies below every other in every episode."""
    means = _means(evidence)
    curves = smoothed(np.array(list(means.values())))
    for i, case in enumerate(means):
        if (curves[i] < np.delete(curves, i, axis=0)).all():
            return f"Case {case}"
    return "none"


def highest_settled(evidence: Evidence, n: int) -> str:
    """The n cases with the highest DDR."""
    settled = {case: _exact(evidence.readings, "ddr", case) for case in evidence.readings}
    highest = sorted(sorted(settled, key=settled.__getitem__)[-n:])
    return f"Cases {listed([str(case) for case in highest])}"


def crossing_episode(evidence: Evidence, cases: Sequence[int]) -> int | None:
    """The first episode, counted from 0, from which one smoothed curve stays below another; None if none.

    :func:`~holdfast.operation.training.trajectory.crossing` gives the last one not below, counted from 1: the
    same number.
    """
    means = _means(evidence)
    return crossing(means[cases[0]], means[cases[1]])


def crossing_share(evidence: Evidence, cases: Sequence[int]) -> Fraction | None:
    """The part of training before that."""
    episode = crossing_episode(evidence, cases)
    return None if episode is None else Fraction(episode, len(_means(evidence)[cases[0]]))


# -- the corpus -------------------------------------------------------------------------------------


def corpus_count(evidence: Evidence, of: str) -> int:
    """How many arenas were drawn, or how many of them are defensible."""
    return evidence.corpus.n_defensible if of == "defensible" else len(evidence.corpus.readings)


def corpus_correlation(evidence: Evidence, of: str) -> float:
    """Spearman's ρ of density and WIN or SLT."""
    return evidence.corpus.win.rho if of == "win" else evidence.corpus.slt.rho


QUANTITIES: dict[str, Quantity] = {
    name: found
    for home in (globals(), vars(instance))
    for name, found in list(home.items())
    if isfunction(found) and found.__module__ == home["__name__"] and not name.startswith("_")
}

DERIVED = frozenset(q for q in QUANTITIES.values() if "readings" in signature(q).parameters)
