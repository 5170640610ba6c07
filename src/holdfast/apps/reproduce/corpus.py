"""A corpus of random arenas under the reference specifications (sec:discussion), and its rank correlations.

The paper reports Spearman's ρ between edge density and WIN, and SLT, over 90 random arenas, and does not say
how they were drawn. Ours keep the reference's hosts, entry, requirement and boundary; an arena is a set of
directed links out of the 20 pairs of distinct hosts, and its density is the part of the 20 that it has. There
are ten arenas for each of p = 0.1, 0.2, …, 0.9, in which each pair is a link with probability p,
independently of the others.

Nothing is rejected. Adding a link only adds to what a spread can do, so W can only shrink; the arena with all
20 links is defensible, and so every arena is.

On the same arenas, fixed before any of it was known, each exact reading is set beside DDR*, which the paper
does not do: WIN, STP, SLT, effort, tempo, grace, time to evict and time to recover, by Spearman's ρ with its
interval.

Draws come from :class:`random.Random` by its ``random`` alone, whose values Python keeps from version to
version.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import shielded_arena
from holdfast.budget import UNLIMITED, Budget
from holdfast.game import ENTRY, NEVER, Configuration, distances
from holdfast.models import Link, Segment, system_of
from holdfast.operation import exact_dominance
from holdfast.readings import EVICTED, RECOVERED, static_reading
from holdfast.running import Backend, run_tasks, whole
from holdfast.solver import Extent, MoveCount, as_number, recovery_layers, response_profile, solve

SEED = 1
SIZE = 90
LEVELS = 9
COMPANIONS = ("win", "stp", "slt", "effort", "tempo", "grace", "evict", "recover")
"""The readings that are set beside DDR*."""

Z_95 = 1.959963984540054
"""The 97.5% point of the normal distribution."""


@dataclass(frozen=True)
class ArenaReading:
    """One arena and what was read on it; SLT, the response and DDR* are None where it is not defensible."""

    links: tuple[Link, ...]
    density: float
    win: float
    slt: float | None
    defensible: bool
    n_cut_off: int
    stp: float = 0.0
    effort: Extent = None
    tempo: Extent = None
    grace: Extent = None
    ddr_exact: float | None = None
    evict: MoveCount = None
    recover: MoveCount = None


@dataclass(frozen=True)
class Correlation:
    """Spearman's ρ, ties corrected, with its 95% interval."""

    rho: float
    low: float
    high: float


@dataclass(frozen=True)
class Companion:
    """How a reading goes with DDR*, over the arenas that have both; None where one of them never varies."""

    reading: str
    n_arenas: int
    correlation: Correlation | None


@dataclass(frozen=True)
class Corpus:
    """Arenas, how WIN and SLT go with their density, and how each exact reading goes with DDR*."""

    readings: tuple[ArenaReading, ...]
    win: Correlation
    slt: Correlation
    with_dominance: tuple[Companion, ...] = ()

    @property
    def n_defensible(self) -> int:
        """How many are."""
        return sum(reading.defensible for reading in self.readings)

    @property
    def n_disconnecting(self) -> int:
        """How many cut some host off from the entry."""
        return sum(reading.n_cut_off > 0 for reading in self.readings)


def run_corpus(
    reference: Configuration, budget: Budget = UNLIMITED, backend: Backend | None = None
) -> Corpus:
    """Draw the arenas, solve every one, and correlate.

    Raises:
        LimitError: when one of them met a limit.
    """
    graph = reference.system.graph
    assert graph is not None  # the reference is a network
    drawn = random_arenas(graph.names, Random(SEED))
    segments = {
        f"arena {i}": Segment(graph.names, links, graph.marked(ENTRY)) for i, links in enumerate(drawn)
    }
    tasks = {key: (reference, segment) for key, segment in segments.items()}
    read = whole(run_tasks(read_plain, tasks, budget.part("random arenas"), backend))
    return correlated(
        [ArenaReading(**read[key] | {"links": segment.links}) for key, segment in segments.items()]
    )


def read_plain(task: tuple[Configuration, Segment], budget: Budget) -> dict[str, Any]:
    """The readings of one arena as plain data."""
    return asdict(read_arena(*task, budget))


