"""A defense that uses only what is seen, as a machine with as little memory as is found easily.

The search for a defense (:mod:`holdfast.solver.beliefs`) ends with stances, one for each belief. What a
defender must keep in mind is less: whether two stances ever ask for different moves. A :class:`Controller`
has *phases* instead. In a round the defender moves, sees what came of it, and sees what the adversary's move
changed; by all that it saw, and by the phase it was in, it knows its next move and its next phase.

Two stances may share a phase if they agree on every round that both may see: on the next move, and on
stances that may share a phase. What only one of them may see is free. To find the fewest phases is NP-hard
(Pfleeger 1973, for machines that are not defined everywhere). Here each stance, in the order in which play
comes to it, joins the first phase that it may share, and else starts one. Every play under the stances is one
under the phases and the other way round, move for move, so that nothing has to be proved again.

Play begins in the first phase. What is seen before the defender's first move counts as a round of which the
first half looks as the start does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import LimitError
from holdfast.game import Configuration, Position, Recalled, Sight
from holdfast.logic import Reader, reader
from holdfast.solver.beliefs import BeliefSolution, Look

Round = tuple[int, Look]
"""What is seen in a round: after the defender's move, and after the adversary's."""


class Decision(NamedTuple):
    """What to do next, and the phase that this begins."""

    action: int
    phase: int


@dataclass(frozen=True)
class Controller:
    """A machine that defends by what it sees.

    Attributes:
        phases: for each phase, by what is seen in the round that it began, the next decision.
        initial: what the start looks like.
        n_stances: how many stances it was made of.
    """

    phases: tuple[dict[Round, Decision], ...] = field(repr=False)
    initial: int
    n_stances: int

    @property
    def actions(self) -> tuple[int, ...]:
        """The numbers of the actions that it ever takes, ascending."""
        return tuple(sorted({decision.action for phase in self.phases for decision in phase.values()}))

    def first(self, look: Look) -> Decision:
        """The first decision, by what is seen before it."""
        return self.phases[0][self.initial, look]


def controller(answer: BeliefSolution, budget: Budget = UNLIMITED) -> Controller:
    """The defense that was found, with few phases; past the budget, with as many as there are by then.

    ``answer`` must be that of a design that is held by what is seen.
    """
    merged = _Phases(answer, budget)
    numbers = {root: n for n, root in enumerate(merged.settled)}

    def decision(stance: int) -> Decision:
        return Decision(answer.stances[stance].action, numbers[merged.root(stance)])

    phases = tuple(
        {seen: decision(after) for seen, after in sorted(merged.tables[root].items())}
        for root in merged.settled
    )
    return Controller(phases, merged.initial, len(answer.stances))


def looker(configuration: Configuration, sight: Sight) -> Callable[[Position], int]:
    """A function that gives what is seen of a position: a bit for each thing, the first one lowest."""
    bits: list[Callable[[Position], bool]] = []
    for part in sight.seen:
        if isinstance(part, Recalled):
            bits.append(partial(_recalls, configuration.defender.index(part.clause.automaton), part.states))
        else:
            bits.append(partial(_holds, reader(part, configuration.game.places)))
    return lambda position: sum(bit(position) << n for n, bit in enumerate(bits))


def _recalls(clause: int, states: frozenset[int], position: Position) -> bool:
    return position.q_defender[clause] in states


def _holds(read: Reader, position: Position) -> bool:
    return bool(read(position.state))


class _Phases:
    """Stances, those that share a phase in one class."""

    def __init__(self, answer: BeliefSolution, budget: Budget) -> None:
        self.moves = [stance.action for stance in answer.stances]
        self.initial = looker(answer.configuration, answer.sight)(answer.configuration.initial)
        before = {(self.initial, look): stance for look, stance in answer.start.items()}
        self.tables = [*(dict(stance.after) for stance in answer.stances), before]
        self.parent = list(range(len(self.tables)))
        first, in_time = len(self.moves), True
        self.settled: dict[int, None] = {first: None}
        for stance in range(first):
            if self.root(stance) == stance:
                in_time = in_time and _in_time(budget, len(self.settled))
                if not (in_time and any(self._joined(phase, stance) for phase in self.settled)):
                    self.settled[stance] = None

    def root(self, stance: int) -> int:
        """The stance that stands for the class of one."""
        while self.parent[stance] != stance:
            stance = self.parent[stance]
        return stance

    def _joined(self, phase: int, stance: int) -> bool:
        """Put a stance, and what follows from that, into a phase; leave all as it is if that cannot be."""
        pairs, undo = [(phase, stance)], list[tuple[int, int, list[Round]]]()
        while pairs:
            one, other = (self.root(each) for each in pairs.pop())
            if one == other:
                continue
            if other in self.settled:
                one, other = other, one
            if other in self.settled:  # each was a phase of its own before
                self._take_back(undo)
                return False
            added: list[Round] = []
            kept, joining = self.tables[one], self.tables[other]
            self.parent[other] = one
            undo.append((one, other, added))
            for seen, after in joining.items():
                if seen not in kept:
                    kept[seen] = after
                    added.append(seen)
                elif self.moves[kept[seen]] == self.moves[after]:
                    pairs.append((kept[seen], after))
                else:
                    self._take_back(undo)
                    return False
        return True

    def _take_back(self, undo: list[tuple[int, int, list[Round]]]) -> None:
        for one, other, added in reversed(undo):
            self.parent[other] = other
            for seen in added:
                del self.tables[one][seen]


def _in_time(budget: Budget, n_phases: int) -> bool:
    try:
        budget.tick(f"{n_phases:,} phases")
    except LimitError:
        return False
    return True
