"""The forms of an answer: the options that ask for them, and how they are given."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from holdfast.apps.cli.app import emit, emit_part
from holdfast.apps.cli.options import AsJson
from holdfast.errors import HoldfastError, InputError, LimitError, ScenarioError

if TYPE_CHECKING:
    from holdfast.report import CheckCase, Document


@dataclass(frozen=True)
class Form:
    """How the answer is given: for a person, for a program or for a pull request, and as a page besides."""

    as_json: AsJson = False
    as_markdown: Annotated[
        bool,
        typer.Option(
            "--markdown", help="Print GitHub-flavoured Markdown with the reasons, for a pull request."
        ),
    ] = False
    html: Annotated[
        Path | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Also write a report to this file: one self-contained HTML page, with the reasons (see "
            "explain).",
        ),
    ] = None

    @property
    def has_reasons(self) -> bool:
        """Whether there is room for why the verdict is as it is."""
        return self.as_markdown or self.html is not None

    @property
    def is_text(self) -> bool:
        """Whether a person reads the answer as it is printed, and nothing else is made of it."""
        return not (self.as_json or self.has_reasons)

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
        from holdfast.report import rendered

        built = cache(document)  # a page and the terminal show one and the same
        if self.html is not None:
            from holdfast.running import write_whole

            write_whole(self.html, rendered(built(), "html"))
            print(f"wrote {self.html}", file=sys.stderr)
        if csv is not None and not self.as_json:
            _emit_csv(csv())
        else:
            emit(self.text(built, data))

    def text(self, document: Callable[[], Document], data: Callable[[], Any]) -> str:
        """The answer in the form that standard output is to have."""
        from holdfast.report import rendered

        if self.as_json:
            return json.dumps(data())
        return rendered(document(), "markdown" if self.as_markdown else "text")


class Growing:
    """An answer in words that is printed while it is worked out, what is new below what was printed.

    Where the answer is given in another form, nothing is printed before it is whole.
    """

    def __init__(self, form: Form) -> None:
        self.form, self.printed = form, ""

    def tell(self, document: Document) -> None:
        """Print what is new of a document of which no more is there than will not change."""
        if self.form.is_text and document.sections:
            self._extend(document, emit_part)

    def answer(self, document: Callable[[], Document], data: Callable[[], Any]) -> None:
        """Give the whole answer, of which some may have been printed."""
        if not (self.printed and self._extend(document(), emit)):
            self.form.answer(document, data)

    def _extend(self, document: Document, say: Callable[[str], None]) -> bool:
        """Print what is new; False where something else was printed before, for instance in another width."""
        from holdfast.report import rendered

        text = rendered(document, "text")
        if not text.startswith(self.printed):
            return False
        say(text[len(self.printed) :])
        self.printed = text
        return True


@dataclass(frozen=True)
class PipelineForm(Form):
    """The forms of an answer, and what pipelines read: alerts for code scanning, and cases as of a test."""

    sarif: Annotated[
        Path | None,
        typer.Option(
            "--sarif", metavar="FILE", help="Write findings to this file as SARIF 2.1.0, for code scanning."
        ),
    ] = None
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit", metavar="FILE", help="Write one JUnit XML test case per design and gate to this file."
        ),
    ] = None

    @property
    def has_cases(self) -> bool:
        """Whether anything is written for a pipeline."""
        return self.sarif is not None or self.junit is not None

    @property
    def why(self) -> Literal["always", "lost", "never"]:
        """Whose reasons somebody will read: in a report or, those of a lost design, in a pipeline."""
        return "always" if self.has_reasons else "lost" if self.has_cases else "never"

    def refuse(self, *taken: Path | None, csv: bool = False) -> None:
        """Refuse, before the work, also files for the pipeline where they cannot be."""
        super().refuse(*taken, csv=csv)
        refuse_place(self.sarif, *taken, self.html)
        refuse_place(self.junit, *taken, self.html, self.sarif)

    def write_cases(self, cases: Callable[[], Sequence[CheckCase]]) -> None:
        """Write the files for the pipeline that were asked for; without any, nothing is worked out."""
        if self.has_cases:
            write_cases(cases(), self.sarif, self.junit)


def write_cases(cases: Sequence[CheckCase], sarif: Path | None, junit: Path | None) -> None:
    """Write cases as SARIF, as JUnit, or as both."""
    from holdfast.running import write_whole

    if sarif is not None:
        from holdfast.report import sarif as as_sarif

        write_whole(sarif, as_sarif(cases), "the alerts")
    if junit is not None:
        from holdfast.report import junit as as_junit

        write_whole(junit, as_junit(cases), "the cases")


def write_failure(error: HoldfastError, params: Mapping[str, Any]) -> None:
    """Write what ended a command for the pipeline: a limit, or a mistake in a file; never over another file.

    ``params`` are the options of the command by name. A place that cannot be written was told already, or is
    less than the error itself.
    """
    from holdfast.report import failed_case
    from holdfast.scenario import BASE

    if not isinstance(error, LimitError | ScenarioError):
        return
    files = [file for file in [params.get("file"), *(params.get("files") or ())] if file is not None]
    guilty = next((file for file in files if str(error).startswith(f"{file}:")), *files[:1])
    variant = params.get("variant")
    case = failed_case(str(guilty), variant if isinstance(variant, str) else BASE, error)
    sarif, junit = params.get("sarif"), params.get("junit")
    with suppress(InputError):
        refuse_place(sarif, *files, params.get("html"), params.get("certificate"))
        refuse_place(junit, *files, params.get("html"), params.get("certificate"), sarif)
        write_cases([case], sarif, junit)


def refuse_place(path: Path | None, *taken: Path | None) -> None:
    """Say before the work that a file cannot be written after it; ``taken`` are not to be overwritten."""
    if path is None:
        return
    if any(other is not None and path.resolve() == other.resolve() for other in taken):
        raise InputError(f"{path} is already used by another option of this command; name another file")
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file in it, such as {path / 'report.html'}")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first")
    if not os.access(path if os.path.exists(path) and not path.is_file() else path.parent, os.W_OK):
        raise InputError(f"{path}: cannot write: no permission; choose another place")


def _emit_csv(text: str) -> None:
    """Print lines that end as RFC 4180 has it, on every system."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(newline="")
    emit(text)
