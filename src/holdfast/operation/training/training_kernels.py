"""The inner loops of the adaptive layer, compiled by numba.

The random numbers are those of NumPy's legacy generator, ``numpy.random.RandomState`` (MT19937), word by
word: uniform doubles take two 32-bit words, and ``choice`` among n takes one bounded integer by masked
rejection on 32-bit words, none when n = 1. Words are kept as int64, so that compiled and plain Python
(``NUMBA_DISABLE_JIT=1``) compute alike.

Where the outcome of a choice is drawn, one more uniform double says which it is, after the choice is made.

One scan of Safe(v) serves two purposes. A move updates the table of its mover i and the look-ahead reads the
table of the other player j at v', so the maximiser found there is still the greedy move when j moves next,
unless a reset intervenes. It is computed once and kept.

A kernel stops at a move whose successor is not known yet (a negative number) and can be called again when it
is known: all that a run has is in its :class:`Run`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from holdfast.arena import LearnerView, MoveDraws
from holdfast.arrays import Floats, Int64s

N_WORDS, MIDDLE = 624, 397
EPISODE_NUMBER, STEP, POSITION, BEST, MOVE, OUTCOME = range(6)
N_REGISTERS = 6
EPSILON, TOTAL = range(2)
FINISHED = -1


class LearningRule(NamedTuple):
    """The numbers of the protocol."""

    initial: int
    steps: int
    alpha: float
    gamma: float
    epsilon_min: float
    decay: float
    p: float


class Run(NamedTuple):
    """What a run has at any time."""

    table: Floats
    """Q of both players, a row for each state."""
    words: Int64s
    """The 624 words of MT19937, and the index of the next."""
    registers: Int64s
    levels: Floats
    means: Floats
    """The mean μ of each episode so far."""


@njit(cache=True, nogil=True)
def mixed(word: int, following: int, distant: int) -> int:
    """One word of the next 624."""
    y = (word & 0x80000000) | (following & 0x7FFFFFFF)
    return distant ^ (y >> 1) ^ (-(y & 1) & 0x9908B0DF)


@njit(cache=True, nogil=True)
def twist(words: Int64s) -> None:
    """Renew the 624 words of MT19937."""
    for i in range(N_WORDS - MIDDLE):
        words[i] = mixed(words[i], words[i + 1], words[i + MIDDLE])
    for i in range(N_WORDS - MIDDLE, N_WORDS - 1):
        words[i] = mixed(words[i], words[i + 1], words[i + MIDDLE - N_WORDS])
    words[N_WORDS - 1] = mixed(words[N_WORDS - 1], words[0], words[MIDDLE - 1])


@njit(cache=True, nogil=True)
def next_word(words: Int64s) -> int:
    """The next 32-bit word."""
    index = words[N_WORDS]
    if index == N_WORDS:
        twist(words)
        index = 0
    words[N_WORDS] = index + 1
    y = words[index]
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    word: int = y ^ (y >> 18)
    return word


@njit(cache=True, nogil=True)
def uniform(words: Int64s) -> float:
    """``random_sample()``: 53 bits from two words."""
    high = next_word(words) >> 5
    low = next_word(words) >> 6
    return (high * 67108864.0 + low) / 9007199254740992.0


@njit(cache=True, nogil=True)
def below(n: int, words: Int64s) -> int:
    """``choice(n)``: a number from 0 to n − 1."""
    if n == 1:
        return 0
    mask = 1
    while mask < n - 1:
        mask = mask << 1 | 1
    while True:
        value = next_word(words) & mask
        if value < n:
            return value


@njit(cache=True, nogil=True)
def best_move(view: LearnerView, draws: MoveDraws | None, table: Floats, v: int) -> tuple[int, float]:
    """The first maximiser of Q over Safe(v), as the number of a move; −1 where there is none."""
    best = -1
    value = -np.inf
    for move in range(view.first[v], view.first[v + 1]):
        if draws is not None and draws.outcomes[move] == 0:
            continue
        q = table[view.entry[move]]
        if q > value:
            best, value = move, q
    return best, value


@njit(cache=True, nogil=True)
def explored(view: LearnerView, draws: MoveDraws | None, words: Int64s, v: int) -> int:
    """A uniform draw from Safe(v), as the number of a move."""
    move: int = view.first[v]
    if draws is None:
        return move + below(view.first[v + 1] - move, words)
    n = 0
    for other in range(move, view.first[v + 1]):
        n += draws.outcomes[other] > 0
    for _ in range(below(n, words)):
        move += draws.outcomes[move]
    return move


@njit(cache=True, nogil=True)
def train(view: LearnerView, draws: MoveDraws | None, rule: LearningRule, run: Run, stop: int) -> int:
    """Steps 2 to 7 of the protocol, up to episode ``stop``.

    Returns:
        :data:`FINISHED`, or the number of a move whose successor has to be filled in first.
    """
    table, words, registers = run.table, run.words, run.registers
    move: int
    outcome: int
    v, best, move, step = registers[POSITION], registers[BEST], registers[MOVE], registers[STEP]
    outcome = registers[OUTCOME]
    epsilon, total = run.levels[EPSILON], run.levels[TOTAL]
    while registers[EPISODE_NUMBER] < stop:
        if step == 0 and move < 0:
            v, total = rule.initial, 0.0
            best, _ = best_move(view, draws, table, v)
        while step < rule.steps:
            if move < 0:
                if view.reset[v] >= 0 and uniform(words) < rule.p:
                    v = view.reset[v]
                    best, _ = best_move(view, draws, table, v)
                total += view.mu[v]
                if best < 0:
                    step += 1
                    continue
                move = best
                if uniform(words) < epsilon:
                    move = explored(view, draws, words, v)
                outcome = move
                if draws is not None and draws.outcomes[move] > 1:
                    u = uniform(words)
                    while u >= draws.upto[outcome]:
                        outcome += 1
            after = view.successor[outcome]
            if after < 0:
                registers[POSITION], registers[BEST], registers[MOVE], registers[STEP] = v, best, move, step
                registers[OUTCOME], run.levels[TOTAL] = outcome, total
                return outcome
            best, value = best_move(view, draws, table, after)
            if best < 0:
                value = -view.gain[after] / (1.0 - rule.gamma)
            here = view.entry[move]
            q = table[here]
            table[here] = q + rule.alpha * (view.gain[after] + rule.gamma * (-value) - q)
            v, move = after, -1
            step += 1
        run.means[registers[EPISODE_NUMBER]] = total / rule.steps
        epsilon = max(epsilon - rule.decay, rule.epsilon_min)
        registers[EPISODE_NUMBER] += 1
        registers[MOVE], registers[STEP], run.levels[EPSILON] = -1, 0, epsilon
        step = 0
    return FINISHED
