"""The check of a node tree against the schema, and the place of every complaint."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

from holdfast.scenario.places import Problem, several, shortened
from holdfast.scenario.schema import VERSION, ScenarioFile
from holdfast.scenario.yaml import Node, data

BASE = "base"

_NETWORK_ONLY = ("links", "add_links", "remove_links", "add_hosts", "remove_hosts", "entry", "reset")
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


def check_shape(root: Node) -> None:
    """Check a whole scenario file, variants included.

    Raises:
        Problem: for the first mistakes, in the order of the file.
    """
    if root.kind != "mapping":
        raise root.problem(
            f'expected a mapping that starts with "holdfast: {VERSION}", found {root.describe()}'
        )
    version = root.entries.get("holdfast")
    if version is not None and (type(version.value) is not int or version.value != VERSION):
        raise version.problem(
            f"version {version.describe()} of the format; this Holdfast reads version {VERSION}: "
            f'write "holdfast: {VERSION}", or use a newer Holdfast'
        )
    _refuse_two_systems(root)
    validate(ScenarioFile, root)
    _check_system(root)
    variants = root.get("variants")
    if variants is not None:
        for name, key in variants.keys.items():
            _check_variant(root, name, key, variants[name])


def validate(model: type[BaseModel], node: Node) -> None:
    """Check one node against a model."""
    try:
        model.model_validate(data(node))
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
        text += f", found {n:,}" if details["type"] == "too_long" else f", found {node.describe()}"
    return node.problem(text)


def _refuse_two_systems(root: Node) -> None:
    """Before all else: what is missing in the one that is too many is no help."""
    if root.get("network") is not None and root.get("game") is not None:
        raise root.keys["game"].problem(
            'both "network" and "game"; a scenario has one of them: remove the other'
        )


def _check_system(root: Node) -> None:
    if root.get("network") is None and root.get("game") is None:
        raise root.problem('a scenario needs "network" or "game"; add the system that is to be defended')


def _check_variant(root: Node, name: str, key: Node, variant: Node) -> None:
    """A variant changes what the base has: a network's links, or a game's entries."""
    if name == BASE:
        raise key.problem(f'a variant cannot be called "{BASE}": that is the scenario without changes')
    is_network, within = root.get("network") is not None, f'variant "{shortened(name)}"'
    for changed, place in variant.keys.items():
        if not is_network and changed in _NETWORK_ONLY:
            raise place.problem(
                f'{within}: "{changed}" changes a network, but this scenario has a game; use "game"'
            )
        if is_network and changed == "game":
            raise place.problem(
                f'{within}: "game" changes a game, but this scenario has a network; use add_links, …'
            )
