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
        Path, typer.Argument(metavar="[FOLDER]", help="The folder that agents may ask about.")
    ] = Path(),
    question_memory: Annotated[
        float, typer.Option("--memory", min=0.1, max=16.0, metavar="GIB", help="For each question.")
    ] = 2.0,
) -> None:
    """Answer agents over the Model Context Protocol, on standard input and output, about one folder.

    The tools are check, explain, recommend, fragile, verify and import; each needs a budget in seconds. No
    file outside the folder is read or written, links are not followed, and nothing is overwritten.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name the one that agents may ask about")
    try:
        from holdfast.apps.agents.server import serve
    except ImportError as error:
        raise InputError(missing(error.name or "a library", "mcp", "the server for agents")) from None
    serve(folder, question_memory)
    raise typer.Exit(DEFENSIBLE)
