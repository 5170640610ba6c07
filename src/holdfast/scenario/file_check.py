"""The check of a whole scenario file against its schema: version, one system, variants that fit it."""

from __future__ import annotations

from holdfast.models import Model, all_models
from holdfast.scenario.schema import VERSION, file_model
from holdfast.source.places import shortened
from holdfast.source.shape import validate
from holdfast.source.yaml import Node

BASE = "base"


def check_shape(root: Node) -> Model:
    """Check a whole scenario file, variants included; returns the model that it uses.

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
    models = all_models()
    used = [key for key in models if root.get(key) is not None]
    if len(used) > 1:  # before all else: what is missing in the one that is too many is no help
        raise root.keys[used[1]].problem(
            f'both "{used[0]}" and "{used[1]}"; a scenario has one of them: remove the other'
        )
    validate(file_model(), root)
    if not used:
        known = " or ".join(f'"{key}"' for key in models)
        raise root.problem(f"a scenario needs {known}; add the system that is to be defended")
    variants = root.get("variants")
    if variants is not None:
        for name, key in variants.keys.items():
            _check_variant(models, models[used[0]], name, key, variants[name])
    return models[used[0]]


def _check_variant(models: dict[str, Model], used: Model, name: str, key: Node, variant: Node) -> None:
    """A variant changes what the base has."""
    if name == BASE:
        raise key.problem(f'a variant cannot be called "{BASE}": that is the scenario without changes')
    for model in models.values():
        for changed, place in variant.keys.items():
            if model is not used and changed in (model.key, *model.flat):
                instead = f"{used.flat[1]}, …" if used.flat else f'"{used.key}"'
                raise place.problem(
                    f'variant "{shortened(name)}": "{changed}" changes {model.called}, but this scenario has '
                    f"{used.called}; use {instead}"
                )
    nested = variant.get(used.key)
    both = set(variant.keys) & set(nested.keys if nested is not None else ())
    twice = next((key for key in used.flat if key in both), None)
    if twice is not None:
        raise variant.keys[twice].problem(
            f'variant "{shortened(name)}": "{twice}" stands here and under "{used.key}"; keep one of them'
        )
