"""Operations on a scenario's text: on clauses and variants here, on structure by the model.

An operation says what it does by its ``kind``. The text comes back changed in that place alone
(:mod:`holdfast.source.splices`), and is only handed out if it still loads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from holdfast.errors import InputError, did_you_mean
from holdfast.models import Edit, Editing, Operation
from holdfast.scenario.load import Scenario, scenario_from_text
from holdfast.scenario.schema import BASE


def editing_of(scenario: Scenario) -> Editing | None:
    """How the structure of this scenario is edited; None where it cannot be."""
    return scenario._model.editing


def operations_of(scenario: Scenario) -> dict[str, type[Operation]]:
    """The operations that there are for a scenario, by kind."""
    editing = editing_of(scenario)
    return {**(editing.operations if editing is not None else {})}


def edited(scenario: Scenario, variant: str | None, operation: Mapping[str, Any]) -> Edit:
    """The text of a scenario with an operation done, in a variant or in the base.

    Raises:
        InputError: for an operation that is none, or cannot be done here.
        ScenarioError: where the text would not load any more.
    """
    variant = None if variant == BASE else variant
    if variant is not None and variant not in scenario.variants:
        raise InputError(f'there is no variant "{variant}"{did_you_mean(variant, scenario.variants)}')
    known = operations_of(scenario)
    kind = str(operation.get("kind", ""))
    if kind not in known:
        hint = did_you_mean(kind, known) or f"; here there are {', '.join(known)}"
        raise InputError(f'there is no operation "{kind[:40]}"{hint}')
    try:
        asked = known[kind].model_validate(dict(operation))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise InputError(f"{kind}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    editing = editing_of(scenario)
    assert editing is not None
    found = editing.edited(scenario.text, variant, asked)
    scenario_from_text(found.text, "scenario")
    return found
