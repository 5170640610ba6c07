"""Value diagrams beside what they stand for: a table with the value of every state."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from cases import TIMES
from holdfast.errors import LimitError
from holdfast.logic.diagrams import Diagrams
from holdfast.logic.expressions import Variable
from holdfast.operation.brackets import value_diagrams
from holdfast.operation.brackets.value_diagrams import (
    ALWAYS,
    HIGHEST,
    INFINITE,
    LOWEST,
    NEVER,
    ValueDiagrams,
    constant,
)

N_GAMES = 30 * TIMES
ROOM = 1 << 24


class Functions:
    """Random functions of a few variables, as diagrams and as tables."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        sizes = [self.rng.randint(2, 4) for _ in range(self.rng.randint(1, 5))]
        self.diagrams = Diagrams([Variable(f"v{i}", range(size)) for i, size in enumerate(sizes)])
        self.table = ValueDiagrams(self.diagrams, ROOM)
        self.states = list(itertools.product(*map(range, sizes)))

    def function(self, values):
        """A function with these values, each in a few cubes, and the table of it."""
        chosen, d = self.rng.sample(values, min(3, len(values))), self.diagrams
        parts = dict.fromkeys(chosen, d.false)
        otherwise, free = self.rng.choice(values), d.valid
        for value in chosen * 2:
            cube = d.valid
            for variable in self.rng.sample(d.variables, self.rng.randint(0, len(d.variables))):
                cube &= d.cube(variable, self.rng.randrange(len(variable.values)))
            parts[value] |= cube & free
            free &= ~cube
        root = self.table.function(parts.items(), otherwise)
        table = {}
        for state in self.states:
            point = d.point({v.name: code for v, code in zip(d.variables, state)})
            table[state] = next((v for v in parts if parts[v].eval(point)), otherwise)
        return root, table

    def move(self):
        """A move that changes some variables, as an array and as a function of states."""
        move = self.table.stay.copy()
        for level in self.rng.sample(range(len(move)), self.rng.randint(0, len(move))):
            size = len(self.diagrams.variables[level].values)
            move[level, :size] = [self.rng.randrange(size) for _ in range(size)]
        return move, lambda state: tuple(int(move[i, code]) for i, code in enumerate(state))

    def read(self, root):
        """The table of a diagram."""
        return {state: self.table.value(root, np.array(state, np.int64)) for state in self.states}


FINITE = list(range(-6, 7))
VALUES = [*FINITE, -INFINITE, INFINITE]


def literal(kind: int, one: int, other: int, low: int, high: int) -> int:
    """What an operation makes of two values, once more, by cases."""
    infinite = {INFINITE, -INFINITE}
    if kind in (value_diagrams.LARGEST, value_diagrams.LEAST, value_diagrams.SECOND):
        return {value_diagrams.LARGEST: max(one, other), value_diagrams.LEAST: min(one, other)}.get(
            kind, other
        )
    if kind in (value_diagrams.MIXED_DOWN, value_diagrams.MIXED_UP):
        down = kind == value_diagrams.MIXED_DOWN
        if {one, other} & infinite:
            return -INFINITE if down else INFINITE
        exact = one * (high - low) + other * low
        return exact // high if down else -(-exact // high)
    if kind in (value_diagrams.SUM_BELOW, value_diagrams.SUM_ABOVE):
        if {one, other} & infinite:
            return other if other in infinite else one
        if low <= one + other <= high:
            return one + other
        under = one + other < low
        if kind == value_diagrams.SUM_BELOW:
            return -INFINITE if under else high
        return low if under else INFINITE
    if kind == value_diagrams.AT_LEAST:
        return -INFINITE if other < low else one
    if kind == value_diagrams.AT_MOST:
        return INFINITE if other > high else one
    sign = 1 if kind == value_diagrams.GROWTH_BELOW else -1
    if other in infinite:
        return sign * INFINITE
    return -sign * INFINITE if one in infinite else one - other


@pytest.mark.parametrize("kind", range(11))
def test_operations(kind):
    """Should make the same of two functions, a set and a move as going through all states."""
    for seed in range(N_GAMES):
        some = Functions(seed)
        bounds = (some.rng.randint(0, 3), 4) if kind in (3, 4) else (-some.rng.randint(0, 9), 5)
        one, ones = some.function(VALUES)
        other, others = some.function(VALUES)
        guard, guards = some.function([0, 1])
        move, moved = some.move()
        root = some.table.combined(kind, one, other, guard, move, *bounds)
        expected = {
            s: literal(kind, ones[s], others[moved(s)], *bounds) if guards[s] else ones[s]
            for s in some.states
        }
        assert some.read(root) == expected, seed
        assert some.table.combined(value_diagrams.SECOND, NEVER, root) == root


def test_best_after():
    """Should choose the best of all moves as trying each of them in every state does."""
    for seed in range(N_GAMES):
        some = Functions(seed)
        kind = some.rng.choice((value_diagrams.LARGEST, value_diagrams.LEAST))
        goal, goals = some.function(VALUES)
        moves = []
        for _ in range(some.rng.randint(0, 5)):
            guard = (
                some.function([0, 1]) if some.rng.random() < 0.7 else (ALWAYS, dict.fromkeys(some.states, 1))
            )
            moves.append((guard, some.move()))
        root = some.table.best_after(kind, [(guard[0], move[0]) for guard, move in moves], goal)
        best, nothing = (max, -INFINITE) if kind == value_diagrams.LARGEST else (min, INFINITE)
        expected = {
            s: best([goals[moved(s)] for (_, guards), (_, moved) in moves if guards[s]], default=nothing)
            for s in some.states
        }
        assert some.read(root) == expected, seed


def test_equal_functions_are_one():
    """Should give one reference to functions that are equal, and keep what is needed when it collects."""
    for seed in range(N_GAMES):
        some = Functions(seed)
        some.function(VALUES)
        some.table.settle()
        functions = [some.function([0, 1]) for _ in range(6)]
        for one, ones in functions:
            for other, others in functions:
                assert (one == other) == (ones == others), seed
        kept = functions[::2]
        before = some.table.n_nodes
        roots = some.table.collect([root for root, _ in kept])
        assert some.table.n_nodes <= before
        assert [some.read(root) for root in roots] == [table for _, table in kept]
        again = some.table.combined(value_diagrams.LARGEST, roots[0], roots[1])
        assert some.read(again) == {s: max(kept[0][1][s], kept[1][1][s]) for s in some.states}


def test_extremes():
    """Should find the least and the greatest value, one of them being ignored."""
    for seed in range(N_GAMES):
        some = Functions(seed)
        root, table = some.function(VALUES)
        ignored = some.rng.choice(VALUES)
        rest = [value for value in table.values() if value != ignored]
        assert some.table.extremes(root, ignored) == (
            min(rest, default=INFINITE),
            max(rest, default=-INFINITE),
        )


def test_room(monkeypatch):
    """Should grow from next to nothing, and refuse to outgrow its memory."""
    monkeypatch.setattr(value_diagrams, "FIRST_NODES", 2)
    test_operations(value_diagrams.LARGEST)
    test_best_after()
    some = Functions(3)
    small = ValueDiagrams(some.diagrams, 200)
    with pytest.raises(LimitError, match="outgrew"):
        for code in range(4):
            small.function([(code, some.diagrams.cube(v, 0)) for v in some.diagrams.variables[:1]], 9)
            small.function([(code, some.diagrams.cube(v, 1)) for v in some.diagrams.variables[1:2]], 9)
    assert constant(-INFINITE) == LOWEST < constant(INFINITE) == HIGHEST < 0
