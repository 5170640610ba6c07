"""``explain``: why a configuration is, or is not, defensible."""

from __future__ import annotations

import json

import typer

from holdfast.cli.app import DEFENSIBLE, MEMORY, REFUSED, emit, working
from holdfast.cli.options import (
    Engine,
    EngineOption,
    FileArgument,
    JsonOption,
    MemoryOption,
    TimeoutOption,
    VariantOption,
)


def explain(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Why it is defensible or not: the forced attack and what it needs, or the tightest spots and margins.

    The exit code is that of the verdict. A timeout after the verdict leaves parts of the explanation out,
    and the answer names them.
    """
    from holdfast.engines import solve
    from holdfast.explain import explain as explained
    from holdfast.explain import to_object
    from holdfast.scenario.load import configuration, read_scenario

    with working(timeout, memory) as budget:
        scenario = read_scenario(file, budget)
        solution = solve(configuration(scenario, variant, budget), engine, budget)
        found = explained(solution, engine=engine, budget=budget)
    if as_json:
        emit(json.dumps(to_object(found)))
    else:
        from holdfast.report.explanation import explanation_text

        emit(explanation_text(found, str(file)))
    raise typer.Exit(DEFENSIBLE if found.defensible else REFUSED)
