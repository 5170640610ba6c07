"""The product game as decision diagrams: sets of valuations, one for each turn and block.

*Moves.* An action is cut into *pieces*, one for each rule: where the rule applies, and what it assigns there.
Pieces of one class of letters with the same assignment are joined. What is left of an action changes nothing:
it *stays*. Going back is composition, going forward an image.

*Letters.* Within a class of moves an automaton reads the successor state alone, so that its transition
function is a partition of the valuations. The clauses of both sides are joined one at a time and empty
combinations are dropped at once; the joint alphabet is never written out.

For a set T of positions and a class of moves, the *goal* of a block is the set of successor valuations
whose letter leads into T. The predecessor under an action is then the goal with the action's assignment
composed into it (:mod:`holdfast.solver.diagram_positions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product as cartesian

from holdfast.errors import LimitError
from holdfast.game import Action, Configuration, choices, preimage
from holdfast.logic import (
    Assignments,
    Diagram,
    Diagrams,
    OutOfNodes,
    Player,
    SafetyAutomaton,
    Variable,
    after_move,
)
from holdfast.solver.local_moves import LocalMoves
from holdfast.solver.ordering import distances
from holdfast.solver.pieces import Piece, image, one_piece, unchanged_by
from holdfast.solver.quotient import Blocks, ClauseAtoms, MoveClass, Side, classify_moves

CACHE = 1 << 18
ActionPieces = tuple[tuple[tuple[int, Diagram], ...], Diagram]
"""What an action is made of: the pieces of its class that it uses, each by its number and with the action's
own guard, and where it changes nothing."""

Edges = dict[int | None, Diagram]
"""The successor valuations that lead from a block to each block, and under None those that lead to an
unsafe position through an admissible move."""


@contextmanager
def within_memory(what: str) -> Iterator[None]:
    """Turn the want of nodes into a limit that says what outgrew them."""
    try:
        yield
    except OutOfNodes:
        raise LimitError(f"{what} outgrew the memory for decision diagrams") from None


@dataclass(frozen=True)
class ProductDiagrams:
    """The quotient of the product game, as diagrams.

    Attributes:
        move_class: for each player and action the class of its letters.
        groups: for each player its moves by class of letters.
        edges: for a class and a block, where its letters lead.
        gambles: the choices of the defender with several outcomes; they are in no group.
    """

    configuration: Configuration
    blocks: Blocks
    diagrams: Diagrams
    move_class: dict[Player, tuple[int, ...]]
    groups: dict[Player, tuple[MoveGroup, ...]]
    edges: tuple[tuple[Edges, ...], ...]
    gambles: tuple[Gamble, ...] = ()
    _narrowed: dict[tuple[Player, tuple[int, ...]], ProductDiagrams] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def build(
        cls,
        configuration: Configuration,
        order: tuple[Variable, ...],
        n_nodes: int,
        tick: Callable[[], None],
        cache: int | None = None,
    ) -> ProductDiagrams:
        """Lay out the variables, translate letters and moves."""
        blocks = Blocks.of(configuration)
        cache = CACHE if cache is None else cache
        diagrams = Diagrams(order, n_nodes, cache, tallies=configuration.game.tallies)
        classes, move_class = classify_moves(configuration)
        gambles, groups = _gambles(configuration, Player.DEFENDER, move_class[Player.DEFENDER]), {}
        for player in Player:
            actions, kinds = configuration.game.actions[player], move_class[player]
            drawn = gambles if player is Player.DEFENDER else ()
            groups[player] = group_moves(diagrams, *_undrawn(actions, kinds, drawn), tick)
        return cls(
            configuration,
            blocks,
            diagrams,
            move_class,
            groups,
            tuple(block_edges(diagrams, blocks, left) for left in classes),
            gambles,
        )

    def varied(self, configuration: Configuration, tick: Callable[[], None]) -> ProductDiagrams:
        """A game in which moves do something else, and nothing else is different, in these diagrams."""
        gambles, groups = self.gambles, dict(self.groups)
        for player in Player:
            actions, kinds = configuration.game.actions[player], self.move_class[player]
            if actions == self.configuration.game.actions[player]:
                continue
            if player is Player.DEFENDER:
                gambles = _gambles(configuration, player, kinds)
            drawn = gambles if player is Player.DEFENDER else ()
            groups[player] = group_moves(self.diagrams, *_undrawn(actions, kinds, drawn), tick)
        return replace(self, configuration=configuration, groups=groups, gambles=gambles)

    def goal(self, kind: int, block: int, targets: Sequence[Diagram], unsafe: bool) -> Diagram:
        """Successor valuations whose letter leads from ``block`` into the targets (or into U)."""
        goal = self.diagrams.false
        for target, condition in self.edges[kind][block].items():
            if target is None:
                goal |= condition if unsafe else self.diagrams.false
            else:
                goal |= condition & targets[target]
        return goal

    def only(self, actions: tuple[int, ...], own: Player = Player.DEFENDER) -> ProductDiagrams:
        """The game in which a player has some of its actions alone, given by their numbers."""
        if (own, actions) not in self._narrowed:
            kinds, drawn, asked = self.move_class[own], set[int](), set(actions)
            if own is Player.DEFENDER:
                drawn = {number for gamble in self.gambles for number in gamble.numbers}
            groups = []
            for group in self.groups[own]:
                numbers = [a for a, kind in enumerate(kinds) if kind == group.kind and a not in drawn]
                chosen = [x for a, x in zip(numbers, group.actions, strict=True) if a in asked]
                groups += [reduced(self.diagrams, group, chosen)] if chosen else []
            narrowed = {**self.move_class, own: tuple(kinds[a] for a in actions)}
            moves = {**self.groups, own: tuple(groups)}
            gambles = self.gambles
            if own is Player.DEFENDER:
                gambles = tuple(gamble for gamble in gambles if set(gamble.numbers) <= asked)
            self._narrowed[own, actions] = replace(self, groups=moves, move_class=narrowed, gambles=gambles)
        return self._narrowed[own, actions]

    @cached_property
    def _drawn(self) -> dict[Gamble, tuple[MoveGroup, ...]]:
        return {
            gamble: group_moves(
                self.diagrams, gamble.outcomes, (gamble.kind,) * len(gamble.numbers), _nothing
            )
            for gamble in self.gambles
        }

    def drawn(self, gamble: Gamble, states: Diagram) -> Diagram:
        """The valuations that some outcome of a gamble leads to from some states."""
        (group,) = self._drawn[gamble]
        moved = states & group.stay
        for piece in group.pieces:
            moved |= image(piece, states)
        return moved

    @cached_property
    def distances(self) -> dict[int, int]:
        """How many steps each variable, by its first bit, is away from what the clauses read."""
        clauses = *self.configuration.defender, *self.configuration.adversary
        steps = distances(self.configuration.game, clauses)
        return {bits.start: steps[name] for name, bits in self.diagrams.bits.items()}

    @cached_property
    def waiting(self) -> ProductDiagrams:
        """The game in which a move is made only where it leaves the state as it is, without gambles."""
        still = replace(self, gambles=())
        return replace(still, groups={p: tuple(map(self._still, own)) for p, own in self.groups.items()})

    @cached_property
    def each_outcome(self) -> ProductDiagrams:
        """The game in which the defender chooses what comes of its choices."""
        if not self.gambles:
            return self
        own = Player.DEFENDER
        actions, kinds = self.configuration.game.actions[own], self.move_class[own]
        groups = {**self.groups, own: group_moves(self.diagrams, actions, kinds, _nothing)}
        return replace(self, groups=groups, gambles=())

    def _still(self, group: MoveGroup) -> MoveGroup:
        """The moves of a class where no rule applies, or one that assigns what is there."""
        stay = group.stay
        for piece in group.pieces:
            stay |= unchanged_by(self.diagrams, piece)
        return MoveGroup(group.kind, stay, (), *LocalMoves.among(self.diagrams, ()), (((), stay),))


def _nothing() -> None:
    """No tick."""


def violating_states(product: ProductDiagrams, clause: int, tick: Callable[[], None]) -> tuple[Diagram, ...]:
    """In each block, where the adversary has an admissible move that violates a clause of φ_D at once."""
    configuration, blocks, d = product.configuration, product.blocks, product.diagrams
    automaton = configuration.defender[clause]
    # For each class of adversary moves the name of one: to the automata they look alike.
    actions = configuration.game.actions[Player.ADVERSARY]
    letters = dict(zip(product.move_class[Player.ADVERSARY], actions, strict=True))
    sets = []
    for block in range(blocks.n_blocks):
        q, violating = blocks.defender.accepting[block // len(blocks.planes)][clause], d.false
        rejecting = [t for t in sorted(set(automaton.delta[q])) if not automaton.accepting[t]]
        for group in () if blocks.is_sink(block) else product.groups[Player.ADVERSARY]:
            rejected = admissible = d.false
            for target in rejecting:
                letter = Player.ADVERSARY, letters[group.kind].choice
                rejected |= d.truth(after_move(automaton.guard(q, target), letter))
            for condition in product.edges[group.kind][block].values():
                admissible |= condition
            violating |= can_enter(group, rejected & admissible, tick)
        sets.append(violating)
    return tuple(sets)


# -- moves ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoveGroup:
    """The moves of one player that look alike to every automaton: one class of letters.

    Attributes:
        kind: number of the class.
        stay: where some move of the class changes nothing.
        pieces: the moves that may change something, one for each assignment.
        local, others: the same again, those that concern one variable alone taken together.
        actions: the actions of the class.
    """

    kind: int
    stay: Diagram
    pieces: tuple[Piece, ...]
    local: LocalMoves
    others: tuple[Piece, ...]
    actions: tuple[ActionPieces, ...]


@dataclass(frozen=True)
class Gamble:
    """A choice with several outcomes; one of the defender leads where all of them lead.

    Attributes:
        kind: number of the class of its letters.
        numbers, outcomes: the actions that are its outcomes.
    """

    kind: int
    numbers: tuple[int, ...]
    outcomes: tuple[Action, ...]

    def into(self, diagrams: Diagrams, goal: Diagram) -> Diagram:
        """Where every outcome leads into the goal."""
        result = diagrams.valid
        for outcome in self.outcomes:
            result &= preimage(diagrams, outcome, goal)
        return result

    def unchanged(self, diagrams: Diagrams) -> Diagram:
        """Where no outcome changes the state."""
        result = diagrams.valid
        for outcome in self.outcomes:
            result &= unchanged_states(diagrams, outcome)
        return result

    def risks(self, diagrams: Diagrams, goal: Diagram) -> Diagram:
        """Where some outcome leads into the goal."""
        result = diagrams.false
        for outcome in self.outcomes:
            result |= preimage(diagrams, outcome, goal)
        return result & diagrams.valid


def unchanged_states(diagrams: Diagrams, action: Action) -> Diagram:
    """Where an action leaves the state as it is: no rule applies, or one that assigns what is there."""
    still, rest = diagrams.false, diagrams.valid
    for rule in action.rules:
        truth = diagrams.truth(rule.when)
        guard, rest = rest & truth, rest & ~truth
        if rule.assign and guard.satisfiable():
            guard = unchanged_by(diagrams, one_piece(diagrams, guard, rule.assign))
        still |= guard
    return still | rest


def _gambles(configuration: Configuration, player: Player, kinds: tuple[int, ...]) -> tuple[Gamble, ...]:
    """The choices of a player with several outcomes."""
    game = configuration.game
    actions = game.actions[player]
    return tuple(
        Gamble(kinds[outcomes[0]], outcomes, tuple(actions[number] for number in outcomes))
        for outcomes in choices(game, player)
        if len(outcomes) > 1
    )


def _undrawn(
    actions: tuple[Action, ...], kinds: tuple[int, ...], gambles: tuple[Gamble, ...]
) -> tuple[tuple[Action, ...], tuple[int, ...]]:
    """Actions and their classes without the outcomes of some gambles."""
    drawn = {number for gamble in gambles for number in gamble.numbers}
    kept = [number for number in range(len(actions)) if number not in drawn]
    return tuple(actions[number] for number in kept), tuple(kinds[number] for number in kept)


SeparatedChoices = tuple[dict[Player, tuple[MoveGroup, ...]], dict[Player, tuple[Gamble, ...]]]
"""For each player the moves of which nothing is drawn, by class of letters, and the choices with outcomes."""


def separated_choices(product: ProductDiagrams, tick: Callable[[], None]) -> SeparatedChoices:
    """The choices of both players where chance is on nobody's side: those with outcomes by themselves."""
    own, configuration = Player.ADVERSARY, product.configuration
    kinds = product.move_class[own]
    drawn = _gambles(configuration, own, kinds)
    gambles = {Player.DEFENDER: product.gambles, own: drawn}
    if not drawn:
        return product.groups, gambles
    moves = _undrawn(configuration.game.actions[own], kinds, drawn)
    return {**product.groups, own: group_moves(product.diagrams, *moves, tick)}, gambles


