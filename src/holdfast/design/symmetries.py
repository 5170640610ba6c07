"""Symmetric images of a core, so that an attack that was found once is not looked for in each of its guises.

A core (:mod:`~holdfast.design.cores`) is a set of assumptions with which alone the adversary still wins. In a
flat network it has hundreds of twins: the same attack over other hosts. Variables that can be swapped without
a difference (:mod:`holdfast.arena.quotient.symmetries`) say where to look for them. That they are cores is
proved for each
by itself: what is left of the design with the one alone and with the other alone differs by the names of its
variables only, so the adversary wins both. No model is trusted to take parts away evenly.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import permutations, product
from math import perm, prod
from typing import Any

from holdfast.arena import interchangeable, is_renamed
from holdfast.budget import Budget
from holdfast.design.cores import UNASKED, AssumptionSet
from holdfast.design.lost_design import LostDesign
from holdfast.design.properties import HELD
from holdfast.errors import InputError
from holdfast.game import Arrow, Configuration

MOST_IMAGES = 5_000
"""Images of one core; one with more is left alone."""

Swap = dict[str, str]
"""A permutation of nodes by name; those that are not in it stay."""


class Symmetries:
    """The symmetric images of the cores of one question, each proved before it is given."""

    def __init__(self, question: LostDesign, budget: Budget) -> None:
        self.question, self.budget = question, budget
        self.known: set[AssumptionSet] = set()
        self.waiting: dict[AssumptionSet, tuple[AssumptionSet, Swap]] = {}
        self.left = cache(self._left)

    @cached_property
    def classes(self) -> tuple[tuple[str, ...], ...]:
        """Nodes that can be swapped; none where an attack says nothing about some of the candidates.

        Nor where more is asked than that it holds, which may tell nodes apart that the game does not.
        """
        here = self.question.configuration
        graph, initial = here.system.graph, here.game.initial
        if graph is None or self.question.opaque or self.question.wanted != HELD:
            return ()
        nodes = {node.variable: node.name for node in graph.nodes}
        members: dict[tuple[int, int], list[str]] = {}
        for number, places in enumerate(interchangeable(here, self.budget)):
            for i in places:
                if here.game.variables[i].name in nodes:
                    members.setdefault((number, initial[i]), []).append(nodes[here.game.variables[i].name])
        return tuple(tuple(names) for names in members.values() if len(names) > 1)

    @cached_property
    def places(self) -> list[tuple[str, Arrow | str | None]]:
        """What each candidate is in the picture, and what is done to it."""
        graph = self.question.configuration.system.graph
        assert graph is not None
        parts = [candidate.part for candidate in self.question.candidates]
        return [("", None) if part is None else (part.verb, graph.place(part.name)) for part in parts]

    @cached_property
    def numbers(self) -> dict[tuple[str, Arrow | str | None], int]:
        """The candidates by what they are in the picture."""
        return {place: i for i, place in enumerate(self.places) if place[1] is not None}

    def add(self, core: AssumptionSet) -> None:
        """Learn of a core; its images wait until they are of use."""
        if not self.classes or core in self.known:
            return
        self.known.add(core)
        for swap in self._swaps(core):
            image = self._image(core, swap)
            if image is not None and image not in self.known:
                self.known.add(image)
                self.waiting[image] = core, swap

    def missed(self, chosen: AssumptionSet, most: int) -> list[AssumptionSet]:
        """Images of cores that a set does not meet, at most so many, none of them given before."""
        images: list[AssumptionSet] = []
        for image in [image for image in self.waiting if not image & chosen]:
            if len(images) == most:
                break
            self.budget.tick("looking for repairs: the same attack elsewhere")
            core, swap = self.waiting.pop(image)
            one, other = self.left(core), self._left(image)
            if one is not None and other is not None and is_renamed(one, other, self._variables(swap)):
                images.append(image)
        return images

    def answer(self, chosen: AssumptionSet) -> Any:
        """Nothing: what is known of other sets are their cores."""
        return UNASKED

    def learn(self, chosen: AssumptionSet, answer: Any) -> None:
        """Nothing besides the core, which is added."""

    def _swaps(self, core: AssumptionSet) -> Iterator[Swap]:
        """The permutations that move the nodes of a core, one for each way in which they move."""
        touched: set[str] = set()
        for i in core:
            place = self.places[i][1]
            touched |= {place} if isinstance(place, str) else set(place or ())
        moved = [[name for name in names if name in touched] for names in self.classes]
        if (
            prod(perm(len(names), len(own)) for names, own in zip(self.classes, moved, strict=True))
            > MOST_IMAGES
        ):
            return
        ways = (permutations(names, len(own)) for names, own in zip(self.classes, moved, strict=True))
        for way in product(*ways):
            swap: Swap = {}
            for names, own, targets in zip(self.classes, moved, way, strict=True):
                rest = zip(
                    (name for name in names if name not in own),
                    (name for name in names if name not in targets),
                    strict=True,
                )
                swap |= dict(zip(own, targets, strict=True)) | dict(rest)
            yield swap

    def _image(self, core: AssumptionSet, swap: Swap) -> AssumptionSet | None:
        """A core over other nodes; None where one of its parts is not among the candidates."""
        image: set[int] = set()
        for i in core:
            verb, place = self.places[i]
            if place is None:
                image.add(i)
                continue
            if isinstance(place, str):
                there: Arrow | str = swap.get(place, place)
            else:
                there = swap.get(place[0], place[0]), swap.get(place[1], place[1])
            number = self.numbers.get((verb, there))
            if number is None:
                return None
            image.add(number)
        return frozenset(image)

    def _left(self, core: AssumptionSet) -> Configuration | None:
        """What is left of the design if everything but a core is taken away."""
        try:
            return self.question.without(frozenset(range(len(self.question.candidates))) - core)
        except InputError:
            return None

    def _variables(self, swap: Swap) -> dict[str, str]:
        graph = self.question.configuration.system.graph
        assert graph is not None
        variable = {node.name: node.variable for node in graph.nodes}
        return {variable[name]: variable[target] for name, target in swap.items()}
