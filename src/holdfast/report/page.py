"""A report as one HTML file: nothing is fetched, nothing is sent, and nothing in a scenario can act.

Every text is escaped by the template engine, control and direction marks are made visible first, and a
content security policy allows only the style in the file and the one script, by its hash. Figures stand in
``img`` elements as data, where an SVG can neither run anything nor reach the page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from holdfast.report.blocks import Block, Facts, Figure, Points, Prose, Row, Section, Verdict, Warnings
from holdfast.report.tables import Cell, Table

__all__ = [
    "Block",
    "Cell",
    "Facts",
    "Figure",
    "Points",
    "Prose",
    "Row",
    "Section",
    "Table",
    "Verdict",
    "Warnings",
    "document",
]

MAX_TITLE = 120
MAX_TEXT = 4_000
"""Characters of a heading, and of any other text; a report is for reading."""


def document(*, title: str, lead: str, sections: Sequence[Section], provenance: Mapping[str, str]) -> str:
    """A whole page, self-contained, light and dark, fit for print.

    Args:
        title: the heading.
        lead: one or two sentences below it.
        sections: in order; each gets an entry in the table of contents.
        provenance: where the numbers come from, shown at the end.
    """
    script = _resource("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    found = (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=title,
            lead=lead,
            sections=sections,
            provenance=provenance,
            style=Markup(_resource("page.css")),
            script=Markup(script),
            digest=digest,
            version=version("holdfast"),
        )
    )
    return f"{found.strip()}\n"


def _resource(name: str) -> str:
    return (files("holdfast.report") / "templates" / name).read_text("utf-8").strip()


@cache
def _environment() -> Environment:
    """The templates, with escaping on and no silent gaps."""
    environment = Environment(
        loader=PackageLoader("holdfast.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "shown": shown,
        "paragraphs": paragraphs,
        "kind": lambda block: type(block).__name__,
        "data": svg_data,
        "share": lambda value: "" if value is None else f"{100 * min(max(value, 0), 1):.2f}%",
    }
    return environment


def shown(text: str, limit: int = MAX_TEXT) -> str:
    r"""Text for the page: control and direction marks made visible, and not longer than a reader reads.

    >>> shown("a\u202eb"), shown("abcdef", 4)
    ('a·b', 'abc…')
    """
    whole = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return "".join(c if c.isprintable() or c == "\n" else "·" for c in whole)


def paragraphs(text: str) -> list[str]:
    """Text parted at empty lines."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def svg_data(svg: str) -> str:
    """A drawing as the address of an image."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
