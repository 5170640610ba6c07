"""A scenario with one variant more: a design of the file under one clause more on φ_D.

A certificate is about a scenario that it carries with it. What is certified of a design under one more clause
is therefore a variant of its own, and the checker reads it as it reads any other.
"""

from __future__ import annotations

from typing import Any

import yaml

from holdfast.scenario.load import Scenario
from holdfast.source.yaml import data


def with_clause(scenario: Scenario, variant: str | None, clause: dict[str, Any], name: str) -> str:
    """The text of the scenario with one more variant: the base or a variant of it, and a clause of φ_D added.

    Args:
        scenario: the file.
        variant: which design of it; None for the base.
        clause: as the file would have it.
        name: of the new variant.
    """
    whole: dict[str, Any] = data(scenario._root)
    variants = whole.setdefault("variants", {})
    changed: dict[str, Any] = {**variants[variant]} if variant is not None else {}
    specs = {**changed.get("specs", {})}
    own = specs.get("defender", {})
    if isinstance(own, list):
        specs["defender"] = [*own, clause]
    else:
        specs["defender"] = {**own, "add": [*own.get("add", []), clause]}
    variants[name] = {**changed, "specs": specs}
    text: str = yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=100)
    return text
