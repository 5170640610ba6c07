"""A corpus of random arenas under the reference specifications (sec:discussion), and its rank correlations.

The paper reports Spearman's ρ between edge density and WIN, and SLT, over 90 random arenas, and does not say
how they were drawn. Our two generators are declared here. Both keep the reference's hosts, entry,
requirement and boundary; an arena is a set of directed links out of the 20 pairs of distinct hosts, and its
density is the part of the 20 that it has.

- ``independent``, the one set beside the paper: ten arenas for each of p = 0.1, 0.2, …, 0.9, in which each
  pair is a link with probability p, independently of the others;
- ``uniform``, for comparison: for each arena a number of links, equally likely from 1 to 20, and then that
  many links, all such sets equally likely.

Neither rejects anything. Adding a link only adds to what a spread can do, so W can only shrink; the arena
with all 20 links is defensible, and so every arena is.

Draws come from :class:`random.Random` by its ``random`` alone, whose values Python keeps from version to
version.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import permutations
from random import Random

import numpy as np
import numpy.typing as npt

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines import solve
from holdfast.metrics import static_reading
from holdfast.models.network import Link, Segment
from holdfast.models.network.segment import system_of
from holdfast.product import Configuration
from holdfast.system import ENTRY, distances

SEED = 1
SIZE = 90
LEVELS = 9

Z_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


@dataclass(frozen=True)
class Reading:
    """One arena and what was read on it; SLT is None where it is not defensible."""

    links: tuple[Link, ...]
    density: float
    win: float
    slt: float | None
    defensible: bool
    n_cut_off: int


@dataclass(frozen=True)
class Correlation:
    """Spearman's ρ, ties corrected, with its 95 % interval."""

    rho: float
    low: float
    high: float


@dataclass(frozen=True)
class Sample:
    """The arenas of one generator."""

    generator: str
    readings: tuple[Reading, ...]
    win: Correlation
    slt: Correlation

    @property
    def n_defensible(self) -> int:
        """How many are."""
        return sum(reading.defensible for reading in self.readings)

    @property
    def n_disconnecting(self) -> int:
        """How many cut some host off from the entry."""
        return sum(reading.n_cut_off > 0 for reading in self.readings)


@dataclass(frozen=True)
class Corpus:
    """The arenas set beside the paper's, and those of a second generator."""

    main: Sample
    second: Sample


def run_corpus(reference: Configuration, budget: Budget = UNLIMITED) -> Corpus:
    """Draw both samples, solve every arena, and correlate."""
    graph = reference.system.graph
    assert graph is not None
    segment = Segment(graph.names, graph.arrows, graph.marked(ENTRY)[0])
    generators = (("independent", independent), ("uniform", uniform))
    samples = [_sample(name, draw, reference, segment, budget) for name, draw in generators]
    return Corpus(*samples)


def _sample(
    name: str,
    draw: Callable[[tuple[str, ...], Random], Iterator[tuple[Link, ...]]],
    reference: Configuration,
    segment: Segment,
    budget: Budget,
) -> Sample:
    readings = []
    for number, links in enumerate(draw(segment.hosts, Random(SEED)), start=1):
        budget.tick(f"random arena {number} of {SIZE}, {name}")
        readings.append(read_arena(reference, replace(segment, links=links)))
    known = [r for r in readings if r.slt is not None]
    win = correlation([r.density for r in readings], [r.win for r in readings])
    slt = correlation([r.density for r in known], [r.slt for r in known if r.slt is not None])
    return Sample(name, tuple(readings), win, slt)


# -- generators -------------------------------------------------------------------------------------


def independent(hosts: tuple[str, ...], random: Random) -> Iterator[tuple[Link, ...]]:
    """Each pair is a link with probability p; ten arenas for each p = 0.1, …, 0.9."""
    pairs = list(permutations(hosts, 2))
    for level in range(1, LEVELS + 1):
        for _ in range(SIZE // LEVELS):
            yield tuple(pair for pair in pairs if random.random() < level / (LEVELS + 1))


def uniform(hosts: tuple[str, ...], random: Random) -> Iterator[tuple[Link, ...]]:
    """A number of links, equally likely from 1 to all, then that many links, equally likely."""
    pairs = list(permutations(hosts, 2))
    for _ in range(SIZE):
        n_links = 1 + int(random.random() * len(pairs))
        keys = [random.random() for _ in pairs]
        chosen = sorted(range(len(pairs)), key=keys.__getitem__)[:n_links]
        yield tuple(pairs[i] for i in sorted(chosen))


# -- readings ---------------------------------------------------------------------------------------


def read_arena(reference: Configuration, segment: Segment) -> Reading:
    """WIN and SLT of a segment under the specifications of the reference."""
    solution = solve(replace(reference, system=system_of(segment)))
    reading = static_reading(solution)
    n_pairs = len(segment.hosts) * (len(segment.hosts) - 1)
    assert reading.winning_fraction is not None  # the reference has positions outside U
    return Reading(
        links=segment.links,
        density=len(segment.links) / n_pairs,
        win=reading.winning_fraction,
        slt=reading.shield_latitude,
        defensible=solution.defensible,
        n_cut_off=len(segment.hosts) - len(distances(segment.links, [segment.entry])),
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
