"""The forms of an answer: the options that ask for them, and how they are given."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.app import emit
from holdfast.cli.options import AsJson
from holdfast.errors import InputError
from holdfast.report import rendered

if TYPE_CHECKING:
    from holdfast.budget import Budget
    from holdfast.report.blocks import Document, Section
    from holdfast.solution import Solution

REASONS_SECONDS = 30.0
"""What a page or a comment spends on the reasons behind one verdict, at most."""


@dataclass(frozen=True)
class Form:
    """How the answer is given: for a person, for a program or for a pull request, and as a page besides."""

    as_json: AsJson = False
    as_markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="Print GitHub-flavoured Markdown, for a pull request, with the reasons."
        ),
    ] = False
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write a report there as well: one page, complete in itself, with the reasons (see "
            "explain).",
        ),
    ] = None

    @property
    def has_reasons(self) -> bool:
        """Whether there is room for why the verdict is as it is."""
        return self.as_markdown or self.html is not None

    def refuse(self, *taken: Path | None, csv: bool = False) -> None:
        """Refuse, before the work, two forms for one standard output, and a page where it cannot be."""
        asked = {"--json": self.as_json, "--markdown": self.as_markdown, "--csv": csv}
        chosen = [option for option, wanted in asked.items() if wanted]
        if len(chosen) > 1:
            raise typer.BadParameter(f"{' and '.join(chosen)} both print the answer; choose one of them")
        refuse_place(self.html, *taken)

    def answer(
        self, document: Callable[[], Document], data: Callable[[], Any], csv: Callable[[], str] | None = None
    ) -> None:
        """Write the page that was asked for, and print the answer; ``csv`` takes the place of words."""
        built = cache(document)  # a page and the terminal show one and the same
        if self.html is not None:
            from holdfast.files import write_whole

            write_whole(self.html, rendered(built(), "html"))
            print(f"wrote {self.html}", file=sys.stderr)
        if self.as_json:
            emit(json.dumps(data()))
        elif csv is not None:
            _emit_csv(csv())
        else:
            emit(rendered(built(), "markdown" if self.as_markdown else "text"))


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


def reasons_of(solution: Solution, engine: str, budget: Budget, title: str = "") -> tuple[Section, ...]:
    """Why the verdict is as it is, for a report with room for it; under one title if there is one."""
    from holdfast.explanation import explain
    from holdfast.report.explanation_document import reasons, reasons_together

    found = explain(solution, engine=engine, budget=budget.share(1.0, REASONS_SECONDS))
    return (reasons_together(found, title),) if title else tuple(reasons(found))


def _emit_csv(text: str) -> None:
    """Print lines that end as RFC 4180 has it, on every system."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline="")
    emit(text)
