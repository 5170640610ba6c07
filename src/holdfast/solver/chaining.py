"""The shielded-reachable set R of a symbolic solution, by chaining in growing prefixes.

Breadth-first frontiers of R have diagrams far larger than R itself. Four habits keep them small, since sets
that are closed under some moves are simple and sets that are half closed are not. *Parts*: automata mostly go
forward, so the blocks fall into strongly connected components; each is closed completely, in topological
order, and the moves that leave it are made once, afterwards. *Chaining*: the moves that assign one variable
are applied to the growing sets, each time to what is new, until nothing is added, before the next variable's
turn. *Prefixes*: the topmost variables are closed completely before more are let in, a quarter more a time.
*Rest*: where both players may leave everything as it is, what is reached at one turn is reached at the other.
Such positions are closed by themselves first, in one set for both turns; where the defender must answer, it
is looked from behind which answers lead to something new.

What is at rest in one block is closed with a look from behind (:mod:`holdfast.solver.closing`), which makes a
hundredth of the nodes; chaining does, or completes, the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial, reduce
from operator import or_

from holdfast.budget import Budget
from holdfast.logic import Diagram, Player
from holdfast.solver.closing import Closing
from holdfast.solver.diagram_positions import DiagramPositions
from holdfast.solver.pieces import Piece, image
from holdfast.solver.product_diagrams import MoveGroup, ProductDiagrams, can_enter, group_moves

GROWTH = 1.25
WAKING, LEAVING = -1, -2
"""Trials of moves that are not about the variable of one level."""


Leads = dict[tuple[Player, int, int], list[tuple[int, Diagram]]]
"""For a player, a class of moves and a block: the blocks they lead to, and in which states they stay in W."""

Doors = dict[tuple[Player, int, int], list[tuple[int, Player | None, Diagram]]]
"""Leads in two: to states in which play is then at rest (None), and to those where the other must move."""


Only = dict[tuple[Player, int, int], Diagram]
"""For a player, a class of moves and a block: from where alone these moves are made."""


def reachable_sets(
    winning: DiagramPositions, budget: Budget, made: Mapping[int, DiagramPositions] | None = None
) -> DiagramPositions:
    """R or, with ``made``, what play reaches if the defender makes each choice from there alone.

    A choice with several outcomes goes by the number of any of them, and all of them are followed.
    """
    product, only = winning.product, Only()
    if made is None and product.gambles:
        product, only = _gambling(product, winning, partial(budget.tick, "following play"))
    if made is not None:
        product, only = _making(product, made, partial(budget.tick, "following play"))
    start = DiagramPositions.of(product, product.configuration.initial)
    return _followed(start, winning, product, only, budget)


def followed_sets(
    start: DiagramPositions, winning: DiagramPositions, game: ProductDiagrams, budget: Budget
) -> DiagramPositions:
    """What play reaches from some positions without leaving W, in a game with fewer moves and no gambles."""
    return _followed(start, winning, game, Only(), budget)


def _followed(
    start: DiagramPositions,
    winning: DiagramPositions,
    product: ProductDiagrams,
    only: Only,
    budget: Budget,
) -> DiagramPositions:
    search = _Chaining(start, winning, product, only)
    levels = sorted({p.level for groups in product.groups.values() for g in groups for p in g.pieces}) or [0]
    targets = {block: search.targets(block) for block in range(product.blocks.n_blocks)}
    parts = components(targets)
    for number, blocks in enumerate(parts, 1):
        if not search.has(blocks):
            continue
        inside, outside = search.split(set(blocks))
        search.close(blocks, inside, levels, budget.part(f"safe play, part {number} of {len(parts)}"))
        for turn, group in search.moves:
            for block in blocks if outside else ():
                budget.tick("safe play: on to the next part")
                search.leave(turn, group, block, outside)
    return DiagramPositions(
        winning.product, search.reached(Player.DEFENDER), search.reached(Player.ADVERSARY)
    )


def _making(
    product: ProductDiagrams, made: Mapping[int, DiagramPositions], tick: Callable[[], None]
) -> tuple[ProductDiagrams, Only]:
    """The game in which each of these defender choices is a class of its own, and from where it is made."""
    own, groups, edges, only = Player.DEFENDER, list[MoveGroup](), list(product.edges), Only()
    actions, kinds = product.configuration.game.actions[own], product.move_class[own]
    drawn = {number: gamble.outcomes for gamble in product.gambles for number in gamble.numbers}
    for action, positions in made.items():
        kind = len(edges)
        edges.append(product.edges[kinds[action]])
        outcomes = drawn.get(action, (actions[action],))
        groups += group_moves(product.diagrams, outcomes, (kind,) * len(outcomes), tick)
        only |= {(own, kind, block): states for block, states in enumerate(positions[own])}
    return replace(product, groups={**product.groups, own: tuple(groups)}, edges=tuple(edges)), only


def _gambling(
    product: ProductDiagrams, winning: DiagramPositions, tick: Callable[[], None]
) -> tuple[ProductDiagrams, Only]:
    """The game in which each gamble is a class of its own, made where all its outcomes stay in W."""
    own, groups, edges, only = Player.DEFENDER, list[MoveGroup](), list(product.edges), Only()
    for gamble in product.gambles:
        kind = len(edges)
        edges.append(product.edges[gamble.kind])
        groups += group_moves(product.diagrams, gamble.outcomes, (kind,) * len(gamble.outcomes), tick)
        for block in range(product.blocks.n_blocks):
            goal = product.goal(gamble.kind, block, winning.adversary, unsafe=False)
            only[own, kind, block] = gamble.into(product.diagrams, goal)
    moves = {**product.groups, own: (*product.groups[own], *groups)}
    return replace(product, groups=moves, edges=tuple(edges)), only


def components(targets: Mapping[int, Collection[int]]) -> list[list[int]]:
    """The strongly connected components of a graph, each before those that it leads to (Tarjan, 1972).

    >>> components({0: [1], 1: [2, 3], 2: [1], 3: []})
    [[0], [1, 2], [3]]
    """
    # networkx has this too, but its import takes half as long as all of `holdfast check` on a small file.
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    closed: list[list[int]] = []
    for root in targets:
        stack = [] if root in index else [(root, iter(targets[root]))]
        while stack:
            here, onward = stack[-1]
            if here not in index:
                index[here] = low[here] = len(index)
                path.append(here)
            new = next((target for target in onward if target not in index), None)
            if new is not None:
                stack.append((new, iter(targets[new])))
                continue
            stack.pop()
            low[here] = min([low[here], *(low[t] for t in targets[here] if t in low)])
            if low[here] == index[here]:
                at = path.index(here)
                closed.append(sorted(path[at:]))
                for done in path[at:]:
                    del low[done]
                del path[at:]
    return closed[::-1]


class _Chaining:
    """The sets found so far, and what has already been tried on them.

    A position at *rest* is reached iff the one with the other turn is, so one set holds both; what is reached
    elsewhere stands under the player whose turn it is.
    """

    def __init__(
        self, start: DiagramPositions, winning: DiagramPositions, product: ProductDiagrams, only: Only
    ) -> None:
        self.only, self.product = only, product
        self.closed: dict[int, Diagram] = {}
        self.closings: dict[tuple[tuple[Player, int], ...], Closing] = {}
        d, n_blocks = product.diagrams, product.blocks.n_blocks
        self.tidied = d.tidied
        self.moves = [(turn, group) for turn in Player for group in product.groups[turn]]
        self.pieces: dict[tuple[Player, int], dict[int, tuple[Piece, ...]]] = {}
        for turn, group in self.moves:
            by_level = self.pieces[turn, group.kind] = {}
            for piece in group.pieces:
                by_level[piece.level] = (*by_level.get(piece.level, ()), piece)
        leads = {
            (turn, group.kind, block): [
                (target, condition & winning[turn.opponent][target])
                for target, condition in product.edges[group.kind][block].items()
                if target is not None
            ]
            for turn, group in self.moves
            for block in range(n_blocks)
            if not (turn is Player.ADVERSARY and product.blocks.is_sink(block))
        }
        self.rest = [self._resting(leads, block, d.valid) for block in range(n_blocks)]
        self.doors: Doors = {
            (turn, kind, block): [
                (target, turn.opponent if awake else None, states)
                for target, condition in own
                for awake in (False, True)
                if (states := condition & (~self.rest[target] if awake else self.rest[target])).satisfiable()
            ]
            for (turn, kind, block), own in leads.items()
        }
        self.seen: dict[Player | None, list[Diagram]] = {
            player: [states & ~rest for states, rest in zip(start[player], self.rest, strict=True)]
            for player in Player
        }
        self.seen[None] = [
            (one | other) & rest
            for one, other, rest in zip(start.defender, start.adversary, self.rest, strict=True)
        ]
        self.done: dict[tuple[int, Player, int, int, Player | None], Diagram] = {}

    def _resting(self, leads: Leads, block: int, valid: Diagram) -> Diagram:
        """Where either player may leave everything in a block as it is and stay in W."""
        resting = valid
        for player in Player:
            stays = valid & ~valid
            for turn, group in self.moves:
                for target, condition in leads.get((turn, group.kind, block), ()):
                    if turn is player and target == block:
                        stays |= condition & group.stay & self.only.get((turn, group.kind, block), valid)
            resting &= stays
        return resting

    def reached(self, player: Player) -> tuple[Diagram, ...]:
        """What has been reached with a player to move, in each block."""
        return tuple(map(or_, self.seen[None], self.seen[player]))

    def has(self, blocks: Iterable[int]) -> bool:
        """Whether something of R is known to lie in the blocks."""
        return any(own[block].satisfiable() for own in self.seen.values() for block in blocks)

    def targets(self, block: int) -> set[int]:
        """The blocks that some move leads to from a block."""
        doors = (self.doors.get((turn, group.kind, block), ()) for turn, group in self.moves)
        return {target for own in doors for target, _, _ in own}

    def split(self, blocks: set[int]) -> tuple[Doors, Doors]:
        """The doors of some blocks: those that stay among them, and those that leave them."""
        own = {key: doors for key, doors in self.doors.items() if key[2] in blocks}
        inside = {key: [door for door in doors if door[0] in blocks] for key, doors in own.items()}
        outside = {key: [door for door in doors if door[0] not in blocks] for key, doors in own.items()}
        return inside, {key: doors for key, doors in outside.items() if doors}

    def close(self, blocks: list[int], doors: Doors, levels: list[int], budget: Budget) -> None:
        """Apply the moves that stay among some blocks until nothing is added.

        What is at rest is closed by itself first, since few plays leave it, and most of these come back to
        where play has been.
        """
        resting = {key: [door for door in own if door[1] is None] for key, own in doors.items()}
        waking = {key: [door for door in own if door[1] is not None] for key, own in doors.items()}
        before = None
        while before != (before := [self.seen[None][block] for block in blocks]):
            for block in blocks:
                self._close_alone(block, resting, levels, len(blocks) == 1, budget)
            self._close_places((None,), blocks, resting, levels, budget)
            for turn, group in self.moves:
                for block in blocks:
                    budget.tick("what calls for an answer")
                    self._advance(turn, group, block, None, group.pieces, waking, WAKING)
            for turn, group in self.moves:
                for block in blocks:
                    self._look_back(turn, group, block, doors, levels, budget)
            self._close_places(tuple(Player), blocks, doors, levels, budget)

    def _close_alone(self, block: int, doors: Doors, levels: list[int], alone: bool, budget: Budget) -> None:
        """Close what is at rest in a block under the moves that stay at rest there, if that goes quickly."""
        states, rest = self.seen[None][block], self.rest[block]
        if not states.satisfiable() or self.closed.get(block) == states:
            return
        inside = tuple(
            (turn, group)
            for turn, group in self.moves
            if (turn, group.kind, block) not in self.only
            and any(door[0] == block and door[2] == rest for door in doors.get((turn, group.kind, block), ()))
        )
        key = tuple((turn, group.kind) for turn, group in inside)
        if key not in self.closings:
            groups = tuple(group for _, group in inside)
            self.closings[key] = Closing(self.product.diagrams, groups, budget.memory)
        found, complete = self.closings[key].closed(states, rest, budget)
        self.seen[None][block] = self.closed[block] = found
        for turn, group in inside if alone and complete else ():
            for level in levels:
                self.done[level, turn, group.kind, block, None] = found

    def _look_back(
        self, turn: Player, group: MoveGroup, block: int, doors: Doors, levels: list[int], budget: Budget
    ) -> None:
        """Look for what is new at rest from there, since few moves of a player who must answer lead to it."""
        states, open_doors = self.seen[turn][block], doors.get((turn, group.kind, block), ())
        if not states.satisfiable() or any(place is not None for _, place, _ in open_doors):
            return
        known = states
        for target, _, door in open_doors:
            known &= ~can_enter(group, door & ~self.seen[None][target], budget.tick)
        for level in levels:
            self.done[level, turn, group.kind, block, turn] = known

    def _close_places(
        self,
        places: tuple[Player | None, ...],
        blocks: list[int],
        doors: Doors,
        levels: list[int],
        budget: Budget,
    ) -> None:
        """Apply the moves from some places until nothing is added, in growing prefixes."""
        n_open = 0
        while n_open < len(levels):
            n_open = min(len(levels), max(n_open + 1, int(n_open * GROWTH)))
            grown = True
            while grown:
                grown = False
                for i, level in enumerate(levels[:n_open]):
                    budget.tick(f"variable {i + 1} of {n_open}, {len(levels)} in all")
                    grown = self._close(level, places, blocks, doors) or grown

    def _close(self, level: int, places: tuple[Player | None, ...], blocks: list[int], doors: Doors) -> bool:
        """Apply the moves that assign the variable at ``level``, and those that stay, to a fixpoint."""
        ever, grown = False, True
        while grown:
            grown = False
            for turn, group in self.moves:
                for block in blocks:
                    for place in places:
                        if place is turn or place is None:
                            pieces = self.pieces[turn, group.kind].get(level, ())
                            grown = self._advance(turn, group, block, place, pieces, doors, level) or grown
            ever = ever or grown
        return ever

    def leave(self, turn: Player, group: MoveGroup, block: int, doors: Doors) -> None:
        """Add what some moves lead to from a block through some doors."""
        for place in (turn, None):
            self._advance(turn, group, block, place, group.pieces, doors, LEAVING)

    def _advance(
        self,
        turn: Player,
        group: MoveGroup,
        block: int,
        place: Player | None,
        pieces: tuple[Piece, ...],
        doors: Doors,
        trial: int,
    ) -> bool:
        """Add what some moves lead to from what a trial has not seen of a block; whether anything was new."""
        key, states = (trial, turn, group.kind, block, place), self.seen[place][block]
        open_doors, known = doors.get(key[1:4], ()), self.done.get(key)
        if not open_doors or not states.satisfiable() or known == states:
            return False
        fresh = states if known is None else states & ~known
        fresh &= self.only.get(key[1:4], fresh)
        resting = block if place is None else None
        among = reduce(or_, (door for _, _, door in open_doors)) if trial == WAKING else None
        new = self.tidied(partial(self._entered, group, fresh, pieces, open_doors, resting, among))
        for (target, after_place), after in new.items():
            self.seen[after_place][target] = after
        self.done[key] = states
        return bool(new)

    def _entered(
        self,
        group: MoveGroup,
        states: Diagram,
        pieces: tuple[Piece, ...],
        doors: Iterable[tuple[int, Player | None, Diagram]],
        resting: int | None,
        among: Diagram | None,
    ) -> dict[tuple[int, Player | None], Diagram]:
        """The sets that grow by what the moves lead to; nothing is written, so it may be repeated.

        From rest, a move that changes nothing leads nowhere new in its block, which is ``resting``. Where the
        doors are narrow, what leads elsewhere is left out move by move.
        """
        grown, changed = {}, states & ~states
        for piece in pieces:
            changed |= image(piece, states) if among is None else image(piece, states) & among
        moved = changed | states & group.stay
        for target, place, door in doors:
            before = self.seen[place][target]
            after = before | ((changed if target == resting else moved) & door)
            if after != before:
                grown[target, place] = after
        return grown
