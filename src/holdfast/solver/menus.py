"""How many safe moves the defender has, exactly: in all positions of R together, and where it has the fewest.

*All*, Σ |Safe(v)|. Each action counts, whatever it does; those that change the state are counted apart too.
Where an action changes nothing it is safe if the state that stays leads into W; where one of its pieces
applies, if the state with its assignment does. Since the guards of an action are disjoint and it stays
everywhere else,

    Σ_a |{s : a is safe}| = Σ_a ( |kept| + Σ_i ( |moved_i ∩ guard_i| − |kept ∩ guard_i| ) )

with *kept* the states that lead into W as they are and *moved_i* those that do by the i-th piece. Most guards
look at one variable alone: all counts of *kept* by the code of one variable come from two passes over its
diagram, down with the number of ways to a node and up with the number of states below it. Where an assignment
looks at one variable alone too, *moved* is not made either: all such moves are counted in one walk down the
diagrams of R and of what leads into W side by side, in which one variable is left out of step.

*The fewest.* Each action is permitted on a set. The positions with exactly j < K permitted actions are kept
apart while the actions are added one set at a time, and a position that has K is dropped; K doubles until
something is left. The actions that are permitted most often come first, so that little is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from holdfast.budget import Budget
from holdfast.errors import LimitError
from holdfast.logic import Diagram, Diagrams, Player
from holdfast.solver.local_moves import changes_of
from holdfast.solver.pieces import Piece, unchanged_by
from holdfast.solver.product_diagrams import MoveGroup, unchanged_states

if TYPE_CHECKING:
    from holdfast.solver.diagram_positions import DiagramPositions
    from holdfast.solver.product_diagrams import ProductDiagrams

LocalMenu = dict[tuple[int, int], int]
"""For a code of one variable and what it becomes: how many actions make that change."""

Codes = tuple[int, tuple[int, ...]]
"""A variable by its place in the order of the diagrams, and some of its codes."""


@dataclass(frozen=True)
class MenuCounts:
    """Over some defender positions: actions that are permitted, that change the state, and that do both."""

    permitted: int
    effective: int
    both: int


def count_menus(
    product: ProductDiagrams, seen: Sequence[Diagram], winning: DiagramPositions, budget: Budget
) -> MenuCounts:
    """The menus of the defender positions of R, which are ``seen``, a set for each block, together."""
    if product.diagrams.tallies:
        return _count_by_action(product, seen, winning, budget)
    diagrams, groups = product.diagrams, product.groups[Player.DEFENDER]
    local = {group.kind: _local_guards(diagrams, group) for group in groups}
    joined = {group.kind: _joined_guards(diagrams, group) for group in groups}
    together = {group.kind: _local_menus(diagrams, group, local[group.kind]) for group in groups}
    idling = {group.kind: _assigning_the_same(diagrams, group, together[group.kind][0]) for group in groups}
    permitted = effective = both = 0
    for block, states in enumerate(seen):
        if not states.satisfiable():
            continue
        by_code = counts_by_code(diagrams, states)
        for group in groups:
            guards, (counted, menus) = local[group.kind], together[group.kind]
            goal = product.goal(group.kind, block, winning[Player.ADVERSARY], unsafe=False)
            kept = states & goal
            kept_by_code = counts_by_code(diagrams, kept)
            moving = _moving_locally(diagrams, menus, states, goal, budget)
            for i, (piece, own) in enumerate(zip(group.pieces, joined[group.kind], strict=True)):
                if i in counted:
                    continue
                budget.tick(f"menus: {i + 1} of {len(group.pieces)}")
                moving += diagrams.tidied(partial(_moving, diagrams, piece, own, states, goal))
            n_kept = sum(kept_by_code[0]) if kept_by_code else diagrams.count(kept)
            applied = _applying(diagrams, group, guards, kept_by_code, kept)
            permitted += len(group.actions) * n_kept - applied + moving
            effective += _applying(diagrams, group, guards, by_code, states)
            effective -= _idling(diagrams, menus, idling[group.kind], by_code, states)
            both += moving - _idling(diagrams, menus, idling[group.kind], kept_by_code, kept)
        for gamble in product.gambles:
            budget.tick("menus: choices whose outcome is drawn")
            goal = product.goal(gamble.kind, block, winning[Player.ADVERSARY], unsafe=False)
            safe, changed = states & gamble.into(diagrams, goal), states & ~gamble.unchanged(diagrams)
            permitted += diagrams.count(safe)
            effective += diagrams.count(changed)
            both += diagrams.count(safe & changed)
    return MenuCounts(permitted, effective, both)


def _count_by_action(
    product: ProductDiagrams, seen: Sequence[Diagram], winning: DiagramPositions, budget: Budget
) -> MenuCounts:
    """The menus where actions stand for as many as their counters say."""
    actions, diagrams = product.configuration.game.actions[Player.DEFENDER], product.diagrams
    gambles = {number: gamble for gamble in product.gambles for number in gamble.numbers}
    counters = {by: diagrams.counts(by) for action in actions for by in action.members or (None,)}
    permitted = effective = both = 0
    for block, states in enumerate(seen):
        if not states.satisfiable():
            continue
        sets = winning.by_action(Player.DEFENDER, block)
        for number, (action, safe) in enumerate(zip(actions, sets, strict=True)):
            budget.tick(f"menus: {number + 1} of {len(actions)}")
            gamble = gambles.get(number)
            if gamble is not None and number != gamble.numbers[0]:
                continue
            still = unchanged_states(diagrams, action) if gamble is None else gamble.unchanged(diagrams)
            changed = states & ~still
            for counter in (counters[by] for by in action.members or (None,)):
                permitted += counter.of(states & safe)
                effective += counter.of(changed)
                both += counter.of(changed & safe)
    return MenuCounts(permitted, effective, both)


def fewest_permitted(
    product: ProductDiagrams, seen: Sequence[Diagram], winning: DiagramPositions, budget: Budget
) -> tuple[int, tuple[Diagram, ...]]:
    """The least |Safe(v)| over some defender positions, a set for each block, and where it is met."""
    if product.diagrams.tallies:
        raise LimitError("how many actions are safe is not compared where alike things are counted")
    tidied = product.diagrams.tidied
    menus = [tidied(partial(_menus, product, b, states, winning, budget)) for b, states in enumerate(seen)]
    few = 2
    while True:
        kept = [tidied(partial(_below, *own, few, budget)) for own in zip(seen, menus, strict=True)]
        for n in range(few):
            where = tuple(exactly[n] for exactly in kept)
            if any(states.satisfiable() for states in where):
                return n, where
        few *= 2


def _menus(
    product: ProductDiagrams, block: int, states: Diagram, winning: DiagramPositions, budget: Budget
) -> list[tuple[Diagram, int]]:
    """The sets on which defender actions are permitted, each with its number of actions, largest first."""
    menus: dict[Diagram, int] = {}
    for group in product.groups[Player.DEFENDER] if states.satisfiable() else ():
        goal = product.goal(group.kind, block, winning[Player.ADVERSARY], unsafe=False)
        moved = []
        for piece in group.pieces:
            budget.tick()
            moved.append(states & goal.substitute(piece.substitution))
        kept = states & goal
        for own, stay in group.actions:
            permitted = kept & stay
            for i, guard in own:
                permitted |= moved[i] & guard
            menus[permitted] = menus.get(permitted, 0) + 1
    for gamble in product.gambles if states.satisfiable() else ():
        budget.tick()
        goal = product.goal(gamble.kind, block, winning[Player.ADVERSARY], unsafe=False)
        permitted = states & gamble.into(product.diagrams, goal)
        menus[permitted] = menus.get(permitted, 0) + 1
    return sorted(menus.items(), key=lambda item: product.diagrams.count(item[0]), reverse=True)


def _below(states: Diagram, menus: list[tuple[Diagram, int]], few: int, budget: Budget) -> list[Diagram]:
    """Where exactly 0, 1, …, few − 1 actions are permitted."""
    false = states & ~states
    exactly = [states] + [false] * (few - 1)
    for permitted, n_actions in menus:
        budget.tick()
        after = [false] * few
        for n, here in enumerate(exactly):
            if here.satisfiable():
                after[n] |= here & ~permitted
                if n + n_actions < few:
                    after[n + n_actions] |= here & permitted
        exactly = after
    return exactly


def counts_by_code(diagrams: Diagrams, states: Diagram) -> list[list[int]]:
    """For each variable, in the order of the diagrams, how many of the states have each of its codes."""
    floors: list[dict[Diagram, list[Diagram]]] = []
    nodes = [states]
    for variable in diagrams.variables:
        floors.append({node: diagrams.cofactors(variable, node) for node in nodes if node != diagrams.false})
        nodes = list(dict.fromkeys(child for children in floors[-1].values() for child in children))
    ways = [dict.fromkeys(floors[0], 1)] if floors else []
    for floor, below in pairwise(floors):
        after = dict.fromkeys(below, 0)
        for node, children in floor.items():
            for child in children:
                if child in after:
                    after[child] += ways[-1][node]
        ways.append(after)
    by_code: list[list[int]] = []
    sizes = {diagrams.true: 1}
    for variable, floor, above in zip(diagrams.variables[::-1], floors[::-1], ways[::-1], strict=True):
        counts, larger = [0] * len(variable.values), {}
        for node, children in floor.items():
            own = [sizes.get(child, 0) for child in children]
            larger[node] = sum(own)
            for code, n in enumerate(own):
                counts[code] += above[node] * n
        by_code.append(counts)
        sizes = larger
    return by_code[::-1]


def _local_guards(diagrams: Diagrams, group: MoveGroup) -> dict[tuple[int, Diagram], Codes | None]:
    """For each piece and guard of an action the codes of one variable that it amounts to, if it does."""
    places = {diagrams.bits[variable.name].start: i for i, variable in enumerate(diagrams.variables)}
    guards: dict[tuple[int, Diagram], Codes | None] = {}
    for own, _ in group.actions:
        for i, guard in own:
            place = places[group.pieces[i].level]
            variable = diagrams.variables[place]
            cubes = [diagrams.cube(variable, code) for code in range(len(variable.values))]
            met = tuple(code for code, cube in enumerate(cubes) if (guard & cube).satisfiable())
            whole = diagrams.table(variable, [code in met for code in range(len(cubes))])
            guards[i, guard] = (place, met) if guard == whole & diagrams.valid else None
    return guards


def _local_menus(
    diagrams: Diagrams, group: MoveGroup, local: dict[tuple[int, Diagram], Codes | None]
) -> tuple[set[int], list[LocalMenu]]:
    """The pieces that read and assign one variable alone, under all their guards, and what they offer."""
    places = {diagrams.bits[variable.name].start: i for i, variable in enumerate(diagrams.variables)}
    changes: dict[int, dict[int, int]] = {}
    for i, piece in enumerate(group.pieces):
        own = changes_of(diagrams, diagrams.variables[places[piece.level]], piece)
        if own is not None:
            changes[i] = dict(own)
    for (i, _), codes in local.items():
        if codes is None:
            changes.pop(i, None)
    menus: list[LocalMenu] = [{} for _ in diagrams.variables]
    for actions, _ in group.actions:
        for i, guard in actions:
            codes = local[i, guard]
            for code in codes[1] if i in changes and codes is not None else ():
                change = code, changes[i][code]
                menu = menus[places[group.pieces[i].level]]
                menu[change] = menu.get(change, 0) + 1
    return set(changes), menus


def _moving_locally(
    diagrams: Diagrams, menus: list[LocalMenu], states: Diagram, goal: Diagram, budget: Budget
) -> int:
    """For how many of the states local moves lead into the goal, each as often as it is on the menu.

    Down the order, the prefixes of states are counted that lead to the same two nodes, one of the states and
    one of the goal: those in step, and those of which one variable has been changed.
    """
    in_step, changed = {(states, goal): 1}, dict[tuple[Diagram, Diagram], int]()
    for variable, menu in zip(diagrams.variables, menus, strict=True):
        budget.tick("menus: moves of one variable")
        nodes = {node for pair in (*in_step, *changed) for node in pair}
        below = {node: diagrams.cofactors(variable, node) for node in nodes}
        longer, moved = dict[tuple[Diagram, Diagram], int](), dict[tuple[Diagram, Diagram], int]()
        for counts, after in ((in_step, longer), (changed, moved)):
            for (one, other), n in counts.items():
                for pair in zip(below[one], below[other], strict=True):
                    after[pair] = after.get(pair, 0) + n
        for (one, other), n in in_step.items():
            for (code, target), times in menu.items():
                pair = below[one][code], below[other][target]
                moved[pair] = moved.get(pair, 0) + times * n
        in_step, changed = (
            {pair: n for pair, n in counts.items() if diagrams.false not in pair}
            for counts in (longer, moved)
        )
    return sum(changed.values())


def _joined_guards(diagrams: Diagrams, group: MoveGroup) -> list[list[Diagram]]:
    """For each piece, the guards under which actions have it, those that are disjoint taken together."""
    joined: list[list[Diagram]] = [[] for _ in group.pieces]
    for own, _ in group.actions:
        for i, guard in own:
            free = (k for k, other in enumerate(joined[i]) if not (guard & other).satisfiable())
            k = next(free, None)
            if k is None:
                joined[i].append(guard)
            else:
                joined[i][k] |= guard
    return joined


def _applying(
    diagrams: Diagrams,
    group: MoveGroup,
    local: dict[tuple[int, Diagram], Codes | None],
    by_code: list[list[int]],
    states: Diagram,
) -> int:
    """Over all actions, to how many of the states one of their pieces applies."""
    total = 0
    for own, _ in group.actions:
        for i, guard in own:
            codes = local[i, guard]
            if codes is None:
                total += diagrams.count(states & guard)
            else:
                total += sum(by_code[codes[0]][code] for code in codes[1])
    return total


def _assigning_the_same(diagrams: Diagrams, group: MoveGroup, counted: set[int]) -> list[Diagram]:
    """For each action and piece that is not counted by its codes, where it assigns what is there already."""
    still = {i: unchanged_by(diagrams, piece) for i, piece in enumerate(group.pieces) if i not in counted}
    same = [guard & still[i] for own, _ in group.actions for i, guard in own if i in still]
    return [states for states in same if states.satisfiable()]


def _idling(
    diagrams: Diagrams, menus: list[LocalMenu], same: list[Diagram], by_code: list[list[int]], states: Diagram
) -> int:
    """Over all actions, in how many of the states the piece that applies assigns what is there already."""
    total = sum(diagrams.count(states & each) for each in same)
    for counts, menu in zip(by_code, menus, strict=True):
        total += sum(times * counts[code] for (code, target), times in menu.items() if code == target)
    return total


def _moving(diagrams: Diagrams, piece: Piece, guards: list[Diagram], states: Diagram, goal: Diagram) -> int:
    """For how many of the states, a guard at a time, the piece leads into the goal; all states are valid."""
    after = goal.substitute(piece.substitution)
    return sum(int((states & guard & after).sat_count(diagrams.n_bits)) for guard in guards)