def group_moves(
    diagrams: Diagrams, actions: tuple[Action, ...], kinds: tuple[int, ...], tick: Callable[[], None]
) -> tuple[MoveGroup, ...]:
    """The actions by class; pieces with the same assignment are one, with their guards joined."""
    groups = []
    for kind in dict.fromkeys(kinds):
        guards: dict[Assignments, Diagram] = {}
        places: dict[Assignments, int] = {}
        listed = []
        for action in (a for a, k in zip(actions, kinds, strict=True) if k == kind):
            tick()
            stay, rest, own = diagrams.false, diagrams.valid, []
            for rule in action.rules:
                guard = rest & diagrams.truth(rule.when)
                rest &= ~diagrams.truth(rule.when)
                if not guard.satisfiable():
                    continue
                if rule.assign:
                    guards[rule.assign] = guards.get(rule.assign, diagrams.false) | guard
                    own.append((places.setdefault(rule.assign, len(places)), guard))
                else:
                    stay |= guard
            listed.append((tuple(own), stay | rest))
        stay = diagrams.false
        for _, unchanged in listed:
            stay |= unchanged
        pieces = tuple(one_piece(diagrams, guard, assign) for assign, guard in guards.items())
        groups.append(MoveGroup(kind, stay, pieces, *LocalMoves.among(diagrams, pieces), tuple(listed)))
    return tuple(groups)


