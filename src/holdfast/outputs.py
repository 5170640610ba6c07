"""Results in the forms in which they leave Holdfast: a document, text, Markdown, a page, tables, plain data.

What a form needs is imported when it is asked for: the plotting library takes long to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeAlias

from holdfast import comparison, explanation, recommendation, reproduction, results, rulebook
from holdfast.checker import Verdict
from holdfast.comparison import Comparison
from holdfast.comparison.findings import Entry
from holdfast.errors import InputError, missing
from holdfast.explanation import Explanation
from holdfast.numerals import UNBOUNDED
from holdfast.product import Configuration
from holdfast.recommendation import Recommendation
from holdfast.report import rendered
from holdfast.report.blocks import Aside, Block, Document, Illustration, Illustrations, Row
from holdfast.reproduction import Reproduction
from holdfast.results import Analysis
from holdfast.rulebook import Playbook
from holdfast.solution import Solution
from holdfast.whatif import frontiers
from holdfast.whatif.frontiers import Frontier

Result: TypeAlias = Analysis | Comparison | Explanation | Frontier | Playbook | Recommendation | Reproduction
Shown: TypeAlias = Result | Configuration | Solution | Verdict
"""What has a document; a question, a solved game and a checked proof are shown and are no readings."""

DOCUMENTS: Mapping[type, str] = {
    Analysis: "fingerprint:analysis_document",
    Comparison: "comparison_document",
    Configuration: "question_document:configuration_document",
    Explanation: "explanation_document",
    Frontier: "frontier_document",
    Playbook: "playbook_document",
    Recommendation: "recommendation_document",
    Solution: "question_document:solution_document",
    Verdict: "question_document:verdict_document",
}
"""Which module of :mod:`holdfast.report` makes the document of each, and by which function if not its own."""

OBJECTS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    Analysis: results.analysis_object,
    Comparison: comparison.comparison_object,
    Explanation: explanation.explanation_object,
    Frontier: frontiers.frontier_object,
    Playbook: rulebook.playbook_object,
    Recommendation: recommendation.recommendation_object,
    Reproduction: reproduction.reproduction_object,
}


def document(found: Shown) -> Document:
    """A result, question, solved game or checked proof as a document, which each renderer shows in its way.

    Raises:
        InputError: for something that is no result.
    """
    if isinstance(found, Reproduction):
        from holdfast.report.figures import svg_text
        from holdfast.reproduction import gallery, outcome

        drawn = gallery.drawings(found.paper, found.evidence)
        return outcome.document(found, {d: svg_text(d.draw(), f"{d.stem}-") for d in drawn})
    if type(found) not in DOCUMENTS:
        raise _no_result(found, [*DOCUMENTS, Reproduction])
    module, _, name = DOCUMENTS[type(found)].partition(":")
    made: Document = getattr(import_module(f"holdfast.report.{module}"), name or module)(found)
    return made


def render(found: Shown, form: str = "text") -> str:
    """A result in one of the forms in which people read it.

    ``text`` is for a terminal, ``markdown`` for a pull request, ``html`` one page that is complete in itself,
    and ``notebook`` the element that a notebook shows by itself.

    Raises:
        InputError: for an unknown form, or for something that is no result.
    """
    return rendered(document(found), form)


def figures(found: Shown) -> tuple[Illustration, ...]:
    """The figures of a result: each shows itself in a notebook, and ``svg`` is its text.

    Raises:
        InputError: for something that is no result.
    """
    blocks = (block for section in document(found).sections for block in section.blocks)
    return tuple(_illustrations(blocks))


def _illustrations(blocks: Iterable[Block]) -> Iterator[Illustration]:
    for block in blocks:
        match block:
            case Illustration():
                yield block
            case Illustrations():
                yield from _illustrations(block.draw())
            case Row() | Aside():
                yield from _illustrations(block.blocks)


def to_object(found: Result) -> dict[str, Any]:
    """A result as plain data for JSON, as ``--json`` prints it.

    Raises:
        InputError: for something that is no result.
    """
    if type(found) not in OBJECTS:
        raise _no_result(found, OBJECTS)
    return OBJECTS[type(found)](found)


# -- tables -----------------------------------------------------------------------------------------


def to_pandas(found: Analysis | Comparison | Frontier | Mapping[str, Analysis]) -> Any:
    """A table of pandas: of analyses a row for each, with every axis; of a frontier a row for each level.

    What is undefined is missing, and what is unbounded infinite.

    Raises:
        InputError: where pandas is not installed, and for something that is no such result.
    """
    match found:
        case Analysis():
            rows = [Entry(found.variant or found.name, found, found)]
        case Comparison():
            rows = list(found.entries)
        case Mapping() if found and all(isinstance(each, Analysis) for each in found.values()):
            base = next(iter(found.values()))
            rows = [Entry(label, each, base) for label, each in found.items()]
        case Frontier():
            return _frame(_levels(found))
        case _:
            raise _no_result(found, [Analysis, Comparison, Frontier])
    return _frame(map(_readings, rows)).set_index("label")


def _frame(rows: Iterable[dict[str, Any]]) -> Any:
    try:
        import pandas
    except ImportError:
        raise InputError(missing("pandas", "pandas", "a table of pandas")) from None
    return pandas.DataFrame(list(rows))


def _readings(row: Entry) -> dict[str, Any]:
    infinite = {UNBOUNDED: math.inf, f"-{UNBOUNDED}": -math.inf}
    return {
        name: infinite.get(value, value) if isinstance(value, str) else value
        for name, value in row.columns().items()
    }


def _levels(found: Frontier) -> Iterator[dict[str, Any]]:
    """Each level of each design: the numbers but the last, and the hardest value of the last that holds."""
    *outer, last = found.scales
    for staircase in found.staircases:
        for level, n_held in zip(frontiers.levels(found.scales), staircase.reach, strict=True):
            named = {scale.text(): value for scale, value in zip(outer, level, strict=True)}
            yield {
                "design": staircase.label,
                **named,
                last.text(): last.values[n_held - 1] if n_held else None,
            }


def _no_result(found: object, kinds: Iterable[type]) -> InputError:
    names = sorted(kind.__name__ for kind in kinds)
    return InputError(
        f"{type(found).__name__} is no result; expected one of {', '.join(names[:-1])} or {names[-1]}"
    )
