"""Safe play listed by compiled loops: packed positions in a hash table, and their distinct successors.

A position is looked up by its key (:mod:`holdfast.arena.quotient.move_tables`) in a table of numbers with
open addressing; the numbers are given in the order in which positions are met, and positions are taken up in
that order, so that each row of successors is complete when the next begins. The loop stops where something
has to be done first: more room, or the diagrams of a block that play has come to.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.arena.bellman import MergedArena
from holdfast.arena.quotient.move_tables import MoveTables, PackedWords
from holdfast.arrays import Int64s

Numbers = npt.NDArray[np.int32]

DONE, PAUSED, NO_ROOM, NEW_BLOCK = 0, 1, 2, 3
"""Why the loop stopped."""

ROW, POSITIONS, MOVES, RESETS, BLOCK = 0, 1, 2, 3, 4
"""What the counters count: the next row, positions met, moves, resets; and the block that is missing."""

_ONE, _HALF, _LOW = np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
_MIX = np.uint64(0x9E3779B1)
"""A factor of 32 bits, so that no product overflows: plain Python would warn of it."""


@njit(cache=True, nogil=True)
def _hash(keys: PackedWords, v: int) -> np.uint64:
    """Bits that depend on all bits of a key."""
    h = np.uint64(0)
    for w in range(keys.shape[1]):
        h ^= keys[v, w]
        h = (h & _LOW) * _MIX ^ (h >> _HALF) * _MIX << np.uint64(1)
        h ^= h >> _HALF
    return h


@njit(cache=True, nogil=True)
def rehash(keys: PackedWords, n: int, slots: Numbers) -> None:
    """Enter the first n keys into an empty table."""
    mask = np.uint64(len(slots) - 1)
    for v in range(n):
        slot = _hash(keys, v) & mask
        while slots[slot] != 0:
            slot = (slot + _ONE) & mask
        slots[slot] = v + 1


@njit(cache=True, nogil=True)
def number_of(keys: PackedWords, slots: Numbers, n: int) -> int:
    """The number of the position whose key stands behind n others; n if it is new, and then it is entered."""
    mask = np.uint64(len(slots) - 1)
    slot = _hash(keys, n) & mask
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
def pack(
    state: tuple[Numbers, Numbers],
    turn: int,
    block: int,
    layout: tuple[Int64s, PackedWords, PackedWords],
    twins: tuple[Numbers, Numbers],
    keys: PackedWords,
    v: int,
) -> None:
    """Write the key of the position with these codes; ``state`` are they, and room for them sorted."""
    codes, sorted_codes = state
    word, shift, _ = layout
    begin, place = twins
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
        keys[v, w] = 0
    keys[v, 0] = np.uint64(turn)
    keys[v, word[-1]] |= np.uint64(block) << shift[-1]
    for i in range(len(codes)):
        keys[v, word[i]] |= np.uint64(sorted_codes[i]) << shift[i]


@njit(cache=True, nogil=True)
def unpack(
    keys: PackedWords, v: int, layout: tuple[Int64s, PackedWords, PackedWords], codes: Numbers
) -> tuple[int, int]:
    """The codes of a packed position; (turn, block)."""
    word, shift, mask = layout
    for i in range(len(codes)):
        codes[i] = np.int32(keys[v, word[i]] >> shift[i] & mask[i])
    return int(keys[v, 0] & _ONE), int(keys[v, word[-1]] >> shift[-1] & mask[-1])


@njit(cache=True, nogil=True)
def _walk(nodes: Numbers, root: int, codes: Numbers) -> int:
    """The answer of a diagram (:mod:`holdfast.solver.mdd`) in a state."""
    while root >= 0:
        root = nodes[root + 1 + codes[nodes[root]]]
    return ~root


@njit(cache=True, nogil=True)
def expand(
    tables: MoveTables, keys: PackedWords, slots: Numbers, arena: MergedArena, counts: Int64s, n_rows: int
) -> int:
    """Take up some positions: their moves, μ, and whether a reset can happen; why it stopped.

    ``keys`` are the packed positions, a row of words each, and ``slots`` the hash table: the number of a
    position plus 1, or 0. Of the arena, whose columns have room to grow, the rows are written.
    """
    nodes = tables.nodes
    root, kind, weight = tables.moves
    cell, cell_begin, cell_kind, cell_change, cell_weight = tables.cells
    change_begin, change_place, change_code = tables.changes
    spans, targets, ready, gains = tables.spans, tables.targets, tables.ready, tables.gains
    layout, twins = tables.layout, tables.twins
    word, shift, _ = layout
    all_idle, to_gain, to_reset = tables.idle, tables.readings[0], tables.readings[1]
    first, successor, times = arena.first, arena.successor, arena.times
    mover, gain, reset_from = arena.mover, arena.gain, arena.reset_from
    n_places, n_kinds = len(word) - 1, targets.shape[1]
    widest = spans[2] + len(cell_kind) + n_kinds + 2
    codes, before = np.zeros(n_places, np.int32), np.zeros(n_places, np.int32)
    state, sorts = (codes, np.zeros(n_places, np.int32)), len(twins[1]) > 0
    idle, moves = np.zeros(n_kinds, np.int32), np.zeros((widest, 3), np.int32)
    row, n, m = counts[ROW], counts[POSITIONS], counts[MOVES]
    stop, status = row + n_rows, DONE
    while row < n:
        room = min(len(keys) - n, len(successor) - m, len(reset_from) - counts[RESETS])
        turn, block = unpack(keys, row, layout, codes)
        if room < widest or 2 * (n + widest) > len(slots):
            status = NO_ROOM
        elif not ready[turn, block]:
            counts[BLOCK] = turn * targets.shape[2] + block
            status = NEW_BLOCK
        elif row == stop:
            status = PAUSED
        if status != DONE:
            break
        gain[row], mover[row], first[row] = gains[_walk(nodes, to_gain, codes)], turn, m
        if _walk(nodes, to_reset, codes):
            reset_from[counts[RESETS]] = row
            counts[RESETS] += 1

        # The moves that change something, and how many of each class change nothing.
        for letter in range(n_kinds):
            idle[letter] = all_idle[turn, letter]
        n_changing = 0
        for i in range(n_places):
            own = cell[turn, i] + codes[i]
            for j in range(cell_begin[own], cell_begin[own + 1]):
                idle[cell_kind[j]] -= cell_weight[j]
                moves[n_changing, 0], moves[n_changing, 1] = cell_kind[j], cell_change[j]
                moves[n_changing, 2] = cell_weight[j]
                n_changing += 1
        for move in range(spans[turn], spans[turn + 1]):
            change = _walk(nodes, root[move], codes)
            if change == 0:
                idle[kind[move]] += weight[move]
            else:
                moves[n_changing, 0], moves[n_changing, 1] = kind[move], change
                moves[n_changing, 2] = weight[move]
                n_changing += 1
        for letter in range(n_kinds):
            if idle[letter] > 0:
                moves[n_changing, 0], moves[n_changing, 1], moves[n_changing, 2] = letter, 0, idle[letter]
                n_changing += 1

        for move in range(n_changing):
            low, high = change_begin[moves[move, 1]], change_begin[moves[move, 1] + 1]
            for i in range(low, high):
                before[i - low] = codes[change_place[i]]
                codes[change_place[i]] = change_code[i]
            after = _walk(nodes, targets[turn, moves[move, 0], block], codes) - 1
            if after >= 0:
                if sorts:
                    pack(state, 1 - turn, after, layout, twins, keys, n)
                else:
                    for w in range(keys.shape[1]):
                        keys[n, w] = keys[row, w]
                    keys[n, 0] ^= _ONE
                    keys[n, word[-1]] ^= np.uint64(block ^ after) << shift[-1]
                    for i in range(low, high):
                        p = change_place[i]
                        keys[n, word[p]] ^= np.uint64(before[i - low] ^ change_code[i]) << shift[p]
                number = number_of(keys, slots, n)
                n += number == n
                entry = first[row]
                while entry < m and successor[entry] != number:
                    entry += 1
                if entry == m:
                    successor[m], times[m] = number, 0
                    m += 1
                times[entry] += moves[move, 2]
            for i in range(low, high):
                codes[change_place[i]] = before[i - low]
        if m == first[row]:  # the mover has no moves left: play ends here
            successor[m], times[m] = row, 1
            m += 1
        row += 1
    first[row] = m
    counts[ROW], counts[POSITIONS], counts[MOVES] = row, n, m
    return status


@njit(cache=True, nogil=True)
def rearrange(
    order: Int64s, first: Int64s, begin: Int64s, entries: Numbers, number: Numbers, out: Numbers
) -> None:
    """The rows in another order; with new numbers of positions, entries are translated to them."""
    for i in range(len(order)):
        start = first[order[i]]
        for j in range(first[order[i] + 1] - start):
            entry = entries[start + j]
            out[begin[i] + j] = number[entry] if len(number) else entry
