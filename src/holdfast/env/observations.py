"""What a learner sees of a position: zeros and ones.

An observation has a place for each value of each variable, in their order, with a one at the value that the
variable has. That is the state s, which is all that the paper's tables know. Of a whole position it goes on
with a place for each automaton state of each clause, φ_D before φ_A: what the automata remember, without
which a perfect player cannot do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.arena import Flags, GameRows
from holdfast.arrays import Int32s
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Configuration

SENSORS = "sensors"
OBSERVED = ("position", "state", SENSORS)
"""What can be observed; by sensors, in the defender's role alone (:mod:`.lookout`)."""


@njit(cache=True, nogil=True)
def one_hot(games: GameRows, first: Int32s, out: Flags) -> None:
    """Write each game as zeros with a one for each variable's code and, as far as ``first`` goes, each
    automaton's state; ``first`` says where the place of each begins.
    """
    n_codes = games.codes.shape[1]
    out[:] = 0
    for i in range(len(games.turn)):
        for v in range(n_codes):
            out[i, first[v] + games.codes[i, v]] = 1
        for c in range(len(first) - n_codes):
            out[i, first[n_codes + c] + games.automata[i, c]] = 1


@dataclass(frozen=True)
class OneHot:
    """Where what stands in an observation.

    Attributes:
        names: what a one at each place says, such as ``GW = X``.
        first: the first place of each variable and clause.
    """

    names: tuple[str, ...]
    first: Int32s = field(repr=False)

    @property
    def width(self) -> int:
        """The length of an observation."""
        return len(self.names)

    def observed(self, table: GameRows) -> npt.NDArray[np.int8]:
        """The observations of games; shape (n, width)."""
        out = np.empty((len(table.turn), self.width), dtype=np.int8)
        one_hot(table, self.first, out)
        return out


def encoding(configuration: Configuration, observe: str = "position") -> OneHot:
    """How positions of a configuration are observed.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> pair = configure(network_game(["GW", "DB"], [("GW", "DB")], "GW"), ["G (DB != Z)"])
    >>> encoding(pair).width, encoding(pair, "state").names[:6]
    (12, ('GW = C', 'GW = X', 'GW = D', 'GW = I', 'GW = Z', 'DB = C'))

    Raises:
        InputError: for something that cannot be observed.
    """
    if observe == SENSORS:
        raise InputError(
            'sensors are what the defender sees; observe them in env.gym or env.vector, with role="defender"'
        )
    if observe not in OBSERVED:
        known = f"; known: {', '.join(OBSERVED)}" + did_you_mean(str(observe), OBSERVED)
        raise InputError(f'"{observe}" cannot be observed{known}')
    told = [[f"{v.name} = {value}" for value in v.values] for v in configuration.game.variables]
    if observe == "position":
        for tag, automata in (("φ_D", configuration.defender), ("φ_A", configuration.adversary)):
            told += [[f"{tag} {n}: {q}" for q in a.states] for n, a in enumerate(automata, 1)]
    first = list(accumulate(map(len, told), initial=0))[:-1]
    return OneHot(tuple(name for names in told for name in names), np.array(first, dtype=np.int32))
