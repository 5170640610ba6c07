"""The winning region by effort and by grace, as decision diagrams.

The definitions stand in :mod:`holdfast.solver.response`. Everything happens inside W, which is closed, so
that U never comes up. Going back over an idle move only changes blocks: the state stays, and nothing is
composed. Going back over the adversary's moves distributes over unions, so that only what was lost last is
looked at.

A layer of effort is what is left when the adversary has drawn in all it can against free moves alone. Ways
back by an intervention lead into one layer at a time, and are looked for once for each layer and cost. Layers
are found as they are asked for, and kept: the effort of v₀ seldom needs them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from holdfast.budget import UNLIMITED, Budget
from holdfast.game import Interventions, LayerCounts, Position
from holdfast.logic import Computed, Diagram, Player
from holdfast.solver.local_moves import LocalMoves
from holdfast.solver.product_diagrams import MoveGroup, ProductDiagrams, Sets, can_enter, within_memory
from holdfast.solver.quotient import classify_moves

if TYPE_CHECKING:
    from holdfast.solver.symbolic import DiagramRegions

DEFENDER, ADVERSARY = Player.DEFENDER, Player.ADVERSARY
WHAT = "the response profile"


@dataclass
class Unfolding:
    """The layers of a reading so far; a step that a limit stops changes nothing.

    Attributes:
        left: the winning positions that are in none of the layers.
        layers: values, and the positions that have them.
        complete: whether there are no more.
    """

    left: Sets
    layers: list[tuple[int, Sets]] = field(default_factory=list)
    complete: bool = False


@dataclass
class EffortUnfolding(Unfolding):
    """Layers of effort.

    Attributes:
        actions: what they cost.
        open_to: the defender's positions from which an intervention leads into a layer that can be paid for.
        due: the values still to be looked at, each with the layers that open at it, and at what cost.
    """

    actions: Interventions = field(kw_only=True)
    open_to: list[Diagram] = field(kw_only=True)
    due: dict[int, list[tuple[int, Sets]]] = field(default_factory=lambda: {0: []})


class DiagramLayers:
    """The positions by effort and by grace, found layer by layer."""

    def __init__(self, regions: DiagramRegions, actions: Interventions) -> None:
        """Nothing is found yet."""
        self._regions, self._product, self._actions = regions, regions.product, actions
        self._winning = regions.winning()
        self._steps = _Steps(self._product, self._winning, actions)
        self._graces = Unfolding(self._winning)
        self._efforts = self._unfolding(actions)

    def effort(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """The least total cost with which the requirement can be kept from a position."""
        return self._value(self._efforts, self._next_effort, position, budget)

    def grace(self, position: Position, budget: Budget = UNLIMITED) -> float | None:
        """For how many of its own turns the defender may idle first."""
        return self._value(self._graces, self._next_grace, position, budget)

    def efforts(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by effort, or those of R."""
        return self._counts(self._efforts, self._next_effort, budget, reachable)

    def graces(self, budget: Budget = UNLIMITED, reachable: bool = False) -> LayerCounts:
        """The winning positions by grace, or those of R."""
        return self._counts(self._graces, self._next_grace, budget, reachable)

    def tempo(self, budget: Budget = UNLIMITED) -> float:
        """The tempo of v₀."""
        initial, counted, once = self._product.configuration.initial, self._actions.counted, self._efforts
        if self._actions != counted:
            once = self._unfolding(counted)
        while not once.complete and min(once.due) <= 1:
            self._next_effort(once, budget)
        if any(level <= 1 and self._inside(sets, initial) for level, sets in once.layers):
            return math.inf
        with within_memory(WHAT):
            return self._slowest(initial, budget)

    # -- unfolding ------------------------------------------------------------------------------------

    def _unfolding(self, actions: Interventions) -> EffortUnfolding:
        empty = [self._product.diagrams.false] * self._product.blocks.n_blocks
        return EffortUnfolding(self._winning, actions=actions, open_to=empty)

    def _value(
        self,
        found: Unfolding,
        unfold: Callable[[Unfolding, Budget], None],
        position: Position,
        budget: Budget,
    ) -> float | None:
        if self._regions.rank(position) is not None:
            return None
        looked = 0
        while True:
            for level, sets in found.layers[looked:]:
                if self._inside(sets, position):
                    return level
            looked = len(found.layers)
            if found.complete:
                return math.inf
            unfold(found, budget)

    def _inside(self, sets: Sets, position: Position) -> bool:
        block = self._product.blocks.number(position)
        assert block is not None
        codes = self._product.configuration.game.codes(position.state)
        return bool(sets[position.turn][block].eval(self._product.diagrams.point(codes)))

    def _counts(
        self,
        found: Unfolding,
        unfold: Callable[[Unfolding, Budget], None],
        budget: Budget,
        reachable: bool,
    ) -> LayerCounts:
        within = self._regions.reached(budget) if reachable else self._winning
        while not found.complete:
            unfold(found, budget)
        with within_memory(WHAT):
            sizes = [(level, self._count(sets, within, budget)) for level, sets in found.layers]
            return LayerCounts(
                tuple((level, n) for level, n in sizes if n), self._count(found.left, within, budget)
            )

    def _count(self, sets: Sets, within: Sets, budget: Budget) -> int:
        """How many positions there are in the sets, and within."""
        budget.tick("response profile: counting")
        return sum(
            self._product.diagrams.count(states & other) * self._product.blocks.multiplicity(block)
            for player in Player
            for block, (states, other) in enumerate(zip(sets[player], within[player], strict=True))
        )

    def _next_grace(self, found: Unfolding, budget: Budget) -> None:
        """One more layer of grace: those whom one idle turn more would cost the requirement."""
        tick = partial(budget.tick, f"response profile: grace {len(found.layers)}")
        with within_memory(WHAT):
            kept = self._tidied(partial(self._steps.later, found.left, tick))
        dropped = {p: _minus(found.left[p], kept[p]) for p in Player}
        if _any(dropped):
            found.layers.append((len(found.layers), dropped))
            found.left = kept
        else:
            found.complete = True

    def _next_effort(self, found: Unfolding, budget: Budget) -> None:
        """The next value of effort that may have positions."""
        assert isinstance(found, EffortUnfolding)
        level, open_to, prices = min(found.due), found.open_to, found.actions.by_cost
        tick = partial(budget.tick, f"response profile: effort {level}")
        with within_memory(WHAT):
            for cost, sets in found.due[level]:
                opened = partial(self._steps.ways_into, prices[cost], sets[ADVERSARY], tick)
                open_to = _either(open_to, self._tidied(opened))
            left = self._tidied(partial(self._steps.drawn_in, found.actions.free, found.left, open_to, tick))
        new = {p: _minus(found.left[p], left[p]) for p in Player}
        due = {other: list(opens) for other, opens in found.due.items() if other != level}
        if _any(new):
            for cost in prices:
                due.setdefault(level + cost, []).append((cost, new))
            found.layers.append((level, new))
        found.left, found.open_to, found.due, found.complete = left, open_to, due, not due

    def _slowest(self, start: Position, budget: Budget) -> int:
        """The largest number of turns in which one intervention is enough, where one in all is not."""
        steps, rested = self._steps, [self._winning]  # for j, who holds if its next j turns must be idle
        for turns in count(2):
            if turns > 2 and turns > 1 + (self.graces(budget).largest or 0):
                return turns - 1
            tick = partial(budget.tick, f"response profile: tempo {turns}")
            rested.append(self._tidied(partial(steps.later, rested[-1], tick)))
            while True:
                free = self._tidied(partial(steps.unhurried, self._actions.acting, rested, tick))
                if not self._inside(free, start):
                    return turns - 1
                if free == rested[0]:
                    break
                rested[0] = free
                for j in range(1, turns):
                    later = self._tidied(partial(steps.later, rested[j - 1], tick))
                    rested[j] = {p: _both(rested[j][p], later[p]) for p in Player}
        raise AssertionError("counting ends where the graces do")

    def _tidied(self, work: Callable[[], Computed]) -> Computed:
        return self._product.diagrams.tidied(work)


