"""The page on what commands print with ``--json``, made from the schema."""

from __future__ import annotations

import json

from markup import escaped

from holdfast.report.json_output import KEYS, OPTIONAL

INTRODUCTION = """\
# JSON output

`check --json` and `fingerprint --json` print one object about one design, and nothing else. The command
`holdfast schema --output check` prints the same as a JSON Schema, for validators. A key that does not apply
is `null`; one that is marked *may be absent* is there only where it says something. Counts are exact
integers, however long. Of several files, the object has a list of such answers under `files`.

| key | holds | meaning |
|---|---|---|
"""


def output_page() -> str:
    """The whole page."""
    return INTRODUCTION + "".join(_row(key) for key in KEYS)


def _row(key: str) -> str:
    kind, meaning = KEYS[key]
    absent = " (may be absent)" if key in OPTIONAL else ""
    return f"| `{key}` | {_kind(kind)}{absent} | {escaped(meaning)} |\n"


def _kind(kind: dict[str, object]) -> str:
    """What a schema allows, in a few words."""
    options = kind.get("anyOf")
    if isinstance(options, list):
        return " or ".join(_kind(option) for option in options)
    if "const" in kind:
        return f"`{json.dumps(kind['const'])}`"
    return {"integer": "whole number", "null": "`null`"}.get(str(kind["type"]), str(kind["type"]))
