"""Values written as YAML, such that they read back as they are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from holdfast.errors import InputError
from holdfast.scenario.text.places import Problem
from holdfast.scenario.text.yaml import data, read_yaml

WIDTH = 100
"""Columns up to which lists are written in one line."""


def after_colon(value: Any, indent: str) -> str:
    """What follows ``key:`` in a block."""
    deep = isinstance(value, Mapping) and any(isinstance(v, Mapping | list) for v in value.values())
    deep = deep or (isinstance(value, list) and any(isinstance(v, Mapping | list) for v in value))
    line = "" if deep else f" {inline(value)}"
    if line and len(indent) + len(line) <= WIDTH:
        return line
    if isinstance(value, Mapping) and value:
        return "".join(f"\n{indent}  {scalar(k)}:{after_colon(v, indent + '  ')}" for k, v in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{indent}  - {block(item, indent + '    ')}" for item in value)
    return f" {inline(value)}"


def block(value: Any, indent: str) -> str:
    """What follows a dash."""
    line = inline(value)
    if not isinstance(value, Mapping) or not value or len(indent) + len(line) <= WIDTH:
        return line
    rows = (f"{scalar(k)}:{after_colon(v, indent)}" for k, v in value.items())
    return f"\n{indent}".join(rows)


def inline(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(k)}: {inline(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A scalar that reads back as it is, plain if it can be."""
    if not isinstance(value, str):
        return json.dumps(value)
    for written in _spellings(value):
        try:
            back = read_yaml(f"[{written}, {{k: {written}}}]", "value")
        except Problem:
            continue
        if data(back) == [value, {"k": value}] and (not back.items or back.items[0].text == value):
            return written
    raise InputError(f"{value[:40]!r} cannot be written to a scenario")


def _spellings(value: str) -> Iterator[str]:
    if value and "\n" not in value:
        yield value
        if value.isprintable():
            yield (
                '"' + value + '"'
                if '"' not in value and "\\" not in value
                else "'" + value.replace("'", "''") + "'"
            )
    yield json.dumps(value, ensure_ascii=False)
