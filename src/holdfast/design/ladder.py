"""The ladder: one question asked again under standard weakenings of the defender, each a *rung*.

- ``half-speed``: the defender acts at most once in twice as many turns as now; where it has an idle action.
- ``critical-in-service``: what the requirement says must not fall must stay in service, too.
- ``one-entry-more``: the adversary holds one more place at the start, whichever.
- ``any-entry``: whichever single place the adversary starts from.
- ``one-destroy-more``, and alike for every action of which φ_A allows a number: one more of them.
- ``evictable``, and with each weakening of the model ``evictable-detect-first``: not only does it hold, the
attacker can be driven out again (:mod:`holdfast.solver.recovery`).
- ``blind``: nothing is seen by itself, as if there were no sensor (:mod:`holdfast.solver.beliefs`).
- what the model has besides, such as ``detect-first`` (:attr:`holdfast.game.system.System.weakenings`).

A rung never helps the defender: it adds a clause to φ_D, widens φ_A, or asks of further starts besides the
design's own. So a design that is lost is lost on every rung, and nothing has to be solved to say so. A
weakening that a model brings promises as much for clauses that read no move of the defender; with others it
is solved in any case. Where the adversary starts is asked of the design's own solution; every other rung is
a configuration that is solved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.design.bound import Bound, adversary_budgets
from holdfast.design.circumstances import entry_places
from holdfast.design.trials import forces
from holdfast.errors import InputError, LimitError
from holdfast.game import (
    ENTRY,
    Clause,
    Configuration,
    Displayed,
    Graph,
    Position,
    Sight,
    System,
    admissible_moves,
    clause,
    counted,
    critical_nodes,
    has_chance,
    idle_actions,
    listed,
    with_sensors,
)
from holdfast.logic import Did, Player, walk
from holdfast.readings import EVICTED, Gate
from holdfast.solver import Restriction, Solution, rank, restricted, solve, solve_beliefs

HALF_SPEED, IN_SERVICE = "half-speed", "critical-in-service"
EVICTABLE, BLIND = "evictable", "blind"
ONE_ENTRY, ANY_ENTRY = "one-entry-more", "any-entry"

OUT_OF_SERVICE = frozenset({"apart", "gone"})
"""Tones of a graph."""

MAX_NAMED = 4
"""Names that a rung has room for."""

GATED = "ladder:"
"""How the name of a gate on a rung begins."""


WeakerDesign = Callable[[Budget], Configuration]
"""What makes the configuration that a rung asks about."""

WeakerSolutions = dict[WeakerDesign, Solution]
"""Weaker designs that have been solved."""


@dataclass(frozen=True)
class Rung:
    """A weakening of one design.

    Attributes:
        key, words: its name, and what it asks.
        changed: the configuration that it asks about; None for one that is asked of further starts.
        starts: further positions to start from, each by the name of a place.
        harder: whether it certainly never helps the defender.
        goal: what the defender must be able to force besides; empty for nothing.
        sight: what the defender sees; None for everything.
    """

    key: str
    words: str
    changed: WeakerDesign | None = None
    starts: tuple[tuple[str, Position], ...] = ()
    harder: bool = True
    goal: str = ""
    sight: Sight | None = None


@dataclass(frozen=True)
class RungVerdict:
    """What came of a rung.

    Attributes:
        rung, words: its name, and what it asks.
        defensible: whether the design holds there; None where a limit came first.
        within: where it falls, within how many moves of both sides; None where that was not worked out.
        start: where the adversary then starts, of several starts the one that is lost soonest.
        begins: the first move of an attack.
        note: why it is not decided; else empty.
    """

    rung: str
    words: str
    defensible: bool | None
    within: int | None = None
    start: str = ""
    begins: str = ""
    note: str = ""


@dataclass(frozen=True)
class Ladder(Displayed):
    """A design on all rungs that make sense for it.

    Attributes:
        name, variant: the design.
        defensible: its verdict without any weakening.
        rungs: in their usual order.
        reached: weakenings that the design has already, of which its own verdict speaks.
    """

    name: str
    variant: str | None
    defensible: bool
    rungs: tuple[RungVerdict, ...]
    reached: tuple[str, ...] = ()

    def __getitem__(self, rung: str) -> RungVerdict:
        """The verdict on a rung.

        Raises:
            InputError: for a rung that makes no sense for the design.
        """
        for verdict in self.rungs:
            if verdict.rung == rung:
                return verdict
        if rung in self.reached:
            return RungVerdict(rung, "the design has it already", self.defensible)
        known = [verdict.rung for verdict in self.rungs] + [*self.reached]
        raise InputError(
            f'there is no rung "{rung}" for {self.variant or self.name or "this design"}; '
            f"{'it has ' + ', '.join(known) if known else 'it has none'}"
        )


def ladder_of(
    solution: Solution,
    engine: str = "auto",
    budget: Budget = UNLIMITED,
    *,
    only: Collection[str] | None = None,
    evictable: bool | None = None,
) -> Ladder:
    """A solved design on each rung of its ladder, or on some; a rung that a limit stops is left undecided.

    Whether it is ``evictable`` may be known already.

    >>> from holdfast import configure, network_system, solve
    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW")
    >>> found = ladder_of(solve(configure(system, ["G (DB != Z)"], ["G (times(destroy) <= 1)"])))
    >>> [verdict.rung for verdict in found.rungs if verdict.defensible]
    ['half-speed', 'one-destroy-more', 'evictable', 'blind']
    >>> print(fall_of(found["detect-first"]))
    falls within 3 moves, beginning with spread(DB)
    """
    configuration = solution.configuration
    known: dict[str, RungVerdict] = {}
    weaker: WeakerSolutions = {}
    offered = [rung for rung in rungs(configuration, budget) if only is None or rung.key in only]
    # What needs no solving comes first, so that a limit costs as little as it can.
    for n_done, rung in enumerate(sorted(offered, key=lambda one: one.changed is not None)):
        share = budget.share(1 / (len(offered) - n_done)).part(rung.key)
        stays = EVICTABLE in known and known[EVICTABLE].defensible is False
        if rung.key == EVICTABLE and evictable is not None:
            known[rung.key] = RungVerdict(rung.key, rung.words, evictable)
        else:
            hopeless = stays and rung.harder
            known[rung.key] = rung_verdict(solution, rung, engine, share, weaker, hopeless=hopeless)
    weakenings = configuration.system.weakenings
    return Ladder(
        configuration.name,
        configuration.variant,
        solution.defensible,
        tuple(known[rung.key] for rung in offered),
        tuple(key for key, weakening in weakenings.items() if weakening.system is None),
    )


def ladder_object(ladder: Ladder) -> list[dict[str, Any]]:
    """A ladder as plain data for JSON: an entry for each rung."""
    return [asdict(verdict) for verdict in ladder.rungs]


def rung_gates(ladder: Ladder, required: Iterable[str]) -> tuple[Gate, ...]:
    """For each rung that a design is held to, whether it reaches it.

    Raises:
        InputError: for a rung that makes no sense for the design.
    """
    return tuple(_gate(ladder[rung]) for rung in dict.fromkeys(required))


def _gate(verdict: RungVerdict) -> Gate:
    holds = verdict.defensible
    return Gate(
        GATED + verdict.rung,
        1.0,
        None if holds is None else float(holds),
        met=bool(holds),
        undecided=holds is None,
        reading="not decided" if holds is None else "holds" if holds else fall_of(verdict),
        asked=f"ladder {verdict.rung}",
    )


def fall_of(verdict: RungVerdict) -> str:
    """How a design falls on a rung, in a few words."""
    if verdict.within is None:
        return "falls"
    soon = f"falls within {counted(verdict.within, 'move')}" if verdict.within else "violated at the start"
    where = f" from {verdict.start}" if verdict.start else ""
    return soon + where + (f", beginning with {verdict.begins}" if verdict.begins else "")


# -- the verdict on a rung --------------------------------------------------------------------------


def rung_verdict(
    solution: Solution,
    rung: Rung,
    engine: str,
    budget: Budget,
    weaker: WeakerSolutions | None = None,
    *,
    hopeless: bool = False,
) -> RungVerdict:
    """What comes of one of the rungs of a solved design; undecided where a limit comes first.

    Two rungs may ask about one weaker design: it is solved once if both are given the same ``weaker``. Where
    it is ``hopeless`` to reach the goal of a rung, since the design itself cannot, nothing is solved for it.
    """
    if not solution.defensible and rung.harder:
        return RungVerdict(rung.key, rung.words, False)
    try:
        budget.tick()
        if rung.sight is not None:
            return RungVerdict(rung.key, rung.words, solve_beliefs(solution, rung.sight, budget).defensible)
        if rung.goal:
            if hopeless and rung.changed is not None and rung.changed not in (weaker or {}):
                return RungVerdict(rung.key, rung.words, False)
            return _recovering(solution, rung, engine, budget, weaker, hopeless)
        if rung.changed is None:
            return _from_starts(solution, rung, budget)
        solved = _weakened(rung.changed, engine, budget, weaker)
    except LimitError as limit:
        return RungVerdict(rung.key, rung.words, None, note=str(limit))
    begins = _first_move(solved, solved.configuration.initial)
    return RungVerdict(rung.key, rung.words, solved.defensible, solved.initial_rank, begins=begins)


def _weakened(changed: WeakerDesign, engine: str, budget: Budget, known: WeakerSolutions | None) -> Solution:
    if known is None:
        return solve(changed(budget), engine, budget)
    if changed not in known:
        known[changed] = solve(changed(budget), engine, budget)
    return known[changed]


def _recovering(
    solution: Solution,
    rung: Rung,
    engine: str,
    budget: Budget,
    weaker: WeakerSolutions | None,
    hopeless: bool,
) -> RungVerdict:
    solved = solution if rung.changed is None else _weakened(rung.changed, engine, budget, weaker)
    if not solved.defensible:
        return RungVerdict(rung.key, rung.words, False, solved.initial_rank)
    # Where nobody is inside at the start, what counts is that whoever comes in can be got out.
    holds = not hopeless and forces(solved, rung.goal, budget)
    return RungVerdict(rung.key, rung.words, holds)


def _from_starts(solution: Solution, rung: Rung, budget: Budget) -> RungVerdict:
    worst: tuple[int, str, Position] | None = None
    for name, position in rung.starts:
        budget.tick()
        soon = rank(solution, position)
        if soon is not None and (worst is None or soon < worst[0]):
            worst = soon, name, position
    if worst is None:
        return RungVerdict(rung.key, rung.words, True)
    soon, name, position = worst
    return RungVerdict(rung.key, rung.words, False, soon, name, _first_move(solution, position))


def _first_move(solution: Solution, position: Position) -> str:
    """The adversary's first move towards a violation; empty where it does not move, or need not."""
    here = rank(solution, position)
    if not here or position.turn is not Player.ADVERSARY:
        return ""
    moves = admissible_moves(solution.configuration, position)
    soon = ((action, rank(solution, after)) for action, after in moves.items())
    chosen = next((action for action, left in soon if left is not None and left < here), None)
    actions = solution.configuration.game.actions[Player.ADVERSARY]
    return "" if chosen is None else actions[chosen].name


