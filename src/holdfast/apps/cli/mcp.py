"""``mcp``: Holdfast for agents, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holdfast.apps.services import DEFENSIBLE
from holdfast.errors import InputError, missing


def mcp(
    *,
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="The folder that agents may use.")
    ] = Path(),
    question_memory: Annotated[
        float, typer.Option("--memory", min=0.1, max=16.0, metavar="GIB", help="For each question.")
    ] = 2.0,
) -> None:
    """Serve one folder to AI agents over the Model Context Protocol (standard input and output).

    The tools are check, explain, recommend, fragile, verify and import; each needs a budget in seconds. It
    reads and writes only inside the folder, follows no links, and overwrites nothing.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name the folder that agents may use")
    try:
        from holdfast.apps.agents.server import serve
    except ImportError as error:
        raise InputError(missing(error.name or "a library", "mcp", "the server for agents")) from None
    serve(folder, question_memory)
    raise typer.Exit(DEFENSIBLE)
