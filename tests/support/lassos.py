"""Infinite words as lassos: random ones, and whether an automaton accepts them."""

from __future__ import annotations

from itertools import product

import reference
from holdfast.logic.automata import SafetyAutomaton


def accepts(automaton: SafetyAutomaton, word, loop) -> bool:
    """Whether the run over the lasso never leaves F."""
    q, seen, i = automaton.initial, set(), 0
    while True:
        j = i if i < len(word) else loop + (i - loop) % (len(word) - loop)
        move, state = word[j]
        q = reference.read(automaton, q, state, move)
        if not automaton.accepting[q]:
            return False
        if i >= len(word) and (q, j) in seen:
            return True
        seen.add((q, j))
        i += 1


def random_words(rng, vocabulary, n):
    """Lassos whose first letter alone has no move."""
    states = [dict(zip([v.name for v in vocabulary.variables], values)) for values in
              product(*(v.values for v in vocabulary.variables))]  # fmt: skip
    for _ in range(n):
        length = rng.randint(2, 6)
        word = [(rng.choice(vocabulary.moves) if i else None, rng.choice(states)) for i in range(length)]
        yield word, rng.randint(1, length - 1)