# -- the rungs of a design --------------------------------------------------------------------------


def rungs(configuration: Configuration, budget: Budget = UNLIMITED) -> tuple[Rung, ...]:
    """The rungs that make sense for a configuration, in their usual order."""
    starts = {rung.key: rung for rung in _entries(configuration)}
    weaker = tuple(_of_model(configuration))
    return (
        *weaker,
        *_half_speed(configuration, budget),
        *_in_service(configuration),
        *(starts[key] for key in (ONE_ENTRY,) if key in starts),
        *_more_actions(configuration),
        *(starts[key] for key in (ANY_ENTRY,) if key in starts),
        *_evictable(configuration, weaker),
        *_blind(configuration),
    )


def _of_model(configuration: Configuration) -> Iterator[Rung]:
    """What the model has of its own."""
    harder = not reads_defender(configuration)
    for key, weakening in configuration.system.weakenings.items():
        if (weaker := weakening.system) is not None:
            yield Rung(key, weakening.words, partial(_in_system, configuration, weaker), harder=harder)


def _evictable(configuration: Configuration, weaker: Iterable[Rung]) -> Iterator[Rung]:
    """That the attacker can be got out, as the design is and as its model weakens it."""
    if EVICTED in configuration.goals:
        words = "the attacker can be driven out again"
        yield Rung(EVICTABLE, words, goal=EVICTED)
        for rung in weaker:
            both = f"{words} where {rung.words}"
            yield Rung(f"{EVICTABLE}-{rung.key}", both, rung.changed, harder=rung.harder, goal=EVICTED)


