"""The shielded-reachable set R of a symbolic solution, by chaining in growing prefixes.

Breadth-first frontiers of R have diagrams far larger than R itself. Two habits keep them small.
*Chaining*: the moves that assign one variable are applied to the growing sets until nothing is added,
before the next variable's turn. *Prefixes*: the topmost variables are closed completely before more are
let in, a quarter more each time; sets that are closed under some moves are simple, sets that are half
closed are not.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from holdfast.budget import Budget
from holdfast.engines.product_diagrams import MoveGroup, Piece, image
from holdfast.logic.diagrams import Diagram
from holdfast.logic.expressions import Player

if TYPE_CHECKING:
    from holdfast.engines.product_diagrams import ProductDiagrams, Sets

GROWTH = 1.25


def reachable_sets(product: ProductDiagrams, winning: Sets, budget: Budget) -> Sets:
    """R by turn and block."""
    search = _Chaining(product, winning)
    levels = sorted({p.level for groups in product.groups.values() for g in groups for p in g.pieces}) or [0]
    n_open = 0
    while n_open < len(levels):
        n_open = min(len(levels), max(n_open + 1, int(n_open * GROWTH)))
        grown = True
        while grown:
            grown = False
            for i, level in enumerate(levels[:n_open]):
                budget.tick(f"safe play: variable {i + 1} of {n_open}, {len(levels)} in all")
                grown = search.close(level) or grown
    return search.seen


class _Chaining:
    """The sets found so far, and what has already been tried on them."""

    def __init__(self, product: ProductDiagrams, winning: Sets) -> None:
        self.n_blocks, self.tidied = product.blocks.n_blocks, product.diagrams.tidied
        false, initial = product.diagrams.false, product.configuration.initial
        self.seen: Sets = {player: [false] * self.n_blocks for player in Player}
        start = product.blocks.number(initial)
        assert start is not None
        self.seen[initial.turn][start] = product.diagrams.state(
            product.configuration.game.codes(initial.state)
        )
        self.moves = [(turn, group) for turn in Player for group in product.groups[turn]]
        self.done: dict[tuple[int, Player, int, int], Diagram] = {}
        # Where each class of moves may lead from each block without leaving W.
        self.doors = {
            (turn, group.kind, block): [
                (target, condition & winning[turn.opponent][target])
                for target, condition in product.edges[group.kind][block].items()
                if target is not None
            ]
            for turn, group in self.moves
            for block in range(self.n_blocks)
            if not (turn is Player.ADVERSARY and product.blocks.is_sink(block))
        }

    def close(self, level: int) -> bool:
        """Apply the moves that assign the variable at ``level``, and those that stay, to a fixpoint."""
        ever, grown = False, True
        pieces = {id(group): [p for p in group.pieces if p.level == level] for _, group in self.moves}
        while grown:
            grown = False
            for turn, group in self.moves:
                for block in range(self.n_blocks):
                    key, states = (level, turn, group.kind, block), self.seen[turn][block]
                    if not states.satisfiable() or self.done.get(key) == states:
                        continue
                    new = self.tidied(partial(self.advance, turn, group, block, pieces[id(group)]))
                    for target, after in new.items():
                        self.seen[turn.opponent][target] = after
                    self.done[key] = states
                    grown = grown or bool(new)
            ever = ever or grown
        return ever

    def advance(self, turn: Player, group: MoveGroup, block: int, pieces: list[Piece]) -> dict[int, Diagram]:
        """The sets that grow by what the moves lead to; nothing is written, so it may be repeated."""
        states, grown = self.seen[turn][block], {}
        moved = states & group.stay
        for piece in pieces:
            moved |= image(piece, states)
        for target, door in self.doors.get((turn, group.kind, block), ()):
            before = self.seen[turn.opponent][target]
            after = before | (moved & door)
            if after != before:
                grown[target] = after
        return grown


def _menu(states: Diagram, goal: Diagram, piece: Piece) -> Diagram:
    """Where, among the states, the piece would lead into the goal."""
    return states & goal.substitute(piece.substitution)


def count_permitted(product: ProductDiagrams, seen: list[Diagram], winning: Sets, budget: Budget) -> int:
    """Σ |Safe(v)| over the defender positions of R: each action counts, whatever it does."""
    d, total = product.diagrams, 0
    for block, states in enumerate(seen):
        for group in product.groups[Player.DEFENDER] if states.satisfiable() else ():
            goal = product.goal(group.kind, block, winning[Player.ADVERSARY], unsafe=False)
            kept = states & goal
            moved = []
            for i, piece in enumerate(group.pieces):
                budget.tick(f"menus: {i + 1} of {len(group.pieces)}")
                moved.append(d.tidied(partial(_menu, states, goal, piece)))
            for own, stay in group.actions:
                total += d.count(kept & stay) + sum(d.count(moved[i] & guard) for i, guard in own)
    return total
