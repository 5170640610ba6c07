"""The diagrams that value diagrams are made from, in an order that suits them.

A game is left in the diagrams in which it was solved if it is small, or too large to be solved several times.
Between the two it pays to lay them out anew.
Candidates for the order of the variables are tried on the first moves of a climb, all with few nodes, then
with more, until one gets through: nodes are counted, not seconds, so that the same game is always laid out in
the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice

from holdfast.budget import Budget
from holdfast.game import Configuration
from holdfast.logic import OutOfNodes, Variable
from holdfast.operation.brackets.climbs import Reference, SideBound, climb, first_window
from holdfast.operation.brackets.value_game import ValueGame, value_game
from holdfast.solver import (
    BYTES_PER_NODE,
    MAX_NODES,
    DiagramPositions,
    ProductDiagrams,
    Solution,
    attractor,
    diagrams,
    variable_orders,
)

SMALL, MANY = 1_000_000, 64
"""Games of so many valuations, or of more variables than that, stay in the diagrams in which they were
solved: small ones need no better order, and for large ones it takes longer to find than it saves."""

N_ORDERS, TRIAL_MOVES = 3, 2
"""Orders that are tried beside the declared one, and moves that each has to get through."""

FIRST_NODES, MOST_NODES, ROOM = 1 << 17, 1 << 22, 2
"""Nodes that each may make at first; how many are there; how many there are for each that may be made."""

Order = tuple[Variable, ...]

Build = Callable[[Order, int], ValueGame]
"""The game in an order, with so many nodes."""


def laid_out(solution: Solution, chance: Fraction, finest: Fraction, budget: Budget) -> ValueGame:
    """The game of a solved configuration, ready for value diagrams.

    Raises:
        LimitError, OutOfNodes: past the budget.
    """
    configuration = solution.configuration
    small = configuration.game.tables is not None or configuration.game.n_valuations <= SMALL
    if small or len(configuration.game.variables) > MANY:
        regions = diagrams(solution, budget)
        return value_game(regions.product, regions.winning(), chance, finest, budget)
    n_nodes = min(MAX_NODES, budget.memory // BYTES_PER_NODE)
    build = partial(_built, configuration, chance, finest, budget)
    automata = (*configuration.defender, *configuration.adversary)
    few = islice(variable_orders(configuration.game, automata), N_ORDERS)
    orders = list(dict.fromkeys((configuration.game.variables, *few)))
    return build(_winner(orders, build), n_nodes)


def _built(
    configuration: Configuration,
    chance: Fraction,
    finest: Fraction,
    budget: Budget,
    order: Order,
    n_nodes: int,
) -> ValueGame:
    """The game in one order of its variables, solved again."""
    tick = partial(budget.tick, "bounds of DDR*: laying out value diagrams")
    product = ProductDiagrams.build(configuration, order, n_nodes, tick)
    return value_game(product, _winning(product, budget), chance, finest, budget)


def _winning(product: ProductDiagrams, budget: Budget) -> DiagramPositions:
    """W, by the attractor."""
    lost = DiagramPositions.nothing(product)
    tick = partial(budget.tick, "bounds of DDR*: laying out value diagrams")
    for grown, _ in attractor(lost, None, tick):
        lost = grown
    return ~lost


def _winner(orders: list[Order], build: Build) -> Order:
    """The order whose diagrams are smallest after the first moves; the first if none gets through them."""
    games: dict[Order, ValueGame] = {}
    for order in orders if len(orders) > 1 else ():
        with suppress(OutOfNodes):
            games[order] = build(order, MOST_NODES)
    given, sizes = FIRST_NODES, dict[Order, int]()
    while ROOM * given <= MOST_NODES and not sizes:
        for order, game in games.items():
            with suppress(OutOfNodes):
                sizes[order] = _trial(game, given)
        given *= 4
    return min(sizes, key=sizes.__getitem__) if sizes else orders[0]


def _trial(game: ValueGame, given: int) -> int:
    """How large the diagrams of both bounds are after the first moves.

    Raises:
        OutOfNodes: when more nodes are made than were given.
    """

    def watch(doing: str, done: float | None) -> None:
        if game.table.n_nodes > given:
            raise OutOfNodes
        game.budget.watch(doing, done)

    tried = replace(game, budget=replace(game.budget, watch=watch))
    reference, window = Reference.of(tried), first_window(tried)
    for lower in (True, False):
        for _ in climb(reference, SideBound(tried, lower, window), TRIAL_MOVES, TRIAL_MOVES):
            pass
    return game.table.n_nodes
