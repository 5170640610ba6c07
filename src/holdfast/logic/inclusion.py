"""Questions about the words that safety automata accept.

A word is accepted iff the run over it never leaves F. The automata are deterministic and rejection is
absorbing, so that two of them are compared by reading the same letters in both and looking at the pairs of
states that this leads to. The letters are those that some move has; the first one may also be the letter of
a start. Plays show no more than these words: a yes to inclusion is certain for plays too, a no is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.logic.automata import SafetyAutomaton, columns, feasible_masks
from holdfast.logic.vocabulary import Vocabulary

Automata = Sequence[SafetyAutomaton]
ProductState = tuple[int, ...]
"""A state of a synchronous product, clause by clause."""

Pair = tuple[ProductState, ProductState]

MAX_READS = 1_000_000
"""Letters that are read, over all pairs of automaton states, to relate two specifications."""


def accepts(automata: Automata, states: ProductState) -> bool:
    """Whether every automaton accepts in its state."""
    return all(a.accepting[q] for a, q in zip(automata, states, strict=True))


def is_empty(automaton: SafetyAutomaton) -> bool:
    """Whether an automaton accepts no word at all: nothing can satisfy the clause.

    >>> from holdfast.logic.compile import compile_formula
    >>> from holdfast.logic.expressions import Variable
    >>> vocabulary = Vocabulary((Variable("level", range(10)),))
    >>> [is_empty(compile_formula(f"G (level >= {k})", vocabulary)) for k in (9, 10)]
    [False, True]
    """
    alive = {q for q in range(automaton.n_states) if automaton.accepting[q]}
    while doomed := {q for q in alive if alive.isdisjoint(automaton.delta[q])}:
        alive -= doomed
    return alive.isdisjoint(automaton.delta[automaton.initial])


def is_included(
    one: SafetyAutomaton, other: SafetyAutomaton, vocabulary: Vocabulary, budget: Budget = UNLIMITED
) -> bool:
    """Whether every word that one accepts is accepted by the other.

    >>> from holdfast.logic.compile import compile_formula
    >>> from holdfast.logic.expressions import Variable
    >>> vocabulary = Vocabulary((Variable("level", range(10)),))
    >>> low, lower = (compile_formula(f"G (level <= {k})", vocabulary) for k in (6, 4))
    >>> is_included(lower, low, vocabulary), is_included(low, lower, vocabulary)
    (True, False)

    Raises:
        AutomatonError: for too many kinds of letters.
        LimitError: past :data:`MAX_READS`.
    """
    ends = (one.initial,), (other.initial,)
    pairs = joint_states((one,), (other,), vocabulary, [ends], budget, from_the_start=True)
    return all(accepts((other,), q) for p, q in pairs if accepts((one,), p))


def joint_states(
    one: Automata,
    other: Automata,
    vocabulary: Vocabulary,
    starts: Iterable[Pair],
    budget: Budget = UNLIMITED,
    *,
    from_the_start: bool = False,
) -> set[Pair]:
    """The pairs of states that reading the same letters leads to, as long as both sides accept.

    Args:
        starts: where to begin; these are among the pairs.
        from_the_start: whether the starts read the first letter of a word, and not that of a move.

    Raises what :func:`is_included` raises.
    """
    atoms = tuple(dict.fromkeys(atom for a in (*one, *other) for atom in a.atoms))
    letters = feasible_masks(atoms, vocabulary, budget)
    ones, others = ([columns(a, atoms, letters.masks) for a in side] for side in (one, other))
    moved = [j for j, after_move in enumerate(letters.after_moves) if after_move]
    read = range(len(letters.masks)) if from_the_start else moved
    seen = set(starts)
    waiting, later = list(seen), list[Pair]()
    while waiting or later:
        if not waiting:
            waiting, later, read = later, [], moved
        budget.tick("comparing specifications")
        if len(seen) * len(read) > MAX_READS:
            raise LimitError("the specifications have too many states to relate")
        p, q = waiting.pop()
        if accepts(one, p) and accepts(other, q):
            after = {(_read(one, ones, p, j), _read(other, others, q, j)) for j in read} - seen
            later += after
            seen |= after
    return seen


def _read(automata: Automata, read: list[list[int]], states: ProductState, j: int) -> ProductState:
    return tuple(a.delta[q][letters[j]] for a, q, letters in zip(automata, states, read, strict=True))


def same_future(rows: Sequence[Sequence[int]], kinds: Sequence[int], budget: Budget = UNLIMITED) -> list[int]:
    """For each state the number of its language: Moore's partition refinement.

    Args:
        rows: for each state its successor under each letter; an empty row for a state that is not read on.
        kinds: what tells two states apart at once, such as whether they accept.

    >>> same_future([[1, 2], [1, 2], [2, 2]], [1, 1, 0])
    [0, 0, 1]
    """
    block, n_blocks = list(kinds), len(set(kinds))
    while True:
        budget.tick("merging automaton states")
        numbers: dict[tuple[int, ...], int] = {}
        block = [
            numbers.setdefault((block[q], *[block[t] for t in row]), len(numbers))
            for q, row in enumerate(rows)
        ]
        if len(numbers) == n_blocks:
            return block
        n_blocks = len(numbers)


def languages(automaton: SafetyAutomaton) -> list[int]:
    """For each state of an automaton the number of its language."""
    return same_future(automaton.delta, automaton.accepting)
