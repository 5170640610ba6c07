"""Places of a design that can be swapped, and what differs by their names only.

Whatever names places in words, such as an addition or a change, is alike to what names interchangeable ones
instead. That is a guess, from words: that two designs are the same up to such names is then proved for each
pair (:func:`~holdfast.arena.is_renamed`).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from itertools import permutations

from holdfast.arena import interchangeable, is_renamed
from holdfast.budget import Budget
from holdfast.game import Configuration

Renaming = dict[str, str]
"""Names of places by names of places; those that are not in it stay."""


class AlikePlaces:
    """The places of a design that can be swapped with others."""

    def __init__(self, configuration: Configuration, budget: Budget) -> None:
        self.configuration, self.budget = configuration, budget

    @cached_property
    def class_of(self) -> dict[str, int]:
        """For each place that can be swapped with another, the number of its class."""
        here = self.configuration
        graph, initial = here.system.graph, here.game.initial
        if graph is None or any("(" in name for name in here.costs):  # an action on one place has a price
            return {}
        nodes = {node.variable: node.name for node in graph.nodes}
        members: dict[tuple[int, int], list[str]] = {}
        for number, places in enumerate(interchangeable(here, self.budget)):
            for i in places:
                if (variable := here.game.variables[i].name) in nodes:
                    members.setdefault((number, initial[i]), []).append(nodes[variable])
        several = [names for names in members.values() if len(names) > 1]
        return {name: number for number, names in enumerate(several) for name in names}

    def canonical(self, texts: Collection[str]) -> tuple[tuple[str, ...], list[str]]:
        """A text that alike sets share, and their places in the order in which it counts them."""
        return min(map(self._counted, permutations(texts)), key=lambda pair: pair[0])

    def _counted(self, texts: tuple[str, ...]) -> tuple[tuple[str, ...], list[str]]:
        """Texts with each place that can be swapped written as its class and a number."""
        seen: dict[str, str] = {}
        written = []
        for text in texts:
            words = text.split(" ")
            for place, word in enumerate(words):
                if word in self.class_of:
                    words[place] = seen.setdefault(word, f"\0{self.class_of[word]}.{len(seen)}")
            written.append(" ".join(words))
        return tuple(written), list(seen)

    def renaming(self, names: Collection[str], others: Collection[str]) -> Renaming:
        """A permutation that takes some places to others, each within its class."""
        renaming = dict(zip(names, others, strict=True))
        for number in set(self.class_of.values()):
            members = [name for name, own in self.class_of.items() if own == number]
            left = [name for name in members if name not in renaming]
            free = [name for name in members if name not in others]
            renaming |= dict(zip(left, free, strict=True))
        return renaming

    def is_renamed(self, one: Configuration, other: Configuration, names: Renaming) -> bool:
        """Whether one design with these places becomes another when they get other names."""
        graph = self.configuration.system.graph
        assert graph is not None, "a design without a picture has no places"
        variable = {node.name: node.variable for node in graph.nodes}
        return is_renamed(one, other, {variable[name]: variable[target] for name, target in names.items()})
