"""The symbolic engine: sets of valuations as decision diagrams, one for each turn and block.

For a set T of positions and a class of moves, the *goal* of a block is the set of successor valuations
whose letter leads into T. The predecessor under an action is then the goal with the action's assignment
composed into it (:func:`holdfast.product.preimage`); the adversary joins its actions by ∨, the defender by ∧.
Since predecessors distribute over unions, the adversary's part only looks at the last shell.

R is found by chaining: each action is applied to the growing set at once, instead of frontier by
frontier, whose diagrams are much larger in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product as cartesian

from oxidd.bcdd import BCDDSubstitution
from oxidd.util import BooleanOperator

from holdfast.engines.quotient import Blocks, ClauseAtoms, Progress, Side, classify_moves
from holdfast.errors import InputError, LimitError
from holdfast.game import Action
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.diagrams import Assignments, Diagram, Diagrams, OutOfNodes
from holdfast.logic.expressions import Player
from holdfast.product import Configuration, Position
from holdfast.solution import Reach, Solution

NODES = 1 << 24
CACHE = 1 << 18

Sets = dict[Player, list[Diagram]]
"""For each turn, one set of valuations for each block."""


def solve(configuration: Configuration, progress: Progress | None = None) -> Solution:
    """Solve by a fixpoint over decision diagrams; factored games only.

    Raises:
        InputError: for a tabulated game.
        LimitError: when the diagrams outgrow their node limit.
    """
    if configuration.game.tables is not None:
        raise InputError("the symbolic engine needs a factored game; use the explicit engine for tables")
    try:
        return _solve(configuration, progress)
    except OutOfNodes:
        raise LimitError(f"the decision diagrams outgrew {NODES:,} nodes") from None


def _solve(configuration: Configuration, progress: Progress | None) -> Solution:
    arena = Arena.build(configuration)
    d = arena.diagrams
    attractor: Sets = {player: [d.false] * arena.blocks.n_blocks for player in Player}
    newest: Sets | None = None
    layers: list[Sets] = []
    shells: list[int] = []
    while True:
        found = arena.attracted(attractor, newest)
        newest = {
            p: [f & ~old & d.valid for f, old in zip(found[p], attractor[p], strict=True)] for p in Player
        }
        absorbed = sum(
            d.count(states) * arena.blocks.multiplicity(block)
            for player in Player
            for block, states in enumerate(newest[player])
        )
        if not absorbed:
            break
        attractor = {p: [old | new for old, new in zip(attractor[p], newest[p], strict=True)] for p in Player}
        layers.append(attractor)
        shells.append(absorbed)
        if progress is not None:
            progress(len(shells), absorbed)
    return Solution(configuration, "symbolic", tuple(shells), SymbolicRegions(arena, tuple(layers)))


@dataclass(frozen=True)
class Piece:
    """Where one rule of some action applies, and what it assigns there.

    Attributes:
        guard: where the rule applies.
        substitution: its assignment, for going back.
        forgotten: the bits it assigns, for going forward.
        outcomes: the guard split by the values assigned, each part with the cube of those values.
    """

    guard: Diagram
    substitution: BCDDSubstitution
    forgotten: Diagram
    outcomes: tuple[tuple[Diagram, Diagram], ...]
    level: int


@dataclass(frozen=True)
class Group:
    """The moves of one player that look alike to every automaton: one class of letters.

    Attributes:
        kind: number of the class.
        stay: where some move of the class changes nothing.
        pieces: the moves that may change something, one for each assignment.
        actions: for each action of the class, its pieces (number and own guard) and where it changes nothing.
    """

    kind: int
    stay: Diagram
    pieces: tuple[Piece, ...]
    actions: tuple[tuple[tuple[tuple[int, Diagram], ...], Diagram], ...]


@dataclass(frozen=True)
class Arena:
    """The quotient of the product game, as diagrams.

    Attributes:
        groups: for each player its moves by class of letters.
        edges: for a class and a block, the successor valuations that lead to each block, and, under
            None, those that lead to an unsafe position through an admissible move.
    """

    configuration: Configuration
    blocks: Blocks
    diagrams: Diagrams
    groups: dict[Player, tuple[Group, ...]]
    edges: tuple[tuple[dict[int | None, Diagram], ...], ...]

    @classmethod
    def build(cls, configuration: Configuration) -> Arena:
        """Lay out the variables, translate letters and moves."""
        game, blocks = configuration.game, Blocks.of(configuration)
        diagrams = Diagrams(game.variables, NODES, CACHE)
        classes, move_class = classify_moves(configuration)
        edges = []
        for left in classes:
            defender = _steps(diagrams, blocks.defender, left[0])
            adversary = _steps(diagrams, blocks.adversary, left[1])
            edges.append(
                tuple(
                    _edges(diagrams, blocks, block, defender, adversary) for block in range(blocks.n_blocks)
                )
            )
        groups = {p: _group(diagrams, game.actions[p], move_class[p]) for p in Player}
        return cls(configuration, blocks, diagrams, groups, tuple(edges))

    def goal(self, kind: int, block: int, targets: list[Diagram], unsafe: bool) -> Diagram:
        """Successor valuations whose letter leads from ``block`` into the targets (or into U)."""
        goal = self.diagrams.false
        for target, condition in self.edges[kind][block].items():
            if target is None:
                goal |= condition if unsafe else self.diagrams.false
            else:
                goal |= condition & targets[target]
        return goal

    def attracted(self, attractor: Sets, newest: Sets | None) -> Sets:
        """One synchronous iteration: the positions whose owner is drawn into the attractor.

        The first iteration (``newest`` None) starts from U, later ones from the last shell.
        """
        found: Sets = {player: [] for player in Player}
        entered = attractor if newest is None else newest
        known: dict[tuple[Player, int, Diagram], Diagram] = {}
        for block in range(self.blocks.n_blocks):
            reached, trapped = self.diagrams.false, self.diagrams.valid
            for group in () if self.blocks.is_sink(block) else self.groups[Player.ADVERSARY]:
                goal = self.goal(group.kind, block, entered[Player.DEFENDER], newest is None)
                key = Player.ADVERSARY, group.kind, goal
                if key not in known:
                    known[key] = _can_enter(group, goal)
                reached |= known[key]
            # Nobody is newly trapped unless some move leads into the last shell.
            if not any(
                self.goal(group.kind, block, entered[Player.ADVERSARY], newest is None).satisfiable()
                for group in self.groups[Player.DEFENDER]
            ):
                trapped = self.diagrams.false
            for group in self.groups[Player.DEFENDER] if trapped.satisfiable() else ():
                goal = self.goal(group.kind, block, attractor[Player.ADVERSARY], True)
                key = Player.DEFENDER, group.kind, goal
                if key not in known:
                    known[key] = _must_enter(group, goal)
                trapped &= known[key]
            found[Player.ADVERSARY].append(reached)
            found[Player.DEFENDER].append(trapped)
        return found


def _can_enter(group: Group, goal: Diagram) -> Diagram:
    """Where some move of the group leads into the goal."""
    result = goal & group.stay
    if goal.satisfiable():
        for piece in group.pieces:
            result |= piece.guard & goal.substitute(piece.substitution)
    return result


def _must_enter(group: Group, goal: Diagram) -> Diagram:
    """Where every move of the group leads into the goal."""
    result = group.stay.imp(goal)
    for piece in group.pieces:
        if not result.satisfiable():
            break
        result &= piece.guard.imp(goal.substitute(piece.substitution))
    return result


@dataclass(frozen=True)
class SymbolicRegions:
    """The attractor after each iteration."""

    arena: Arena
    layers: tuple[Sets, ...] = field(repr=False)

    def rank(self, position: Position) -> int | None:
        """rank(v), or None when v is winning."""
        block = self.arena.blocks.number(position)
        if block is None:
            return 0
        bits = self.arena.diagrams.point(self.arena.configuration.game.codes(position.state))
        for k, layer in enumerate(self.layers):
            if layer[position.turn][block].eval(bits):
                return k + 1
        return None

    def n_nodes(self) -> int:
        """Nodes in the diagram manager."""
        return int(self.arena.diagrams.manager.num_inner_nodes())

    def winning(self) -> Sets:
        """W by turn and block."""
        d, n_blocks = self.arena.diagrams, self.arena.blocks.n_blocks
        if not self.layers:
            return {player: [d.valid] * n_blocks for player in Player}
        return {player: [d.valid & ~lost for lost in self.layers[-1][player]] for player in Player}

    def reach(self) -> Reach:
        """R by chaining; |Safe| is then counted action by action."""
        d, winning = self.arena.diagrams, self.winning()
        try:
            seen = self._chained(winning)
            n_permitted = self._permitted(seen[Player.DEFENDER], winning)
        except OutOfNodes:
            raise LimitError(f"the reachable set outgrew {NODES:,} decision-diagram nodes") from None
        counts = {player: sum(map(d.count, seen[player])) for player in Player}
        return Reach(sum(counts.values()), counts[Player.DEFENDER], n_permitted)

    def _permitted(self, seen: list[Diagram], winning: Sets) -> int:
        """Σ |Safe(v)| over the defender positions of R: each action counts, whatever it does."""
        arena, d = self.arena, self.arena.diagrams
        total = 0
        for block, states in enumerate(seen):
            for group in arena.groups[Player.DEFENDER] if states.satisfiable() else ():
                goal = arena.goal(group.kind, block, winning[Player.ADVERSARY], unsafe=False)
                kept = states & goal
                moved = [states & goal.substitute(piece.substitution) for piece in group.pieces]
                for own, stay in group.actions:
                    total += d.count(kept & stay) + sum(d.count(moved[i] & guard) for i, guard in own)
        return total

    def _chained(self, winning: Sets) -> Sets:
        """The positions of R: every piece is applied to the growing sets, variable by variable."""
        arena = self.arena
        d, initial, n_blocks = arena.diagrams, arena.configuration.initial, arena.blocks.n_blocks
        seen: Sets = {player: [d.false] * n_blocks for player in Player}
        start = arena.blocks.number(initial)
        assert start is not None
        seen[initial.turn][start] = d.state(arena.configuration.game.codes(initial.state))
        doors = {
            (turn, group.kind, block): [
                (target, condition & winning[turn.opponent][target])
                for target, condition in arena.edges[group.kind][block].items()
                if target is not None
            ]
            for turn in Player
            for group in arena.groups[turn]
            for block in range(n_blocks)
            if not (turn is Player.ADVERSARY and arena.blocks.is_sink(block))
        }

        def advance(turn: Player, kind: int, block: int, stay: Diagram, pieces: list[Piece]) -> bool:
            """Add what the moves lead to; whether anything was new."""
            states, grown = seen[turn][block], False
            moved = states & stay
            for piece in pieces:
                moved |= _image(piece, states)
            for target, door in doors[turn, kind, block]:
                before = seen[turn.opponent][target]
                after = before | (moved & door)
                if after != before:
                    seen[turn.opponent][target] = after
                    grown = True
            return grown

        done: dict[tuple[int, Player, int, int], Diagram] = {}
        by_level = _by_level(arena)
        grown = True
        while grown:
            grown = False
            for level, stages in by_level.items():
                stable = False
                while not stable:
                    stable = True
                    for turn, kind, stay, pieces in stages:
                        for block in range(n_blocks):
                            key, states = (level, turn, kind, block), seen[turn][block]
                            if (turn, kind, block) not in doors or done.get(key, d.false) == states:
                                continue
                            done[key] = states
                            if advance(turn, kind, block, stay, pieces):
                                stable, grown = False, True
        return seen


def _by_level(arena: Arena) -> dict[int, list[tuple[Player, int, Diagram, list[Piece]]]]:
    """For each variable assigned, top first: the moves of each class that assign it, and those that stay."""
    levels = {piece.level for groups in arena.groups.values() for group in groups for piece in group.pieces}
    return {
        level: [
            (turn, group.kind, group.stay, [piece for piece in group.pieces if piece.level == level])
            for turn in Player
            for group in arena.groups[turn]
        ]
        for level in sorted(levels) or [0]
    }


# -- moves ------------------------------------------------------------------------------------------


def _group(diagrams: Diagrams, actions: tuple[Action, ...], kinds: tuple[int, ...]) -> tuple[Group, ...]:
    """The actions by class; pieces with the same assignment are one, with their guards joined."""
    groups = []
    for kind in dict.fromkeys(kinds):
        guards: dict[Assignments, Diagram] = {}
        listed = []
        for action in (a for a, k in zip(actions, kinds, strict=True) if k == kind):
            stay, rest, own = diagrams.false, diagrams.valid, []
            for rule in action.rules:
                guard = rest & diagrams.truth(rule.when)
                rest &= ~diagrams.truth(rule.when)
                if not guard.satisfiable():
                    continue
                if rule.assign:
                    guards[rule.assign] = guards.get(rule.assign, diagrams.false) | guard
                    own.append((list(guards).index(rule.assign), guard))
                else:
                    stay |= guard
            listed.append((tuple(own), stay | rest))
        stay = diagrams.false
        for _, unchanged in listed:
            stay |= unchanged
        pieces = tuple(_piece(diagrams, guard, assign) for assign, guard in guards.items())
        groups.append(Group(kind, stay, pieces, tuple(listed)))
    return tuple(groups)


def _piece(diagrams: Diagrams, guard: Diagram, assign: Assignments) -> Piece:
    outcomes = [(guard, diagrams.true)]
    for variable, value in assign:
        outcomes = [
            (here & states, after & diagrams.cube(variable, code))
            for here, after in outcomes
            for code, states in diagrams.by_code(variable, value).items()
            if code >= 0 and (here & states).satisfiable()
        ]
    return Piece(
        guard=guard,
        substitution=diagrams.assignment(assign),
        forgotten=diagrams.support(variable for variable, _ in assign),
        outcomes=tuple(outcomes),
        level=min(diagrams.bits[variable.name].start for variable, _ in assign),
    )


def _image(piece: Piece, start: Diagram) -> Diagram:
    """The valuations that the piece leads to from ``start``."""
    result = None
    for condition, values in piece.outcomes:
        moved = start.apply_exists(BooleanOperator.AND, condition, piece.forgotten) & values
        result = moved if result is None else result | moved
    assert result is not None
    return result


# -- letters ----------------------------------------------------------------------------------------


def _steps(diagrams: Diagrams, side: Side, left: ClauseAtoms) -> list[dict[tuple[int, int], Diagram]]:
    """For each clause, the successor valuations on which q moves to q'."""
    steps = []
    for automaton, atoms in zip(side.automata, left, strict=True):
        masks = _mask_sets(diagrams, automaton, [diagrams.truth(atom) for atom in atoms])
        step: dict[tuple[int, int], Diagram] = {}
        for q in range(automaton.n_states):
            if automaton.accepting[q]:
                for target, states in zip(automaton.delta[q], masks, strict=True):
                    step[q, target] = step[q, target] | states if (q, target) in step else states
        steps.append({pair: states for pair, states in step.items() if states.satisfiable()})
    return steps


