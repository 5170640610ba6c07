"""``schema`` and ``init``: what a scenario file looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.app import emit
from holdfast.errors import InputError, did_you_mean


def schema() -> None:
    """Print the JSON Schema of scenario files, for editors and validators."""
    from holdfast.scenario.schema import json_schema

    emit(json.dumps(json_schema(), indent=2))


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("scenario.yaml"),
    model: Annotated[
        str, typer.Option(help="The kind of system: network, game, or another model.")
    ] = "network",
    game: Annotated[
        bool, typer.Option("--game", help="Short for --model game: a system of your own.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented scenario to start from."""
    from holdfast.files import write_whole
    from holdfast.models import all_models

    if file.exists() and not force:
        raise InputError(f"{file} exists already; choose another name or pass --force")
    known, key = all_models(), "game" if game else model
    if key not in known:
        hint = did_you_mean(key, known) or f"; the models are {', '.join(known)}"
        raise InputError(f'there is no model "{key}"{hint}')
    write_whole(file, known[key].stub)
    emit(f"wrote {file}; now run: holdfast check {file}")
