"""The controller of a defender who does not see everything, for use without Holdfast.

What is seen at one time is a *look*, and looks are numbered. A round is a phase, the look after the
defender's own move, the look after the adversary's, and which of its moves was noticed as such, if one was;
for every round that can come up there is an action and a phase. The formats are entry points of the group
``holdfast.controllers``; ``docs/how-to/sight-playbook.md`` documents them.

>>> import holdfast as hf
>>> from holdfast.models.network import network_system
>>> system = network_system(["GW", "DB"], [("GW", "DB")], "GW", sensors=())
>>> from holdfast.solver import solve_beliefs
>>> solution = hf.solve(hf.configure(system, defender=["G (DB != Z)"]))
>>> flat = flatten_controller(solve_beliefs(solution, system.sight))
>>> len(flat.rounds), [flat.actions[action] for action in sorted({row.action for row in flat.rounds})]
(6, ['noop(GW)', 'isolate(DB)'])
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, NamedTuple

from holdfast import __version__
from holdfast.arena.export.as_data import MAX_CLAUSE, quoted, wrapped
from holdfast.budget import UNLIMITED, Budget
from holdfast.errors import InputError, did_you_mean
from holdfast.game import Recalled
from holdfast.logic import Player
from holdfast.running import load_plugin, plugins_of, sha256_of
from holdfast.solver import BeliefSolution, controller

FORMAT = 1
GROUP = "controllers"

GUARANTEE = (
    "From the start on, as long as every move of the defender is the one that the controller says, moves "
    "have the effects of the model, what is seen is told truly, and the adversary keeps to what is assumed "
    "of it, no requirement is ever violated."
)


class RoundRow(NamedTuple):
    """A round that can come up, and what follows."""

    phase: int
    between: int
    now: int
    noticed: int
    action: int
    next_phase: int


@dataclass(frozen=True)
class FlatController:
    """A controller as tables.

    Attributes:
        name, variant, sha256: of the scenario.
        clauses: for each player the clauses, as text.
        seen: what is seen, as predicates or in words.
        noticed: the adversary's actions that are noticed as such.
        actions: the defender's actions.
        looks: each look as bits, the first predicate lowest.
        start: the number of the look that the start has.
        rounds: ascending; ``noticed`` is a place in that list, or -1.
        n_phases: how many phases there are; play begins in phase 0.
    """

    name: str
    variant: str | None
    sha256: str | None
    clauses: Mapping[Player, tuple[str, ...]]
    seen: tuple[str, ...]
    noticed: tuple[str, ...]
    actions: tuple[str, ...]
    looks: tuple[int, ...]
    start: int
    rounds: tuple[RoundRow, ...]
    n_phases: int


def flatten_controller(answer: BeliefSolution, budget: Budget = UNLIMITED) -> FlatController:
    """The controller that holds a design with what is seen, as tables.

    Raises:
        InputError: where there is none.
    """
    if not answer.defensible:
        raise InputError(
            "the design is not defensible with what the sensors show, so there is no controller to export"
        )
    configuration = answer.configuration
    machine = controller(answer, budget.part("merging phases"))
    names = [action.name for action in configuration.game.actions[Player.ADVERSARY]]
    noticed = tuple(n for n, name in enumerate(names) if name in answer.sight.noticed)
    keys = {key for phase in machine.phases for between, (now, _) in phase for key in (between, now)}
    keys.add(machine.initial)
    numbers = {key: number for number, key in enumerate(sorted(keys))}
    rounds = sorted(
        RoundRow(
            number,
            numbers[between],
            numbers[now],
            noticed.index(move) if move >= 0 else -1,
            decision.action,
            decision.phase,
        )
        for number, phase in enumerate(machine.phases)
        for (between, (now, move)), decision in phase.items()
    )
    return FlatController(
        name=configuration.name,
        variant=configuration.variant,
        sha256=sha256_of(configuration.text) if configuration.text else None,
        clauses={side: tuple(c.label for c in configuration.clauses(side)) for side in Player},
        seen=tuple(
            part.clause.label if isinstance(part, Recalled) else str(part) for part in answer.sight.seen
        ),
        noticed=tuple(names[n] for n in noticed),
        actions=tuple(action.name for action in configuration.game.actions[Player.DEFENDER]),
        looks=tuple(numbers),
        start=numbers[machine.initial],
        rounds=tuple(rounds),
        n_phases=len(machine.phases),
    )


def render_controller(flat: FlatController, form: str) -> str:
    """The text of a file in one of the formats of the group ``holdfast.controllers``.

    Raises:
        InputError: for an unknown format, or one whose plug-in does not work.
    """
    formats = tuple(plugins_of(GROUP))
    if form not in formats:
        raise InputError(
            f'a controller is not written as "{form}"; known: {", ".join(formats)}'
            + did_you_mean(form, formats)
        )
    return str(load_plugin(GROUP, form)(flat))


def controller_size(flat: FlatController) -> dict[str, int]:
    """How large a controller is."""
    return {
        "phases": flat.n_phases,
        "rounds": len(flat.rounds),
        "looks": len(flat.looks),
        "seen": len(flat.seen),
        "actions": len({row.action for row in flat.rounds}),
    }


# -- files --------------------------------------------------------------------------------------------


def bits_of(flat: FlatController, look: int) -> str:
    """A look as text: a digit for each predicate, in their order."""
    return "".join(str(look >> n & 1) for n in range(len(flat.seen)))


def controller_object(flat: FlatController) -> dict[str, Any]:
    """A controller in lists, strings and numbers."""
    return {
        "holdfast_controller": FORMAT,
        "name": flat.name,
        "variant": flat.variant,
        "sha256": flat.sha256,
        "guarantee": GUARANTEE,
        "clauses": {str(side): list(clauses) for side, clauses in flat.clauses.items()},
        "seen": list(flat.seen),
        "noticed": list(flat.noticed),
        "actions": list(flat.actions),
        "start": bits_of(flat, flat.looks[flat.start]),
        "looks": [bits_of(flat, look) for look in flat.looks],
        "rounds": [list(row) for row in flat.rounds],
    }


def render_controller_json(flat: FlatController) -> str:
    """The text of the JSON file: ASCII, a line for each key."""
    items = controller_object(flat).items()
    return "{\n" + ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in items) + "\n}\n"


def render_controller_python(flat: FlatController) -> str:
    """The text of the module: ASCII, the standard library only.

    Its names are :class:`~holdfast.arena.export.stepping.SeenMachine`, the ``CONTROLLER`` itself, and
    ``begin``, ``step`` and ``look``.
    """
    comment = "".join(f"# {line}".rstrip() + "\n" for line in controller_header(flat))
    code = files("holdfast.arena.export").joinpath("stepping.py").read_text("ascii")
    table = {key: value for key, value in controller_object(flat).items() if key != "guarantee"}
    entries = "".join(f"        {key!r}: {value!a},\n" for key, value in table.items())
    names = "".join(f"{name} = CONTROLLER.{name}\n" for name in ("begin", "step", "look"))
    return f"{comment}{code}\n\nCONTROLLER = SeenMachine(\n    {{\n{entries}    }}\n)\n{names}"


def controller_header(flat: FlatController) -> list[str]:
    """Lines of plain ASCII: what this is the controller of, by whom, and what it guarantees."""
    variant = f", variant {quoted(flat.variant)}" if flat.variant else ""
    lines = [
        f"Controller of {quoted(flat.name)}{variant}, by what is seen.",
        f"Written by Holdfast {__version__}; not to be edited.",
    ]
    if flat.sha256:
        lines.append(f"Scenario: sha256 {flat.sha256}")
    lines += ["", *wrapped(GUARANTEE.split(" "), " ")]
    told = (
        ("Required", flat.clauses[Player.DEFENDER]),
        ("Assumed of the adversary", flat.clauses[Player.ADVERSARY]),
        ("Seen", flat.seen),
        ("Noticed", flat.noticed),
    )
    for title, texts in told:
        lines += ["", f"{title}:{'' if texts else ' nothing'}"]
        lines += [f"  {c if len(c) <= MAX_CLAUSE else c[:MAX_CLAUSE] + ' ...'}" for c in map(_plain, texts)]
    return lines


def _plain(text: str) -> str:
    return quoted(text)[1:-1]
