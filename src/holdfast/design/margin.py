"""Margins: how far each number of the specifications can be moved before the verdict changes.

Making φ_D smaller or φ_A larger never helps the defender (prop:refinement), so along one number the verdict
changes at most once, and a bisection finds where. It ends where the number decides nothing more: a
threshold past the values of its term; a budget that is not there at all, since if the adversary wins within
r moves without it, r + 1 units are as good as any number of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from holdfast.design.bound import Bound
from holdfast.design.trials import Trials
from holdfast.errors import InputError, LimitError
from holdfast.game import Clause
from holdfast.logic import Player, SafetyAutomaton, is_empty
from holdfast.solver import Solution, rank

GALLOP = 7
"""Doublings of the step with which a number without an end is followed."""


@dataclass(frozen=True)
class Margin:
    """How far one number can be moved.

    Attributes:
        side, clause: where it stands; ``clause`` is empty for a limit that is not there.
        bound, value: as it stands; without a limit, ``value`` is None.
        holds: the bound at the hardest number that is defensible; None if none is or if all are.
        fails: the bound at the next harder number; None likewise.
        fails_within: within how many moves the adversary then wins; 0 if the start violates already.
        strictest: whether ``holds`` is as strict as the clause can be: the next number nothing satisfies.
        always, never: whether it is defensible at every number, at no number.
        note: why the number was not moved, or not far enough; else empty.
    """

    side: str
    clause: str
    bound: str
    value: int | None
    holds: str | None = None
    fails: str | None = None
    fails_within: int | None = None
    strictest: bool = False
    always: bool = False
    never: bool = False
    note: str = ""


def margins(solution: Solution, numbers: Iterable[Bound], trials: Trials) -> tuple[Margin, ...]:
    """The margin of each number; one that a limit stops says so in its note."""
    return tuple(_margin(solution, bound, trials) for bound in numbers)


def _margin(solution: Solution, bound: Bound, trials: Trials) -> Margin:
    shown = bound.text() if bound.value is not None else bound.text("k")
    margin = Margin(str(bound.side), bound.source, shown, bound.value)
    try:
        search = _Along(solution, bound, trials)
        return _outward(margin, search) if solution.defensible else _inward(margin, search)
    except LimitError as limit:
        return replace(margin, note=str(limit))
    except InputError as error:
        return replace(margin, note=f"it could not be varied: {error}")


class _Along:
    """The verdict at each number: None where it is defensible, else the rank of v₀."""

    def __init__(self, solution: Solution, bound: Bound, trials: Trials) -> None:
        self.configuration, self.bound, self.trials = solution.configuration, bound, trials
        self.unchanged = solution.initial_rank
        self.known: dict[int, int | None] = {} if bound.value is None else {bound.value: self.unchanged}

    def rank(self, k: int) -> int | None:
        if k not in self.known:
            self.known[k] = self.solved([self.bound.automaton(k)])
        return self.known[k]

    def solved(self, instead: Sequence[SafetyAutomaton] = ()) -> int | None:
        """The verdict with other clauses in the place of the bound's; with none, it is left out."""
        c, clause = self.configuration, self.bound.clause
        is_requirement = self.bound.side is Player.DEFENDER
        side = c.requirement if is_requirement else c.boundary
        changed = (*side[:clause], *(Clause(a, a.source) for a in instead), *side[clause + 1 :])
        if changed == side:
            return self.unchanged
        edited = replace(c, requirement=changed) if is_requirement else replace(c, boundary=changed)
        return rank(self.trials.solve(edited), edited.initial)

    def between(self, holds: int, fails: int) -> tuple[int, int]:
        """Neighbouring numbers of which the first is defensible and the second is not."""
        while abs(fails - holds) > 1:
            middle = (holds + fails) // 2
            if self.rank(middle) is None:
                holds = middle
            else:
                fails = middle
        return holds, fails

    def gallop(self, start: int, step: int, end: int | None) -> tuple[int, int | None]:
        """In steps that double, the last number with the verdict of ``start`` and the first without it.

        The answer is mostly near, and so is the effort: far numbers are other games. The second is None if
        the verdict is still the same at the end, or where there is none, after :data:`GALLOP` steps.
        """
        same, before, stride = self.rank(start) is None, start, step
        while before != end and (end is not None or abs(stride) < 2**GALLOP):
            k = before + stride
            if end is not None and (k - end) * step > 0:
                k = end
            if (self.rank(k) is None) != same:
                return before, k
            before, stride = k, 2 * stride
        return before, None


def _outward(margin: Margin, search: _Along) -> Margin:
    """From a defensible number to harder ones."""
    bound, value = search.bound, search.bound.value
    assert value is not None
    if bound.counter and bound.side is Player.ADVERSARY:
        unlimited = search.solved()
        if unlimited is None:
            return replace(margin, always=True)
        return _neighbours(margin, search, value, max(unlimited, value) + 1)
    end = bound.high if bound.harder > 0 else bound.low
    holds, fails = search.gallop(value, bound.harder, end)
    if fails is not None:
        return _neighbours(margin, search, holds, fails)
    if end is not None:
        return replace(margin, always=True)
    return replace(margin, holds=bound.text(holds), note="harder numbers were not tried")


def _inward(margin: Margin, search: _Along) -> Margin:
    """From a number that is not defensible, or from no limit at all, to easier ones."""
    bound, value = search.bound, search.bound.value
    end = bound.low if bound.harder > 0 else bound.high
    if value is None:
        assert end is not None
        unlimited = search.solved()
        assert unlimited is not None
        if search.rank(end) is not None:
            return replace(margin, never=True)
        return _neighbours(margin, search, end, unlimited + 1)
    if end is None and bound.side is Player.DEFENDER and search.solved() is not None:
        return replace(margin, never=True)
    fails, holds = search.gallop(value, -bound.harder, end)
    if holds is not None:
        return _neighbours(margin, search, holds, fails)
    if end is not None:
        return replace(margin, never=True)
    return replace(margin, fails=bound.text(fails), note="easier numbers were not tried")


def _neighbours(margin: Margin, search: _Along, holds: int, fails: int) -> Margin:
    holds, fails = search.between(holds, fails)
    text = search.bound.text
    if search.bound.side is Player.DEFENDER and is_empty(search.bound.automaton(fails)):
        return replace(margin, holds=text(holds), strictest=True)
    return replace(margin, holds=text(holds), fails=text(fails), fails_within=search.rank(fails))
