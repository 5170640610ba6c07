"""What ``check --json`` and ``fingerprint --json`` print, key by key, as a JSON Schema.

One table says of every key what it holds and what it means; the schema and the page of the documentation are
made from it, and the tests compare it with what the commands print.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
YES: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
SECONDS: Schema = {"type": "number", "minimum": 0}
NULL: Schema = {"type": "null"}
TEXTS: Schema = {"type": "array", "items": TEXT}
COUNTS: Schema = {"type": "array", "items": COUNT}


def _or(*kinds: Schema) -> Schema:
    return {"anyOf": list(kinds)}


def _object(**fields: Schema) -> Schema:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


MOVES = _or(COUNT, {"const": "never"}, NULL)
DEMAND = _or(COUNT, {"const": "unbounded"}, NULL)
INTERVAL = _object(low={"type": "number"}, high={"type": "number"})
LAYERS = _object(
    finite={"type": "array", "items": {"type": "array", "prefixItems": [COUNT, COUNT]}}, unbounded=COUNT
)
RESPONSE = _object(effort=DEMAND, tempo=DEMAND, grace=DEMAND)
ANY_OBJECT: Schema = {"type": "object"}

KEYS: Mapping[str, tuple[Schema, str]] = {
    "name": (TEXT, "of the scenario"),
    "variant": (_or(TEXT, NULL), "which variant of the file was asked about; null for the base"),
    "defensible": (YES, "the verdict: whether every requirement can be kept, whatever the adversary does"),
    "positions": (COUNT, "how many positions the game has, exactly"),
    "unsafe": (COUNT, "how many of them violate a requirement already"),
    "winning": (COUNT, "from how many the defender can keep every requirement for ever"),
    "attractor": (COUNT, "from how many the adversary can force a violation, the unsafe ones included"),
    "shells": (COUNTS, "how many positions are lost within exactly 1, 2, 3, … moves"),
    "initial_rank": (
        _or(COUNT, NULL),
        "within how many moves the start is lost; null where it is held",
    ),
    "win": (_or(SHARE, NULL), "WIN: the share of the positions not yet unsafe that is winning"),
    "stp": (SHARE, "STP: whether the lost positions are concentrated at one depth (1) or spread (0)"),
    "slt": (_or(SHARE, NULL), "SLT: the share of the defender's actions that are safe in safe play"),
    "room": (
        _or(SHARE, NULL),
        "room to act: of the actions that would change something, the share that is safe",
    ),
    "reachable": (
        _or(
            _object(
                positions=COUNT, defender=COUNT, permitted=COUNT, effective=COUNT, effective_permitted=COUNT
            ),
            NULL,
        ),
        "safe play: its positions, those where the defender moves, and there, in all, the actions that are "
        "permitted, those that would change something, and those that do both",
    ),
    "warnings": (TEXTS, "ways in which a requirement holds trivially"),
    "requirement": (TEXTS, "what must always hold, a name or a formula for each clause"),
    "boundary": (TEXTS, "what the adversary cannot do, likewise"),
    "start": (TEXT, "the initial state and who moves first, in words"),
    "defender_actions": (COUNT, "how many actions the defender has"),
    "engine": (TEXT, "which solver found the verdict"),
    "seconds": (SECONDS, "how long the analysis took"),
    "undecided": (_or(TEXT, NULL), "what a limit left open, and why; null where nothing is"),
    "interrupted": (YES, "whether somebody ended the training before it was done"),
    "sight": (
        _or(ANY_OBJECT, NULL),
        "the verdict for a defender who sees what its sensors show; null where everything is seen",
    ),
    "recovery": (
        _map(
            _object(
                moves=MOVES,
                share=_or(SHARE, NULL),
                everywhere=_or(YES, NULL),
                longest=MOVES,
                again=_or(YES, NULL),
                effort=MOVES,
                layers=_or(COUNTS, NULL),
            )
        ),
        "for each goal, such as evicted: within how many moves it can be forced, from what share of the "
        "winning positions, from everywhere in safe play, again and again, with how many interventions",
    ),
    "almost_surely": (_map(YES), "of goals that cannot be forced for sure: whether with probability one"),
    "pace": (_or(SECONDS, NULL), "how many seconds a move takes, if the file says so"),
    "response": (RESPONSE, "effort, tempo and grace; null where they were not found out"),
    "no_response": (TEXT, "why there can be no such readings"),
    "layers": (
        _or(_object(efforts=LAYERS, graces=LAYERS, reachable_efforts=LAYERS, reachable_graces=LAYERS), NULL),
        "how many winning positions, and how many of safe play, have each effort and each grace",
    ),
    "costs": (_map({"type": "integer"}), "what actions cost, if the file says so"),
    "assumptions": (
        {"type": "array", "items": _object(assumption=TEXT, option=TEXT)},
        "what the answer takes for granted, each with the option of the file that changes it",
    ),
    "hold": (ANY_OBJECT, "how likely the requirement is kept, where outcomes are drawn"),
    "ddr": (_or(ANY_OBJECT, NULL), "DDR: what two trained players settle at, with its interval"),
    "ddr_exact": (
        _or(ANY_OBJECT, NULL),
        "DDR*: what perfect play keeps; value where it is exact, else it certainly lies from low to high",
    ),
    "protocol": (_or(ANY_OBJECT, NULL), "how the training was done"),
    "provenance": (ANY_OBJECT, "hashes and versions that decide the numbers; empty if nothing was cached"),
    "trajectories": (NULL, "always null here; saved analyses have the curves of training"),
    "gates": (
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"axis": TEXT, "met": YES, "undecided": YES},
                "required": ["axis", "met", "undecided"],
            },
        },
        "each gate that was asked for: its reading, the bound, and whether it is met or undecided",
    ),
    "ladder": (
        {"type": "array", "items": {"type": "object", "required": ["rung", "words", "defensible"]}},
        "the same question under harder conditions; defensible is null where a limit came first",
    ),
    "any_entry": (
        {
            "type": "array",
            "items": _object(entry=TEXT, defensible=_or(YES, NULL), rank=_or(COUNT, NULL)),
        },
        "with --any-entry: the verdict for each host, if it were the entry",
    ),
}
"""Every key of an answer about one design, with what it holds and what it means."""

OPTIONAL = frozenset({"almost_surely", "hold", "ladder", "any_entry"})
"""Keys that are there only where they say something, or were asked for."""


def output_schema() -> Schema:
    """The JSON Schema of what ``check --json`` and ``fingerprint --json`` print about one design.

    >>> sorted(output_schema()["properties"])[:3]
    ['almost_surely', 'any_entry', 'assumptions']
    """
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What Holdfast found out about one design",
        "type": "object",
        "properties": {key: {**kind, "description": meaning} for key, (kind, meaning) in KEYS.items()},
        "required": [key for key in KEYS if key not in OPTIONAL],
        "additionalProperties": False,
    }
