"""The smallest sets of assumptions without which an indefensible configuration becomes defensible.

An *assumption* is something whose absence can only help the defender: a part of the system (a link along
which compromise spreads, or an action of the adversary), one unit of a number in φ_A, a clause of φ_D. Taking
some of them away keeps variables, actions and all other clauses, so that a play of the configuration can be
replayed on what is left of it.

A set that works is a *repair*. Each time a set turns out not to be one, what is left of the configuration
has a winning strategy of the adversary, and that strategy needs only some of the assumptions: its *core*.
It wins as long as its core is there, so every repair takes something of every core away. The smallest sets
that meet all cores found so far are therefore the only ones worth trying, and the first of them that works
is a smallest repair. (The scheme is that of implicit hitting sets.) The answer is a theorem in both
directions: a repair is solved, and whatever is smaller was solved too or leaves some core whole.

What a strategy needs is read off its positions: the links, one of which each move needs to do what it does;
the actions it plays; a unit of a budget if φ_A one unit lower forbids one of its moves; for each violation
that it ends in, one of the clauses violated there. Where the strategy was not followed to its end there is
no core, and sets are tried one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from holdfast.clauses import Clause
from holdfast.errors import InputError, LimitError
from holdfast.game import successor
from holdfast.logic.automata import SafetyAutomaton
from holdfast.logic.expressions import Player
from holdfast.product import Configuration, broken_clauses
from holdfast.solved_game import SolvedGame
from holdfast.strategy import Strategy, winning_strategy
from holdfast.system import Part
from holdfast.whatif import Trials
from holdfast.whatif.bounds import Bound

MAX_SOLVED = 400
MAX_FOLLOWED, CORE_SECONDS = 2_000, 3.0
"""Positions of a strategy that are followed for its core, and for how long."""

Chosen = frozenset[int]
"""Some of the assumptions, by their number."""


@dataclass(frozen=True)
class Removal:
    """An assumption in words.

    Attributes:
        kind: what it is: the kind of a part, ``budget`` or ``clause``.
        name: in the words of the model, such as ``GW -> Web``; for a budget the bound as it stands.
        becomes: for a budget, the bound one unit lower; else empty.
    """

    kind: str
    name: str
    becomes: str = ""


@dataclass(frozen=True)
class Assumption(Removal):
    """One thing that can be taken away: a part, a clause (by its number), or a unit of a bound."""

    part: Part | None = None
    clause: int | None = None
    bound: Bound | None = None

    def in_words(self) -> Removal:
        """The words alone."""
        return Removal(self.kind, self.name, self.becomes)


@dataclass(frozen=True)
class Repairs:
    """What was found out about repairs.

    Attributes:
        sets: the smallest repairs; every one of their size, if ``complete``.
        size: how many assumptions each of them takes away; without any, the size that was being tried.
        complete: whether every other set of up to that size is known not to work.
        n_assumptions, kinds: how many assumptions there are, and of which kinds.
        n_solved: how many configurations were solved to find out.
        unfinished: why the search ended early; else empty.
    """

    sets: tuple[tuple[Removal, ...], ...]
    size: int
    complete: bool
    n_assumptions: int
    kinds: tuple[str, ...]
    n_solved: int
    unfinished: str = ""


def assumptions(configuration: Configuration, bounds: Iterable[Bound]) -> tuple[Assumption, ...]:
    """Everything that can be taken away, the design first and the requirement last.

    >>> from holdfast.models.network import STUB
    >>> from holdfast.scenario.load import configuration, scenario_from_text
    >>> from holdfast.whatif.bounds import bounds
    >>> here = configuration(scenario_from_text(STUB))
    >>> [a.name for a in assumptions(here, bounds(here)[0])][3:]
    ['DB -> BK', 'times(destroy) <= 2', 'G !(DB in {X, D, Z} & BK in {X, D, Z})', 'G (active >= 3)']
    """
    found = [Assumption(part.kind, part.name, part=part) for part in configuration.system.parts]
    for bound in bounds:
        easiest = bound.low if bound.harder > 0 else bound.high
        if bound.side is Player.ADVERSARY and bound.value is not None and bound.value != easiest:
            lower = bound.text(bound.value - bound.harder)
            found.append(Assumption("budget", bound.text(), lower, bound=bound))
    clauses = enumerate(configuration.requirement)
    return (*found, *(Assumption("clause", c.label, clause=number) for number, c in clauses))


def without(configuration: Configuration, taken: Sequence[Assumption]) -> Configuration:
    """The configuration with these assumptions taken away.

    Raises:
        InputError: when what is left does not fit together.
    """
    boundary = list(configuration.boundary)
    changed: set[int] = set()
    for bound in (assumption.bound for assumption in taken if assumption.bound is not None):
        lower = bound.eased()
        if bound.clause in changed:  # a second number of the same clause binds beside the first
            boundary.append(Clause(lower, lower.source))
        else:
            boundary[bound.clause] = Clause(lower, lower.source)
            changed.add(bound.clause)
    dropped = {assumption.clause for assumption in taken}
    requirement = (c for number, c in enumerate(configuration.requirement) if number not in dropped)
    system = configuration.system.without(a.part for a in taken if a.part is not None)
    return replace(configuration, system=system, requirement=tuple(requirement), boundary=tuple(boundary))


def smallest_repairs(
    board: SolvedGame, strategy: Strategy, candidates: Sequence[Assumption], trials: Trials
) -> Repairs:
    """All smallest repairs of a configuration that is not defensible.

    Args:
        board: the solved configuration.
        strategy: of the adversary, winning there.
        candidates: what may be taken away, in the order in which it is tried.
        trials: solves what is left; its end of patience ends the search.
    """
    search = _Search(board.configuration, candidates, trials)
    search.learn(board, strategy, frozenset())
    found: list[Chosen] = []
    size, unfinished = 0, ""
    try:
        while not found and size < len(candidates):
            size += 1
            for chosen in search.hitting_sets(size):
                if trials.n_solved >= MAX_SOLVED:
                    raise LimitError(f"stopped after solving {MAX_SOLVED:,} changed configurations")
                if search.works(chosen):
                    found.append(chosen)
    except LimitError as limit:
        unfinished = str(limit)
    return Repairs(
        tuple(tuple(candidates[i].in_words() for i in sorted(chosen)) for chosen in found),
        size,
        not unfinished,
        len(candidates),
        tuple(dict.fromkeys(candidate.kind for candidate in candidates)),
        trials.n_solved,
        unfinished,
    )


class _Search:
    """The cores found so far."""

    def __init__(
        self, configuration: Configuration, candidates: Sequence[Assumption], trials: Trials
    ) -> None:
        self.configuration, self.candidates, self.trials = configuration, candidates, trials
        self.cores: list[Chosen] = []

    def hitting_sets(self, size: int) -> Iterator[Chosen]:
        """The sets of this size that meet every core, those found while they are tried included."""
        tried: set[Chosen] = set()
        stack: list[Chosen] = [frozenset()]
        while stack:
            chosen = stack.pop()
            if chosen in tried:
                continue
            tried.add(chosen)
            missed = next((core for core in self.cores if not chosen & core), None)
            if len(chosen) == size:
                if missed is None:
                    yield chosen
                continue
            onward = range(len(self.candidates)) if missed is None else missed
            stack += [chosen | {i} for i in sorted(onward, reverse=True) if i not in chosen]

    def works(self, chosen: Chosen) -> bool:
        """Whether taking these away makes the configuration defensible; if not, learn a core."""
        try:
            edited = without(self.configuration, [self.candidates[i] for i in sorted(chosen)])
        except InputError:
            return False
        solution = self.trials.solve(edited)
        if solution.defensible:
            return True
        board, budget = SolvedGame(solution), self.trials.budget.share(1.0, CORE_SECONDS)
        self.learn(board, winning_strategy(board, MAX_FOLLOWED, budget, brief=False), chosen)
        return False

    def learn(self, board: SolvedGame, strategy: Strategy, gone: Chosen) -> None:
        """Keep the core of a strategy that wins although ``gone`` has been taken away."""
        if strategy.cut:
            return
        needs = _Needs(board, strategy, self, gone)
        spared = set(gone)
        for i in reversed(range(len(self.candidates))):
            if i not in spared and needs.wins_without(frozenset(spared | {i})):
                spared.add(i)
        self.cores.append(frozenset(range(len(self.candidates))) - spared)


class _Needs:
    """What one strategy needs; asked whether it still wins without a set of assumptions."""

    def __init__(self, board: SolvedGame, strategy: Strategy, search: _Search, gone: Chosen) -> None:
        self.board, self.strategy = board, strategy
        self.original, self.candidates = search.configuration, search.candidates
        moves = strategy.choice.items()
        self.moves = {(action, v.state): target.state for v, (action, target) in moves}
        dropped = {self.candidates[i].clause for i in gone}
        kept = [n for n in range(len(self.original.defender)) if n not in dropped]
        targets = chain((target for _, target in strategy.choice.values()), *strategy.replies.values())
        ends = [target for target in targets if board.rank(target) == 0] or [board.initial]
        violated = (broken_clauses(board.configuration, end) for end in ends)
        self.violated = {frozenset(kept[number] for number in numbers) for numbers in violated}
        self.admitted: dict[int | str, bool] = {}

    def wins_without(self, taken: Chosen) -> bool:
        """Whether the strategy, move for move, still forces a violation."""
        clauses = {self.candidates[i].clause for i in taken}
        if any(violated <= clauses for violated in self.violated):
            return False
        bounds = ((i, self.candidates[i].bound) for i in taken)
        if not all(self.admits(i, bound.eased()) for i, bound in bounds if bound is not None):
            return False
        cut = [part for i in taken if (part := self.candidates[i].part) is not None]
        if not cut:
            return True
        left = self.original.system.without(cut)
        return all(self.admits(clause.label, clause.automaton) for clause in left.boundary) and all(
            successor(left.game, Player.ADVERSARY, action, state) == after
            for (action, state), after in self.moves.items()
        )

    def admits(self, name: int | str, automaton: SafetyAutomaton) -> bool:
        """Whether an automaton of φ_A accepts every play along the strategy; found out once for a name."""
        if name not in self.admitted:
            self.admitted[name] = self._accepted(automaton)
        return self.admitted[name]

    def _accepted(self, automaton: SafetyAutomaton) -> bool:
        game, start, strategy = self.board.game, self.board.initial, self.strategy
        q = automaton.read(automaton.initial, game.codes(start.state), None)
        stack, seen = [(start, q)], {(start, q)}
        while stack:
            here, q = stack.pop()
            if not automaton.accepting[q]:
                return False
            moves = strategy.replies.get(here, {})
            if here in strategy.choice:
                action, target = strategy.choice[here]
                moves = {target: (action,)}
            for target, actions in moves.items():
                codes = game.codes(target.state)
                for action in actions:
                    name = game.actions[here.turn][action].name
                    after = target, automaton.read(q, codes, (here.turn, name))
                    if after not in seen:
                        seen.add(after)
                        stack.append(after)
        return True
