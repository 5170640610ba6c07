"""Games that are not factored: successor tables, or Python functions that are tabulated once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from holdfast.errors import LimitError, ModelError, expect, expect_all
from holdfast.game.actions import NO_SUCCESSOR, Action
from holdfast.game.structure import GameStructure
from holdfast.logic import Expression, Label, Lookup, Number, Player, Value, Variable

if TYPE_CHECKING:
    import numpy.typing as npt

    from holdfast.arrays import Int64s

MAX_TABULATED = 2_000_000

ActionFunction = Callable[[dict[str, Value]], Mapping[str, Value] | None]
"""An action as a function of the values: those that change, None where it cannot be chosen."""


def from_arrays(
    defender: npt.ArrayLike,
    adversary: npt.ArrayLike,
    *,
    initial: int = 0,
    first: Player = Player.ADVERSARY,
    labels: Mapping[str, npt.ArrayLike] | None = None,
    dominance: npt.ArrayLike | None = None,
    actions: Mapping[Player, Sequence[str]] | None = None,
) -> GameStructure:
    """A game given by its successor tables.

    Args:
        defender, adversary: (n, n_actions) arrays; entry [s, a] is the state after action a in s, or -1
            where a cannot be chosen.
        initial: index of s₀.
        first: who moves at s₀.
        labels: boolean arrays of length n, by the name that specifications use.
        dominance: numbers in [0, 1], one for each state; all one by default.
        actions: names; ``d0, d1, …`` and ``a0, a1, …`` by default.

    >>> game = from_arrays([[0], [1]], [[0, 1], [1, 0]], labels={"bad": [False, True]})
    >>> game.n_valuations, [a.name for a in game.actions[Player.ADVERSARY]]
    (2, ['a0', 'a1'])
    """
    import numpy as np

    tables: dict[Player, Int64s] = {}
    for player, given in ((Player.DEFENDER, defender), (Player.ADVERSARY, adversary)):
        table = _array(given, f"the {player}'s table")
        if table.ndim != 2 or not np.issubdtype(table.dtype, np.integer):
            raise ModelError(
                f"the {player}'s table must be a 2-d array of integers, not {table.dtype} {table.shape}"
            )
        tables[player] = table.astype(np.int64)
        tables[player].setflags(write=False)
    n = len(tables[Player.DEFENDER])
    state = Variable("state", range(n))
    expect(initial, (int, np.integer), "the initial state", "the number of a state")
    expect(labels or {}, Mapping, "labels", 'the states of each label, such as {"bad": [False, True]}')
    expect(actions or {}, Mapping, "actions", "the names of each player's actions")
    names = actions or {p: [f"{p[0]}{i}" for i in range(tables[p].shape[1])] for p in Player}
    masks: dict[str, Label] = {}
    for name, mask in (labels or {}).items():
        expect(name, str, "the name of a label", "text")
        row = _array(mask, f'label "{name}"').astype(bool)
        if row.shape != (n,):
            raise ModelError(
                f'label "{name}" has shape {row.shape}; expected ({n},), one entry for each state'
            )
        masks[name] = Label(name, state, row.tobytes())
    return GameStructure(
        variables=(state,),
        initial=(int(initial),),
        first=first,
        actions={p: tuple(Action(name) for name in names.get(p, ())) for p in Player},
        dominance=_tabulated_term(state, np.ones(n) if dominance is None else _array(dominance, "dominance")),
        labels=masks,
        tables=tables,
    )


def from_functions(
    variables: Sequence[Variable],
    initial: Mapping[str, Value],
    defender: Mapping[str, ActionFunction],
    adversary: Mapping[str, ActionFunction],
    *,
    first: Player = Player.ADVERSARY,
    dominance: Expression = Number(Fraction(1)),  # noqa: B008
    definitions: Mapping[str, Expression] | None = None,
) -> GameStructure:
    """A game whose actions are Python functions from a state to the values that change.

    Each function gets the state as a dict of values and returns the changes, ``{}`` for none, or None
    where the action cannot be chosen. All states are tabulated once.

    Raises:
        LimitError: past :data:`MAX_TABULATED` states.
        ModelError: when a function leaves a domain, naming state and action.
    """
    import numpy as np

    expect_all(variables, Variable, "the variables", "a list of Variables")
    expect(initial, Mapping, "the initial state", "a value for each variable, by its name")
    shape = tuple(len(v.values) for v in variables)
    n = math.prod(shape)
    if n > MAX_TABULATED:
        raise LimitError(
            f"{n:,} states are too many to tabulate (at most {MAX_TABULATED:,}); write the game factored"
        )
    missing = next((v.name for v in variables if v.name not in initial), None)
    if missing is not None:
        raise ModelError(f'the initial state has no value for "{missing}"; give one for each variable')
    sides = {Player.DEFENDER: defender, Player.ADVERSARY: adversary}
    for player, functions in sides.items():
        expect(functions, Mapping, f"the {player}'s actions", "a function for each name")
        for name, function in functions.items():
            expect(function, Callable, f'the action "{name}"', "a function of the state")  # type: ignore[arg-type]
    places = {v.name: i for i, v in enumerate(variables)}
    tables: dict[Player, Int64s] = {}
    for player, functions in sides.items():
        table = np.empty((n, len(functions)), dtype=np.int64)
        for index, codes in enumerate(np.ndindex(shape)):
            values = {v.name: v.values[c] for v, c in zip(variables, codes, strict=True)}
            for a, (name, function) in enumerate(functions.items()):
                changes = function(dict(values))
                if changes is None:
                    table[index, a] = NO_SUCCESSOR
                    continue
                what = f'what the action "{name}" returns at {values}'
                expect(changes, Mapping, what, "changes, {}, or None")
                after = list(codes)
                for changed, value in changes.items():
                    if changed not in places or value not in variables[places[changed]].values:
                        raise ModelError(
                            f'action "{name}" sets {changed} = {value!r}, outside its domain, at {values}'
                        )
                    after[places[changed]] = variables[places[changed]].code(value)
                table[index, a] = np.ravel_multi_index(after, shape)
        table.setflags(write=False)
        tables[player] = table
    return GameStructure(
        variables=tuple(variables),
        initial=tuple(v.code(initial[v.name]) for v in variables),
        first=first,
        actions={player: tuple(map(Action, functions)) for player, functions in sides.items()},
        dominance=dominance,
        definitions=definitions or {},
        tables=tables,
    )


def _tabulated_term(variable: Variable, values: npt.NDArray[Any]) -> Expression:
    if values.shape != (len(variable.values),):
        raise ModelError(f"dominance has shape {values.shape}; expected ({len(variable.values)},)")
    try:
        return Lookup("dominance", variable, tuple(map(Fraction, values.tolist())))
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"dominance must be numbers from 0 to 1, one for each state: {error}") from None


def _array(values: npt.ArrayLike, what: str) -> npt.NDArray[Any]:
    import numpy as np

    try:
        return np.array(values)
    except ValueError:
        raise ModelError(f"{what} has rows of different lengths; expected an array") from None
