"""The ``grid:`` section, with a variant's changes, to the power grid that it means."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np

from holdfast.budget import Budget
from holdfast.errors import did_you_mean
from holdfast.game import System
from holdfast.logic import Player
from holdfast.models.failures import chances_of, check_chances
from holdfast.models.grid.cascades import WATTS, balanced, grid_arrays
from holdfast.models.grid.game import grid_system
from holdfast.models.grid.places import usual_places
from holdfast.models.grid.power_grid import (
    BRANCH_STATUSES,
    BUS_STATUSES,
    DEFAULT_OUTAGES,
    DEFAULT_TOLERANCE,
    QUANTITIES,
    TYPES,
    USUAL,
    GridBranch,
    PowerGrid,
    PowerSource,
)
from holdfast.scenario import Node, check_name, check_new, exact, placed, shortened

_TAKEN = dict.fromkeys(QUANTITIES, "a quantity") | dict.fromkeys(
    (*BRANCH_STATUSES, *BUS_STATUSES), "a status"
)
_TAKEN |= dict.fromkeys((kind for types in TYPES.values() for kind in types), "an action")
_TAKEN |= dict.fromkeys(("branches", "buses"), "all branches, or all buses")

UNRATED = Fraction(0)
"""Stands for a rating that is not known yet."""


def build_grid(section: Node, change: Node | None, budget: Budget) -> System:
    """The system of a ``grid:`` section and a variant's changes to it."""
    budget.tick("reading the grid")
    case = section.get("case")
    grid = replace(gather_grid(section, change), places=usual_places(case.text) if case is not None else {})
    with placed(section):
        system = grid_system(grid, budget)
    check_chances(system.game, section, change)
    return system


def gather_grid(section: Node, change: Node | None) -> PowerGrid:
    """The grid of a section and a variant's changes to it.

    The rule for ratings looks at the grid as the section has it: a branch that a variant adds does not alter
    what the others can carry.
    """
    usual = _chosen(section, change, "rating")
    if change is None or usual is None:
        return _gathered(section, change, usual, {})
    base = _gathered(section, None, usual, {})
    return _gathered(section, change, usual, {branch.name: branch.rating for branch in base.branches})


def _gathered(
    section: Node, change: Node | None, usual: Node | None, known: Mapping[str, Fraction]
) -> PowerGrid:
    """The grid of a section and a change, with known ratings for branches that have none of their own."""
    branches, loads, sources = _base(section)
    for name, branch in branches.items():
        if branch.rating == UNRATED:
            branches[name] = replace(branch, rating=known.get(name, UNRATED))
    places = dict.fromkeys(branches, section.keys["case" if "case" in section.entries else "branches"])
    for given in (section, change):
        loads |= {bus: exact(node) for bus, node in _entries(given, "loads").items()}
        for bus, node in _entries(given, "generators").items():
            sources[bus] = [_source(bus, node)]
    for item in _items(change, "remove_branches"):
        del branches[_known(item, branches, "branch")]
    for name, node in _entries(change, "add_branches").items():
        assert change is not None
        key = change["add_branches"].keys[name]
        if name in branches:
            raise key.problem(f'there is a branch "{name}" already; choose another name')
        branches[name], places[name] = _branch(check_name(key, "a branch"), node), key
    removed = {item.text for item in _items(change, "remove_branches")}
    for given in (section, change):
        for name, node in _entries(given, "ratings").items():
            assert given is not None
            if given is change or name not in removed:
                _known(given["ratings"].keys[name], branches, "branch")
                branches[name] = replace(branches[name], rating=exact(node))
    _check_names(branches, places)
    with placed(section):
        return _whole(section, change, usual, branches, loads, sources)


def _whole(
    section: Node,
    change: Node | None,
    usual: Node | None,
    branches: dict[str, GridBranch],
    loads: Mapping[str, Fraction],
    sources: Mapping[str, list[PowerSource]],
) -> PowerGrid:
    """The grid with its settings, and a rating for every branch."""
    if not branches:
        raise (change or section).problem("no branch is left; a grid needs at least one")
    tolerance, outages = (_chosen(section, change, key) for key in ("tolerance", "outages"))
    protected = {_known(i, branches, "branch") for i in _chosen_items(section, change, "protected")}
    protected |= {_known(item, branches, "branch") for item in _items(change, "add_protected")}
    buses = {bus for b in branches.values() for bus in (b.source, b.target)}
    shed = [_known(item, buses, "bus") for item in _chosen_items(section, change, "shed")]
    observed = _chosen(section, change, "observes")
    seen = {_known(item, branches, "branch") for item in _chosen_items(section, change, "observes")}
    actions = dict(USUAL)
    for side, node in _entries_of(_chosen(section, change, "actions")).items():
        actions[Player(side)] = tuple(item.text for item in node.items)
    unrated = [name for name, branch in branches.items() if branch.rating == UNRATED]
    if unrated and usual is None:
        raise section.problem(
            f'branch {shortened(unrated[0])} has no rating; give one under "ratings", or a rule for all '
            "that have none, such as rating: {margin: 1.4, least: 20}"
        )
    # Until the ratings are known anything does: the flows of the whole grid do not depend on them.
    rated = [b if b.rating != UNRATED else replace(b, rating=Fraction(1)) for b in branches.values()]
    grid = PowerGrid(
        tuple(rated),
        {bus: power for bus, power in loads.items() if power},
        tuple(source for listed in sources.values() for source in listed),
        DEFAULT_TOLERANCE if tolerance is None else exact(tolerance),
        int(outages.text) if outages is not None else DEFAULT_OUTAGES,
        frozenset(protected),
        tuple(dict.fromkeys(shed)),
        actions,
        None if observed is None else tuple(b for b in branches if b in seen),
        chances_of(section, change),
    )
    return grid if usual is None else _with_ratings(grid, set(unrated), usual)


