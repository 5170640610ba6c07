"""Safe play as decision diagrams: exact answers where R is too large to list.

R is had by chaining (:mod:`holdfast.solver.chaining`), a set of states for each turn and block. What is
asked of it are sets again, and never a sample.

*Permitted actions.* Each defender action is permitted on a set. The positions with exactly j < K permitted
actions are kept apart while the actions are added one set at a time, and a position that has K is dropped;
K doubles until something is left. The actions that are permitted most often come first, so that little is
kept.

*Plays.* Going back from a set inside R, move by move, the rings of equal distance are had until v₀ is met.
Following them forward from v₀ gives shortest plays to the nearest positions of the set.

Every question raises LimitError when the diagrams outgrow their memory, or past the budget.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.explanation.safe_positions import Nearest, Play
from holdfast.game import Position
from holdfast.logic import Diagram, Expression, OutOfNodes, Player, after_move
from holdfast.solver import (
    DiagramRegions,
    MoveGroup,
    MoveInWords,
    ProductDiagrams,
    Sets,
    Solution,
    SolvedGame,
    can_enter,
    classify_moves,
    diagrams,
    move_in_words,
)

MAX_FOLLOWED = 2_000
"""Positions that are followed forward at most, for plays of one length."""

Blockwise = list[Diagram]
"""A set of positions of one player: for each block its states."""


@contextmanager
def _enough_memory() -> Iterator[None]:
    try:
        yield
    except OutOfNodes:
        raise LimitError("safe play outgrew the memory for decision diagrams") from None


@dataclass(frozen=True, eq=False, repr=False)
class SafeSets:
    """R of a solved game, which is also asked position by position (``solved``); ``winning`` is W."""

    solved: SolvedGame
    regions: DiagramRegions
    winning: Sets
    seen: Sets
    budget: Budget

    @property
    def solution(self) -> Solution:
        """Whose R it is."""
        return self.solved.solution

    @property
    def product(self) -> ProductDiagrams:
        """The game as diagrams."""
        return self.regions.product

    @property
    def n(self) -> int:
        """How many defender positions R has."""
        return self.count(self.seen[Player.DEFENDER])

    def count(self, sets: Blockwise) -> int:
        """How many positions a set has, exactly."""
        return sum(map(self.product.diagrams.count, sets))

    def busy(self) -> None:
        """Show that there is progress."""
        self.budget.tick("safe play as decision diagrams")

    @_enough_memory()
    def fewest_permitted(self) -> tuple[int, Blockwise]:
        """The least |Safe(v)| over the defender positions of R, and where it is met; R has one at least."""
        tidied, blocks = self.product.diagrams.tidied, range(self.product.blocks.n_blocks)
        menus = [tidied(partial(_menus, self, block)) for block in blocks]
        few = 2
        while True:
            kept = [tidied(partial(_below, self, block, menus[block], few)) for block in blocks]
            for n in range(few):
                if _any(exactly[n] for exactly in kept):
                    return n, [exactly[n] for exactly in kept]
            few *= 2

    @_enough_memory()
    def closest(self) -> Nearest:
        """The least rank to which doing nothing, or else any wrong move, leads."""
        seen, layers = self.seen[Player.DEFENDER], [layer[Player.ADVERSARY] for layer in self.regions.layers]
        waiting = partial(_entering, self, Player.DEFENDER, idle=True)
        may_wait = waiting(seen, self.winning[Player.ADVERSARY])
        must_act = [states & ~own for states, own in zip(seen, may_wait, strict=True)]
        losing = self.count(waiting(must_act, layers[-1])) if layers else 0
        inside = must_act if losing else seen
        for k, layer in enumerate(layers, 1):
            where = _entering(self, Player.DEFENDER, inside, layer, idle=bool(losing))
            if _any(where):
                return Nearest(k, bool(losing), losing, where)
        return Nearest(None, False, 0, [])

    @_enough_memory()
    def threatened(self, near: Nearest) -> dict[int, int]:
        """For each clause of φ_D, at how many of the positions the wrong move lets it be violated at once."""
        counts = {}
        for clause in range(len(self.solution.configuration.defender)):
            targets = _violating(self, clause)
            where = _entering(self, Player.DEFENDER, near.where, targets, idle=near.by_waiting)
            counts[clause] = self.count(where)
        return {clause: n for clause, n in counts.items() if n}

    @_enough_memory()
    def extent(self, term: Expression) -> tuple[int, int]:
        """The least and the greatest value of a term over the states of R, either turn."""
        parts, states = self.product.diagrams.term(term), self.product.diagrams.false
        for own in (*self.seen[Player.DEFENDER], *self.seen[Player.ADVERSARY]):
            states |= own

        def taken(value: Fraction) -> bool:
            return (parts[value] & states).satisfiable()

        values = sorted(parts)
        return int(next(filter(taken, values))), int(next(filter(taken, reversed(values))))

    def plays(self, where: Blockwise, n: int) -> list[Play]:
        """Those of a set nearest to v₀, in different states; any one without a play where a limit is met."""
        found: list[Play] = []
        with suppress(LimitError):
            found += _nearest_plays(self, where, n)
        return found or [(_some_position(self, where), None)]


def safe_sets(solution: Solution, budget: Budget = UNLIMITED) -> SafeSets:
    """R by chaining.

    Raises:
        InputError: for a tabulated game.
        LimitError: when the diagrams outgrow their memory, or past the budget.
    """
    regions = diagrams(solution, budget)
    return SafeSets(SolvedGame(solution), regions, regions.winning(), regions.reached(budget), budget)


def _any(sets: Iterator[Diagram] | Blockwise) -> bool:
    return any(states.satisfiable() for states in sets)


# -- how many actions are permitted -------------------------------------------------------------------


def _menus(safe: SafeSets, block: int) -> list[tuple[Diagram, int]]:
    """The sets on which defender actions are permitted, each with its number of actions, largest first."""
    product, states = safe.product, safe.seen[Player.DEFENDER][block]
    found: dict[Diagram, int] = {}
    for group in product.groups[Player.DEFENDER] if states.satisfiable() else ():
        goal = product.goal(group.kind, block, safe.winning[Player.ADVERSARY], unsafe=False)
        moved = []
        for piece in group.pieces:
            safe.busy()
            moved.append(states & goal.substitute(piece.substitution))
        kept = states & goal
        for own, stay in group.actions:
            permitted = kept & stay
            for i, guard in own:
                permitted |= moved[i] & guard
            found[permitted] = found.get(permitted, 0) + 1
    return sorted(found.items(), key=lambda item: product.diagrams.count(item[0]), reverse=True)


def _below(safe: SafeSets, block: int, menus: list[tuple[Diagram, int]], few: int) -> list[Diagram]:
    """Where exactly 0, 1, …, few − 1 actions are permitted."""
    false = safe.product.diagrams.false
    exactly = [safe.seen[Player.DEFENDER][block]] + [false] * (few - 1)
    for permitted, n_actions in menus:
        safe.busy()
        after = [false] * few
        for n, states in enumerate(exactly):
            if states.satisfiable():
                after[n] |= states & ~permitted
                if n + n_actions < few:
                    after[n + n_actions] |= states & permitted
        exactly = after
    return exactly


# -- where moves lead ---------------------------------------------------------------------------------


def _entering(
    safe: SafeSets, player: Player, inside: Blockwise, targets: Blockwise, *, idle: bool = False
) -> Blockwise:
    """Where in a set some move of a player (if ``idle``, one that changes nothing) leads into the targets."""
    product, found = safe.product, []
    for block, states in enumerate(inside):
        into = product.diagrams.false
        for group in product.groups[player] if states.satisfiable() else ():
            goal = product.goal(group.kind, block, targets, unsafe=False)
            into |= _idle(group) & goal if idle else can_enter(group, goal, safe.busy)
        found.append(states & into)
    return found


def _idle(group: MoveGroup) -> Diagram:
    """Where some move of the group changes nothing: no rule applies, or it assigns what is there."""
    states = group.stay
    for piece in group.pieces:
        for condition, values in piece.outcomes:
            states |= condition & values
    return states


def _violating(safe: SafeSets, clause: int) -> Blockwise:
    """The adversary positions with an admissible move that violates the clause at once."""
    product, configuration = safe.product, safe.solution.configuration
    automaton, blocks, d = configuration.defender[clause], product.blocks, product.diagrams
    # For each class of adversary moves the name of one: to the automata they look alike.
    kinds, actions = classify_moves(configuration)[1], configuration.game.actions
    letters = dict(zip(kinds[Player.ADVERSARY], actions[Player.ADVERSARY], strict=True))
    found = []
    for block in range(blocks.n_blocks):
        q, violating = blocks.defender.accepting[block // len(blocks.planes)][clause], d.false
        rejecting = [t for t in sorted(set(automaton.delta[q])) if not automaton.accepting[t]]
        for group in () if blocks.is_sink(block) else product.groups[Player.ADVERSARY]:
            rejected = admissible = d.false
            for target in rejecting:
                letter = Player.ADVERSARY, letters[group.kind].name
                rejected |= d.truth(after_move(automaton.guard(q, target), letter))
            for condition in product.edges[group.kind][block].values():
                admissible |= condition
            violating |= can_enter(group, rejected & admissible, safe.busy)
        found.append(violating)
    return found


# -- plays --------------------------------------------------------------------------------------------


def _nearest_plays(safe: SafeSets, targets: Blockwise, n: int) -> Iterator[Play]:
    """Shortest plays to up to n positions of a set inside R, the nearest first, in different states."""
    while n and _any(targets):
        with _enough_memory():
            found = _followed(safe, _rings(safe, targets), n)
        yield from found
        n -= len(found)
        for position, _ in found:
            state = safe.product.diagrams.state(safe.solved.game.codes(position.state))
            targets = [states & ~state for states in targets]


def _some_position(safe: SafeSets, targets: Blockwise) -> Position:
    """A position of a set that has one, wherever it is."""
    block = next(number for number, states in enumerate(targets) if states.satisfiable())
    codes = safe.product.diagrams.pick(targets[block])
    assert codes is not None
    state = tuple(codes[variable.name] for variable in safe.solved.game.variables)
    return Position(state, Player.DEFENDER, *safe.product.blocks.states(block))


def _rings(safe: SafeSets, targets: Blockwise) -> list[Sets]:
    """The positions of R that are 0, 1, … moves away from the set, until v₀ is among them."""
    d, n_blocks = safe.product.diagrams, safe.product.blocks.n_blocks
    rings: list[Sets] = [{Player.DEFENDER: targets, Player.ADVERSARY: [d.false] * n_blocks}]
    near = rings[0]
    while not _contains(safe, rings[-1], safe.solved.initial):
        newest = d.tidied(partial(_before, safe, rings[-1], near))
        near = {p: [old | new for old, new in zip(near[p], newest[p], strict=True)] for p in Player}
        rings.append(newest)
        assert any(_any(newest[p]) for p in Player), "R is reached from v₀"
    return rings


def _before(safe: SafeSets, newest: Sets, near: Sets) -> Sets:
    """The positions of R that have a safe move into the newest and are new themselves."""
    found = Sets()
    for player in Player:
        into = _entering(safe, player, safe.seen[player], newest[player.opponent])
        found[player] = [own & ~old for own, old in zip(into, near[player], strict=True)]
    return found


def _contains(safe: SafeSets, sets: Sets, position: Position) -> bool:
    block = safe.product.blocks.number(position)
    if block is None:
        return False
    codes = safe.solved.game.codes(position.state)
    return bool(sets[position.turn][block].eval(safe.product.diagrams.point(codes)))


def _followed(safe: SafeSets, rings: list[Sets], n: int) -> list[Play]:
    """Plays from v₀ inwards, ring by ring, that end in up to n different states."""
    solved = safe.solved
    stack: list[tuple[Position, tuple[MoveInWords, ...]]] = [(solved.initial, ())]
    seen, ends = {solved.initial}, dict[tuple[int, ...], Play]()
    n_followed = 0
    while stack and len(ends) < n and (n_followed < MAX_FOLLOWED or not ends):
        here, play = stack.pop()
        inner = len(rings) - 1 - len(play)
        if inner == 0:
            ends.setdefault(here.state, (here, play))
            continue
        n_followed += 1
        safe.busy()
        # What is pushed last is followed first: moves that change something, in the order of the game.
        onward = list(solved.moves(here).items())
        onward.reverse()
        onward.sort(key=lambda item: item[0].state != here.state)
        for target, actions in onward:
            if target not in seen and _contains(safe, rings[inner - 1], target):
                seen.add(target)
                stack.append(
                    (target, (*play, move_in_words(solved.configuration.system, here, actions[0], target)))
                )
    return list(ends.values())
