"""Safe play as decision diagrams: exact answers where R is too large to list.

R is had by chaining (:mod:`holdfast.engines.chaining`), a set of states for each turn and block. What is
asked of it are sets again, and never a sample.

*Permitted actions.* Each defender action is permitted on a set. The positions with exactly j < K permitted
actions are kept apart while the actions are added one set at a time, and a position that has K is dropped;
K doubles until something is left. The actions that are permitted most often come first, so that little is
kept.

*Plays.* Going back from a set inside R, move by move, the rings of equal distance are had until v₀ is met.
Following them forward from v₀ gives shortest plays to the nearest positions of the set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.product_diagrams import MoveGroup, ProductDiagrams, Sets, can_enter
from holdfast.engines.quotient import classify_moves
from holdfast.engines.symbolic import DiagramRegions
from holdfast.errors import LimitError
from holdfast.logic.diagrams import Diagram, OutOfNodes
from holdfast.logic.expressions import Expression, Player, after_move
from holdfast.product import Position
from holdfast.solution import Solution, diagrams
from holdfast.solved_game import SolvedGame
from holdfast.words import Move, move_in_words

MAX_FOLLOWED = 2_000
"""Positions that are followed forward at most, for plays of one length."""

Play = tuple[Position, tuple[Move, ...]]
"""A position, and a shortest play that leads to it."""

Blockwise = list[Diagram]
"""A set of defender positions: for each block its states."""


@dataclass(frozen=True)
class SafeSets:
    """R of a solved game, as diagrams.

    Attributes:
        solved: the game, asked position by position.
        regions: the solved game as diagrams.
        winning, seen: W and R.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
    """

    solved: SolvedGame = field(repr=False)
    regions: DiagramRegions = field(repr=False)
    winning: Sets = field(repr=False)
    seen: Sets = field(repr=False)
    budget: Budget = field(repr=False)

    @property
    def solution(self) -> Solution:
        """Whose R it is."""
        return self.solved.solution

    @property
    def product(self) -> ProductDiagrams:
        """The game as diagrams."""
        return self.regions.product

    def count(self, sets: Blockwise) -> int:
        """How many positions a set has, exactly."""
        return sum(map(self.product.diagrams.count, sets))

    def busy(self) -> None:
        """Show that there is progress."""
        self.budget.tick("safe play as decision diagrams")


def safe_sets(solution: Solution, budget: Budget = UNLIMITED) -> SafeSets:
    """R by chaining.

    Raises:
        InputError: for a tabulated game.
        LimitError: when the diagrams outgrow their memory, or past the budget.
    """
    regions = diagrams(solution, budget)
    return SafeSets(SolvedGame(solution), regions, regions.winning(), regions.reached(budget), budget)


def _outgrown() -> LimitError:
    return LimitError("safe play outgrew the memory for decision diagrams")


# -- how many actions are permitted -------------------------------------------------------------------


def fewest_permitted(safe: SafeSets) -> tuple[int, Blockwise]:
    """The least |Safe(v)| over the defender positions of R, and where it is met; R has one at least.

    Raises:
        LimitError: when the diagrams outgrow their memory.
    """
    d = safe.product.diagrams
    try:
        menus = [d.tidied(partial(_menus, safe, block)) for block in range(safe.product.blocks.n_blocks)]
        few = 2
        while True:
            kept = [d.tidied(partial(_below, safe, block, menus[block], few)) for block in range(len(menus))]
            for n in range(few):
                if any(exactly[n].satisfiable() for exactly in kept):
                    return n, [exactly[n] for exactly in kept]
            few *= 2
    except OutOfNodes:
        raise _outgrown() from None


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


# -- what a wrong move concedes -----------------------------------------------------------------------


@dataclass(frozen=True)
class Nearest:
    """Where the adversary comes nearest: see :class:`holdfast.explanation.spots.Approach`."""

    moves: int | None
    by_waiting: bool
    n_waiting_loses: int
    where: Blockwise = field(repr=False)


def nearest(safe: SafeSets) -> Nearest:
    """The least rank to which doing nothing, or else any wrong move, leads from a defender position of R.

    Raises:
        LimitError: when the diagrams outgrow their memory.
    """
    seen, layers = safe.seen[Player.DEFENDER], safe.regions.layers
    try:
        may_wait = _conceding(safe, seen, safe.winning[Player.ADVERSARY], idle=True)
        must_act = [states & ~own for states, own in zip(seen, may_wait, strict=True)]
        last = layers[-1][Player.ADVERSARY] if layers else []
        losing = safe.count(_conceding(safe, must_act, last, idle=True)) if last else 0
        inside = must_act if losing else seen
        for k, layer in enumerate(layers, 1):
            where = _conceding(safe, inside, layer[Player.ADVERSARY], idle=bool(losing))
            if any(states.satisfiable() for states in where):
                return Nearest(k, bool(losing), losing, where)
    except OutOfNodes:
        raise _outgrown() from None
    return Nearest(None, False, 0, [])


def threatened(safe: SafeSets, near: Nearest) -> dict[int, int]:
    """For each clause of φ_D, at how many of the positions the wrong move lets it be violated at once."""
    try:
        counts = {
            clause: safe.count(_conceding(safe, near.where, _violating(safe, clause), idle=near.by_waiting))
            for clause in range(len(safe.solution.configuration.defender))
        }
    except OutOfNodes:
        raise _outgrown() from None
    return {clause: n for clause, n in counts.items() if n}


def _conceding(safe: SafeSets, inside: Blockwise, targets: Blockwise, *, idle: bool) -> Blockwise:
    """Where in a set some defender move (if ``idle``, one that changes nothing) leads into the targets."""
    product, found = safe.product, []
    for block, states in enumerate(inside):
        into = product.diagrams.false
        for group in product.groups[Player.DEFENDER] if states.satisfiable() else ():
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
    letters = _letters(safe)
    found = []
    for block in range(blocks.n_blocks):
        q, violating = blocks.defender.accepting[block // len(blocks.planes)][clause], d.false
        rejecting = [t for t in sorted(set(automaton.delta[q])) if not automaton.accepting[t]]
        for group in () if blocks.is_sink(block) else product.groups[Player.ADVERSARY]:
            rejected = admissible = d.false
            for target in rejecting:
                rejected |= d.truth(after_move(automaton.guard(q, target), letters[group.kind]))
            for condition in product.edges[group.kind][block].values():
                admissible |= condition
            violating |= can_enter(group, rejected & admissible, safe.busy)
        found.append(violating)
    return found


def _letters(safe: SafeSets) -> dict[int, tuple[Player, str]]:
    """For each class of adversary moves the name of one: to the automata they look alike."""
    configuration = safe.solution.configuration
    kinds = classify_moves(configuration)[1][Player.ADVERSARY]
    actions = configuration.game.actions[Player.ADVERSARY]
    return {kind: (Player.ADVERSARY, action.name) for kind, action in zip(kinds, actions, strict=True)}


# -- what a term runs through -------------------------------------------------------------------------


def extent(safe: SafeSets, term: Expression) -> tuple[int, int]:
    """The least and the greatest value of a term over the states of R, either turn.

    Raises:
        LimitError: when the diagrams outgrow their memory.
    """
    d = safe.product.diagrams
    try:
        parts, states = d.term(term), d.false
        for player in Player:
            for own in safe.seen[player]:
                states |= own
        values = sorted(parts)
        least = next(value for value in values if (parts[value] & states).satisfiable())
        greatest = next(value for value in reversed(values) if (parts[value] & states).satisfiable())
    except OutOfNodes:
        raise _outgrown() from None
    return int(least), int(greatest)


# -- plays --------------------------------------------------------------------------------------------


def nearest_plays(safe: SafeSets, targets: Blockwise, n: int) -> Iterator[Play]:
    """Shortest plays to the positions of a set that are nearest to v₀, each in a state of its own.

    Raises:
        LimitError: when the diagrams outgrow their memory; what was found before has been given.
    """
    d = safe.product.diagrams
    game = safe.solution.configuration.game
    left = n
    while left and any(states.satisfiable() for states in targets):
        try:
            found = _followed(safe, _rings(safe, targets), left)
        except OutOfNodes:
            raise _outgrown() from None
        yield from found
        left -= len(found)
        for position, _ in found:
            state = d.state(game.codes(position.state))
            targets = [states & ~state for states in targets]


def some_position(safe: SafeSets, targets: Blockwise) -> Position:
    """A position of a set that has one, wherever it is."""
    product, game = safe.product, safe.solution.configuration.game
    block = next(number for number, states in enumerate(targets) if states.satisfiable())
    codes = product.diagrams.pick(targets[block])
    assert codes is not None
    state = tuple(codes[variable.name] for variable in game.variables)
    return Position(state, Player.DEFENDER, *product.blocks.states(block))


def _rings(safe: SafeSets, targets: Blockwise) -> list[Sets]:
    """The positions of R that are 0, 1, … moves away from the set, until v₀ is among them."""
    d, n_blocks = safe.product.diagrams, safe.product.blocks.n_blocks
    newest: Sets = {Player.DEFENDER: targets, Player.ADVERSARY: [d.false] * n_blocks}
    rings, near = [newest], {player: list(newest[player]) for player in Player}
    while not _contains(safe, rings[-1], safe.solution.configuration.initial):
        newest = d.tidied(partial(_before, safe, rings[-1], near))
        near = {p: [old | new for old, new in zip(near[p], newest[p], strict=True)] for p in Player}
        rings.append(newest)
        assert any(states.satisfiable() for p in Player for states in newest[p]), "R is reached from v₀"
    return rings


def _before(safe: SafeSets, newest: Sets, near: Sets) -> Sets:
    """The positions of R that have a safe move into the newest and are new themselves."""
    product, found = safe.product, Sets()
    for player in Player:
        found[player] = []
        for block, states in enumerate(safe.seen[player]):
            into = product.diagrams.false
            for group in product.groups[player] if states.satisfiable() else ():
                goal = product.goal(group.kind, block, newest[player.opponent], unsafe=False)
                into |= can_enter(group, goal, safe.busy)
            found[player].append(into & states & ~near[player][block])
    return found


def _contains(safe: SafeSets, sets: Sets, position: Position) -> bool:
    block = safe.product.blocks.number(position)
    if block is None:
        return False
    codes = safe.solution.configuration.game.codes(position.state)
    return bool(sets[position.turn][block].eval(safe.product.diagrams.point(codes)))


def _followed(safe: SafeSets, rings: list[Sets], n: int) -> list[Play]:
    """Plays from v₀ inwards, ring by ring, that end in up to n different states."""
    solved = safe.solved
    stack: list[tuple[Position, tuple[Move, ...]]] = [(solved.initial, ())]
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
                stack.append((target, (*play, move_in_words(solved.game, here, actions[0], target))))
    return list(ends.values())
