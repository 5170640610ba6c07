"""The look-up table of an exported shield: multi-valued decision diagrams as numbers that any language can
walk.

A variable of more than 16 values is tested digit by digit, so that no node is wide. :func:`lay_out` numbers
the nodes from the roots down, so that the array depends on the functions and on the order of the variables,
and on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.solver import MultiValuedDiagrams, Reference

DIGIT_BITS = 4


@dataclass(frozen=True)
class Layout:
    """The array, and how the references of the table read in it.

    Attributes:
        n_answers: a reference below this is an answer; any other is the place of a node, so much higher.
        nodes: each node's test and children, one after the other.
        n_nodes: how many there are.
    """

    n_answers: int
    nodes: tuple[int, ...]
    n_nodes: int
    moved: dict[Reference, int]


def lay_out(table: MultiValuedDiagrams, roots: Iterable[Reference]) -> Layout:
    """Number the nodes under the roots, children before parents."""
    moved: dict[Reference, int] = {}
    order: list[tuple[int, list[Reference]]] = []
    n_entries, n_answers = 0, 2
    stack = [(root, False) for root in dict.fromkeys(roots)][::-1]
    while stack:
        top, closed = stack.pop()
        if top in moved:
            continue
        if top < 0:
            moved[top], n_answers = ~top, max(n_answers, ~top + 1)
            continue
        test, children = table.node(top)
        if closed:
            moved[top], n_entries = n_entries, n_entries + 1 + len(children)
            order.append((test, children))
        else:
            stack.append((top, True))
            stack += [(child, False) for child in reversed(children) if child not in moved]
    moved = {r: place if r < 0 else n_answers + place for r, place in moved.items()}
    nodes = tuple(n for test, children in order for n in (test, *(moved[child] for child in children)))
    return Layout(n_answers, nodes, len(order), moved)