def random_arenas(hosts: tuple[str, ...], random: Random) -> Iterator[tuple[Link, ...]]:
    """Each pair is a link with probability p; ten arenas for each p = 0.1, …, 0.9."""
    pairs = list(permutations(hosts, 2))
    for level in range(1, LEVELS + 1):
        for _ in range(SIZE // LEVELS):
            yield tuple(pair for pair in pairs if random.random() < level / (LEVELS + 1))


def correlated(readings: Sequence[ArenaReading]) -> Corpus:
    """The corpus of some arenas."""
    known = [(r.density, r.slt) for r in readings if r.slt is not None]
    win = correlation([r.density for r in readings], [r.win for r in readings])
    slt = correlation([density for density, _ in known], [value for _, value in known])
    return Corpus(tuple(readings), win, slt, tuple(companion(readings, name) for name in COMPANIONS))


def companion(readings: Sequence[ArenaReading], name: str) -> Companion:
    """How one reading goes with DDR*; what is unbounded, or never, ranks above every number."""
    values = (getattr(r, name) for r in readings)
    numbers = [math.inf if value == NEVER else as_number(value) for value in values]
    pairs = [(number, r.ddr_exact) for number, r in zip(numbers, readings, strict=True)]
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    ones, others = [one for one, _ in both], [other for _, other in both]
    varies = len(both) > 3 and len(set(ones)) > 1 and len(set(others)) > 1
    return Companion(name, len(both), correlation(ones, others) if varies else None)


# -- readings ---------------------------------------------------------------------------------------


def read_arena(
    reference: Configuration, segment: Segment, budget: Budget = UNLIMITED, *, static: bool = False
) -> ArenaReading:
    """The exact readings of a segment under the specifications of the reference, or the static ones alone."""
    solution = solve(replace(reference, system=system_of(segment)), budget=budget)
    reading, profile, dominance = static_reading(solution, budget=budget), None, None
    soon: dict[str, MoveCount] = {}
    if solution.defensible and not static:
        profile = response_profile(solution, budget)
        for name, goal in (("evict", EVICTED), ("recover", RECOVERED)):
            soon[name] = recovery_layers(solution, goal).proof(solution.configuration.initial, budget).moves
        dominance = exact_dominance(shielded_arena(solution, budget), epsilon=0.0, budget=budget).value
    n_pairs = len(segment.hosts) * (len(segment.hosts) - 1)
    assert reading.winning_fraction is not None  # the reference has positions outside U
    return ArenaReading(
        links=segment.links,
        density=len(segment.links) / n_pairs,
        win=reading.winning_fraction,
        slt=reading.shield_latitude,
        defensible=solution.defensible,
        n_cut_off=len(segment.hosts) - len(distances(segment.links, segment.entries)),
        stp=reading.shell_steepness,
        effort=None if profile is None else profile.effort,
        tempo=None if profile is None else profile.tempo,
        grace=None if profile is None else profile.grace,
        ddr_exact=dominance,
        **soon,
    )


def correlation(one: list[float], other: list[float]) -> Correlation:
    """Spearman's ρ: Pearson's correlation of the ranks, equal values sharing their mean rank.

    The interval is Fisher's, on the scale of artanh ρ, with the variance (1 + ρ²/2)/(n − 3) of Bonett and
    Wright (2000).

    >>> round(correlation([1, 2, 2, 3, 4], [9, 7, 7, 8, 1]).rho, 4)
    -0.6842
    """
    rho = float(np.corrcoef(mean_ranks(one), mean_ranks(other))[0, 1])
    if abs(rho) >= 1:
        return Correlation(rho, rho, rho)
    half = Z_95 * math.sqrt((1 + rho**2 / 2) / (len(one) - 3))
    return Correlation(rho, math.tanh(math.atanh(rho) - half), math.tanh(math.atanh(rho) + half))


def mean_ranks(values: list[float]) -> npt.NDArray[np.float64]:
    """Ranks from 1, ties sharing their mean.

    These two lines stand for ``scipy.stats``, whose import takes longer than a third of all arenas do.

    >>> mean_ranks([0.5, 0.1, 0.5, 0.9]).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[places])
