"""A playbook of what is seen: rules for people who do not see everything.

The controller that was found (:mod:`holdfast.solver.controllers`) is told phase by phase. A phase is all that
has to be kept in mind; in each of them a decision list (:mod:`~holdfast.explanation.playbook.decision_list`)
says, by what is seen now, what to do and which phase follows. Only where that is not enough does a rule ask
what was seen between the defender's own move and the adversary's. The list is exact on every round that can
come up in the phase, so that play under the playbook is play under the controller, move for move.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from holdfast.budget import UNLIMITED, Budget
from holdfast.explanation.appearances import Appearance, appearances
from holdfast.explanation.playbook.seen_example import SeenExample, SeenMove
from holdfast.explanation.playbook.seen_phases import SeenPhase, SeenRounds, phase_rules
from holdfast.game import Configuration, Displayed, Sight, idle_actions, limited_sight, listed
from holdfast.logic import Player
from holdfast.solver import (
    BeliefSolution,
    Controller,
    Decision,
    Solution,
    Stepper,
    controller,
    solve,
    solve_beliefs,
    steadied,
)


@dataclass(frozen=True)
class SeenPlaybook(Displayed):
    """What defenders should do who do not see everything, or that nothing they do is enough.

    Attributes:
        configuration: the design.
        defensible: whether it can be defended by who sees everything.
        held: whether it can be defended with what is seen; if not, nothing else is told.
        sight: what of all that is seen the rules use.
        phases: the rules; play begins in the first phase.
        controller: the machine that they tell.
        hidden: what does not look as it is: for a look the values that fit it.
        idle: the actions that never change anything, where no clause tells one from another.
        example: an attack played against it.
        seconds: how long it took.
    """

    configuration: Configuration
    defensible: bool
    held: bool
    sight: Sight
    phases: tuple[SeenPhase, ...] = ()
    controller: Controller | None = field(default=None, repr=False, compare=False)
    hidden: tuple[str, ...] = ()
    idle: tuple[int, ...] = ()
    example: tuple[SeenMove, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def possible(self) -> bool:
        """Whether there are rules at all."""
        return self.held

    @property
    def n_rules(self) -> int:
        """How many rules there are in all phases, last resorts left out."""
        return sum(len(phase.rules) for phase in self.phases)

    def action(self, number: int) -> str:
        """The name of an action of the defender."""
        return self.configuration.game.actions[Player.DEFENDER][number].name


def seen_playbook(
    design: Configuration | Solution,
    *,
    engine: str = "auto",
    solved: Callable[[Solution], object] | None = None,
    budget: Budget = UNLIMITED,
) -> SeenPlaybook:
    """What to do, as rules that ask only for what is seen.

    ``solved`` is called with the solution for a defender who sees everything.

    >>> import holdfast as hf
    >>> from holdfast.models.network import network_system
    >>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW", sensors=())
    >>> found = seen_playbook(hf.configure(system, defender=["G (DB != Z)"]))
    >>> [(rule.condition, found.action(rule.decision.action)) for rule in found.phases[0].rules]
    [('GW is seemingly clean and DB is seemingly clean', 'isolate(DB)')]

    Raises:
        InputError: for a design whose defender sees everything.
        LimitError: past the budget.
    """
    started = time.perf_counter()
    configuration = design.configuration if isinstance(design, Solution) else design
    sight = limited_sight(configuration.system.sight)
    solution = design if isinstance(design, Solution) else solve(design, engine, budget)
    if solved is not None:
        solved(solution)
    answer = solve_beliefs(solution, sight, budget)
    playbook = SeenPlaybook(configuration, solution.defensible, answer.defensible, answer.sight)
    if answer.defensible:
        answer = steadied(solution, answer, budget)
        playbook = _with_rules(playbook, answer, budget)
    return replace(playbook, seconds=time.perf_counter() - started)


def _with_rules(playbook: SeenPlaybook, answer: BeliefSolution, budget: Budget) -> SeenPlaybook:
    configuration = playbook.configuration
    machine = controller(answer, budget.part("merging phases"))
    seen = appearances(configuration, answer.sight)
    idle = idle_actions(configuration.game, budget)
    kinds = Stepper(configuration).kinds(Player.DEFENDER)
    alike = idle if len({kinds[action] for action in idle}) == 1 else ()
    rounds = SeenRounds(configuration, answer.sight, seen)
    phases = tuple(
        phase_rules(number, table, rounds, idle, budget) for number, table in enumerate(machine.phases)
    )
    hidden = tuple(_hidden(configuration, seen))
    playbook = replace(playbook, phases=phases, controller=machine, hidden=hidden, idle=alike)
    example = SeenExample(configuration, answer.sight, phases, rounds, alike, budget)
    return replace(playbook, example=tuple(example.moves()))


def _hidden(configuration: Configuration, seen: tuple[Appearance, ...]) -> Iterator[str]:
    """``seemingly clean is clean or compromised``, once for each look that several values fit."""
    legend, told = configuration.system.legend, dict[str, None]()
    variables = {variable.name: variable for variable in configuration.game.variables}
    for each in seen:
        for word, codes in zip(each.trait.spoken, each.codes, strict=False):
            values = [str(variables[each.trait.name].values[code]) for code in codes]
            spoken = listed([legend.get(value, value) for value in values], "or")
            if len(codes) > 1 and word != spoken:
                told[f"{word} is {spoken}"] = None
    yield from told


def seen_playbook_object(playbook: SeenPlaybook) -> dict[str, Any]:
    """A playbook of what is seen as plain data for JSON."""
    data: dict[str, Any] = {
        "name": playbook.configuration.name,
        "variant": playbook.configuration.variant,
        "defensible": playbook.held,
        "for": "sight",
        "sight": {"sensors": list(playbook.configuration.system.sight.placed or ())
                  if playbook.configuration.system.sight else [], "defensible": playbook.held},
        "phases": None,
        "seconds": playbook.seconds,
    }  # fmt: skip
    if playbook.controller is None:
        return data
    return data | {
        "uses": list(playbook.sight.placed or ()),
        "phases": [_phase_object(playbook, n, phase) for n, phase in enumerate(playbook.phases, 1)],
        "n_phases": len(playbook.phases),
        "n_rules": playbook.n_rules,
        "n_stances": playbook.controller.n_stances,
        "actions": [playbook.action(number) for number in playbook.controller.actions],
        "looks_like": list(playbook.hidden),
        "example": [
            {"mover": m.mover, "action": m.action, "change": m.change, "seen": m.news,
             "phase": m.phase, "rule": m.rule}
            for m in playbook.example
        ],
    }  # fmt: skip


def _phase_object(playbook: SeenPlaybook, number: int, phase: SeenPhase) -> dict[str, Any]:
    def orders(decision: Decision) -> dict[str, Any]:
        return {"do": playbook.action(decision.action), "phase": decision.phase + 1}

    rules = [{"if": rule.condition, **orders(rule.decision)} for rule in phase.rules]
    return {"phase": number, "rules": rules, "otherwise": orders(phase.otherwise)}
