"""Results in the forms in which they leave Holdfast: a document, text, Markdown, a page, tables, plain data.

What a form needs is imported when it is asked for: the plotting library takes long to load.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from holdfast import report
from holdfast.apps.reproduce.reproducing import Reproduction, reproduction_object
from holdfast.certificates import Verdict
from holdfast.composition import Composition, composition_object
from holdfast.design import (
    Fragility,
    Frontier,
    Ladder,
    LikelyFrontier,
    Recommendation,
    SensorSets,
    fragility_object,
    frontier_object,
    ladder_object,
    levels,
    likely_object,
    recommendation_object,
    sensors_object,
)
from holdfast.errors import InputError, missing
from holdfast.explanation import (
    Explanation,
    Playbook,
    SeenPlaybook,
    explanation_object,
    playbook_object,
    seen_playbook_object,
)
from holdfast.game import UNBOUNDED, Configuration
from holdfast.readings import Analysis, Comparison, Entry, analysis_object, comparison_object
from holdfast.report import Aside, Block, Document, Illustration, Illustrations, Row, rendered
from holdfast.solver import Solution

Result: TypeAlias = (
    Analysis
    | Comparison
    | Composition
    | Explanation
    | Fragility
    | Frontier
    | Ladder
    | LikelyFrontier
    | Playbook
    | Recommendation
    | SeenPlaybook
    | Reproduction
    | SensorSets
)
Shown: TypeAlias = Result | Configuration | Solution | Verdict
"""What has a document; a question, a solved game and a checked proof are shown and are no readings."""

DOCUMENTS: Mapping[type, str] = {
    Analysis: "analysis_document",
    Comparison: "comparison_document",
    Composition: "composition_document",
    Configuration: "configuration_document",
    Explanation: "explanation_document",
    Fragility: "fragility_document",
    Frontier: "frontier_document",
    Ladder: "ladder_document",
    LikelyFrontier: "likely_frontier_document",
    Playbook: "playbook_document",
    Recommendation: "recommendation_document",
    SeenPlaybook: "seen_playbook_document",
    SensorSets: "sensors_document",
    Solution: "solution_document",
    Verdict: "verdict_document",
}
"""By which function of :mod:`holdfast.report` the document of each is made."""

OBJECTS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    Analysis: analysis_object,
    Comparison: comparison_object,
    Composition: composition_object,
    Explanation: explanation_object,
    Fragility: fragility_object,
    Frontier: frontier_object,
    Ladder: lambda found: {"defensible": found.defensible, "ladder": ladder_object(found)},
    LikelyFrontier: likely_object,
    Playbook: playbook_object,
    Recommendation: recommendation_object,
    SeenPlaybook: seen_playbook_object,
    SensorSets: sensors_object,
    Reproduction: reproduction_object,
}


def document(found: Shown) -> Document:
    """A result, question, solved game or checked proof as a document, which each renderer shows in its way.

    Raises:
        InputError: for something that is no result.
    """
    if isinstance(found, Reproduction):
        from holdfast.apps.reproduce import gallery, outcome
        from holdfast.report import svg_text

        drawn = gallery.drawings(found.paper, found.evidence)
        return outcome.document(found, {d: svg_text(d.draw(), f"{d.stem}-") for d in drawn})
    if type(found) not in DOCUMENTS:
        raise _no_result(found, [*DOCUMENTS, Reproduction])
    made: Document = getattr(report, DOCUMENTS[type(found)])(found)
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
        for level, n_held in zip(levels(found.scales), staircase.reach, strict=True):
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
