"""Safety automata: deterministic, complete, with absorbing violation (def. Safety Automaton).

An automaton reads *letters* σ = (move, successor state), but only through its *atoms*, a few local
predicates. A letter is therefore known by the bit mask of the atoms true on it, and the automaton is
a table from (state, mask) to state over the masks that some real letter has (:func:`feasible_masks`,
exact, by decision diagrams). Determinism and completeness are then properties of a table row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import AutomatonError, expect_all
from holdfast.logic import expressions as ex
from holdfast.logic.diagrams import Diagram, Diagrams
from holdfast.logic.evaluate import Reader, reader
from holdfast.logic.expressions import Expression, Move
from holdfast.logic.vocabulary import Vocabulary

MAX_STATES = 1024
MAX_MASKS = 1024
MAX_TRANSITIONS = 100_000

MANY, LITTLE, MUCH = 60, 1 << 14, 1 << 19
"""Variables of a clause that are many, and entries of the operation cache for few and for many."""


@dataclass(frozen=True)
class Letters:
    """The masks that occur, for each whether a move (not only the start) can show it, and a letter with it.

    Letters are asked for in messages alone; to find one can take more than to know that there is one.
    """

    masks: tuple[int, ...]
    after_moves: tuple[bool, ...]
    witness: Callable[[int], tuple[Move | None, Mapping[str, int]]]


@dataclass(frozen=True)
class SafetyAutomaton:
    """A safety automaton 𝒜 = (Q, Σ, δ, q₀, F) over the atoms of one clause.

    Attributes:
        source: the text it came from, for messages.
        states: names; a state is its index.
        initial: q₀, the state before the initial letter is read.
        accepting: for each state, whether it is in F.
        atoms: local predicates; bit i of a mask is the truth of atom i.
        masks: the feasible masks, ascending.
        delta: ``delta[q][j]`` is the state after reading ``masks[j]`` in q.
    """

    source: str
    states: tuple[str, ...]
    initial: int
    accepting: tuple[bool, ...]
    atoms: tuple[Expression, ...]
    masks: tuple[int, ...]
    delta: tuple[tuple[int, ...], ...] = field(repr=False)

    def __post_init__(self) -> None:
        """Check the shape and that violation is absorbing."""
        n = len(self.states)
        what = f"the rows of {self.source}"
        expect_all(self.delta, (tuple, list), what, "one tuple of states for each state")
        rows = len(self.delta) == len(self.accepting) == n and all(
            len(row) == len(self.masks) and all(target in range(n) for target in row) for row in self.delta
        )
        if not rows or self.initial not in range(n):
            raise AutomatonError(f"{self.source}: the transition table does not match states and letters")
        for q, row in enumerate(self.delta):
            if not self.accepting[q] and any(self.accepting[target] for target in row):
                target = next(t for t in row if self.accepting[t])
                raise AutomatonError(
                    f'violating state "{self.states[q]}" leads back to accepting "{self.states[target]}"; '
                    "a violation is permanent: make it lead to violating states only"
                )

    @property
    def n_states(self) -> int:
        """|Q|."""
        return len(self.states)

    @property
    def n_accepting(self) -> int:
        """|F|."""
        return sum(self.accepting)

    @cached_property
    def column(self) -> dict[int, int]:
        """Index of each mask in the table."""
        return {mask: j for j, mask in enumerate(self.masks)}

    @cached_property
    def _readers(self) -> dict[Move | None, list[Reader]]:
        """The atoms as functions of a state, for each move that has been read so far."""
        return {}

    @cached_property
    def _places(self) -> dict[str, str]:
        """Where the codes of a state are looked up: under the names of the variables."""
        return {v.name: v.name for atom in self.atoms for v in ex.variables_of(atom)}

    @cached_property
    def _still(self) -> tuple[Reader | None, ...]:
        """The atoms that say nothing of the move, as functions of a state; None for each of the others."""
        return tuple(reader(atom, self._places) if ex.is_static(atom) else None for atom in self.atoms)

    def _read_after(self, move: Move | None) -> list[Reader]:
        """The atoms as functions of a state after a move; those that say nothing of moves are made once."""
        pairs = zip(self.atoms, self._still, strict=True)
        return [still or reader(ex.after_move(atom, move), self._places) for atom, still in pairs]

    def __getstate__(self) -> dict[str, object]:
        """What is declared; functions are compiled again where the automaton is unpacked."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def read(self, q: int, codes: Mapping[str, int], move: Move | None) -> int:
        """δ(q, σ) for the letter σ = (move, state)."""
        if move not in self._readers:
            self._readers[move] = self._read_after(move)
        mask = sum(bool(read(codes)) << i for i, read in enumerate(self._readers[move]))
        try:
            return self.delta[q][self.column[mask]]
        except KeyError:
            raise AutomatonError(
                f"{self.source}: the table has no letter for {dict(codes)}, {move}"
            ) from None

    def guard(self, q: int, target: int, budget: Budget = UNLIMITED) -> Expression:
        """The condition under which q moves to ``target``, as a short expression."""
        chosen = {self.masks[j] for j, t in enumerate(self.delta[q]) if t == target}
        others = {self.masks[j] for j, t in enumerate(self.delta[q]) if t != target}
        return _describe(self.atoms, chosen, others, budget)

    def edges(self) -> list[tuple[int, int, Expression]]:
        """All (q, target, guard), row by row."""
        return [(q, t, self.guard(q, t)) for q, row in enumerate(self.delta) for t in sorted(set(row))]

    def __str__(self) -> str:
        """A table of states and guarded edges."""
        lines, edges = [f"automaton of {' '.join(self.source.split())}"], self.edges()
        for q, name in enumerate(self.states):
            marks = ["initial"] * (q == self.initial) + ["violating"] * (not self.accepting[q])
            lines.append(f"  {name}" + (f"  ({', '.join(marks)})" if marks else ""))
            lines += [f"    {guard} → {self.states[t]}" for source, t, guard in edges if source == q]
        return "\n".join(lines)

    def to_dot(self) -> str:
        """The automaton in Graphviz's DOT language, under its source; violating states are grey boxes."""
        head = f"  label={_quote(' '.join(self.source.split()))}; labelloc=t; rankdir=LR;"
        lines = ["digraph automaton {", head, '  start [shape=point, label=""];']
        for q, name in enumerate(self.states):
            shape = "doublecircle" if self.accepting[q] else "box, style=filled, fillcolor=gray90"
            lines.append(f"  q{q} [label={_quote(name)}, shape={shape}];")
        lines.append(f"  start -> q{self.initial};")
        lines += [f"  q{q} -> q{t} [label={_quote(str(guard))}];" for q, t, guard in self.edges()]
        return "\n".join([*lines, "}"])

    def to_object(self) -> dict[str, Any]:
        """The automaton as plain data, as a clause of a scenario file declares one."""
        names = self.states
        edges = [{"from": names[q], "to": names[t], "when": str(guard)} for q, t, guard in self.edges()]
        accepting = [name for name, accepts in zip(names, self.accepting, strict=True) if accepts]
        return {
            "states": list(names),
            "initial": names[self.initial],
            "accepting": accepting,
            "edges": edges,
        }


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def feasible_masks(
    atoms: tuple[Expression, ...], vocabulary: Vocabulary, budget: Budget = UNLIMITED
) -> Letters:
    """The masks of ``atoms`` that real letters have, exactly.

    Moves that look alike to every atom are treated once; for each, the static rest of the atoms is
    split by decision diagrams, a branch being dropped when no state is left in it.

    Raises:
        AutomatonError: past :data:`MAX_MASKS` masks.
    """
    used = {variable for atom in atoms for variable in ex.variables_of(atom)}
    known = (variable for variable in used if variable.name in vocabulary.places)
    variables = sorted(known, key=lambda v: vocabulary.places[v.name])
    cache = MUCH if len(variables) > MANY else LITTLE
    diagrams = Diagrams(variables, cache=cache, budget=budget, tallies=vocabulary.tallies)
    possible = diagrams.consistent if len(atoms) > 1 else diagrams.valid
    witness_of: dict[int, tuple[bool, Move | None, Diagram]] = {}
    for statics, move in _distinct_moves(atoms, vocabulary, budget):
        branches = [(0, possible)]
        for i, static in enumerate(statics):
            budget.tick("telling letters apart")
            sides = (0, ~diagrams.truth(static)), (1 << i, diagrams.truth(static))
            split = [(mask | bit, states & side) for mask, states in branches for bit, side in sides]
            branches = [(mask, states) for mask, states in split if states.satisfiable()]
            if len(branches) > MAX_MASKS:
                raise AutomatonError(
                    f"the clause tells apart more than {MAX_MASKS:,} kinds of letters; "
                    "split it into several clauses"
                )
        for mask, states in branches:
            after = move is not None or not vocabulary.moves
            if mask not in witness_of or (after and not witness_of[mask][0]):
                witness_of[mask] = (after, move, states)
    masks = tuple(sorted(witness_of))

    def witness(mask: int) -> tuple[Move | None, Mapping[str, int]]:
        return witness_of[mask][1], diagrams.pick(witness_of[mask][2]) or {}

    return Letters(masks, tuple(witness_of[mask][0] for mask in masks), witness)


