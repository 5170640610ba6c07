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

from holdfast.arena import automaton_states
from holdfast.budget import UNLIMITED, Budget
from holdfast.engines.chaining import reachable_sets
from holdfast.engines.moves import Group, can_enter
from holdfast.engines.quotient import classify_moves
from holdfast.engines.symbolic import Arena, Sets, SymbolicRegions
from holdfast.errors import LimitError
from holdfast.explain.board import Board
from holdfast.explain.words import Move, move_in_words
from holdfast.logic.diagrams import Diagram, OutOfNodes
from holdfast.logic.expressions import Expression, Player, after_move
from holdfast.product import Position
from holdfast.solution import Solution

MAX_FOLLOWED = 2_000
"""Positions that are followed forward at most, for plays of one length."""

Play = tuple[Position, tuple[Move, ...]]
"""A position, and a shortest play that leads to it."""

Blockwise = list[Diagram]
"""A set of defender positions: for each block its states."""


@dataclass(frozen=True)
class Chart:
    """R of a solved game.

    Attributes:
        solution, board: the game, asked position by position.
        regions: what the symbolic engine keeps of it.
        winning, seen: W and R.
        budget: memory, time and cores; see :mod:`holdfast.budget`.
    """

    solution: Solution
    board: Board = field(repr=False)
    regions: SymbolicRegions = field(repr=False)
    winning: Sets = field(repr=False)
    seen: Sets = field(repr=False)
    budget: Budget = field(repr=False)

    @property
    def arena(self) -> Arena:
        """The game as diagrams."""
        return self.regions.arena

    def count(self, sets: Blockwise) -> int:
        """How many positions a set has, exactly."""
        return sum(map(self.arena.diagrams.count, sets))

    def busy(self) -> None:
        """Show that there is progress."""
        self.budget.tick("safe play as decision diagrams")


def chart(solution: Solution, budget: Budget = UNLIMITED) -> Chart:
    """R by chaining.

    Raises:
        LimitError: when the diagrams outgrow their memory, or by ``progress``.
    """
    regions = solution.regions
    assert isinstance(regions, SymbolicRegions)
    try:
        winning = regions.winning()
        seen = reachable_sets(regions.arena, winning, budget)
    except OutOfNodes:
        raise _outgrown() from None
    return Chart(solution, Board(solution), regions, winning, seen, budget)


def _outgrown() -> LimitError:
    return LimitError("safe play outgrew the memory for decision diagrams")


# -- how many actions are permitted -------------------------------------------------------------------


def fewest_permitted(charted: Chart) -> tuple[int, Blockwise]:
    """The least |Safe(v)| over the defender positions of R, and where it is met; R has one at least.

    Raises:
        LimitError: when the diagrams outgrow their memory.
    """
    d = charted.arena.diagrams
    try:
        menus = [d.tidied(partial(_menus, charted, block)) for block in range(charted.arena.blocks.n_blocks)]
        few = 2
        while True:
            kept = [
                d.tidied(partial(_below, charted, block, menus[block], few)) for block in range(len(menus))
            ]
            for n in range(few):
                if any(exactly[n].satisfiable() for exactly in kept):
                    return n, [exactly[n] for exactly in kept]
            few *= 2
    except OutOfNodes:
        raise _outgrown() from None


def _menus(charted: Chart, block: int) -> list[tuple[Diagram, int]]:
    """The sets on which defender actions are permitted, each with its number of actions, largest first."""
    arena, states = charted.arena, charted.seen[Player.DEFENDER][block]
    found: dict[Diagram, int] = {}
    for group in arena.groups[Player.DEFENDER] if states.satisfiable() else ():
        goal = arena.goal(group.kind, block, charted.winning[Player.ADVERSARY], unsafe=False)
        moved = []
        for piece in group.pieces:
            charted.busy()
            moved.append(states & goal.substitute(piece.substitution))
        kept = states & goal
        for own, stay in group.actions:
            permitted = kept & stay
            for i, guard in own:
                permitted |= moved[i] & guard
            found[permitted] = found.get(permitted, 0) + 1
    return sorted(found.items(), key=lambda item: arena.diagrams.count(item[0]), reverse=True)


