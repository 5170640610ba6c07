"""What a solved design tolerates besides: large sets of additions none of which, in any company, breaks it.

A search for breakers learns from each set that breaks nothing: no breaker is a part of it. The larger the
set, the more is learned, so it is *grown*.

*By an invariant.* W is closed under the adversary's moves. An addition that only lets one of its actions do
more, such as a link, adds moves; if all that start in W end in W, then W proves the design with the addition
as well, and with any number of such additions, since each is looked at by itself. What an action leads out of
W is found once for all the additions that open it. A goal that can be forced stays one if besides one defense
that forces it meets none of the new moves (:mod:`~holdfast.design.defense`); where that defense has too many
positions, if the new moves lead down the ranks of the proof. More entries are tolerated as long as the play
also starts in W, or where that defense goes on, from any choice of them that is cheap enough to be asked
about.

*By solving.* If additions that never help the defender are tolerated together, so is every part of them.
Halves are tried, and halves of those that break, a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import combinations
from math import log2
from operator import or_

from holdfast.budget import Budget
from holdfast.design.additions import LINK, Fragile
from holdfast.design.cores import AssumptionSet
from holdfast.design.defense import FollowedDefense, followed_defense
from holdfast.design.properties import HELD, KeptProperty, Property
from holdfast.design.trials import SolvedDesign, Trials
from holdfast.errors import InputError, LimitError
from holdfast.game import ENTRY, Action, Configuration, Position
from holdfast.logic import Expression, Member, Player, walk
from holdfast.solver import (
    Opened,
    PositionSet,
    Solution,
    SolvedGame,
    can_be_weakened,
    holds_weakened,
    recovery_layers,
    winning_positions,
    work_on_sets,
)

MOST_STARTS = 20_000
"""Starts that are looked at to tolerate entries."""

STEPS = 20_000
"""Steps for which additions that are left over are tried together, before each is tried alone."""

STEPS_OF_ATTRACTION = 1_000
"""Steps for which it is asked what a set of additions draws in, before its halves are asked about."""

WHAT = "what the design tolerates"


@dataclass(frozen=True)
class BreakerQuestion:
    """What is asked of sets of additions.

    Attributes:
        design: the design with what could be added.
        kept: what is to be kept.
        max_cost: up to which breakers are looked for.
        uncertain: additions for which the defender may be better off.
        base: the design, solved.
    """

    design: Fragile
    kept: KeptProperty
    max_cost: int
    uncertain: AssumptionSet = frozenset()
    base: SolvedDesign = field(default_factory=SolvedDesign, compare=False, repr=False)


def tolerated_sets(
    question: BreakerQuestion, solution: Solution, budget: Budget, tolerated: Collection[str] = ()
) -> Iterator[AssumptionSet]:
    """Sets that a design tolerates, of which no part breaks anything within the cost asked for.

    Of those that are said to be ``tolerated``, by their names, each alone is.

    Where only single additions are asked about, those that are left over are tried by themselves: a design
    with all of a large number of additions can take far longer than one with a few.
    """
    design, nothing = question.design, frozenset[int]()
    if min(design.costs) * 2 <= question.max_cost or not isinstance(question.kept, Property):
        yield grown(question, solution, nothing, budget)
        return
    known = frozenset(i for i, each in enumerate(design.additions) if each.text in tolerated)
    known -= question.uncertain
    inside = known | frozenset(_by_invariant(question, solution, known, budget))
    yield inside
    rest = [i for i in range(len(design.additions)) if i not in inside | question.uncertain]
    alone = set[int]()
    try:
        limited = budget.within(STEPS)
        for some, _ in _by_solving(question, nothing, rest, limited, apart=True):
            alone |= some
            yield some
    except LimitError:
        budget.tick()  # of the whole time there may be some left
    if question.kept == HELD and can_be_weakened(solution):
        weakened = _weakenings(question, solution, [i for i in rest if i not in alone])
        for some in _by_attraction(solution, weakened, budget):
            alone |= some
            yield inside | alone  # of which no two are asked about together


def grown(
    question: BreakerQuestion, solution: Solution, chosen: AssumptionSet, budget: Budget
) -> AssumptionSet:
    """A set with a chosen one that is tolerated, of which no part breaks anything within the cost asked for.

    Args:
        question: what is asked.
        solution: the design with the chosen additions, which has what is to be kept.
        chosen: a set of which no part breaks anything either.
        budget: time.
    """
    additions, doubtful = question.design.additions, chosen & question.uncertain
    if doubtful and (question.kept != HELD or not all(additions[i].place for i in doubtful)):
        return chosen  # what holds with them says nothing of parts without them
    inside = chosen | frozenset(_by_invariant(question, solution, chosen, budget))
    if doubtful:
        return inside
    rest = [i for i in range(len(additions)) if i not in inside | question.uncertain]
    sets = list(_by_solving(question, inside - question.uncertain, rest, budget))
    if not sets:
        return inside
    larger, last = sets[-1]
    return larger | frozenset(_by_invariant(question, last, larger, budget))


def _by_solving(
    question: BreakerQuestion, inside: AssumptionSet, rest: list[int], budget: Budget, *, apart: bool = False
) -> Iterator[tuple[AssumptionSet, Solution]]:
    """Larger and larger sets that are tolerated, each with the design with all of it.

    Args:
        question: what is asked.
        inside: what is tolerated already, and in every one of the sets.
        rest: what may come in.
        budget: time.
        apart: whether each set is tried without what others have brought in; one addition alone is left out.
    """
    trials = Trials(question.design.engine, budget, question.base)
    waiting = [rest] if rest else []
    patience = 2 + int(2 * log2(len(rest) + 1))
    while waiting and trials.n_solved < patience:
        some = waiting.pop()
        try:
            solution = trials.solve(question.design.extended(inside | set(some)))
            tolerated = question.kept.holds(solution, budget)
        except InputError:  # they do not go together
            tolerated = False
        if tolerated:
            yield inside | set(some), solution
            inside = inside if apart else inside | set(some)
        elif len(some) > (3 if apart else 1):
            waiting += [some[: len(some) // 2], some[len(some) // 2 :]]


# -- by what is drawn in ----------------------------------------------------------------------------

OpenedAndClosed = tuple[tuple[Opened, ...], tuple[int, ...]]
"""What an addition opens to the adversary, and the actions of the defender that it takes away."""


def _weakenings(
    question: BreakerQuestion, solution: Solution, among: Collection[int]
) -> dict[int, OpenedAndClosed]:
    """The additions of some that only open or close moves, with these."""
    game, additions = solution.configuration.game, question.design.additions
    opening, lacking = (
        {a.name: n for n, a in enumerate(game.actions[p])} for p in (Player.ADVERSARY, Player.DEFENDER)
    )
    found: dict[int, OpenedAndClosed] = {}
    for i in _openings(question, solution, frozenset()):
        action, when = additions[i].opens or (None, None)
        assert action is not None and when is not None
        found[i] = ((opening[action.name], action, when),), ()
    for i in among:
        if additions[i].closes in lacking:
            found[i] = (), (lacking[additions[i].closes],)
    return {i: found[i] for i in among if i in found}


def _by_attraction(
    solution: Solution, weakenings: Mapping[int, OpenedAndClosed], budget: Budget
) -> Iterator[AssumptionSet]:
    """Sets of additions that are tolerated together, by what they draw in; of others, their halves."""
    waiting = [list(weakenings)] if weakenings else []
    while waiting:
        some = waiting.pop()
        opened = [each for i in some for each in weakenings[i][0]]
        closed = [number for i in some for number in weakenings[i][1]]
        try:
            limited = budget.within(STEPS_OF_ATTRACTION)
            tolerated = holds_weakened(solution, opened, closed, limited)
        except LimitError:
            budget.tick()
            tolerated = False
        if tolerated:
            yield frozenset(some)
        elif len(some) > 1:
            waiting += [some[: len(some) // 2], some[len(some) // 2 :]]


# -- by an invariant ---------------------------------------------------------------------------------


def _by_invariant(
    question: BreakerQuestion, solution: Solution, chosen: AssumptionSet, budget: Budget
) -> Iterator[int]:
    """The additions under which what proves the solution stays a proof, all of them together."""
    kept = question.kept
    if not isinstance(kept, Property) or kept.sight:
        return
    sets = _descent(solution, kept.goal, budget)
    if sets is None:
        return
    follow = partial(_followed, SolvedGame(solution), kept.goal, budget)
    defense = follow(solution.configuration.initial) if kept.goal else None
    if defense is None:
        good = reduce(or_, [among for among, _ in sets[1:]]) if len(sets) > 1 else sets[0][0]
        yield from _opened(question, solution, chosen, sets, budget)
        yield from _entries(question, solution, chosen, good.__contains__, budget)
        return
    additions = question.design.additions
    closed = (
        _openings(question, solution, chosen)
        if defense.lasting
        else _opened(question, solution, chosen, sets[:1], budget)
    )
    inside = [i for i in closed if not defense.is_touched_by(additions[i])]
    yield from inside

    def is_good(start: Position) -> bool:
        other = follow(start)
        if other is None or (defense.lasting and not other.lasting):
            return False
        return not any(other.is_touched_by(additions[i]) for i in inside)

    yield from _entries(question, solution, chosen, is_good, budget)


def _followed(board: SolvedGame, goal: str, budget: Budget, start: Position) -> FollowedDefense | None:
    """The defense from a start by the ranks of the proof for v₀; None where it cannot be followed."""
    proof = recovery_layers(board.solution, goal).proof(board.initial, budget)
    return followed_defense(board, proof, start, budget)


def _opened(
    question: BreakerQuestion,
    solution: Solution,
    chosen: AssumptionSet,
    sets: Sequence[tuple[PositionSet, PositionSet]],
    budget: Budget,
) -> Iterator[int]:
    """The additions that open moves of which none leaves one of some sets as it must not."""
    numbers = {a.name: n for n, a in enumerate(solution.configuration.game.actions[Player.ADVERSARY])}
    leaks: dict[Action, PositionSet] = {}
    for i in _openings(question, solution, chosen):
        action, when = question.design.additions[i].opens or (None, None)
        assert action is not None and when is not None
        if action not in leaks:
            budget.tick(WHAT)
            work = partial(_leaking, sets, numbers[action.name], action)
            leaks[action] = work_on_sets(solution, WHAT, work)
        if not _meets(solution, leaks[action], when):
            yield i


def _openings(question: BreakerQuestion, solution: Solution, chosen: AssumptionSet) -> Iterator[int]:
    """The additions that only let an action of the adversary do more."""
    game = solution.configuration.game
    names = {action.name for action in game.actions[Player.ADVERSARY]}
    for i, each in enumerate(question.design.additions):
        if each.opens is None or i in chosen or (each.kind == LINK and question.design.carries_more):
            continue
        action, when = each.opens
        if action.name in names and _variables(when) <= game.places.keys():
            yield i  # else one of the chosen additions took away what it is about


def _descent(solution: Solution, goal: str, budget: Budget) -> list[tuple[PositionSet, PositionSet]] | None:
    """Sets of positions, each with where the adversary must not leave it for; None without such a proof.

    The first is W.
    """
    winning = winning_positions(solution)
    sets = [(winning, ~winning)]
    if goal:
        proof = recovery_layers(solution, goal).proof(solution.configuration.initial, budget)
        if proof.trap is not None or len(proof.ranks) < 2:
            return None  # at the goal already: it must be met again and again
        below = proof.ranks[0]
        for ranked in proof.ranks[1:]:
            sets.append((ranked, ~below))
            below = below | ranked
    return sets


def _leaking(sets: Iterable[tuple[PositionSet, PositionSet]], number: int, action: Action) -> PositionSet:
    """From where an action, done as largely as can be, would break a proof."""
    parts = [away.pre_as(number, action, among.at(Player.ADVERSARY), unsafe=True) for among, away in sets]
    return reduce(or_, parts)


def _variables(expression: Expression) -> set[str]:
    """The variables that an expression reads."""
    return {part.variable.name for part in walk(expression) if isinstance(part, Member)}


def _meets(solution: Solution, positions: PositionSet, states: Expression) -> bool:
    return work_on_sets(solution, WHAT, lambda: bool(positions.satisfying(states)))


def _entries(
    question: BreakerQuestion,
    solution: Solution,
    chosen: AssumptionSet,
    is_good: Callable[[Position], bool],
    budget: Budget,
) -> Iterator[int]:
    """More places where trouble may begin, in any choice of them that is cheap enough to be asked about."""
    here, additions = solution.configuration, question.design.additions
    places = [i for i, each in enumerate(additions) if each.place and i not in chosen]
    graph = question.design.configuration.system.graph
    if graph is None or here.system.started is None or not places:
        return
    own, n_asked = graph.marked(ENTRY), 0
    tolerated = [i for i in chosen if additions[i].place]
    for i in places:
        left = question.max_cost - additions[i].cost
        starts = [(i, *some) for some in _within(question.design, tolerated, left)]
        n_asked += len(starts)
        if n_asked > MOST_STARTS:
            return
        budget.tick(WHAT)
        if all(is_good(_start(here, [*own, *(additions[j].place for j in some)])) for some in starts):
            tolerated.append(i)
            yield i


def _within(design: Fragile, some: list[int], cost: int) -> Iterator[tuple[int, ...]]:
    """The choices of some additions that cost no more than so much."""
    for size in range(len(some) + 1):
        sets = [s for s in combinations(some, size) if design.cost(s) <= cost]
        yield from sets
        if not sets:
            return


def _start(configuration: Configuration, entries: list[str]) -> Position:
    started = configuration.system.started
    assert started is not None
    return configuration.start(started(entries), configuration.game.first)
