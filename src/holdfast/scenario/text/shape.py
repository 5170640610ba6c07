"""The shape of one section of a file: pydantic models in Holdfast's own words, names, places of complaints.

A model checks shape only: keys, kinds of values, numbers in range, sizes. What names mean is decided where
the parts are built. Every complaint carries the path to the node it is about, from which :func:`validate`
finds line and column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, Any, ClassVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from holdfast.errors import did_you_mean
from holdfast.logic import BINARY, UNARY
from holdfast.scenario.text.places import Problem, is_one_line, several, shortened
from holdfast.scenario.text.yaml import Node, data

WORDS = frozenset({"true", "false", "count", "times", "in", "and", "or", "not"})
RESERVED = WORDS | UNARY | BINARY
MAX_NAME = 200

_NAME = re.compile(r"[^\W\d]\w*(?:-\w+)*")
_ACTION = re.compile(r"([^\W\d]\w*(?:-\w+)*)(?:\((?:[^\W\d]\w*(?:-\w+)*|\d+)\))?")


_EXPECTED = {
    "list_type": "a list",
    "dict_type": "a mapping",
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "greater_than": "a number greater than {gt:,}",
    "greater_than_equal": "a number of at least {ge:,}",
    "less_than": "a number less than {lt:,}",
    "less_than_equal": "a number of at most {le:,}",
    "too_short": "at least {min_length} of them",
    "too_long": "at most {max_length:,} entries",
}


def complaint(text: str, key: str | None = None) -> PydanticCustomError:
    """An error in our own words; with ``key`` it is about that key of the mapping."""
    return PydanticCustomError("holdfast", "{text}", {"text": text, "key": key})


def leaf(expected: str, *kinds: type, one_line: bool = False) -> PlainValidator:
    """A scalar of one of these kinds (a bool is not an int); with ``one_line``, if text, then on one line."""

    def check(value: Any) -> Any:
        if type(value) not in kinds:
            raise complaint(f"expected {expected}")
        if one_line and isinstance(value, str) and not is_one_line(value):
            raise complaint(f"expected {expected} on one line")
        return value

    return PlainValidator(check)


class _ByKind(Discriminator):
    """A discriminator that can stand inside another: Python hashes the members of a union."""

    __hash__ = object.__hash__


def by_kind(expected: str, *tags: str) -> Discriminator:
    """Tell the branches of a union apart by the kind of value, so that only one of them complains."""
    kinds: dict[type, str] = {dict: "~mapping", list: "~list", type(None): "~null"}

    def branch(value: Any) -> str | None:
        tag = kinds.get(type(value), "~scalar")
        return tag if tag in tags else None

    return _ByKind(
        branch,
        custom_error_type="holdfast",
        custom_error_message="{text}",
        custom_error_context={"text": f"expected {expected}"},
    )


def one_of(*words: str, otherwise: str = "") -> Callable[[Any], Any]:
    """A check for one of some words; ``otherwise`` names what else can stand there."""

    def check(value: Any) -> Any:
        if value in words:
            return value
        hint = did_you_mean(value, words) if isinstance(value, str) else ""
        raise complaint(f"expected {' or '.join(words)}{otherwise and f', or {otherwise}'}{hint}")

    return check


_SCALAR_JSON = WithJsonSchema({"type": ["string", "number", "boolean"]})
_NAME_JSON = WithJsonSchema({"type": ["string", "integer", "boolean"]})

Text = Annotated[
    str, leaf("text (in quotes, if it looks like a number)", str), WithJsonSchema({"type": "string"})
]
Title = Annotated[
    str,
    leaf("text (in quotes, if it looks like a number)", str, one_line=True),
    WithJsonSchema({"type": "string"}),
]
Name = Annotated[Any, leaf("a name", str, int, bool, one_line=True), _NAME_JSON]
ExpressionText = Annotated[Any, leaf("an expression", str, int, float, bool), _SCALAR_JSON]
Probability = Annotated[float, Field(ge=0, le=1)]


def _yes_or_no(value: Any) -> Any:
    """YAML 1.2 reads ``yes`` and ``no`` as words, and editors write ``true`` and ``false``."""
    if value in ("yes", "no") or isinstance(value, bool):
        return value
    raise complaint("expected yes or no")


YesNo = Annotated[Any, PlainValidator(_yes_or_no), WithJsonSchema({"enum": ["yes", "no", True, False]})]


class FileSection(BaseModel):
    """A mapping of the file with known keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)
    called: ClassVar[str] = "this mapping"

    @model_validator(mode="before")
    @classmethod
    def _check_keys(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, dict):
            raise complaint("expected a mapping")
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        for key in value:
            if key not in fields:
                hint = did_you_mean(key, fields) or f"; the keys here are {', '.join(fields)}"
                if key in (info.context or ()):
                    hint = f'; "{key}:" stands at the top level of the file, without indentation'
                raise complaint(f'unknown key "{shortened(key)}" in {cls.called}{hint}', key)
        for key, field in fields.items():
            if field.is_required() and key not in value:
                raise complaint(f'"{key}" is missing in {cls.called}: {field.description}')
        return value


def validate(model: type[BaseModel], node: Node, top: Collection[str] = ()) -> None:
    """Check one node against a model; ``top`` has the keys of the whole file, for those who indent one.

    Raises:
        Problem: for the first mistakes, in the order of the file.
    """
    try:
        model.model_validate(data(node), context=top)
    except ValidationError as error:
        raise several([_problem(node, details) for details in error.errors(include_url=False)]) from None


def _problem(root: Node, details: Any) -> Problem:
    node = root
    for step in details["loc"]:
        if isinstance(step, int) and step < len(node.items):
            node = node.items[step]
        elif step in node.entries:
            node = node.entries[step]
    context = details.get("ctx", {})
    if details["type"] == "holdfast":
        text, key = context["text"], context.get("key")
        if key in node.keys:
            return node.keys[key].problem(text)
    else:
        bounds = {
            name: int(x) if x == x // 1 else x for name, x in context.items() if isinstance(x, int | float)
        }
        text = "expected " + _EXPECTED.get(details["type"], "something else").format(**bounds)
    if text.startswith("expected"):
        n = len(node.items or node.entries)
        if details["type"] == "list_type" and re.match(r"-\S", node.text):
            text = "expected a blank after the dash of a list"
        text += f", found {n:,}" if details["type"] == "too_long" else f", found {node.describe()}"
    return node.problem(text)


# -- names that the expression language can read ----------------------------------------------------


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
    match = _ACTION.fullmatch(node.text)
    if match is None or len(node.text) > MAX_NAME:
        raise node.problem(
            f"{node.describe()} cannot name an action; use letters, digits and _, as in shut or shut(valve1)"
        )
    if match[1] in RESERVED:
        raise node.problem(
            f'"{match[1]}" is a word of the expression language; choose another name for the action'
        )
    return str(match[1])


def check_new(name: str, node: Node, taken: dict[str, str], what: str) -> None:
    """Refuse a name that already means something else, and take it."""
    if name in taken:
        raise node.problem(f'"{shortened(name)}" is already {taken[name]}; choose another name for {what}')
    taken[name] = what


def new_entries(
    section: Node, key: str, what: str, taken: dict[str, str]
) -> Iterator[tuple[str, Node, Node]]:
    """The entries of a mapping in a section, if there is one, with the node of each key; names are new."""
    entries = section.get(key)
    for name, node in entries.entries.items() if entries is not None else ():
        assert entries is not None
        own = entries.keys[name]
        check_new(check_name(own, what), own, taken, what)
        yield name, own, node
