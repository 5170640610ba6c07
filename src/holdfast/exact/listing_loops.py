"""Safe play listed by compiled loops: packed positions in a hash table, and their distinct successors.

A position is looked up by its key (:mod:`holdfast.exact.move_tables`) in a table of numbers with open
addressing; the numbers are given in the order in which positions are met, and positions are taken up in that
order, so that each row of successors is complete when the next begins. The loop stops where something has to
be done first: more room, or the diagrams of a block that play has come to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.exact.move_tables import MoveTables, Words

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

DONE, PAUSED, NO_ROOM, NEW_BLOCK = 0, 1, 2, 3
"""Why the loop stopped."""

ROW, POSITIONS, MOVES, RESETS, BLOCK = 0, 1, 2, 3, 4
"""What the counters count: the next row, positions met, moves, resets; and the block that is missing."""

_ONE, _HALF, _LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
_MIX = np.uint64(0x9E3779B1)
"""A factor of 32 bits, so that no product overflows: plain Python would warn of it."""


class Listed(NamedTuple):
    """Positions met so far and the rows of those taken up; arrays with room to grow.

    Attributes:
        keys: the packed positions, a row of words each.
        slots: the hash table: number of a position plus 1, or 0.
        first, successor, times: the distinct successors, and how many safe actions lead to each.
        mover, gain: whose turn it is, and μ.
        reset_from: the positions in which a reset can happen.
    """

    keys: Words
    slots: Numbers
    first: Ints
    successor: Numbers
    times: Numbers
    mover: npt.NDArray[np.int8]
    gain: npt.NDArray[np.float64]
    reset_from: Numbers


@njit(cache=True, nogil=True)
def _hash(key: Words) -> np.uint64:
    """Bits that depend on all bits of a key."""
    h = np.uint64(0)
    for w in range(len(key)):
        h ^= key[w]
        h = (h & _LOW) * _MIX ^ (h >> _HALF) * _MIX << np.uint64(1)
        h ^= h >> _HALF
    return h


@njit(cache=True, nogil=True)
def rehash(keys: Words, n: int, slots: Numbers) -> None:
    """Enter the first n keys into an empty table."""
    mask = np.uint64(len(slots) - 1)
    for v in range(n):
        slot = _hash(keys[v]) & mask
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
        slots[slot] = v + 1


@njit(cache=True, nogil=True)
def number_of(
    state: tuple[Numbers, Numbers],
    turn: int,
    block: int,
    layout: tuple[Ints, Words, Words],
    twins: tuple[Numbers, Numbers],
    table: tuple[Words, Numbers],
    n: int,
) -> int:
    """The number of the position with these codes; n if it is new, and then it is entered.

    ``state`` are the codes, and room for them sorted. The key is written behind the last one, to be compared
    with others.
    """
    codes, sorted_codes = state
    word, shift, _ = layout
    begin, place = twins
    keys, slots = table
    for i in range(len(codes)):
        sorted_codes[i] = codes[i]
    for own in range(len(begin) - 1):
        for i in range(begin[own] + 1, begin[own + 1]):
            code, j = sorted_codes[place[i]], i
            while j > begin[own] and sorted_codes[place[j - 1]] > code:
                sorted_codes[place[j]] = sorted_codes[place[j - 1]]
                j -= 1
            sorted_codes[place[j]] = code
    for w in range(keys.shape[1]):
        keys[n, w] = 0
    keys[n, 0] = np.uint64(turn)
    keys[n, word[-1]] |= np.uint64(block) << shift[-1]
    for i in range(len(codes)):
        keys[n, word[i]] |= np.uint64(sorted_codes[i]) << shift[i]
    mask = np.uint64(len(slots) - 1)
    slot = _hash(keys[n]) & mask
    while slots[slot] != 0:
        other, same = slots[slot] - 1, True
        for w in range(keys.shape[1]):
            same = same and keys[other, w] == keys[n, w]
        if same:
            return int(other)
        slot = (slot + _ONE) & mask
    slots[slot] = n + 1
    return n


@njit(cache=True, nogil=True)
def unpack(key: Words, layout: tuple[Ints, Words, Words], codes: Numbers) -> tuple[int, int]:
    """The codes of a packed position; (turn, block)."""
    word, shift, mask = layout
    for i in range(len(codes)):
        codes[i] = np.int32(key[word[i]] >> shift[i] & mask[i])
    return int(key[0] & _ONE), int(key[word[-1]] >> shift[-1] & mask[-1])


@njit(cache=True, nogil=True)
def expand(tables: MoveTables, listed: Listed, counts: Ints, n_rows: int) -> int:
    """Take up some positions: their moves, μ, and whether a reset can happen; why it stopped."""
    place, begin, child = tables.nodes
    root, kind, weight = tables.moves
    change_begin, change_place, change_code = tables.changes
    spans, targets, ready, gains = tables.spans, tables.targets, tables.ready, tables.gains
    layout, twins = tables.layout, tables.twins
    keys, slots, first, successor = listed.keys, listed.slots, listed.first, listed.successor
    times, mover, gain, reset_from = listed.times, listed.mover, listed.gain, listed.reset_from
    table = (keys, slots)
    n_places, n_kinds = len(layout[0]) - 1, targets.shape[1]
    codes, before = np.zeros(n_places, np.int32), np.zeros(n_places, np.int32)
    state = (codes, np.zeros(n_places, np.int32))
    idle = np.zeros(n_kinds, np.int32)
    widest = spans[2] + n_kinds + 2
    row, n, m = counts[ROW], counts[POSITIONS], counts[MOVES]
    stop, status = row + n_rows, DONE
    while row < n:
        room = min(len(keys) - n, len(successor) - m, len(reset_from) - counts[RESETS])
        turn, block = unpack(keys[row], layout, codes)
        if room < widest or 2 * (n + widest) > len(slots):
            status = NO_ROOM
        elif not ready[turn, block]:
            counts[BLOCK] = turn * targets.shape[2] + block
            status = NEW_BLOCK
        elif row == stop:
            status = PAUSED
        if status != DONE:
            break
        node = tables.readings[0]
        while node >= 0:
            node = child[begin[node] + codes[place[node]]]
        gain[row], mover[row], first[row] = gains[-1 - node], turn, m
        node = tables.readings[1]
        while node >= 0:
            node = child[begin[node] + codes[place[node]]]
        if node < -1:
            reset_from[counts[RESETS]] = row
            counts[RESETS] += 1
        idle[:] = 0
        last = spans[turn + 1]
        for move in range(spans[turn], last + n_kinds):
            if move < last:
                letter, alike, node = kind[move], weight[move], root[move]
                while node >= 0:
                    node = child[begin[node] + codes[place[node]]]
                if node == -1:
                    idle[letter] += alike
                    continue
            else:  # all moves of a class that change nothing
                letter, node = move - last, -1
                alike = idle[letter]
                if alike == 0:
                    continue
            low, high = change_begin[-1 - node], change_begin[-node]
            for i in range(low, high):
                before[i - low] = codes[change_place[i]]
                codes[change_place[i]] = change_code[i]
            node = targets[turn, letter, block]
            while node >= 0:
                node = child[begin[node] + codes[place[node]]]
            if node < -1:
                found = number_of(state, 1 - turn, -2 - node, layout, twins, table, n)
                n += found == n
                entry = first[row]
                while entry < m and successor[entry] != found:
                    entry += 1
                if entry == m:
                    successor[m], times[m] = found, 0
                    m += 1
                times[entry] += alike
            for i in range(low, high):
                codes[change_place[i]] = before[i - low]
        if m == first[row]:  # the mover is out of moves: play rests
            successor[m], times[m] = row, 1
            m += 1
        row += 1
    first[row] = m
    counts[ROW], counts[POSITIONS], counts[MOVES] = row, n, m
    return status
