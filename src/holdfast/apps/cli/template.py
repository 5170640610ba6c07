"""``schema`` and ``init``: what a scenario file looks like."""

from __future__ import annotations

import json
import textwrap
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from holdfast.apps.cli.app import emit
from holdfast.apps.cli.completions import scenarios
from holdfast.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from holdfast.models import RequirementTemplate
    from holdfast.scenario import Card


def schema(
    output: Annotated[
        Literal["check", "fingerprint"] | None,
        typer.Option(help="Print the schema of this command's --json output instead."),
    ] = None,
) -> None:
    """Print the JSON Schema of scenario files, for editors and validators."""
    if output:
        from holdfast.report import output_schema as wanted
    else:
        from holdfast.scenario import json_schema as wanted
    emit(json.dumps(wanted(), indent=2))


def init(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The file to write; by default scenario.yaml, or NAME.yaml with --like NAME."
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(help="The kind of system: network, game, or another model.")
    ] = "network",
    game: Annotated[
        bool, typer.Option("--game", help="Short for --model game: any two-player system.")
    ] = False,
    like: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Start from this example in the library.", autocompletion=scenarios
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the library and stop.")] = False,
    templates: Annotated[
        bool, typer.Option("--templates", help="List templates for network requirements and stop.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented scenario to start from: a template, or an example from the library."""
    from holdfast.running import write_whole
    from holdfast.scenario import library_card, library_cards

    if templates:
        from holdfast.models import TEMPLATES

        emit("\n".join(line for template in TEMPLATES for line in _clause_lines(template)))
        return
    if list_:
        emit("\n".join(line for card in library_cards() for line in _listed(card)))
        return
    if like is not None:
        card = library_card(like)
        file, text = file or Path(card.path.name), card.path.read_text("utf-8")
    else:
        file, text = file or Path("scenario.yaml"), stub_of("game" if game else model)
    if file.exists() and not force:
        raise InputError(f"{file} exists already; choose another name or pass --force")
    write_whole(file, text)
    emit(f"wrote {file}; now run: holdfast check {file}")


def stub_of(key: str) -> str:
    """A commented scenario of a model."""
    from holdfast.scenario import model_keys, model_of

    known = model_keys()
    if key not in known:
        hint = did_you_mean(key, known) or f"; the models are {', '.join(known)}"
        raise InputError(f'there is no model "{key}"{hint}')
    return model_of(key).stub


def _clause_lines(template: RequirementTemplate) -> list[str]:
    """A template of a requirement in a few lines, the last two as they stand in a file."""
    name, formula = template.example.name, template.example.formula
    return [template.key, f"  {template.sentence}", f"    - name: {name}", f"      formula: {formula}", ""]


def _listed(card: Card) -> list[str]:
    """A scenario of the library in a few lines."""
    verdicts = ", ".join(f"{name} {answer.split(',')[0]}" for name, answer in card.answers.items())
    return [card.name, f"  {card.title}", *_wrap(f"learn: {card.learn}"), *_wrap(verdicts), ""]


_wrap = partial(
    textwrap.wrap, width=100, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
)
