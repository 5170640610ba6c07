"""Results in the forms in which they leave Holdfast: a document, text, Markdown, a page, plain data.

What a form needs is imported when it is asked for: the plotting library takes long to load.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from holdfast import comparison, explanation, reproduction, results, rulebook
from holdfast.comparison import Comparison
from holdfast.errors import InputError
from holdfast.explanation import Explanation
from holdfast.report import rendered
from holdfast.report.blocks import Document
from holdfast.reproduction import Reproduction
from holdfast.results import Analysis
from holdfast.rulebook import Playbook

Result: TypeAlias = Analysis | Comparison | Explanation | Playbook | Reproduction


def document(found: Result) -> Document:
    """A result as a document, which every renderer shows in its own way.

    Raises:
        InputError: for something that is no result.
    """
    match found:
        case Analysis():
            from holdfast.report.fingerprint import analysis_document

            return analysis_document(found)
        case Comparison():
            from holdfast.report.comparison_document import comparison_document

            return comparison_document(found)
        case Explanation():
            from holdfast.report.explanation_document import explanation_document

            return explanation_document(found)
        case Playbook():
            from holdfast.report.playbook_document import playbook_document

            return playbook_document(found)
        case Reproduction():
            from holdfast.report.figures import svg_text
            from holdfast.reproduction import gallery, outcome

            drawn = gallery.drawings(found.paper, found.evidence)
            return outcome.document(found, {d: svg_text(d.draw(), f"{d.stem}-") for d in drawn})
    raise InputError(
        f"{type(found).__name__} is no result; "
        "expected an analysis, a comparison, an explanation, a playbook or a reproduction"
    )


def render(found: Result, form: str = "text") -> str:
    """A result as text for a terminal, as Markdown, or as one HTML page that is complete in itself.

    Raises:
        InputError: for an unknown form, or for something that is no result.
    """
    return rendered(document(found), form)


def to_object(found: Result) -> dict[str, Any]:
    """A result as plain data for JSON, as ``--json`` prints it."""
    match found:
        case Analysis():
            return results.to_object(found)
        case Comparison():
            return comparison.to_object(found)
        case Explanation():
            return explanation.to_object(found)
        case Playbook():
            return rulebook.to_object(found)
    return reproduction.to_object(found)
