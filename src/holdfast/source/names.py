"""Names that the expression language can read."""

from __future__ import annotations

import re
from collections.abc import Collection

from holdfast.logic.expressions import BINARY, UNARY
from holdfast.source.places import shortened
from holdfast.source.yaml import Node

WORDS = frozenset({"true", "false", "count", "times", "in", "and", "or", "not"})
RESERVED = WORDS | UNARY | BINARY
MAX_NAME = 200

_NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_ACTION = re.compile(r"([^\W\d]\w*(?:-\w+)*)(?:\((?:[^\W\d]\w*(?:-\w+)*|\d+)\))?")


def check_name(node: Node, what: str, *, reserved: Collection[str] = RESERVED) -> str:
    """The text of a node that names something in expressions."""
    name = node.text
    if len(name) > MAX_NAME:
        raise node.problem(f"{what} with {len(name):,} characters; at most {MAX_NAME} are read")
    if node.is_null or not _NAME.fullmatch(name):
        raise node.problem(
            f"{node.describe()} cannot be {what}; use letters, digits, _ and inner -, starting with a letter"
        )
    if name in reserved:
        raise node.problem(f'"{name}" is a word of the expression language; choose another name for {what}')
    return name


def check_action_name(node: Node) -> str:
    """Check the name of an action, ``shut`` or ``shut(valve1)``; returns what stands before the bracket."""
    found = _ACTION.fullmatch(node.text)
    if found is None or len(node.text) > MAX_NAME:
        raise node.problem(
            f"{node.describe()} cannot name an action; use letters, digits and _, as in shut or shut(valve1)"
        )
    if found[1] in RESERVED:
        raise node.problem(
            f'"{found[1]}" is a word of the expression language; choose another name for the action'
        )
    return str(found[1])


def check_new(name: str, node: Node, taken: dict[str, str], what: str) -> None:
    """Refuse a name that already means something else, and take it."""
    if name in taken:
        raise node.problem(f'"{shortened(name)}" is already {taken[name]}; choose another name for {what}')
    taken[name] = what
