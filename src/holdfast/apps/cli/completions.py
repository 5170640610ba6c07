"""What a shell completes beside options and files: variants of the file on the line, names of the library
and of solvers.

Somebody has pressed a key and waits, so nothing is loaded but what is asked for. A file that cannot be read
offers nothing: the command itself will say what is wrong with it.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import typer

from holdfast.errors import HoldfastError


def variants(ctx: typer.Context, incomplete: str) -> list[str]:
    """The variants of the files that stand on the line already."""
    given = [ctx.params.get("file"), *(ctx.params.get("files") or ()), *ctx.args]
    names = dict.fromkeys(name for file in given if file is not None for name in _variants_of(Path(file)))
    return [name for name in names if name.startswith(incomplete)]


def _variants_of(file: Path) -> list[str]:
    from holdfast.scenario import Problem, data, read_text, read_yaml

    with suppress(HoldfastError, Problem):
        content = data(read_yaml(read_text(file), str(file)))
        named = content.get("variants") if isinstance(content, dict) else None
        return list(map(str, named)) if isinstance(named, dict) else []
    return []


def scenarios(incomplete: str) -> list[str]:
    """The names of the library."""
    from holdfast.scenario import library_folder

    names = sorted(path.stem for path in library_folder().glob("*.yaml"))
    return [name for name in names if name.startswith(incomplete)]


def engines(incomplete: str) -> list[str]:
    """The names of the solvers for verdicts."""
    from holdfast.solver import AUTO, solvers

    names = [AUTO, *(solver.key for solver in solvers("verdict"))]
    return [name for name in names if name.startswith(incomplete)]
