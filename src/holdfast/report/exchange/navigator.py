"""A forced attack in the words of ATT&CK, as a layer for its Navigator; and the replies in those of D3FEND.

A layer (format 4.5) marks techniques of the matrix. Its score is the move at which the line first uses a
technique, counted from the end: what comes first is darkest. The comment lists the moves. Which technique an
action stands for is said by its model; an action that stands for none is left out and counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.explanation import AttackStep, ForcedLine
from holdfast.report.blocks import Prose, Section, Table, quiet, words

VERSIONS = {"attack": "16", "navigator": "5.1.0", "layer": "4.5"}
COLOURS = ("#fee8c8", "#e34a33")
MAX_MOVES = 30
"""Moves that a comment lists."""


@dataclass(frozen=True)
class Technique:
    """What an action is called in ATT&CK or D3FEND.

    Attributes:
        id, name: of the technique.
        tactic: its short name, such as ``lateral-movement``; of D3FEND, such as ``Isolate``.
        why: why the action stands for it.
    """

    id: str
    name: str
    tactic: str
    why: str


Techniques = Callable[[str], Technique | None]
"""The technique of an action by its name; None for one that stands for none."""


def navigator_layer(line: ForcedLine, title: str, attacks: Techniques, answers: Techniques) -> str:
    """The text of a layer that shows a forced line."""
    techniques = list(_marked(line, attacks, answers))
    n_left = sum(attacks(step.action) is None for step in line.steps)
    about = (
        "The attack that cannot be stopped, found by Holdfast. The earlier a technique is used, the "
        "darker its colour."
    )
    left = f" {n_left} moves have no technique." if n_left else ""
    gradient = {"colors": list(COLOURS), "minValue": 0, "maxValue": max(1, len(line.steps))}
    layer = {
        "name": title[:120],
        "versions": VERSIONS,
        "domain": "enterprise-attack",
        "description": about + left,
        "sorting": 3,
        "techniques": techniques,
        "gradient": gradient,
        "legendItems": [{"label": "first move", "color": COLOURS[1]}, {"label": "last", "color": COLOURS[0]}],
        "selectTechniquesAcrossTactics": False,
    }
    return json.dumps(layer, indent=2, ensure_ascii=False) + "\n"


def _marked(line: ForcedLine, attacks: Techniques, answers: Techniques) -> Iterator[dict[str, Any]]:
    used: dict[Technique, list[AttackStep]] = {}
    for step in line.steps:
        technique = attacks(step.action)
        if technique is not None:
            used.setdefault(technique, []).append(step)
    for technique, steps in used.items():
        moves = [f"{step.number}. {step.action}" for step in steps[:MAX_MOVES]]
        more = [f"and {len(steps) - MAX_MOVES} more"] if len(steps) > MAX_MOVES else []
        replies = {answers(action) for step in steps for r in step.replies for action in r.actions} - {None}
        named = sorted({f"{one.name} ({one.id})" for one in replies if one is not None})
        tried = (
            [{"name": "D3FEND: responses that are not enough", "value": "; ".join(named)}] if named else []
        )
        yield {
            "techniqueID": technique.id,
            "tactic": technique.tactic,
            "score": len(line.steps) - steps[0].number + 1,
            "comment": f"{technique.why} Moves: {', '.join([*moves, *more])}",
            "enabled": True,
            "metadata": [{"name": "moves", "value": str(len(steps))}, *tried],
            "showSubtechniques": False,
        }


def vocabulary_section(
    line: ForcedLine, replies: Sequence[str], attacks: Techniques, answers: Techniques
) -> Section:
    """What the moves of a line, and the defender's replies to them, are called by others."""
    rows = []
    moves = dict.fromkeys(step.action for step in line.steps)
    for named, actions, catalogue in ((attacks, moves, "ATT&CK"), (answers, replies, "D3FEND")):
        of: dict[Technique, list[str]] = {}
        for action in actions:
            technique = named(action)
            if technique is not None:
                of.setdefault(technique, []).append(action)
        for technique, same in of.items():
            listed = ", ".join(same[:4]) + (", …" if len(same) > 4 else "")
            rows.append(
                (listed, catalogue, f"{technique.name} ({technique.id})", technique.tactic, technique.why)
            )
    columns = words("action"), words("in"), words("is called"), words("tactic"), words("because")
    table = Table("The attack in ATT&CK and D3FEND terms", columns, tuple(rows), sortable=False)
    note = Prose(
        quiet("The model has few actions and the catalogues many names: these are the closest ones.")
    )
    return Section("In ATT&CK and D3FEND terms", (table, note), detail=True)
