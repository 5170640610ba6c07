"""Game structures M = (S, S_D, S_A, s₀, Act_D, Act_A, δ, μ) (def:casg).

A :class:`GameStructure` is factored: variables over finite domains, and for each player a list of
actions. An action is a short list of guarded simultaneous assignments; the first rule whose guard holds
applies, and where none holds nothing changes. Every action is selectable everywhere, the turn alternates
strictly, and S is the product of the domains, once for each turn.

*Chance.* A choice of a player may have several outcomes, drawn after it is made. Each outcome is an action of
the list, with its probability and the name of the choice (:attr:`Action.choice`), which automata read; the
outcomes of a choice stand next to each other. Without chance every choice is one action.

A game that is not factored may be given as tables or as Python functions (:mod:`holdfast.game.array_games`).
It is the same class with ``tables`` in place of rules; the explicit engine solves both kinds, the symbolic
engine the factored kind. Where most valuations of the variables mean nothing, a tabulated game may list its
states; S is then what is listed, once for each turn, and a variable may well depend on others.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import consistency
from holdfast.game.actions import NO_SUCCESSOR, Action, OutcomeGroups, Reset, Rule, State, outcome_groups
from holdfast.logic import (
    Expression,
    Player,
    Reader,
    Tally,
    Variable,
    Vocabulary,
    code_reader,
    expressions as ex,
    reader,
)

if TYPE_CHECKING:
    from holdfast.arrays import Array, Int32s, Int64s

Mover = Callable[[State], State | None]
"""An action as a function: the state after it, None where it cannot be chosen."""

SPARE_DIGITS = 1000
"""What numbers of positions may have beyond those of states."""


@dataclass(frozen=True)
class GameStructure:
    """A two-player turn-based game with a dominance function, deterministic but for outcomes of choices.

    Attributes:
        variables: the state is one code for each.
        initial, first: s₀, and who moves there.
        actions: Act_D and Act_A; an action's index in its list is its number. The outcomes of a choice are
            next to each other.
        dominance: μ, a static term with values in [0, 1].
        definitions: named expressions that specifications may use.
        labels: predicates given as tables, for games given as arrays.
        reset: the engagement reset of the adaptive layer, if any.
        groups: named sets of variables, for ``count``.
        tallies: alike things that are counted; their counters are among the variables.
        tables: for a tabulated game, per player an (n, n_actions) array of successor indices,
            with :data:`NO_SUCCESSOR` where an action cannot be chosen.
        listed: for a tabulated game whose states are not all valuations, the codes of its states, a row each,
            in ascending order.
        budget: its deadline ends the checks.

    Raises:
        ModelError: when the parts do not fit together; the message has a witness.
        LimitError: when that cannot be decided within the limits.
    """

    variables: tuple[Variable, ...]
    initial: State
    first: Player
    actions: Mapping[Player, tuple[Action, ...]]
    dominance: Expression
    definitions: Mapping[str, Expression] = field(default_factory=dict)
    labels: Mapping[str, ex.Label] = field(default_factory=dict)
    reset: Reset | None = None
    groups: Mapping[str, tuple[Variable, ...]] = field(default_factory=dict)
    tables: Mapping[Player, Int64s] | None = None
    listed: Int32s | None = None
    tallies: tuple[Tally, ...] = ()
    budget: InitVar[Budget] = UNLIMITED

    def __post_init__(self, budget: Budget) -> None:
        """Validate once; an instance is always a well-formed game."""
        consistency.check_types(self)
        object.__setattr__(self, "first", Player(self.first))
        consistency.check_names(self, budget)
        if self.tables is None:
            consistency.check_domains(self, budget)
        else:
            consistency.check_tables(self)
        consistency.check_dominance(self, budget)
        _make_room(self)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names that specifications over this game may use."""
        names = {player: tuple(dict.fromkeys(a.choice for a in self.actions[player])) for player in Player}
        return Vocabulary(self.variables, names, self.definitions, self.labels, self.groups, self.tallies)

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Domain sizes, in order."""
        return tuple(len(variable.values) for variable in self.variables)

    @property
    def extents(self) -> tuple[int, ...]:
        """The axes of an array with an entry for each state: the domains, or the number of listed states."""
        return self.shape if self.listed is None else (len(self.listed),)

    @property
    def n_valuations(self) -> int:
        """Number of valuations that are states; |S| is twice that, once for each turn.

        Counters stand for the alike things that they count: with m of them, each with one of d values, dᵐ.
        """
        if not self.tallies:
            return math.prod(self.extents)
        counters = {counter for tally in self.tallies for counter in tally.counters}
        others = math.prod(len(v.values) for v in self.variables if v not in counters)
        return others * math.prod([int(len(tally.values) ** tally.size) for tally in self.tallies])

    def codes(self, state: State) -> dict[str, int]:
        """The state by variable name."""
        return {v.name: code for v, code in zip(self.variables, state, strict=True)}

    def index(self, state: State) -> int:
        """Mixed-radix index of a state, the first variable most significant; its row in a list of states."""
        if self.listed is not None:
            return self._rows[state]
        index = 0
        for code, size in zip(state, self.shape, strict=True):
            index = index * size + code
        return index

    def state(self, index: int) -> State:
        """The state with this index."""
        if self.listed is not None:
            return tuple(self.listed[index].tolist())
        codes = []
        for size in reversed(self.shape):
            index, code = divmod(index, size)
            codes.append(code)
        return tuple(reversed(codes))

    def describe(self, state: State) -> str:
        """``GW = X, Web = C, …``; of alike things how many have each value: ``498 ws = C, 2 ws = X``."""
        plain = (v for v in self.vocabulary.plain)
        single = [f"{v.name} = {v.values[state[self.places[v.name]]]}" for v in plain]
        return ", ".join([*single, *tallied_in_words(self, state)])

    @cached_property
    def places(self) -> dict[str, int]:
        """Where in a state the code of each variable stands."""
        return {variable.name: place for place, variable in enumerate(self.variables)}

    @cached_property
    def _rows(self) -> dict[State, int]:
        assert self.listed is not None
        return {tuple(codes): row for row, codes in enumerate(self.listed.tolist())}

    def mu(self, state: State) -> Fraction:
        """μ(s), exactly."""
        return Fraction(self._dominance(state))

    @cached_property
    def _dominance(self) -> Reader:
        return reader(self.dominance, self.places)

    @cached_property
    def _choices(self) -> dict[Player, OutcomeGroups]:
        return {player: outcome_groups(self.actions[player]) for player in Player}

    @cached_property
    def _movers(self) -> dict[Player, tuple[Mover, ...]]:
        if self.tables is None:
            return {p: tuple(_mover(a.rules, self.places) for a in self.actions[p]) for p in Player}
        return {p: tuple(_tabulated(self, p, a) for a in range(len(self.actions[p]))) for p in Player}

    @cached_property
    def _reset(self) -> Mover:
        assert self.reset is not None
        return _mover((self.reset,), self.places, stays=False)

    def __getstate__(self) -> dict[str, object]:
        """What is declared; functions are compiled again where the game is unpacked."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


