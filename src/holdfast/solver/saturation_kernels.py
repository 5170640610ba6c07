"""The compiled loops of :mod:`holdfast.solver.saturation`.

Nodes stand in the rows of one array, a child for each code and then the level; 0 is the empty set and 1 all
that is valid below, at whatever level. Sets are told by their nodes, levels by where one is. Results are kept
in a cache that forgets: a row is what was asked, in four numbers, and the answer.

A walk that needs more nodes than there are returns FULL, and one that has taken all its steps PAUSED; what
was found by then is in the cache, and the walk is begun again.
"""

from __future__ import annotations

from typing import Any

from numba import int64, njit

FULL, PAUSED, NOTHING = -1, -2, -3
N_NODES, N_STEPS = 0, 1
"""Places in the array of counters: nodes that there are, steps that may still be taken."""
JOIN, MEET, SATURATE, FIRE = 0, 1, 2, 3
LEVELS = 1 << 11
"""More levels than there may be."""
OP, EVENT, STATES, GUARD, WITHIN, LEVEL, CODE, PHASE, CURSOR, GROWN = range(10)
"""Columns of the stack: what was asked, and how far the answer has come."""
N_COLUMNS = 10
BELOW, FIRING, CLOSING = 0, 1, 2
"""Phases: children are asked for; events of this level are fired; what an event led to is closed."""


@njit(cache=True, inline="always")
def _child(nodes: Any, node: int, code: int) -> Any:
    return node if node < 2 else nodes[node, code]


@njit(cache=True, inline="always")
def _slot(tag: int, a: int, b: int, c: int, n: int) -> Any:
    mixed = (a * 0x9E3779B1) ^ (b * 0x85EBCA77) ^ (c * 0xC2B2AE3D) ^ (tag * 0x27D4EB2F)
    mixed ^= mixed >> 15
    return (mixed * 0x2C1B3C6D >> 7) & (n - 1)


@njit(cache=True)
def make(children: Any, level: int, size: int, nodes: Any, unique: Any, counters: Any) -> Any:
    """The node of a level with some children."""
    first, same = children[0], True
    mixed = int64(level)
    for code in range(size):
        same = same and children[code] == first
        mixed = (mixed ^ children[code]) * 0x100000001B3
    if same and first < 2:
        return first
    width, mask = nodes.shape[1] - 1, len(unique) - 1
    place = (mixed ^ (mixed >> 29)) & mask
    while unique[place]:
        known = unique[place]
        if nodes[known, width] == level:
            equal = True
            for code in range(size):
                if nodes[known, code] != children[code]:
                    equal = False
                    break
            if equal:
                return known
        place = (place + 1) & mask
    node = counters[N_NODES]
    if node >= len(nodes):
        return FULL
    counters[N_NODES] += 1
    for code in range(size):
        nodes[node, code] = children[code]
    nodes[node, width] = level
    unique[place] = node
    return node


@njit(cache=True)
def move_over(old: Any, n_old: int, sizes: Any, nodes: Any, unique: Any, counters: Any) -> None:
    """Make nodes again, each with the number it had, in a larger table."""
    for node in range(2, n_old):
        level = old[node, -1]
        make(old[node], level, sizes[level], nodes, unique, counters)


@njit(cache=True)
def refill(old: Any, cache: Any) -> None:
    """Put what a cache knows into a larger one."""
    for row in old:
        if row[0] >= 0:
            cache[_slot(row[0], row[1], row[2], row[3], len(cache))] = row


@njit(cache=True)
def combine(
    op: int,
    a: int,
    b: int,
    level: int,
    base: int,
    sizes: Any,
    nodes: Any,
    unique: Any,
    cache: Any,
    stack: Any,
    work: Any,
    counters: Any,
) -> Any:
    """The union (JOIN) or the intersection (MEET) of two sets, by the rows of the stack from ``base``."""
    depth = base
    while True:
        found = NOTHING
        if a == b:
            found = a
        elif a < 2 or b < 2:
            # 1 is all of a union, 0 all of an intersection; the other of the two changes nothing.
            low, high = min(a, b), max(a, b)
            found = low if low == 1 - op else high
        else:
            a, b = min(a, b), max(a, b)
            row = cache[_slot(op, a, b, 0, len(cache))]
            if row[0] == op and row[1] == a and row[2] == b and row[3] == 0:
                found = row[4]
        if found == NOTHING:
            counters[N_STEPS] -= 1
            frame = stack[depth]
            frame[STATES], frame[GUARD], frame[LEVEL], frame[CODE] = a, b, level, 0
            depth += 1
            a, b, level = nodes[a, 0], nodes[b, 0], level + 1
            continue
        while True:
            if depth == base:
                return found
            frame = stack[depth - 1]
            code, level = frame[CODE], frame[LEVEL]
            work[depth - 1, code] = found
            code += 1
            if code < sizes[level]:
                frame[CODE] = code
                a, b, level = nodes[frame[STATES], code], nodes[frame[GUARD], code], level + 1
                break
            depth -= 1
            found = make(work[depth], level, sizes[level], nodes, unique, counters)
            if found < 0:
                return found
            a, b = frame[STATES], frame[GUARD]
            row = cache[_slot(op, a, b, 0, len(cache))]
            row[0], row[1], row[2], row[3], row[4] = op, a, b, 0, found