class _Steps:
    """One-step questions about sets of winning positions, by turn and block."""

    def __init__(self, product: ProductDiagrams, winning: Sets, actions: Interventions) -> None:
        self.product, self.winning, self.idle = product, winning, actions.idle
        self.d, self.n_blocks = product.diagrams, product.blocks.n_blocks
        self.kinds = classify_moves(product.configuration)[1][DEFENDER]
        self.idle_kinds = tuple(dict.fromkeys(self.kinds[a] for a in actions.idle))
        self._groups: dict[tuple[int, ...], list[MoveGroup]] = {}

    def _only(self, actions: tuple[int, ...]) -> list[MoveGroup]:
        """The defender's moves by class, reduced to some of its actions."""
        if actions not in self._groups:
            found = (self._reduced(group, set(actions)) for group in self.product.groups[DEFENDER])
            self._groups[actions] = [group for group in found if group.actions]
        return self._groups[actions]

    def _reduced(self, group: MoveGroup, chosen: set[int]) -> MoveGroup:
        numbers = [a for a, kind in enumerate(self.kinds) if kind == group.kind]
        own = [parts for number, parts in zip(numbers, group.actions, strict=True) if number in chosen]
        stay, guards = self.d.false, [self.d.false] * len(group.pieces)
        for parts, unchanged in own:
            stay |= unchanged
            for i, guard in parts:
                guards[i] |= guard
        left = ((p, g) for p, g in zip(group.pieces, guards, strict=True) if g.satisfiable())
        pieces = tuple(replace(piece, guard=guard) for piece, guard in left)
        return MoveGroup(group.kind, stay, pieces, *LocalMoves.among(self.d, pieces), tuple(own))

    def idle_into(self, block: int, targets: list[Diagram]) -> Diagram:
        """From where in a block an idle move leads into the targets."""
        found = self.d.false
        for kind in self.idle_kinds:
            found |= self.product.goal(kind, block, targets, unsafe=False)
        return found

    def ways_into(
        self, actions: tuple[int, ...], targets: list[Diagram], tick: Callable[[], None]
    ) -> list[Diagram]:
        """For each block, from where one of the defender's actions leads into the targets."""
        return self._before(self._only(actions), DEFENDER, targets, self.winning[DEFENDER], tick)

    def drawn(self, lost: list[Diagram], among: list[Diagram], tick: Callable[[], None]) -> list[Diagram]:
        """For each block, from where some move of the adversary leads to what the defender lost."""
        return self._before(self.product.groups[ADVERSARY], ADVERSARY, lost, among, tick)

    def _before(
        self,
        groups: Sequence[MoveGroup],
        player: Player,
        targets: list[Diagram],
        among: list[Diagram],
        tick: Callable[[], None],
    ) -> list[Diagram]:
        """For each block, from where among some positions a move leads into the targets."""
        known: dict[tuple[int, Diagram], Diagram] = {}
        found = []
        for block in range(self.n_blocks):
            states = self.d.false
            ended = player is ADVERSARY and self.product.blocks.is_sink(block)
            for group in () if ended else groups:
                goal = self.product.goal(group.kind, block, targets, unsafe=False)
                if (group.kind, goal) not in known:
                    known[group.kind, goal] = can_enter(group, goal, tick)
                states |= known[group.kind, goal]
            found.append(states & among[block])
        return found

    def later(self, inside: Sets, tick: Callable[[], None]) -> Sets:
        """From where one idle turn, the next of the defender, leads into a set: a subset of it."""
        return self._closed(
            inside, [self.idle_into(b, inside[ADVERSARY]) for b in range(self.n_blocks)], tick
        )

    def unhurried(self, acting: tuple[int, ...], rested: list[Sets], tick: Callable[[], None]) -> Sets:
        """Who may idle and stay free to act, or act and rest."""
        acts = self.ways_into(acting, rested[-1][ADVERSARY], tick)
        idles = [self.idle_into(block, rested[0][ADVERSARY]) for block in range(self.n_blocks)]
        return self._closed(rested[0], _either(acts, idles), tick)

    def _closed(self, inside: Sets, ways: list[Diagram], tick: Callable[[], None]) -> Sets:
        """What is left of a set if the defender stays only where it has a way, and the adversary near it."""
        kept = _both(inside[DEFENDER], ways)
        drawn = self.drawn(_minus(inside[DEFENDER], kept), inside[ADVERSARY], tick)
        return {DEFENDER: kept, ADVERSARY: _minus(inside[ADVERSARY], drawn)}

    def drawn_in(
        self, free: tuple[int, ...], left: Sets, open_to: list[Diagram], tick: Callable[[], None]
    ) -> Sets:
        """What of ``left`` the adversary draws in, against free moves and the ways that are open."""
        among = _minus(left[DEFENDER], open_to)
        lost: Sets = {player: [self.d.false] * self.n_blocks for player in Player}
        newest = lost[DEFENDER] = self._trapped(free, among, lost[ADVERSARY], tick)
        while any(states.satisfiable() for states in newest):
            drawn = self.drawn(newest, _minus(left[ADVERSARY], lost[ADVERSARY]), tick)
            lost[ADVERSARY] = _either(lost[ADVERSARY], drawn)
            trapped = self._trapped(free, among, lost[ADVERSARY], tick)
            newest, lost[DEFENDER] = _minus(trapped, lost[DEFENDER]), trapped
        return lost

    def _trapped(
        self, free: tuple[int, ...], among: list[Diagram], lost: list[Diagram], tick: Callable[[], None]
    ) -> list[Diagram]:
        """The defender's positions from which every free move leads to what is lost."""
        safe = _minus(self.winning[ADVERSARY], lost)
        ways = [self.idle_into(block, safe) for block in range(self.n_blocks)]
        given = tuple(a for a in free if a not in self.idle)
        return _minus(among, _either(ways, self.ways_into(given, safe, tick)) if given else ways)


def _minus(sets: list[Diagram], others: list[Diagram]) -> list[Diagram]:
    """Block by block, what is in one set and not in the other."""
    return [states & ~other for states, other in zip(sets, others, strict=True)]


def _both(sets: list[Diagram], others: list[Diagram]) -> list[Diagram]:
    """Block by block, what is in both sets."""
    return [states & other for states, other in zip(sets, others, strict=True)]


def _either(sets: list[Diagram], others: list[Diagram]) -> list[Diagram]:
    """Block by block, what is in one of the sets."""
    return [states | other for states, other in zip(sets, others, strict=True)]


def _any(sets: Sets) -> bool:
    """Whether there is anything in the sets."""
    return any(states.satisfiable() for own in sets.values() for states in own)