def choices(game: GameStructure, player: Player) -> OutcomeGroups:
    """What a player can choose: the numbers of the actions that are outcomes of one choice together."""
    return game._choices[player]


def has_chance(game: GameStructure, player: Player | None = None) -> bool:
    """Whether some choice, of a player or of anybody, has more than one outcome."""
    players = Player if player is None else (player,)
    return any(len(outcomes) > 1 for who in players for outcomes in game._choices[who])


def n_choices(game: GameStructure, player: Player) -> int:
    """|Act| of a player: how many choices it has, one for each of the things that are alike."""
    if not game.tallies:
        return len(choices(game, player))
    return sum(weight_of(game, game.actions[player][own[0]], game.initial) for own in choices(game, player))


def weight_of(game: GameStructure, action: Action, state: State) -> int:
    """How many actions an action stands for in a state: one, or one for each of some alike things."""
    if not action.members:
        return 1
    return sum(int(v.values[state[game.places[v.name]]]) for v in action.members)


def tallied_in_words(game: GameStructure, state: State) -> list[str]:
    """How many of alike things have each value that some of them have."""
    return [
        f"{n:,} {tally.name} = {value}"
        for tally in game.tallies
        for value, counter in zip(tally.values, tally.counters, strict=True)
        if (n := state[game.places[counter.name]])
    ]


def successor(game: GameStructure, player: Player, action: int, state: State) -> State | None:
    """δ(s, a), or None where a tabulated action is unavailable."""
    return game._movers[player][action](state)


def movers(game: GameStructure, player: Player) -> tuple[Mover, ...]:
    """For each action of a player, δ(s, a) as a function of the state."""
    return game._movers[player]


def mover_of(game: GameStructure, action: Action) -> Mover:
    """What an action would do in a factored game, whether it is one of its actions or not."""
    return _mover(action.rules, game.places)


def after_reset(game: GameStructure, state: State) -> State | None:
    """The state after an engagement reset, or None where there is none."""
    return None if game.reset is None else game._reset(state)


def valuation_grid(game: GameStructure) -> dict[str, Array]:
    """For each variable its codes, shaped to broadcast over the states (``extents``)."""
    import numpy as np

    if game.listed is not None:
        return {v.name: game.listed[:, i] for i, v in enumerate(game.variables)}
    axes = len(game.shape)
    return {
        v.name: np.arange(size, dtype=np.int32).reshape([-1 if i == axis else 1 for i in range(axes)])
        for axis, (v, size) in enumerate(zip(game.variables, game.shape, strict=True))
    }


def _tabulated(game: GameStructure, player: Player, action: int) -> Mover:
    assert game.tables is not None
    table = game.tables[player]

    def after(state: State) -> State | None:
        index = int(table[game.index(state), action])
        return None if index == NO_SUCCESSOR else game.state(index)

    return after


def _mover(rules: Sequence[Rule | Reset], places: dict[str, int], stays: bool = True) -> Mover:
    """The first rule whose guard holds, as a function; where none does the state stays, or there is none."""
    compiled = [
        (reader(rule.when, places), [(places[v.name], code_reader(v, to, places)) for v, to in rule.assign])
        for rule in rules
    ]

    def after(state: State) -> State | None:
        for guard, assign in compiled:
            if guard(state):
                new = list(state)
                for place, code in assign:
                    new[place] = code(state)
                return tuple(new)
        return state if stays else None

    return after


def _make_room(game: GameStructure) -> None:
    """Let Python write as many digits as exact numbers of positions have, where alike things are counted.

    Its own limit, of some thousands, is a guard of programs that read numbers from strangers.
    """
    limit, needed = sys.get_int_max_str_digits(), game.n_valuations.bit_length() // 3 + SPARE_DIGITS
    if game.tallies and 0 < limit < needed:
        sys.set_int_max_str_digits(needed)
