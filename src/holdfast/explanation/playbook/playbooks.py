"""Playbooks: a strategy that people can follow, as a short list of rules that is proved to hold.

*The strategy* is read off the shield. Let v be a position of the defender in W, and Safe(v) its safe actions.

- It is **lazy**: where an idle action (:mod:`holdfast.game.interventions`) is safe, it is taken.
- Where it must act it keeps **most freedom**. The freedom of a safe action a at v is the number of actions
  that would be safe if it were the defender's turn again at once: |Safe(v')|, where v' is Succ(v, a) with the
  turn given back. The actions of most freedom are *right* at v; where no action is idle that goes for every
  position.

Several actions may be right at v. The playbook may say any of them, as permissive strategies do: it is the
shorter for it. Play that takes right actions never leaves W, so every such choice keeps φ_D for ever.

*The playbook* is a decision list (:mod:`~holdfast.explanation.playbook.decision_list`): the first rule whose
conditions hold says what to do, and where none does there is a last resort, which is to do nothing wherever
some action is idle. It is exact where it matters: at every defender position that play reaches from v₀ when
the defender follows the list and the adversary does anything that φ_A admits, what it says is right. About
other
positions, which cannot come up then, it promises nothing, and the rules use that too: they need not tell
apart what never occurs. Whoever left the list, or found it too late, asks the shield instead.

*Where play is too large to be listed* it is followed as sets
(:mod:`~holdfast.explanation.playbook.lazy_sets`). There every safe action is right where idling is not safe,
however much freedom it keeps, and the rest holds as it does above.

*The proof* (:mod:`~holdfast.explanation.playbook.proof`) is the list together with the set of positions that
play under it reaches, an inductive invariant; :mod:`holdfast.certificates.verify` checks it without the
solver.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import expect
from holdfast.explanation.playbook.demonstration import ExampleMove, demonstration
from holdfast.explanation.playbook.lazy_play import LazyStrategy, listed_play
from holdfast.explanation.playbook.lazy_sets import set_play
from holdfast.explanation.playbook.traits import Instruction
from holdfast.game import Configuration, Displayed
from holdfast.logic import Player
from holdfast.solver import Solution, solve

__all__ = ["Playbook", "playbook", "playbook_object"]

MANY = 12
"""Rules past which a playbook is not called short."""


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
        region: the witness of its certificate, worked out when it is asked for.
        seconds: how long it took.
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
    region: Callable[[Budget], dict[str, Any]] | None = field(default=None, repr=False, compare=False)
    seconds: float = field(default=0.0, compare=False)

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

    def action(self, number: int) -> str:
        """The name of an action of the defender."""
        return self.configuration.game.actions[Player.DEFENDER][number].name


def playbook(
    design: Configuration | Solution, *, engine: str = "auto", budget: Budget = UNLIMITED
) -> Playbook:
    """What to do, as a short list of rules that keeps the requirement whatever the adversary does.

    Args:
        design: a configuration, or its solution where there is one already.
        engine: how to solve a configuration.
        budget: memory and time.

    >>> from holdfast.models.network import network_game
    >>> from holdfast.game.configuration import configure
    >>> game = network_game(["GW", "Web", "DB"], [("GW", "Web"), ("Web", "DB")], "GW")
    >>> found = playbook(configure(game, ["G (DB = C)"]))
    >>> [(str(rule.predicate), found.action(rule.action)) for rule in found.instructions]
    [('Web = X', 'isolate(Web)')]

    Raises:
        InputError: for something that is no design.
        LimitError: past the budget.
    """
    started = time.perf_counter()
    hint = 'a configuration, such as load("segment.yaml"), or a solution'
    expect(design, (Configuration, Solution), "the design of a playbook", hint)
    solution = design if isinstance(design, Solution) else solve(design, engine, budget)
    configuration = solution.configuration
    if not solution.defensible:
        return Playbook(configuration, False, solution.initial_rank, seconds=time.perf_counter() - started)
    strategy = LazyStrategy(solution, budget)
    proved = listed_play(strategy, budget.part("listing play"))
    if proved is None:
        proved = set_play(strategy, budget.part("following play"))
    return Playbook(
        configuration,
        True,
        None,
        proved.rules.instructions,
        proved.rules.default,
        strategy.idle_alike,
        proved.decides,
        proved.method,
        demonstration(strategy, proved.rules, budget),
        proved.region,
        time.perf_counter() - started,
    )


def playbook_object(playbook: Playbook) -> dict[str, Any]:
    """A playbook as plain data for JSON."""
    data: dict[str, Any] = {
        "name": playbook.configuration.name,
        "variant": playbook.configuration.variant,
        "defensible": playbook.defensible,
        "rules": None,
        "seconds": playbook.seconds,
    }
    if not playbook.defensible:
        return data
    return data | {
        "rules": [
            _rule(playbook, instruction) | {"positions": n}
            for instruction, n in zip(playbook.instructions, playbook.decides, strict=False)
        ],
        "otherwise": playbook.action(playbook.default),
        "n_rules": len(playbook.instructions),
        "n_conditions": playbook.n_conditions,
        "positions": playbook.n_positions,
        "short": playbook.short,
        "method": playbook.method,
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