def _blind(configuration: Configuration) -> Iterator[Rung]:
    """That no sensor is needed."""
    sight = configuration.system.sight
    can = not has_chance(configuration.game, None if sight is not None and sight.noticed else Player.DEFENDER)
    if sight is not None and sight.sensors and can:
        words = "nothing is visible by itself: a compromised host looks clean until somebody checks it"
        if configuration.system.graph is None or configuration.system.graph.noun != "host":
            words = "nothing is seen that only a sensor shows"
        yield Rung(BLIND, words, sight=with_sensors(sight, ()))


def _in_system(configuration: Configuration, system: Callable[[], System], budget: Budget) -> Configuration:
    return replace(configuration, system=system(), budget=budget)


def reads_defender(configuration: Configuration) -> bool:
    """Whether a clause of either side, other than those of the model, speaks of the defender's moves."""
    clauses = (*configuration.requirement, *configuration.boundary)
    atoms = (atom for each in clauses for atom in each.automaton.atoms)
    moves = (part.moves for atom in atoms for part in walk(atom) if isinstance(part, Did))
    return any(player is Player.DEFENDER for some in moves for player, _ in some)


def _half_speed(configuration: Configuration, budget: Budget) -> Iterator[Rung]:
    try:
        offered = bool(idle_actions(configuration.game, budget))
    except LimitError:  # it is met again, and told, where the rung is asked
        offered = True
    if offered:
        turns = 2 * configuration.system.defender_tempo
        words = f"the defender acts at most once in {turns} turns"
        slow = Restriction("tempo", turns)
        yield Rung(HALF_SPEED, words, partial(restricted, configuration, slow))


