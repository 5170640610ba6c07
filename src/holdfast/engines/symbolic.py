"""The symbolic engine: sets of valuations as decision diagrams, one for each turn and block.

For a set T of positions and a class of moves, the *goal* of a block is the set of successor valuations
whose letter leads into T. The predecessor under an action is then the goal with the action's assignment
composed into it (:func:`holdfast.product.preimage`); the adversary joins its actions by ∨, the defender by ∧.
Since predecessors distribute over unions, the adversary's part only looks at the last shell.

R is found by chaining: each action is applied to the growing set at once, instead of frontier by
frontier, whose diagrams are much larger in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product as cartesian

from holdfast.engines.quotient import Blocks, ClauseAtoms, Progress, Side, classify_moves
from holdfast.errors import InputError, LimitError
from holdfast.game import Action
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.diagrams import Diagram, Diagrams, OutOfNodes
from holdfast.logic.expressions import Expression, Player, Variable
from holdfast.product import Configuration, Position, preimage
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
        newest = {p: [f & ~old & d.valid for f, old in zip(found[p], attractor[p], strict=True)] for p in Player}
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
class Arena:
    """The quotient of the product game, as diagrams.

    Attributes:
        groups: for each player its actions by class of letters, without repetitions.
        edges: for a class and a block, the successor valuations that lead to each block, and, under
            None, those that lead to an unsafe position through an admissible move.
    """

    configuration: Configuration
    blocks: Blocks
    diagrams: Diagrams
    groups: dict[Player, tuple[tuple[int, tuple[Action, ...]], ...]]
    edges: tuple[tuple[dict[int | None, Diagram], ...], ...]

    @classmethod
    def build(cls, configuration: Configuration) -> Arena:
        """Lay out the variables and translate letters."""
        game, blocks = configuration.game, Blocks.of(configuration)
        diagrams = Diagrams(game.variables, NODES, CACHE)
        classes, move_class = classify_moves(configuration)
        edges = []
        for left in classes:
            defender = _steps(diagrams, blocks.defender, left[0])
            adversary = _steps(diagrams, blocks.adversary, left[1])
            edges.append(tuple(_edges(diagrams, blocks, block, defender, adversary) for block in range(blocks.n_blocks)))
        groups = {p: _group(game.actions[p], move_class[p]) for p in Player}
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
        d = self.diagrams
        found: Sets = {player: [] for player in Player}
        for block in range(self.blocks.n_blocks):
            reached = d.false
            if not self.blocks.is_sink(block):
                entered = attractor if newest is None else newest
                for kind, actions in self.groups[Player.ADVERSARY]:
                    goal = self.goal(kind, block, entered[Player.DEFENDER], unsafe=newest is None)
                    if goal.satisfiable():
                        for action in actions:
                            reached |= preimage(d, action, goal)
            found[Player.ADVERSARY].append(reached)
            trapped = d.valid
            for kind, actions in self.groups[Player.DEFENDER]:
                goal = self.goal(kind, block, attractor[Player.ADVERSARY], unsafe=True)
                for action in actions:
                    trapped &= preimage(d, action, goal)
            found[Player.DEFENDER].append(trapped)
        return found

    def images(self, turn: Player, block: int, start: Diagram, winning: Sets) -> Iterator[tuple[int, Diagram]]:
        """The winning positions that safe moves from ``start`` enter, action by action."""
        for kind, actions in self.groups[turn]:
            for action in actions:
                states = image(self.diagrams, action, start)
                for target, condition in self.edges[kind][block].items():
                    if target is not None:
                        yield target, states & condition & winning[turn.opponent][target]


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

    def winning(self) -> Sets:
        """W by turn and block."""
        d, n_blocks = self.arena.diagrams, self.arena.blocks.n_blocks
        if not self.layers:
            return {player: [d.valid] * n_blocks for player in Player}
        return {player: [d.valid & ~lost for lost in self.layers[-1][player]] for player in Player}

    def reach(self) -> Reach:
        """R by chaining; |Safe| is then counted action by action."""
        arena, d = self.arena, self.arena.diagrams
        winning = self.winning()
        try:
            seen = self._chained(winning)
            n_permitted = 0
            for kind, actions in _with_repeats(arena):
                for block, states in enumerate(seen[Player.DEFENDER]):
                    if states.satisfiable():
                        goal = arena.goal(kind, block, winning[Player.ADVERSARY], unsafe=False)
                        n_permitted += sum(d.count(states & preimage(d, action, goal)) for action in actions)
        except OutOfNodes:
            raise LimitError(f"the reachable set outgrew {NODES:,} decision-diagram nodes") from None
        counts = {player: sum(map(d.count, seen[player])) for player in Player}
        return Reach(sum(counts.values()), counts[Player.DEFENDER], n_permitted)

    def _chained(self, winning: Sets) -> Sets:
        arena = self.arena
        d, initial = arena.diagrams, arena.configuration.initial
        seen: Sets = {player: [d.false] * arena.blocks.n_blocks for player in Player}
        start = arena.blocks.number(initial)
        assert start is not None
        seen[initial.turn][start] = d.state(arena.configuration.game.codes(initial.state))
        grown = True
        while grown:
            grown = False
            for turn in Player:
                for block in range(arena.blocks.n_blocks):
                    if turn is Player.ADVERSARY and arena.blocks.is_sink(block):
                        continue
                    for target, states in arena.images(turn, block, seen[turn][block], winning):
                        before = seen[turn.opponent][target]
                        after = before | states
                        if after != before:
                            seen[turn.opponent][target] = after
                            grown = True
        return seen


# -- letters ----------------------------------------------------------------------------------------


def _group(actions: tuple[Action, ...], kinds: tuple[int, ...]) -> tuple[tuple[int, tuple[Action, ...]], ...]:
    """Actions by class; those with the same class and rules are one move and appear once."""
    groups: dict[int, dict[object, Action]] = {}
    for action, kind in zip(actions, kinds, strict=True):
        groups.setdefault(kind, {}).setdefault(action.rules, action)
    return tuple((kind, tuple(unique.values())) for kind, unique in groups.items())


def _with_repeats(arena: Arena) -> list[tuple[int, list[Action]]]:
    """The defender's actions by class, every one of them: Safe(v) counts actions, not moves."""
    _, move_class = classify_moves(arena.configuration)
    groups: dict[int, list[Action]] = {}
    for action, kind in zip(
        arena.configuration.game.actions[Player.DEFENDER], move_class[Player.DEFENDER], strict=True
    ):
        groups.setdefault(kind, []).append(action)
    return list(groups.items())


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


def image(diagrams: Diagrams, action: Action, start: Diagram) -> Diagram:
    """The valuations that a factored action leads to from ``start``: first matching rule wins."""
    result, rest = diagrams.false, start
    for rule in action.rules:
        guard = diagrams.truth(rule.when)
        here, rest = rest & guard, rest & ~guard
        result |= _assigned(diagrams, rule.assign, here)
    return result | rest


def _assigned(diagrams: Diagrams, assign: tuple[tuple[Variable, Expression], ...], start: Diagram) -> Diagram:
    """The valuations after a simultaneous assignment, split by the values assigned."""
    parts = [(start, diagrams.true)]
    for variable, value in assign:
        by_code = diagrams.by_code(variable, value)
        parts = [
            (here & states, after & diagrams.cube(variable, code))
            for here, after in parts
            for code, states in by_code.items()
            if code >= 0 and (here & states).satisfiable()
        ]
    forgotten = diagrams.support([variable for variable, _ in assign])
    result = diagrams.false
    for here, after in parts:
        result |= here.exists(forgotten) & after
    return result
