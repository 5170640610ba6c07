"""The compiled part of :mod:`holdfast.operation.brackets.value_diagrams`: one operation on three diagrams,
and a copy.

A *reference* is a number: that of a node, its level and its place, or, if negative, a value less ``ORIGIN``.
So the level of a node is known before it is looked at, and its children lie beside each other. The operation
goes down level by level from the three roots, notes every triple of references that it meets once, and then
goes up again from the last level to the first, entering what has become of each triple. So nothing is
recursive, nothing is looked at twice, and the work is bounded by the triples that there are.

Several operations in a row choose the larger or the lesser of the same parts again and again, from move to
move and from step to step; so those results are kept, in a table of fixed size in which the newest stay.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from holdfast.arrays import Int32s, Int64s
from holdfast.operation.brackets.value_diagrams import (
    AT_LEAST,
    AT_MOST,
    DONE,
    GROWTH_ABOVE,
    INFINITE,
    LARGEST,
    LEAST,
    MIXED_DOWN,
    MIXED_UP,
    NO_NODES,
    NO_ROOM,
    ORIGIN,
    PLACE,
    SECOND,
    SUM_ABOVE,
    SUM_BELOW,
    Nodes,
    Room,
)

_MASK = np.uint64(0xFFFFFFFF)
_MIX = np.uint64(0x9E3779B1)
_SHIFT = np.uint64(32)
_PLACES = (1 << PLACE) - 1
_TAG = np.uint64(44)


@njit(cache=True, nogil=True)
def outcome(kind: int, one: int, other: int, low: int, high: int) -> int:
    """What an operation makes of two values.

    - The largest, the least, or the second of them.
    - (1 − p)·one + p·other with p = low/high, rounded down or up; if one of them is infinite, −∞ if it is to
      be rounded down, and +∞ otherwise.
    - The sum as a bound from below: −∞ if it is less than low, high if it is more than that; or as a bound
      from above: low if it is less, +∞ if it is more than high. What is infinite stays so, and the second
      decides.
    - How much more the first is: −∞ where it says nothing and the second does, +∞ where the second says
      nothing, for bounds from below; the other way round for bounds from above.
    - The first where the second is at least low, else −∞; or where it is at most high, else +∞.
    """
    if kind == LARGEST:
        return max(one, other)
    if kind == LEAST:
        return min(one, other)
    if kind == SECOND:
        return other
    if kind in (MIXED_DOWN, MIXED_UP):
        if abs(one) == INFINITE or abs(other) == INFINITE:
            return -INFINITE if kind == MIXED_DOWN else INFINITE
        total = (high - low) * one + low * other
        return total // high if kind == MIXED_DOWN else -(-total // high)
    if kind in (SUM_BELOW, SUM_ABOVE):
        if abs(other) == INFINITE:
            return other
        if abs(one) == INFINITE:
            return one
        total = one + other
        if kind == SUM_BELOW:
            return -INFINITE if total < low else min(total, high)
        return INFINITE if total > high else max(total, low)
    if kind == AT_LEAST:
        return one if other >= low else -INFINITE
    if kind == AT_MOST:
        return one if other <= high else INFINITE
    nothing = -INFINITE if kind == GROWTH_ABOVE else INFINITE
    if abs(other) == INFINITE:
        return nothing
    return -nothing if abs(one) == INFINITE else one - other


@njit(cache=True, nogil=True)
def _stirred(h: np.uint64, number: int) -> np.uint64:
    """Bits that depend on all bits so far and of one more number."""
    word = np.uint64(number)
    h = ((h ^ word ^ word >> _SHIFT) & _MASK) * _MIX
    return h ^ h >> _SHIFT


@njit(cache=True, nogil=True)
def _mixed(a: int, b: int, c: int) -> np.uint64:
    """Bits that depend on all bits of three numbers."""
    return _stirred(_stirred(_stirred(np.uint64(0), a), b), c)


@njit(cache=True, nogil=True)
def _hash(level: int, children: Int64s, size: int) -> np.uint64:
    """Bits that depend on the level and the children of a node."""
    h = np.uint64(level)
    for c in range(size):
        h = _stirred(h, children[c])
    return h


@njit(cache=True, nogil=True)
def has_room(nodes: Nodes, n: int) -> bool:
    """Whether so many nodes can be entered, with as many children as any have."""
    (n_nodes, n_cells), most = nodes.counts, n * (1 + nodes.size.max())
    return bool(n_cells + most <= len(nodes.cells) and 2 * (n_nodes + n) <= len(nodes.slots))


@njit(cache=True, nogil=True)
def entered(nodes: Nodes, level: int, children: Int64s) -> int:
    """The reference of a node with these children; a new one is entered, and there must be room for it."""
    cells, slots, counts = nodes.cells, nodes.slots, nodes.counts
    size, only = nodes.size[level], int(children[0])
    same = True
    for c in range(1, size):
        same &= children[c] == only
    if same:
        return only
    last = np.uint64(len(slots) - 1)
    h = _hash(level, children, size)
    slot, tag = h & last, int(h >> _TAG)
    while slots[slot]:
        if slots[slot] >> PLACE == tag:
            start = int(slots[slot] & _PLACES) - 1
            if cells[start] == level:
                c = 0
                while c < size and cells[start + 1 + c] == children[c]:
                    c += 1
                if c == size:
                    return level << PLACE | start
        slot = (slot + np.uint64(1)) & last
    start = int(counts[1])
    slots[slot] = tag << PLACE | (start + 1)
    cells[start] = level
    for c in range(size):
        cells[start + 1 + c] = children[c]
    counts[0], counts[1] = counts[0] + 1, start + 1 + size
    return level << PLACE | start


@njit(cache=True, nogil=True)
def combined(
    nodes: Nodes,
    room: Room,
    kind: int,
    roots: tuple[Int64s, int, Int64s],
    bounds: tuple[int, int],
    moved: Int32s,
) -> int:
    """Where a guard is 1, what an operation makes of ``ones`` and of ``others`` after a move; else ``ones``.

    ``roots`` are (ones, guard, others). Each of the ones goes with one of the others, and is replaced by the
    result. ``moved`` says for each level and code which code the move turns it into.

    Returns:
        :data:`DONE`, or what there was no room for; then nothing has been changed.
    """
    cells, size = nodes.cells, nodes.size
    triple, after, onward, home, slots, heads, memo = room
    (ones, guard, others), (low, high) = roots, bounds
    bottom, last = len(size) - 1, np.uint64(len(slots) - 1)
    no, yes, n_noted = -ORIGIN, 1 - ORIGIN, np.uint64(len(memo) - 1)
    neutral = (-INFINITE if kind == LARGEST else INFINITE) - ORIGIN
    choosing = kind in (LARGEST, LEAST)
    deepest = -1
    for place in range(bottom):
        heads[place] = -1
        for code in range(size[place]):
            if moved[place, code] != code:
                deepest = place
    n, status, results = 0, DONE, np.empty(len(ones), np.int64)

    # Going down: first the roots, as if they were codes of one task, then the tasks of each level.
    place, task, code = -1, -1, 0
    while True:
        if task < 0:
            a, g, f = ones[code], guard, others[code]
        else:
            a, g, f = triple[task, 0], triple[task, 1], triple[task, 2]
            if a >> PLACE == place:
                a = cells[(a & _PLACES) + 1 + code]
            if g >> PLACE == place:
                g = cells[(g & _PLACES) + 1 + code]
            if f >> PLACE == place:
                f = cells[(f & _PLACES) + 1 + moved[place, code]]
        depth = bottom
        if a >= 0:
            depth = min(depth, a >> PLACE)
        if g >= 0:
            depth = min(depth, g >> PLACE)
        if f >= 0:
            depth = min(depth, f >> PLACE)
        below = depth > deepest
        plain = choosing and below and g == yes
        h = _mixed(a, g, f)
        row = (h + np.uint64(kind)) & n_noted
        if g == no or (choosing and (f == neutral or (below and a == f))):
            result = a
        elif g == yes and a < 0 and f < 0:
            result = outcome(kind, a + ORIGIN, f + ORIGIN, low, high) - ORIGIN
        elif g == yes and below and (kind == SECOND or (choosing and a == neutral)):
            result = f
        elif plain and memo[row, 0] == a and memo[row, 1] == f and memo[row, 2] == kind:
            result = memo[row, 3]
        else:
            slot = h & last
            known = -1
            while slots[slot]:
                other = slots[slot] - 1
                if triple[other, 0] == a and triple[other, 1] == g and triple[other, 2] == f:
                    known = other
                    break
                slot = (slot + np.uint64(1)) & last
            if known < 0:
                if n >= len(triple):
                    status = NO_ROOM
                    break
                known = n
                slots[slot], home[n] = n + 1, slot
                triple[n, 0], triple[n, 1], triple[n, 2] = a, g, f
                onward[n], heads[depth] = heads[depth], n
                n += 1
            result = known + ORIGIN
        if task < 0:
            results[code] = result
        else:
            after[task, code] = result
        code += 1
        if code == (len(ones) if task < 0 else size[place]):
            code = 0
            task = onward[task] if task >= 0 else -1
            while task < 0 and place < bottom - 1:
                place += 1
                task = heads[place]
            if task < 0:
                break

    # Going up: the triples become references, deepest level first.
    if status == DONE and not has_room(nodes, n):
        status = NO_NODES
    for place in range(bottom - 1 if status == DONE else -1, -1, -1):
        task = heads[place]
        while task >= 0:
            for code in range(size[place]):
                if after[task, code] >= ORIGIN:
                    after[task, code] = triple[after[task, code] - ORIGIN, 0]
            result = entered(nodes, place, after[task])
            if choosing and place > deepest and triple[task, 1] == yes:
                row = (_mixed(triple[task, 0], yes, triple[task, 2]) + np.uint64(kind)) & n_noted
                memo[row, 0], memo[row, 1] = triple[task, 0], triple[task, 2]
                memo[row, 2], memo[row, 3] = kind, result
            triple[task, 0] = result
            task = onward[task]
    for i in range(len(ones) if status == DONE else 0):
        ones[i] = triple[results[i] - ORIGIN, 0] if results[i] >= ORIGIN else results[i]
    for i in range(n):
        slots[home[i]] = 0
    return status


@njit(cache=True, nogil=True)
def enter_rows(nodes: Nodes, level: int, rows: Int64s, found: Int64s) -> bool:
    """Enter a node for each row of children; false, and nothing is changed, if there is no room for all."""
    if not has_room(nodes, len(rows)):
        return False
    for i in range(len(rows)):
        found[i] = entered(nodes, level, rows[i])
    return True


@njit(cache=True, nogil=True)
def value_at(nodes: Nodes, root: int, codes: Int64s) -> int:
    """The value of a diagram in a state, given by its code for each level."""
    while root >= 0:
        root = nodes.cells[(root & _PLACES) + 1 + codes[root >> PLACE]]
    return root + ORIGIN


@njit(cache=True, nogil=True)
def extremes(nodes: Nodes, root: int, ignored: int, marks: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """The least and the greatest value of a diagram, one value being ignored; +∞ and −∞ if there is no other.

    ``marks``, one for each cell, are false at first.
    """
    cells, least, greatest = nodes.cells, INFINITE, -INFINITE
    if root < 0:
        value = root + ORIGIN
        return (value, value) if value != ignored else (least, greatest)
    marks[root & _PLACES] = True
    for start in range(root & _PLACES, -1, -1):
        if marks[start]:
            for c in range(start + 1, start + 1 + nodes.size[cells[start]]):
                below = cells[c]
                if below >= 0:
                    marks[below & _PLACES] = True
                elif below + ORIGIN != ignored:
                    least, greatest = min(least, below + ORIGIN), max(greatest, below + ORIGIN)
    return least, greatest


@njit(cache=True, nogil=True)
def copied(old: Nodes, new: Nodes, n_static: int, roots: Int64s, names: Int64s) -> None:
    """Enter the nodes of the first cells and what the roots need in an empty table.

    Roots become the new references. Children come before their parents, so one pass down marks and one pass
    up copies. ``names`` has room for the new reference of each node, by its place.
    """
    cells, size, n_cells = old.cells, old.size, old.counts[1]
    children = np.empty(size.max(), np.int64)
    names[:n_static], names[n_static:] = 0, -1
    for root in roots:
        if root >= 0:
            names[root & _PLACES] = 0
    for start in range(n_cells - 1, n_static - 1, -1):
        if names[start] == 0:
            for c in range(start + 1, start + 1 + size[cells[start]]):
                if cells[c] >= 0:
                    names[cells[c] & _PLACES] = 0
    start = 0
    while start < n_cells:
        n_children = size[cells[start]]
        if names[start] == 0:
            for c in range(n_children):
                below = cells[start + 1 + c]
                children[c] = names[below & _PLACES] if below >= 0 else below
            names[start] = entered(new, cells[start], children)
        start += 1 + n_children
    for i in range(len(roots)):
        if roots[i] >= 0:
            roots[i] = names[roots[i] & _PLACES]


@njit(cache=True, nogil=True)
def rehash(nodes: Nodes) -> None:
    """Fill the empty hash table of a table of nodes."""
    cells, slots, last = nodes.cells, nodes.slots, np.uint64(len(nodes.slots) - 1)
    start = 0
    while start < nodes.counts[1]:
        size = nodes.size[cells[start]]
        h = _hash(cells[start], cells[start + 1 :], size)
        slot = h & last
        while slots[slot]:
            slot = (slot + np.uint64(1)) & last
        slots[slot] = int(h >> _TAG) << PLACE | (start + 1)
        start += 1 + size


@njit(cache=True, nogil=True)
def terminals(nodes: Nodes, roots: Int64s, marks: npt.NDArray[np.bool_]) -> Int64s:
    """The values at the ends of some diagrams, some of them several times.

    ``marks``, one for each cell, are false at first, and true afterwards for the nodes of the diagrams.
    """
    cells, top, n = nodes.cells, -1, 0
    for root in roots:
        if root < 0:
            n += 1
        else:
            marks[root & _PLACES] = True
            top = max(top, root & _PLACES)
    for start in range(top, -1, -1):
        if marks[start]:
            for c in range(start + 1, start + 1 + nodes.size[cells[start]]):
                if cells[c] < 0:
                    n += 1
                else:
                    marks[cells[c] & _PLACES] = True
    found, n = np.empty(n, np.int64), 0
    for root in roots:
        if root < 0:
            found[n] = root + ORIGIN
            n += 1
    for start in range(top, -1, -1):
        if marks[start]:
            for c in range(start + 1, start + 1 + nodes.size[cells[start]]):
                if cells[c] < 0:
                    found[n] = cells[c] + ORIGIN
                    n += 1
    return found


@njit(cache=True, nogil=True)
def mapped(
    nodes: Nodes, roots: Int64s, marks: npt.NDArray[np.bool_], images: tuple[Int64s, Int64s], names: Int64s
) -> bool:
    """Put other values in the place of those of some diagrams, whose nodes are marked.

    ``images`` are the values, ascending, and what takes their places; ``names`` has room for the new
    reference of each node, by its place. False, and nothing is changed, if there is no room for as many nodes
    again.
    """
    cells, n_cells = nodes.cells, nodes.counts[1]
    values, after = images
    n = 0
    for start in range(n_cells):
        n += marks[start]
    if not has_room(nodes, n):
        return False
    children = np.empty(nodes.size.max(), np.int64)
    start = 0
    while start < n_cells:
        size = nodes.size[cells[start]]
        if marks[start]:
            for c in range(size):
                below = cells[start + 1 + c]
                if below < 0:
                    children[c] = after[np.searchsorted(values, below + ORIGIN)] - ORIGIN
                else:
                    children[c] = names[below & _PLACES]
            names[start] = entered(nodes, cells[start], children)
        start += 1 + size
    for i in range(len(roots)):
        if roots[i] < 0:
            roots[i] = after[np.searchsorted(values, roots[i] + ORIGIN)] - ORIGIN
        else:
            roots[i] = names[roots[i] & _PLACES]
    return True