def _in_service(configuration: Configuration) -> Iterator[Rung]:
    graph = configuration.system.graph
    out = {} if graph is None else _out_of_service(configuration, graph)
    if graph is not None and out:
        some = list(out) if len(out) <= MAX_NAMED else [f"{len(out)} critical {graph.noun}s"]
        words = f"{listed(some)} must stay in service"
        formula = f"G ({' & '.join(out.values())})"

        def asked(budget: Budget) -> Configuration:
            added = clause(formula, configuration.system.vocabulary, budget)
            return replace(configuration, requirement=(*configuration.requirement, added), budget=budget)

        yield Rung(IN_SERVICE, words, asked)


def _out_of_service(configuration: Configuration, graph: Graph) -> dict[str, str]:
    """For each critical node that can be taken out of service, the predicate that it is not."""
    values = {variable.name: variable.values for variable in configuration.game.variables}
    variables = {node.name: node.variable for node in graph.nodes}
    kept = {}
    for name in critical_nodes(graph, configuration.defender):
        out = [str(v) for v in values[variables[name]] if graph.tones.get(str(v)) in OUT_OF_SERVICE]
        if any(graph.tones[value] == "apart" for value in out):
            kept[name] = f"{variables[name]} not in {{{', '.join(out)}}}"
    return kept


def _entries(configuration: Configuration) -> Iterator[Rung]:
    """Other places from which the adversary may start; the design's own start is asked of its verdict."""
    system, graph = configuration.system, configuration.system.graph
    if system.started is None or graph is None:
        return
    own = graph.marked(ENTRY)
    others = [name for name in entry_places(configuration) if name not in own]
    if not others:
        return

    def positions(starts: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[tuple[str, Position], ...]:
        assert system.started is not None
        first = configuration.game.first
        return tuple((name, configuration.start(system.started(held), first)) for name, held in starts)

    more = f"the adversary holds one more {graph.noun} at the start, whichever"
    yield Rung(ONE_ENTRY, more, starts=positions([(name, (*own, name)) for name in others]))
    singles = [*(own if len(own) > 1 else ()), *others]
    anywhere = f"whichever {graph.noun} the adversary starts from"
    yield Rung(ANY_ENTRY, anywhere, starts=positions([(name, (name,)) for name in singles]))


def _more_actions(configuration: Configuration) -> Iterator[Rung]:
    """One more of each kind of action that φ_A allows a number of."""
    kinds: dict[str, list[Bound]] = {}
    for kind, bound in adversary_budgets(configuration):
        kinds.setdefault(kind, []).append(bound)
    for kind, bounds in kinds.items():
        raised = listed([bound.text((bound.value or 0) + 1) for bound in bounds])
        wider = partial(_raised, configuration, bounds)
        yield Rung(f"one-{kind}-more", f"one {kind} more: {raised}", wider)


def _raised(configuration: Configuration, bounds: Iterable[Bound], budget: Budget) -> Configuration:
    boundary = list(configuration.boundary)
    for bound in bounds:
        wider = bound.automaton((bound.value or 0) + 1)
        boundary[bound.clause] = Clause(wider, wider.source)
    return replace(configuration, boundary=tuple(boundary), budget=budget)
