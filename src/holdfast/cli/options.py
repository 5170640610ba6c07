"""The arguments and options that several commands share."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Engine(StrEnum):
    """The engines a user can name."""

    AUTO = "auto"
    EXPLICIT = "explicit"
    SYMBOLIC = "symbolic"


MAX_SEEDS = 1_000_000


def _fitting(memory: float) -> float:
    """Memory that the machine has; the engine reserves it when it starts."""
    if "SC_PHYS_PAGES" in os.sysconf_names:
        installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        if memory > installed:
            raise typer.BadParameter(f"{memory:g} GiB is more than the {installed:.1f} GiB of this machine")
    return memory


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A scenario file.", show_default=False)]
VariantOption = Annotated[
    str | None, typer.Option("--variant", "-v", help="Analyse this variant of the file.")
]
EngineOption = Annotated[Engine, typer.Option(help="How to solve; the answer is the same.")]
TimeoutOption = Annotated[
    float | None,
    typer.Option(min=0.0, metavar="SECONDS", help="Give up after this long, undecided (exit 3)."),
]
MemoryOption = Annotated[
    float,
    typer.Option(min=0.001, callback=_fitting, metavar="GIB", help="Memory the engine may use."),
]
NoLearningOption = Annotated[
    bool, typer.Option("--no-learning", help="Skip the training; DDR* stands alone.")
]
SeedsOption = Annotated[int | None, typer.Option(min=1, max=MAX_SEEDS, help="How many runs are trained.")]
EpisodesOption = Annotated[int | None, typer.Option(min=1, help="Episodes of each run.")]
JobsOption = Annotated[int | None, typer.Option(min=1, help="Runs at once; as many as cores by default.")]
NoLatitudeOption = Annotated[
    bool, typer.Option("--no-latitude", help="Skip the reachable set and SLT, the slowest static reading.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
