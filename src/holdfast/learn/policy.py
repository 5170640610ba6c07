"""The greedy policies that were learned: the first maximiser of Q_i(s, ·) over Safe(v).

Since Safe(v) looks at the automata and Q at s alone, what is kept is Q by state; it can then be played on any
arena of the same game.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena
from holdfast.errors import InputError
from holdfast.learn.minimax_q import Training
from holdfast.logic.expressions import Player

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Policies:
    """Q of both players by state.

    Attributes:
        codes: the states, a row of codes each; shape (n_states, n_variables).
        table: Q, the defender's columns first; shape (n_states, |Act_D| + |Act_A|).
        q_initial: Q of any state that is not listed.
    """

    codes: npt.NDArray[np.int32] = field(repr=False)
    table: Floats = field(repr=False)
    q_initial: float


def greedy_policies(training: Training, seed: int) -> Policies:
    """The policies that a seed learned.

    Raises:
        InputError: when the seed has not finished or its table was not kept.
    """
    if seed not in training.seeds or not training.tables:
        raise InputError(
            f"there is no table of seed {seed}; there are {len(training.tables)} tables, of the seeds "
            f"{list(training.seeds if training.tables else ())}"
        )
    table = training.tables[training.seeds.index(seed)]
    return Policies(training.arena.codes, table, training.protocol.q_initial)


def greedy_actions(arena: ShieldedArena, policies: Policies) -> npt.NDArray[np.int32]:
    """The action that the policies choose at each position; −1 where the adversary is out of moves."""
    known = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(policies.codes))}
    rows = [known.get(row.tobytes(), -1) for row in np.ascontiguousarray(arena.codes)]
    table = np.vstack([policies.table, np.full(policies.table.shape[1], policies.q_initial)])[rows]
    n_defender = len(arena.configuration.game.actions[Player.DEFENDER])
    chosen = np.full(arena.n_positions, -1, dtype=np.int32)
    for v in range(arena.n_positions):
        actions = arena.action[arena.first[v] : arena.first[v + 1]]
        if len(actions):
            values = table[arena.state[v], actions + (n_defender if arena.mover[v] else 0)]
            chosen[v] = actions[int(np.argmax(values))]
    return chosen
