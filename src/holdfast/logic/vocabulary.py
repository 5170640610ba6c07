"""The names an expression may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdfast.logic.expressions import Expression, Label, Move, Player, Variable


@dataclass(frozen=True)
class Vocabulary:
    """The names an expression may use: variables, actions of both players, definitions, labels."""

    variables: tuple[Variable, ...]
    actions: Mapping[Player, tuple[str, ...]] = field(default_factory=dict)
    definitions: Mapping[str, Expression] = field(default_factory=dict)
    labels: Mapping[str, Label] = field(default_factory=dict)
    groups: Mapping[str, tuple[Variable, ...]] = field(default_factory=dict)

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        """Variables by name."""
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Every move of either player."""
        return tuple((player, name) for player in Player for name in self.actions.get(player, ()))

    @cached_property
    def moves_by_name(self) -> dict[str, frozenset[Move]]:
        """Moves by full name (``destroy(DB)``) and by what stands before the bracket."""
        found: dict[str, set[Move]] = {}
        for move in self.moves:
            for name in {move[1], move[1].partition("(")[0]}:
                found.setdefault(name, set()).add(move)
        return {name: frozenset(moves) for name, moves in found.items()}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every word an expression may start with, for hints."""
        own = (*self.by_name, *self.definitions, *self.labels, *self.moves_by_name)
        return (*own, "true", "false", "count", "times")

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name, value and target of an action."""
        values = (str(value) for v in self.variables if not v.numeric for value in v.values)
        targets = (name.partition("(")[2][:-1] for _, name in self.moves)
        return frozenset((*self.names, *self.groups, *values, *targets))