def _below(charted: Chart, block: int, menus: list[tuple[Diagram, int]], few: int) -> list[Diagram]:
    """Where exactly 0, 1, …, few − 1 actions are permitted."""
    false = charted.arena.diagrams.false
    exactly = [charted.seen[Player.DEFENDER][block]] + [false] * (few - 1)
    for permitted, n_actions in menus:
        charted.busy()
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
    """Where the adversary comes nearest: see :class:`holdfast.explain.spots.Approach`."""

    moves: int | None
    by_waiting: bool
    n_waiting_loses: int
    where: Blockwise = field(repr=False)


def nearest(charted: Chart) -> Nearest:
    """The least rank to which doing nothing, or else any wrong move, leads from a defender position of R.

    Raises:
        LimitError: when the diagrams outgrow their memory.
    """
    seen, layers = charted.seen[Player.DEFENDER], charted.regions.layers
    try:
        may_wait = _conceding(charted, seen, charted.winning[Player.ADVERSARY], idle=True)
        must_act = [states & ~own for states, own in zip(seen, may_wait, strict=True)]
        last = layers[-1][Player.ADVERSARY] if layers else []
        losing = charted.count(_conceding(charted, must_act, last, idle=True)) if last else 0
        inside = must_act if losing else seen
        for k, layer in enumerate(layers, 1):
            where = _conceding(charted, inside, layer[Player.ADVERSARY], idle=bool(losing))
            if any(states.satisfiable() for states in where):
                return Nearest(k, bool(losing), losing, where)
    except OutOfNodes:
        raise _outgrown() from None
    return Nearest(None, False, 0, [])


def threatened(charted: Chart, near: Nearest) -> dict[int, int]:
    """For each clause of φ_D, at how many of the positions the wrong move lets it be violated at once."""
    try:
        counts = {
            clause: charted.count(
                _conceding(charted, near.where, _violating(charted, clause), idle=near.by_waiting)
            )
            for clause in range(len(charted.solution.configuration.defender))
        }
    except OutOfNodes:
        raise _outgrown() from None
    return {clause: n for clause, n in counts.items() if n}


def _conceding(charted: Chart, inside: Blockwise, targets: Blockwise, *, idle: bool) -> Blockwise:
    """Where in a set some defender move (if ``idle``, one that changes nothing) leads into the targets."""
    arena, found = charted.arena, []
    for block, states in enumerate(inside):
        into = arena.diagrams.false
        for group in arena.groups[Player.DEFENDER] if states.satisfiable() else ():
            goal = arena.goal(group.kind, block, targets, unsafe=False)
            into |= _idle(group) & goal if idle else can_enter(group, goal, charted.busy)
        found.append(states & into)
    return found


def _idle(group: Group) -> Diagram:
    """Where some move of the group changes nothing: no rule applies, or it assigns what is there."""
    states = group.stay
    for piece in group.pieces:
        for condition, values in piece.outcomes:
            states |= condition & values
    return states


