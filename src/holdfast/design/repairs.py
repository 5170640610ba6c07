"""The cheapest sets of assumptions without which a configuration has a property that it lacks.

The property (:mod:`~holdfast.design.properties`) is that it holds, or that a goal can be forced besides. A
set of assumptions that works is a *repair*, and a minimal one if no part of it works. Each time a set
turns out not to work, what is left of the configuration has a winning strategy of the adversary, and that
strategy gives a *core* (:mod:`~holdfast.design.cores`): every repair takes something of it away. So the
only sets worth trying are those that meet all cores found so far, and a solver for such hitting sets
(PySAT's Hitman) gives them in the order of their cost. The first that works is a cheapest repair. It and
whatever contains it is then left aside, and the search goes on: all minimal repairs come out, cheapest
first. The answer is a theorem in both directions: a repair is solved, and whatever is cheaper was solved
too or leaves some core whole. (The scheme is that of implicit hitting sets.) Where a set does not work and no
strategy tells why, all that is not in it is taken for a core. That rules out the set and its parts, which are
cheaper and were tried before, so it is right even where a smaller set might work.

Before a set is solved, the symmetric images of all cores (:mod:`~holdfast.design.symmetries`) are looked at:
one that the set misses is as good as what solving it would give, and quicker.

Several sets of the same cost are tried at once, by the :mod:`~holdfast.running.tasks`. While a set is being
tried the solver is told to take something outside it. That loses nothing: if the set fails, so does every
part of it; if it works, its parts are cheaper and were refuted before.

Some sets must not be taken, whether they work or not. That a set works is monotone, that it may be taken need
not be: something more can cure what a smaller set is refused for. So an :data:`Exclusion` names what could
cure it, and rules out only sets without that. What is found then are all minimal sets that
work and may be taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.assumption import Assumption, Removal
from holdfast.design.cores import ALIKE, UNASKED, AssumptionSet, core
from holdfast.design.flow_needs import breaks_flows
from holdfast.design.lost_design import LostDesign
from holdfast.design.properties import Property, rests_elsewhere
from holdfast.design.symmetries import Symmetries
from holdfast.design.trials import SolvedDesign, Trials
from holdfast.errors import InputError, LimitError
from holdfast.game import System
from holdfast.running import PATIENCE, Backend, run_tasks, whole
from holdfast.solver import (
    SolvedGame,
    Strategy,
    holding_strategy,
    recovery_layers,
    winning_strategy,
)

MAX_SOLVED = 400
Exclusion = tuple[AssumptionSet, AssumptionSet]
"""No set with all of the first may be taken, unless it has one of the second."""


AT_ONCE = 64
"""Symmetric images of cores that are added at once."""

MAX_FOLLOWED, CORE_STEPS = 2_000, 100_000
"""Positions of a strategy that are followed for its core, and in how many steps."""


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


class Images(Protocol):
    """What a search knows of sets that are alike."""

    def add(self, core: AssumptionSet) -> None:
        """Learn of a core."""

    def missed(self, chosen: AssumptionSet, most: int) -> list[AssumptionSet]:
        """Cores that a set does not meet, at most so many, none of them given before."""

    def answer(self, chosen: AssumptionSet) -> Any:
        """What came of a set that is alike, as it is for this one; :data:`UNASKED` if none was tried."""

    def learn(self, chosen: AssumptionSet, answer: Any) -> None:
        """Learn what came of a set."""


@dataclass
class Search:
    """All minimal repairs of a question, cheapest first; or whatever else is monotone and found set by set.

    Attributes:
        question: what is asked, with the work that answers it for a set.
        work: tells for the question and a set what came of it: a core that the set misses, as a list, or
            that the set works, as anything else.
        images: what is known of sets that are alike; the symmetric images of cores by default.
        answers: of the sets that work, what the work told.
        costs: of the candidates, whole numbers of at least 1.
        refusal: of a set that must not be taken, what is wrong with it; None of any other.
        cores: those found so far.
        complete_to: every minimal repair that costs no more is known.
        n_tried, seconds: how many sets were solved, and how long that took.
    """

    question: Any
    costs: Sequence[int]
    budget: Budget = UNLIMITED
    backend: Backend = field(default_factory=Backend)
    max_tried: float = float("inf")
    refusal: Callable[[AssumptionSet], Exclusion | None] = lambda chosen: None
    cores: list[AssumptionSet] = field(default_factory=list)
    complete_to: int = 0
    n_tried: int = 0
    seconds: float = 0.0
    work: Callable[[tuple[Any, AssumptionSet], Budget], Any] = field(
        default_factory=lambda: core_without, kw_only=True
    )
    images: Images | None = field(default=None, kw_only=True)
    batch_size: int = field(default=4, kw_only=True)
    answers: dict[AssumptionSet, Any] = field(default_factory=dict, kw_only=True)

    def repairs(self, max_cost: int | None = None, *, cheapest: bool = False) -> Iterator[AssumptionSet]:
        """The minimal repairs that cost no more than ``max_cost``, as they are found; or the cheapest only.

        Raises:
            LimitError: past the budget, or past ``max_tried``; what was found before stands.
        """
        everything = frozenset(range(len(self.costs)))
        most = sum(self.costs) if max_cost is None else max_cost
        many = self.backend.cluster or self.budget.workers > 1
        at_once = self.batch_size * self.budget.workers if many else 1
        symmetries = self.images or Symmetries(self.question, self.budget)
        for known in self.cores:
            symmetries.add(known)
        # The solver learns what candidates cost from the first sets that it is given, so all are in them.
        with _hitting_sets([everything, *self.cores], self.costs) as solver:
            while (batch := self._batch(solver, symmetries, everything, at_once, most)) is not None:
                cost, sets = batch
                self.complete_to = cost - 1
                for chosen, learned in self._tried(sets, symmetries):
                    if learned is None:
                        most = cost if cheapest else most
                        solver.block(sorted(chosen))
                        yield chosen
                    elif not learned:  # not even everything together is enough
                        self.complete_to = most
                        return
                    else:
                        self.cores.append(learned)
                        symmetries.add(learned)
                        solver.hit(sorted(learned))
            self.complete_to = most

    def _batch(
        self, solver: Any, symmetries: Images, everything: AssumptionSet, at_once: int, most: int
    ) -> tuple[int, list[AssumptionSet]] | None:
        """The next sets to try, all of one cost; None if there are none that cost no more than ``most``."""
        sets: list[AssumptionSet] = []
        cost = 0
        while len(sets) < at_once:
            self.budget.tick("looking for repairs")
            hitting_set = solver.get()
            if hitting_set is None:
                break
            chosen = frozenset(hitting_set)
            price = sum(self.costs[i] for i in chosen)
            if price > (cost if sets else most):
                break
            refused = self.refusal(chosen)
            if refused is not None:
                if not any(refused):  # nothing may be taken at all
                    break
                _refuse(solver, refused)
                continue
            images = symmetries.missed(chosen, AT_ONCE)
            if images:
                for image in images:
                    solver.hit(sorted(image))
                self.cores += images
                continue
            cost = price
            sets.append(chosen)
            rest = everything - chosen
            if not rest:
                break
            if at_once > 1:
                solver.hit(sorted(rest))
        return (cost, sets) if sets else None

    def _tried(
        self, sets: Sequence[AssumptionSet], symmetries: Images
    ) -> Iterator[tuple[AssumptionSet, AssumptionSet | None]]:
        """Each set with the core that it misses, None if it works."""
        waiting = list(sets)
        while waiting:
            known = {chosen: symmetries.answer(chosen) for chosen in waiting}
            answers = {chosen: answer for chosen, answer in known.items() if answer not in (UNASKED, ALIKE)}
            waiting = [chosen for chosen, answer in known.items() if answer is ALIKE]
            answers |= self._asked([chosen for chosen, answer in known.items() if answer is UNASKED])
            for chosen, answer in answers.items():
                symmetries.learn(chosen, answer)
                core = isinstance(answer, list)
                if not core:
                    self.answers[chosen] = answer
                yield chosen, frozenset(answer) if core else None

    def _asked(self, sets: Sequence[AssumptionSet]) -> dict[AssumptionSet, Any]:
        """What comes of sets that have to be solved."""
        if not sets:
            return {}
        if self.n_tried >= self.max_tried:
            raise LimitError(f"stopped after solving {self.max_tried:,} changed configurations")
        self.n_tried += len(sets)
        tasks = {" ".join(map(str, sorted(chosen))): (self.question, chosen) for chosen in sets}
        # Sets come a few at a time; whether they are worth starting processes shows over all of them.
        backend, started = replace(self.backend, patience=PATIENCE - self.seconds), time.process_time()
        answers = whole(run_tasks(self.work, tasks, self.budget, backend))
        self.seconds += time.process_time() - started
        return {chosen: answers[key] for key, (_, chosen) in tasks.items()}


def core_without(task: tuple[LostDesign, AssumptionSet], budget: Budget) -> list[int] | None:
    """None where taking the chosen assumptions away is a repair, else a core that it misses."""
    question, chosen = task
    everything = frozenset(range(len(question.candidates)))
    try:
        edited = question.without(chosen)
    except InputError:
        return sorted(everything - chosen)
    solution = Trials(question.engine, budget, question.base).solve(edited)
    if question.wanted.holds(solution, budget):
        return None
    board = SolvedGame(solution)
    strategy = None if chosen & question.opaque else _attack(board, question.wanted, budget)
    if strategy is None:
        return sorted(everything - chosen)
    needed = core(board, strategy, question.configuration, question.candidates, chosen | question.opaque)
    return sorted(needed | question.opaque)


def _attack(board: SolvedGame, wanted: Property, budget: Budget) -> Strategy | None:
    """A strategy of the adversary because of which a design lacks a property; None where none tells why."""
    solution, patience = board.solution, budget.within(CORE_STEPS)
    if not solution.defensible:
        return winning_strategy(board, MAX_FOLLOWED, patience, brief=False)
    if wanted.sight:
        return None
    trap = recovery_layers(solution, wanted.goal).proof(board.initial, budget).trap
    if trap is None or rests_elsewhere(solution, wanted.goal, budget):
        return None
    return holding_strategy(board, trap, MAX_FOLLOWED, patience)


def _hitting_sets(cores: Sequence[AssumptionSet], costs: Sequence[int]) -> Any:
    """A solver whose ``get`` gives a cheapest set that meets every core, the next one once told more."""
    from pysat.examples.hitman import Hitman

    weights = dict(enumerate(costs))
    return Hitman(bootstrap_with=[sorted(c) for c in cores], weights=weights, htype="sorted")


def _refuse(solver: Any, refused: Exclusion) -> None:
    """Tell the solver of sets that must not be taken."""
    from pysat.examples.hitman import Atom

    together, unless = refused
    solver.add_hard([*(Atom(i, sign=False) for i in sorted(together)), *(Atom(i) for i in sorted(unless))])


def _breaking(system: System, candidates: Sequence[Assumption], chosen: AssumptionSet) -> Exclusion | None:
    """Candidates that together leave a flow without any path, as few of them as can be; None if none do."""
    graph = system.graph
    if graph is None or not graph.flows:
        return None

    def breaks(some: AssumptionSet) -> bool:
        parts = [candidates[i].part for i in some]
        gone = {graph.place(part.name) for part in parts if part is not None and part in system.parts}
        return breaks_flows(graph, replace(graph, arrows=tuple(a for a in graph.arrows if a not in gone)))

    if not breaks(chosen):
        return None
    least = set(chosen)
    for i in sorted(chosen):
        if breaks(frozenset(least - {i})):
            least.discard(i)
    return frozenset(least), frozenset()


def smallest_repairs(
    board: SolvedGame, strategy: Strategy, candidates: Sequence[Assumption], trials: Trials
) -> Iterator[Repairs]:
    """All smallest repairs of a configuration that is not defensible: what is known after each, last of all.

    Args:
        board: the solved configuration.
        strategy: of the adversary, winning there.
        candidates: what may be taken away, in the order in which it is told.
        trials: solves what is left; its end of patience ends the search.
    """
    base = SolvedDesign(board.solution)
    question = LostDesign(board.configuration, tuple(candidates), trials.engine, base=base)
    serial = replace(trials.budget, jobs=1)
    search = Search(question, [1] * len(candidates), serial, max_tried=MAX_SOLVED)
    search.refusal = partial(_breaking, board.configuration.system, tuple(candidates))
    search.cores.append(core(board, strategy, board.configuration, candidates, frozenset()))
    repairs: list[AssumptionSet] = []

    def known(complete: bool, unfinished: str = "") -> Repairs:
        return Repairs(
            tuple(tuple(candidates[i].in_words() for i in sorted(c)) for c in sorted(repairs, key=sorted)),
            len(repairs[0]) if repairs else search.complete_to + 1,
            complete,
            len(candidates),
            tuple(dict.fromkeys(candidate.kind for candidate in candidates)),
            search.n_tried,
            unfinished,
        )

    unfinished = ""
    try:
        for chosen in search.repairs(cheapest=True):
            repairs.append(chosen)
            yield known(False)
    except LimitError as limit:
        unfinished = str(limit)
    yield known(not unfinished, unfinished)
