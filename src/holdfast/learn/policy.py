"""Evaluation apart from learning: the greedy policies, extracted, saved, and played without updates.

A greedy policy is the first maximiser of Q_i(s, ·) over Safe(v). Since Safe(v) looks at the automata and Q
at s alone, what is kept is Q by state; it can then be played on any arena of the same game.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import numpy as np
import numpy.typing as npt

from holdfast.arena import ShieldedArena
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError
from holdfast.learn import training_kernels as kernels
from holdfast.learn.grounds import advance, ground_of, new_run, rule_of
from holdfast.learn.minimax_q import Training
from holdfast.logic.expressions import Player
from holdfast.protocol import Protocol, reset_chance
from holdfast.solution import Solution

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
    table = _aligner(policies)(arena.codes)
    n_defender = len(arena.configuration.game.actions[Player.DEFENDER])
    chosen = np.full(arena.n_positions, -1, dtype=np.int32)
    for v in range(arena.n_positions):
        actions = arena.action[arena.first[v] : arena.first[v + 1]]
        if len(actions):
            values = table[arena.state[v], actions + (n_defender if arena.mover[v] else 0)]
            chosen[v] = actions[int(np.argmax(values))]
    return chosen


def play(
    where: Solution | ShieldedArena,
    policies: Policies,
    protocol: Protocol | None = None,
    seed: int = 1,
    *,
    episodes: int | None = None,
    epsilon: float = 0.0,
    budget: Budget = UNLIMITED,
) -> Floats:
    """The mean μ of episodes in which both players follow the policies and nothing is learned.

    Args:
        where: a solved configuration, or its arena.
        policies: of both players.
        protocol: for moves an episode and the chance of a reset.
        seed: of the random stream, drawn from as in training.
        episodes: how many; the protocol's window by default.
        epsilon: chance of an action drawn from Safe(v) instead.
        budget: memory for what is held, and time.

    Raises:
        InputError: when the policies are of another game; and as :func:`~holdfast.learn.minimax_q.train`.
    """
    protocol = protocol or Protocol()
    episodes = protocol.window if episodes is None else episodes
    if not 0 <= epsilon <= 1 or episodes < 1:
        raise InputError(f"cannot play {episodes} episodes with epsilon {epsilon}: at least 1, and 0 to 1")
    game = where.configuration.game
    p = reset_chance(protocol, game)
    shape = len(game.variables), sum(len(game.actions[player]) for player in Player)
    if (policies.codes.shape[1], policies.table.shape[1]) != shape:
        raise InputError(
            f"the policies are of a game with {policies.codes.shape[1]} variables and "
            f"{policies.table.shape[1]} actions; this one has {shape[0]} and {shape[1]}"
        )
    ground, aligned = ground_of(where, 1, budget), _aligner(policies)

    def rows(start: int) -> Floats:
        return aligned(ground.codes(start))

    run = new_run(seed, episodes, epsilon, rows(0))
    rule = rule_of(protocol, ground.initial, p)
    return advance(kernels.play, ground, rule, run, episodes, rows, Event()).means


def save_policies(policies: Policies, path: str | os.PathLike[str]) -> None:
    """Write the policies as a compressed npz file."""
    np.savez_compressed(
        Path(path), codes=policies.codes, table=policies.table, q_initial=np.float64(policies.q_initial)
    )


def load_policies(path: str | os.PathLike[str]) -> Policies:
    """Read what :func:`save_policies` wrote; a file is data, nothing in it is run.

    Raises:
        InputError: for a file that is missing or is something else.
    """
    try:
        with np.load(Path(path), allow_pickle=False) as file:
            codes, table, q_initial = file["codes"], file["table"], float(file["q_initial"])
    except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(f"{os.fspath(path)} does not hold policies: {error}") from None
    if codes.ndim != 2 or table.ndim != 2 or len(codes) != len(table) or table.dtype != np.float64:
        raise InputError(f"{os.fspath(path)} does not hold policies: codes and table do not match")
    return Policies(codes.astype(np.int32), table, q_initial)


def _aligner(policies: Policies) -> Callable[[npt.NDArray[np.int32]], Floats]:
    """A function from states, a row of codes each, to their rows of Q."""
    known = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(policies.codes))}

    def aligned(codes: npt.NDArray[np.int32]) -> Floats:
        places = np.array(
            [known.get(row.tobytes(), -1) for row in np.ascontiguousarray(codes)], dtype=np.int64
        )
        rows = policies.table[places]
        rows[places < 0] = policies.q_initial
        return rows

    return aligned
