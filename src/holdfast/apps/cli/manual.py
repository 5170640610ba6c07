"""The manual page, made of the command line's own texts, for ``man holdfast``.

``make man`` writes it into the project, a test sees that it was not forgotten, and the wheel carries it to
where ``man`` looks. The markup is that of man(7): ``.SH`` is a section, ``.SS`` a command, ``.TP`` an option.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import typer

from holdfast import __version__
from holdfast.apps import cli
from holdfast.apps.cli.app import EXIT_CODES
from holdfast.apps.cli.examples import EXAMPLES

NAME = "holdfast"


def manual() -> str:
    """The page as man(7)."""
    group: Any = typer.main.get_command(cli.app)
    context = typer.Context(group, info_name=NAME)
    lines = [
        '.\\" Written by make man; not to be edited.',
        f'.TH {NAME.upper()} 1 "" "{NAME} {__version__}" "User Commands"',
        ".SH NAME",
        f"{NAME} \\- {escaped(group.help.rstrip('?').lower())}",
        ".SH SYNOPSIS",
        f".B {NAME}",
        "[\\fIoption\\fR ...] \\fIcommand\\fR [\\fIargument\\fR ...]",
        ".SH OPTIONS",
        *_options(group, context),
        ".SH COMMANDS",
    ]
    for name in EXAMPLES:
        command = group.whole(name)
        usage = " ".join(command.collect_usage_pieces(context))
        lines += [f'.SS "{escaped(name)} {escaped(usage)}"', *_paragraphs(command.help or "")]
        lines += _options(command, typer.Context(command, parent=context, info_name=name))
        lines += [".PP", "Example:", ".nf", *map(escaped, EXAMPLES[name].lines), ".fi"]
    lines += [".SH EXIT STATUS"]
    for code, meaning in EXIT_CODES.items():
        lines += [".TP", f".B {code}", escaped(meaning)]
    return "\n".join(lines) + "\n"


def _options(command: Any, context: typer.Context) -> list[str]:
    """The arguments and options of a command, each with what is said of it."""
    records = [param.get_help_record(context) for param in command.get_params(context)]
    return [
        line
        for name, text in filter(None, records)
        for line in (".TP", f"\\fB{escaped(name)}\\fR", escaped(text) or "\\&")
    ]


def _paragraphs(text: str) -> list[str]:
    parts = re.split(r"\n\s*\n", inspect.cleandoc(text))
    return "\n.PP\n".join(map(escaped, parts)).splitlines()


def escaped(text: str) -> str:
    r"""Text in which nothing is markup: a hyphen is the sign that is typed, a full stop begins no request.

    >>> escaped("--json"), escaped(".5 of C:\\"), escaped('a "b"')
    ('\\-\\-json', '\\&.5 of C:\\e', 'a \\(dqb\\(dq')
    """
    plain = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


if __name__ == "__main__":
    print(manual(), end="")
