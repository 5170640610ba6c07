"""The shield as one JSON object; ``docs/how-to/export-shield.md`` documents its keys."""

from __future__ import annotations

import json
from typing import Any

from holdfast.engines.product_tables import TURNS
from holdfast.exports.flat_shield import FlatShield
from holdfast.exports.wording import GUARANTEE, wrapped

FORMAT = 1


def to_object(shield: FlatShield) -> dict[str, Any]:
    """The shield in lists, strings and numbers."""
    initial = shield.initial
    return {
        "holdfast_shield": FORMAT,
        "name": shield.name,
        "variant": shield.variant,
        "sha256": shield.sha256,
        "guarantee": GUARANTEE,
        "variables": [{"name": v.name, "values": list(v.values)} for v in shield.variables],
        "actions": {str(turn): list(shield.actions[turn]) for turn in TURNS},
        "clauses": {
            str(turn): [
                {"formula": c.formula, "states": list(c.states), "offset": list(c.offset)}
                for c in shield.clauses[turn]
            ]
            for turn in TURNS
        },
        "initial": {
            "state": list(initial.state),
            "turn": str(initial.turn),
            "q_defender": list(initial.q_defender),
            "q_adversary": list(initial.q_adversary),
        },
        "sink": shield.sink,
        "tests": [[test.variable, test.divisor, test.size] for test in shield.tests],
        "n_answers": shield.n_answers,
        "winning": {str(turn): list(shield.winning[turn]) for turn in TURNS},
        "moves": {str(turn): list(shield.moves[turn]) for turn in TURNS},
        "effects": [[list(assign) for assign in effect] for effect in shield.effects],
        "readings": {str(turn): list(shield.readings[turn]) for turn in TURNS},
        "steps": [list(row) for row in shield.steps],
        "nodes": list(shield.nodes),
    }


def render(shield: FlatShield) -> str:
    """The text of the JSON file: ASCII, a line for each key, the nodes in lines of their own."""
    found = to_object(shield)
    nodes = "\n".join(f"  {line}" for line in wrapped(list(map(str, found.pop("nodes")))))
    lines = [f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in found.items()]
    return "{\n" + "".join(lines) + f' "nodes": [\n{nodes}\n ]\n}}\n'
