"""The symbolic engine: sets of valuations as decision diagrams, one for each turn and block.

For a set T of positions and a class of moves, the *goal* of a block is the set of successor valuations
whose letter leads into T. The predecessor under an action is then the goal with the action's assignment
composed into it; the adversary joins its actions by ∨, the defender by ∧. Since predecessors distribute over
unions, the adversary's part looks at the last shell only, and the defender's is skipped where no move
leads into it.

Where the diagrams outgrow their nodes, the next variable order is tried (:mod:`holdfast.engines.ordering`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.chaining import count_permitted, reachable_sets
from holdfast.engines.letters import Edges, block_edges
from holdfast.engines.moves import Group, can_enter, group_moves, must_enter
from holdfast.engines.ordering import variable_orders
from holdfast.engines.quotient import Blocks, classify_moves
from holdfast.errors import InputError, LimitError
from holdfast.logic.diagrams import Diagram, Diagrams, OutOfNodes
from holdfast.logic.expressions import Player, Variable
from holdfast.product import Configuration, Position
from holdfast.solution import Reach, Solution, known_so_far

BYTES_PER_NODE = 64
CACHE = 1 << 18
MAX_NODES = (1 << 31) - 1
N_ORDERS = 2
NOTHING_KNOWN: dict[str, object] = {"shells": [], "initial_rank": None, "defensible": None}

Sets = dict[Player, list[Diagram]]
"""For each turn, one set of valuations for each block."""


def solve(configuration: Configuration, budget: Budget = UNLIMITED) -> Solution:
    """Solve by a fixpoint over decision diagrams; factored games only.

    Raises:
        InputError: for a tabulated game.
        LimitError: when the diagrams outgrow the memory, in every order tried.
    """
    game = configuration.game
    if game.tables is not None:
        raise InputError("the symbolic engine needs a factored game; use the explicit engine for tables")
    n_nodes = min(MAX_NODES, budget.memory // BYTES_PER_NODE)
    known = NOTHING_KNOWN
    for order in variable_orders(game, (*configuration.defender, *configuration.adversary))[:N_ORDERS]:
        try:
            return _solve(configuration, order, n_nodes, budget)
        except _MemoryLimitError as stop:
            budget.tick("out of nodes: trying another order of the variables")
            known = stop.known
    error = LimitError(
        f"the decision diagrams need more than {n_nodes:,} nodes, "
        f"all that {budget.memory / 2**30:.3g} GiB hold"
    )
    error.known = dict(known)
    raise error


class _MemoryLimitError(LimitError):
    """The nodes ran out in one order of the variables; another may fit."""


def _stopped(stop: Exception, known: dict[str, object]) -> LimitError:
    error = stop if isinstance(stop, LimitError) else _MemoryLimitError("out of nodes")
    error.known = dict(known)
    return error


def _solve(
    configuration: Configuration, order: tuple[Variable, ...], n_nodes: int, budget: Budget
) -> Solution:
    try:
        arena = Arena.build(configuration, order, n_nodes, partial(budget.tick, "translating the moves"))
    except (LimitError, OutOfNodes) as stop:
        raise _stopped(stop, NOTHING_KNOWN) from None
    d = arena.diagrams
    attractor: Sets = {player: [d.false] * arena.blocks.n_blocks for player in Player}
    newest: Sets | None = None
    layers: list[Sets] = []
    shells: list[int] = []
    while True:
        try:
            tick = partial(budget.tick, f"rank {len(shells) + 1}")
            found = d.tidied(partial(arena.attracted, attractor, newest, tick))
            newest = {
                p: [f & ~old & d.valid for f, old in zip(found[p], attractor[p], strict=True)] for p in Player
            }
            grown = {p: [old | new for old, new in zip(attractor[p], newest[p], strict=True)] for p in Player}
            absorbed = sum(
                d.count(states) * arena.blocks.multiplicity(block)
                for player in Player
                for block, states in enumerate(newest[player])
            )
        except (LimitError, OutOfNodes) as stop:
            known = known_so_far(configuration, shells, SymbolicRegions(arena, tuple(layers)))
            raise _stopped(stop, known) from None
        if not absorbed:
            break
        attractor = grown
        layers.append(attractor)
        shells.append(absorbed)
        budget.tick(f"rank {len(shells)}: {absorbed:,} positions")
    return Solution(configuration, "symbolic", tuple(shells), SymbolicRegions(arena, tuple(layers)))


@dataclass(frozen=True)
class Arena:
    """The quotient of the product game, as diagrams.

    Attributes:
        groups: for each player its moves by class of letters.
        edges: for a class and a block, where its letters lead.
    """

    configuration: Configuration
    blocks: Blocks
    diagrams: Diagrams
    groups: dict[Player, tuple[Group, ...]]
    edges: tuple[tuple[Edges, ...], ...]

    @classmethod
    def build(
        cls,
        configuration: Configuration,
        order: tuple[Variable, ...],
        n_nodes: int,
        tick: Callable[[], None],
    ) -> Arena:
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


@dataclass(frozen=True)
class SymbolicRegions:
    """The attractor after each iteration."""

    arena: Arena
    layers: tuple[Sets, ...] = field(repr=False)

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        block = self.arena.blocks.number(position)
        if block is None:
            return 0
        if not self.layers:
            return None
        bits = self.arena.diagrams.point(self.arena.configuration.game.codes(position.state))
        if not self.layers[-1][position.turn][block].eval(bits):
            return None
        return next(k for k, layer in enumerate(self.layers, 1) if layer[position.turn][block].eval(bits))

    def n_nodes(self) -> int:
        """Nodes in the diagram manager."""
        return int(self.arena.diagrams.manager.num_inner_nodes())

    def winning(self) -> Sets:
        """W by turn and block."""
        d, n_blocks = self.arena.diagrams, self.arena.blocks.n_blocks
        if not self.layers:
            return {player: [d.valid] * n_blocks for player in Player}
        return {player: [d.valid & ~lost for lost in self.layers[-1][player]] for player in Player}

    def reach(self, budget: Budget = UNLIMITED) -> Reach:
        """R by chaining; |Safe| is then counted action by action."""
        d = self.arena.diagrams
        try:
            winning = self.winning()
            seen = reachable_sets(self.arena, winning, budget)
            n_permitted = count_permitted(self.arena, seen[Player.DEFENDER], winning, budget)
            counts = {player: sum(map(d.count, seen[player])) for player in Player}
        except OutOfNodes:
            raise LimitError("the shielded-reachable set outgrew the memory for decision diagrams") from None
        return Reach(sum(counts.values()), counts[Player.DEFENDER], n_permitted)
