"""``schema`` and ``init``: what a scenario file looks like."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.app import emit
from holdfast.errors import InputError
from holdfast.files import write_whole


def schema() -> None:
    """Print the JSON Schema of scenario files, for editors and validators."""
    from holdfast.scenario.schema import json_schema

    emit(json.dumps(json_schema(), indent=2))


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it.")] = Path("scenario.yaml"),
    game: Annotated[bool, typer.Option("--game", help="A system of your own instead of a network.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a commented scenario to start from."""
    from holdfast.models import all_models

    if file.exists() and not force:
        raise InputError(f"{file} exists already; choose another name or pass --force")
    write_whole(file, all_models()["game" if game else "network"].stub)
    emit(f"wrote {file}; now run: holdfast check {file}")
