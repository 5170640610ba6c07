"""Two solved games position by position: ranks before and after, and the two channels of SLT.

Ranks are compared where the positions of a game can be listed; menus, over R, where R can be enumerated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from holdfast.arena import shielded_arena
from holdfast.budget import Budget, size_in_words
from holdfast.errors import LimitError
from holdfast.game import Configuration
from holdfast.logic import Player
from holdfast.readings.compare.findings import Channels, RankMatrix
from holdfast.readings.results import Analysis
from holdfast.solver import Solution, arrays, is_listable, solve

Place = tuple[bytes, int]
"""State and block of automaton states; the turn is the defender's."""

Ranks = tuple[npt.NDArray[np.int32], tuple[int, ...]]
"""The rank of every position, and for each block how many blocks of the product it stands for."""

Menus = Mapping[Place, frozenset[str]]
"""Safe(v) by action names, over R ∩ V_D."""

BYTES_PER_MENU, BYTES_PER_NAME = 500, 40
"""What it takes to match a position of R, and each action that is permitted there."""


@dataclass(frozen=True)
class Subject:
    """One of the things compared.

    Attributes:
        label: its name in the comparison.
        analysis: the readings.
        configuration: what was analysed; without it, nothing is said of parts and positions.
        solution: of the configuration; where it is not at hand, the configuration is solved.
    """

    label: str
    analysis: Analysis
    configuration: Configuration | None = None
    solution: Solution | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Positions:
    """What is kept of a solved game: ranks and menus, or in their place the reason why there are none."""

    ranks: Ranks | str
    menus: Menus | str
    n_actions: int = 0


def positions_of(subject: Subject, budget: Budget) -> Positions:
    """Ranks and menus of a subject whose game is at hand, as far as its size allows."""
    assert subject.configuration is not None
    try:
        budget.tick(f"the positions of {subject.label}")
        solution = subject.solution or solve(subject.configuration, budget=budget)
    except LimitError as limit:
        return Positions(f"{subject.label}: {limit}", f"{subject.label}: {limit}")
    if solution.configuration.game.tallies:
        words = f"{subject.label}: what is alike is counted, so that its positions are not listed one by one"
        return Positions(words, words)
    menus, ranks = _menus(subject, solution, budget), _ranks(subject.label, solution, budget)
    return Positions(ranks, menus, len(subject.configuration.game.actions[Player.DEFENDER]))


def _ranks(label: str, solution: Solution, budget: Budget) -> Ranks | str:
    try:
        listed = arrays(solution, budget)
    except LimitError as limit:
        return f"{label}: {limit}"
    blocks = listed.tables.blocks
    return listed.ranks, tuple(map(blocks.multiplicity, range(blocks.n_blocks)))


def _menus(subject: Subject, solution: Solution, budget: Budget) -> Menus | str:
    """Safe over R ∩ V_D, or why not."""
    label, reach = subject.label, subject.analysis.reachable
    if not solution.defensible:
        return f"{label} is not defensible, so it has no safe play"
    if reach is None and not is_listable(solution):
        return f"{label}: {subject.analysis.positions:,} positions are too many to list"
    if reach is not None:
        need = reach.n_defender * BYTES_PER_MENU + reach.n_permitted * BYTES_PER_NAME
        if need > budget.memory:
            sizes = f"{size_in_words(need)}; the limit is {size_in_words(budget.memory)}"
            return f"the menus of {reach.n_defender:,} positions of {label} would take {sizes}"
    try:
        arena = shielded_arena(solution, budget, resets=False)
    except LimitError as stop:
        return f"{label}: {stop}"
    names = [action.choice for action in solution.configuration.game.actions[Player.DEFENDER]]
    rows = [row.tobytes() for row in arena.codes]
    state, block = arena.state.tolist(), arena.block.tolist()
    return {
        (rows[state[v]], block[v]): frozenset(names[action] for action in arena.safe(v))
        for v in np.flatnonzero(arena.mover == 0).tolist()
    }


# -- ranks ------------------------------------------------------------------------------------------


def rank_matrix(before: Ranks | str, after: Ranks | str) -> RankMatrix | str:
    """How many positions went from each rank to each, or why that is not known; U stays and is left out."""
    if isinstance(before, str) or isinstance(after, str):
        return before if isinstance(before, str) else str(after)
    both = (before[0], after[0])
    sizes = [max(int(side.max(initial=0)), 0) + 1 for side in both]
    counts = np.zeros(sizes, dtype=object)
    for block, multiplicity in enumerate(before[1]):
        one, other = (_row(side[:, block], size) for side, size in zip(both, sizes, strict=True))
        pairs = np.bincount(one * sizes[1] + other, minlength=sizes[0] * sizes[1]).reshape(sizes)
        counts += pairs.astype(object) * multiplicity
    old, new = ((*range(1, size), None) for size in sizes)
    table = tuple(tuple(int(n) for n in row) for row in counts)
    moved = sum(n for i, row in zip(old, table, strict=True) for j, n in zip(new, row, strict=True) if i != j)
    return RankMatrix(old, new, table, moved)


def _row(ranks: npt.NDArray[np.int32], size: int) -> npt.NDArray[Any]:
    """Rank k as k − 1, W as the last."""
    return np.where(ranks > 0, ranks - 1, size - 1).reshape(-1).astype(np.int64)


# -- channels ---------------------------------------------------------------------------------------


def channels(before: Positions, after: Positions) -> Channels | str:
    """SLT's two channels, menus and domain, or why they are not known."""
    old, new = before.menus, after.menus
    if isinstance(old, str) or isinstance(new, str):
        return old if isinstance(old, str) else str(new)
    pairs = [(menu, new[place]) for place, menu in old.items() if place in new]
    left = [menu for place, menu in old.items() if place not in new]
    entered = [menu for place, menu in new.items() if place not in old]
    changed = [(one, other) for one, other in pairs if one != other]
    narrowed, widened = sum(o < m for m, o in changed), sum(o > m for m, o in changed)
    shared_before = _latitude((menu for menu, _ in pairs), before.n_actions)
    shared_after = _latitude((menu for _, menu in pairs), after.n_actions)
    slt = _latitude(old.values(), before.n_actions), _latitude(new.values(), after.n_actions)
    menus = domain = None
    if shared_before is not None and shared_after is not None and slt[0] is not None and slt[1] is not None:
        menus = shared_after - shared_before
        domain = slt[1] - slt[0] - menus
    return Channels(
        n_shared=len(pairs),
        n_narrowed=narrowed,
        n_widened=widened,
        n_exchanged=len(changed) - narrowed - widened,
        n_left=len(left),
        n_entered=len(entered),
        latitude_shared_before=_float(shared_before),
        latitude_shared_after=_float(shared_after),
        latitude_left=_float(_latitude(left, before.n_actions)),
        latitude_entered=_float(_latitude(entered, after.n_actions)),
        by_menus=_float(menus),
        by_domain=_float(domain),
    )


def _latitude(menus: Iterable[frozenset[str]], n_actions: int) -> Fraction | None:
    sizes = [len(menu) for menu in menus]
    return Fraction(sum(sizes), n_actions * len(sizes)) if sizes else None


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
