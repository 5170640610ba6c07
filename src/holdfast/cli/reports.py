"""The options that ask for a report, and how one is written."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdfast.cli.app import emit
from holdfast.errors import InputError

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.report.blocks import Document, Section
    from holdfast.solution import Solution

REASONS_SECONDS = 30.0
"""What a page or a comment spends on the reasons behind one verdict, at most."""

HtmlOption = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write a report there as well: one page, complete in itself, with the reasons (see explain).",
    ),
]
MarkdownOption = Annotated[
    bool,
    typer.Option("--markdown", help="Print GitHub-flavoured Markdown, for a pull request, with the reasons."),
]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print the fingerprint table as CSV, a row a design.")]


def refuse_two_forms(**asked: bool) -> None:
    """Standard output has room for one form of the answer."""
    chosen = [f"--{name}" for name, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise typer.BadParameter(f"{' and '.join(chosen)} both print the answer; choose one of them")


def refuse_place(path: Path | None, *taken: Path | None) -> None:
    """Say before the work that a file cannot be written after it; ``taken`` are not to be overwritten."""
    if path is None:
        return
    if any(other is not None and path.resolve() == other.resolve() for other in taken):
        raise InputError(f"{path} is another file of this command; name a place of its own")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it, such as {path / 'report.html'}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")


def write_page(path: Path | None, document: Callable[[], Document]) -> None:
    """Write the report if one was asked for, and name it apart from the answer."""
    if path is None:
        return
    from holdfast.files import write_whole
    from holdfast.report.page import page

    write_whole(path, page(document()))
    print(f"wrote {path}", file=sys.stderr)


def emit_document(document: Document, as_markdown: bool) -> None:
    """Print a document for a person or for a pull request."""
    if as_markdown:
        from holdfast.report.markdown import markdown

        emit(markdown(document))
    else:
        from holdfast.report.terminal import terminal

        emit(terminal(document))


def reasons_of(solution: Solution, engine: str, budget: Budget, title: str = "") -> tuple[Section, ...]:
    """Why the verdict is as it is, for a report with room for it; under one title if there is one."""
    from holdfast.explanation import explain
    from holdfast.report.explanation_document import reasons, reasons_together

    found = explain(solution, engine=engine, budget=budget.share(1.0, REASONS_SECONDS))
    return (reasons_together(found, title),) if title else tuple(reasons(found))


def emit_csv(text: str) -> None:
    """Print lines that end as RFC 4180 has it, on every system."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline="")
    emit(text)
