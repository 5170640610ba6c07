"""The shield of a solved configuration as numbers alone: no expression, no automaton, no diagram is left.

An embedder keeps a position v = (s, q_D, q_A) and asks for Safe(v) (sec:extraction). What answers is the
definition itself: make the move, let the automata read it, see whether W contains the result. So four kinds
of functions of a state are written out, all in one array of nodes (:mod:`holdfast.solver.mdd`):

=========  ======================================  =========================================
winning    for each turn and block                 1 if the position is in W, else 0
moves      for each action                         the number of its effect
effects    for each effect and variable it sets    the code that the variable gets
steps      for each reading and automaton state q  the automaton state after reading s'
=========  ======================================  =========================================

A *block* is what W depends on of (q_D, q_A), a *reading* what an action's letter is to the automata (both of
:mod:`holdfast.solver.quotient`). Writing out {v : Succ(v, a) ∈ W} for each action instead would save the
embedder the move, but there are as many such sets as blocks times actions, and none is smaller than W: the
40-host chain has 7,206 entries for W, and 237,642 with those of the defender's 200 actions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, LimitError
from holdfast.game import Configuration, Position, choices, has_chance, refuse_counted
from holdfast.logic import (
    Assignments,
    Diagram,
    Diagrams,
    Expression,
    OutOfNodes,
    Player,
    SafetyAutomaton,
    Variable,
)
from holdfast.running import sha256_of
from holdfast.solver import (
    TURNS,
    Blocks,
    ClauseAtoms,
    MultiValuedDiagrams,
    NodeReference,
    Side,
    Solution,
    Test,
    arrays,
    classify_moves,
    diagrams as as_diagrams,
    empty_diagrams,
    mask_sets,
)

DIGIT_BITS = 4
"""A variable of more than 16 values is tested digit by digit, so that no node of the array is wide."""

REJECTS = -1
UNCHANGED, UNAVAILABLE = 0, 1
"""Effects that assign nothing: the action leaves the state as it is, or cannot be chosen."""


@dataclass(frozen=True)
class ShieldClause:
    """An automaton, as far as the shield needs it.

    Attributes:
        formula: the text it came from.
        states: their names.
        offset: what each state adds to the number of the block, or :data:`REJECTS`.
    """

    formula: str
    states: tuple[str, ...]
    offset: tuple[int, ...]


@dataclass(frozen=True)
class FlatShield:
    """Everything that Safe(v) and v ∈ W depend on.

    A *root* is a reference into ``nodes``: below ``n_answers`` it is the answer, otherwise the node at
    ``nodes[root - n_answers]``, its test followed by its children.

    Attributes:
        name, variant, sha256: where it comes from; the hash is of the scenario's text.
        variables, actions, initial: of the game; v₀ with both automata.
        clauses: for each side its automata.
        sink: in place of the offsets of φ_A where φ_A is violated.
        tests, n_answers, nodes, n_nodes: the array.
        winning: for each turn a root for each block.
        moves: for each player a root for each action, answering with the number of an effect.
        effects: the variables that change, each with a root that answers with its new code. The first two
            change nothing; :data:`UNAVAILABLE` means that the action cannot be chosen.
        readings: for each player a row of ``steps`` for each action.
        steps: a root for each state of each automaton, the defender's first.
        choices: where what comes of the defender's choices is drawn, for each of its actions the first
            outcome of the same choice; else empty. A choice goes by its first outcome, and is safe if every
            outcome is.
    """

    name: str
    variant: str | None
    sha256: str | None
    variables: tuple[Variable, ...]
    actions: Mapping[Player, tuple[str, ...]]
    clauses: Mapping[Player, tuple[ShieldClause, ...]]
    initial: Position
    sink: int
    tests: tuple[Test, ...]
    n_answers: int
    winning: Mapping[Player, tuple[int, ...]]
    moves: Mapping[Player, tuple[int, ...]]
    effects: tuple[tuple[tuple[int, int], ...], ...]
    readings: Mapping[Player, tuple[int, ...]]
    steps: tuple[tuple[int, ...], ...]
    nodes: tuple[int, ...]
    n_nodes: int
    choices: tuple[int, ...] = ()


def flatten_shield(solution: Solution, budget: Budget = UNLIMITED) -> FlatShield:
    """Write the shield of a solution, defensible or not, out; the same for both engines.

    Raises:
        LimitError: when the table or the diagrams grow too large.

    >>> import holdfast as hf
    >>> game = hf.network_game(["GW", "DB"], [("GW", "DB")], entry="GW")
    >>> shield = flatten_shield(hf.solve(hf.configure(game, defender=["G (DB != Z)"])))
    >>> shield.n_nodes, [len(shield.winning[turn]) for turn in TURNS]
    (14, [1, 1])
    """
    configuration, game = solution.configuration, solution.configuration.game
    refuse_counted(game, "an exported shield")
    functions = shield_functions(solution, budget)
    effects, steps = functions.effects.listed, functions.steps
    roots = [
        *(root for part in (functions.winning, functions.moves) for turn in TURNS for root in part[turn]),
        *(root for effect in effects for _, root in effect),
        *(root for row in steps for root in row),
    ]
    layout = lay_out(functions.table, roots)
    moved = layout.moved
    return FlatShield(
        name=configuration.name,
        variant=configuration.variant,
        sha256=sha256_of(configuration.text) if configuration.text else None,
        variables=game.variables,
        actions={player: tuple(action.name for action in game.actions[player]) for player in TURNS},
        initial=configuration.initial,
        clauses=shield_clauses(configuration),
        sink=sink_of(configuration),
        tests=tuple(functions.table.tests),
        n_answers=layout.n_answers,
        nodes=layout.nodes,
        n_nodes=layout.n_nodes,
        winning={turn: tuple(moved[root] for root in functions.winning[turn]) for turn in TURNS},
        moves={player: tuple(moved[root] for root in functions.moves[player]) for player in TURNS},
        effects=tuple(tuple((v, moved[root]) for v, root in effect) for effect in effects),
        readings=functions.readings,
        steps=tuple(tuple(moved[root] for root in row) for row in steps),
        choices=_choices(configuration),
    )


def _choices(configuration: Configuration) -> tuple[int, ...]:
    """For each action of the defender the first outcome of its choice; empty where nothing is drawn."""
    if not has_chance(configuration.game, Player.DEFENDER):
        return ()
    groups = choices(configuration.game, Player.DEFENDER)
    return tuple(outcomes[0] for outcomes in groups for _ in outcomes)


@dataclass(frozen=True)
class ShieldFunctions:
    """The functions of a state that make up a shield, in a table to which others can be added.

    Attributes:
        diagrams: what the functions were made of.
        table: where they are.
        winning, moves, effects, readings, steps: as in :class:`FlatShield`, with references into the table.
    """

    diagrams: Diagrams
    table: MultiValuedDiagrams
    winning: Mapping[Player, list[NodeReference]]
    moves: Mapping[Player, list[NodeReference]]
    effects: Effects
    readings: Mapping[Player, tuple[int, ...]]
    steps: list[list[NodeReference]]


def shield_functions(solution: Solution, budget: Budget, first: int = 0) -> ShieldFunctions:
    """Write the functions of a shield into a new table, whose first node is to stand at ``first``.

    Raises:
        LimitError: when the table or the diagrams grow too large.
    """
    configuration, game = solution.configuration, solution.configuration.game
    if game.listed is not None:
        raise InputError(
            "the states of this model are listed, not all valuations of its variables, and such a shield is "
            "not exported; ask it in Python: safe_actions(solution, position)"
        )
    try:
        diagrams = (
            as_diagrams(solution, budget).product.diagrams
            if game.tables is None
            else empty_diagrams(configuration, budget)
        )
        table = MultiValuedDiagrams(diagrams, game.variables, budget, digit_bits=DIGIT_BITS, first=first)
        effects = Effects(game.variables, diagrams, table)
        winning = _winning(solution, table, budget)
        moves = {player: list(_moves(configuration, player, effects)) for player in TURNS}
        readings, steps = _letters(configuration, diagrams, table)
    except OutOfNodes:
        raise LimitError("the shield outgrew the memory for decision diagrams; raise --memory") from None
    return ShieldFunctions(diagrams, table, winning, moves, effects, readings, steps)


def sink_of(configuration: Configuration) -> int:
    """What stands in place of the offsets of φ_A where φ_A is violated."""
    return len(Side(configuration.adversary).accepting)


def _winning(solution: Solution, table: MultiValuedDiagrams, budget: Budget) -> dict[Player, list[int]]:
    """W by turn and block: from diagrams, or from arrays where the game itself is given as tables."""
    game = solution.configuration.game
    if game.tables is None:
        sets = as_diagrams(solution, budget).winning()
        return {turn: [table.decide((states,), (1, 0)) for states in sets[turn]] for turn in TURNS}
    winning = arrays(solution, budget).ranks < 0
    return {
        turn: [table.gather(states.reshape(game.shape)) for states in winning[t]]
        for t, turn in enumerate(TURNS)
    }


def shield_clauses(configuration: Configuration) -> dict[Player, tuple[ShieldClause, ...]]:
    """The automata, with what each state adds to the number of the block."""
    clauses: dict[Player, tuple[ShieldClause, ...]] = {}
    n_planes = len(Blocks.of(configuration).planes)
    for player, automata, stride in (
        (Player.DEFENDER, configuration.defender, n_planes),
        (Player.ADVERSARY, configuration.adversary, 1),
    ):
        listed = []
        for automaton, local in zip(reversed(automata), reversed(Side(automata).local), strict=True):
            offset = tuple(REJECTS if number < 0 else number * stride for number in local)
            listed.append(ShieldClause(automaton.source, automaton.states, offset))
            stride *= automaton.n_accepting
        clauses[player] = tuple(reversed(listed))
    return clauses


# -- moves ------------------------------------------------------------------------------------------


class Effects:
    """The distinct assignments of a game, numbered as they are met."""

    def __init__(
        self, variables: tuple[Variable, ...], diagrams: Diagrams, table: MultiValuedDiagrams
    ) -> None:
        """Start with the two that change nothing."""
        self.listed: list[tuple[tuple[int, int], ...]] = [(), ()]
        self.diagrams, self.table = diagrams, table
        self._places = {variable.name: i for i, variable in enumerate(variables)}
        self._numbers: dict[Assignments, int] = {(): UNCHANGED}

    def number(self, assign: Assignments) -> int:
        """The number of an assignment."""
        if assign not in self._numbers:
            self._numbers[assign] = len(self.listed)
            self.listed.append(
                tuple((self._places[variable.name], self.code(variable, value)) for variable, value in assign)
            )
        return self._numbers[assign]

    def code(self, variable: Variable, value: Expression) -> int:
        """The code that a variable gets; where the value leaves the domain no rule applies."""
        parts = {code: states for code, states in self.diagrams.by_code(variable, value).items() if code >= 0}
        return self.table.decide(list(parts.values()), [*parts, 0])


def _moves(configuration: Configuration, player: Player, effects: Effects) -> Iterator[int]:
    """For each action the function from a state to the number of an effect."""
    game = configuration.game
    if game.tables is not None:
        yield from _tabulated(configuration, player, effects)
        return
    for action in game.actions[player]:
        numbers = [effects.number(rule.assign) for rule in action.rules]
        guards = [effects.diagrams.truth(rule.when) for rule in action.rules]
        yield effects.table.decide(guards, [*numbers, UNCHANGED])


def _tabulated(configuration: Configuration, player: Player, effects: Effects) -> Iterator[int]:
    """As :func:`_moves`, for a game given as successor tables: one effect for each action."""
    import numpy as np

    game, table = configuration.game, effects.table
    assert game.tables is not None
    for after in game.tables[player].T:
        codes = np.unravel_index(np.maximum(after, 0), game.shape)
        number = len(effects.listed)
        effects.listed.append(
            tuple((v, table.gather(code.reshape(game.shape))) for v, code in enumerate(codes))
        )
        yield table.gather(np.where(after < 0, UNAVAILABLE, number).reshape(game.shape))


# -- letters ----------------------------------------------------------------------------------------


def _letters(
    configuration: Configuration, diagrams: Diagrams, table: MultiValuedDiagrams
) -> tuple[dict[Player, tuple[int, ...]], list[list[int]]]:
    """For each action its reading, and for each reading the function of each automaton state."""
    classes, of_action = classify_moves(configuration)
    sides = (configuration.defender, configuration.adversary)
    known: dict[tuple[int, int, ClauseAtoms], list[int]] = {}
    rows = []
    for left in classes:
        row: list[int] = []
        for s, side in enumerate(sides):
            for c, automaton in enumerate(side):
                key = s, c, (left[s][c],)
                if key not in known:
                    sets = mask_sets(automaton, [diagrams.truth(atom) for atom in left[s][c]], diagrams.true)
                    known[key] = [
                        step(automaton, q, sets, diagrams, table) for q in range(automaton.n_states)
                    ]
                row += known[key]
        rows.append(row)
    return of_action, rows


def step(
    automaton: SafetyAutomaton, q: int, sets: list[Diagram], diagrams: Diagrams, table: MultiValuedDiagrams
) -> int:
    """The state after q as a function of the state of the game."""
    leading: dict[int, Diagram] = {}
    for target, states in zip(automaton.delta[q], sets, strict=True):
        leading[target] = leading.get(target, diagrams.false) | states
    return table.decide(list(leading.values()), [*leading, q])


# -- the array --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """The array, and how the references of the table read in it.

    Attributes:
        n_answers: a reference below this is an answer; any other is the place of a node, so much higher.
        nodes: each node's test and children, one after the other.
        n_nodes: how many there are.
    """

    n_answers: int
    nodes: tuple[int, ...]
    n_nodes: int
    moved: dict[NodeReference, int]


def lay_out(table: MultiValuedDiagrams, roots: Iterable[NodeReference]) -> Layout:
    """Number the nodes under the roots, children before parents.

    So the array depends on the functions and on the order of the variables, and on nothing else.
    """
    moved: dict[NodeReference, int] = {}
    order: list[tuple[int, list[NodeReference]]] = []
    n_entries, n_answers = 0, 2
    stack = [(root, False) for root in dict.fromkeys(roots)][::-1]
    while stack:
        top, closed = stack.pop()
        if top in moved:
            continue
        if top < 0:
            moved[top], n_answers = ~top, max(n_answers, ~top + 1)
            continue
        test, children = table.node(top)
        if closed:
            moved[top], n_entries = n_entries, n_entries + 1 + len(children)
            order.append((test, children))
        else:
            stack.append((top, True))
            stack += [(child, False) for child in reversed(children) if child not in moved]
    moved = {r: place if r < 0 else n_answers + place for r, place in moved.items()}
    nodes = tuple(n for test, children in order for n in (test, *(moved[child] for child in children)))
    return Layout(n_answers, nodes, len(order), moved)