def reduced(diagrams: Diagrams, group: MoveGroup, chosen: Sequence[ActionPieces]) -> MoveGroup:
    """The moves of a class that some of its actions make; pieces that never change anything stay."""
    stay, guards = diagrams.false, dict[int, Diagram]()
    for own, still in chosen:
        stay |= still
        for i, guard in own:
            guards[i] = guards[i] | guard if i in guards else guard
    pieces = []
    for i, guard in guards.items():
        piece = group.pieces[i]
        if (guard & ~unchanged_by(diagrams, piece)).satisfiable():
            outcomes = tuple((guard & where, values) for where, values in piece.outcomes)
            pieces.append(replace(piece, guard=guard, outcomes=outcomes))
        else:
            stay |= guard
    if stay == diagrams.valid:
        stay = diagrams.true  # which says the same, and costs nothing to intersect with
    return MoveGroup(group.kind, stay, tuple(pieces), *LocalMoves.among(diagrams, pieces), tuple(chosen))


def can_enter(
    group: MoveGroup, goal: Diagram, tick: Callable[[], None], among: Diagram | None = None
) -> Diagram:
    """Where some move of the group leads into the goal, among some states only if they are given.

    What is known anyway is best left out of each move's part: together the parts are often much larger
    than what is new in them.
    """
    some = group.local.diagrams.true if among is None else among
    result = (goal & group.stay | group.local.into(goal, tick)) & some
    for piece in group.others if goal.satisfiable() else ():
        tick()
        result |= (piece.guard & some) & goal.substitute(piece.substitution)
    return result