@njit(cache=True)
def saturate(
    states: int,
    within: int,
    sizes: Any,
    first: Any,
    events: Any,
    targets: Any,
    nodes: Any,
    unique: Any,
    cache: Any,
    stack: Any,
    work: Any,
    counters: Any,
) -> Any:
    """What events lead to from some states without leaving a set, and the states; at the first level.

    It is the answer to SATURATE: what events from a level down lead to, and the states themselves. FIRE asks
    where one event leads from there, in the midst of its guard, closed under the events further down. Column
    0 of ``events`` has the guard at the level where the event begins, 1 the level that it changes;
    ``targets`` for each code the one it becomes, or −1; ``first`` where the events of each level begin.
    """
    op, event, guard, level, depth = SATURATE, 0, 0, 0, 0
    while True:
        # What is asked: known at once, or a new row of the stack.
        found = NOTHING
        if op == SATURATE:
            if states < 2:
                found = states
        elif guard == 1 and level > events[event, 1]:
            states = combine(
                MEET, states, within, level, depth, sizes, nodes, unique, cache, stack, work, counters
            )
            if states < 0:
                return states
            op, event, guard = SATURATE, 0, 0
            if states < 2:
                found = states
        if found == NOTHING:
            tag = (event * 4 + op) * LEVELS + level
            row = cache[_slot(tag, states, guard, within, len(cache))]
            if row[0] == tag and row[1] == states and row[2] == guard and row[3] == within:
                found = row[4]
        if found == NOTHING:
            counters[N_STEPS] -= 1
            if counters[N_STEPS] < 0:
                return PAUSED
            frame = stack[depth]
            frame[OP], frame[EVENT], frame[STATES], frame[GUARD] = op, event, states, guard
            frame[WITHIN], frame[LEVEL], frame[CODE], frame[PHASE] = within, level, -1, BELOW
            frame[CURSOR], frame[GROWN] = first[level], 0
            for code in range(sizes[level]):
                work[depth, code] = 0
            depth += 1
        # What is known goes to the row above, until one of them asks for more.
        while True:
            if depth == 0:
                return found
            frame = stack[depth - 1]
            level, size, phase = frame[LEVEL], sizes[frame[LEVEL]], frame[PHASE]
            code = frame[CODE]
            asking = False
            if frame[OP] == SATURATE and phase == BELOW:
                if found != NOTHING:
                    work[depth - 1, code] = found
                code += 1
                if code < size:
                    frame[CODE] = code
                    op, event, guard, asking = SATURATE, 0, 0, True
                    states = nodes[frame[STATES], code]
                    within = _child(nodes, frame[WITHIN], code)
                else:
                    frame[PHASE], frame[CODE] = FIRING, -1
                    found = NOTHING
                    continue
            elif phase != CLOSING:
                is_fire = frame[OP] == FIRE
                e = frame[EVENT] if is_fire else frame[CURSOR]
                if found != NOTHING and code >= 0:
                    changes = events[e, 1] == level
                    target = targets[e, code] if changes else code
                    if found > 0:
                        before = work[depth - 1, target]
                        found = combine(
                            JOIN,
                            found,
                            before,
                            level + 1,
                            depth,
                            sizes,
                            nodes,
                            unique,
                            cache,
                            stack,
                            work,
                            counters,
                        )
                        if found < 0:
                            return found
                        if found != before:
                            work[depth - 1, target] = found
                            frame[GROWN] = 1
                while True:
                    if not is_fire and e >= first[level + 1]:
                        break
                    changes = events[e, 1] == level
                    before = events[e, 0] if not is_fire else frame[GUARD]
                    code += 1
                    while code < size:
                        states = _child(nodes, frame[STATES], code) if is_fire else work[depth - 1, code]
                        guard = _child(nodes, before, code)
                        target = targets[e, code] if changes else code
                        if states != 0 and guard != 0 and target >= 0:
                            within = _child(nodes, frame[WITHIN], target)
                            if within != 0 and (
                                is_fire
                                or ((target != code or not changes) and work[depth - 1, target] != within)
                            ):
                                asking = True
                                break
                        code += 1
                    if asking or is_fire:
                        break
                    e, code = e + 1, -1
                    if e >= first[level + 1] and frame[GROWN]:
                        e, frame[GROWN] = first[level], 0
                frame[CODE], frame[CURSOR] = code, e
                op, event = FIRE, e
            if asking:
                level += 1
                break
            # The answer of this row.
            if phase == CLOSING:
                node = found
            else:
                node = make(work[depth - 1], level, size, nodes, unique, counters)
                if node < 0:
                    return node
                if frame[OP] == FIRE and node > 1:
                    frame[PHASE] = CLOSING
                    op, event, states, guard, within = SATURATE, 0, node, 0, frame[WITHIN]
                    break
            tag = (frame[EVENT] * 4 + frame[OP]) * LEVELS + level
            row = cache[_slot(tag, frame[STATES], frame[GUARD], frame[WITHIN], len(cache))]
            row[0], row[1], row[2], row[3] = tag, frame[STATES], frame[GUARD], frame[WITHIN]
            row[4] = node
            if frame[OP] == SATURATE:
                row = cache[_slot(tag, node, 0, frame[WITHIN], len(cache))]
                row[0], row[1], row[2], row[3], row[4] = tag, node, 0, frame[WITHIN], node
            found = node
            depth -= 1
