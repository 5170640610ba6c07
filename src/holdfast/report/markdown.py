"""Reports as GitHub-flavoured Markdown, fit for a comment on a pull request.

What a report takes from a file is text and stays text: characters that mean something in Markdown or HTML
are escaped, a name cannot call a person or another thread (``@``, ``#``), and an address is not made a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from holdfast.compare import Comparison, Subject
from holdfast.report.blocks import Block, Facts, Points, Prose, Row, Section, Verdict, Warnings
from holdfast.report.comparison import sections
from holdfast.report.fingerprint import (
    Gates,
    contract,
    gate_table,
    meaning,
    operating_point,
    readings,
    shell_sizes,
    title_of,
    verdict_of,
    verdicts,
)
from holdfast.report.provenance import facts_of, runs, shared
from holdfast.report.reading import sentences
from holdfast.report.tables import Cell, Table
from holdfast.report.terminal import plain
from holdfast.results import Analysis

MAX_TEXT = 500
MAX_COMMENT = 60_000
"""Characters of one text, and of a whole report: GitHub refuses a comment past 65,536."""

SIGNS = {"good": "✅", "bad": "❌", "open": "⚠️"}
HTML = {
    ord(c): safe
    for c, safe in {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "@<!-- -->", "#": "#<!-- -->"}.items()
}
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


def analysis_markdown(analysis: Analysis, gates: Gates = ()) -> str:
    """One analysis: the verdict, what it means, the readings; the rest folded."""
    blocks: list[Block] = [verdict_of(analysis)]
    if analysis.undecided:
        blocks.append(Verdict("open", "UNDECIDED", analysis.undecided))
    said = list(filter(None, (meaning(analysis), operating_point(analysis))))
    blocks += [Prose("\n\n".join(said)), Warnings(analysis.warnings)]
    if gates:
        blocks.append(gate_table(gates))
    blocks.append(readings(analysis))
    found = [
        Section(f"Holdfast: {title_of(analysis)}", tuple(blocks)),
        Section("Requirement and boundary", (contract(analysis),), detail=True),
        Section("Positions by how soon a violation is forced", (shell_sizes(analysis),), detail=True),
        Section("Provenance", (Facts(tuple(facts_of(analysis).items())),), detail=True),
    ]
    return markdown(found)


def comparison_markdown(comparison: Comparison, subjects: Sequence[Subject]) -> str:
    """A comparison: verdicts, the reading, fingerprints, ΔF and inversions; the rest folded."""
    head = Section(
        f"Holdfast: {len(comparison.entries)} designs against {comparison.base}",
        (
            *verdicts(comparison, subjects),
            Warnings(comparison.warnings),
            Points(tuple(sentences(comparison))),
        ),
    )
    sources = (runs(subjects), Facts(tuple(shared(subjects).items())))
    return markdown([head, *sections(comparison), Section("Provenance", sources, detail=True)])


def markdown(found: Iterable[Section]) -> str:
    """Sections one after the other, details folded; what a comment has no room for is left out and said."""
    parts: list[str] = []
    room = MAX_COMMENT
    left_out = []
    for number, section in enumerate(found):
        part = "\n\n".join(_section(section, level=2 if number == 0 else 3))
        if len(part) > room:
            left_out.append(escaped(section.title, 80))
            continue
        room -= len(part) + 2
        parts.append(part)
    if left_out:
        parts.append(f"*Left out, as a comment has no room for it: {'; '.join(left_out[:8])}.*")
    return "\n\n".join(parts) + "\n"


def _section(section: Section, level: int) -> Iterator[str]:
    body = [text for block in section.blocks for text in _block(block)]
    if section.detail:
        # An element of HTML, in which a backslash would be seen.
        yield f"<details><summary>{_inert(section.title, 200, HTML)}</summary>"
        yield from body
        yield "</details>"
    else:
        yield f"{'#' * level} {escaped(section.title, 200)}"
        yield from body


def _block(block: Block) -> Iterator[str]:
    """A block as paragraphs; a figure has no place in a comment."""
    match block:
        case Prose():
            yield from (escaped(part, 4 * MAX_TEXT) for part in block.text.split("\n\n"))
        case Points():
            yield "\n".join(f"- {escaped(item, 2 * MAX_TEXT)}" for item in block.items)
        case Verdict():
            about = f" {escaped(block.about, 200)}:" if block.about else ""
            yield f"{SIGNS[block.tone]} **{block.word}**{about} {escaped(block.sentence)}"
        case Warnings():
            for item in block.items:
                yield f"> [!WARNING]\n> {escaped(item)}"
        case Facts():
            yield "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in block.items)
        case Table():
            yield markdown_table(block)
            if block.note:
                yield escaped(block.note)
        case Row():
            for inner in block.blocks:
                yield from _block(inner)
        case _:
            return


def markdown_table(table: Table) -> str:
    r"""A table, numbers to the right; a remark stands below its number, in small print.

    >>> from holdfast.report.tables import Column, words
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