def must_enter(group: MoveGroup, goal: Diagram, tick: Callable[[], None]) -> Diagram:
    """Where every move of the group leads into the goal."""
    result = group.stay.imp(goal) & ~group.local.into(group.local.diagrams.valid & ~goal, tick)
    for piece in group.others:
        tick()
        if not result.satisfiable():
            break
        result &= piece.guard.imp(goal.substitute(piece.substitution))
    return result


# -- letters ----------------------------------------------------------------------------------------


def block_edges(diagrams: Diagrams, blocks: Blocks, left: MoveClass) -> tuple[Edges, ...]:
    """The edges of each block under one class of moves."""
    defender = _steps(diagrams, blocks.defender, left[0])
    adversary = _steps(diagrams, blocks.adversary, left[1])
    return tuple(_edges(diagrams, blocks, block, defender, adversary) for block in range(blocks.n_blocks))


def _steps(diagrams: Diagrams, side: Side, left: ClauseAtoms) -> list[dict[tuple[int, int], Diagram]]:
    """For each clause, the successor valuations on which q moves to q'."""
    steps = []
    for automaton, atoms in zip(side.automata, left, strict=True):
        masks = mask_sets(automaton, [diagrams.truth(atom) for atom in atoms], diagrams.valid)
        step: dict[tuple[int, int], Diagram] = {}
        for q in range(automaton.n_states):
            if automaton.accepting[q]:
                for target, states in zip(automaton.delta[q], masks, strict=True):
                    step[q, target] = step[q, target] | states if (q, target) in step else states
        steps.append({pair: states for pair, states in step.items() if states.satisfiable()})
    return steps


def mask_sets(automaton: SafetyAutomaton, truths: list[Diagram], within: Diagram) -> list[Diagram]:
    """The valuations of a set that show each mask of the automaton."""
    sets = []
    for mask in automaton.masks:
        states = within
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
) -> Edges:
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
    edges: Edges = {None: unsafe} if unsafe.satisfiable() else {}
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