def _distinct_moves(
    atoms: tuple[Expression, ...], vocabulary: Vocabulary, budget: Budget
) -> Iterable[tuple[tuple[Expression, ...], Move | None]]:
    """One representative move for each way the atoms can read the move, the initial letter first."""
    static = [ex.is_static(atom) for atom in atoms]
    read = {part.moves for atom in atoms for part in ex.walk(atom) if isinstance(part, ex.Did)}
    looks, seen = set[tuple[bool, ...]](), set()
    for move in (None, *(vocabulary.moves if read else vocabulary.moves[:1])):
        budget.tick("telling letters apart")
        look = (move is None, *(move in moves for moves in read))
        if look in looks:  # every predicate about moves says the same as of one before
            continue
        looks.add(look)
        key = tuple(a if fixed else ex.after_move(a, move) for a, fixed in zip(atoms, static, strict=True))
        if (key, move is None) not in seen:
            seen.add((key, move is None))
            yield key, move


def columns(automaton: SafetyAutomaton, atoms: tuple[Expression, ...], masks: tuple[int, ...]) -> list[int]:
    """For each mask over more atoms than the automaton's, the column of its own table."""
    places = {atom: i for i, atom in enumerate(atoms)}
    places_of_atoms = [places[atom] for atom in automaton.atoms]
    return [
        automaton.column[sum((mask >> place & 1) << i for i, place in enumerate(places_of_atoms))]
        for mask in masks
    ]


