"""A report as one HTML file: nothing is fetched, nothing is sent, and nothing in a scenario can act.

Every text is escaped by the template engine, control and direction marks are made visible first, and a
content security policy allows only the style in the file and the one script, by its hash. Figures are drawn
by Holdfast and stand in the page as SVG, so that they follow its colours.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import groupby

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from holdfast import __version__
from holdfast.report.blocks import Aside, Block, Document, Illustrations, Row, is_empty, spans
from holdfast.report.figures.style import DARK_SERIES, SERIES

SMALL = 320.0
"""Points of width up to which a figure is still read when it is scaled to a narrow window."""

LONG_WORD, LONGEST_WORD = 24, 160
"""Characters of a word past which it may break, and past which it is cut."""

MAX_TEXT = 4_000
"""Characters of any one text; a report is for reading."""


def page(document: Document) -> str:
    """A document as a whole page, self-contained, light and dark, fit for print."""
    script = resource("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return filled(
        "page.html.j2",
        document,
        style=styles("palette.css", "report.css", "page.css"),
        script=Markup(script),
        digest=digest,
        version=__version__,
    )


def filled(template: str, document: Document, **more: object) -> str:
    """A template with a document in it: figures drawn, and no section that turns out to be empty."""
    given = (section for section in document.sections if not section.drawn)
    sections = [replace(section, blocks=_shown(section.blocks)) for section in given]
    kept = [section for section in sections if section.blocks]
    text = templates().get_template(template).render(document=document, sections=kept, **more)
    return text.strip() + "\n"


def styles(*names: str) -> Markup:
    """Style sheets in a row, the colours of figures before them."""
    return Markup("\n".join((_figure_colours(), *map(resource, names))))


def _shown(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks with their figures drawn, and without what turns out to be empty."""
    inside: list[Block] = []
    for block in blocks:
        match block:
            case Illustrations():
                inside += _shown(block.draw())
            case Row() | Aside():
                inside.append(replace(block, blocks=_shown(block.blocks)))
            case _:
                inside.append(block)
    return tuple(block for block in inside if not is_empty(block))


# -- the template -----------------------------------------------------------------------------------


def resource(name: str) -> str:
    """A style sheet or a script, as it stands among the templates."""
    return (files("holdfast.report") / "templates" / name).read_text("utf-8").strip()


@cache
def templates() -> Environment:
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
        "written": written,
        "paragraphs": paragraphs,
        "spans": spans,
        "grouped": lambda facts: [
            (name, [v for _, v in own]) for name, own in groupby(facts, lambda f: f[0])
        ],
        "kind": lambda block: type(block).__name__,
        "drawing": drawing,
        "small": lambda svg: _width(svg) < SMALL,
        "share": lambda value: f"{100 * min(max(value, 0), 1):.2f}%",
    }
    return environment


def shown(text: str, limit: int = MAX_TEXT) -> str:
    r"""Text for the page: control and direction marks made visible, and not longer than a reader reads.

    >>> shown("a\u202eb"), shown("abcdef", 4)
    ('a·b', 'abc…')
    """
    words = re.sub(rf"(\S{{{LONGEST_WORD - 1}}})\S{{2,}}", r"\1…", text)
    whole = words if len(words) <= limit else f"{words[: limit - 1]}…"
    return "".join(c if c.isprintable() or c == "\n" else "·" for c in whole)


def written(text: str, limit: int = MAX_TEXT) -> Markup:
    """Text as the content of an element: :func:`shown`, escaped, and set as the notation is.

    Subscripts of the notation are lowered, and a word that is longer than a narrow column may break.

    >>> written("φ_D of <b>")
    Markup('φ<sub>D</sub> of &lt;b&gt;')
    """
    parts = re.split(rf"(\S{{{LONG_WORD},}})", shown(text, limit))
    safe = "".join(_breakable(part) if i % 2 else str(escape(part)) for i, part in enumerate(parts))
    return Markup(re.sub(r"φ_([DA])\b", r"φ<sub>\1</sub>", safe))


def _breakable(word: str) -> str:
    parts = (word[i : i + LONG_WORD] for i in range(0, len(word), LONG_WORD))
    return "<wbr>".join(str(escape(part)) for part in parts)


def paragraphs(text: str) -> list[str]:
    """Text parted at empty lines."""
    return [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]


def drawing(svg: str) -> Markup:
    """A figure as an element of the page, without what only a file of its own needs."""
    return Markup(svg[svg.index("<svg") :])


def _width(svg: str) -> float:
    width = re.search(r'<svg[^>]*? width="([\d.]+)', svg)
    return float(width[1]) if width else 0.0


def _figure_colours() -> str:
    pairs = zip(SERIES, DARK_SERIES, strict=True)
    colours = " ".join(f"--figure-{i}: light-dark({a}, {b});" for i, (a, b) in enumerate(pairs, 1))
    return f":root {{ {colours} }}"
