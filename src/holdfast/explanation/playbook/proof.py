"""The certificate of a playbook: its rules, and the positions that play under them reaches.

The positions are an inductive invariant: v₀ is one, no requirement is violated at any, every admissible move
of the adversary leads from one to another, and so does what the rules say wherever the defender moves. So the
checker needs no more than one step from each. The set is written as decision diagrams, plane by plane, in the
form of every certificate (:mod:`holdfast.solver.witnesses`); as arrays where the moves of the game are
tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from holdfast.budget import UNLIMITED, Budget
from holdfast.certificates import certificate_of
from holdfast.errors import InputError
from holdfast.explanation.playbook.traits import Instruction, RuleList
from holdfast.game import Configuration, GameStructure, Position, State
from holdfast.logic import Diagram, Diagrams, Player, Variable
from holdfast.solver import WitnessPlane, dddmp, empty_diagrams, listed_planes, packed, within_memory

if TYPE_CHECKING:
    from holdfast.explanation.playbook.playbooks import Playbook

VERDICT = "playbook"


@dataclass(frozen=True)
class ProvedRules:
    """Rules that are right wherever play under them comes.

    Attributes:
        rules: the list.
        decides: at how many of the defender positions that play reaches each instruction decides; the last
            resort's number comes last.
        method: whether the positions were ``listed`` or followed as sets (``diagrams``).
        region: all of them, of either turn, as a certificate has them; worked out when it is asked for.
        most_lost: how many nodes of the picture have fallen at most at any of them; None where it does not
            tell.
    """

    rules: RuleList
    decides: tuple[int, ...]
    method: Literal["listed", "diagrams"]
    region: Callable[[Budget], dict[str, Any]]
    most_lost: int | None


def certify_playbook(playbook: Playbook, path: Path | None = None, budget: Budget = UNLIMITED) -> bytes:
    """The certificate of a playbook, also written to a file if there is a path.

    Raises:
        InputError: for a design that is lost, a game that is no scenario, or a file that cannot be written.
        LimitError: where the witness is larger than a certificate may be.
    """
    if playbook.region is None:
        raise InputError("the design cannot be defended, so there is no playbook to certify")
    rules = [_written(playbook, instruction) for instruction in playbook.instructions]
    witness = {**playbook.region(budget), "rules": rules, "otherwise": playbook.action(playbook.default)}
    return certificate_of(playbook.configuration, VERDICT, witness, path, budget)


def _written(playbook: Playbook, instruction: Instruction) -> dict[str, Any]:
    memory = instruction.memory.items()
    return {
        "when": str(instruction.predicate),
        "memory": [[str(side), number, sorted(codes)] for (side, number), codes in memory],
        "do": playbook.action(instruction.action),
    }


def listed_region(
    configuration: Configuration, reached: Iterable[Position], budget: Budget = UNLIMITED
) -> dict[str, Any]:
    """The witness of listed positions; arrays where the moves of the game are tables."""
    states_by_plane: dict[WitnessPlane, list[State]] = {}
    for position in reached:
        plane = WitnessPlane(position.turn, position.q_defender, position.q_adversary, -1)
        states_by_plane.setdefault(plane, []).append(position.state)
    rows = {
        p: states_by_plane[p]
        for p in sorted(states_by_plane, key=lambda p: (list(Player).index(p.turn), *p[1:]))
    }
    if configuration.game.tables is not None:
        return _as_arrays(configuration.game, rows, budget)
    diagrams, places = empty_diagrams(configuration, budget), configuration.game.places
    order = [places[variable.name] for variable in diagrams.variables]
    with within_memory("the certificate"):
        sets = {}
        for plane, states in rows.items():
            budget.tick("writing the certificate")
            codes = [tuple(state[place] for place in order) for state in states]
            sets[plane] = _gathered(diagrams, diagrams.variables, codes)
        return region_witness(diagrams, sets)


def _as_arrays(
    game: GameStructure, rows: Mapping[WitnessPlane, Sequence[State]], budget: Budget
) -> dict[str, Any]:
    import numpy as np

    region = np.zeros((len(rows), game.n_valuations), np.int32)
    for numbers, states in zip(region, rows.values(), strict=True):
        budget.tick("writing the certificate")
        numbers[[game.index(state) for state in states]] = 1
    return {"kind": "arrays", "planes": listed_planes(list(rows)), "region": packed(region)}


def region_witness(diagrams: Diagrams, sets: Mapping[WitnessPlane, Diagram]) -> dict[str, Any]:
    """The witness of a set for each plane."""
    return {
        "kind": "diagrams",
        "planes": listed_planes(list(sets)),
        "dddmp": dddmp(diagrams, list(sets.values())),
    }


def _gathered(diagrams: Diagrams, variables: Sequence[Variable], rows: Sequence[tuple[int, ...]]) -> Diagram:
    """The set of some states, given by codes in the order of the variables."""
    if not variables:
        return diagrams.true
    by_code: dict[int, list[tuple[int, ...]]] = {}
    for first, *rest in rows:
        by_code.setdefault(first, []).append(tuple(rest))
    parts = [diagrams.false] * len(variables[0].values)
    for code, own in by_code.items():
        parts[code] = _gathered(diagrams, variables[1:], own)
    return diagrams.select(variables[0], parts)
