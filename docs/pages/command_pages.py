"""The pages of the commands, written from the command line's own help and with the output of its examples."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer
from markup import escaped
from typer.testing import CliRunner

from holdfast.apps.cli import ALSO_CALLED, app
from holdfast.apps.cli.app import BAD_INPUT, DEFENSIBLE, EXIT_CODES, REFUSED, UNDECIDED
from holdfast.apps.cli.examples import EXAMPLES, Example

WIDTH, MOST_LINES = "84", 64

UNTIL_ENDED = "It goes on until you end it"
NOT_RUN = {
    "studio": UNTIL_ENDED,
    "mcp": UNTIL_ENDED,
    "play": UNTIL_ENDED,
    "reproduce": "It takes some ten seconds, and a few times that without `--quick`",
}
"""Examples whose output is not shown, and why."""

FILES = {"links.csv": "source,target\nGW,Web\nGW,WS\nWeb,DB\nWS,DB\nDB,BK\n"}
"""What an example reads besides a scenario."""

MORE = {
    "check": ("Your network in ten minutes", "tutorial.md"),
    "fingerprint": ("Theory and code", "theory.md"),
    "compare": ("Compare designs", "how-to/compare.md"),
    "explain": ("Understand a verdict", "how-to/explain.md"),
    "recommend": ("Find out what to change", "how-to/recommend.md"),
    "frontier": ("Find out how much a design bears", "how-to/frontier.md"),
    "fragile": ("Find out what must never be added", "how-to/fragile.md"),
    "guard": ("Find out what must never be added", "how-to/fragile.md"),
    "sensors": ("Find out what becomes of it if you do not see everything", "how-to/sight.md"),
    "ladder": ("Ask whether the answer survives", "how-to/ladder.md"),
    "playbook": ("Write down what to do", "how-to/playbook.md"),
    "report": ("Understand a verdict", "how-to/explain.md"),
    "automata": ("The specification language", "language.md"),
    "verify": ("Certificates", "certificate.md"),
    "studio": ("Work on a design in the browser", "how-to/studio.md"),
    "mcp": ("Let agents ask", "how-to/agents.md"),
    "play": ("Play against the attacker", "how-to/play.md"),
    "reproduce": ("Reproduce the paper", "how-to/reproduce.md"),
    "export-shield": ("Export a shield", "how-to/export-shield.md"),
    "export-game": ("Say how likely attacks succeed", "how-to/chance.md"),
    "import": ("Import a network", "how-to/import.md"),
    "engines": ("Solve a scenario from Python", "how-to/python.md"),
    "schema": ("Model another system", "how-to/model.md"),
    "init": ("The library", "library.md"),
}
"""The page that tells more about a command."""


def command_names() -> tuple[str, ...]:
    """The commands in the order of ``holdfast --help``."""
    return tuple(EXAMPLES)


def command_index() -> str:
    """The page that lists all commands."""
    rows = [f"| [`{name}`]({name}.md) | {_marked(_summary(name))} |" for name in command_names()]
    codes = [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    other = ", ".join(f"`{word}` ({name})" for word, name in ALSO_CALLED.items())
    return "\n".join(
        (
            "# Commands",
            "",
            "Each page is made from the command's own help: `holdfast COMMAND --help` says the same.",
            "",
            "| command | what it does |",
            "|---|---|",
            *rows,
            "",
            f"Whoever types one of these is told what was meant: {other}.",
            "",
            "## Exit codes",
            "",
            "| code | meaning |",
            "|---|---|",
            *codes,
            "",
            "Where 1 means something else, the page of the command says so. `--json` prints one object on "
            "standard output and nothing else, also for an error.",
            "",
        )
    )


def command_page(name: str, run: bool = True) -> str:
    """The page of one command.

    Args:
        name: of the command.
        run: also run its example and show what comes out.
    """
    command = _group().whole(name)
    context = typer.Context(command, info_name=f"holdfast {name}")
    usage = " ".join((f"holdfast {name}", *command.collect_usage_pieces(context)))
    title, page = MORE[name]
    return "\n".join(
        (
            f"# holdfast {name}",
            "",
            *(_marked(paragraph) + "\n" for paragraph in _paragraphs(command.help or "")),
            f"```text\n{usage}\n```\n",
            *_parameters(
                "Arguments", [p for p in command.params if p.param_type_name == "argument"], context
            ),
            *_parameters("Options", [p for p in command.params if p.param_type_name == "option"], context),
            "## Example\n",
            *_example(name, EXAMPLES[name], run),
            "## Exit codes\n",
            "| code | meaning |",
            "|---|---|",
            *(f"| {code} | {_marked(meaning)} |" for code, meaning in _codes(name, command)),
            "",
            f"More: [{title}](../{page}); [all commands](index.md).",
            "",
        )
    )


def _group() -> Any:
    """The command line as a whole."""
    return typer.main.get_command(app)


def _paragraphs(text: str) -> list[str]:
    return [" ".join(part.split()) for part in text.strip().split("\n\n")]


def _summary(name: str) -> str:
    return _paragraphs(_group().commands[name].help)[0]


def _marked(text: str) -> str:
    """Plain text as Markdown, in which options are set as code."""
    text = escaped(text)
    return re.sub(r"(?<![\w-])(--?[a-z][\w-]*)", r"`\1`", text)


def _parameters(title: str, parameters: list[Any], context: Any) -> Iterator[str]:
    """A list of arguments or options as the help has them, what is said in brackets apart."""
    records = [record for p in parameters if (record := p.get_help_record(context)) is not None]
    if not records:
        return
    yield f"## {title}\n"
    for written, told in records:
        text, _, extra = told.partition("  [")
        if not extra and text.startswith("["):
            text, extra = "", text[1:]
        yield f"`{' '.join(written.split())}`"
        yield f":   {_marked(text)}" + (f" *{_marked(extra.removesuffix(']'))}*" if extra else "") + "\n"


def _codes(name: str, command: Any) -> Iterator[tuple[int, str]]:
    """The exit codes that a command has, each with what it means there."""
    refused = EXAMPLES[name].refused
    yield DEFENSIBLE, EXIT_CODES[DEFENSIBLE] if "defensible" in refused else "done"
    if refused:
        yield REFUSED, refused
    yield BAD_INPUT, EXIT_CODES[BAD_INPUT]
    if any(p.name == "timeout" for p in command.params) and name != "studio":
        yield UNDECIDED, EXIT_CODES[UNDECIDED]


def _example(name: str, example: Example, run: bool) -> Iterator[str]:
    """What is typed and, if it is run, what comes out."""
    typed = list(example.lines)
    if any(line.split()[2:3] == ["segment.yaml"] for line in typed):
        typed.insert(0, f"holdfast init --like {example.like} segment.yaml")
    elif name == "import":
        yield f"`links.csv` has a line for each link:\n\n```text\n{FILES['links.csv']}```\n"
    if name in NOT_RUN or not run or any(">" in line for line in typed):
        yield "```console\n" + "\n".join(f"$ {line}" for line in typed) + "\n```\n"
        if name in NOT_RUN:
            yield f"{NOT_RUN[name]}; [{MORE[name][0]}](../{MORE[name][1]}) shows what it looks like.\n"
        return
    yield "```console\n" + "\n".join(_run(typed)) + "\n```\n"


def _run(typed: list[str]) -> Iterator[str]:
    """The lines and what they print, in a folder of their own; a fault of an example is one of the site."""
    runner = CliRunner(env={"COLUMNS": WIDTH})
    with TemporaryDirectory() as folder, chdir(folder):
        for name, text in FILES.items():
            Path(name).write_text(text, "utf-8")
        for line in typed:
            done = runner.invoke(app, shlex.split(line)[1:])
            if done.exit_code not in (DEFENSIBLE, REFUSED):
                raise RuntimeError(f"{line} left with {done.exit_code}: {done.output}")
            printed = [text.rstrip() for text in done.output.strip("\n").splitlines()]
            rest = len(printed) - MOST_LINES
            yield from (f"$ {line}", *printed[:MOST_LINES])
            if rest > 0:
                yield f"… and {rest} lines more"
