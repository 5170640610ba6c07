"""``explain``: why a configuration is, or is not, defensible."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

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
from holdfast.cli.reports import (
    HtmlOption,
    MarkdownOption,
    emit_document,
    refuse_place,
    refuse_two_forms,
    write_page,
)

if TYPE_CHECKING:
    from holdfast.report.blocks import Document


def explain(
    file: FileArgument,
    variant: VariantOption = None,
    engine: EngineOption = Engine.AUTO,
    as_json: JsonOption = False,
    as_markdown: MarkdownOption = False,
    html: HtmlOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = MEMORY,
) -> None:
    """Why it is defensible or not: the forced attack and what it needs, or the tightest spots and margins.

    The exit code is that of the verdict. A timeout after the verdict leaves parts of the explanation out,
    and the answer names them.
    """
    from holdfast.archive import provenance_of
    from holdfast.engines import solve
    from holdfast.explanation import explain as explained
    from holdfast.explanation import to_object
    from holdfast.report.background import background
    from holdfast.report.explanation_document import explanation_document
    from holdfast.scenario.load import configuration, read_scenario

    refuse_two_forms(json=as_json, markdown=as_markdown)
    refuse_place(html, file)
    with working(timeout, memory) as budget:
        scenario = read_scenario(file, budget)
        chosen = configuration(scenario, variant, budget)
        told = background(scenario, chosen, str(file), budget)
        solution = solve(chosen, engine, budget)
        found = explained(solution, engine=engine, budget=budget)

    def document() -> Document:
        provenance = provenance_of(scenario.text, chosen.variant, {"explanation": True})
        return explanation_document(found, told, provenance)

    write_page(html, document)
    if as_json:
        emit(json.dumps(to_object(found)))
    else:
        emit_document(document(), as_markdown)
    raise typer.Exit(DEFENSIBLE if found.defensible else REFUSED)