def _describe(
    atoms: tuple[Expression, ...], chosen: set[int], others: set[int], budget: Budget
) -> Expression:
    """A short expression true on the chosen masks and false on the others (the rest is infeasible).

    Each chosen mask is widened by dropping atoms while no other mask is covered, those that are false on it
    first, as people say what is rather than what is not; a greedy cover of the widened cubes follows.
    """
    cubes: list[tuple[int, int]] = []
    for mask in sorted(chosen):
        care = (1 << len(atoms)) - 1
        for i in sorted(range(len(atoms)), key=lambda atom: mask >> atom & 1):
            budget.tick("describing an automaton")
            wider = care & ~(1 << i)
            if all((other ^ mask) & wider for other in others):
                care = wider
        cubes.append((care, mask & care))
    remaining, cover = set(chosen), []
    for care, value in sorted(set(cubes), key=lambda cube: cube[0].bit_count()):
        covered = {mask for mask in remaining if mask & care == value}
        if covered:
            remaining -= covered
            cover.append((care, value))

    def said(care: int, value: int) -> Expression:
        cared = ((i, atom) for i, atom in enumerate(atoms) if care >> i & 1)
        return ex.conjunction(atom if value >> i & 1 else ex.negation(atom) for i, atom in cared)

    return ex.disjunction(said(*cube) for cube in cover)
