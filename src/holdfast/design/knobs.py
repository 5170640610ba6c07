"""The numbers in the text of a clause, and the clause with another number in their place.

A *threshold* is a comparison of a term with a whole number, such as ``active >= 3``; those that cut the same
term at the same place (``active >= 3`` on one edge of an automaton, ``active < 3`` on another) are one. A
*deadline* is the bound of a temporal operator, such as ``F[<=4] p``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from holdfast.logic import (
    MIRRORED,
    Arithmetic,
    Compare,
    Expression,
    Iff,
    Implies,
    Lookup,
    Not,
    Number,
    Tally,
    Temporal,
    children,
    counted_range,
    is_local,
    rebuild,
    walk,
)

PLACE = "□"
"""Stands for the number in a template; no name or number can contain it."""

NOWHERE = 987_654_321_987
"""A bound that no clause has: it would not compile."""


@dataclass(frozen=True)
class Knob:
    """A number of a clause.

    Attributes:
        template: where it stands, with :data:`PLACE` for the number.
        value: the number.
        low, high: numbers past these change nothing more; None for a range without an upper end.
        changed: what is exchanged when the number grows by so much.
        term: of a threshold on states, what is compared.
    """

    template: str
    value: int
    low: int
    high: int | None
    changed: Callable[[int], dict[Expression, Expression]]
    term: Expression | None = None


def knobs_of(parts: list[Expression], tallies: Sequence[Tally] = ()) -> tuple[list[Knob], str]:
    """The numbers of a clause that is made of these parts; without any, why there are none.

    What is counted by ``tallies`` is never more than there is.
    """
    inside = [node for part in parts for node in walk(part)]
    compared = [node for node in inside if isinstance(node, Compare)]
    timed = [node for node in dict.fromkeys(inside) if isinstance(node, Temporal)]
    knobs = _cuts(compared, tallies) + [
        _deadline(node, node.bound) for node in timed if node.bound is not None
    ]
    exact = any(node.op in ("=", "!=") and _faced(node) is not None for node in compared)
    return knobs, "its numbers are met exactly (=); none is a limit" if exact else "it has no number to vary"


def _cuts(compared: list[Compare], tallies: Sequence[Tally]) -> list[Knob]:
    """The comparisons with a whole number, by term and by the place at which they cut it."""
    groups: dict[tuple[Expression, int], list[Compare]] = {}
    for node in compared:
        faced = _faced(node)
        if faced is not None and node.op in MIRRORED and _whole(faced[0]):
            term, op, value = faced
            groups.setdefault((term, value if op in (">=", "<") else value + 1), []).append(node)
    return [_cut(at, nodes, tallies) for (_, at), nodes in groups.items()]


def _cut(at: int, nodes: list[Compare], tallies: Sequence[Tally]) -> Knob:
    faced = _faced(nodes[0])
    assert faced is not None
    term, op, value = faced
    low, high, local = 0, None, None
    if is_local(term):  # at the one end nothing is excluded, at the other everything is
        least, most = counted_range(term, tallies)
        low, high, local = int(least) + value - at, int(most) + 1 + value - at, term
    moved = partial(_shifted, nodes)
    return Knob(f"{term} {op} {PLACE}", value, low, high, moved, local)


def _faced(node: Compare) -> tuple[Expression, str, int] | None:
    """The term, the operator and the whole number of a comparison, the number on the right; None without."""
    turned = not isinstance(node.right, Number)
    term, number = (node.right, node.left) if turned else (node.left, node.right)
    if not isinstance(number, Number) or number.value.denominator != 1:
        return None
    return term, MIRRORED.get(node.op, node.op) if turned else node.op, int(number.value)


def _shifted(nodes: list[Compare], by: int) -> dict[Expression, Expression]:
    """The comparisons with numbers larger by so much."""
    changed: dict[Expression, Expression] = {}
    for node in nodes:
        left, right = (Number(s.value + by) if isinstance(s, Number) else s for s in (node.left, node.right))
        changed[node] = Compare(node.op, left, right)
    return changed


def one_sided(formula: Expression, knob: Knob) -> bool:
    """Whether growing numbers push a formula one way only, wherever they stand in it.

    Every operator but ! -> <-> is monotone in its arguments, so that is a matter of signs: those of the
    comparisons and, under a negation or left of an arrow, turned around.

    >>> from holdfast.logic.parser import parse_formula
    >>> from holdfast.models.network import network_game
    >>> vocabulary = network_game(["GW", "DB"], [], "GW").vocabulary
    >>> for text in ("G (active >= 2)", "G (active >= 2 -> DB = C) & G (active < 2 -> DB = I)"):
    ...     formula = parse_formula(text, vocabulary)
    ...     print(one_sided(formula, knobs_of([formula])[0][0]))
    True
    False
    """
    moved = knob.changed(0)
    return len({sign for node, sign in _signed(formula, 1) if node in moved}) == 1


def _signed(node: Expression, sign: int) -> Iterator[tuple[Expression, int]]:
    """The comparisons and bounded operators of a formula: +1 where more of their number admits more words."""
    match node:
        case Compare():
            faced = _faced(node)
            yield node, sign if faced is not None and faced[1] in ("<", "<=") else -sign
            for part in (p for side in (node.left, node.right) for p in walk(side)):
                if isinstance(part, Compare | Temporal):
                    yield from ((part, s) for s in (1, -1))
            return
        case Temporal(op, _, bound, _) if bound is not None:
            yield node, -sign if op in "GR" else sign
    turned: tuple[Expression, ...] = ()
    match node:
        case Not(of):
            turned = (of,)
        case Implies(left, _):
            turned = (left,)
        case Iff(left, right):
            turned = (left, right)
    for child in children(node):
        if child not in turned or isinstance(node, Iff):
            yield from _signed(child, sign)
        if child in turned:
            yield from _signed(child, -sign)


def _deadline(node: Temporal, bound: int) -> Knob:
    marked = str(replace(node, bound=NOWHERE))  # an operator inside may have the same bound
    template = marked.replace(f"[<={NOWHERE}]", f"[<={PLACE}]")
    return Knob(template, bound, 0, None, lambda by: {node: replace(node, bound=bound + by)})


def _whole(term: Expression) -> bool:
    """Whether a term takes whole values only, so that > k means >= k + 1."""
    return not isinstance(term, Number) and all(
        not (isinstance(part, Lookup) or (isinstance(part, Arithmetic) and part.op == "/"))
        and not (isinstance(part, Number) and part.value.denominator != 1)
        for part in walk(term)
    )


def replaced(node: Expression, changed: dict[Expression, Expression]) -> Expression:
    """The expression with some of its parts exchanged; a definition that changes is written out."""
    if node in changed:
        return changed[node]
    return rebuild(node, lambda part: replaced(part, changed))
