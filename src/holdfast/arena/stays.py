"""Which actions leave a state as it is: for every action of a player at once, by looking it up.

Whether an action changes a state depends only on the variables that its rules read or assign. So for each
action the answer is tabulated over the values of those, by asking the action itself, and a state is answered
by one product of a matrix with its codes and one gather. An action that reads too many variables for that,
and every action of a game given by tables, is asked each time.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt

from holdfast.game import Action, GameStructure, State, movers
from holdfast.logic.expressions import Player, variables_of

MAX_ENTRIES = 1 << 12
"""Values of its variables up to which an action is tabulated."""


class Stays:
    """Where the actions of one player stay."""

    def __init__(self, game: GameStructure, player: Player) -> None:
        """Tabulate the actions; a microsecond or so for each entry."""
        self._movers = movers(game, player)
        self._asked: list[int] = []
        self._strides = np.zeros((len(self._movers), len(game.variables)), dtype=np.int64)
        self._offsets = np.zeros(len(self._movers), dtype=np.int64)
        entries: list[bool] = []
        for number, action in enumerate(game.actions[player]):
            places = _places(game, action)
            sizes = [game.shape[place] for place in places]
            if game.tables is not None or math.prod(sizes) > MAX_ENTRIES:
                self._asked.append(number)
                places, sizes = [], []
            self._offsets[number] = len(entries)
            for i, place in enumerate(places):
                self._strides[number, place] = math.prod(sizes[i + 1 :])
            entries += self._tabulated(number, places, sizes, len(game.variables))
        self._entries = np.array(entries, dtype=bool)

    def of(self, state: State) -> npt.NDArray[np.bool_]:
        """For each action, whether it leaves the state as it is."""
        found: npt.NDArray[np.bool_] = self._entries[self._strides @ np.array(state) + self._offsets]
        for number in self._asked:
            found[number] = self._movers[number](state) == state
        return found

    def _tabulated(self, number: int, places: list[int], sizes: list[int], n_variables: int) -> list[bool]:
        """The entries of one action, the last of its places running fastest; the other variables are at 0."""
        if number in self._asked:
            return [False]
        found = []
        for codes in product(*map(range, sizes)):
            state = [0] * n_variables
            for place, code in zip(places, codes, strict=True):
                state[place] = code
            found.append(self._movers[number](tuple(state)) == tuple(state))
        return found


def _places(game: GameStructure, action: Action) -> list[int]:
    """The variables that an action reads or assigns, by their places in a state."""
    names = set()
    for rule in action.rules:
        parts = [rule.when, *(value for _, value in rule.assign)]
        names |= {variable.name for part in parts for variable in variables_of(part)}
        names |= {variable.name for variable, _ in rule.assign}
    return sorted(game.places[name] for name in names)
