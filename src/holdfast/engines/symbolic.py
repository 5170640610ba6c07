"""The symbolic engine: a fixpoint over decision diagrams, one for each turn and block.

Since predecessors (:mod:`holdfast.engines.product_diagrams`) distribute over unions, the adversary's part
looks at the last shell only, and the defender's is skipped where no move leads into it.

Where the diagrams outgrow their nodes, the next variable order is tried (:mod:`holdfast.engines.ordering`).
"""

from __future__ import annotations

from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.diagram_regions import DiagramRegions
from holdfast.engines.ordering import variable_orders
from holdfast.engines.product_diagrams import CACHE, ProductDiagrams, Sets
from holdfast.errors import InputError, LimitError
from holdfast.logic.diagrams import Diagrams, OutOfNodes
from holdfast.logic.expressions import Player, Variable
from holdfast.product import Configuration
from holdfast.solution import Solution, known_so_far

BYTES_PER_NODE = 64
MAX_NODES = (1 << 31) - 1
N_ORDERS = 2
NOTHING_KNOWN: dict[str, object] = {"shells": [], "initial_rank": None, "defensible": None}


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


def empty_diagrams(configuration: Configuration, budget: Budget = UNLIMITED) -> Diagrams:
    """Diagrams over the variables of a game, in the order that would be tried first."""
    order = variable_orders(configuration.game, (*configuration.defender, *configuration.adversary))[0]
    return Diagrams(order, min(MAX_NODES, budget.memory // BYTES_PER_NODE), CACHE)


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
        product = ProductDiagrams.build(
            configuration, order, n_nodes, partial(budget.tick, "translating the moves")
        )
    except (LimitError, OutOfNodes) as stop:
        raise _stopped(stop, NOTHING_KNOWN) from None
    d = product.diagrams
    attractor: Sets = {player: [d.false] * product.blocks.n_blocks for player in Player}
    newest: Sets | None = None
    layers: list[Sets] = []
    shells: list[int] = []
    while True:
        try:
            tick = partial(budget.tick, f"rank {len(shells) + 1}")
            found = d.tidied(partial(product.attracted, attractor, newest, tick))
            newest = {
                p: [f & ~old & d.valid for f, old in zip(found[p], attractor[p], strict=True)] for p in Player
            }
            grown = {p: [old | new for old, new in zip(attractor[p], newest[p], strict=True)] for p in Player}
            absorbed = sum(
                d.count(states) * product.blocks.multiplicity(block)
                for player in Player
                for block, states in enumerate(newest[player])
            )
        except (LimitError, OutOfNodes) as stop:
            known = known_so_far(configuration, shells, DiagramRegions(product, tuple(layers)))
            raise _stopped(stop, known) from None
        if not absorbed:
            break
        attractor = grown
        layers.append(attractor)
        shells.append(absorbed)
        budget.tick(f"rank {len(shells)}: {absorbed:,} positions")
    return Solution(configuration, "symbolic", tuple(shells), DiagramRegions(product, tuple(layers)))
