"""Lanes: the turns and blocks (:mod:`holdfast.solver.quotient`) that values are kept for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from holdfast.logic import Player
from holdfast.solver import ProductDiagrams

TurnBlock = tuple[Player, int]
"""A turn and a block."""


def lanes_of(
    product: ProductDiagrams, besides: Callable[[TurnBlock], Iterable[TurnBlock]] = lambda lane: ()
) -> tuple[TurnBlock, ...]:
    """The lanes that play from v₀ can come to, as far as the automata tell.

    Args:
        besides: where a lane can lead to other than by a move, as by a reset.
    """
    initial = product.configuration.initial
    block = product.blocks.number(initial)
    assert block is not None
    todo, seen = [(initial.turn, block)], {(initial.turn, block)}
    while todo:
        lane = todo.pop()
        fresh = [
            one for one in dict.fromkeys([*_after_moves(product, lane), *besides(lane)]) if one not in seen
        ]
        seen.update(fresh)
        todo += fresh
    return tuple(sorted(seen, key=lambda lane: (lane[0].value, lane[1])))


def _after_moves(product: ProductDiagrams, lane: TurnBlock) -> list[TurnBlock]:
    turn, block = lane
    if turn is Player.ADVERSARY and product.blocks.is_sink(block):
        return []
    kinds = dict.fromkeys(product.move_class[turn])
    return [(turn.opponent, t) for kind in kinds for t in product.edges[kind][block] if t is not None]
