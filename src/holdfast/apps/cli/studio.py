"""``studio``: the page in the browser in which a design is changed and answered."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from holdfast.apps.cli.app import emit
from holdfast.apps.services import DEFENSIBLE
from holdfast.errors import InputError, missing

MAX_PORT = 65_535


def studio(
    *,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="A scenario file, or a folder of them.", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MAX_PORT,
            help="Port on this machine; 0 picks a free one. By default each folder always gets the same "
            "port, so that the browser finds unsaved work again.",
            show_default=False,
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening a browser.")
    ] = False,
    question_seconds: Annotated[
        float, typer.Option("--timeout", min=0.1, max=3600.0, metavar="SECONDS", help="For each question.")
    ] = 600.0,
    question_memory: Annotated[
        float, typer.Option("--memory", min=0.1, max=16.0, metavar="GIB", help="For each question.")
    ] = 2.0,
) -> None:
    """Edit a design in the browser and watch the verdict change. Press Ctrl-C to stop.

    The page is served only to this machine, at the address that is printed.
    """
    try:
        from holdfast.apps.studio.server import Studio, serve
    except ImportError as error:
        raise InputError(missing(error.name or "a library", "studio", "the studio")) from None
    from holdfast.apps.cli.template import stub_of
    from holdfast.apps.studio.bodies import RequestLimits
    from holdfast.apps.studio.shelf import Shelf

    opened = Shelf.at(file)
    limits = RequestLimits(seconds=question_seconds, memory=question_memory)

    def ready(address: str) -> None:
        emit(address)
        if not no_browser:
            import webbrowser

            webbrowser.open(address)

    import secrets  # brings the cryptography that other commands do without

    serve(Studio(opened, stub_of("network"), limits), secrets.token_urlsafe(24), port, ready)
    print("stopped", file=sys.stderr)
    raise typer.Exit(DEFENSIBLE)