def _violating(charted: Chart, clause: int) -> Blockwise:
    """The adversary positions with an admissible move that violates the clause at once."""
    arena, configuration = charted.arena, charted.solution.configuration
    automaton, blocks, d = configuration.defender[clause], arena.blocks, arena.diagrams
    letters = _letters(charted)
    found = []
    for block in range(blocks.n_blocks):
        q, violating = blocks.defender.accepting[block // len(blocks.planes)][clause], d.false
        rejecting = [t for t in sorted(set(automaton.delta[q])) if not automaton.accepting[t]]
        for group in () if blocks.is_sink(block) else arena.groups[Player.ADVERSARY]:
            rejected = admissible = d.false
            for target in rejecting:
                rejected |= d.truth(after_move(automaton.guard(q, target), letters[group.kind]))
            for condition in arena.edges[group.kind][block].values():
                admissible |= condition
            violating |= can_enter(group, rejected & admissible, charted.busy)
        found.append(violating)
    return found


def _letters(charted: Chart) -> dict[int, tuple[Player, str]]:
    """For each class of adversary moves the name of one: to the automata they look alike."""
    configuration = charted.solution.configuration
    kinds = classify_moves(configuration)[1][Player.ADVERSARY]
    actions = configuration.game.actions[Player.ADVERSARY]
    return {kind: (Player.ADVERSARY, action.name) for kind, action in zip(kinds, actions, strict=True)}


# -- what a term runs through -------------------------------------------------------------------------


def extent(charted: Chart, term: Expression) -> tuple[int, int]:
    """The least and the greatest value of a term over the states of R, either turn.

    Raises:
        LimitError: when the diagrams outgrow their memory.
    """
    d = charted.arena.diagrams
    try:
        parts, states = d.term(term), d.false
        for player in Player:
            for own in charted.seen[player]:
                states |= own
        values = sorted(parts)
        least = next(value for value in values if (parts[value] & states).satisfiable())
        greatest = next(value for value in reversed(values) if (parts[value] & states).satisfiable())
    except OutOfNodes:
        raise _outgrown() from None
    return int(least), int(greatest)


# -- plays --------------------------------------------------------------------------------------------


def nearest_plays(charted: Chart, targets: Blockwise, n: int) -> Iterator[Play]:
    """Shortest plays to the positions of a set that are nearest to v₀, each in a state of its own.

    Raises:
        LimitError: when the diagrams outgrow their memory; what was found before has been given.
    """
    d = charted.arena.diagrams
    game = charted.solution.configuration.game
    left = n
    while left and any(states.satisfiable() for states in targets):
        try:
            found = _followed(charted, _rings(charted, targets), left)
        except OutOfNodes:
            raise _outgrown() from None
        yield from found
        left -= len(found)
        for position, _ in found:
            state = d.state(game.codes(position.state))
            targets = [states & ~state for states in targets]


def some_position(charted: Chart, targets: Blockwise) -> Position:
    """A position of a set that has one, wherever it is."""
    arena, game = charted.arena, charted.solution.configuration.game
    block = next(number for number, states in enumerate(targets) if states.satisfiable())
    codes = arena.diagrams.pick(targets[block])
    assert codes is not None
    state = tuple(codes[variable.name] for variable in game.variables)
    return Position(state, Player.DEFENDER, *automaton_states(arena.blocks, block))


def _rings(charted: Chart, targets: Blockwise) -> list[Sets]:
    """The positions of R that are 0, 1, … moves away from the set, until v₀ is among them."""
    d, n_blocks = charted.arena.diagrams, charted.arena.blocks.n_blocks
    newest: Sets = {Player.DEFENDER: targets, Player.ADVERSARY: [d.false] * n_blocks}
    rings, near = [newest], {player: list(newest[player]) for player in Player}
    while not _contains(charted, rings[-1], charted.solution.configuration.initial):
        newest = d.tidied(partial(_before, charted, rings[-1], near))
        near = {p: [old | new for old, new in zip(near[p], newest[p], strict=True)] for p in Player}
        rings.append(newest)
        assert any(states.satisfiable() for p in Player for states in newest[p]), "R is reached from v₀"
    return rings


def _before(charted: Chart, newest: Sets, near: Sets) -> Sets:
    """The positions of R that have a safe move into the newest and are new themselves."""
    arena, found = charted.arena, Sets()
    for player in Player:
        found[player] = []
        for block, states in enumerate(charted.seen[player]):
            into = arena.diagrams.false
            for group in arena.groups[player] if states.satisfiable() else ():
                goal = arena.goal(group.kind, block, newest[player.opponent], unsafe=False)
                into |= can_enter(group, goal, charted.busy)
            found[player].append(into & states & ~near[player][block])
    return found


def _contains(charted: Chart, sets: Sets, position: Position) -> bool:
    block = charted.arena.blocks.number(position)
    if block is None:
        return False
    codes = charted.solution.configuration.game.codes(position.state)
    return bool(sets[position.turn][block].eval(charted.arena.diagrams.point(codes)))


def _followed(charted: Chart, rings: list[Sets], n: int) -> list[Play]:
    """Plays from v₀ inwards, ring by ring, that end in up to n different states."""
    board = charted.board
    stack: list[tuple[Position, tuple[Move, ...]]] = [(board.initial, ())]
    seen, ends = {board.initial}, dict[tuple[int, ...], Play]()
    n_followed = 0
    while stack and len(ends) < n and (n_followed < MAX_FOLLOWED or not ends):
        here, play = stack.pop()
        inner = len(rings) - 1 - len(play)
        if inner == 0:
            ends.setdefault(here.state, (here, play))
            continue
        n_followed += 1
        charted.busy()
        # What is pushed last is followed first: moves that change something, in the order of the game.
        onward = list(board.moves(here).items())
        onward.reverse()
        onward.sort(key=lambda item: item[0].state != here.state)
        for target, actions in onward:
            if target not in seen and _contains(charted, rings[inner - 1], target):
                seen.add(target)
                stack.append((target, (*play, move_in_words(board.game, here, actions[0], target))))
    return list(ends.values())