def _with_ratings(grid: PowerGrid, unrated: set[str], usual: Node) -> PowerGrid:
    """The grid with ratings in proportion to what its branches carry while all are up, in whole MW."""
    least = usual.get("least")
    whole = np.ones((1, len(grid.branches)), bool)
    flow = balanced(grid_arrays(grid), whole, np.zeros((1, len(grid.buses)), bool)).flow[0]
    branches = []
    for branch, power in zip(grid.branches, np.abs(flow).tolist(), strict=True):
        needed = max(exact(usual["margin"]) * round(power) / WATTS, Fraction(1))
        rating = max(Fraction(-(-needed // 1)), exact(least) if least is not None else Fraction(0))
        branches.append(replace(branch, rating=rating) if branch.name in unrated else branch)
    return replace(grid, branches=tuple(branches))


def _base(section: Node) -> tuple[dict[str, GridBranch], dict[str, Fraction], dict[str, list[PowerSource]]]:
    """Branches, loads and generators of a case, or none but the branches of the file."""
    case = section.get("case")
    if case is not None:
        from holdfast.models.grid.case_reader import read_case

        return read_case(case)
    keys = section["branches"].keys
    branches = {
        name: _branch(check_name(keys[name], "a branch"), node)
        for name, node in section["branches"].entries.items()
    }
    return branches, {}, {}


def _branch(name: str, node: Node) -> GridBranch:
    source, target = (check_name(node[end], "a bus") for end in ("from", "to"))
    if source == target:
        raise node["to"].problem(f"branch {name} joins {source} to itself; remove it")
    rating = node.get("rating")
    return GridBranch(name, source, target, exact(node["x"]), UNRATED if rating is None else exact(rating))


def _source(bus: str, node: Node) -> PowerSource:
    """A generator; of one with nothing but a most, nothing is scheduled."""
    if node.kind == "scalar":
        return PowerSource(bus, Fraction(0), exact(node))
    return PowerSource(bus, exact(node["scheduled"]), exact(node["most"]))


def _check_names(branches: Mapping[str, GridBranch], places: Mapping[str, Node]) -> None:
    """Branches and buses have names of their own, which mean nothing else in specifications."""
    taken = dict(_TAKEN)
    for name in branches:
        check_new(name, places[name], taken, "a branch")
    for bus, name in {bus: b.name for b in branches.values() for bus in (b.source, b.target)}.items():
        check_new(bus, places[name], taken, "a bus")


def _entries(node: Node | None, key: str) -> Mapping[str, Node]:
    return _entries_of(node.get(key) if node is not None else None)


def _entries_of(node: Node | None) -> Mapping[str, Node]:
    return node.entries if node is not None else {}


def _items(node: Node | None, key: str) -> tuple[Node, ...]:
    listed = node.get(key) if node is not None else None
    return listed.items if listed is not None else ()


def _chosen(section: Node, change: Node | None, key: str) -> Node | None:
    """The variant's setting, if it has one, else the base's."""
    own = change.get(key) if change is not None else None
    return own if own is not None else section.get(key)


def _chosen_items(section: Node, change: Node | None, key: str) -> tuple[Node, ...]:
    """The items of a list, the variant's or the base's; of the base's only what the variant left there."""
    if change is not None and key in change.entries:
        return _items(change, key)
    gone = {item.text for item in _items(change, "remove_branches")}
    return tuple(item for item in _items(section, key) if item.text not in gone)


def _known(node: Node, known: Collection[str], what: str) -> str:
    """A name that must be there."""
    if node.text in known:
        return node.text
    few = ", ".join([*known][:8]) + (", …" if len(known) > 8 else "")
    hint = did_you_mean(node.text, known) or f"; there are {few}"
    raise node.problem(f'there is no {what} "{shortened(node.text)}"{hint}')
