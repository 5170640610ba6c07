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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError, ModelError, did_you_mean, expect, expect_all, repeated
from holdfast.logic import (
    Diagrams,
    Expression,
    OutOfNodes,
    Player,
    Reader,
    Tally,
    Variable,
    Vocabulary,
    action_target,
    action_type,
    code_reader,
    expressions as ex,
    reader,
)

if TYPE_CHECKING:
    from holdfast.arrays import Array, Int32s, Int64s

State = tuple[int, ...]
"""Codes of the variables, in their declared order; the turn is kept beside it."""

Mover = Callable[[State], State | None]
"""An action as a function: the state after it, None where it cannot be chosen."""

SPARE_DIGITS = 1000
"""What numbers of positions may have beyond those of states."""

NO_SUCCESSOR = -1
"""Stands in a table of successors where an action cannot be chosen."""


@dataclass(frozen=True)
class Rule:
    """``when`` a static predicate holds, assign all these values at once."""

    when: Expression
    assign: tuple[tuple[Variable, Expression], ...]

    def __post_init__(self) -> None:
        _check_parts("a rule", self.when, self.assign)


@dataclass(frozen=True)
class Action:
    """A named action: the first rule whose guard holds applies; none, and nothing changes.

    Attributes:
        outcome_of: the choice of which this is one outcome; empty for a choice that has no other.
        probability: of this outcome, once the choice is made.
        members: counters; the action stands for as many as they add up to: one for each of some alike things.
            Without any it stands for itself. Where they are all 0 it does what another one does.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    outcome_of: str = field(default="", kw_only=True)
    probability: Fraction = field(default=Fraction(1), kw_only=True)
    members: tuple[Variable, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        expect(self.name, str, "the name of an action", 'text, such as "wait"')
        expect_all(self.rules, Rule, f'the rules of the action "{self.name}"', "a tuple of Rules")
        expect(
            self.outcome_of, str, f'the choice that "{self.name}" is an outcome of', "the name of a choice"
        )
        expect(self.probability, (int, Fraction), f'the probability of "{self.name}"', "a Fraction")

    @property
    def choice(self) -> str:
        """What the player chose, which is what automata read: its name, or whose outcome it is."""
        return self.outcome_of or self.name

    @property
    def type(self) -> str:
        """What it does: ``spread`` for ``spread(DB)``, and for a name without brackets all of it."""
        return action_type(self.choice)

    @property
    def written(self) -> frozenset[Variable]:
        """The variables that it may assign, and those of which it may assign the values."""
        assigned = [pair for rule in self.rules for pair in rule.assign]
        return frozenset(v for v, _ in assigned).union(*(ex.variables_of(value) for _, value in assigned))

    @property
    def target(self) -> str:
        """What it does it to: ``DB`` for ``spread(DB)``; empty for a name without brackets."""
        return action_target(self.choice)


@dataclass(frozen=True)
class Reset:
    """An engagement reset (sec:respawn): where ``when`` holds, with this probability, ``assign``.

    What φ_D remembers goes on where it is *kept*; else a reset that would erase it is refused.
    """

    when: Expression
    probability: Fraction
    assign: tuple[tuple[Variable, Expression], ...]
    kept: bool = False

    def __post_init__(self) -> None:
        expect(self.probability, (int, float, Fraction), "the probability of a reset", "a number from 0 to 1")
        _check_parts("a reset", self.when, self.assign)


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
        _check_types(self)
        object.__setattr__(self, "first", Player(self.first))
        _check_names(self, budget)
        if self.tables is None:
            _check_domains(self, budget)
        else:
            _check_tables(self)
        _check_dominance(self, budget)
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
        return {
            player: tuple(
                tuple(number for number, _ in outcomes)
                for _, outcomes in groupby(enumerate(self.actions[player]), lambda each: each[1].choice)
            )
            for player in Player
        }

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


OutcomeGroups = tuple[tuple[int, ...], ...]
"""For each choice of a player the numbers of its outcomes; one where chance has no part in it."""


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


# -- validation -------------------------------------------------------------------------------------


def _check_types(game: GameStructure) -> None:
    """Refuse what a Python program may give by mistake, before anything is asked of it."""
    expect_all(game.variables, Variable, "the variables", "a tuple of Variables")
    expect_all(game.initial, int, "the codes of the initial state", "the index of a value for each variable")
    expect(game.actions, Mapping, "the actions", "a tuple of Actions for each Player")
    for player in Player:
        expect_all(game.actions.get(player), Action, f"the {player}'s actions", "a tuple of Actions")
    expect(game.dominance, Expression, "dominance", "an expression")
    for what, named in (("definitions", game.definitions), ("labels", game.labels)):
        expect(named, Mapping, what, "an expression for each name")
        for name, value in named.items():
            expect(value, Expression, f'"{name}" of the {what}', "an expression")
    expect(game.groups, Mapping, "groups", "a tuple of Variables for each name")
    for name, variables in game.groups.items():
        expect_all(variables, Variable, f'the variables of the group "{name}"', "a tuple of Variables")
    expect(game.reset, (Reset, type(None)), "the reset", "a Reset or None")
    expect(game.tables, (Mapping, type(None)), "tables", "an array of successors for each Player, or None")
    if game.listed is not None and game.tables is None:
        raise ModelError("listed states need tables; a factored game has all valuations")


def _make_room(game: GameStructure) -> None:
    """Let Python write as many digits as exact numbers of positions have, where alike things are counted.

    Its own limit, of some thousands, is a guard of programs that read numbers from strangers.
    """
    limit, needed = sys.get_int_max_str_digits(), game.n_valuations.bit_length() // 3 + SPARE_DIGITS
    if game.tallies and 0 < limit < needed:
        sys.set_int_max_str_digits(needed)


def _check_parts(where: str, when: object, assign: object) -> None:
    expect(when, Expression, f"the guard of {where}", "a predicate")
    expect_all(assign, tuple, f"the assignments of {where}", "pairs of a Variable and an expression")
    for pair in assign:  # type: ignore[attr-defined]
        if len(pair) != 2 or not isinstance(pair[0], Variable) or not isinstance(pair[1], Expression):
            raise ModelError(f"{where} assigns {pair!r}; expected a pair of a Variable and an expression")


def _rules(game: GameStructure) -> Iterator[tuple[str, Sequence[Rule | Reset]]]:
    """The rules of every action, and the reset, each with what messages call it."""
    for player in Player:
        for action in game.actions[player]:
            yield f'{player} action "{action.choice}"', action.rules
    if game.reset is not None:
        yield "reset", (game.reset,)


def _check_names(game: GameStructure, budget: Budget) -> None:
    names = [v.name for v in game.variables]
    if not names:
        raise ModelError("a game needs at least one variable")
    acts = ((f"{player} action", [a.name for a in game.actions[player]]) for player in Player)
    for kind, listed in (("variable", names), *acts):
        if (twice := repeated(listed)) is not None:
            raise ModelError(f'{kind} "{twice}" is declared twice')
    _check_outcomes(game)
    empty = next((v.name for v in game.variables if not v.values), None)
    if empty is not None:
        raise ModelError(f'variable "{empty}" has an empty domain')
    if not game.actions[Player.DEFENDER]:
        raise ModelError(
            "the defender has no action, so every defender position is a dead end; "
            "declare one, such as wait: {}"
        )
    if len(game.initial) != len(names) or any(
        not 0 <= code < size for code, size in zip(game.initial, game.shape, strict=True)
    ):
        raise ModelError("the initial state does not give each variable a value of its domain")
    for where, rules in _rules(game):
        for rule in rules:
            budget.tick("checking the game")
            _check_rule(game, where, rule)
    if game.reset is not None and not 0 <= game.reset.probability <= 1:
        raise ModelError(f"reset: the probability {game.reset.probability} is not between 0 and 1")


def _check_outcomes(game: GameStructure) -> None:
    """The outcomes of a choice stand together, are possible, and are all that can happen."""
    for player in Player:
        own, seen = game.actions[player], set[str]()
        for outcomes in choices(game, player):
            choice = own[outcomes[0]].choice
            if choice in seen:
                raise ModelError(f'{player} action "{choice}": its outcomes do not stand next to each other')
            seen.add(choice)
            shares = [Fraction(own[number].probability) for number in outcomes]
            if any(not 0 < share <= 1 for share in shares):
                raise ModelError(f'{player} action "{choice}": the probability of an outcome is not above 0')
            if sum(shares) != 1:
                raise ModelError(
                    f'{player} action "{choice}": the probabilities add up to {sum(shares)}, not 1'
                )


def _check_rule(game: GameStructure, where: str, rule: Rule | Reset) -> None:
    if not ex.is_static(rule.when):
        raise ModelError(f"{where}: the guard {rule.when} must look at the state only")
    targets = [variable.name for variable, _ in rule.assign]
    for name in targets:
        if name not in game.places:
            raise ModelError(f'{where}: sets unknown variable "{name}"' + did_you_mean(name, game.places))
    if (twice := repeated(targets)) is not None:
        raise ModelError(f'{where}: sets "{twice}" twice in one rule')
    for variable, value in rule.assign:
        if isinstance(value, ex.Symbol) and value.value not in variable.values:
            raise ModelError(f'{where}: "{value.value}" is not a value of {variable.name}')


def _check_domains(game: GameStructure, budget: Budget) -> None:
    """No assignment leaves its domain where its rule applies; exact, with a witness state."""
    diagrams = None
    for where, rules in _rules(game):
        if all(isinstance(value, ex.Symbol) for rule in rules for _, value in rule.assign):
            continue
        diagrams = diagrams or Diagrams(game.variables, budget=budget, tallies=game.tallies)
        applies = diagrams.valid
        for rule in rules:
            here = applies & diagrams.truth(rule.when)
            applies &= ~diagrams.truth(rule.when)
            for variable, value in rule.assign:
                try:
                    outside = diagrams.outside(variable, value) & here
                except ZeroDivisionError:
                    raise ModelError(f"{where}: {value} divides by zero in some state") from None
                witness = diagrams.pick(outside)
                if witness is not None:
                    state = tuple(witness[v.name] for v in game.variables)
                    raise ModelError(
                        f"{where}: {variable.name} := {value} leaves the domain of {variable.name} at "
                        f"{game.describe(state)}; add a guard that keeps it inside"
                    )


def _check_tables(game: GameStructure) -> None:
    import numpy as np

    assert game.tables is not None
    _check_listed(game)
    n = game.n_valuations
    for player in Player:
        table = game.tables.get(player)
        if not isinstance(table, np.ndarray):
            raise ModelError(f"the {player}'s table is not an array; expected one with a row for each state")
        expected = (n, len(game.actions[player]))
        if table.shape != expected:
            raise ModelError(f"the {player}'s table has shape {table.shape}; expected {expected}")
        bad = np.argwhere((table < NO_SUCCESSOR) | (table >= n))
        if len(bad):
            s, a = bad[0]
            raise ModelError(
                f"the {player}'s table has {table[s, a]} at state {s}, action {a}; "
                f"expected 0 to {n - 1}, or -1"
            )
    stuck = np.flatnonzero((game.tables[Player.DEFENDER] == NO_SUCCESSOR).all(axis=1))
    if len(stuck):
        raise ModelError(
            f"the defender has no action at state {stuck[0]} ({game.describe(game.state(int(stuck[0])))})"
        )


def _check_listed(game: GameStructure) -> None:
    """Listed states are states, ascending, and the initial one is among them."""
    import numpy as np

    if game.listed is None:
        return
    if game.listed.ndim != 2 or game.listed.shape[1] != len(game.variables):
        raise ModelError(
            f"the listed states have shape {game.listed.shape}; expected a code for each variable"
        )
    outside = np.argwhere((game.listed < 0) | (game.listed >= np.array(game.shape)))
    if len(outside):
        row, place = outside[0]
        raise ModelError(f"listed state {row} has no value of {game.variables[place].name}")
    order = np.lexsort(game.listed.T[::-1])
    steps = (np.diff(game.listed, axis=0) != 0).any(axis=1)
    if not np.array_equal(order, np.arange(len(order))) or not steps.all():
        raise ModelError("the listed states are not in ascending order, each once")
    if game.initial not in game._rows:
        raise ModelError("the initial state is not among the listed states")


def _check_dominance(game: GameStructure, budget: Budget) -> None:
    """μ stays inside [0, 1]: by intervals where that suffices, otherwise exactly."""
    if not ex.is_static(game.dominance):
        raise ModelError("dominance must look at the state only")
    try:
        low, high = ex.term_range(game.dominance)
        if low >= 0 and high <= 1:
            return
    except ZeroDivisionError:
        pass
    diagrams = Diagrams(game.variables, budget=budget)
    below, above = (
        ex.Compare(op, game.dominance, ex.Number(Fraction(end))) for op, end in (("<", 0), (">", 1))
    )
    try:
        witness = diagrams.pick(diagrams.truth(below) | diagrams.truth(above))
    except ZeroDivisionError:
        raise ModelError(f"dominance {game.dominance} divides by zero in some state") from None
    except (OutOfNodes, LimitError) as error:
        budget.tick("checking the dominance")
        why = f": {error}" if isinstance(error, LimitError) else ""
        raise LimitError(f"dominance {game.dominance} is too intricate to be bounded exactly{why}") from None
    if witness is not None:
        state = tuple(witness[v.name] for v in game.variables)
        raise ModelError(
            f"dominance is {game.mu(state)} at {game.describe(state)}; "
            "it must stay between 0 and 1: rescale it"
        )
