"""The game on a power grid, and the system around it.

The state has the status of each branch (up, tripped or damaged) and of each bus (live, short, dark, or shed
by the operator), and three numbers: ``served``, the share of the load that is served in percent, rounded
down; ``overloaded``, how many branches carry more than their rating and do not trip; and ``islands``. All
but the branches and what is shed follow from these, which is why the states are listed.

The adversary trips a branch, or damages it. The operator recloses a tripped branch, repairs a damaged one,
after which it is tripped, sheds the load of a bus or restores it. Both may wait. After each of their moves
the grid settles (:mod:`holdfast.models.grid.cascades`). μ is ``served`` / 100.

Protecting a branch can only help the operator. Raising a rating or adding a parallel line can hurt: a
branch that trips early may spare the rest of the grid, and a new line moves the flows of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import (
    IN_SIGHT,
    NO_CHANCE,
    SUPPLY,
    USUAL_PREMISES,
    Action,
    Arrow,
    GameStructure,
    Graph,
    GraphNode,
    Part,
    Premise,
    Sight,
    State,
    System,
    listed,
    value_bits,
)
from holdfast.logic import Player, Variable, expressions as ex
from holdfast.models.failures import chance_premise, gambled
from holdfast.models.grid.cascades import WATTS, balanced, cascade, grid_arrays
from holdfast.models.grid.power_grid import (
    BRANCH_STATUSES,
    BUS_STATUSES,
    DAMAGED,
    DARK,
    LIVE,
    SHED,
    SHORT,
    STATUS_NAMES,
    TRIPPED,
    WAIT,
    GridBranch,
    PowerGrid,
)
from holdfast.models.grid.tabulation import Tabulation, rows_of_codes, tabulated

TONES = {LIVE: "good", SHORT: "watched", DARK: "gone", SHED: "apart"}
RAISE = Fraction(3, 2)
"""What a rating is multiplied by where it is raised."""


def grid_system(grid: PowerGrid, budget: Budget = UNLIMITED) -> System:
    """The system of a grid.

    >>> from holdfast.models.grid.power_grid import PowerSource
    >>> line = GridBranch("AB", "A", "B", Fraction(1, 10), Fraction(80))
    >>> pair = PowerGrid((line,), {"B": Fraction(50)}, (PowerSource("A", Fraction(50), Fraction(90)),))
    >>> system = grid_system(pair)
    >>> [system.game.describe(state) for state in map(tuple, system.game.listed.tolist())]
    ['AB = up, A = live, B = live, served = 100, overloaded = 0, islands = 1',
     'AB = tripped, A = live, B = dark, served = 0, overloaded = 0, islands = 2']
    """
    table = tabulated(grid, budget)
    game = gambled(_game(grid, table, budget), grid.chance)
    actions = {player: tuple(map(_does, own)) for player, own in game.actions.items()}
    return System(
        game,
        "grid",
        STATUS_NAMES,
        parts=tuple(_exposed(grid)),
        upgrades=(*_ratings(grid), *_corridors(grid)),
        premises=tuple(_premises(grid)),
        sight=_sight(grid, game),
        goals={SERVED: ex.Compare("=", ex.Read(_SERVED), ex.Number(Fraction(100)))},
        graph=_graph(grid),
        aftermath=partial(_cascade_in_words, grid, actions),
        rebuild=partial(_without, grid),
        written=partial(_written, grid),
    )


def _does(action: Action) -> tuple[str, str]:
    """What an action does to what; one that fails waits."""
    return (WAIT, "") if action.name != action.choice else (action.type, action.target)


SERVED = "everything served"
"""What the operator wants to get back to."""

_SERVED = Variable("served", range(101))


def _premises(grid: PowerGrid) -> Iterator[Premise]:
    yield Premise("power flows follow the DC approximation and settle before the next move")
    yield Premise(f"with more than {grid.outages} branches out the grid counts as lost", "grid.outages")
    for premise in USUAL_PREMISES:
        if premise is IN_SIGHT and grid.observed is not None:
            branches = listed(grid.observed) or "no branch"
            yield Premise(f"the operator sees only the status of {branches}, and all buses", "grid.observes")
        elif premise is NO_CHANCE:
            yield chance_premise(premise, grid.chance, "grid.chance")
        else:
            yield premise


def _sight(grid: PowerGrid, game: GameStructure) -> Sight:
    """The operator sees every bus and what is served; of branches, those that are telemetered."""
    branches, others = game.groups["branches"], (*game.groups["buses"], _SERVED)
    always = tuple(bit for variable in others for bit in value_bits(variable))
    return Sight(always, {branch.name: value_bits(branch) for branch in branches}, grid.observed)


# -- game -------------------------------------------------------------------------------------------


def _game(grid: PowerGrid, table: Tabulation, budget: Budget) -> GameStructure:
    codes = rows_of_codes(table)
    order = np.lexsort(codes.T[::-1])
    place = np.argsort(order)
    tables = {player: place[successors[:, order]].T for player, successors in table.successors.items()}
    whole = int(np.flatnonzero(table.keys == 0)[0])
    variables = (
        *(Variable(branch.name, BRANCH_STATUSES) for branch in grid.branches),
        *(Variable(bus, BUS_STATUSES) for bus in grid.buses),
        _SERVED,
        Variable("overloaded", range(len(grid.branches) + 1)),
        Variable("islands", range(1, len(grid.buses) + 1)),
    )
    return GameStructure(
        variables=variables,
        initial=tuple(codes[whole].tolist()),
        first=Player.ADVERSARY,
        actions={
            player: tuple(
                Action(f"{kind}({name})" if name else kind)
                for kind, name, _ in table.encoding.switches(player)
            )
            for player in Player
        },
        dominance=ex.Arithmetic("/", ex.Read(_SERVED), ex.Number(Fraction(100))),
        groups={
            "branches": variables[: len(grid.branches)],
            "buses": variables[len(grid.branches) : -3],
        },
        tables={
            player: np.ascontiguousarray(successors, dtype=np.int64) for player, successors in tables.items()
        },
        listed=codes[order],
        budget=budget,
    )


def _cascade_in_words(
    grid: PowerGrid,
    actions: Mapping[Player, tuple[tuple[str, str], ...]],
    state: State,
    player: Player,
    number: int,
) -> str:
    """The rounds of the cascade that a move sets off."""
    kind, name = actions[player][number]
    codes = dict(zip((*(b.name for b in grid.branches), *grid.buses), state, strict=False))
    out = {b.name for b in grid.branches if codes[b.name]}
    shed = {bus for bus in grid.sheddable if BUS_STATUSES[codes[bus]] == SHED}
    if len(out) > grid.outages or (player is Player.ADVERSARY and name in grid.protected):
        return ""
    if kind == "reclose" and BRANCH_STATUSES[codes[name]] == TRIPPED:
        out = out - {name}
    out = out | {name} if kind in ("trip", "damage") else out
    shed = shed | {name} if kind == "shed" else shed - {name} if kind == "restore" else shed
    rounds = cascade(grid, sorted(out), sorted(shed))
    if not rounds and len(out) <= grid.outages:
        return ""
    waves = [
        ", ".join(f"{name} at {abs(power):.0f} MW" for name, power in zip(r.tripped, r.carried, strict=True))
        for r in rounds
    ]
    gone = len(out.union(*(r.tripped for r in rounds)))
    lost = f"more than {grid.outages} branches out: blackout" if gone > grid.outages else ""
    overloads = f"overloads trip {', then '.join(waves)}" if waves else ""
    return "; ".join(text for text in (overloads, lost) if text)


# -- parts ------------------------------------------------------------------------------------------


def _exposed(grid: PowerGrid) -> dict[Part, str]:
    """Branches that the adversary can touch."""
    return {Part("branch", b.name, "protect"): b.name for b in grid.branches if b.name not in grid.protected}


def _ratings(grid: PowerGrid) -> dict[Part, GridBranch]:
    """Branches with the ratings that they have."""
    return {Part("rating", b.name, "raise", helps=False): b for b in grid.branches}


def _corridors(grid: PowerGrid) -> dict[Part, GridBranch]:
    """Branches without a parallel one of their own."""
    names = {b.name for b in grid.branches}
    corridors = {}
    for b in grid.branches:
        if _parallel(b).name not in names and not any(_parallel(o) == b for o in grid.branches):
            corridors[Part("corridor", b.name, "double", helps=False)] = b
    return corridors


def _parallel(branch: GridBranch) -> GridBranch:
    return replace(branch, name=f"{branch.name}_2")


def _changed(grid: PowerGrid, taken: frozenset[Part]) -> tuple[set[str], list[GridBranch], list[GridBranch]]:
    """The branches that are protected, those with their ratings raised, and the new ones."""
    protected = {name for part, name in _exposed(grid).items() if part in taken}
    raised = [
        replace(branch, rating=branch.rating * RAISE)
        for part, branch in _ratings(grid).items()
        if part in taken
    ]
    return protected, raised, [_parallel(b) for part, b in _corridors(grid).items() if part in taken]


def _without(grid: PowerGrid, taken: frozenset[Part]) -> System:
    """The system with branches protected, ratings raised and lines doubled."""
    protected, raised, added = _changed(grid, taken)
    now = {branch.name: branch for branch in raised}
    return grid_system(
        replace(
            grid,
            protected=grid.protected | protected,
            branches=(*(now.get(branch.name, branch) for branch in grid.branches), *added),
        )
    )


def _written(grid: PowerGrid, taken: frozenset[Part]) -> dict[str, Any]:
    """What is taken away, written as the ``grid`` section of a variant."""
    protected, raised, added = _changed(grid, taken)
    change: dict[str, Any] = {
        "add_protected": sorted(protected),
        "ratings": {branch.name: _plain(branch.rating) for branch in raised},
        "add_branches": {
            b.name: {"from": b.source, "to": b.target, "x": _plain(b.reactance), "rating": _plain(b.rating)}
            for b in added
        },
    }
    return {key: value for key, value in change.items() if value}


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


# -- picture ----------------------------------------------------------------------------------------


def _graph(grid: PowerGrid) -> Graph:
    """Buses, and branches as arrows in the direction in which power flows in the whole grid."""
    flow = balanced(
        grid_arrays(grid), np.ones((1, len(grid.branches)), bool), np.zeros((1, len(grid.buses)), bool)
    ).flow[0]
    drawn = _arrows(grid.branches, flow)
    numbers = {branch.name: i for i, branch in enumerate(grid.branches)}
    supply = {source.bus for source in grid.sources if source.most}
    return Graph(
        tuple(GraphNode(bus, bus, (SUPPLY,) if bus in supply else ()) for bus in grid.buses),
        tuple(drawn),
        "bus",
        "branch",
        TONES,
        gates={arrow: ((name, TRIPPED), (name, DAMAGED)) for arrow, name in drawn.items()},
        labels={arrow: _loading(numbers[name], grid, flow) for arrow, name in drawn.items()},
        places={bus: place for bus, place in grid.places.items() if bus in grid.buses},
    )


def _loading(number: int, grid: PowerGrid, flow: Any) -> str:
    """What a branch carries, and how much that is of its rating."""
    power = abs(float(flow[number])) / WATTS
    return f"{power:.0f} MW · {power / float(grid.branches[number].rating):.0%}"


def _arrows(branches: Iterable[GridBranch], flow: Any) -> dict[Arrow, str]:
    """The branch of each arrow; a second branch between two buses is drawn the other way."""
    arrows: dict[Arrow, str] = {}
    for branch, power in zip(branches, flow.tolist(), strict=True):
        ends = (branch.source, branch.target) if power >= 0 else (branch.target, branch.source)
        arrow = ends if ends not in arrows else ends[::-1]
        arrows.setdefault(arrow, branch.name)
    return arrows
