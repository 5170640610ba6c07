"""Whether the parts of a game structure fit together, checked once when it is made, with a witness."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from holdfast.budget import Budget
from holdfast.errors import LimitError, ModelError, did_you_mean, expect, expect_all, repeated
from holdfast.game.actions import NO_SUCCESSOR, Action, Reset, Rule, outcome_groups
from holdfast.logic import Diagrams, Expression, OutOfNodes, Player, Variable, expressions as ex

if TYPE_CHECKING:
    from holdfast.game.structure import GameStructure


def check_types(game: GameStructure) -> None:
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


def _rules(game: GameStructure) -> Iterator[tuple[str, Sequence[Rule | Reset]]]:
    """The rules of every action, and the reset, each with what messages call it."""
    for player in Player:
        for action in game.actions[player]:
            yield f'{player} action "{action.choice}"', action.rules
    if game.reset is not None:
        yield "reset", (game.reset,)


def check_names(game: GameStructure, budget: Budget) -> None:
    """Names are declared once, and what refers to one refers to something."""
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
        for outcomes in outcome_groups(own):
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


def check_domains(game: GameStructure, budget: Budget) -> None:
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


def check_tables(game: GameStructure) -> None:
    """Tables have a successor or none for each state and action, and the defender can always move."""
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


def check_dominance(game: GameStructure, budget: Budget) -> None:
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
