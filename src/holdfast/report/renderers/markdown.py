"""Reports as GitHub-flavoured Markdown, fit for a comment on a pull request.

What a report takes from a file is text and stays text: characters that mean something in Markdown or HTML
are escaped, a name cannot call a person or another thread (``@``, ``#``), and an address is not made a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from holdfast.report import blocks
from holdfast.report.blocks import (
    FIGURES,
    Block,
    Branch,
    Cell,
    Document,
    Facts,
    Phrase,
    Section,
    Table,
    stacked,
)
from holdfast.report.renderers.terminal import plain

MAX_TEXT = 500
MAX_COMMENT = 60_000
"""Characters of one text, and of a whole report: GitHub refuses a comment past 65,536."""

SIGNS = {"good": "✅", "bad": "❌", "open": "⚠️"}
HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@<!-- -->", "#": "#<!-- -->"})
MARKDOWN = HTML | {ord(c): f"\\{c}" for c in "\\`*_[]|~$"}


def escaped(text: str, limit: int = MAX_TEXT) -> str:
    r"""Text that Markdown shows as it is, on one line.

    >>> print(escaped("a|b\n<script> `x` @you www.example.org"))
    a\|b &lt;script&gt; \`x\` @<!-- -->you www&#46;example.org
    """
    safe = _inert(text, limit, MARKDOWN)
    return re.sub(r"^(\d+)([.)])(?=\s|$)|^([-+=])(?=[-=\s]|$)", _unlisted, safe)


def _inert(text: str, limit: int, escapes: dict[int, str]) -> str:
    """Text on one line, cut, escaped, and without addresses."""
    one_line = plain(" ".join(text.split()))
    short = one_line if len(one_line) <= limit else f"{one_line[: limit - 1]}…"
    safe = short.translate(escapes).replace("://", "&#58;//")
    return re.sub(r"(www)\.", r"\1&#46;", safe, flags=re.IGNORECASE)


def _unlisted(found: re.Match[str]) -> str:
    """The start of a line that would be a list or a rule."""
    return f"{found[1]}\\{found[2]}" if found[1] else f"\\{found[3]}"


def markdown(document: Document) -> str:
    """A document, details folded; what a comment has no room for is left out and said."""
    parts: list[str] = []
    room = MAX_COMMENT
    left_out = []
    provenance = Section("Provenance", (Facts(document.provenance),), detail=True)
    for number, section in enumerate([*document.sections, provenance]):
        shown = stacked(section.blocks, without=FIGURES)
        body = list(_apart(text for block in shown for text in _block(block)))
        if not body:
            continue
        head = f"## Holdfast: {escaped(document.title, 200)}" if number == 0 else ""
        part = "\n\n".join([head, *body] if head else _section(section, body))
        if len(part) > room:
            left_out.append(escaped(section.title, 80))
            continue
        room -= len(part) + 2
        parts.append(part)
    if left_out:
        parts.append(f"*Left out for lack of space: {'; '.join(left_out[:8])}.*")
    return "\n\n".join(parts) + "\n"


def _section(section: Section, body: Sequence[str]) -> list[str]:
    if not section.detail:
        return [f"### {escaped(section.title, 200)}", *body]
    # The summary is an element of HTML, in which a backslash would be seen.
    return [f"<details><summary>{_inert(section.title, 200, HTML)}</summary>", *body, "</details>"]


def _apart(texts: Iterable[str]) -> Iterator[str]:
    """Texts with something between two lists, which would be taken for one."""
    before = ""
    for text in texts:
        if text.startswith("- ") and before.startswith("- "):
            yield "<!-- -->"
        yield (before := text)


def _block(block: Block) -> Iterator[str]:
    """A block as paragraphs."""
    match block:
        case blocks.Prose(text=str(text)):
            yield from (escaped(part, 4 * MAX_TEXT) for part in text.split("\n\n"))
        case blocks.Prose():
            yield _phrase(block.text)
        case blocks.Points():
            numbered = enumerate(block.items, block.first or 0)
            lines = [("-" if block.first is None else f"{number}.", item) for number, item in numbered]
            yield "\n".join(f"{mark} {_phrase(item, 2 * MAX_TEXT)}" for mark, item in lines)
        case blocks.Banner():
            about = f" {escaped(block.about, 200)}:" if block.about else ""
            yield f"{SIGNS[block.tone]} **{escaped(block.word)}**{about} {escaped(block.sentence)}"
        case blocks.Warnings():
            for item in block.items:
                yield f"> [!WARNING]\n> {escaped(item)}"
        case Facts():
            yield "\n".join(_facts(block))
        case Table():
            if block.title:
                yield escaped(block.title)
            yield markdown_table(block)
            if block.note:
                yield escaped(block.note)
        case blocks.Tree():
            yield "\n".join(line for branch in block.branches for line in _lines(branch))
        case blocks.CommandLine():
            yield f"{escaped(block.words)}: {_code(block.line)}"
        case blocks.Heading():
            yield f"#### {escaped(block.text, 200)}"


def _facts(facts: Facts) -> Iterator[str]:
    """A name and what it stands for in a line; what a name repeated stands for, in lines below it."""
    for name, items in groupby(facts.items, lambda item: item[0]):
        first, *others = (_phrase(value) for _, value in items)
        yield f"- {_phrase(name)}:" if others else f"- {_phrase(name)}: {first}"
        yield from (f"  - {value}" for value in ([first, *others] if others else ()))


def _lines(branch: Branch, depth: int = 0) -> Iterator[str]:
    """A tree as a list of lists."""
    yield f"{'  ' * depth}- {_phrase(branch.line)}"
    for inner in () if branch.folded else branch.branches:
        yield from _lines(inner, depth + 1)


def _phrase(phrase: Phrase, limit: int = MAX_TEXT) -> str:
    """Words that are strong in bold; blanks stay outside of the marks, as Markdown wants it."""
    if isinstance(phrase, str):
        return escaped(phrase, limit)
    text = ""
    for span in phrase:
        words = escaped(span.text, limit)
        marked = f"**{words}**" if words and span.role in ("strong", "bad") else words
        before = " · " if span.text.startswith("  ") else " " * span.text[:1].isspace()
        text += before + marked + " " * span.text[-1:].isspace()
    return " ".join(text.split())


def _code(line: str) -> str:
    """A command line as code, fenced by more backticks than it has in a row."""
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    return f"{fence} {plain(line)} {fence}" if "`" in line else f"{fence}{plain(line)}{fence}"


def markdown_table(table: Table) -> str:
    r"""A table, numbers to the right; a remark stands below its number, in small print.

    >>> from holdfast.report.blocks import Column, words
    >>> print(markdown_table(Table("", (words("design"), Column("WIN")), (("a|b", 0.5),))))
    | design | WIN |
    | :-- | --: |
    | a\|b | 0.5000 |
    """
    rule = {"number": "--:", "share": "--:"}
    lines = [
        [escaped(column.title) for column in table.columns],
        [rule.get(column.kind, ":--") for column in table.columns],
        *([_cell(cell) for cell in row] for row, _ in table.marked()),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: Cell) -> str:
    text = "<br>".join(escaped(line) for line in cell.text.split("\n"))
    strong = f"**{text}**" if cell.strong else text
    notes = [f"<sub>{escaped(line)}</sub>" for line in cell.note.split("\n") if line]
    return "<br>".join([strong, *notes])
