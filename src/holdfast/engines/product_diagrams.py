"""The product game as decision diagrams: sets of valuations, one for each turn and block.

For a set T of positions and a class of moves, the *goal* of a block is the set of successor valuations
whose letter leads into T. The predecessor under an action is then the goal with the action's assignment
composed into it; the adversary joins its actions by ∨, the defender by ∧.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from holdfast.engines.letters import Edges, block_edges
from holdfast.engines.moves import MoveGroup, can_enter, group_moves, must_enter
from holdfast.engines.quotient import Blocks, classify_moves
from holdfast.logic.diagrams import Diagram, Diagrams
from holdfast.logic.expressions import Player, Variable
from holdfast.product import Configuration

CACHE = 1 << 18

Sets = dict[Player, list[Diagram]]
"""For each turn, one set of valuations for each block."""


@dataclass(frozen=True)
class ProductDiagrams:
    """The quotient of the product game, as diagrams.

    Attributes:
        groups: for each player its moves by class of letters.
        edges: for a class and a block, where its letters lead.
    """

    configuration: Configuration
    blocks: Blocks
    diagrams: Diagrams
    groups: dict[Player, tuple[MoveGroup, ...]]
    edges: tuple[tuple[Edges, ...], ...]

    @classmethod
    def build(
        cls,
        configuration: Configuration,
        order: tuple[Variable, ...],
        n_nodes: int,
        tick: Callable[[], None],
    ) -> ProductDiagrams:
        """Lay out the variables, translate letters and moves."""
        blocks = Blocks.of(configuration)
        diagrams = Diagrams(order, n_nodes, CACHE)
        classes, move_class = classify_moves(configuration)
        return cls(
            configuration,
            blocks,
            diagrams,
            {p: group_moves(diagrams, configuration.game.actions[p], move_class[p], tick) for p in Player},
            tuple(block_edges(diagrams, blocks, left) for left in classes),
        )

    def goal(self, kind: int, block: int, targets: list[Diagram], unsafe: bool) -> Diagram:
        """Successor valuations whose letter leads from ``block`` into the targets (or into U)."""
        goal = self.diagrams.false
        for target, condition in self.edges[kind][block].items():
            if target is None:
                goal |= condition if unsafe else self.diagrams.false
            else:
                goal |= condition & targets[target]
        return goal

    def attracted(self, attractor: Sets, newest: Sets | None, tick: Callable[[], None]) -> Sets:
        """One synchronous iteration: the positions whose owner is drawn into the attractor.

        The first iteration (``newest`` None) starts from U, later ones from the last shell. Blocks
        with the same goal share the work.
        """
        found: Sets = {player: [] for player in Player}
        entered = attractor if newest is None else newest
        known: dict[tuple[Player, int, Diagram], Diagram] = {}
        for block in range(self.blocks.n_blocks):
            reached, trapped = self.diagrams.false, self.diagrams.false
            for group in () if self.blocks.is_sink(block) else self.groups[Player.ADVERSARY]:
                goal = self.goal(group.kind, block, entered[Player.DEFENDER], newest is None)
                key = Player.ADVERSARY, group.kind, goal
                if key not in known:
                    known[key] = can_enter(group, goal, tick)
                reached |= known[key]
            if self._shell_is_near(block, entered[Player.ADVERSARY], newest is None):
                trapped = self.diagrams.valid
                for group in self.groups[Player.DEFENDER]:
                    goal = self.goal(group.kind, block, attractor[Player.ADVERSARY], True)
                    key = Player.DEFENDER, group.kind, goal
                    if key not in known:
                        known[key] = must_enter(group, goal, tick)
                    trapped &= known[key]
            found[Player.ADVERSARY].append(reached)
            found[Player.DEFENDER].append(trapped)
        return found

    def _shell_is_near(self, block: int, entered: list[Diagram], unsafe: bool) -> bool:
        """Whether some defender move from the block can lead into the last shell: else nobody is trapped."""
        goals = (self.goal(group.kind, block, entered, unsafe) for group in self.groups[Player.DEFENDER])
        return any(goal.satisfiable() for goal in goals)
