"""Additions to interchangeable things: a few of them stand for all, and the others are counted.

What could be added touches single things: a link from one of 40 desks. Interchangeable ones
(:attr:`holdfast.game.System.alike`) are touched in as many ways as there are of them, and all of these ways
are the same. So a few keep their names, and all others are counted. A set of additions that costs at most c
touches no more than 2c of them, each addition two at the most, so that it is the image of one that touches
only those with a name: nothing is missed, and one set that is found stands for all its images.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations, product
from math import comb

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Addition, Configuration, with_counters

MOST_APART = 4
"""Members of a class that keep their names; where more would have to, nothing is counted."""

_WORD = re.compile(r"[^\s]+")

Names = tuple[str, ...]
"""A set of additions, by what they are called."""


@dataclass(frozen=True)
class Representatives:
    """A design in which some members of each class of interchangeable things stand for all.

    Attributes:
        configuration: the design with all others counted.
        named: for each class, those that keep their names, and how many there are in all.
    """

    configuration: Configuration
    named: tuple[tuple[Names, int], ...]

    @property
    def words(self) -> Names:
        """What is counted: "40 ws"."""
        tallies = (tally.name.removeprefix("other_") for tally in self.configuration.game.tallies)
        return tuple(f"{size:,} {name}" for name, (_, size) in zip(tallies, self.named, strict=True))

    def offers(self, addition: Addition) -> bool:
        """Whether an addition is to single things, and not to all that are counted."""
        counted = {tally.name for tally in self.configuration.game.tallies}
        return counted.isdisjoint(_WORD.findall(addition.name))

    def share(self, names: Iterable[str]) -> Fraction:
        """For how many sets of additions one set stands, of those that touch only what is named.

        >>> from holdfast import configure, network_system
        >>> here = configure(network_system(["GW"], [], "GW"), ["G (GW != Z)"])
        >>> few = Representatives(here, ((("ws1", "ws2"), 40),))
        >>> few.share(["link ws1 -> DB"]), few.share(["link ws1 -> ws2"]), few.share(["expose DB"])
        (Fraction(20, 1), Fraction(780, 1), Fraction(1, 1))
        """
        touched = {word for name in names for word in _WORD.findall(name)}
        share = Fraction(1)
        for members, size in self.named:
            n = len(touched.intersection(members))
            share *= Fraction(comb(size, n), comb(len(members), n))
        return share

    def images(self, names: Iterable[str]) -> set[frozenset[str]]:
        """A set of additions over others of those that are named, in every way."""
        ways = (permutations(members) for members, _ in self.named)
        swaps = (
            {a: b for (of, _), to in zip(self.named, way, strict=True) for a, b in zip(of, to, strict=True)}
            for way in product(*ways)
        )
        chosen = tuple(names)
        return {
            frozenset(_WORD.sub(lambda word: swap.get(word[0], word[0]), name) for name in chosen)  # noqa: B023
            for swap in swaps
        }

    def distinct(self, found: Iterable[Names]) -> Iterator[tuple[int, int]]:
        """The numbers of the sets that are no images of others, and how many images each has."""
        known: set[frozenset[str]] = set()
        for number, names in enumerate(found):
            if frozenset(names) not in known:
                images = self.images(names)
                known |= images
                yield number, int(self.share(names) * len(images))


def counts(few: Representatives | None, additions: Collection[Addition]) -> dict[str, int]:
    """How many additions there are of each kind."""
    numbers: dict[str, Fraction] = {}
    for each in additions:
        share = Fraction(1) if few is None else few.share([each.name])
        numbers[each.kind] = numbers.get(each.kind, Fraction(0)) + share
    return {kind: int(n) for kind, n in numbers.items()}


def representatives(
    configuration: Configuration, most: int, budget: Budget = UNLIMITED
) -> Representatives | None:
    """The design for additions up to a cost of ``most``; None where counting does not pay."""
    n_apart = 2 * most
    if n_apart > MOST_APART:
        return None
    counted = with_counters(configuration, budget, n_apart=n_apart)
    if counted is None:
        return None
    single = {variable.name for variable in counted.game.vocabulary.plain}
    classes = ((own, tuple(name for name in own if name in single)) for own in configuration.system.alike())
    return Representatives(counted, tuple((few, len(own)) for own, few in classes if len(few) < len(own)))


def in_names(text: str, names: dict[str, str]) -> str:
    """A text about moves and places with other places."""
    return re.sub(r"[^\s(),;]+", lambda word: names.get(word[0], word[0]), text)