def _mask_sets(diagrams: Diagrams, automaton: SafetyAutomaton, truths: list[Diagram]) -> list[Diagram]:
    """The valuations that show each mask of the automaton."""
    sets = []
    for mask in automaton.masks:
        states = diagrams.valid
        for i, truth in enumerate(truths):
            states &= truth if mask >> i & 1 else ~truth
        sets.append(states)
    return sets


def _edges(
    diagrams: Diagrams,
    blocks: Blocks,
    block: int,
    defender: list[dict[tuple[int, int], Diagram]],
    adversary: list[dict[tuple[int, int], Diagram]],
) -> dict[int | None, Diagram]:
    """The successor valuations that lead from a block to each block, or to U (None)."""
    n_planes, sink = len(blocks.planes), len(blocks.adversary.accepting)
    q_defender, plane = blocks.defender.accepting[block // n_planes], blocks.planes[block % n_planes]
    if plane is None:
        after_adversary = {sink: diagrams.valid}
    else:
        after_adversary = _joint(diagrams, blocks.adversary, plane, adversary)
    after_defender = _joint(diagrams, blocks.defender, q_defender, defender)
    admissible = diagrams.false
    for states in after_adversary.values():
        admissible |= states
    unsafe = admissible
    for states in after_defender.values():
        unsafe &= ~states
    edges: dict[int | None, Diagram] = {None: unsafe} if unsafe.satisfiable() else {}
    for (d, one), (a, other) in cartesian(after_defender.items(), after_adversary.items()):
        both = one & other
        if both.satisfiable():
            edges[d * n_planes + a] = both
    return edges


def _joint(
    diagrams: Diagrams, side: Side, states: tuple[int, ...], steps: list[dict[tuple[int, int], Diagram]]
) -> dict[int, Diagram]:
    """The valuations after which the side is in each accepting tuple."""
    joint: dict[tuple[int, ...], Diagram] = {(): diagrams.valid}
    for automaton, q, step in zip(side.automata, states, steps, strict=True):
        longer: dict[tuple[int, ...], Diagram] = {}
        for before, condition in joint.items():
            for target in range(automaton.n_states):
                if automaton.accepting[target] and (q, target) in step:
                    both = condition & step[q, target]
                    if both.satisfiable():
                        longer[(*before, target)] = both
        joint = longer
    return {side.number(target): condition for target, condition in joint.items()}
