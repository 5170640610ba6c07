"""The explicit engine: every position in an array, its rank found synchronously (alg:attractor).

The array runs over (turn, block, valuation), see :mod:`holdfast.solver.quotient`. There are two ways, with
the same ranks. *Compiled* (:mod:`holdfast.solver.attractor_kernels`): every move is looked at once,
backwards, from the shell it leads into. *Swept*: each iteration visits the undecided positions with NumPy,
O(k_max · (|V_D|·|Act_D| + |V_A|·|Act_A|)) gathers at worst. Loading a compiler takes longer than sweeping a
small game, so that is what small games get unless the compiler is there already, and games whose moves would
not fit in the memory three times over. Memory besides: that of :mod:`holdfast.solver.product_tables`, and a
rank and a count for each position.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from holdfast.arrays import Array, distinct
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import NO_SUCCESSOR, Configuration, Position, State
from holdfast.logic import Player, Variable
from holdfast.solver.array_positions import ArrayPositions
from holdfast.solver.engines import Solver, solve as solve_by
from holdfast.solver.product_tables import CHUNK, TURNS, UNSAFE, ProductTables, chunks
from holdfast.solver.solution import Reach, Solution, known_so_far

if TYPE_CHECKING:
    from holdfast.game import Interventions, ResponseLayers
    from holdfast.solver.beliefs import BeliefSolution
    from holdfast.solver.recovery import ProofSections
    from holdfast.solver.symbolic import DiagramRegions

_Answer = TypeVar("_Answer")

BYTES_PER_MOVE = 12
SWEPT = 12_000_000
"""Up to so many gathers (valuations · actions · blocks) a sweep takes less time than loading the compiler."""

Visit = Callable[[int, Array, list[tuple[Array, Array]]], None]
"""Takes a turn, some of its positions, and for each action where it is safe and where it leads."""

JumpsOfTurn = Callable[[int, Array], Array]
"""Where resets lead from some positions of a turn, as positions of the turn."""


@dataclass(frozen=True)
class ArrayRegions:
    """Ranks of all positions outside U, −1 on W, by (turn, block, valuation); and the game as arrays."""

    tables: ProductTables
    ranks: Array = field(repr=False)

    @property
    def gambling(self) -> bool:
        """Whether some choice of the defender has several outcomes."""
        return self.tables.gambling

    @property
    def listable(self) -> bool:
        """Its positions are listed already."""
        return True

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        place = self.tables.place(position)
        if place is None:
            return 0
        rank = int(self.ranks[place])
        return rank if rank > 0 else None

    def winning(self) -> ArrayPositions:
        """W."""
        return ArrayPositions(self.tables, self.ranks < 0)

    def lost(self, k: int) -> ArrayPositions:
        """From where the adversary forces a violation within k moves."""
        return ArrayPositions(self.tables, (self.ranks > 0) & (self.ranks <= k))

    def conceding(
        self,
        clause: int,
        among: ArrayPositions,
        *,
        by: ProductTables | None = None,
        budget: Budget = UNLIMITED,
    ) -> ArrayPositions:
        """Where a defender move lets the adversary violate a clause of φ_D at once, among some positions."""
        inside = (among.post(by=by, budget=budget) & self.lost(1)).inside.copy()
        own = inside[TURNS.index(Player.ADVERSARY)].reshape(-1)
        for part in chunks(np.flatnonzero(own)):
            budget.tick("which clauses are violated")
            own[part] = self.tables.violates(clause, *np.divmod(part, self.tables.n))
        return ArrayPositions(self.tables, inside).pre(among, by=by, budget=budget)

    @property
    def waiting(self) -> ProductTables:
        """The game in which a move is made only where it leaves the state as it is."""
        return self.tables.waiting

    @property
    def each_outcome(self) -> ProductTables:
        """The game in which the defender chooses what comes of its choices."""
        return self.tables.each_outcome

    def safe_play(self, budget: Budget = UNLIMITED) -> ArrayPositions:
        """R."""
        return ArrayPositions(self.tables, self.reached(budget))

    def only(self, actions: tuple[int, ...], own: Player = Player.DEFENDER) -> ProductTables:
        """The game in which a player has some of its actions alone."""
        return self.tables.only(actions, own)

    def frozen(self, variables: Collection[Variable], state: State) -> ProductTables:
        """The game in which variables keep their values of a state, without moves that write or copy them."""
        return self.tables.frozen(variables, state)

    def staying(self, variables: Collection[Variable]) -> ProductTables:
        """All of the game: on arrays each position is asked for by itself, so that nothing would be saved."""
        return self.tables

    def waited_out(self, lost: Any, bound: Any, attackers: Any, free: Any, budget: Budget) -> Any:
        """No more than is known: on arrays it takes as long as looking for it step by step."""
        return lost

    def loosened(self, by: Any) -> Any:
        """The game as it is: on arrays no other one is followed sooner."""
        return by

    def followed(self, start: Any, by: Any, budget: Budget) -> Any:
        """What play reaches from some winning positions without leaving W."""
        winning, reached, newest = self.winning(), start, start
        while newest:
            newest = (newest.post(by=by, budget=budget) & winning) - reached
            reached |= newest
        return reached

    def run(self, what: str, work: Callable[[], _Answer]) -> _Answer:
        """What some work gives: arrays need no care."""
        return work()

    def safe_actions(self, position: Position) -> tuple[int, ...]:
        """Safe(v), ascending; empty outside W."""
        block = self.tables.blocks.number(position)
        if block is None or self.rank(position) is not None:
            return ()
        row = np.array([self._index(position)])
        moves = list(self.tables.outcomes(self.ranks, position.turn, block, row))
        numbers = list(range(len(moves)))
        if position.turn is Player.DEFENDER:
            numbers = [outcomes[0] for outcomes in self.tables.choices[position.turn]]
        return tuple(action for action in numbers if moves[action][0][0] and moves[action][1][0] < 0)

    def reach(self, budget: Budget = UNLIMITED) -> Reach:
        """R in numbers."""
        menus = np.zeros(3, dtype=np.int64)

        def visit(t: int, part: Array, moves: list[tuple[Array, Array]]) -> None:
            budget.tick("safe play")
            if TURNS[t] is Player.DEFENDER:
                self._add_menus(menus, part % self.tables.n, [safe for safe, _ in moves])

        seen = self.reached(budget, visit)
        n_defender = int(seen[TURNS.index(Player.DEFENDER)].sum())
        return Reach(int(seen.sum()), n_defender, *map(int, menus))

    def _add_menus(self, menus: Array, rows: Array, safe: list[Array]) -> None:
        """Count the choices that are permitted, that change the state, and that do both."""
        after = self.tables.successors[Player.DEFENDER]
        for outcomes in self.tables.choices[Player.DEFENDER]:
            moved = [after[action][rows] for action in outcomes]
            changed = np.logical_or.reduce([one != rows for one in moved])
            changed &= np.logical_and.reduce([one != NO_SUCCESSOR for one in moved])
            permitted = safe[outcomes[0]]
            menus += permitted.sum(), changed.sum(), (permitted & changed).sum()

    def reached(
        self, budget: Budget = UNLIMITED, visit: Visit | None = None, resets: JumpsOfTurn | None = None
    ) -> Array:
        """R by breadth-first search, a turn at a time.

        Args:
            visit: is shown the safe moves of all positions; it ticks, since it knows what for.
            resets: where else play goes on, beside the safe moves.
        """
        tables, n = self.tables, self.tables.n
        initial = tables.configuration.initial
        start, t = tables.blocks.number(initial), TURNS.index(initial.turn)
        assert start is not None
        seen = np.zeros((2, tables.blocks.n_blocks * n), dtype=bool)
        frontier = np.array([start * n + self._index(initial)])
        while len(frontier):
            seen[t, frontier] = True
            jumped = frontier
            while resets is not None and len(jumped):
                targets = distinct(resets(t, jumped))
                jumped = targets[~seen[t, targets]]
                seen[t, jumped] = True
                frontier = np.append(frontier, jumped)
            if visit is None:
                budget.tick(f"safe play: {int(seen.sum()):,} positions")
            entered = np.zeros(seen.shape[1], dtype=bool)
            for part in chunks(frontier, CHUNK if visit is None else CHUNK // 4):
                moves = []
                outcomes = tables.outcomes(self.ranks, TURNS[t], *np.divmod(part, n))
                for admissible, rank, key in outcomes:
                    safe = admissible & (rank < 0)
                    entered[key[safe]] = True
                    if visit is not None:
                        moves.append((safe, key))
                if visit is not None:
                    visit(t, part, moves)
            t = 1 - t
            frontier = np.flatnonzero(entered & ~seen[t])
        return seen.reshape(self.ranks.shape)

    def as_arrays(self, budget: Budget = UNLIMITED) -> ArrayRegions:
        """These regions, which are arrays already."""
        return self

    def as_diagrams(self, budget: Budget = UNLIMITED) -> DiagramRegions:
        """Solved again by the symbolic engine.

        Raises:
            InputError: for a tabulated game.
            LimitError: past the budget.
        """
        return solve_by(self.tables.configuration, "symbolic", budget).regions.as_diagrams(budget)

    def witness(self, settled: dict[Position, int] | None, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """Numbers for each plane and valuation; see :mod:`holdfast.solver.witnesses`."""
        from holdfast.solver.witnesses import array_witness

        return array_witness(self, settled)

    def recovery_witness(
        self, proof: ProofSections, settled: Sequence[Position] | None, budget: Budget = UNLIMITED
    ) -> dict[str, Any]:
        """Numbers for each plane and valuation; see :mod:`holdfast.solver.recovery_witnesses`."""
        from holdfast.solver.recovery_witnesses import array_recovery_witness

        return array_recovery_witness(self, proof, settled, budget)

    def belief_witness(self, answer: BeliefSolution, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """Positions by their numbers; see :mod:`holdfast.solver.belief_witnesses`."""
        from holdfast.solver.belief_witnesses import array_belief_witness

        return array_belief_witness(self, answer, budget)

    def response(self, actions: Interventions) -> ResponseLayers:
        """See :mod:`holdfast.solver.layers`."""
        from holdfast.solver.layers import RegionLayers

        return RegionLayers(self, self.tables.configuration, actions)

    def _index(self, position: Position) -> int:
        return self.tables.configuration.game.index(position.state)


def solve(configuration: Configuration, budget: Budget = UNLIMITED) -> Solution:
    """Solve on arrays; factored and tabulated games alike.

    Raises:
        LimitError: when the arrays would not fit in the memory.
    """
    tables = ProductTables.build(configuration, budget)
    ranks = np.full((2, tables.blocks.n_blocks, tables.n), -1, dtype=np.int32)
    shells: list[int] = []
    find = compiled_shells if _is_compiled(tables, budget) else swept_shells
    try:
        for absorbed in find(tables, ranks, budget):
            shells.append(sum(n * tables.blocks.multiplicity(block) for block, n in enumerate(absorbed)))
            budget.tick(f"rank {len(shells)}: {shells[-1]:,} positions")
    except LimitError as stop:
        ranks[ranks > len(shells)] = -1
        stop.known = known_so_far(configuration, shells, ArrayRegions(tables, ranks))
        raise
    ranks.setflags(write=False)
    return Solution(configuration, "explicit", tuple(shells), ArrayRegions(tables, ranks))


def _is_compiled(tables: ProductTables, budget: Budget) -> bool:
    """Whether the compiled way is quicker, and its lists of moves still fit in the memory."""
    if tables.gambling:
        return False  # a move counts once, whichever of its outcomes is lost first
    need = BYTES_PER_MOVE * tables.n_moves + 3 * tables.targets.nbytes
    return need <= budget.memory and (tables.n_gathers > SWEPT or "numba" in sys.modules)


def compiled_shells(tables: ProductTables, ranks: Array, budget: Budget) -> Iterator[list[int]]:
    """Write the ranks shell by shell; how many positions of each block a shell has."""
    from holdfast.solver.attractor_kernels import absorb, arrivals

    budget.tick("listing the moves backwards")
    blocks, sides, moves = tables.blocks, [], []
    for turn, own in zip(TURNS, ranks, strict=True):
        kinds = np.array(tables.move_class[turn], dtype=np.int32)
        listed, degree = arrivals(tables.successors[turn], kinds, len(tables.targets))
        moves.append(listed)
        # An adversary position is absorbed with its first move, a defender position with its last.
        left = np.empty(own.shape, np.int32)
        left[:] = degree if turn is Player.DEFENDER else 1
        if turn is Player.ADVERSARY:
            left[[blocks.is_sink(block) for block in range(blocks.n_blocks)]] = 0
        sides.append((own, left, np.zeros(tables.n, np.int32)))
    doomed = np.flatnonzero((tables.targets == UNSAFE).any(axis=(0, 1))).astype(np.int32)
    entered = [doomed, doomed]
    for rank in range(1, ranks.size + 2):
        absorbed, fresh = np.zeros(blocks.n_blocks, dtype=np.int64), []
        for t, turn in enumerate(TURNS):
            parts = [doomed[:0]]
            for i in range(0, len(entered[1 - t]), CHUNK):
                budget.tick(f"{turn}, rank {rank}, {i:,} of {len(entered[1 - t]):,} valuations")
                part = entered[1 - t][i : i + CHUNK]
                absorbed_by_block, valuations = absorb(
                    moves[t], tables.targets, sides[t], ranks[1 - t], part, rank
                )
                absorbed += absorbed_by_block
                parts.append(valuations)
            fresh.append(np.concatenate(parts))
        if not absorbed.any():
            return
        yield absorbed.tolist()
        entered = fresh


def swept_shells(tables: ProductTables, ranks: Array, budget: Budget) -> Iterator[list[int]]:
    """As :func:`compiled_shells`, by sweeps over what is still undecided."""
    n_blocks, n = tables.blocks.n_blocks, tables.n
    undecided = [np.arange(n_blocks * n) for _ in TURNS]
    for rank in range(1, ranks.size + 2):
        masks = [_attracted(tables, ranks, turn, undecided[t], budget) for t, turn in enumerate(TURNS)]
        absorbed = np.zeros(n_blocks, dtype=np.int64)
        for t, mask in enumerate(masks):
            lost, undecided[t] = undecided[t][mask], undecided[t][~mask]
            ranks[t].reshape(-1)[lost] = rank
            absorbed += np.bincount(lost // n, minlength=n_blocks)
        if not absorbed.any():
            return
        yield absorbed.tolist()


def _attracted(tables: ProductTables, ranks: Array, turn: Player, keys: Array, budget: Budget) -> Array:
    """Which of the undecided positions, block · n + valuation, the next iteration absorbs."""
    masks = []
    for i, part in enumerate(chunks(keys)):
        budget.tick(f"{turn}, position {i * CHUNK:,} of {len(keys):,}")
        lost = np.full(len(part), turn is Player.DEFENDER)
        for admissible, rank, _ in tables.outcomes(ranks, turn, *np.divmod(part, tables.n)):
            if turn is Player.ADVERSARY:
                lost |= admissible & (rank >= 0)
            else:
                lost &= ~admissible | (rank >= 0)
        masks.append(lost)
    return np.concatenate(masks) if masks else np.zeros(0, dtype=bool)


SOLVER = Solver(
    key="explicit",
    question="verdict",
    description="every position in an array, solved shell by shell; any game whose positions fit the memory "
    "and have no counters",
    can=lambda configuration: not configuration.game.tallies,
    solve=solve,
)
