"""The symbolic engine: a fixpoint over decision diagrams, one for each turn and block.

The fixpoint is the attractor of :mod:`holdfast.solver.diagram_positions`. Several variable orders race for it
(:mod:`holdfast.solver.race`); what is asked of the solution, and what is written to files, does not depend on
the winner.

*Safe(v).* The states of a block in which an action is safe are one diagram, the predecessor of W under it,
and Safe(v) is one walk down each of them. The sets of a block are built and flattened when first needed.

*Arrays.* The rank of a position is the number of the first iteration that contains it, so the ranks of all
positions come from evaluating the diagrams over all valuations: nothing is solved a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any, TypeVar, cast

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Configuration, Position, State, count
from holdfast.logic import Diagram, Diagrams, OutOfNodes, Player, Variable
from holdfast.solver.chaining import followed_sets, reachable_sets
from holdfast.solver.diagram_positions import DiagramPositions, attractor
from holdfast.solver.engines import Solver
from holdfast.solver.freezing import frozen, staying
from holdfast.solver.menus import count_menus
from holdfast.solver.ordering import usual_order, variable_orders
from holdfast.solver.product_diagrams import CACHE, ProductDiagrams, violating_states, within_memory
from holdfast.solver.race import NodeWatch, race
from holdfast.solver.solution import Reach, Solution, known_so_far

if TYPE_CHECKING:
    from holdfast.game import Interventions, ResponseLayers
    from holdfast.solver.beliefs import BeliefSolution
    from holdfast.solver.explicit import ArrayRegions
    from holdfast.solver.mdd import FlatFunctions
    from holdfast.solver.recovery import ProofSections

_Answer = TypeVar("_Answer")

BYTES_PER_NODE = 64
MAX_NODES = (1 << 31) - 1
SMALL_CACHE, FEW_BITS = 1 << 14, 36
"""Games of so few bits get a smaller operation cache: the usual one takes longer to lay out than it saves."""
LARGE_CACHE, MANY_BITS, NODES_PER_ENTRY = 1 << 20, 120, 16
"""Games of more bits than that get a larger one, but one entry for so many nodes at most."""
MAX_BESIDE = 50
"""Iterations that are spent on counters that do not add up, beside half of all of them."""
MAX_LISTED = 150_000_000
"""Up to so many gathers (valuations · actions · blocks) the positions of a game are listed: some seconds."""


@dataclass(frozen=True)
class DiagramRegions:
    """The attractor after each iteration, for each turn and block; and the game as diagrams."""

    product: ProductDiagrams
    layers: tuple[DiagramPositions, ...] = field(repr=False)
    _safe: dict[tuple[Player, int], FlatFunctions] = field(default_factory=dict, init=False, repr=False)
    _reached: list[DiagramPositions] = field(default_factory=list, init=False, repr=False)
    _usual: list[DiagramRegions] = field(default_factory=list, init=False, repr=False)

    @property
    def gambling(self) -> bool:
        """Whether some choice of the defender has several outcomes."""
        return bool(self.product.gambles)

    @property
    def listable(self) -> bool:
        """Whether its positions can be listed in a second or two."""
        return self._n_gathers <= MAX_LISTED and not self._configuration.game.tallies

    @property
    def _n_gathers(self) -> int:
        game = self._configuration.game
        n_actions = sum(len(game.actions[player]) for player in Player)
        return game.n_valuations * n_actions * self.product.blocks.n_blocks

    @property
    def _configuration(self) -> Configuration:
        return self.product.configuration

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        block = self.product.blocks.number(position)
        if block is None:
            return 0
        if not self.layers:
            return None
        bits = self.product.diagrams.point(self._configuration.game.codes(position.state))
        if not self.layers[-1][position.turn][block].eval(bits):
            return None
        return next(k for k, layer in enumerate(self.layers, 1) if layer[position.turn][block].eval(bits))

    def winning(self) -> DiagramPositions:
        """W."""
        lost = self.layers[-1] if self.layers else DiagramPositions.nothing(self.product)
        return ~lost

    def lost(self, k: int) -> DiagramPositions:
        """From where the adversary forces a violation within k moves."""
        return self.layers[k - 1]

    def conceding(
        self,
        clause: int,
        among: DiagramPositions,
        *,
        by: ProductDiagrams | None = None,
        budget: Budget = UNLIMITED,
    ) -> DiagramPositions:
        """Where a defender move lets the adversary violate a clause of φ_D at once, among some positions."""
        violating = violating_states(self.product, clause, budget.tick)
        nobody = DiagramPositions.nothing(self.product).defender
        return DiagramPositions(self.product, nobody, violating).pre(among, by=by, budget=budget)

    @property
    def waiting(self) -> ProductDiagrams:
        """The game in which a move is made only where it leaves the state as it is."""
        return self.product.waiting

    @property
    def each_outcome(self) -> ProductDiagrams:
        """The game in which the defender chooses what comes of its choices."""
        return self.product.each_outcome

    def safe_play(self, budget: Budget = UNLIMITED) -> DiagramPositions:
        """R."""
        return self.reached(budget)

    def only(self, actions: tuple[int, ...], own: Player = Player.DEFENDER) -> ProductDiagrams:
        """The game in which a player has some of its actions alone."""
        return self.product.only(actions, own)

    def frozen(self, variables: Collection[Variable], state: State) -> ProductDiagrams:
        """The game in which variables keep their values of a state, without moves that write or copy them."""
        return frozen(self.product, variables, state)

    def staying(self, variables: Collection[Variable]) -> ProductDiagrams:
        """The game without moves that change some variables and none besides."""
        return staying(self.product, variables)

    def waited_out(
        self,
        lost: DiagramPositions,
        bound: DiagramPositions,
        attackers: DiagramPositions,
        free: ProductDiagrams,
        budget: Budget,
    ) -> DiagramPositions:
        """See :mod:`holdfast.solver.waiting`."""
        from holdfast.solver.waiting import drawn_back

        return drawn_back(lost, bound, attackers, free, budget)

    def loosened(self, by: ProductDiagrams) -> ProductDiagrams:
        """A game with more moves of the adversary in which play is followed at once."""
        from holdfast.solver.waiting import loosened

        return loosened(by)

    def followed(self, start: DiagramPositions, by: ProductDiagrams, budget: Budget) -> DiagramPositions:
        """What play reaches from some winning positions without leaving W."""
        with within_memory("safe play"):
            return followed_sets(start, self.winning(), by, budget)

    def run(self, what: str, work: Callable[[], _Answer]) -> _Answer:
        """What some work gives, with the garbage out of its way."""
        with within_memory(what):
            return self.product.diagrams.tidied(work)

    def safe_actions(self, position: Position) -> tuple[int, ...]:
        """Safe(v), ascending; empty outside W.

        Raises:
            LimitError: when the sets of its block outgrow the memory.
        """
        import numpy as np

        block, turn = self.product.blocks.number(position), position.turn
        if block is None or (turn is Player.ADVERSARY and self.product.blocks.is_sink(block)):
            return ()
        if self._configuration.game.tallies:
            return self._safe_here(position, block)
        if (turn, block) not in self._safe:
            with within_memory("the shield"):
                self._safe[turn, block] = self.product.diagrams.tidied(partial(self._safe_sets, turn, block))
        safe = np.flatnonzero(self._safe[turn, block].answers(position.state)).tolist()
        if turn is Player.DEFENDER and self.product.gambles:
            others = {number for gamble in self.product.gambles for number in gamble.numbers[1:]}
            safe = [action for action in safe if action not in others]
        return tuple(safe)

    def _safe_here(self, position: Position, block: int) -> tuple[int, ...]:
        """Safe(v), asked of each action; where counters are large no table of them is made."""
        winning, diagrams = self.winning(), self.product.diagrams
        bits = diagrams.point(self._configuration.game.codes(position.state))
        if not winning[position.turn][block].eval(bits):
            return ()
        sets = winning.by_action(position.turn, block)
        return tuple(number for number, states in enumerate(sets) if states.eval(bits))

    def _safe_sets(self, turn: Player, block: int) -> FlatFunctions:
        """For each action, the winning states of a block in which it is safe."""
        from holdfast.solver.mdd import MultiValuedDiagrams

        winning, diagrams = self.winning(), self.product.diagrams
        sets = [winning[turn][block] & states for states in winning.by_action(turn, block)]
        table = MultiValuedDiagrams(diagrams, self._configuration.game.variables)
        return table.flat([table.decide((states,), (1, 0)) for states in sets])

    def reached(self, budget: Budget = UNLIMITED) -> DiagramPositions:
        """R, by chaining; found once.

        Raises:
            LimitError: past the budget.
        """
        if not self._reached:
            with within_memory("safe play"):
                self._reached.append(reachable_sets(self.winning(), budget))
        return self._reached[0]

    def reach(self, budget: Budget = UNLIMITED) -> Reach:
        """R in numbers; |Safe| is counted action by action."""
        seen = self.reached(budget)
        with within_memory("safe play"):
            menus = count_menus(self.product, seen[Player.DEFENDER], self.winning(), budget)
            n_defender = seen.at(Player.DEFENDER).count(multiplicity=False)
            n_positions = seen.count(multiplicity=False)
            return Reach(n_positions, n_defender, menus.permitted, menus.effective, menus.both)

    def as_arrays(self, budget: Budget = UNLIMITED) -> ArrayRegions:
        """The rank of every position, read off the diagrams.

        Raises:
            LimitError: for a game with too many positions to list, or past the budget.
        """
        import numpy as np

        from holdfast.solver.explicit import ArrayRegions
        from holdfast.solver.mdd import NEITHER, MultiValuedDiagrams
        from holdfast.solver.product_tables import TURNS, ProductTables

        if self._configuration.game.tallies:
            raise LimitError("positions with counters of alike things are not listed")
        if not self.listable:
            raise LimitError(f"{self._configuration.n_positions:,} positions are too many to list")
        tables = ProductTables.build(self._configuration, budget)
        game, n_blocks = self._configuration.game, tables.blocks.n_blocks
        ranks = np.full((2, n_blocks, tables.n), -1, dtype=np.int32)
        diagrams = MultiValuedDiagrams(self.product.diagrams, game.variables)
        for t, turn in enumerate(TURNS):
            for block in range(n_blocks):
                own, last, lost = ranks[t, block], NEITHER, np.zeros(0, dtype=bool)
                # From the last layer down: each that still contains a position lowers its rank.
                for k in range(len(self.layers), 0, -1):
                    budget.tick(f"listing the ranks: {turn}, block {block + 1} of {n_blocks}")
                    root = diagrams.decide((self.layers[k - 1][turn][block],), (1, 0))
                    if root == NEITHER:
                        break
                    if root != last:
                        last, lost = root, diagrams.spread(root) == 1
                    own[lost] = k
        ranks.setflags(write=False)
        return ArrayRegions(tables, ranks)

    def as_diagrams(self, budget: Budget = UNLIMITED) -> DiagramRegions:
        """The regions in the usual order, so that what is read off them does not depend on who won the race.

        Raises:
            LimitError: past the budget.
        """
        configuration, own = self._configuration, self.product.diagrams
        order = usual_order(configuration.game, (*configuration.defender, *configuration.adversary))
        if order == own.variables:
            return self
        if not self._usual:
            with within_memory("the solved game, in the order in which it is written,"):
                tick = partial(budget.tick, "putting the variables in their usual order")
                cache = min(CACHE, _cache(configuration, own.n_nodes))
                product = ProductDiagrams.build(configuration, order, own.n_nodes, tick, cache)
                self._usual.append(DiagramRegions(product, self._copied(self.layers, product, tick)))
        return self._usual[0]

    def _copied(
        self, sets: Sequence[Any], product: ProductDiagrams, tick: Callable[[], None]
    ) -> tuple[DiagramPositions, ...]:
        """Sets of positions of this game as sets of a game in another order."""
        sides = (own for positions in sets for own in (positions.defender, positions.adversary))
        copied = iter(product.diagrams.copied(self.product.diagrams, chain.from_iterable(sides), tick))

        def side() -> tuple[Diagram, ...]:
            return tuple(islice(copied, product.blocks.n_blocks))

        return tuple(DiagramPositions(product, side(), side()) for _ in sets)

    def witness(self, settled: dict[Position, int] | None, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """Diagrams; see :mod:`holdfast.solver.witnesses`."""
        from holdfast.solver.witnesses import diagram_witness

        return diagram_witness(self.as_diagrams(budget), settled, budget)

    def recovery_witness(
        self, proof: ProofSections, settled: Sequence[Position] | None, budget: Budget = UNLIMITED
    ) -> dict[str, Any]:
        """Diagrams in the usual order; see :mod:`holdfast.solver.recovery_witnesses`."""
        from holdfast.solver.recovery_witnesses import diagram_recovery_witness

        usual = self.as_diagrams(budget)
        if usual is not self:
            with within_memory("the certificate"):
                tick = partial(budget.tick, "putting the variables in their usual order")
                proof = {name: self._copied(sets, usual.product, tick) for name, sets in proof.items()}
        return diagram_recovery_witness(usual, proof, settled, budget)

    def belief_witness(self, answer: BeliefSolution, budget: Budget = UNLIMITED) -> dict[str, Any]:
        """Diagrams in the usual order; see :mod:`holdfast.solver.belief_witnesses`."""
        from holdfast.solver.belief_witnesses import diagram_belief_witness

        usual = self.as_diagrams(budget)
        if usual is not self:
            with within_memory("the certificate"):
                tick = partial(budget.tick, "putting the variables in their usual order")
                beliefs = [stance.belief for stance in answer.stances] + [b.belief for b in answer.lost]
                copied = iter(self._copied(beliefs, usual.product, tick))
                answer = replace(
                    answer,
                    stances=tuple(replace(stance, belief=next(copied)) for stance in answer.stances),
                    lost=tuple(replace(lost, belief=next(copied)) for lost in answer.lost),
                )
        return diagram_belief_witness(usual, answer, budget)

    def response(self, actions: Interventions) -> ResponseLayers:
        """See :mod:`holdfast.solver.layers`."""
        from holdfast.solver.layers import RegionLayers

        return RegionLayers(self, self._configuration, actions)


def solve(configuration: Configuration, budget: Budget = UNLIMITED) -> Solution:
    """Solve by a fixpoint over decision diagrams; factored games only.

    Raises:
        LimitError: when the diagrams outgrow the memory, in every order tried.
    """
    game = configuration.game
    n_nodes = min(MAX_NODES, budget.memory // BYTES_PER_NODE)
    known: dict[str, object] = {"shells": [], "initial_rank": None, "defensible": None}
    orders = variable_orders(game, (*configuration.defender, *configuration.adversary))
    # The others have little to do: the large cache is the leader's.
    caches = chain([_cache(configuration, n_nodes)], repeat(CACHE))
    lanes = (
        DiagramFixpoint(configuration, order, n_nodes, cache, budget, known)
        for order, cache in zip(orders, caches, strict=False)
    )
    try:
        winner = race(lanes, n_nodes)
    except LimitError as stop:
        stop.known = known
        raise
    except OutOfNodes:
        error = LimitError(
            f"the decision diagrams need more than {n_nodes:,} nodes, "
            f"all that {budget.memory / 2**30:.3g} GiB hold"
        )
        error.known = known
        raise error from None
    return winner.solution


def _cache(configuration: Configuration, n_nodes: int) -> int:
    """Entries of the operation cache for a game, of which an entry takes a quarter of a node."""
    n_bits = sum((size - 1).bit_length() for size in configuration.game.shape)
    cache = SMALL_CACHE if n_bits <= FEW_BITS else CACHE if n_bits <= MANY_BITS else LARGE_CACHE
    while cache > max(n_nodes // NODES_PER_ENTRY, 1 << 10):
        cache >>= 1
    return cache


def empty_diagrams(configuration: Configuration, budget: Budget = UNLIMITED) -> Diagrams:
    """Diagrams over the variables of a game, in the usual order."""
    order = usual_order(configuration.game, (*configuration.defender, *configuration.adversary))
    n_nodes = min(MAX_NODES, budget.memory // BYTES_PER_NODE)
    return Diagrams(order, n_nodes, _cache(configuration, n_nodes), tallies=configuration.game.tallies)


class DiagramFixpoint:
    """The fixpoint in one order of the variables, as far as it has come.

    A pause loses what was done of an iteration; the nodes made for it are still there when it is done again.
    """

    def __init__(
        self,
        configuration: Configuration,
        order: tuple[Variable, ...],
        n_nodes: int,
        cache: int,
        budget: Budget,
        known: dict[str, object],
    ) -> None:
        """Nothing is done yet; what is proved on the way is noted in ``known``."""
        self.configuration, self.order, self.n_nodes, self.cache = configuration, order, n_nodes, cache
        self.budget, self.known = budget, known
        self.layers: list[DiagramPositions] = []
        self.shells: list[int] = []
        self.newest: DiagramPositions | None = None
        self.n_laid = 0

    @classmethod
    def on(cls, product: ProductDiagrams, budget: Budget) -> DiagramFixpoint:
        """The fixpoint of a game that is laid out as diagrams already."""
        d, known = product.diagrams, dict[str, object](shells=[], initial_rank=None, defensible=None)
        fixpoint = cls(product.configuration, d.variables, d.n_nodes, CACHE, budget, known)
        fixpoint.product = product
        return fixpoint

    @cached_property
    def product(self) -> ProductDiagrams:
        """The game as diagrams."""
        tick = partial(self.budget.tick, "translating the moves")
        product = ProductDiagrams.build(self.configuration, self.order, self.n_nodes, tick, self.cache)
        self.n_laid = product.diagrams.n_made
        return product

    @property
    def regions(self) -> DiagramRegions:
        """What has been found so far."""
        return DiagramRegions(self.product, tuple(self.layers))

    @property
    def solution(self) -> Solution:
        """The game solved, once the work is done."""
        shells = self.shells
        if 0 in shells:  # what is left are counters that do not add up
            shells = shells[: shells.index(0)]
        return Solution(self.configuration, "symbolic", tuple(shells), self.regions)

    def run(self, watch: NodeWatch) -> None:
        """Go on, as :class:`~holdfast.solver.race.Lane` says."""
        d = self.product.diagrams

        def tick() -> None:
            self.budget.tick(f"rank {len(self.shells) + 1}")
            d.tidy()
            watch(d.n_made)

        so_far = self.layers[-1] if self.layers else DiagramPositions.nothing(self.product)
        for lost, newest in attractor(so_far, self.newest, tick):
            self._absorb(lost, newest)
            if self.shells.count(0) > MAX_BESIDE + len(self.shells) // 2:
                break
            self.budget.tick(f"rank {len(self.shells)}: {count(self.shells[-1])} positions")

    def _absorb(self, lost: DiagramPositions, newest: DiagramPositions) -> None:
        """Note one iteration."""
        n_absorbed = newest.count()
        self.newest = newest
        self.layers.append(lost)
        self.shells.append(n_absorbed)
        if len(self.shells) > len(cast(list[int], self.known["shells"])):
            self.known["shells"] = list(self.shells)
            if self.known["initial_rank"] is None:
                self.known |= known_so_far(self.configuration, self.shells, self.regions)


SOLVER = Solver(
    key="symbolic",
    question="verdict",
    description="a fixpoint over decision diagrams; factored games, also those too large to list",
    can=lambda configuration: configuration.game.tables is None,
    solve=solve,
)
