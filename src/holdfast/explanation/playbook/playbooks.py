"""Playbooks: a strategy that people can follow, as a short list of rules that is proved to hold.

*The strategy* is read off the shield. Let v be a position of the defender in W, and Safe(v) its safe actions.
There are two styles.

**Early** acts at the first sign. What is *lost* in a state is told by terms, the gravest first
(:mod:`~holdfast.explanation.playbook.losses`): how many nodes of the picture have fallen, how many of these
nobody has noticed, and how many are not good. Let m be the least number such that the defender can keep φ_D
for ever with at most m nodes fallen at any time, and H the largest set of positions from where that can be
done: the greatest fixpoint of X ↦ W ∩ {at most m have fallen} ∩ cpre(X). Play is kept in H, and an action
*lowers* a term if it makes it less and leaves the graver ones as they are.

- Where actions that stay in H lower the number of the fallen, they are right.
- Elsewhere there is nothing to contain: the idle actions that stay in H are right, and those that lower
  another term; where there is none of either, all that stay in H.

Where such a list would be long (more than 2 :data:`MANY` rules, or play comes to more than
:data:`MAX_AT_ONCE` positions), idle actions that stay in H, and those that lower any term, are right wherever
there are some: the list then contains what it must lest more than m fall, and says so (``at_once``).

Where a picture has no good and bad values, what is lost is −μ, and H is W.

**Late** acts when it must.

- Where an idle action (:mod:`holdfast.game.interventions`) is safe, it is taken.
- Where it must act it keeps **most freedom**. The freedom of a safe action a at v is the number of actions
  that would be safe if it were the defender's turn again at once: |Safe(v')|, where v' is Succ(v, a) with the
  turn given back. The actions of most freedom are *right* at v; where no action is idle that goes for every
  position.

**To a goal** (``wanted``): get the attacker out, and hold from then on. Where v has a recovery rank k > 0
(:mod:`holdfast.solver.recovery`), the safe actions that lead to a lower rank are right; elsewhere the idle
actions that are safe or, without one, all safe actions. Every move of either side lowers the rank until the
goal is reached, so that it is reached within rank(v₀) moves, and no strategy is sooner. Where v₀ is at the
goal, play is kept where the goal can be met again and again, and ranks are counted there: whenever the
adversary forces the play away it is back within the largest of them. Every play under the rules that were
found is followed once more where play is listed, and the moves are counted (:func:`longest`).

*Where what comes of an action is drawn*, it may come to any of its outcomes, as if the adversary chose: an
action is right only if it is whichever comes. It lowers a term if some outcome does, and no outcome raises
one before it lowers any; its freedom is that of the worst outcome; it leads nearer to a goal if every outcome
does. An action that fails is thus tried again if the first rule that applies still says it.

Several actions may be right at v. The playbook may say any of them, as permissive strategies do: it is the
shorter for it. Play that takes right actions never leaves W, so every such choice keeps φ_D for ever.

*The playbook* is a decision list (:mod:`~holdfast.explanation.playbook.decision_list`): the first rule whose
conditions hold says what to do, and where none does there is a last resort, which is to do nothing wherever
some action is idle. It is exact where it matters: at every defender position that play reaches from v₀ when
the defender follows the list and the adversary does anything that φ_A admits, what it says is right. About
other positions, which cannot come up then, it promises nothing, and the rules use that too: they need not
tell apart what never occurs. Whoever left the list, or found it too late, asks the shield instead. The rules
of the early style name variables; they speak of counts only where names alone make more than :data:`MANY`
rules and counts make fewer.

*Where play is too large to be listed* it is followed as sets
(:mod:`~holdfast.explanation.playbook.set_play`). There the late style takes every safe action for right where
idling is not safe, however much freedom it keeps, and the rest holds as it does above.

*The proof* (:mod:`~holdfast.explanation.playbook.proof`) is the list together with the set of positions that
play under it reaches, an inductive invariant; :mod:`holdfast.certificates.verify` checks it without the
solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from holdfast.budget import UNLIMITED, Budget
from holdfast.design import HELD, Property, property_named
from holdfast.errors import InputError, LimitError, did_you_mean, expect
from holdfast.explanation.playbook.demonstration import ExampleMove, demonstration
from holdfast.explanation.playbook.listed_play import listed_play, longest, n_reached
from holdfast.explanation.playbook.proof import ProvedRules
from holdfast.explanation.playbook.set_play import set_play
from holdfast.explanation.playbook.strategies import (
    EarlyStrategy,
    GoalStrategy,
    LateStrategy,
    PlaybookStrategy,
    PlaybookStyle,
)
from holdfast.explanation.playbook.traits import Instruction, Trait, traits_of
from holdfast.game import Configuration, Displayed, choices, counted, written_out
from holdfast.logic import Player
from holdfast.solver import Solution, solve

__all__ = ["Playbook", "playbook", "playbook_object"]

EARLY: PlaybookStyle = "early"
LATE: PlaybookStyle = "late"

EARLY_SHARE, EARLY_SECONDS = 0.6, 120.0
"""What of the time the search for rules that act early may take; rules that act late are found sooner."""

FEW = 5
"""Actions that are named of a list that was not finished."""

MANY = 12
"""Rules past which a playbook is not called short."""

LONG = 5 * MANY // 2
"""Rules past which a list that contains at once is given up: in the end it would be longer than 2 MANY."""

MAX_AT_ONCE = 2_000
"""Defender positions up to which a list is learned that contains at once; past them it would be long."""


@dataclass(frozen=True)
class Playbook(Displayed):
    """What the defenders of a design should do, or that nothing they do is enough.

    Attributes:
        configuration: the design.
        defensible: whether it can be defended; if not, nothing else is told.
        rank: within how many moves it is lost; None if it holds.
        instructions: the rules, in order; the first that applies decides.
        default: the number of the action that is taken where none applies.
        idle: the actions that never change anything, where no clause tells one from another.
        decides: for each rule at how many of the positions that play reaches it decides; the last resort's
            number comes last.
        method: ``listed`` where every position was looked at, ``diagrams`` where sets of them were.
        example: an attack played against it.
        wanted: ``held``, or the goal that is to be reached besides.
        within: for a goal, within how many moves it is reached; where it is met at the start, whenever it was
            left. None where it cannot be, and without a goal.
        style: ``early`` if it acts at the first sign, ``late`` if it acts when it must.
        at_once: whether it contains whatever can be contained as soon as that is so.
        most_lost: how many nodes of the picture have fallen at a time, at most, whatever the adversary does
            against it; None where the picture does not tell.
        region: the witness of its certificate, worked out when it is asked for.
        seconds: how long it took.
        no_example: why no attack was played against it, where a limit stopped that.
        not_early: why it acts late though it was to act early, where a limit stopped the search for that.
    """

    configuration: Configuration
    defensible: bool
    rank: int | None
    instructions: tuple[Instruction, ...] = ()
    default: int = 0
    idle: tuple[int, ...] = ()
    decides: tuple[int, ...] = ()
    method: Literal["listed", "diagrams"] = "listed"
    example: tuple[ExampleMove, ...] = ()
    style: PlaybookStyle = EARLY
    wanted: Property = HELD
    within: int | None = None
    at_once: bool = True
    most_lost: int | None = None
    region: Callable[[Budget], dict[str, Any]] | None = field(default=None, repr=False, compare=False)
    seconds: float = field(default=0.0, compare=False)
    no_example: str = field(default="", compare=False)
    not_early: str = field(default="", compare=False)

    @property
    def possible(self) -> bool:
        """Whether there are rules at all: the design holds and, where a goal is asked for, it can be had."""
        return self.defensible and (not self.wanted.goal or self.within is not None)

    @property
    def n_positions(self) -> int:
        """How many defender positions play under it can reach; it is right at each."""
        return sum(self.decides)

    @property
    def n_conditions(self) -> int:
        """How many conditions the rules have in all."""
        return sum(len(instruction.conditions) for instruction in self.instructions)

    @property
    def short(self) -> bool:
        """Whether people can be expected to keep it in mind."""
        return len(self.instructions) <= MANY

    @property
    def drawn(self) -> tuple[int, ...]:
        """Those of the actions that the rules say whose outcome is drawn, so that they may fail."""
        said = {self.default, *(instruction.action for instruction in self.instructions)}
        groups = choices(self.configuration.game, Player.DEFENDER)
        return tuple(own[0] for own in groups if len(own) > 1 and own[0] in said)

    def action(self, number: int) -> str:
        """The name of an action of the defender."""
        return self.configuration.game.actions[Player.DEFENDER][number].name


def playbook(
    design: Configuration | Solution,
    *,
    style: str = EARLY,
    wanted: str = HELD.name,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    budget: Budget = UNLIMITED,
) -> Playbook:
    """What to do, as a short list of rules that keeps the requirement whatever the adversary does.

    Args:
        design: a configuration, or its solution where there is one already.
        style: ``early`` to act at the first sign, ``late`` to act only when one must.
        wanted: ``held``; or ``evict`` for rules that also get the attacker out, ``recover`` for those after
            which all is clean, or another goal of the design. It has a style of its own.
        engine: how to solve a configuration.
        solved: called with the solution, before any rule is looked for.
        budget: memory and time.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "Web", "DB"], [("GW", "Web"), ("Web", "DB")], "GW")
    >>> found = playbook(configure(game, ["G (DB = C)"]), style="late")
    >>> [(str(rule.predicate), found.action(rule.action)) for rule in found.instructions]
    [('Web = X', 'isolate(Web)')]

    Raises:
        InputError: for something that is no design, an unknown style, or a goal that it does not have.
        LimitError: past the budget; it knows that the design is defensible, and a summary of what was found.
    """
    started = time.perf_counter()
    hint = 'a configuration, such as load("segment.yaml"), or a solution'
    expect(design, (Configuration, Solution), "the design of a playbook", hint)
    chosen = _style(style)
    given = design.configuration if isinstance(design, Solution) else design
    configuration = written_out(given, "a playbook", budget)
    asked = property_named(configuration, wanted)
    solution = design if isinstance(design, Solution) else None
    if solution is None or configuration is not given:
        solution = solve(configuration, engine, budget)
    if solved is not None:
        solved(solution)
    if not asked.holds(solution, budget):
        held, took = solution.defensible, time.perf_counter() - started
        return Playbook(configuration, held, solution.initial_rank, style=chosen, wanted=asked, seconds=took)
    strategy: PlaybookStrategy
    within, not_early = None, ""
    try:
        if asked.goal:
            strategy = GoalStrategy(solution, asked.goal, budget)
            proved, within = _named(strategy, budget), strategy.within
            if proved.method == "listed":
                within = longest(strategy, proved.rules, asked.goal, budget)
        elif chosen == EARLY:
            strategy, proved, not_early = _early_or_late(solution, budget)
        else:
            strategy, proved = _late(solution, budget)
    except LimitError as limit:
        limit.known = {"defensible": True, "playbook": _summary(configuration, limit.known.get("says"))}
        raise
    example, no_example = _played(strategy, proved, budget)
    return Playbook(
        configuration,
        True,
        None,
        proved.rules.instructions,
        proved.rules.default,
        strategy.idle_alike,
        proved.decides,
        proved.method,
        example,
        LATE if not_early else chosen,
        asked,
        within,
        isinstance(strategy, EarlyStrategy) and strategy.at_once,
        proved.most_lost,
        proved.region,
        time.perf_counter() - started,
        no_example,
        not_early,
    )


def _played(
    strategy: PlaybookStrategy, proved: ProvedRules, budget: Budget
) -> tuple[tuple[ExampleMove, ...], str]:
    """An attack played against rules that are proved, or why a limit left it out: they are right without."""
    try:
        return demonstration(strategy, proved.rules, budget), ""
    except LimitError as limit:
        return (), str(limit)


def _style(name: str) -> PlaybookStyle:
    known: tuple[PlaybookStyle, ...] = get_args(PlaybookStyle)
    for style in known:
        if style == name:
            return style
    raise InputError(f'unknown style "{name}"; known: {", ".join(known)}' + did_you_mean(name, known))


def _early_or_late(solution: Solution, budget: Budget) -> tuple[PlaybookStrategy, ProvedRules, str]:
    """Rules that act early or, where a limit stops the search for them, late ones, and why."""
    try:
        share = budget.share(EARLY_SHARE, EARLY_SECONDS)
        return *_early(EarlyStrategy(solution, share), share), ""
    except LimitError as limit:
        return *_late(solution, budget), str(limit)


def _late(solution: Solution, budget: Budget) -> tuple[LateStrategy, ProvedRules]:
    """Rules that act when they must."""
    strategy = LateStrategy(solution, budget)
    return strategy, _followed(strategy, traits_of(solution.configuration), budget)


def _early(strategy: EarlyStrategy, budget: Budget) -> tuple[EarlyStrategy, ProvedRules]:
    """A list that contains at once or, where it would be long, one that contains what it must."""
    n_positions = n_reached(strategy, budget.part("listing play"))
    if n_positions is None or n_positions <= MAX_AT_ONCE:
        with suppress(LimitError):
            proved = _named(strategy, budget.share(0.5), LONG)
            if len(proved.rules.instructions) <= 2 * MANY:
                return strategy, proved
    patient = strategy.patient()
    return patient, _named(patient, budget)


def _named(strategy: PlaybookStrategy, budget: Budget, most: int | None = None) -> ProvedRules:
    """A short list that names variables and counts them only where names will not do."""
    traits = traits_of(strategy.solution.configuration)
    names = tuple(trait for trait in traits if not trait.is_count)
    try:
        named = _followed(strategy, names, budget.share(0.5), most)
    except LimitError:
        return _followed(strategy, traits, budget, most)
    if names == traits or len(named.rules.instructions) <= MANY:
        return named
    try:
        counting = _followed(strategy, traits, budget, most)
    except LimitError:
        return named
    return min(named, counting, key=lambda proved: len(proved.rules.instructions))


def _followed(
    strategy: PlaybookStrategy, traits: tuple[Trait, ...], budget: Budget, most: int | None = None
) -> ProvedRules:
    """A list over some traits, learned on positions that are listed or, where there are too many, on sets."""
    proved = listed_play(strategy, traits, budget.part("listing play"), most)
    return proved if proved is not None else set_play(strategy, traits, budget.part("following play"), most)


def _summary(configuration: Configuration, says: Any) -> str:
    """What is known where no list was finished: that there is a defense, its actions, where to have it."""
    named = configuration.game.actions[Player.DEFENDER]
    often = sorted(says or {}, key=lambda number: -says[number])
    shown = ", ".join(f"{named[number].name} ({counted(says[number], 'rule')})" for number in often[:FEW])
    more = f" and {len(often) - FEW} actions more" if len(often) > FEW else ""
    made = f"; the rules so far say {shown}{more}" if shown else ""
    return (
        f"a defense exists, but no short list of rules was found{made}. Allow more time, or use the "
        f"whole defense: holdfast export-shield writes it for a program, holdfast play shows it move by "
        f"move"
    )


def playbook_object(playbook: Playbook) -> dict[str, Any]:
    """A playbook as plain data for JSON."""
    data: dict[str, Any] = {
        "name": playbook.configuration.name,
        "variant": playbook.configuration.variant,
        "defensible": playbook.defensible,
        "style": playbook.style,
        "for": playbook.wanted.name,
        "within": playbook.within,
        "rules": None,
        "seconds": playbook.seconds,
    }
    if not playbook.possible:
        return data
    return data | {
        "rules": [
            _rule(playbook, instruction) | {"positions": n}
            for instruction, n in zip(playbook.instructions, playbook.decides, strict=False)
        ],
        "otherwise": playbook.action(playbook.default),
        "drawn": [playbook.action(action) for action in playbook.drawn],
        "n_rules": len(playbook.instructions),
        "n_conditions": playbook.n_conditions,
        "positions": playbook.n_positions,
        "short": playbook.short,
        "method": playbook.method,
        "at_once": playbook.at_once,
        "most_lost": playbook.most_lost,
        "example": [
            {"mover": move.mover, "action": move.action, "change": move.change, "rule": move.rule}
            for move in playbook.example
        ],
    }


def _rule(playbook: Playbook, instruction: Instruction) -> dict[str, Any]:
    return {
        "if": instruction.condition,
        "when": str(instruction.predicate),
        "memory": [
            {"side": str(side), "clause": playbook.configuration.clauses(side)[number].label,
             "states": sorted(codes)}
            for (side, number), codes in instruction.memory.items()
        ],
        "do": playbook.action(instruction.action),
    }  # fmt: skip
